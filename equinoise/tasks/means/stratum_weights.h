// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/means/means_report.h"

namespace equinoise {

/// Weights of strata in an overall mean, instead of their sizes; one of them at most.
struct StratumWeightsRequest {
  std::map<std::string, double> given;  ///< by stratum
  std::filesystem::path json_path;      ///< the same in a JSON file
  TableSource table;                    ///< a table of records whose shares in strata they are
};

struct StratumWeights {
  std::vector<double> values;              ///< (num_strata) that add up to 1; empty: by sizes
  std::optional<HeldOutRecords> held_out;  ///< where they are shares of such records
};

/// The weights of strata, which must be public.
///
/// A table is read by the schema's rules for the columns of `by`; it need not hold others, nor any
/// number of records. Shares are exact and cost nothing, so its records are NOT PROTECTED: they
/// must be public, or be of other people than the records whose means are asked for. A record that
/// a rule of the schema drops counts for nothing.
///
/// sizes: (num_strata), or empty where these are private. Errors: kUsage for weights of what is no
/// stratum, strata without one, weights that do not add up to 1, strata of which the table has no
/// record unless their size is 0, the table `data` itself; kInput for files that cannot be
/// read.
StratumWeights stratum_weights(const StratumWeightsRequest& request, const Schema& schema,
                               const std::vector<std::string>& by, const GroupFloor& floor,
                               const std::vector<std::string>& names,
                               const std::vector<double>& sizes, const TableSource& data);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/protection.h"

namespace equinoise {

/// What `equinoise schema sizes` says.
struct GroupSizesReport {
  struct Row {
    GroupLabel group;
    std::optional<int64_t> size;  ///< nothing before the release
    bool is_declared = false;     ///< or follows from the schema, so that it costs nothing
  };

  std::string version;
  std::string dataset;
  PrivacyStatus status = PrivacyStatus::kPrivate;
  bool is_plan = false;             ///< nothing was released
  std::string counted = "records";  ///< what sizes are of: or "units (person_id)"
  std::vector<Row> rows;
  double noise_stddev = 0;           ///< of each count that was released
  std::optional<Guarantee> privacy;  ///< nothing: a known seed
  std::optional<Protection> protection;
  std::optional<LedgerStatement> ledger;
  std::string toml;  ///< what declares the sizes; "" before the release
  std::vector<std::string> warnings;
  std::vector<std::string> files;
};

nlohmann::ordered_json group_sizes_to_json(const GroupSizesReport& report);
std::string group_sizes_to_text(const GroupSizesReport& report);

}  // namespace equinoise

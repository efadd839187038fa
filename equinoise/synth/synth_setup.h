// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "equinoise/data/table.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/synth/private_distribution.h"
#include "equinoise/synth/registry.h"
#include "equinoise/synth/shared_strata.h"
#include "equinoise/synth/synth_choices.h"

namespace equinoise {

/// The subject of one model.
struct PlannedStratum {
  GroupLabel label;                  ///< empty: everybody
  std::vector<size_t> columns;       ///< that it models
  std::map<size_t, uint32_t> fixed;  ///< codes of the others
  std::optional<int64_t> public_size;
  SynthPlan plan;          ///< of its own draws
  double noise_error = 0;  ///< see stratum_noise_error()
  /// The questions that it asks next to a shared model; empty: it follows that alone, or there is
  /// none.
  std::vector<StratumQuestion> questions;

  /// The number of its columns that the questions are about.
  size_t num_measured() const;
};

/// A column of which it is released how its numbers are spread.
struct PlannedDistribution {
  size_t column = 0;
  ColumnCodes cells;      ///< the fine cells whose counts are released
  bool cuts = true;       ///< bins are cut by it; false: their edges are public
  bool is_asked = false;  ///< by name, so that equal widths do not stay
  DistributionPlan plan = {};
};

/// Everything about a run that is known before a record is read.
struct SynthSetup {
  Schema schema;
  std::vector<std::string> kept_gaps;  ///< columns whose gaps are a value though it fills them
  const SynthesizerRow* row = nullptr;
  std::unique_ptr<Synthesizer> method;
  std::vector<ColumnCodes> columns;
  std::optional<Grouping> grouping;  ///< of strata; without the groups of records
  GroupFloor floor = {};             ///< below which strata are merged
  std::vector<PlannedStratum> strata;
  int degree = 0;  ///< columns of the workload's marginals, if they are not listed
  /// The model of everybody from which those of strata start; empty: they start from nothing.
  std::optional<PlannedStratum> shared;
  /// Their events follow those of each stratum's plan; every stratum pays for all.
  std::vector<PlannedDistribution> distributions;
  double number_share = 0;    ///< of rho, for all of these
  std::vector<Factor> zeros;  ///< declared, over all columns
  Workload workload;          ///< over all columns
  Relation relation = Relation::kZeroOut;
  double rho = 0;
  std::vector<Event> events;  ///< of the whole run
  Guarantee privacy{Epsilon(0), Delta(0), AccountantName::kPld,
                    Relation::kZeroOut};  ///< of the events
  std::vector<std::string> warnings;

  /// The domain of all columns, as they are cut now.
  Domain domain() const;

  /// The purpose of reading the table, by which its number of rows is public or may be private.
  TableUse table_use() const {
    return relation == Relation::kZeroOut ? TableUse::kDescribed : TableUse::kPrivateSize;
  }

  /// The number of rows of the table, where that is public: a unit may have any number of them.
  std::optional<int64_t> public_size() const {
    if (relation != Relation::kZeroOut || schema.has_unit_column()) return std::nullopt;
    return schema.num_records;
  }

  /// The public facts about the number of rows to draw.
  std::optional<int64_t> known_rows(const SynthChoices& choices) const {
    return choices.num_rows ? choices.num_rows : public_size();
  }
};

/// The schema by which the table and the rows are read: of everybody, and of gaps as values unless
/// they are filled.
struct SynthSchema {
  Schema schema;
  std::vector<std::string> kept_gaps = {};  ///< columns whose gaps are a value though it fills them
  std::string warning = {};                 ///< of records that are not in the rows; "": none
};

/// Plans a run. Errors: kUsage for choices that do not fit each other or the schema, or a budget
/// that is too small; kInput for files of zeros and workloads.
SynthSetup set_up_synth(const SynthChoices& choices, SynthSchema schema);

}  // namespace equinoise

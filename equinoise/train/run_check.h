// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/models/model.h"
#include "equinoise/train/loop.h"

namespace equinoise {

/// Checks that `table` fits `model` and is well formed: the number of features, each one-hot
/// feature at most once per record, the kind of target that the model learns, labels below its
/// classes. Otherwise a gradient could be longer than its norm says, or be written outside any clip
/// bound. Errors: kRuntime, naming `where` and no value of a record.
void check_table(std::string_view where, const EncodedTable& table, const Model& model);

/// Whether a run of a plan supports units of several rows.
enum class UnitRowsUse { kRefused, kSummed };

/// check_table, and checks that charge, table and model are those of `plan`, and that there are
/// groups if the plan has some. Every run of a plan calls it before drawing anything.
void check_run(std::string_view where, const EncodedTable& table, const Model& model,
               const TrainingPlan& plan, const Charge& charge,
               UnitRowsUse use = UnitRowsUse::kRefused);

/// check_run for a method that can only run from the start. Errors: also kRuntime for a later
/// state.
void check_run_from_start(std::string_view where, const TrainingRun& training);

/// Errors: kRuntime for a table without groups.
void require_groups(std::string_view where, const EncodedTable& table);

/// Errors: kRuntime for a table of units, for callers that treat each row as a record.
void require_rows(std::string_view where, const EncodedTable& table);

}  // namespace equinoise

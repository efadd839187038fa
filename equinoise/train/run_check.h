// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/models/model.h"
#include "equinoise/train/loop.h"

namespace equinoise {

/// Checks that `table` is one of `model` and whole: as many features, of which a record has each
/// one-hot feature at most once; the kind of target that the model learns, labels below its
/// classes. Else a record's gradient would be longer than its norm says, or be written where no
/// clip bounds it. Errors: kRuntime, naming `where` and no value of a record.
void check_table(std::string_view where, const EncodedTable& table, const Model& model);

/// Whether a run of a plan knows what to do with units of several rows.
enum class UnitRowsUse { kRefused, kSummed };

/// The same, and that charge, table and model are those of `plan`, and that there are groups if it
/// has some. To be called by whatever runs a plan, before it draws anything.
void check_run(std::string_view where, const EncodedTable& table, const Model& model,
               const TrainingPlan& plan, const Charge& charge,
               UnitRowsUse use = UnitRowsUse::kRefused);

/// check_run for a method that can only run from the start. Errors: also kRuntime for a later
/// state.
void check_run_from_start(std::string_view where, const TrainingRun& training);

/// Errors: kRuntime for a table of units, each row of which somebody would take as one.
void require_rows(std::string_view where, const EncodedTable& table);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/format.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// The unit of sizes: "records", or "units (person_id)".
std::string name_of_units(const TrainingReport& report);

/// The public facts about groups: size, epsilon, noise.
TextTable public_table(const GroupingRows& grouping);

/// One grouping, then the overall row, with the figures from held-out records; the noise is left
/// out on a narrow page. NOT PRIVATE.
TextTable training_table(const TrainingReport& report, const GroupingRows& grouping,
                         bool with_noise);

/// The quality of probabilities of two classes, or the explained part of numbers, with the same
/// rows; no rows for more classes. NOT PRIVATE.
TextTable fit_table(const TrainingReport& report, const GroupingRows& grouping);

/// The cost of clipping and noise for each group: means over the finite explanations of
/// --explain-every. NOT PRIVATE.
TextTable explanations_table(const TrainingReport& report);

/// The list of constraints. Publishable.
TextTable constraint_list(const TrainingReport& report);

/// Their values by the noisy counts of the private evaluation; no rows without one.
TextTable private_constraints_table(const TrainingReport& report);

/// The groups of one grouping, then the overall row, from the noisy counts of the private
/// evaluation; no rows without one.
TextTable private_rates_table(const TrainingReport& report, const GroupingRows& grouping);

/// All tables of the private evaluation that have rows.
std::vector<TextTable> private_evaluation_tables(const TrainingReport& report);

/// Whether the run has a private evaluation, or constraints for one.
bool is_evaluation_told(const TrainingReport& report);

/// The meaning of these figures and whether they may be published. If the run has none: that the
/// quality of the model is unknown, and why. Publishable.
std::string private_evaluation_line(const TrainingReport& report);

/// Their cost in the account, or in the cost of a run without one; "" if there are none or they
/// have been paid for.
std::string evaluation_cost_line(const TrainingReport& report);

/// The weights of the groups of the first grouping at the beginning and at the end of training; no
/// rows if there are none. Released with noise.
TextTable group_path_table(const TrainingReport& report);

/// The coefficients of a regression with intervals, in the units of the columns; no rows if the
/// method estimates none. Released with noise.
TextTable coefficients_table(const TrainingReport& report);

/// An explanation of the table, and of missing figures; "" if there is no table. Publishable.
std::string coefficients_line(const TrainingReport& report);

/// The reasons for missing estimates or intervals, and the remedy.
std::vector<std::string> coefficients_notes(const TrainingReport& report);

TextTable settings_table(const TrainingReport& report);

/// The constraint values of the released model on the held-out records; if they were not checked,
/// the list of constraints. NOT PRIVATE.
TextTable constraints_table(const TrainingReport& report);

/// The private releases of a run.
TextTable cost_table(const TrainingReport& report);

}  // namespace equinoise

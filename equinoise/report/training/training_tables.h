// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/format.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What sizes are of: "records", or "units (person_id)".
std::string name_of_units(const TrainingReport& report);

/// What is public about groups: size, epsilon, noise.
TextTable public_table(const GroupingRows& grouping);

/// One grouping, then the overall row, with the figures from held-out records; the noise is left
/// out where the page is narrow. NOT PRIVATE.
TextTable training_table(const TrainingReport& report, const GroupingRows& grouping,
                         bool with_noise);

/// How good probabilities of two classes are, or which part of numbers is told, by the same rows;
/// no rows of more classes. NOT PRIVATE.
TextTable fit_table(const TrainingReport& report, const GroupingRows& grouping);

/// What clipping and noise cost each group, as means over the looks of --explain-every that are
/// finite. NOT PRIVATE.
TextTable explanations_table(const TrainingReport& report);

/// What the constraints are. Publishable.
TextTable constraint_list(const TrainingReport& report);

/// The same by the counts with noise that the run paid for; no rows where it did not.
TextTable private_constraints_table(const TrainingReport& report);

/// The groups of one grouping, then the overall row, from counts with noise that the run paid for;
/// no rows where it did not.
TextTable private_rates_table(const TrainingReport& report, const GroupingRows& grouping);

/// All tables of the private evaluation that have rows.
std::vector<TextTable> private_evaluation_tables(const TrainingReport& report);

/// Whether the run has a private evaluation, or constraints that one could be of.
bool is_evaluation_told(const TrainingReport& report);

/// What these figures are and whether they may be published; where the run has none, that nothing
/// is known of the model, and why. Publishable.
std::string private_evaluation_line(const TrainingReport& report);

/// What they add to the account, or to the cost of the run by itself; "" where there are none or
/// they have been paid for.
std::string evaluation_cost_line(const TrainingReport& report);

/// How training weighed the groups of the first grouping, at the beginning and at the end; no rows
/// where it did not. Released with noise.
TextTable group_path_table(const TrainingReport& report);

/// The coefficients of a regression with intervals, in the units of the columns; no rows where the
/// method estimates none. Released with noise.
TextTable coefficients_table(const TrainingReport& report);

/// How to read it, and why figures are missing; "" where there is no table. Publishable.
std::string coefficients_line(const TrainingReport& report);

/// Why some of them have no estimate or no interval, and what to do.
std::vector<std::string> coefficients_notes(const TrainingReport& report);

TextTable settings_table(const TrainingReport& report);

/// How the released model keeps the constraints on the held-out records; without any, what they
/// are. NOT PRIVATE.
TextTable constraints_table(const TrainingReport& report);

/// What a run releases under privacy.
TextTable cost_table(const TrainingReport& report);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "equinoise/report/audit_report.h"
#include "equinoise/report/format.h"
#include "equinoise/report/training_report.h"

namespace equinoise {

/// A table of texts, as every form of a report shows it.
struct TextTable {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  size_t num_left = 1;         ///< that many first columns hold words, the others figures
  bool ends_in_total = false;  ///< the last row is the overall one
};

/// What is public about groups: size, epsilon, noise.
TextTable public_table(const GroupingRows& grouping);

/// One grouping, then the overall row, with the figures from held-out records; the noise is left
/// out where the page is narrow. NOT PRIVATE.
TextTable training_table(const TrainingReport& report, const GroupingRows& grouping,
                         bool with_noise);

/// The groups of an audit, then the overall row. NOT PRIVATE.
TextTable audit_table(const AuditReport& report, const AuditGrouping& grouping);

/// What groups lose to a reference and the gap between those that lose most and least: privacy
/// costs and excessive risks, where the reference has no privacy. No rows for less than two groups.
/// NOT PRIVATE.
TextTable cost_table(const GroupCosts& groups, bool numeric_target);

/// How far apart the groups of an audit are. NOT PRIVATE.
TextTable disparity_table(const AuditGrouping& grouping);

/// Why the groups of an audit lose: the effect of a step of training on each one's loss, by causes.
/// NOT PRIVATE.
TextTable explanation_table(const AuditGrouping& grouping);

/// What clipping and noise cost each group, as means over the looks of --explain-every that are
/// finite. NOT PRIVATE.
TextTable explanations_table(const TrainingReport& report);

/// What the constraints are. Publishable.
TextTable constraint_list(const TrainingReport& report);

/// How the released model keeps the constraints on the held-out records; without any, what they
/// are. NOT PRIVATE.
TextTable constraints_table(const TrainingReport& report);

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

/// How the audited model keeps those that it was trained under and those asked for. NOT PRIVATE.
TextTable constraints_table(const AuditReport& report);

/// Which step an audit explains, and whether it is so long that the second order is no guide.
std::string explained_line(const AuditGrouping& grouping);

/// The gradients and Hessians of that step. NOT PRIVATE.
TextTable gradient_table(const AuditGrouping& grouping);

/// The limits of an audit and whether they hold. NOT PRIVATE.
TextTable threshold_table(const AuditReport& report);

/// How training weighed the groups of the first grouping, at the beginning and at the end; no rows
/// where it did not. Released with noise.
TextTable group_path_table(const TrainingReport& report);

/// What a run releases under privacy.
TextTable cost_table(const TrainingReport& report);

/// What each strategy gives the groups, and what it costs them.
TextTable outlook_table(const TrainingReport& report);

TextTable settings_table(const TrainingReport& report);

/// A row for each event of each entry.
TextTable entries_table(std::span<const LedgerEntry> entries);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/count_text.h"
#include "equinoise/base/csv_cell.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// `value` >= 0 with that many significant digits, rounded up, so that no cost is shown too small.
std::string format_up(double value, int digits);

/// Four significant digits, rounded up.
std::string format_epsilon(const Epsilon& epsilon);

/// "none" if there is no guarantee.
std::string format_epsilon(const std::optional<Guarantee>& guarantee);

/// "epsilon 3, delta 1e-06 (rdp, zero_out)"
std::string format_guarantee(const Guarantee& guarantee);

/// The rule by which costs of groups add up over the entries of an account with that budget, in
/// words.
std::string groups_rule(const Budget& budget);

/// The assumption of an account with that budget in addition to its entries, a sentence; "" if
/// none.
std::string account_assumption(const Budget& budget);

/// "not public" if the schema does not declare it.
std::string format_size(const std::optional<int64_t>& size);

/// 36,632 or 0.0139769
std::string format_setting(double value);

/// Formats with that many decimals, as 36,632 without any; never "-0.0", "-" if the value is not
/// finite, and 1.23e+20 if there would be too many digits.
std::string format_fixed(double value, int decimals);

/// Three significant digits, without exponent if that is readable: 0.352, 12,346, 1e+20. "-" if the
/// value is not finite.
std::string format_amount(double value);

/// A number with all its digits; "" without one, or if it is not finite.
std::string csv_number(const std::optional<double>& value);

/// A share in percent with one decimal, never "-0.0".
std::string format_percent(double share);

/// The text with a capital letter first.
std::string capitalised(std::string text);

/// "true_positive_rate" -> "true positive rate", "auc" -> "AUC"
std::string metric_words(std::string_view metric);

/// Whether a metric is a share of records, which is shown in percent.
bool is_share(std::string_view metric);

/// The format of a column of estimates of one metric: shares in percent with one decimal, others
/// with the decimals that show two significant digits of the half width of a typical interval.
class Precision {
 public:
  Precision(std::string_view metric, const Estimate& typical);
  std::string format(double value) const;              ///< "-" if it is undefined
  std::string format(const Estimate& estimate) const;  ///< "62.5 [40.0, 80.0]"
  /// The same without an interval if there is none. A value that is not 0 but would be shown as 0
  /// gets more digits: "62.5", "0.00012 [0.0001, 0.00014]".
  std::string compact(const Estimate& estimate) const;

 private:
  bool percent_;
  int decimals_;
};

/// The metrics that tables show for such a target. `num_classes` is 0 for a numeric one.
std::span<const std::string_view> shown_metrics(size_t num_classes);

/// The estimate of that name. Errors: kUsage for an unknown name.
const Estimate& estimate_of(const Metrics& metrics, std::string_view metric);

/// The number of model parameters that are not finite, or outside single precision, after a
/// training that diverged.
int64_t num_lost_parameters(const TrainingReport& report);

/// Whether some groups have other guarantees than others. Groups of the public size 0 are ignored.
bool pay_apart(std::span<const GroupReport> groups);

/// "Female, White"; "" for an empty label.
std::string joined_values(const GroupLabel& group);

/// The same for display: "overall" for an empty label. A group whose name is used in tables for a
/// total or a gap is in quotes, so that it cannot be confused with the overall row.
std::string values_of(const GroupLabel& group);

/// "Female, White; Male, Black" for at most five groups, then the number of further ones.
std::string list_groups(const std::vector<GroupLabel>& groups);

/// "sex, race"
std::string columns_of(const GroupLabel& group);
std::string columns_of(const std::vector<std::string>& columns);

/// The same for all groups' columns: "sex, race or city" if they are of several groupings.
std::string columns_of(const std::vector<GroupLabel>& groups);

/// The groups of one grouping.
struct GroupingRows {
  std::string columns;
  std::span<const GroupReport> groups;
};

/// The groups of a report by grouping, in order.
std::vector<GroupingRows> groupings_of(const std::vector<GroupReport>& groups);

/// Groups with their losses against a reference; empty without a reference.
struct GroupCosts {
  std::string columns;
  std::vector<GroupLabel> groups;
  std::vector<Cost> costs;
};

GroupCosts costs_of(const GroupingRows& grouping);
GroupCosts costs_of(const AuditGrouping& grouping);

/// Whether the releases of the run have its guarantee.
bool is_private(const TrainingReport& report);

/// The guarantee in one line, or the reason why there is none.
std::string privacy_line(const TrainingReport& report);
std::string privacy_line(PrivacyStatus status, const std::optional<Guarantee>& privacy);

/// "logistic", "mlp, hidden layers of 256, 256, tanh"
std::string describe_model(const TrainingReport& report);

}  // namespace equinoise

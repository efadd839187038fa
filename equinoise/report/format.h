// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// `value` >= 0 with that many significant digits, rounded up, so that what is shown is never less
/// than what was spent.
std::string format_up(double value, int digits);

/// Four significant digits, rounded up.
std::string format_epsilon(const Epsilon& epsilon);

/// "none" where there is no guarantee.
std::string format_epsilon(const std::optional<Guarantee>& guarantee);

/// "epsilon 3, delta 1e-06 (rdp, zero_out)"
std::string format_guarantee(const Guarantee& guarantee);

/// How costs of groups add up over the entries of an account of that budget, in words.
std::string groups_rule(const Budget& budget);

/// What an account with that budget rests on besides its entries, a sentence; "" for nothing.
std::string account_assumption(const Budget& budget);

/// 48842 -> "48,842"
std::string format_count(int64_t count);

/// "not public" where the schema does not declare it.
std::string format_size(const std::optional<int64_t>& size);

/// 36,632 or 0.0139769
std::string format_setting(double value);

/// So many decimals, as 36,632 without any; never "-0.0", "-" where the value is not finite, and
/// 1.23e+20 where digits would be too many.
std::string format_fixed(double value, int decimals);

/// Three significant digits, without exponent where that is readable: 0.352, 12,346, 1e+20. "-"
/// where the value is not finite.
std::string format_amount(double value);

/// A cell of CSV in the form of RFC 4180: in quotes where it needs them.
std::string csv_cell(const std::string& text);

/// A number with all its digits; "" where it is not finite.
std::string csv_number(double value);

/// A share in percent with one decimal, never "-0.0".
std::string format_percent(double share);

/// "true_positive_rate" -> "true positive rate"
std::string metric_words(std::string_view metric);

/// Whether a metric is a share of records, which is shown in percent.
bool is_share(std::string_view metric);

/// How a column of estimates of one metric is written: shares in percent with one decimal, others
/// with the decimals that show two significant digits of the half width of a typical interval.
class Precision {
 public:
  Precision(std::string_view metric, const Estimate& typical);
  std::string format(double value) const;              ///< "-" where there is none
  std::string format(const Estimate& estimate) const;  ///< "62.5 [40.0, 80.0]"
  /// The estimate, without an interval if there is none, and with more digits if these would show
  /// only zeros for another value: "62.5", "0.00012 [0.0001, 0.00014]".
  std::string compact(const Estimate& estimate) const;

 private:
  bool percent_;
  int decimals_;
};

/// The metrics that tables show for such a target. `num_classes` is 0 for a numeric one.
std::span<const std::string_view> shown_metrics(size_t num_classes);

/// The estimate of that name. Errors: kUsage for an unknown one.
const Estimate& estimate_of(const Metrics& metrics, std::string_view metric);

/// How many parameters of the model are not finite, or beyond single precision: of a training that
/// diverged.
int64_t num_lost_parameters(const TrainingReport& report);

/// Whether members of some groups have another guarantee than others. Nobody is in a group of the
/// public size 0.
bool pay_apart(std::span<const GroupReport> groups);

/// "Female, White"; "" for an empty label.
std::string joined_values(const GroupLabel& group);

/// The same as a reader sees it: "everybody" for an empty label. A group whose name a table uses
/// for a total or a gap stands in quotes, so that no group can be taken for everybody.
std::string values_of(const GroupLabel& group);

/// Those of `groups` at these places.
std::vector<GroupLabel> groups_at(const std::vector<GroupLabel>& groups,
                                  std::span<const size_t> places);

/// "Female, White; Male, Black" of at most five, then how many more there are.
std::string list_groups(const std::vector<GroupLabel>& groups);

/// "sex, race"
std::string columns_of(const GroupLabel& group);
std::string columns_of(const std::vector<std::string>& columns);

/// The same of all groups' columns: "sex, race or city" where they are of several groupings.
std::string columns_of(const std::vector<GroupLabel>& groups);

/// The groups of one grouping.
struct GroupingRows {
  std::string columns;
  std::span<const GroupReport> groups;
};

/// The groups of a report by grouping, in order.
std::vector<GroupingRows> groupings_of(const std::vector<GroupReport>& groups);

/// Groups with what they lose to a reference; none without one.
struct GroupCosts {
  std::string columns;
  std::vector<GroupLabel> groups;
  std::vector<Cost> costs;
};

GroupCosts costs_of(const GroupingRows& grouping);
GroupCosts costs_of(const AuditGrouping& grouping);

/// Whether what the run released carries its guarantee.
bool is_private(const TrainingReport& report);

/// The guarantee in one line, or the reason why there is none.
std::string privacy_line(const TrainingReport& report);
std::string privacy_line(PrivacyStatus status, const std::optional<Guarantee>& privacy);

/// "logistic", "mlp, hidden layers of 256, 256, tanh"
std::string describe_model(const TrainingReport& report);

}  // namespace equinoise

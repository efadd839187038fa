// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/means_outlook.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/means/predicted_widths.h"
#include "equinoise/means/registry.h"
#include "equinoise/means/summary.h"
#include "equinoise/tasks/means/means_setup.h"
#include "equinoise/tasks/means/named_values.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "tasks.means_outlook";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

std::optional<double> wanted_width(const char* option, const std::map<std::string, double>& widths,
                                   const MeanColumn& column) {
  const auto found = widths.find(column.name);
  if (found == widths.end()) return std::nullopt;
  if (!(found->second > 0)) {
    refuse("{} of column '{}' must be above 0, got {}", option, column.name, found->second);
  }
  if (!(found->second < column.upper - column.lower)) {
    refuse(
        "{} of column '{}' is not narrower than its bounds, got {}; that much is known "
        "without a release, so ask for less than {}",
        option, column.name, found->second, column.upper - column.lower);
  }
  return found->second;
}

constexpr double kNoWidth = std::numeric_limits<double>::quiet_NaN();

/// The width of the interval for the mean of the population that `size` numbers are drawn from,
/// were there no noise.
double sampling_width(const MeanColumn& column, double size) {
  if (!column.stddev || column.usual_weight || size == 0) return kNoWidth;
  const double width = column.upper - column.lower;
  return std::min(
      width, 2 * sampled_half_width(*column.stddev, width, 1 / size, 1 / size, kIntervalFailure));
}

/// NaN where sizes are not known.
std::vector<PredictedWidths> widths_of(const MeansSetup& setup) {
  std::vector<PredictedWidths> widths;
  for (size_t j = 0; j < setup.plan.question.columns.size(); ++j) {
    widths.push_back(
        setup.plan.question.predicted_sizes().empty()
            ? PredictedWidths{std::vector<double>(setup.names.size(), kNoWidth), kNoWidth}
            : predict_widths(setup.plan, j, setup.weights.values));
  }
  return widths;
}

/// The largest ratio of a width to what it may be, of all that is wanted.
double excess(const MeansSetup& setup, const MeansOutlook& outlook) {
  const std::vector<PredictedWidths> widths = widths_of(setup);
  double most = 0;
  for (size_t j = 0; j < widths.size(); ++j) {
    const MeansOutlookColumn& column = outlook.columns[j];
    const std::vector<double>& sizes = setup.plan.question.predicted_sizes();
    if (column.wanted_overall) most = std::max(most, widths[j].overall / *column.wanted_overall);
    for (size_t k = 0; k < sizes.size() && column.wanted; ++k)
      if (sizes[k] > 0) most = std::max(most, widths[j].strata[k] / *column.wanted);
  }
  return most;
}

/// Settles on the smallest budget that leaves what is wanted. Errors: kUsage where there is none.
void seek_budget(MeansRequest request, const std::string& method, const MeansOutlook& outlook,
                 MeansSetup& setup) {
  constexpr int kFirst = -40;
  constexpr int kLast = 40;
  constexpr int kHalvings = 17;  // of a step by 2: to a relative 2^(1 / 2^17)
  std::optional<Error> refusal;
  bool is_drawn = false;
  bool is_unknown = false;
  // Budgets may be too small or too large for a sampler.
  const auto is_enough = [&](double logarithm) {
    request.rho = std::exp2(logarithm);
    try {
      setup.plan = plan_by(request, method, setup);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      if (!refusal) refusal = error;
      return false;
    }
    const double times = excess(setup, outlook);
    is_drawn = true;
    is_unknown = is_unknown || std::isinf(times);
    return times <= 1;
  };
  int enough = kFirst;
  while (enough <= kLast && !is_enough(enough)) ++enough;
  if (enough > kLast) {
    if (!is_drawn) throw *refusal;
    refuse(is_unknown ? "its noise does not follow from public facts; give --stddev COLUMN=NUMBER"
                      : "no budget whose noise can be drawn reaches these widths");
  }
  double low = enough - 1;
  double high = enough;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    if (is_enough(middle)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  request.rho = std::exp2(high);
  setup.plan = plan_by(request, method, setup);
}

MeansOutlookMethod outlook_on(const std::string& method, const MeansRequest& request,
                              bool is_budget_sought, const MeansOutlook& outlook,
                              MeansSetup& setup) {
  MeansOutlookMethod row;
  row.method = method;
  try {
    if (is_budget_sought) {
      seek_budget(request, method, outlook, setup);
    } else {
      setup.plan = plan_by(request, method, setup);
    }
    row.privacy = setup.guarantee(setup.events(), request.delta);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    const std::string message = error.what();
    row.problem = message.substr(message.find(' ') + 1);  // without the part that says so
    return row;
  }
  row.rho = setup.rho();
  if (setup.plan.size_noise) row.size_half_width = setup.plan.size_half_width();
  const std::vector<PredictedWidths> widths = widths_of(setup);
  const std::vector<double>& sizes = setup.plan.question.predicted_sizes();
  // Sampling error of a mean by noisy sizes, or by weights, is not that of all records together.
  const bool is_by_size = setup.weights.values.empty() && !setup.plan.question.private_sizes;
  const double total = is_by_size ? std::accumulate(sizes.begin(), sizes.end(), 0.0) : 0;
  for (size_t j = 0; j < widths.size(); ++j) {
    const MeanColumn& facts = setup.plan.question.columns[j];
    const MeansOutlookColumn& column = outlook.columns[j];
    MeansOutlookFigures& figures = row.columns.emplace_back();
    figures = {column.name,
               setup.plan.part_of(j).method,
               column.wanted,
               column.wanted_overall,
               widths[j].overall,
               sampling_width(facts, total),
               {}};
    for (size_t k = 0; k < setup.names.size(); ++k) {
      MeansOutlookStratum& stratum = figures.strata.emplace_back();
      stratum = {setup.grouping.groups[k],
                 {},
                 widths[j].strata[k],
                 sizes.empty() ? kNoWidth : sampling_width(facts, sizes[k])};
      if (!sizes.empty()) stratum.num_records = static_cast<int64_t>(sizes[k]);
    }
  }
  return row;
}

/// The method that auto represents where a budget is sought: the candidate with the smallest
/// guarantee.
MeansOutlookMethod min_of_candidates(const std::vector<MeansOutlookMethod>& methods) {
  const MeansOutlookMethod* best = nullptr;
  for (const MeansOutlookMethod& method : methods) {
    if (!find_mean_estimator(method.method).is_candidate) continue;
    const auto is_less = [](const MeansOutlookMethod& a, const MeansOutlookMethod& b) {
      if (!a.problem.empty() || !b.problem.empty()) return a.problem.empty() && !b.problem.empty();
      return a.privacy->epsilon.value() < b.privacy->epsilon.value();
    };
    if (best == nullptr || is_less(method, *best)) best = &method;
  }
  MeansOutlookMethod row = *best;
  row.method = "auto";
  return row;
}

}  // namespace

MeansOutlook outlook_on_means(const MeansOutlookRequest& request) {
  const MeansRequest& means = request.means;
  const bool is_budget_sought = !request.interval_widths.empty() || !request.overall_widths.empty();
  if (is_budget_sought && (means.rho || means.epsilon)) {
    refuse(
        "give either a budget (--rho or --epsilon) or the wanted widths (--interval-width or "
        "--overall-width), not both");
  }
  if (!is_budget_sought && means.rho.has_value() == means.epsilon.has_value()) {
    refuse(
        "give one budget (--rho, or --epsilon at --delta) or the wanted widths (--interval-width "
        "or --overall-width)");
  }
  require_names(kWhere, "--interval-width", request.interval_widths, means.columns);
  require_names(kWhere, "--overall-width", request.overall_widths, means.columns);
  MeansSetup setup = set_up_question(means, false, true);
  if (is_budget_sought && setup.plan.question.predicted_sizes().empty()) {
    refuse(
        "widths depend on how many rows strata have; give those that you expect (--stratum-size), "
        "or a budget (--rho or --epsilon) in place of widths");
  }
  MeansOutlook outlook;
  outlook.version = EQUINOISE_VERSION;
  outlook.dataset = setup.schema.dataset;
  outlook.status = setup.status();
  outlook.by = setup.grouping.columns;
  outlook.unit = setup.schema.unit;
  if (setup.schema.has_unit_column())
    outlook.max_records_per_unit = setup.schema.max_records_per_unit;
  outlook.has_private_sizes = setup.plan.question.private_sizes;
  outlook.weights = setup.origin_of_weights();
  outlook.held_out = setup.weights.held_out;
  outlook.record_weights = setup.record_weights;
  for (const MeanColumn& column : setup.plan.question.columns) {
    outlook.columns.push_back({column.name,
                               {column.lower, column.upper},
                               wanted_width("--interval-width", request.interval_widths, column),
                               wanted_width("--overall-width", request.overall_widths, column),
                               rounding_of(setup.schema, setup.schema.column(column.name))});
  }
  for (const MeanEstimatorRow& row : mean_estimators()) {
    outlook.methods.push_back(
        outlook_on(std::string(row.name), means, is_budget_sought, outlook, setup));
  }
  outlook.methods.insert(outlook.methods.begin(),
                         is_budget_sought
                             ? min_of_candidates(outlook.methods)
                             : outlook_on("auto", means, is_budget_sought, outlook, setup));
  return outlook;
}

}  // namespace equinoise

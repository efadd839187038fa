// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "equinoise/report/format.h"
#include "equinoise/reproduction/signed_rank.h"

namespace equinoise {

namespace {

constexpr double kSignificance = 0.05;
constexpr double kNumErrors = 2;
/// The number of standard errors for targets, of which there are many.
constexpr double kNumTargetErrors = 3;

constexpr const char* kOtherEffort =
    "the records, the epochs, the steps or the measured steps are not those of the item";
constexpr const char* kNoReason = "no reason is known; some rows differ by chance";

ReproductionRow begin_row(const ReproductionMethod& method, const Figures& figures) {
  ReproductionRow row;
  row.method = method.name;
  row.metric = figures.metric;
  row.unit = figures.is_percentage ? "%" : "";
  if (const auto found = method.published.find(row.metric); found != method.published.end())
    row.published = found->second;
  if (const auto found = method.target.find(row.metric); found != method.target.end())
    row.target = found->second;
  return row;
}

/// A bound is passed if it is beyond the errors of ours.
bool agrees(const PrintedValue& printed, double ours, double standard_error, double num_errors) {
  const double margin = num_errors * standard_error;
  if (printed.kind == PrintedValue::Kind::kAtMost) return ours - margin <= printed.mean;
  if (printed.kind == PrintedValue::Kind::kAtLeast) return ours + margin >= printed.mean;
  return std::fabs(ours - printed.mean) <=
         num_errors * std::hypot(printed.standard_error, standard_error) +
             std::pow(10.0, -printed.decimals) / 2;
}

std::string too_few_seeds(int64_t num_seeds, int64_t num_asked) {
  return fmt::format("{} of the item's {} seeds", num_seeds, num_asked);
}

void judge(const ReproductionMethod& method, bool is_shortened, int64_t num_asked,
           ReproductionRow& row) {
  const bool has_seeds = row.num_seeds >= std::max<int64_t>(num_asked, 2);
  if (row.target && !is_shortened && row.num_seeds >= 2) {
    row.target->standard_error = error_of_printed(*row.target, row.standard_error, row.num_seeds);
    if (has_seeds) row.meets_target = meets_target(*row.target, row.ours, row.standard_error);
  }
  if (!row.published) {
    row.verdict = Verdict::kNoPublishedNumber;
    if (row.metric == kEpsilonByPld) row.reason = "the paper accounts by RDP";
    return;
  }
  row.verdict = Verdict::kNotJudged;
  if (is_shortened) {
    row.reason = kOtherEffort;
    return;
  }
  if (!has_seeds) {
    row.reason = row.num_seeds < 2 ? "a standard error needs at least two seeds"
                                   : too_few_seeds(row.num_seeds, num_asked);
    return;
  }
  PrintedValue published = *row.published;
  published.standard_error = error_of_printed(published, row.standard_error, row.num_seeds);
  row.verdict = compare_with_published(published, row.ours, row.standard_error);
  if (row.verdict == Verdict::kReproduces) return;
  row.reason = row.metric.starts_with(kEpsilonByRdp) ? method.epsilon_reason : method.reason;
  if (row.reason.empty()) row.reason = kNoReason;
}

/// The metrics that a claim tests: a metric that names no group and is no gap has one for each
/// group.
std::vector<std::string> tested_metrics(const std::vector<std::string>& groups,
                                        const std::string& metric) {
  const bool is_whole = groups.empty() || metric.ends_with("gap") ||
                        std::ranges::any_of(groups, [&](const std::string& group) {
                          return metric.ends_with(" " + group);
                        });
  if (is_whole) return {metric};
  std::vector<std::string> metrics;
  metrics.reserve(groups.size());
  for (const std::string& group : groups) metrics.push_back(fmt::format("{} {}", metric, group));
  return metrics;
}

/// The figures of a metric. A method that obeys no constraint has "error" for "error at 0.1".
const Figures* find_figures(const AllFigures& all, const std::string& method,
                            const std::string& metric) {
  const auto found = all.find(method);
  if (found == all.end()) return nullptr;
  for (const std::string& name : {metric, metric.substr(0, metric.find(" at "))}) {
    for (const Figures& figures : found->second)
      if (figures.metric == name) return &figures;
  }
  return nullptr;
}

/// The reason that is known for either method.
std::string why_differs(const ItemHeader& item, const ReproductionTest& test) {
  for (const std::string& name : {test.than, test.better}) {
    for (const ReproductionMethod& method : item.methods)
      if (method.name == name && !method.reason.empty()) return method.reason;
  }
  return kNoReason;
}

/// `known` is the reason why the claim does not hold, or "".
void run_test(const ItemHeader& item, const AllFigures& all, bool is_shortened,
              const std::string& why_none, const std::string& known, ReproductionTest& test) {
  const Figures* better = find_figures(all, test.better, test.metric);
  const Figures* than = find_figures(all, test.than, test.metric);
  if (better == nullptr || than == nullptr) {
    const bool are_run = all.contains(test.better) && all.contains(test.than);
    test.reason = !why_none.empty() ? why_none
                  : are_run         ? kOtherEffort
                                    : "one of the methods was not run";
    return;
  }
  test.verdict = Verdict::kNotJudged;
  const bool more_is_better =
      test.metric.starts_with("accuracy") || test.metric.starts_with("demographic parity ratio");
  const double sign = more_is_better ? 1 : -1;
  std::vector<double> differences;
  const auto tested = [](const Figures& figures) -> const std::vector<double>& {
    return figures.tested.empty() ? figures.values : figures.tested;
  };
  for (size_t i = 0; i < better->values.size(); ++i)
    differences.push_back(sign * (tested(*better)[i] - tested(*than)[i]));
  test.num_seeds = static_cast<int64_t>(differences.size());
  if (!std::ranges::all_of(differences,
                           [](double difference) { return std::isfinite(difference); })) {
    test.reason =
        "a figure is not finite: a run diverged, a group has no test records, or no run is within "
        "the level";
    return;
  }
  test.p_value = signed_rank_test(differences).p_value;
  const double least = std::ldexp(1.0, -static_cast<int>(test.num_seeds));
  if (is_shortened) {
    test.reason = kOtherEffort;
  } else if (test.num_seeds < item.seeds) {
    test.reason = too_few_seeds(test.num_seeds, item.seeds);
  } else if (!(least < kSignificance)) {
    test.reason = fmt::format("with {} seeds p cannot be below {:g}", test.num_seeds, least);
  } else {
    const bool significant = test.p_value < kSignificance;
    test.verdict = significant == test.claimed ? Verdict::kReproduces : Verdict::kDiffers;
    if (test.verdict == Verdict::kDiffers)
      test.reason = known.empty() ? why_differs(item, test) : known;
  }
}

/// Returns whether `is_so` holds for a printed value of a method, published or a target.
template <typename Condition>
bool any_value(const ItemHeader& item,
               std::map<std::string, PrintedValue> ReproductionMethod::*values,
               const Condition& is_so) {
  return std::ranges::any_of(item.methods, [&](const ReproductionMethod& method) {
    return std::any_of((method.*values).begin(), (method.*values).end(),
                       [&](const auto& value) { return is_so(value.second); });
  });
}

}  // namespace

std::vector<ReproductionRow> rows_of(const ReproductionMethod& method,
                                     const std::vector<Figures>& figures, bool is_shortened,
                                     int64_t num_asked) {
  std::vector<ReproductionRow> rows;
  for (const Figures& one : figures) {
    ReproductionRow row = begin_row(method, one);
    const SampleMean sample = sample_mean(one.values);
    row.ours = one.told_by_size ? std::fabs(sample.mean) : sample.mean;
    row.standard_error = sample.standard_error;
    row.num_seeds = static_cast<int64_t>(one.values.size());
    judge(method, is_shortened, num_asked, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ReproductionRow> skipped_rows(const ReproductionMethod& method,
                                          const std::vector<Figures>& figures,
                                          const std::string& reason, bool only_published) {
  std::vector<ReproductionRow> rows;
  for (const Figures& one : figures) {
    ReproductionRow row = begin_row(method, one);
    row.reason = reason;
    if (row.published || !only_published) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ReproductionTest> tests_of(const ItemHeader& item, const AllFigures& all,
                                       bool is_shortened, const std::string& why_none) {
  std::vector<ReproductionTest> tests;
  for (const ReproductionClaim& claim : item.claims) {
    for (const std::string& metric : claim.metrics) {
      for (const std::string& each : tested_metrics(item.groups, metric)) {
        ReproductionTest& test = tests.emplace_back();
        test.better = claim.better;
        test.than = claim.than;
        test.metric = each;
        test.claimed = claim.significant;
        run_test(item, all, is_shortened, why_none, claim.reason, test);
      }
    }
  }
  return tests;
}

std::vector<std::string> rules_of(const ItemHeader& item, const std::string& tested,
                                  const std::string& target) {
  std::vector<std::string> rules;
  const auto is_bound = [](const PrintedValue& value) {
    return value.kind != PrintedValue::Kind::kFigure;
  };
  const auto& published = &ReproductionMethod::published;
  if (any_value(item, published, std::not_fn(is_bound))) {
    rules.push_back(
        fmt::format("reproduces: within {:g} standard errors, the published one and ours combined, "
                    "plus half a unit of the last printed digit; a single printed run is taken to "
                    "vary as ours do",
                    kNumErrors));
  }
  if (any_value(item, published, is_bound)) {
    rules.push_back(fmt::format(
        "a bound reproduces: our mean satisfies it, or is within {:g} of our standard errors of it",
        kNumErrors));
  }
  if (!item.claims.empty()) {
    rules.push_back(
        fmt::format("tests: exact one-sided signed-rank test of pairs with the same seed; "
                    "significant means p < {:g}; {} for each seed",
                    kSignificance, tested));
  }
  if (any_value(item, &ReproductionMethod::target, [](const PrintedValue&) { return true; })) {
    rules.push_back("target: " + target);
    rules.push_back(
        fmt::format("a target is met: within {:g} standard errors, its own and ours combined, plus "
                    "half a unit of its last digit; if its error is not printed but its number of "
                    "runs is known, its runs are assumed to vary as ours do",
                    kNumTargetErrors));
  }
  return rules;
}

Verdict compare_with_published(const PrintedValue& published, double ours, double standard_error) {
  return agrees(published, ours, standard_error, kNumErrors) ? Verdict::kReproduces
                                                             : Verdict::kDiffers;
}

double error_of_printed(const PrintedValue& printed, double standard_error, int64_t num_seeds) {
  if (printed.standard_error > 0 || printed.num_runs == 0) return printed.standard_error;
  return standard_error *
         std::sqrt(static_cast<double>(num_seeds) / static_cast<double>(printed.num_runs));
}

bool meets_target(const PrintedValue& target, double ours, double standard_error) {
  return agrees(target, ours, standard_error, kNumTargetErrors);
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/group_outlook_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/format.h"

namespace equinoise {

namespace {

std::string range_text(const OutlookRanges::Range& range) {
  return range.least == range.most ? fmt::format("{:g}", range.least)
                                   : fmt::format("{:g} to {:g}", range.least, range.most);
}

/// "group difference 0 to 2, residual variance 1, curvature 0.01 to 1".
std::string ranges_text(const OutlookRanges& ranges) {
  return fmt::format("group difference {}, residual variance {}, curvature {}",
                     range_text(ranges.group_difference), range_text(ranges.residual_variance),
                     range_text(ranges.curvature));
}

/// "dpse to 0.0123, decoupled from there on".
std::string ranking_text(const std::vector<RankedRange>& ranking) {
  std::string text;
  for (size_t i = 0; i < ranking.size(); ++i) {
    text += i == 0 ? "" : ", then ";
    text += ranking[i].method;
    if (i + 1 < ranking.size()) text += fmt::format(" up to {:.3g}", ranking[i].to);
  }
  return text;
}

/// What to do, and how far it holds.
std::string recommendation_text(const GroupOutlookReport& outlook) {
  const GroupStrategy& best = outlook.strategies[outlook.best];
  std::string text;
  if (outlook.open_assumptions.empty()) {
    const std::string under =
        outlook.wants_epsilon
            ? fmt::format("for a group difference of {:g}, residual variance {:g}, curvature 1",
                          outlook.group_difference, outlook.residual_variance)
            : fmt::format("everywhere in {}", ranges_text(outlook.ranges));
    text +=
        fmt::format("{} ranks first {}{}\n", best.method, under,
                    outlook.is_difference_given ? "; that groups differ this much is an assumption "
                                                  "made with --group-difference, not a public fact"
                                                : "");
    return text + fmt::format("{}: {}\n",
                              outlook.wants_epsilon ? "Least epsilon" : "Least largest error",
                              best.options);
  }
  text += fmt::format("Which strategy ranks first depends on facts that are not public: {}",
                      fmt::join(outlook.open_assumptions, ", "));
  if (!outlook.ranking.empty()) {
    text += fmt::format(" (compared: {}).\n", ranges_text(outlook.ranges));
    if (outlook.ranking.size() > 1) {
      text += fmt::format("By group difference, with curvature 1 and residual variance {:g}: {}.\n",
                          outlook.residual_variance, ranking_text(outlook.ranking));
    }
  } else {
    text += fmt::format(
        "; the epsilons are those for a difference of {:g}, which was assumed because none was "
        "given.\n",
        outlook.group_difference);
  }
  if (best.part_of_rate) {
    return text +
           fmt::format(
               "{} lowers the largest loss itself, however groups differ, and its "
               "noise allows {:.0f} % of the learning rate. With half or more its largest loss was "
               "0.97 to 1.02 times that of dpsgd on the tables of bench/zoo; on others it may be "
               "worse: {}\n",
               best.method, 100 * *best.part_of_rate, best.options);
  }
  text += fmt::format("{} is as good as any, as far as is known", best.method);
  if (best.privacy.empty())
    return text + ", but no budget reaches the requested error at that difference\n";
  return text + fmt::format(": {}\n", best.options);
}

}  // namespace

TextTable outlook_table(const TrainingReport& report) {
  const GroupOutlookReport& outlook = *report.group_outlook;
  TextTable table{"Expected error of groups, and epsilon", {columns_of(outlook.groups)}, {}};
  for (const GroupStrategy& strategy : outlook.strategies)
    table.head.insert(table.head.end(), {strategy.method, "epsilon"});
  const auto format = [](double value) { return fmt::format("{:.3g}", value); };
  const auto add_row = [&](std::string name, const auto& error_of, const auto& epsilon_of) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(std::move(name));
    for (const GroupStrategy& strategy : outlook.strategies) {
      row.push_back(format(error_of(strategy)));
      row.push_back(strategy.privacy.empty() ? "unreachable" : format(epsilon_of(strategy)));
    }
  };
  for (size_t k = 0; k < outlook.groups.size(); ++k) {
    add_row(
        values_of(outlook.groups[k]),
        [&](const GroupStrategy& strategy) { return strategy.expected[k].total(); },
        [&](const GroupStrategy& strategy) { return strategy.privacy[k].epsilon.value(); });
  }
  const auto add_part = [&](const char* name, double ExpectedError::*part) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.emplace_back(name);
    for (const GroupStrategy& strategy : outlook.strategies) {
      const auto worst = std::max_element(
          strategy.expected.begin(), strategy.expected.end(),
          [](const ExpectedError& a, const ExpectedError& b) { return a.total() < b.total(); });
      row.insert(row.end(), {format((*worst).*part), ""});
    }
  };
  add_row(
      "largest", [](const GroupStrategy& strategy) { return strategy.largest_error(); },
      [](const GroupStrategy& strategy) { return strategy.largest_epsilon(); });
  add_part("due to privacy", &ExpectedError::noise);
  add_part("due to chance", &ExpectedError::sampling);
  add_part("due to other groups", &ExpectedError::difference);
  return table;
}

std::string outlook_to_text(const TrainingReport& report) {
  const GroupOutlookReport& outlook = *report.group_outlook;
  std::string text = fmt::format(
      "Expected squared error of each group above that of the best model of its own, with residual "
      "variance {:g} and groups\nthat differ by {:g} (--residual-variance, --group-difference); "
      "from public facts alone, under the assumptions of\ndocs/guide/choosing-a-method.md\n\n{}\n",
      outlook.residual_variance, outlook.group_difference, to_text(outlook_table(report)));
  if (std::all_of(outlook.strategies.begin(), outlook.strategies.end(),
                  [](const GroupStrategy& strategy) { return strategy.privacy.empty(); })) {
    return text +
           "No budget reaches the requested error: chance and the other groups alone cost more\n";
  }
  for (const StageOnePart& part : outlook.stage_one_parts) {
    text += fmt::format("dpse with --stage1-fraction {:g}: largest error {:.4g}, {}\n",
                        part.fraction, part.largest_error,
                        std::isfinite(part.largest_epsilon)
                            ? fmt::format("epsilon {:.4g}", part.largest_epsilon)
                            : "unreachable at any epsilon");
  }
  for (const GroupStrategy& strategy : outlook.strategies) {
    if (strategy.noise_warning)
      text += fmt::format("{} is not ranked: {}\n", strategy.method, *strategy.noise_warning);
  }
  return text + recommendation_text(outlook);
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/dominance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "equinoise/audit/seed_mean.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

using RunFigure = double CompareRun::*;

/// Whether `row` is significantly lower in a figure.
bool is_clearly_lower(const CompareRow& row, const CompareRow& other, RunFigure figure,
                      double confidence) {
  std::vector<double> differences;
  for (size_t s = 0; s < row.runs.size(); ++s)
    differences.push_back(row.runs[s].*figure - other.runs[s].*figure);
  return mean_over_seeds(differences, confidence).interval.high < 0;
}

/// The counted groups with an undefined error in some run.
std::string undefined_groups(const CompareReport& report, const CompareRow& row) {
  std::vector<GroupLabel> groups;
  for (size_t k = 0; k < row.group_errors.size(); ++k)
    if (report.groups[k].is_counted && !std::isfinite(row.group_errors[k].value))
      groups.push_back(report.groups[k].group);
  return groups.empty() ? "a group" : list_groups(groups);
}

/// The reason why a row with an epsilon cannot be compared, or "".
std::string why_not_compared(const CompareReport& report, const CompareRow& row) {
  if (!row.problem.empty()) return "failed";
  if (!row.weakest) return "has no guarantee";
  if (!std::isfinite(row.overall.value)) return "its error is undefined in some run";
  if (has_counted_group(report) && !std::isfinite(row.worst_group.value))
    return fmt::format("the error of {} is undefined in some run", undefined_groups(report, row));
  if (report.has_constraints && !std::isfinite(row.violation.value))
    return "a constraint is not answerable in some run";
  return "";
}

bool is_comparable(const CompareReport& report, const CompareRow& row) {
  return row.epsilon && why_not_compared(report, row).empty();
}

/// The indices of the compared rows at an epsilon.
std::vector<size_t> compared_at(const CompareReport& report, double epsilon) {
  std::vector<size_t> places;
  for (size_t i = 0; i < report.rows.size(); ++i)
    if (is_comparable(report, report.rows[i]) && *report.rows[i].epsilon == epsilon)
      places.push_back(i);
  return places;
}

std::vector<double> epsilons_of(const CompareReport& report) {
  std::vector<double> epsilons;
  for (const CompareRow& row : report.rows)
    if (row.epsilon && std::ranges::count(epsilons, *row.epsilon) == 0)
      epsilons.push_back(*row.epsilon);
  return epsilons;
}

double confidence_of_each(const CompareReport& report) {
  return 1 -
         kCompareSignificance / static_cast<double>(std::max<int64_t>(report.num_comparisons, 1));
}

/// Whether the constraint violation of `row` is not larger than that of `other`, or not above 0.
bool is_no_further_over(const CompareRow& row, const CompareRow& other) {
  return row.violation.value <= std::max(other.violation.value, 0.0);
}

/// Whether the guarantee of `row` is at least as strong as that of `other`, including groups that
/// are not protected.
bool is_as_private(const CompareRow& row, const CompareRow& other) {
  return row.weakest->epsilon.value() <= other.weakest->epsilon.value() * (1 + kSamePrivacy) &&
         std::ranges::all_of(row.public_groups, [&](const auto& column) {
           return std::ranges::count(other.public_groups, column) > 0;
         });
}

/// Whether `row` would dominate `other` with an equal guarantee.
bool has_better_figures(const CompareReport& report, const CompareRow& row,
                        const CompareRow& other) {
  if (!(row.overall.value <= other.overall.value)) return false;
  const bool has_worst = has_counted_group(report);
  if (has_worst && !(row.worst_group.value <= other.worst_group.value)) return false;
  if (report.has_constraints && !is_no_further_over(row, other)) return false;
  const double confidence = confidence_of_each(report);
  return is_clearly_lower(row, other, &CompareRun::overall, confidence) ||
         (has_worst && is_clearly_lower(row, other, &CompareRun::worst_group, confidence));
}

bool dominates(const CompareReport& report, const CompareRow& row, const CompareRow& other) {
  return is_as_private(row, other) && has_better_figures(report, row, other);
}

/// "; x has better figures than all others, but y has the stronger privacy (epsilon 0.9)" for a row
/// that would dominate all others but for its guarantee, or "".
std::string held_back_by_privacy(const CompareReport& report, const std::vector<size_t>& places) {
  const auto best = std::ranges::find_if(places, [&](size_t i) {
    return std::ranges::all_of(places, [&](size_t j) {
      return i == j || has_better_figures(report, report.rows[i], report.rows[j]);
    });
  });
  if (best == places.end()) return "";
  std::vector<std::string> names;
  for (const size_t j : places) {
    const CompareRow& other = report.rows[j];
    if (j == *best || is_as_private(report.rows[*best], other)) continue;
    names.push_back(
        fmt::format("{} (epsilon {})", name_of_row(other), format_epsilon(other.weakest)));
  }
  const CompareRow& row = report.rows[*best];
  return fmt::format(
      "; {} (epsilon {}) has better figures than all others, but protects less than {}",
      name_of_row(row), format_epsilon(row.weakest), fmt::join(names, ", "));
}

std::string figure_text(const CompareReport& report, double value) {
  return report.is_share ? format_percent(value) + " %" : format_amount(value);
}

/// The reason why no row is recommended, if several were compared.
std::string why_none(const CompareReport& report, const std::vector<size_t>& places) {
  const auto least = [&](Estimate CompareRow::*figure) {
    return *std::ranges::min_element(places, [&](size_t a, size_t b) {
      return (report.rows[a].*figure).value < (report.rows[b].*figure).value;
    });
  };
  const auto num_left =
      std::ranges::count_if(places, [&](size_t i) { return report.rows[i].dominated == false; });
  const CompareRow& overall = report.rows[least(&CompareRow::overall)];
  std::string text = fmt::format(
      "no method is clearly better: of {} compared, {} {} not dominated, and none of these "
      "dominates all others; the smallest overall error is {} ({})",
      places.size(), num_left, num_left == 1 ? "is" : "are",
      figure_text(report, overall.overall.value), name_of_row(overall));
  if (has_counted_group(report)) {
    const CompareRow& worst = report.rows[least(&CompareRow::worst_group)];
    text += fmt::format(", the smallest error of the worst group {} ({})",
                        figure_text(report, worst.worst_group.value), name_of_row(worst));
  }
  return text + "; more seeds, or fewer methods, may show smaller differences" +
         held_back_by_privacy(report, places);
}

/// "; not compared: ..." for the rows at an epsilon with an undefined figure, or "".
std::string not_compared(const CompareReport& report, double epsilon) {
  std::map<std::string, std::vector<std::string>> names;  // by reason
  for (const CompareRow& row : report.rows) {
    if (row.epsilon == epsilon && !is_comparable(report, row))
      names[why_not_compared(report, row)].push_back(name_of_row(row));
  }
  std::vector<std::string> parts;
  for (const auto& [reason, rows] : names)
    parts.push_back(fmt::format("{} ({})", fmt::join(rows, ", "), reason));
  return parts.empty() ? "" : fmt::format("; not compared: {}", fmt::join(parts, ", "));
}

CompareAdvice advise_of_compared(const CompareReport& report, double epsilon) {
  CompareAdvice advice{epsilon, {}, {}};
  const std::vector<size_t> places = compared_at(report, epsilon);
  if (places.size() < 2) {
    advice.sentence = fmt::format("no method is recommended: there are figures of {}",
                                  places.empty() ? "none" : "one method only");
    return advice;
  }
  if (report.num_seeds < 2) {
    advice.sentence =
        "no method is clearly better: one seed does not show what is chance; compare with several "
        "--seeds";
    return advice;
  }
  const auto dominates_all = [&](size_t i) {
    return std::ranges::all_of(places, [&](size_t j) {
      return i == j || dominates(report, report.rows[i], report.rows[j]);
    });
  };
  const auto best = std::ranges::find_if(places, dominates_all);
  if (best == places.end()) {
    advice.sentence = why_none(report, places);
    return advice;
  }
  const CompareRow& row = report.rows[*best];
  if (row.overall.value >= report.constant.value) {
    advice.sentence =
        fmt::format("no method is recommended: none has a smaller overall error than {} ({})",
                    report.baseline, figure_text(report, report.constant.value));
    return advice;
  }
  if (report.has_constraints && !(row.violation.value <= 0)) {
    advice.sentence = fmt::format(
        "no method is recommended: {} dominates all others, but is over the slack of a constraint "
        "by {:.3f} on average",
        name_of_row(row), row.violation.value);
    return advice;
  }
  advice.row = *best;
  advice.sentence = fmt::format(
      "{} is recommended: with an equal or smaller epsilon it has no larger mean error than {}, "
      "overall ({}){}, and a significantly smaller one {}{}",
      name_of_row(row),
      places.size() == 2 ? "the other one"
                         : fmt::format("each of the {} others", places.size() - 1),
      figure_text(report, row.overall.value),
      has_counted_group(report)
          ? fmt::format(" and in the worst group ({})", figure_text(report, row.worst_group.value))
          : "",
      has_counted_group(report) ? "in one of the two" : "overall",
      report.has_constraints ? "; on average it keeps the constraints" : "");
  if (!report.groups.empty() && !has_counted_group(report)) {
    advice.sentence += fmt::format(
        "; this rests on overall error alone, since no group has the {} {} that it takes to be "
        "judged",
        report.min_records, report.judged);
  }
  return advice;
}

CompareAdvice advise(const CompareReport& report, double epsilon) {
  CompareAdvice advice = advise_of_compared(report, epsilon);
  advice.sentence += not_compared(report, epsilon);
  return advice;
}

}  // namespace

void mark_dominated(CompareReport& report) {
  const std::vector<double> epsilons = epsilons_of(report);
  const int64_t num_figures = has_counted_group(report) ? 2 : 1;
  for (CompareRow& row : report.rows) {
    row.dominated.reset();
    row.dominated_by.clear();
  }
  report.num_comparisons = 0;
  // A single seed cannot separate differences from chance.
  if (report.num_seeds < 2) return;
  for (const double epsilon : epsilons) {
    const int64_t count = std::ssize(compared_at(report, epsilon));
    report.num_comparisons += num_figures * count * (count - 1) / 2;
  }
  for (const double epsilon : epsilons) {
    const std::vector<size_t> places = compared_at(report, epsilon);
    for (const size_t i : places) {
      CompareRow& row = report.rows[i];
      const auto better = std::ranges::find_if(
          places, [&](size_t j) { return i != j && dominates(report, report.rows[j], row); });
      row.dominated = better != places.end();
      row.dominated_by = *row.dominated ? name_of_row(report.rows[*better]) : "";
    }
  }
}

void recommend(CompareReport& report) {
  report.advice.clear();
  if (!report.is_public) return;
  for (const double epsilon : epsilons_of(report)) report.advice.push_back(advise(report, epsilon));
}

}  // namespace equinoise

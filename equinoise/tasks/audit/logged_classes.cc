// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/logged_classes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/values/missing_marks.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/parse_truth.h"

namespace equinoise {

namespace {

[[noreturn]] void refuse_classes(std::string_view problem) {
  throw Error(ErrorKind::kUsage, "tasks.audit", problem);
}

/// The number of classes, their names, and advice about missing-value marks among them: "3 classes:
/// NA, no, yes; if 'NA' marks ...".
std::string list_of_classes(const AuditRequest& request, const std::vector<std::string>& classes) {
  constexpr size_t kMaxNamed = 10;
  const auto named = std::span(classes).first(std::min(classes.size(), kMaxNamed));
  return fmt::format("{} classes: {}{}{}", classes.size(), fmt::join(named, ", "),
                     classes.size() > kMaxNamed ? " and others" : "",
                     advice_on_classes(request, classes));
}

/// Refuses predictions of other classes than those that occur, because figures would then be
/// meaningless: different spellings, codes or marks of missing cells.
void check_predicted(const AuditRequest& request, const std::vector<std::string>& outcomes,
                     const LearntColumns::Column& prediction) {
  const auto is_outcome = [&](const std::string& text) {
    if (outcomes.size() == 1 && text == request.positive) return true;
    return std::any_of(outcomes.begin(), outcomes.end(), [&](const std::string& outcome) {
      const std::optional<double> number = parse_number(outcome);
      return outcome == text || (number && number == parse_number(text));
    });
  };
  const std::vector<std::string>& predicted = prediction.values;
  const auto num_known = std::count_if(predicted.begin(), predicted.end(), is_outcome);
  const auto num_unknown = std::ssize(predicted) - num_known;
  const bool is_other_class = outcomes.size() == 1 && num_unknown == 1;
  if (num_unknown == 0 || (num_known > 0 && (outcomes.size() > 2 || is_other_class))) return;
  refuse_classes(fmt::format(
      "{} of the {} values that column '{}' predicts never {} in '{}'; if they mark "
      "missing predictions, list them with --na; if they are written in another way, "
      "write both columns alike; if they are labels, or classes that did not happen, give "
      "the --schema that lists them{}",
      num_unknown, predicted.size(), request.prediction, num_unknown == 1 ? "stands" : "stand",
      request.target, advice_on_marks(outcomes)));
}

/// Whether all values are numbers, except those that look like marks of missing cells.
bool are_numbers_but_marks(const LearntColumns::Column& column) {
  const auto is_number = [](const std::string& text) { return parse_number(text).has_value(); };
  return std::any_of(column.values.begin(), column.values.end(), is_number) &&
         std::all_of(column.values.begin(), column.values.end(), [&](const std::string& text) {
           return is_number(text) || is_usual_missing_mark(text);
         });
}

}  // namespace

std::string advice_on_classes(const AuditRequest& request,
                              const std::vector<std::string>& classes) {
  return request.schema_path.empty() ? advice_on_marks(classes) : "";
}

void order_classes(const AuditRequest& request, ColumnSchema& target) {
  if (target.values.size() != 2) {
    refuse_classes(fmt::format("--positive is for a target with two classes; '{}' has {}",
                               target.name, list_of_classes(request, target.values)));
  }
  // No label is the code of another category, so a text of either kind names one class.
  for (const std::vector<std::string>* texts : {&target.values, &target.cell_texts}) {
    const auto positive = std::find(texts->begin(), texts->end(), request.positive);
    if (positive == texts->end()) continue;
    if (positive != texts->begin()) return;
    std::reverse(target.values.begin(), target.values.end());
    std::reverse(target.cell_texts.begin(), target.cell_texts.end());
    return;
  }
  refuse_classes(
      fmt::format("--positive names no class of '{}'; write it as it stands in the table or in "
                  "the schema",
                  target.name));
}

std::vector<std::string> learnt_classes(const AuditRequest& request,
                                        const LearntColumns::Column& target,
                                        const LearntColumns::Column* prediction,
                                        const std::vector<std::string>& known) {
  std::vector<std::string> outcomes = target.values;
  if (!known.empty()) {
    outcomes.insert(outcomes.end(), known.begin(), known.end());
    outcomes = distinct_values(std::move(outcomes));
  }
  std::vector<std::string> classes = outcomes;
  const auto is_truth = [](const std::string& text) { return parse_truth(text).has_value(); };
  const bool predicts_truths =
      prediction == nullptr ||
      std::all_of(prediction->values.begin(), prediction->values.end(), is_truth);
  // If one truth value occurs alone, the other one is known as well.
  const auto add_other_truth = [&] {
    std::vector<std::string> others;
    if (prediction != nullptr) others = prediction->values;
    others.insert(others.end(),
                  {"0", "1", "no", "yes", "n", "y", "false", "true", "f", "t", "off", "on"});
    const auto other = std::find_if(others.begin(), others.end(), [&](const std::string& text) {
      return are_truth_pair(classes[0], text);
    });
    if (other != others.end()) classes.push_back(*other);
  };
  if (classes.size() == 1 && predicts_truths) add_other_truth();
  const bool reads_as_target =
      predicts_truths && classes.size() == 2 && are_truth_pair(classes[0], classes[1]);
  if (prediction != nullptr) {
    if (!reads_as_target)
      classes.insert(classes.end(), prediction->values.begin(), prediction->values.end());
    classes = distinct_values(std::move(classes));
  }
  const bool is_numeric =
      are_numbers_but_marks(target) && (prediction == nullptr || prediction->are_numbers);
  const auto is_fraction = [](const std::string& text) {
    const double number = parse_number(text).value_or(0);
    return number != std::floor(number);
  };
  const bool predicts_fractions = std::any_of(classes.begin(), classes.end(), is_fraction) &&
                                  std::none_of(outcomes.begin(), outcomes.end(), is_fraction);
  if (is_numeric && target.is_complete && outcomes.size() <= kMaxLearntClasses &&
      !request.target_kind && classes.size() > outcomes.size() &&
      (classes.size() > 2 || predicts_fractions)) {
    refuse_classes(
        fmt::format("column '{}' predicts numbers that never stand in '{}'; if they are scores or "
                    "probabilities, name the column with --score or --probability instead of "
                    "--prediction; else say with --target-type whether '{}' is a class or a "
                    "number{}",
                    request.prediction, request.target, request.target, advice_on_marks(outcomes)));
  }
  const bool are_all_known = target.is_complete &&
                             (prediction == nullptr || prediction->is_complete) &&
                             classes.size() <= kMaxLearntClasses;
  if (prediction != nullptr && are_all_known && !reads_as_target)
    check_predicted(request, outcomes, *prediction);
  if (!are_all_known) {
    refuse_classes(
        fmt::format("'{}' and its predictions have more than {} different values; if they are "
                    "numbers, give --target-type number, else a --schema{}",
                    request.target, kMaxLearntClasses, advice_on_marks(target.values)));
  }
  if (classes.empty()) {
    throw Error(
        ErrorKind::kInput, "tasks.audit",
        fmt::format("{}: column '{}' has no values", request.predictions.name(), request.target));
  }
  if (classes.size() == 1) {
    add_other_truth();
    if (classes.size() == 1 && !request.positive.empty() && request.positive != classes[0])
      classes.push_back(request.positive);
    if (classes.size() == 1) {
      refuse_classes(
          fmt::format("'{}' has a single value; give a --schema that lists its classes, or the "
                      "other class with --positive",
                      request.target));
    }
  }
  if (!request.positive.empty()) {
    ColumnSchema ordered;
    ordered.name = request.target;
    ordered.values = std::move(classes);
    order_classes(request, ordered);
    return ordered.values;
  }
  if (classes.size() == 2) {
    if (!are_truth_pair(classes[0], classes[1])) {
      refuse_classes(
          fmt::format("'{}' has two classes, {} and {}; say with --positive which one is the "
                      "positive one{}",
                      request.target, classes[0], classes[1], advice_on_marks(classes)));
    }
    if (*parse_truth(classes[0])) std::swap(classes[0], classes[1]);
  }
  return classes;
}

bool is_usual_missing_mark(std::string_view text) {
  return std::find(kUsualMissingMarks.begin(), kUsualMissingMarks.end(), text) !=
         kUsualMissingMarks.end();
}

std::string na_option(std::string_view mark) { return fmt::format("--na '{}'", mark); }

std::string advice_on_marks(const std::vector<std::string>& outcomes) {
  std::vector<std::string> marks;
  std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(marks), is_usual_missing_mark);
  if (marks.empty()) return "";
  std::vector<std::string> options;
  for (const std::string& mark : marks) options.push_back(na_option(mark));
  return fmt::format("; if '{}' {}, give {}", fmt::join(marks, "', '"),
                     marks.size() == 1 ? "marks a missing outcome" : "mark missing outcomes",
                     fmt::join(options, " "));
}

}  // namespace equinoise

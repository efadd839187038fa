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
#include "equinoise/base/lists.h"
#include "equinoise/data/values/missing_marks.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/parse_truth.h"

namespace equinoise {

namespace {

constexpr Refusal refuse_classes{ErrorKind::kUsage, "tasks.audit"};

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
    return std::ranges::any_of(outcomes, [&](const std::string& outcome) {
      const std::optional<double> number = parse_number(outcome);
      return outcome == text || (number && number == parse_number(text));
    });
  };
  const std::vector<std::string>& predicted = prediction.values;
  const auto num_known = std::ranges::count_if(predicted, is_outcome);
  const auto num_unknown = std::ssize(predicted) - num_known;
  const bool is_other_class = outcomes.size() == 1 && num_unknown == 1;
  if (num_unknown == 0 || (num_known > 0 && (outcomes.size() > 2 || is_other_class))) return;
  refuse_classes(
      "{} of the {} values that column '{}' predicts never {} in '{}'; if they mark "
      "missing predictions, list them with --na; if they are written in another way, "
      "write both columns alike; if they are labels, or classes that did not happen, give "
      "the --schema that lists them{}",
      num_unknown, predicted.size(), request.prediction, num_unknown == 1 ? "stands" : "stand",
      request.target, advice_on_marks(outcomes));
}

/// Whether all values are numbers, except those that look like marks of missing cells.
bool are_numbers_but_marks(const LearntColumns::Column& column) {
  const auto is_number = [](const std::string& text) { return parse_number(text).has_value(); };
  return std::ranges::any_of(column.values, is_number) &&
         std::ranges::all_of(column.values, [&](const std::string& text) {
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
    refuse_classes("--positive is for a target with two classes; '{}' has {}", target.name,
                   list_of_classes(request, target.values));
  }
  // No label is the code of another category, so a text of either kind names one class.
  for (const std::vector<std::string>* texts : {&target.values, &target.cell_texts}) {
    const auto positive = std::ranges::find(*texts, request.positive);
    if (positive == texts->end()) continue;
    if (positive != texts->begin()) return;
    std::ranges::reverse(target.values);
    std::ranges::reverse(target.cell_texts);
    return;
  }
  refuse_classes(
      "--positive names no class of '{}'; write it as it stands in the table or in "
      "the schema",
      target.name);
}

std::vector<std::string> learnt_classes(const AuditRequest& request,
                                        const LearntColumns::Column& target,
                                        const LearntColumns::Column* prediction,
                                        const std::vector<std::string>& known) {
  std::vector<std::string> outcomes = target.values;
  if (!known.empty()) {
    append(outcomes, known);
    outcomes = distinct_values(std::move(outcomes));
  }
  std::vector<std::string> classes = outcomes;
  const auto is_truth = [](const std::string& text) { return parse_truth(text).has_value(); };
  const bool predicts_truths =
      prediction == nullptr || std::ranges::all_of(prediction->values, is_truth);
  // The other truth value is known as well if one occurs alone.
  const auto add_other_truth = [&] {
    std::vector<std::string> others;
    if (prediction != nullptr) others = prediction->values;
    others.insert(others.end(),
                  {"0", "1", "no", "yes", "n", "y", "false", "true", "f", "t", "off", "on"});
    const auto other = std::ranges::find_if(
        others, [&](const std::string& text) { return are_truth_pair(classes[0], text); });
    if (other != others.end()) classes.push_back(*other);
  };
  if (classes.size() == 1 && predicts_truths) add_other_truth();
  const bool reads_as_target =
      predicts_truths && classes.size() == 2 && are_truth_pair(classes[0], classes[1]);
  if (prediction != nullptr) {
    if (!reads_as_target) append(classes, prediction->values);
    classes = distinct_values(std::move(classes));
  }
  const bool is_numeric =
      are_numbers_but_marks(target) && (prediction == nullptr || prediction->are_numbers);
  const auto is_fraction = [](const std::string& text) {
    const double number = parse_number(text).value_or(0);
    return number != std::floor(number);
  };
  const bool predicts_fractions =
      std::ranges::any_of(classes, is_fraction) && std::ranges::none_of(outcomes, is_fraction);
  if (is_numeric && target.is_complete && outcomes.size() <= kMaxLearntClasses &&
      !request.target_kind && classes.size() > outcomes.size() &&
      (classes.size() > 2 || predicts_fractions)) {
    refuse_classes(
        "column '{}' predicts numbers that never stand in '{}'; if they are scores or "
        "probabilities, name the column with --score or --probability instead of "
        "--prediction; else say with --target-type whether '{}' is a class or a "
        "number{}",
        request.prediction, request.target, request.target, advice_on_marks(outcomes));
  }
  const bool are_all_known = target.is_complete &&
                             (prediction == nullptr || prediction->is_complete) &&
                             classes.size() <= kMaxLearntClasses;
  if (prediction != nullptr && are_all_known && !reads_as_target)
    check_predicted(request, outcomes, *prediction);
  if (!are_all_known) {
    refuse_classes(
        "'{}' and its predictions have more than {} different values; if they are "
        "numbers, give --target-type number, else a --schema{}",
        request.target, kMaxLearntClasses, advice_on_marks(target.values));
  }
  if (classes.empty()) {
    throw Error(ErrorKind::kInput, "tasks.audit", "{}: column '{}' has no values",
                request.predictions.name(), request.target);
  }
  if (classes.size() == 1) {
    add_other_truth();
    if (classes.size() == 1 && !request.positive.empty() && request.positive != classes[0])
      classes.push_back(request.positive);
    if (classes.size() == 1) {
      refuse_classes(
          "'{}' has a single value; give a --schema that lists its classes, or the "
          "other class with --positive",
          request.target);
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
          "'{}' has two classes, {} and {}; say with --positive which one is the "
          "positive one{}",
          request.target, classes[0], classes[1], advice_on_marks(classes));
    }
    if (*parse_truth(classes[0])) std::swap(classes[0], classes[1]);
  }
  return classes;
}

bool is_usual_missing_mark(std::string_view text) { return contains(kUsualMissingMarks, text); }

std::string na_option(std::string_view mark) { return fmt::format("--na '{}'", mark); }

std::string advice_on_marks(const std::vector<std::string>& outcomes) {
  std::vector<std::string> marks;
  std::ranges::copy_if(outcomes, std::back_inserter(marks), is_usual_missing_mark);
  if (marks.empty()) return "";
  std::vector<std::string> options;
  for (const std::string& mark : marks) options.push_back(na_option(mark));
  return fmt::format("; if '{}' {}, give {}", fmt::join(marks, "', '"),
                     marks.size() == 1 ? "marks a missing outcome" : "mark missing outcomes",
                     fmt::join(options, " "));
}

}  // namespace equinoise

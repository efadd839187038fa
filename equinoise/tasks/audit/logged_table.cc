// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/logged_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <span>

#include "equinoise/base/error.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/rate_contexts.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/learnt_columns.h"
#include "equinoise/data/table.h"
#include "equinoise/data/undescribed_table.h"
#include "equinoise/data/units.h"
#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/audit/class_probabilities.h"
#include "equinoise/tasks/audit/missing_marks.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/record_weights.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.audit";
constexpr size_t kMaxLearntClasses = 100;
constexpr size_t kMaxLearntGroups = 1000;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kAnyNumber = std::numeric_limits<double>::max();

[[noreturn]] void refuse_table(ErrorKind kind, std::string_view message) {
  throw Error(kind, kWhere, message);
}

const std::string& scores_of(const LoggedTableRequest& request) {
  return request.probability.empty() ? request.score : request.probability;
}

bool has_class_scores(const LoggedTableRequest& request) {
  return !scores_of(request).empty() || !request.probabilities.empty();
}

bool has_constraints(const LoggedTableRequest& request) {
  return !request.constraints.empty() || !request.constraints_path.empty();
}

/// The columns of probabilities that are asked for, or those of `equinoise predict`; nothing where
/// others are named instead.
std::optional<ProbabilityColumns> probability_columns(const LoggedTableRequest& request) {
  if (!scores_of(request).empty()) return std::nullopt;
  return request.probabilities.empty() ? ProbabilityColumns()
                                       : ProbabilityColumns(request.probabilities);
}

/// What to do about outcomes that look like marks of missing cells; a schema lists its own.
std::string advice_on_classes(const LoggedTableRequest& request,
                              const std::vector<std::string>& classes) {
  return request.schema_path.empty() ? advice_on_marks(classes) : "";
}

/// How many classes there are, which, and what to do about marks among them: "3 classes: NA, no,
/// yes; if 'NA' marks ...".
std::string list_of_classes(const LoggedTableRequest& request,
                            const std::vector<std::string>& classes) {
  constexpr size_t kMostNamed = 10;
  const auto named = std::span(classes).first(std::min(classes.size(), kMostNamed));
  return fmt::format("{} classes: {}{}{}", classes.size(), fmt::join(named, ", "),
                     classes.size() > kMostNamed ? " and others" : "",
                     advice_on_classes(request, classes));
}

/// A column of numbers as they stand. A cell that is none is dropped only to be refused once the
/// table is read, see check_are_numbers.
ColumnSchema number_column(std::string name) {
  ColumnSchema column;
  column.name = std::move(name);
  column.type = ColumnType::kNumeric;
  column.feature = false;
  column.may_have_point = true;  // as other programs write numbers
  column.malformed = MalformedPolicy::kDrop;
  column.lower = -kAnyNumber;
  column.upper = kAnyNumber;
  return column;
}

ColumnSchema category_column(std::string name, std::vector<std::string> values) {
  ColumnSchema column;
  column.name = std::move(name);
  column.feature = false;
  column.values = std::move(values);
  return column;
}

/// Puts a column in the place of the one of its name, or at the end.
void put(Schema& schema, ColumnSchema column) {
  const auto place = std::find_if(schema.columns.begin(), schema.columns.end(),
                                  [&](const ColumnSchema& own) { return own.name == column.name; });
  if (place == schema.columns.end()) {
    schema.columns.push_back(std::move(column));
  } else {
    *place = std::move(column);
  }
}

/// Moves the positive class of a target to the end, and the text of its cells with it.
void order_classes(const LoggedTableRequest& request, ColumnSchema& target) {
  if (target.values.size() != 2) {
    refuse_table(ErrorKind::kUsage,
                 fmt::format("--positive is for a target with two classes; '{}' has {}",
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
  refuse_table(
      ErrorKind::kUsage,
      fmt::format("--positive names no class of '{}'; write it as it stands in the table or in "
                  "the schema",
                  target.name));
}

/// Refuses predictions that are other classes than those that occur, since figures of the two would
/// say nothing: a spelling, a code or a mark of missing cells of its own.
void check_predicted(const LoggedTableRequest& request, const std::vector<std::string>& outcomes,
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
  refuse_table(
      ErrorKind::kUsage,
      fmt::format(
          "{} of the {} values that column '{}' predicts never {} in '{}'; if they mark "
          "missing predictions, list them with --na; if they are written in another way, "
          "write both columns alike; if they are labels, or classes that did not happen, give "
          "the --schema that lists them{}",
          num_unknown, predicted.size(), request.prediction, num_unknown == 1 ? "stands" : "stand",
          request.target, advice_on_marks(outcomes)));
}

/// Whether all values are numbers, but for those that look like marks of missing cells.
bool are_numbers_but_marks(const LearntColumns::Column& column) {
  const auto is_number = [](const std::string& text) { return parse_number(text).has_value(); };
  return std::any_of(column.values.begin(), column.values.end(), is_number) &&
         std::all_of(column.values.begin(), column.values.end(), [&](const std::string& text) {
           return is_number(text) || is_usual_missing_mark(text);
         });
}

/// The classes that occur or have probabilities, `known`; of two with the positive one at the end.
std::vector<std::string> learnt_classes(const LoggedTableRequest& request,
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
  // The other one of a single truth value never happens, but is known.
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
    refuse_table(
        ErrorKind::kUsage,
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
    refuse_table(
        ErrorKind::kUsage,
        fmt::format("'{}' and its predictions have more than {} different values; if they are "
                    "numbers, give --target-type number, else a --schema{}",
                    request.target, kMaxLearntClasses, advice_on_marks(target.values)));
  }
  if (classes.empty()) {
    refuse_table(ErrorKind::kInput,
                 fmt::format("{}: column '{}' has no values", request.data.name(), request.target));
  }
  if (classes.size() == 1) {
    add_other_truth();
    if (classes.size() == 1 && !request.positive.empty() && request.positive != classes[0])
      classes.push_back(request.positive);
    if (classes.size() == 1) {
      refuse_table(
          ErrorKind::kUsage,
          fmt::format("'{}' has a single value; give a --schema that lists its classes, or the "
                      "other class with --positive",
                      request.target));
    }
  }
  if (!request.positive.empty()) {
    ColumnSchema ordered = category_column(request.target, std::move(classes));
    order_classes(request, ordered);
    return ordered.values;
  }
  if (classes.size() == 2) {
    if (!are_truth_pair(classes[0], classes[1])) {
      refuse_table(
          ErrorKind::kUsage,
          fmt::format("'{}' has two classes, {} and {}; say with --positive which one is the "
                      "positive one{}",
                      request.target, classes[0], classes[1], advice_on_marks(classes)));
    }
    if (*parse_truth(classes[0])) std::swap(classes[0], classes[1]);
  }
  return classes;
}

/// The columns of a table without a schema that constraints may name.
std::vector<std::string> possible_attributes(const LoggedTableRequest& request) {
  const std::set<std::string> others = {request.target, request.prediction, scores_of(request),
                                        request.weight};
  const OpenTable table = open_undescribed(request.data, request.table);
  std::vector<std::string> names;
  std::set<std::string> repeated;
  for (size_t i = 0; i < table.reader->header().size(); ++i) {
    const std::string& name = table.reader->header()[i];
    repeated.insert(table.reader->repeated_name(i));
    if (!name.empty() && others.count(name) == 0 && table.reader->is_readable(i))
      names.push_back(name);
  }
  std::erase_if(names, [&](const std::string& name) { return repeated.count(name) != 0; });
  return names;
}

/// The classes that a table without a schema has columns of probabilities for. Those of `equinoise
/// predict` are taken where there are several and every class that occurs has one.
std::vector<std::string> classes_with_probabilities(const LoggedTableRequest& request,
                                                    const std::vector<std::string>& header,
                                                    const LearntColumns::Column& target,
                                                    const LearntColumns::Column* prediction) {
  const std::optional<ProbabilityColumns> columns = probability_columns(request);
  if (!columns) return {};
  std::vector<std::string> known = columns->classes_in(header);
  if (!request.probabilities.empty()) return known;
  std::vector<std::string> all = target.values;
  if (prediction != nullptr)
    all.insert(all.end(), prediction->values.begin(), prediction->values.end());
  all.insert(all.end(), known.begin(), known.end());
  const std::vector<std::string> found =
      columns->columns_of(category_column(request.target, distinct_values(std::move(all))), header);
  const bool are_all_there = std::find(found.begin(), found.end(), "") == found.end();
  return known.size() > 2 && are_all_there ? known : std::vector<std::string>();
}

/// What a table without a schema seems to hold.
Schema learnt_schema(const LoggedTableRequest& request) {
  Schema schema;
  schema.dataset = std::filesystem::path(request.data.name()).stem().string();
  schema.target = request.target;
  schema.missing_values.insert(schema.missing_values.end(), request.table.missing_values.begin(),
                               request.table.missing_values.end());
  const bool is_number = request.target_kind == LoggedTarget::kNumber;
  std::vector<std::string> names = {request.target};
  const bool predicts_class = !request.prediction.empty() && !is_number;
  if (predicts_class) names.push_back(request.prediction);
  std::set<std::string> group_names;
  for (const std::vector<std::string>& columns : request.groupings)
    group_names.insert(columns.begin(), columns.end());
  const size_t first_group = names.size();
  names.insert(names.end(), group_names.begin(), group_names.end());
  const size_t first_attribute = names.size();
  if (has_constraints(request)) {
    for (std::string& name : possible_attributes(request))
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
  }

  const LearntColumns learnt =
      learn_columns(request.data, request.table, schema.missing_values, names, kMaxLearntGroups);
  schema.layout = learnt.layout;
  for (const std::string& name : learnt.repeated_names) {
    const bool is_group = group_names.count(name) != 0;
    if (!is_group && name != request.target && name != request.prediction &&
        name != scores_of(request) && name != request.weight)
      continue;
    refuse_table(ErrorKind::kInput,
                 fmt::format("{}: the header names column '{}' twice, so it does not say which one "
                             "is meant; give each a name of its own",
                             request.data.name(), name));
  }
  for (const std::string& name : learnt.header) {
    if (name.empty() && schema.layout.has_header) continue;
    ColumnSchema column;
    column.name = name;
    column.type = ColumnType::kIgnored;
    schema.columns.push_back(std::move(column));
  }
  for (size_t i = first_group; i < names.size(); ++i) {
    const LearntColumns::Column& column = learnt.columns[i];
    if (!column.is_complete && i >= first_attribute) continue;
    if (!column.is_complete) {
      refuse_table(
          ErrorKind::kUsage,
          fmt::format("--groups: column '{}' has more than {} different values; declare groups in "
                      "a --schema, of numbers as bands in [groups.NAME]",
                      column.name, kMaxLearntGroups));
    }
    ColumnSchema group = category_column(column.name, column.texts);
    const bool may_be_missing =
        std::find(column.texts.begin(), column.texts.end(), "missing") == column.texts.end();
    if (column.has_missing && may_be_missing) group.missing = MissingPolicy::kCategory;
    put(schema, std::move(group));
  }
  if (is_number) {
    put(schema, number_column(request.target));
    return schema;
  }
  const LearntColumns::Column* prediction = predicts_class ? &learnt.columns[1] : nullptr;
  const std::vector<std::string> known =
      classes_with_probabilities(request, learnt.header, learnt.columns[0], prediction);
  put(schema, category_column(request.target,
                              learnt_classes(request, learnt.columns[0], prediction, known)));
  return schema;
}

/// The schema, laid out as equinoise predict writes tables if the header is not that of the table
/// which the schema describes.
Schema with_layout_of_table(const LoggedTableRequest& request, Schema schema) {
  if (request.table.delimiter || request.table.has_header) return schema;
  Schema usual = schema;
  usual.layout = {.delimiter = ',', .decimal_comma = schema.layout.decimal_comma};
  const bool is_usual = !header_fits(request.data, schema) && header_fits(request.data, usual);
  return is_usual ? usual : schema;
}

/// The constraints of a request about a table of that schema, if it has some. Columns of
/// predictions are no attributes.
void compile_logged(const LoggedTableRequest& request, Schema schema, LoggedDescription& out) {
  if (!has_constraints(request)) return;
  std::erase_if(schema.columns, [&](const ColumnSchema& column) {
    return column.name != schema.target &&
           (column.name == request.prediction || column.name == scores_of(request));
  });
  const ConstraintDomain domain = constraint_domain(schema);
  out.constraints = compile_constraints(
      domain, gather_constraints(request.constraints_path, request.constraints, domain), out.notes);
}

/// The columns that constraints look at.
std::set<std::string> constrained_columns(const std::optional<RateProgram>& constraints,
                                          const Schema& schema) {
  std::set<std::string> columns;
  if (!constraints) return columns;
  for (const std::string& name : constraints->attributes) {
    const GroupAttribute* attribute = schema.find_group_attribute(name);
    columns.insert(attribute == nullptr ? name : attribute->column);
  }
  return columns;
}

/// Reads no column but these.
void ignore_others(const std::set<std::string>& needed, Schema& schema) {
  for (ColumnSchema& column : schema.columns)
    if (needed.count(column.name) == 0) column.type = ColumnType::kIgnored;
}

/// The target and the columns of groups and constraints, as the schema describes them; no other is
/// read.
LoggedDescription described_schema(const LoggedTableRequest& request) {
  SchemaFile file;
  file.path = request.schema_path;
  file.table = request.table;
  file.sizes = SizesRule::kMayBePrivate;
  if (file.path.extension() == ".json") file.target = request.target;
  Schema schema = load_schema(file);
  require_rows_as_units(schema, "audit --predictions");
  if (schema.image) {
    refuse_table(ErrorKind::kInput,
                 fmt::format("{}: describes images; --predictions judges a table",
                             request.schema_path.string()));
  }
  if (request.target_kind) {
    refuse_table(ErrorKind::kUsage,
                 "--target-type is for a table without --schema, which says what the target is");
  }
  if (!request.target.empty()) schema.target = request.target;
  if (schema.target.empty()) {
    refuse_table(ErrorKind::kUsage,
                 fmt::format("{}: names no target; name the column of outcomes with "
                             "--target",
                             request.schema_path.string()));
  }
  std::set<std::string> needed = {schema.target};
  if (!request.weight.empty()) needed.insert(weight_column(schema, request.weight).name);
  for (const std::vector<std::string>& columns : request.groupings) {
    for (const std::string& name : columns) {
      const GroupAttribute* attribute = schema.find_group_attribute(name);
      needed.insert(attribute == nullptr ? name : attribute->column);
    }
  }
  ColumnSchema target = schema.column(schema.target);
  if (target.type == ColumnType::kIgnored) {
    refuse_table(ErrorKind::kInput, fmt::format("{}: the target '{}' is ignored",
                                                request.schema_path.string(), target.name));
  }
  // A record without an outcome has none, whatever features are made of such cells.
  target.missing = MissingPolicy::kDrop;
  target.unknown = UnknownPolicy::kDrop;
  if (target.type == ColumnType::kNumeric) {
    target.lower = -kAnyNumber;
    target.upper = kAnyNumber;
  } else if (!request.positive.empty()) {
    order_classes(request, target);
  }
  put(schema, std::move(target));
  LoggedDescription description;
  compile_logged(request, schema, description);
  needed.merge(constrained_columns(description.constraints, schema));
  ignore_others(needed, schema);
  description.schema = with_layout_of_table(request, std::move(schema));
  return description;
}

/// What is learnt of the target and the columns of groups and constraints; no other is read.
LoggedDescription learnt_description(const LoggedTableRequest& request) {
  LoggedDescription description;
  Schema& schema = description.schema = learnt_schema(request);
  compile_logged(request, schema, description);
  std::set<std::string> needed = constrained_columns(description.constraints, schema);
  needed.insert(schema.target);
  for (const std::vector<std::string>& columns : request.groupings)
    needed.insert(columns.begin(), columns.end());
  ignore_others(needed, schema);
  return description;
}

/// Finds the columns of probabilities of each class; none where nobody asked for them and the table
/// has none, or none for each of several classes, by the names of `equinoise predict`.
std::vector<std::string> find_probabilities(const LoggedTableRequest& request, const Schema& schema,
                                            std::vector<std::string>& notes) {
  const ColumnSchema& target = schema.column(schema.target);
  const std::optional<ProbabilityColumns> columns = probability_columns(request);
  const bool is_asked = !request.probabilities.empty();
  if (!columns || (!is_asked && target.values.size() <= 2)) return {};
  const std::unique_ptr<RecordReader> records = open_described(request.data, schema);
  std::vector<std::string> found = columns->columns_of(target, records->header());
  for (size_t k = 0; k < found.size(); ++k) {
    const auto place = std::find(records->header().begin(), records->header().end(), found[k]);
    if (!found[k].empty() && place != records->header().end()) continue;
    const std::string advice = advice_on_classes(request, {target.values[k]});
    if (!is_asked) {
      const auto known = std::find_if(found.begin(), found.end(),
                                      [](const std::string& name) { return !name.empty(); });
      if (known != found.end()) {
        notes.push_back(fmt::format(
            "columns such as '{}' are not judged, because class '{}' of '{}' has none; name it "
            "with --probabilities or, if the model knows no such class, give a --schema that lists "
            "those it knows: records of others are then left out{}",
            *known, target.values[k], target.name, advice));
      }
      return {};
    }
    const std::string name = found[k].empty() ? columns->expected_name(target.values[k]) : found[k];
    records->fail(fmt::format(
        "has no column {}of probabilities of class '{}' of '{}'; name it with --probabilities "
        "CLASS=COLUMN; if the model knows no such class, leave --probabilities out, which judges "
        "predicted classes only, or give a --schema that lists those it knows: records of others "
        "are then left out{}",
        name.empty() ? "" : fmt::format("'{}' ", name), target.values[k], target.name, advice));
  }
  for (size_t i = 0; i < records->header().size(); ++i) {
    const std::string& name = records->repeated_name(i);
    if (name.empty() || std::find(found.begin(), found.end(), name) == found.end()) continue;
    records->fail(
        fmt::format("the header names column '{}' twice, so it does not say which one is "
                    "meant; give each a name of its own",
                    name));
  }
  for (auto name = found.begin(); name != found.end(); ++name) {
    if (std::find(found.begin(), name, *name) != name)
      refuse_table(ErrorKind::kUsage, fmt::format("column '{}' is named for two uses", *name));
  }
  return found;
}

/// Refuses a column of predictions that is asked for as something else, too; "" is none.
void refuse_other_uses(const LoggedTableRequest& request, const LoggedDescription& description,
                       const std::string& name) {
  const Schema& schema = description.schema;
  if (name.empty()) return;
  if (name == schema.target) {
    refuse_table(ErrorKind::kUsage,
                 fmt::format("column '{}' is the target and cannot be its prediction, too", name));
  }
  const auto& probabilities = description.probabilities;
  const bool is_probability =
      std::find(probabilities.begin(), probabilities.end(), name) != probabilities.end();
  if (is_probability && (name == request.prediction || name == request.weight))
    refuse_table(ErrorKind::kUsage, fmt::format("column '{}' is named for two uses", name));
  const auto refuse_group = [&](std::string_view option, const std::string& group) {
    const GroupAttribute* attribute = schema.find_group_attribute(group);
    if ((attribute == nullptr ? group : attribute->column) != name) return;
    // Records without a prediction would be in the group of some prediction.
    refuse_table(ErrorKind::kUsage,
                 fmt::format("{} {}: column '{}' holds the predictions; to group by what is "
                             "predicted, give a copy of it another name",
                             option, group, name));
  };
  for (const std::vector<std::string>& columns : request.groupings)
    for (const std::string& group : columns) refuse_group("--groups", group);
  if (!description.constraints) return;
  for (const std::string& group : description.constraints->attributes)
    refuse_group("a constraint on", group);
}

/// Refuses infinite numbers and, where `low` and `high` say so, others.
void check_numbers(const LoggedTableRequest& request, const Schema& schema,
                   const NumericColumn& column, double low, double high, const char* problem) {
  for (size_t i = 0; i < column.values.size(); ++i) {
    if (!column.dropped.empty() && column.dropped[i] != 0) continue;
    const double value = column.values[i];
    const bool is_finite = std::fabs(value) < kAnyNumber;
    if (is_finite && value >= low && value <= high) continue;
    // The record is looked up for its line.
    const std::unique_ptr<RecordReader> records = open_described(request.data, schema);
    const auto row = static_cast<int64_t>(i) + 1;
    while (records->row() < row && records->next()) {
    }
    records->fail_here(fmt::format("column '{}' {}", column.name,
                                   is_finite ? problem : "holds an infinite number"));
  }
}

/// Refuses cells that should be numbers and are none, in the columns that no schema describes: what
/// a schema may say of such cells is no help there.
void check_are_numbers(const LoggedTableRequest& request, const LoggedDescription& description,
                       const Dataset& dataset) {
  const std::vector<std::string>& probabilities = description.probabilities;
  for (const ColumnIngestCounts& counts : dataset.counts) {
    const bool is_of_predictions =
        counts.name == request.prediction || counts.name == scores_of(request) ||
        std::find(probabilities.begin(), probabilities.end(), counts.name) != probabilities.end();
    if (counts.malformed == 0 || !(is_of_predictions || request.schema_path.empty())) continue;
    // The record is looked up for its cell.
    const std::unique_ptr<RecordReader> records = open_described(request.data, description.schema);
    bool is_found = false;
    while (!is_found && records->next()) is_found = records->place() == counts.first_malformed;
    const std::vector<std::string>& header = records->header();
    const auto position =
        static_cast<size_t>(std::find(header.begin(), header.end(), counts.name) - header.begin());
    const std::string_view cell = without_blanks_around(records->text(position));
    std::string advice = "; if it marks a missing value, give --na with its text";
    if (is_found && is_usual_missing_mark(cell)) {
      advice = fmt::format("; if '{}' marks a missing value, give {}", cell, na_option(cell));
    } else if (!counts.other_forms.empty() &&
               counts.other_forms[0].first == counts.first_malformed) {
      const std::string& problem = counts.other_forms[0].problem;
      const bool lacks_schema =
          request.schema_path.empty() && problem.find("schema") != problem.npos;
      advice = fmt::format(": it {}{}", problem, lacks_schema ? "; give one with --schema" : "");
    }
    records->fail_here(fmt::format("column '{}' is not a {}{}", counts.name, counts.value, advice));
  }
}

/// Refuses probabilities of classes that do not sum to 1, up to their rounding to two digits.
void check_sums(const LoggedTableRequest& request, const LoggedDescription& description,
                std::span<const NumericColumn* const> columns) {
  constexpr double kRounding = 0.005 + 1e-9;
  const double most = kRounding * static_cast<double>(columns.size());
  for (size_t i = 0; i < columns[0]->values.size(); ++i) {
    double sum = 0;
    bool is_complete = true;
    for (const NumericColumn* column : columns) {
      is_complete = is_complete && (column->dropped.empty() || column->dropped[i] == 0);
      sum += column->values[i];
    }
    if (!is_complete || std::fabs(sum - 1) <= most) continue;
    const std::unique_ptr<RecordReader> records = open_described(request.data, description.schema);
    const auto row = static_cast<int64_t>(i) + 1;
    while (records->row() < row && records->next()) {
    }
    records->fail_here(fmt::format(
        "columns '{}' are no probabilities of classes: they do not sum to 1, even if each was "
        "rounded to two digits; a class that the table lacks can be listed in a --schema, and "
        "scores of one class be judged with --score",
        fmt::join(description.probabilities, "', '")));
  }
}

bool is_dropped(const std::vector<uint8_t>& dropped, size_t record) {
  return !dropped.empty() && dropped[record] != 0;
}

/// Numbers of doubles on a scale on which a table's single precision is as fine as it can be.
void fill_numbers(const NumericColumn& target, const NumericColumn& prediction, LoggedTable& out) {
  const size_t num_records = target.values.size();
  double low = kAnyNumber;
  double high = -kAnyNumber;
  for (size_t i = 0; i < num_records; ++i) {
    if (out.table.contributes[i] == 0) continue;
    low = std::min(low, target.values[i]);
    high = std::max(high, target.values[i]);
  }
  // Halves first: the width of two finite numbers may not be one.
  const double half_width = high >= low ? high / 2 - low / 2 : 0;
  out.table.target_offset = high >= low ? low / 2 + high / 2 : 0;
  out.table.target_divisor = half_width > 0 ? half_width : 1;
  for (size_t i = 0; i < num_records; ++i) {
    const bool is_judged = out.table.contributes[i] != 0;
    const double scaled =
        is_judged ? (target.values[i] - out.table.target_offset) / out.table.target_divisor : 0;
    out.table.targets.push_back(static_cast<float>(scaled));
    const bool is_predicted = !is_dropped(prediction.dropped, i);
    // The error is that of the numbers as they stand, whatever rounding the target has.
    const double error = (prediction.values[i] - target.values[i]) / out.table.target_divisor;
    out.predictions.outputs.push_back(
        is_predicted ? error + static_cast<double>(out.table.targets.back()) : kNaN);
    out.predictions.loss.push_back(kNaN);
  }
}

/// The scores of the classes of each record.
struct ClassScoreColumns {
  /// (num_classes) probabilities, or (1) of the positive one of two; empty: none.
  std::vector<const NumericColumn*> columns;

  /// (num_classes) those of a record, or nothing if one is missing.
  std::vector<double> of(size_t record) const {
    std::vector<double> scores;
    for (const NumericColumn* column : columns) {
      if (!column->dropped.empty() && column->dropped[record] != 0) return {};
      scores.push_back(column->values[record]);
    }
    if (scores.size() == 1) scores.insert(scores.begin(), 1 - scores[0]);
    return scores;
  }

  /// The loss by them, if they are probabilities.
  double loss(std::span<const double> scores, uint16_t label) const {
    // Of a small probability, 1 - p has lost its digits.
    if (columns.size() == 1 && label == 0) return -std::log1p(-scores[1]);
    return -std::log(scores[label]);
  }
};

/// The class that scores predict: of two by the threshold, else the most probable.
uint16_t predicted_class(std::span<const double> scores, const std::optional<double>& threshold) {
  if (scores.size() == 2 && threshold) return scores[1] >= *threshold ? 1 : 0;
  return static_cast<uint16_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

/// Notes outcomes and groups that may be missing cells, where no schema says that they are none.
void note_possible_marks(const LoggedTableRequest& request, const Dataset& dataset,
                         LoggedTable& out) {
  if (!request.schema_path.empty()) return;
  const auto num_records = static_cast<size_t>(dataset.num_records);
  for (const CategoricalColumn& column : dataset.categorical) {
    // What is only predicted is noted where classes are read.
    if (column.name == request.prediction) continue;
    for (size_t code = 0; code < column.categories.size(); ++code) {
      const std::string& text = column.categories[code];
      if (!is_usual_missing_mark(text)) continue;
      int64_t num_here = 0;
      int64_t num_predicted = 0;
      for (size_t i = 0; i < num_records; ++i) {
        if (!is_dropped(column.dropped, i) && column.codes[i] == code) ++num_here;
        if (column.name == out.target && out.predictions.has_prediction(i) &&
            out.predictions.predicted[i] == code)
          ++num_predicted;
      }
      if (num_here == 0) continue;
      const std::string share = fmt::format("{} of {} records", format_count(num_here),
                                            format_count(dataset.num_records));
      if (column.name == out.target) {
        out.notes.push_back(fmt::format(
            "class '{}' of '{}' happened in {} and was {}; if it marks a missing outcome, give {}",
            text, column.name, share,
            num_predicted == 0 ? "never predicted"
                               : fmt::format("predicted for {}", format_count(num_predicted)),
            na_option(text)));
      } else {
        out.notes.push_back(fmt::format(
            "'{}' of column '{}' counts as a value like others, in {}; if it marks a missing "
            "value, give {}",
            text, column.name, share, na_option(text)));
      }
    }
  }
}

/// Classes by their codes, and what there is of scores.
void fill_classes(const LoggedTableRequest& request, const LoggedDescription& description,
                  const Dataset& dataset, LoggedTable& out) {
  const auto num_records = static_cast<size_t>(dataset.num_records);
  const CategoricalColumn& target = *dataset.find_categorical(out.target);
  const CategoricalColumn* prediction =
      request.prediction.empty() ? nullptr : dataset.find_categorical(request.prediction);
  ClassScoreColumns scores;
  for (const std::string& name : description.probabilities)
    scores.columns.push_back(dataset.find_numeric(name));
  if (!scores_of(request).empty())
    scores.columns.push_back(dataset.find_numeric(scores_of(request)));
  const bool has_scores = !scores.columns.empty();
  const bool are_probabilities = has_scores && request.score.empty();
  const size_t num_classes = target.categories.size();
  out.table.classes = target.categories;
  out.table.labels = target.codes;
  out.predictions.num_outputs = has_scores ? num_classes : 1;
  out.predictions.has_probabilities = has_scores;
  out.kind = are_probabilities ? ScoreKind::kProbabilities : ScoreKind::kScores;
  int64_t num_impossible = 0;
  for (size_t i = 0; i < num_records; ++i) {
    const std::vector<double> own = scores.of(i);
    const bool is_predicted = (prediction == nullptr || !is_dropped(prediction->dropped, i)) &&
                              (!has_scores || !own.empty());
    if (has_scores && is_predicted) {
      out.predictions.outputs.insert(out.predictions.outputs.end(), own.begin(), own.end());
    } else {
      out.predictions.outputs.insert(out.predictions.outputs.end(), out.predictions.num_outputs,
                                     is_predicted ? 0 : kNaN);
    }
    const bool has_loss = are_probabilities && is_predicted;
    const double loss = has_loss ? scores.loss(own, target.codes[i]) : kNaN;
    out.predictions.loss.push_back(loss);
    if (has_loss && out.table.contributes[i] != 0 && std::isinf(loss)) ++num_impossible;
    out.predictions.predicted.push_back(prediction != nullptr ? prediction->codes[i]
                                        : own.empty()         ? uint16_t{0}
                                                      : predicted_class(own, request.threshold));
  }
  if (num_impossible > 0) {
    out.notes.push_back(
        fmt::format("{} had a predicted probability of 0 for what happened: their loss is "
                    "infinite, and that of their groups undefined",
                    num_impossible == 1 ? "1 record" : format_count(num_impossible) + " records"));
  }
  if (prediction == nullptr || !request.schema_path.empty()) return;
  if (target.categories.size() == 2 && are_truth_pair(target.categories[0], target.categories[1]))
    return;
  // A class that is only predicted may be another spelling of one that occurs.
  std::vector<bool> occurs(target.categories.size());
  for (size_t i = 0; i < num_records; ++i)
    if (!is_dropped(target.dropped, i)) occurs[target.codes[i]] = true;
  int64_t num_unseen = 0;
  for (size_t i = 0; i < num_records; ++i)
    num_unseen += !is_dropped(prediction->dropped, i) && !occurs[prediction->codes[i]] ? 1 : 0;
  if (num_unseen > 0) {
    out.notes.push_back(
        fmt::format("{} of column '{}' {} of a class that never occurs in '{}'; if such a cell "
                    "marks a missing prediction, list it with --na",
                    num_unseen == 1 ? "1 prediction" : format_count(num_unseen) + " predictions",
                    request.prediction, num_unseen == 1 ? "is" : "are", out.target));
  }
}

}  // namespace

LoggedTableRequest completed(LoggedTableRequest request) {
  const bool has_scores = has_class_scores(request);
  if (!request.probability.empty() && !request.score.empty())
    refuse_table(ErrorKind::kUsage,
                 "--probability and --score name the same kind of column; give one");
  if (!request.probabilities.empty() && !scores_of(request).empty())
    refuse_table(ErrorKind::kUsage,
                 "--probabilities names columns of all classes; leave --probability and --score "
                 "out");
  if (!request.probabilities.empty()) static_cast<void>(ProbabilityColumns(request.probabilities));
  if (request.prediction.empty() && !has_scores) request.prediction = "prediction";
  if (request.schema_path.empty() && request.target.empty()) {
    refuse_table(
        ErrorKind::kUsage,
        "--predictions needs the column of outcomes: name it with --target, or give a --schema "
        "that has a target");
  }
  if (request.threshold) {
    if (!has_scores) {
      refuse_table(ErrorKind::kUsage,
                   "--threshold is for columns named by --probability, --probabilities or --score");
    }
    if (!request.prediction.empty()) {
      refuse_table(
          ErrorKind::kUsage,
          "--threshold says which records are predicted positive, and so does --prediction; give "
          "one");
    }
    if (!std::isfinite(*request.threshold))
      refuse_table(ErrorKind::kUsage, "--threshold must be finite");
    if (request.score.empty() && !(*request.threshold >= 0 && *request.threshold <= 1))
      refuse_table(ErrorKind::kUsage, "--threshold of a probability must be from 0 to 1");
  }
  if (request.prediction.empty() && !request.threshold && request.probabilities.empty()) {
    if (request.probability.empty()) {
      refuse_table(
          ErrorKind::kUsage,
          "--score needs a --threshold from which on a record is predicted positive, or the "
          "column of predicted classes as --prediction");
    }
    request.threshold = kUsualThreshold;
  }
  std::vector<std::string> columns = {request.target, request.prediction, scores_of(request),
                                      request.weight};
  for (size_t i = 0; i < columns.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (columns[i].empty() || columns[i] != columns[j]) continue;
      refuse_table(ErrorKind::kUsage, fmt::format("column '{}' is named for two uses", columns[i]));
    }
  }
  return request;
}

LoggedDescription describe_logged(const LoggedTableRequest& request) {
  LoggedDescription description =
      request.schema_path.empty() ? learnt_description(request) : described_schema(request);
  Schema& schema = description.schema;
  const ColumnSchema target = schema.column(schema.target);
  const bool is_number = target.type == ColumnType::kNumeric;
  if (!request.weight.empty())
    require_only_weights(schema, request.weight, {&schema.target, 1}, request.groupings);
  for (const std::string& name : {request.prediction, scores_of(request)})
    refuse_other_uses(request, description, name);
  if (is_number && !request.positive.empty()) {
    refuse_table(
        ErrorKind::kUsage,
        fmt::format("--positive is for a target with two classes; '{}' is a number", target.name));
  }
  if (!scores_of(request).empty()) {
    if (is_number || target.values.size() != 2) {
      refuse_table(
          ErrorKind::kUsage,
          fmt::format(
              "--probability and --score are for a target with two classes; '{}' {}", target.name,
              is_number
                  ? "is a number: name the column of predicted numbers with --prediction"
                  : fmt::format("has {} classes: name the columns with a probability of each class "
                                "with --probabilities; to judge scores of one class, make a column "
                                "that says who is of it the --target{}",
                                target.values.size(), advice_on_classes(request, target.values))));
    }
    put(schema, number_column(scores_of(request)));
  }
  if (!request.probabilities.empty() && is_number) {
    refuse_table(
        ErrorKind::kUsage,
        fmt::format("--probabilities is for a target with classes; '{}' is a number", target.name));
  }
  if (request.threshold && target.values.size() != 2) {
    refuse_table(
        ErrorKind::kUsage,
        fmt::format("--threshold is for a target with two classes; '{}' has {}, of which the most "
                    "probable one is predicted{}",
                    target.name, target.values.size(), advice_on_classes(request, target.values)));
  }
  if (!is_number)
    description.probabilities = find_probabilities(request, schema, description.notes);
  for (const std::string& name : description.probabilities) {
    refuse_other_uses(request, description, name);
    put(schema, number_column(name));
  }
  if (!request.weight.empty()) {
    // As the schema spells them and treats missing ones, but as they stand.
    const ColumnSchema* declared = schema.find_column(request.weight);
    const bool is_declared = declared != nullptr && declared->type == ColumnType::kNumeric;
    ColumnSchema weight = is_declared ? *declared : number_column(request.weight);
    weight.lower = -kAnyNumber;
    weight.upper = kAnyNumber;
    if (weight.missing == MissingPolicy::kCategory || weight.may_be_missing)
      weight.missing = MissingPolicy::kDrop;
    put(schema, std::move(weight));
  }
  if (!request.prediction.empty()) {
    // Its cells are written as those of the target; a number need not be whole, and may have a
    // point before decimals where that does not stand between thousands.
    ColumnSchema prediction = target;
    prediction.may_have_point = target.thousands != '.';
    prediction.name = request.prediction;
    prediction.whole = false;
    prediction.malformed = MalformedPolicy::kDrop;  // see check_are_numbers
    put(schema, std::move(prediction));
  }
  return description;
}

LoggedTable read_logged_table(const LoggedTableRequest& request,
                              const LoggedDescription& description) {
  const Schema& schema = description.schema;
  // Groups that are not there are found before the table is read.
  for (const std::vector<std::string>& columns : request.groupings)
    list_groups(schema, columns, request.floor);
  const Dataset dataset = read_table(request.data, schema, TableUse::kOther);
  check_are_numbers(request, description, dataset);
  const auto num_records = static_cast<size_t>(dataset.num_records);
  LoggedTable out;
  out.dataset = schema.dataset;
  out.target = schema.target;
  out.table.num_records = dataset.num_records;
  out.table.contributes.assign(num_records, 1);
  out.notes = ingest_notes(dataset.counts);
  const std::vector<std::string>& probabilities = description.probabilities;
  const auto is_score = [&](const std::string& name) {
    return name == scores_of(request) ||
           std::find(probabilities.begin(), probabilities.end(), name) != probabilities.end();
  };
  const auto leave_out = [&](const auto& columns) {
    for (const auto& column : columns) {
      // A record without a prediction is judged: it must not leave the figures unseen.
      if (column.name == request.prediction || is_score(column.name)) continue;
      for (size_t i = 0; i < num_records; ++i)
        if (is_dropped(column.dropped, i)) out.table.contributes[i] = 0;
    }
  };
  leave_out(dataset.numeric);
  leave_out(dataset.categorical);
  const auto num_left_out =
      std::count(out.table.contributes.begin(), out.table.contributes.end(), uint8_t{0});
  if (num_left_out > 0) {
    out.notes.push_back(fmt::format(
        "{} of {} records are left out: their outcome{} a group{} is missing or not listed",
        format_count(num_left_out), format_count(dataset.num_records),
        request.weight.empty() ? " or" : ", their weight or",
        description.constraints ? " or attribute of a constraint" : ""));
  }

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!request.weight.empty()) {
    check_numbers(request, schema, *dataset.find_numeric(request.weight), 0, kInfinity,
                  "is below 0, which no weight can be");
    Weighting weighting =
        weigh_records(*dataset.find_numeric(request.weight), out.table.contributes);
    out.weights = AuditWeights{weighting.column, weighting.unit};
    for (std::string& note : weighting_notes(weighting)) out.notes.push_back(std::move(note));
    out.table.weights = std::move(weighting.weights);
  }
  const auto num_judged =
      std::count(out.table.contributes.begin(), out.table.contributes.end(), uint8_t{1});
  const NumericColumn* target = dataset.find_numeric(out.target);
  if (target != nullptr) {
    const NumericColumn& prediction = *dataset.find_numeric(request.prediction);
    for (const NumericColumn* column : {target, &prediction})
      check_numbers(request, schema, *column, -kInfinity, kInfinity, "");
    fill_numbers(*target, prediction, out);
  } else {
    const bool are_probabilities = request.score.empty();
    std::vector<const NumericColumn*> scores;
    for (const NumericColumn& column : dataset.numeric) {
      if (!is_score(column.name)) continue;
      check_numbers(request, schema, column, are_probabilities ? 0 : -kInfinity,
                    are_probabilities ? 1 : kInfinity,
                    probabilities.empty()
                        ? "is not a probability from 0 to 1; if it is a score, give --score"
                        : "is not a probability from 0 to 1");
      scores.push_back(&column);
    }
    if (!probabilities.empty()) check_sums(request, description, scores);
    fill_classes(request, description, dataset, out);
  }
  note_possible_marks(request, dataset, out);
  int64_t num_unpredicted = 0;
  for (size_t i = 0; i < num_records; ++i) {
    if (out.table.contributes[i] != 0 && !out.predictions.has_prediction(i)) ++num_unpredicted;
  }
  if (num_unpredicted > 0) {
    out.notes.push_back(
        fmt::format("{} of {} judged records have no prediction, or one that is no class of the "
                    "target: the figures of everybody and of their groups are undefined",
                    format_count(num_unpredicted), format_count(num_judged)));
  }
  for (const std::vector<std::string>& columns : request.groupings)
    out.groupings.push_back(group_by(dataset, schema, columns, request.floor));
  if (description.constraints) {
    std::vector<uint32_t> records(num_records);
    std::iota(records.begin(), records.end(), 0U);
    out.contexts = rate_contexts(dataset, schema, *description.constraints, records);
  }
  return out;
}

}  // namespace equinoise

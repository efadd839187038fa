// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/logged_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/learnt_columns.h"
#include "equinoise/data/table.h"
#include "equinoise/data/units.h"
#include "equinoise/tasks/audit/class_probabilities.h"
#include "equinoise/tasks/audit/logged_classes.h"
#include "equinoise/tasks/input/record_weights.h"

namespace equinoise {

namespace {

constexpr size_t kMaxLearntGroups = 1000;

constexpr Refusal refuse_usage{ErrorKind::kUsage, "tasks.audit"};

[[noreturn]] void refuse_schema(const AuditRequest& request, std::string_view problem) {
  throw Error(ErrorKind::kInput, "tasks.audit", "{}: {}", request.schema_path.string(), problem);
}

[[noreturn]] void refuse_two_uses(const std::string& column) {
  refuse_usage("column '{}' is named for two uses", column);
}

std::string is_named_twice(const std::string& column) {
  return fmt::format(
      "the header names column '{}' twice, so it does not say which one is meant; give each a name "
      "of its own",
      column);
}

/// The requested columns of probabilities, or those of `equinoise predict`; empty if other columns
/// are named instead.
std::optional<ProbabilityColumns> probability_columns(const AuditRequest& request) {
  if (!request.scores().empty()) return std::nullopt;
  return request.probabilities.empty() ? ProbabilityColumns()
                                       : ProbabilityColumns(request.probabilities);
}

/// A column of unmodified numbers. A cell that is not a number is dropped only to be refused once
/// the table is read (read_logged_table), with better advice than a schema can give.
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

/// Replaces the column of the same name, or appends it.
void put(Schema& schema, ColumnSchema column) {
  const auto place = std::ranges::find(schema.columns, column.name, &ColumnSchema::name);
  if (place == schema.columns.end()) {
    schema.columns.push_back(std::move(column));
  } else {
    *place = std::move(column);
  }
}

/// The classes with columns of probabilities in a table without a schema. The column names of
/// `equinoise predict` are used if there are several and every class that occurs has one.
std::vector<std::string> classes_with_probabilities(const AuditRequest& request,
                                                    const std::vector<std::string>& header,
                                                    const LearntColumns::Column& target,
                                                    const LearntColumns::Column* prediction) {
  const std::optional<ProbabilityColumns> columns = probability_columns(request);
  if (!columns) return {};
  std::vector<std::string> known = columns->classes_in(header);
  if (!request.probabilities.empty()) return known;
  std::vector<std::string> all = target.values;
  if (prediction != nullptr) append(all, prediction->values);
  append(all, known);
  const std::vector<std::string> found =
      columns->columns_of(category_column(request.target, distinct_values(std::move(all))), header);
  const bool are_all_there = !contains(found, "");
  return known.size() > 2 && are_all_there ? known : std::vector<std::string>();
}

/// A schema derived from the table, for a table without one.
Schema learnt_schema(const AuditRequest& request) {
  Schema schema;
  schema.dataset = std::filesystem::path(request.predictions.name()).stem().string();
  schema.target = request.target;
  append(schema.missing_values, request.table.missing_values);
  const bool is_number = request.target_kind == LoggedTarget::kNumber;
  std::vector<std::string> names = {request.target};
  const bool predicts_class = !request.prediction.empty() && !is_number;
  if (predicts_class) names.push_back(request.prediction);
  std::set<std::string> group_names;
  for (const std::vector<std::string>& columns : request.groupings)
    group_names.insert(columns.begin(), columns.end());
  const size_t first_group = names.size();
  append(names, group_names);
  const size_t first_attribute = names.size();
  // Constraints may name any column except those of predictions.
  const LearntColumns learnt =
      learn_columns(request.predictions, request.table, schema.missing_values, names,
                    kMaxLearntGroups, request.has_constraints());
  schema.layout = learnt.layout;
  for (const std::string& name : learnt.repeated_names) {
    const bool is_group = group_names.count(name) != 0;
    if (!is_group && name != request.target && name != request.prediction &&
        name != request.scores() && name != request.weight_column)
      continue;
    throw Error(ErrorKind::kInput, "tasks.audit", "{}: {}", request.predictions.name(),
                is_named_twice(name));
  }
  for (const std::string& name : learnt.header) {
    if (name.empty() && schema.layout.has_header) continue;
    ColumnSchema column;
    column.name = name;
    column.type = ColumnType::kIgnored;
    schema.columns.push_back(std::move(column));
  }
  for (size_t i = first_group; i < learnt.columns.size(); ++i) {
    const LearntColumns::Column& column = learnt.columns[i];
    const bool is_attribute = column.is_complete && column.name != request.prediction &&
                              column.name != request.scores() &&
                              column.name != request.weight_column;
    if (i >= first_attribute && !is_attribute) continue;
    if (!column.is_complete) {
      refuse_usage(
          "--groups: column '{}' has more than {} different values; declare groups in "
          "a --schema, of numbers as bands in [groups.NAME]",
          column.name, kMaxLearntGroups);
    }
    ColumnSchema group = category_column(column.name, column.texts);
    const bool may_be_missing = !contains(column.texts, "missing");
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

/// The schema, with the layout of `equinoise predict` if the table's header is not that of the
/// table which the schema describes.
Schema with_layout_of_table(const AuditRequest& request, Schema schema) {
  if (request.table.delimiter || request.table.has_header) return schema;
  Schema usual = schema;
  usual.layout = {.delimiter = ',', .decimal_comma = schema.layout.decimal_comma};
  const bool is_usual =
      !header_fits(request.predictions, schema) && header_fits(request.predictions, usual);
  return is_usual ? usual : schema;
}

/// The constraints of a request on a table of that schema, if any. Columns of predictions are not
/// attributes.
void compile_logged(const AuditRequest& request, Schema schema, LoggedDescription& out) {
  if (!request.has_constraints()) return;
  std::erase_if(schema.columns, [&](const ColumnSchema& column) {
    return column.name != schema.target &&
           (column.name == request.prediction || column.name == request.scores());
  });
  const ConstraintDomain domain = constraint_domain(schema);
  out.constraints = compile_constraints(
      domain, gather_constraints(request.constraints_path, request.constraints, domain), out.notes);
}

/// The source of a group: a column, or the column of a group attribute.
const std::string& grouped_column(const Schema& schema, const std::string& group) {
  const GroupAttribute* attribute = schema.find_group_attribute(group);
  return attribute == nullptr ? group : attribute->column;
}

/// Ignores all columns except the target, the weight and those of groups and constraints.
void ignore_others(const AuditRequest& request, LoggedDescription& description) {
  Schema& schema = description.schema;
  std::set<std::string> needed = {schema.target, request.weight_column};
  for (const std::vector<std::string>& columns : request.groupings)
    for (const std::string& name : columns) needed.insert(grouped_column(schema, name));
  if (description.constraints)
    for (const std::string& name : description.constraints->attributes)
      needed.insert(grouped_column(schema, name));
  for (ColumnSchema& column : schema.columns)
    if (needed.count(column.name) == 0) column.type = ColumnType::kIgnored;
}

/// The schema of the request, with the target adapted to the evaluation of its predictions.
Schema described_schema(const AuditRequest& request) {
  SchemaFile file;
  file.path = request.schema_path;
  file.table = request.table;
  file.sizes = SizesRule::kMayBePrivate;
  if (file.path.extension() == ".json") file.target = request.target;
  Schema schema = load_schema(file);
  require_rows_as_units(schema, "audit --predictions");
  if (schema.image) {
    refuse_schema(request, "describes images; --predictions judges a table");
  }
  if (request.target_kind) {
    refuse_usage("--target-type is for a table without --schema, which says what the target is");
  }
  if (!request.target.empty()) schema.target = request.target;
  if (schema.target.empty()) {
    refuse_usage(
        "{}: names no target; name the column of outcomes with "
        "--target",
        request.schema_path.string());
  }
  if (!request.weight_column.empty()) weight_column(schema, request.weight_column);
  ColumnSchema target = schema.column(schema.target);
  if (target.type == ColumnType::kIgnored) {
    refuse_schema(request, fmt::format("the target '{}' is ignored", target.name));
  }
  if (target.time) {
    refuse_schema(request, fmt::format("the target '{}' holds {}, which no model predicts",
                                       target.name, target.time->has_time() ? "times" : "dates"));
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
  return schema;
}

/// Finds the columns of probabilities of each class. Empty if none were requested and the table
/// does not have the columns of `equinoise predict`, one for each of several classes.
std::vector<std::string> find_probabilities(const AuditRequest& request, const Schema& schema,
                                            std::vector<std::string>& notes) {
  const ColumnSchema& target = schema.column(schema.target);
  const std::optional<ProbabilityColumns> columns = probability_columns(request);
  const bool is_asked = !request.probabilities.empty();
  if (!columns || (!is_asked && target.values.size() <= 2)) return {};
  const std::unique_ptr<RecordReader> records = open_described(request.predictions, schema);
  std::vector<std::string> found = columns->columns_of(target, records->header());
  for (size_t k = 0; k < found.size(); ++k) {
    const auto place = std::ranges::find(records->header(), found[k]);
    if (!found[k].empty() && place != records->header().end()) continue;
    const std::string advice = advice_on_classes(request, {target.values[k]});
    if (!is_asked) {
      const auto known =
          std::ranges::find_if(found, [](const std::string& name) { return !name.empty(); });
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
    if (name.empty() || !contains(found, name)) continue;
    records->fail(is_named_twice(name));
  }
  for (auto name = found.begin(); name != found.end(); ++name) {
    if (std::find(found.begin(), name, *name) != name) refuse_two_uses(*name);
  }
  return found;
}

/// Refuses a column of predictions that is also requested as something else; "" is none.
void refuse_other_uses(const AuditRequest& request, const LoggedDescription& description,
                       const std::string& name) {
  const Schema& schema = description.schema;
  if (name.empty()) return;
  if (name == schema.target) {
    refuse_usage("column '{}' is the target and cannot be its prediction, too", name);
  }
  const auto& probabilities = description.probabilities;
  const bool is_probability = contains(probabilities, name);
  if (is_probability && (name == request.prediction || name == request.weight_column))
    refuse_two_uses(name);
  const auto refuse_group = [&](std::string_view option, const std::string& group) {
    if (grouped_column(schema, group) != name) return;
    // Records without a prediction would get the group of some prediction.
    refuse_usage(
        "{} {}: column '{}' holds the predictions; to group by what is "
        "predicted, give a copy of it another name",
        option, group, name);
  };
  for (const std::vector<std::string>& columns : request.groupings)
    for (const std::string& group : columns) refuse_group("--groups", group);
  if (!description.constraints) return;
  for (const std::string& group : description.constraints->attributes)
    refuse_group("a constraint on", group);
}

/// The problem with a combination of columns; "": none.
std::string_view problem_of_columns(const AuditRequest& request) {
  const bool has_several = !request.probabilities.empty();
  if (!request.probability.empty() && !request.score.empty())
    return "--probability and --score name the same kind of column; give one";
  if (has_several && !request.scores().empty()) {
    return "--probabilities names columns of all classes; leave --probability and --score out";
  }
  if (request.schema_path.empty() && request.target.empty()) {
    return "--predictions needs the column of outcomes: name it with --target, or give a --schema "
           "that has a target";
  }
  const bool needs_threshold = request.prediction.empty() && !has_several && !request.threshold;
  if (needs_threshold && !request.score.empty()) {
    return "--score needs a --threshold from which on a record is predicted positive, or the "
           "column of predicted classes as --prediction";
  }
  if (!request.threshold) return "";
  if (!has_several && request.scores().empty())
    return "--threshold is for columns named by --probability, --probabilities or --score";
  if (!request.prediction.empty()) {
    return "--threshold says which records are predicted positive, and so does --prediction; give "
           "one";
  }
  if (!std::isfinite(*request.threshold)) return "--threshold must be finite";
  if (request.score.empty() && !(*request.threshold >= 0 && *request.threshold <= 1))
    return "--threshold of a probability must be from 0 to 1";
  return "";
}

}  // namespace

AuditRequest completed(AuditRequest request) {
  if (const std::string_view problem = problem_of_columns(request); !problem.empty())
    refuse_usage(problem);
  static_cast<void>(ProbabilityColumns(request.probabilities));  // checks them
  if (request.prediction.empty() && request.probabilities.empty() && !request.threshold) {
    if (request.probability.empty()) {
      request.prediction = "prediction";
    } else {
      request.threshold = kUsualThreshold;
    }
  }
  std::set<std::string> columns;
  for (const std::string& name :
       {request.target, request.prediction, request.scores(), request.weight_column}) {
    if (!name.empty() && !columns.insert(name).second) refuse_two_uses(name);
  }
  return request;
}

LoggedDescription describe_logged(const AuditRequest& request) {
  const bool is_described = !request.schema_path.empty();
  LoggedDescription description;
  Schema& schema = description.schema;
  schema = is_described ? described_schema(request) : learnt_schema(request);
  compile_logged(request, schema, description);
  ignore_others(request, description);
  if (is_described) schema = with_layout_of_table(request, std::move(schema));
  const ColumnSchema target = schema.column(schema.target);
  const bool is_number = target.type == ColumnType::kNumeric;
  if (!request.weight_column.empty())
    require_only_weights(schema, request.weight_column, {&schema.target, 1}, request.groupings);
  for (const std::string& name : {request.prediction, request.scores()})
    refuse_other_uses(request, description, name);
  if (is_number && !request.positive.empty()) {
    refuse_usage("--positive is for a target with two classes; '{}' is a number", target.name);
  }
  if (!request.scores().empty()) {
    if (is_number || target.values.size() != 2) {
      refuse_usage(
          "--probability and --score are for a target with two classes; '{}' {}", target.name,
          is_number
              ? "is a number: name the column of predicted numbers with --prediction"
              : fmt::format("has {} classes: name the columns with a probability of each class "
                            "with --probabilities; to judge scores of one class, make a column "
                            "that says who is of it the --target{}",
                            target.values.size(), advice_on_classes(request, target.values)));
    }
    put(schema, number_column(request.scores()));
  }
  if (!request.probabilities.empty() && is_number) {
    refuse_usage("--probabilities is for a target with classes; '{}' is a number", target.name);
  }
  if (request.threshold && target.values.size() != 2) {
    refuse_usage(
        "--threshold is for a target with two classes; '{}' has {}, of which the most "
        "probable one is predicted{}",
        target.name, target.values.size(), advice_on_classes(request, target.values));
  }
  if (!is_number)
    description.probabilities = find_probabilities(request, schema, description.notes);
  for (const std::string& name : description.probabilities) {
    refuse_other_uses(request, description, name);
    put(schema, number_column(name));
  }
  if (!request.weight_column.empty()) {
    // Spelling and treatment of missing cells are the schema's, but numbers are unmodified.
    const ColumnSchema* declared = schema.find_column(request.weight_column);
    const bool is_declared = declared != nullptr && declared->type == ColumnType::kNumeric;
    ColumnSchema weight = is_declared ? *declared : number_column(request.weight_column);
    weight.lower = -kAnyNumber;
    weight.upper = kAnyNumber;
    if (weight.missing == MissingPolicy::kCategory || weight.may_be_missing)
      weight.missing = MissingPolicy::kDrop;
    put(schema, std::move(weight));
  }
  if (!request.prediction.empty()) {
    // Its cells have the format of the target's. A number need not be whole, and may have a decimal
    // point unless the point separates thousands.
    ColumnSchema prediction = target;
    prediction.may_have_point = target.thousands != '.';
    prediction.name = request.prediction;
    prediction.whole = false;
    prediction.malformed = MalformedPolicy::kDrop;  // see number_column
    put(schema, std::move(prediction));
  }
  return description;
}

}  // namespace equinoise

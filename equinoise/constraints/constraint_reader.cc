// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/constraint_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/quotes.h"
#include "equinoise/base/read_text.h"
#include "equinoise/constraints/common_constraints.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "constraints";

constexpr size_t kMaxGroups = 1000;
constexpr size_t kMaxPairedGroups = 100;

const std::vector<std::string>& types() {
  static const std::vector<std::string> names = {"demographic_parity", "equalized_odds",
                                                 "equal_opportunity",  "rate_bound",
                                                 "group_error",        "linear"};
  return names;
}

size_t find(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
}

/// Reads [[constraint]] tables.
class Reader {
 public:
  explicit Reader(const ConstraintDomain& domain) : domain_(domain) {
    for (const ConstraintDomain::Attribute& attribute : domain.attributes)
      attribute_names_.push_back(attribute.name);
  }

  std::vector<RateConstraint> read(const TomlSection& root) const {
    root.check_keys({"schema", "classes", "attributes", "constraint"});
    check_declarations(root);
    const toml::array* list = root.array("constraint", "a list of tables, [[constraint]] each");
    if (list == nullptr || list->empty())
      root.fail_missing("constraint", "[[constraint]] and below it type = \"demographic_parity\"");
    std::vector<RateConstraint> constraints;
    for (size_t i = 0; i < list->size(); ++i) {
      const TomlSection section =
          root.section(*list->get(i), fmt::format("constraint[{}]", i), "[[constraint]]");
      append(constraints, constraint_of(section));
    }
    return constraints;
  }

  std::vector<RateConstraint> constraint_of(const TomlSection& section) const {
    const std::string type = section.text("type").value_or("linear");
    const std::string name = section.text("name").value_or(type);
    if (type == "demographic_parity") {
      section.check_keys({"type", "name", "attr", "versus", "pred", "slack"}, " of " + type);
      return demographic_parity(domain_, groups(section), parity_classes(section),
                                bound(section, "slack"), name);
    }
    if (type == "equalized_odds") {
      section.check_keys({"type", "name", "attr", "versus", "pred", "slack"}, " of " + type);
      return equalized_odds(domain_, groups(section), parity_classes(section), all_classes(),
                            bound(section, "slack"), name);
    }
    if (type == "equal_opportunity") {
      section.check_keys({"type", "name", "attr", "versus", "positive", "slack"}, " of " + type);
      std::vector<RateConstraint> constraints;
      for (const size_t positive : positive_classes(section))
        append(constraints, equalized_odds(domain_, groups(section), {positive}, {positive},
                                           bound(section, "slack"), name));
      return constraints;
    }
    if (type == "rate_bound") return rate_bound(section);
    if (type == "group_error") {
      section.check_keys({"type", "name", "attr", "max"}, " of " + type);
      return group_error(domain_, attributes(section), bound(section, "max"),
                         section.text("name").value_or("error"));
    }
    if (type != "linear") {
      section.fail("type", fmt::format("there is no constraint type \"{}\"{}", type,
                                       did_you_mean(type, types())));
    }
    return linear(section, name);
  }

  /// The index of the attribute `name`.
  size_t attribute_index(const TomlSection& section, std::string_view key,
                         std::string_view name) const {
    const size_t index = find(attribute_names_, name);
    if (index == attribute_names_.size()) {
      section.fail(key, fmt::format("there is no attribute \"{}\" to group by{}", name,
                                    did_you_mean(name, attribute_names_)));
    }
    return index;
  }

 private:
  /// The index of an attribute that a condition may name.
  size_t condition_attribute(const TomlSection& section, std::string_view key,
                             std::string_view name) const {
    const size_t index = attribute_index(section, key, name);
    if (name == "label" || name == "pred" || name == "any") {
      section.fail(key, fmt::format("\"{}\" has another meaning in conditions; give the attribute "
                                    "a different name in [groups] of the schema",
                                    name));
    }
    return index;
  }

  /// Checks the classes and attributes that a file declares for itself.
  void check_declarations(const TomlSection& root) const {
    if (const auto classes = root.texts("classes"); classes && *classes != domain_.classes) {
      root.fail("classes", fmt::format("the schema's classes are {}, in this order",
                                       toml_list(domain_.classes, 0)));
    }
    if (!root.has("attributes")) return;
    const TomlSection declared = root.section("attributes", "[attributes]");
    for (const auto& [key, node] : declared.in_file_order()) {
      const size_t index = attribute_index(declared, key->str(), key->str());
      const std::vector<std::string>& values = domain_.attributes[index].values;
      if (declared.texts(key->str()) != values) {
        declared.fail(key->str(), fmt::format("the schema's values are {}, in this order",
                                              toml_list(values, 0)));
      }
    }
  }

  /// One word or a list of distinct words.
  static std::vector<std::string> words(const TomlSection& section, std::string_view key,
                                        std::string_view example) {
    if (!section.has(key)) section.fail_missing(key, example);
    const toml::node* node = section.table().get(key);
    if (node->is_string()) return {*section.text(key)};
    std::vector<std::string> list = *section.texts(key);
    if (list.empty()) section.fail(key, fmt::format("{} is empty", section.name_of(key)));
    return list;
  }

  /// Words of a list of names, as ascending indices.
  static std::vector<size_t> indices(const TomlSection& section, std::string_view key,
                                     std::string_view kind, const std::vector<std::string>& names) {
    std::vector<size_t> found;
    for (const std::string& word : words(section, key, "a list")) {
      found.push_back(find(names, word));
      if (found.back() == names.size()) {
        section.fail(key,
                     fmt::format("there is no {} \"{}\"{}", kind, word, did_you_mean(word, names)));
      }
    }
    std::ranges::sort(found);
    return found;
  }

  double number(const TomlSection& section, std::string_view key, double least, double most) const {
    const std::optional<double> value = section.number(key);
    if (!value) section.fail_missing(key, fmt::format("{} = 0.05", key));
    if (!(*value >= least && *value <= most)) {
      section.fail(key, fmt::format("{} must be within {:g} to {:g}, got {:g}",
                                    section.name_of(key), least, most, *value));
    }
    return *value;
  }

  double bound(const TomlSection& section, std::string_view key) const {
    return number(section, key, 0, 1);
  }

  std::vector<size_t> attributes(const TomlSection& section) const {
    std::vector<size_t> found;
    size_t num_groups = 1;
    for (const std::string& word : words(section, "attr", "attr = [\"sex\"]")) {
      found.push_back(condition_attribute(section, "attr", word));
      num_groups *= domain_.attributes[found.back()].values.size();
      if (num_groups > kMaxGroups) {
        section.fail("attr", fmt::format("these attributes make more than {} groups; name fewer, "
                                         "or merge values in [groups] of the schema",
                                         kMaxGroups));
      }
    }
    return found;
  }

  ParityGroups groups(const TomlSection& section) const {
    ParityGroups groups;
    groups.attributes = attributes(section);
    const std::string versus = section.text("versus").value_or("rest");
    constexpr std::string_view kReference = "reference:";
    if (versus.starts_with(kReference)) {
      groups.versus.kind = Versus::Kind::kReference;
      groups.versus.reference =
          reference(section, groups.attributes, std::string_view(versus).substr(kReference.size()));
    } else {
      groups.versus.kind = section.choice("versus", Versus::Kind::kRest,
                                          {{"rest", Versus::Kind::kRest},
                                           {"overall", Versus::Kind::kOverall},
                                           {"pairwise", Versus::Kind::kPairwise},
                                           {"reference:VALUE", Versus::Kind::kReference}});
    }
    size_t num_groups = 1;
    for (const size_t attribute : groups.attributes)
      num_groups *= domain_.attributes[attribute].values.size();
    if (num_groups < 2)
      section.fail("attr", "there is only one group, so there is nothing to compare it with");
    if (groups.versus.kind == Versus::Kind::kPairwise && num_groups > kMaxPairedGroups) {
      section.fail(
          "versus",
          fmt::format(
              "more than {} groups make too many pairs; compare with rest, overall or a reference",
              kMaxPairedGroups));
    }
    return groups;
  }

  /// A value of each attribute: "M" or, for several attributes, "M,White".
  std::vector<size_t> reference(const TomlSection& section, const std::vector<size_t>& attributes,
                                std::string_view text) const {
    std::vector<size_t> values;
    for (size_t i = 0; i < attributes.size(); ++i) {
      // The last attribute takes the rest of the text, because a value may hold commas.
      const size_t comma = i + 1 < attributes.size() ? text.find(',') : std::string_view::npos;
      const std::string_view word = text.substr(0, comma);
      const ConstraintDomain::Attribute& attribute = domain_.attributes[attributes[i]];
      values.push_back(find(attribute.values, word));
      if (values.back() == attribute.values.size()) {
        section.fail("versus", fmt::format("\"{}\" is not a value of {}{}", word, attribute.name,
                                           did_you_mean(word, attribute.values)));
      }
      text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    }
    return values;
  }

  std::vector<size_t> all_classes() const { return numbers_below(domain_.classes.size()); }

  /// The classes for parity: with two classes one is enough, because the other gives the same
  /// constraint.
  std::vector<size_t> parity_classes(const TomlSection& section) const {
    if (section.has("pred")) return indices(section, "pred", "class", domain_.classes);
    return domain_.classes.size() == 2 ? std::vector<size_t>{1} : all_classes();
  }

  /// The classes that count as positive, one after another: the second of two classes, or each of
  /// more.
  std::vector<size_t> positive_classes(const TomlSection& section) const {
    if (!section.has("positive"))
      return domain_.classes.size() == 2 ? std::vector<size_t>{1} : all_classes();
    const std::string name = *section.text("positive");
    const size_t positive = find(domain_.classes, name);
    if (positive == domain_.classes.size()) {
      section.fail("positive", fmt::format("there is no class \"{}\"{}", name,
                                           did_you_mean(name, domain_.classes)));
    }
    return {positive};
  }

  /// {sex = "F", label = [...], pred = [...]}
  Conjunction conjunction(const TomlSection& section) const {
    Conjunction conjunction;
    for (const auto& [key, node] : section.in_file_order()) {
      if (key->str() == "label") {
        conjunction.labels = indices(section, "label", "class", domain_.classes);
      } else if (key->str() == "pred") {
        conjunction.predictions = indices(section, "pred", "class", domain_.classes);
      } else {
        const size_t attribute = condition_attribute(section, key->str(), key->str());
        conjunction.attributes.emplace_back(
            attribute, indices(section, key->str(), "value", domain_.attributes[attribute].values));
      }
    }
    std::ranges::sort(conjunction.attributes);
    return conjunction;
  }

  std::vector<RateConstraint> rate_bound(const TomlSection& section) const {
    section.check_keys({"type", "name", "metric", "positive", "where", "max", "min"},
                       " of rate_bound");
    const std::optional<std::string> metric = section.text("metric");
    if (!metric) section.fail_missing("metric", "metric = \"fnr\"");
    const size_t index = find(rate_metric_names(), *metric);
    if (index == rate_metric_names().size()) {
      section.fail("metric", fmt::format("there is no rate \"{}\"; write one of {}", *metric,
                                         toml_list(rate_metric_names(), 0)));
    }
    std::string where_text;
    Conjunction where;
    if (section.has("where")) {
      where = conjunction(section.section("where", "where = {sex = \"F\"}"));
      if (!where.labels.empty() || !where.predictions.empty())
        section.fail("where", "where may name only attributes; the labels follow from the metric");
      if (!where.attributes.empty()) where_text = " where";
      for (const auto& [attribute, values] : where.attributes) {
        where_text += fmt::format(" {}=", domain_.attributes[attribute].name);
        for (const size_t v : values)
          where_text += (v == values[0] ? "" : "|") + domain_.attributes[attribute].values[v];
      }
    }
    std::optional<double> max;
    std::optional<double> min;
    if (section.has("max")) max = bound(section, "max");
    if (section.has("min")) min = bound(section, "min");
    if (!max && !min) section.fail_missing("max", "max = 0.1 or min = 0.9");
    const std::optional<std::string> given_name = section.text("name");
    const std::vector<size_t> positives = positive_classes(section);
    std::vector<RateConstraint> constraints;
    for (const size_t positive : positives) {
      const bool is_usual = domain_.classes.size() == 2 && positive == 1;
      const std::string of_class = " of " + domain_.classes[positive];
      const std::string name = given_name ? *given_name + (positives.size() > 1 ? of_class : "")
                                          : *metric + (is_usual ? "" : of_class) + where_text;
      append(constraints,
             rate_bounds(make_rate(domain_, static_cast<RateMetric>(index), positive, where), max,
                         min, name));
    }
    return constraints;
  }

  Outcome outcome(const TomlSection& section) const {
    if (!section.has("pred"))
      section.fail_missing("pred", "pred = [\"CLASS\"] or pred = \"label\"");
    if (section.table().get("pred")->is_string()) {
      const std::string word = *section.text("pred");
      // A class called "label" can be given as a list.
      if (word == "label") return {Outcome::Kind::kLabel, {}};
      if (word == "!label") return {Outcome::Kind::kNotLabel, {}};
    }
    return {Outcome::Kind::kClasses, indices(section, "pred", "class", domain_.classes)};
  }

  Condition condition(const TomlSection& section) const {
    const TomlSection given =
        section.section("given", "given = {sex = \"F\"}; {} means all records");
    if (!given.has("any")) return {conjunction(given)};
    given.check_keys({"any"}, " next to any");
    const toml::array* list = given.array("any", "a list of conditions");
    if (list->empty()) given.fail("any", "any is empty, so no record meets it");
    Condition condition;
    for (size_t i = 0; i < list->size(); ++i) {
      condition.push_back(conjunction(given.section(
          *list->get(i), fmt::format("{}[{}]", given.name_of("any"), i), "{sex = \"F\"}")));
    }
    return condition;
  }

  std::vector<RateConstraint> linear(const TomlSection& section, const std::string& name) const {
    section.check_keys({"type", "name", "terms", "slack", "sense"},
                       section.has("type") ? " of linear" : " of a constraint without a type");
    constexpr double kMax = 1e6;
    const toml::array* list = section.array("terms", "a list of tables");
    if (list == nullptr || list->empty()) {
      section.fail_missing("terms",
                           "type = \"demographic_parity\", or terms = [{coef = 1, pred = "
                           "[\"CLASS\"], given = {sex = \"F\"}}]");
    }
    RateConstraint constraint;
    constraint.name = name;
    for (size_t i = 0; i < list->size(); ++i) {
      const TomlSection term =
          section.section(*list->get(i), fmt::format("{}[{}]", section.name_of("terms"), i),
                          "{coef = 1, pred = [\"CLASS\"], given = {sex = \"F\"}}");
      term.check_keys({"coef", "pred", "given"}, " of a term");
      const double coefficient = number(term, "coef", -kMax, kMax);
      constraint.terms.push_back({coefficient, {outcome(term), condition(term)}});
    }
    constraint.slack = number(section, "slack", -kMax, kMax);
    enum class Sense { kAtMost, kAtLeast, kBoth };
    const Sense sense =
        section.choice("sense", Sense::kAtMost,
                       {{"<=", Sense::kAtMost}, {">=", Sense::kAtLeast}, {"abs<=", Sense::kBoth}});
    RateConstraint negated = constraint;
    for (RateTerm& term : negated.terms) term.coefficient = -term.coefficient;
    if (sense == Sense::kAtLeast) {
      negated.slack = -constraint.slack;
      return {negated};
    }
    if (sense == Sense::kAtMost) return {constraint};
    if (constraint.slack < 0) section.fail("slack", "an absolute value is never below 0");
    constraint.name += ", above";
    negated.name += ", below";
    return {constraint, negated};
  }

  const ConstraintDomain& domain_;
  std::vector<std::string> attribute_names_;
};

/// The deepest valid nesting.
constexpr int kMaxDepth = 8;

toml::table to_toml_table(const nlohmann::json& json, std::string_view origin, int depth);
toml::array to_toml_array(const nlohmann::json& json, std::string_view origin, int depth);

/// Calls add(value) with the TOML value of a JSON value.
template <typename Add>
void convert(const nlohmann::json& json, std::string_view origin, int depth, const Add& add) {
  if (depth > kMaxDepth) throw Error(ErrorKind::kInput, kWhere, "{}: nested too deeply", origin);
  if (json.is_object()) {
    add(to_toml_table(json, origin, depth + 1));
  } else if (json.is_array()) {
    add(to_toml_array(json, origin, depth + 1));
  } else if (json.is_string()) {
    add(json.get<std::string>());
  } else if (json.is_boolean()) {
    add(json.get<bool>());
  } else if (json.is_number()) {
    add(json.get<double>());
  } else {
    throw Error(ErrorKind::kInput, kWhere, "{}: null is not allowed here", origin);
  }
}

toml::table to_toml_table(const nlohmann::json& json, std::string_view origin, int depth) {
  toml::table table;
  for (const auto& item : json.items()) {
    convert(item.value(), origin, depth,
            [&](auto converted) { table.insert(item.key(), std::move(converted)); });
  }
  return table;
}

toml::array to_toml_array(const nlohmann::json& json, std::string_view origin, int depth) {
  toml::array array;
  for (const nlohmann::json& value : json)
    convert(value, origin, depth, [&](auto converted) { array.push_back(std::move(converted)); });
  return array;
}

/// The parts of "a:b:c". A value may hold colons, so only the first and the last one separate.
std::vector<std::string_view> parts_of(std::string_view text) {
  const size_t first = text.find(':');
  if (first == std::string_view::npos) return {text};
  const size_t last = text.rfind(':');
  if (first == last) return {text.substr(0, first), text.substr(last + 1)};
  return {text.substr(0, first), text.substr(first + 1, last - first - 1), text.substr(last + 1)};
}

}  // namespace

std::vector<RateConstraint> parse_constraints_toml(std::string_view text, std::string_view origin,
                                                   const ConstraintDomain& domain) {
  const toml::table document = parse_toml(text, origin, kWhere);
  return Reader(domain).read(TomlSection(document, "", origin, kWhere));
}

std::vector<RateConstraint> parse_constraints_json(std::string_view text, std::string_view origin,
                                                   const ConstraintDomain& domain) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    throw Error(ErrorKind::kInput, kWhere, "{}:{}: not valid JSON", origin, line);
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInput, kWhere, "{}: contains a number that is too large", origin);
  }
  if (!json.is_object()) {
    throw Error(ErrorKind::kInput, kWhere, "{}: write an object, {{\"constraint\": [...]}}",
                origin);
  }
  const toml::table document = to_toml_table(json, origin, 0);
  return Reader(domain).read(TomlSection(document, "", origin, kWhere));
}

std::vector<RateConstraint> read_constraints(const std::filesystem::path& path,
                                             const ConstraintDomain& domain) {
  const std::string text = read_text(path, kWhere);
  return path.extension() == ".json" ? parse_constraints_json(text, path.string(), domain)
                                     : parse_constraints_toml(text, path.string(), domain);
}

std::vector<RateConstraint> parse_constraint(std::string_view text,
                                             const ConstraintDomain& domain) {
  const std::string origin = fmt::format("--constraint {}", text);
  // Texts from a shell may lack characters that it has interpreted.
  constexpr std::string_view kQuoted =
      " (in a shell, quote constraints with < or >: 'fnr:<=50K:0.1')";
  const auto refuse = [&](std::string_view problem) {
    throw Error(ErrorKind::kUsage, kWhere,
                "{}: {}; write TYPE:ATTRIBUTES:NUMBER, e.g. demographic_parity:sex:0.05, or "
                "RATE:NUMBER, e.g. fnr:0.1, fnr:sex=F:0.1 or fnr:CLASS:0.1",
                origin, problem);
  };
  const std::vector<std::string_view> parts = parts_of(text);
  if (parts.size() < 2) refuse(fmt::format("too few parts{}", kQuoted));
  if (std::ranges::any_of(parts, [](std::string_view part) { return part.empty(); }))
    refuse(fmt::format("a part is empty{}", kQuoted));
  const std::optional<double> number = parse_number(parts.back());
  if (!number) refuse(fmt::format("\"{}\" is not a number", parts.back()));
  const std::string_view type = parts.front();
  const bool is_rate = find(rate_metric_names(), type) < rate_metric_names().size();
  if (type == "rate_bound" || type == "linear")
    refuse(fmt::format("{} is a type for files (--constraints)", type));

  toml::table table;
  if (is_rate) {
    table.insert("type", "rate_bound");
    table.insert("metric", type);
    const bool is_success = type == "tpr" || type == "tnr" || type == "precision";
    table.insert(is_success ? "min" : "max", *number);
  } else {
    if (parts.size() < 3) refuse(fmt::format("too few parts{}", kQuoted));
    table.insert("type", type);
    table.insert(type == "group_error" ? "max" : "slack", *number);
  }
  if (parts.size() == 3) {
    toml::table where;
    toml::array attributes;
    std::string_view rest = parts[1];
    while (true) {
      const size_t comma = find_outside_quotes(rest, ',');
      const std::string_view word = rest.substr(0, comma);
      const size_t equals = find_outside_quotes(word, '=');
      if (is_rate && equals == std::string_view::npos) {
        if (!table.insert("positive", without_quotes(word)).second)
          refuse(fmt::format("\"{}\" is a second class", word));
      } else if (is_rate) {
        const bool is_new = where
                                .insert(without_quotes(word.substr(0, equals)),
                                        without_quotes(word.substr(equals + 1)))
                                .second;
        if (!is_new) refuse(fmt::format("{} is named twice", word.substr(0, equals)));
      } else {
        attributes.push_back(without_quotes(word));
      }
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    if (is_rate) {
      table.insert("where", std::move(where));
    } else {
      table.insert("attr", std::move(attributes));
    }
  }
  return Reader(domain).constraint_of(
      TomlSection(table, "constraint", origin, kWhere, ErrorKind::kUsage));
}

std::vector<RateConstraint> gather_constraints(const std::filesystem::path& path,
                                               const std::vector<std::string>& lines,
                                               const ConstraintDomain& domain) {
  std::vector<RateConstraint> constraints;
  if (!path.empty()) constraints = read_constraints(path, domain);
  for (const std::string& line : lines) append(constraints, parse_constraint(line, domain));
  return constraints;
}

}  // namespace equinoise

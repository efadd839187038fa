// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/predict/saved_model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "equinoise/base/error.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/schema/json_section.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/additive.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/json.h"
#include "equinoise/report/json_reader.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.model";
constexpr std::string_view kVersion = "equinoise/1";

JsonSource model_source(std::string_view origin) {
  return {.origin = std::string(origin),
          .where = kWhere,
          .kind = "a model.json",
          .hint = "give the folder that equinoise train wrote with --out, or the model.json in it"};
}

/// Empty for a file of an earlier version.
std::optional<AttackBounds> read_attack(const JsonSection& root) {
  constexpr const char* kKey = "attack_bounds";
  if (!root.has(kKey) || root.member(kKey).is_null()) return std::nullopt;
  const std::optional<AttackBounds> attack = attack_bounds_from_json(root.member(kKey));
  if (!attack) root.wrong(kKey, "true_positive_rate and advantage, from 0 to 1");
  return attack;
}

/// Refuses a guarantee without the status, or a status without the guarantee, because an audit
/// would report it.
void read_status(const JsonSection& root, SavedModel& saved) {
  const std::optional<PrivacyStatus> status = value_of(kPrivacyStatuses, root.text("status"));
  if (!status) root.wrong("status", "private, not private or insecure rng");
  saved.status = *status;
  saved.privacy = read_guarantee(root, "privacy");
  saved.attack = read_attack(root);
  if (saved.status == PrivacyStatus::kPrivate && !saved.privacy) {
    root.wrong("privacy", "a guarantee, because status is private");
  }
}

void read_split(const JsonSection& root, SavedModel& saved) {
  const JsonSection split = root.section("split");
  saved.test_fraction = split.number("test_fraction");
  if (!(saved.test_fraction >= 0 && saved.test_fraction < 1)) {
    split.wrong("test_fraction", "at least 0 and below 1");
  }
  saved.split_seed = split.unsigned_integer("split_seed");
}

/// Refuses constraints that the schema cannot express, before they are evaluated.
void read_constraints(const JsonSection& root, SavedModel& saved) {
  if (!root.has("constraints")) return;
  saved.constraints = nlohmann::json::object({{"constraint", root.list("constraints")}}).dump();
  try {
    parse_constraints_json(saved.constraints, "constraints", constraint_domain(saved.schema));
  } catch (const Error& error) {
    root.wrong("constraints",
               fmt::format("about columns and values in table_schema ({})", error.what()));
  }
}

/// The defaults if the model is not a network.
NetworkOptions read_network(const JsonSection& root) {
  NetworkOptions options;
  if (!root.has("network")) return options;
  const JsonSection network = root.section("network");
  options.hidden = network.unsigned_integers("hidden");
  options.activation = read_word(network, "activation", kActivations);
  if (network.has("channels")) {
    options.channels = network.unsigned_integers("channels");
    options.kernel_size = network.unsigned_integer("kernel_size");
    options.pooling = read_word(network, "pooling", kPoolings);
  }
  return options;
}

std::unique_ptr<Model> read_model(const JsonSection& root, const Schema& schema) {
  const ColumnSchema& target = schema.column(schema.target);
  const std::vector<std::string> classes =
      target.type == ColumnType::kCategorical ? target.categories() : std::vector<std::string>();
  if (root.texts("classes") != classes) {
    root.wrong("classes", "the values of the target in table_schema");
  }
  const std::string name = root.text("model");
  std::vector<std::string_view> known;
  for (const ModelRow& row : model_kinds()) {
    known.push_back(row.name);
    if (row.name != name) continue;
    if (!row.fits(target) || (row.needs_image && !schema.image)) {
      root.wrong("model", "one that fits the table in table_schema");
    }
    try {
      return row.make(
          {encoded_feature_names(schema), classes, schema.image, target_scale(target).middle,
           row.facts.is_of_columns ? number_cells(schema) : std::vector<NumberCells>()},
          read_network(root));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      root.wrong("network", fmt::format("a network that can be built ({})", error.what()));
    }
  }
  root.wrong("model", fmt::format("one of {}", fmt::join(known, ", ")));
}

/// The additive model with the pairs of the file, if it has any.
std::unique_ptr<Model> read_pairs(const JsonSection& root, std::unique_ptr<Model> base,
                                  const Schema& schema) {
  const auto* additive = dynamic_cast<const AdditiveModel*>(base.get());
  if (!root.has("pairs")) return base;
  if (additive == nullptr) root.wrong("pairs", "of an additive model");
  const EncodedColumns columns = encoded_columns(schema);
  std::vector<AdditivePair> pairs;
  for (const JsonSection& section : root.sections("pairs")) {
    const std::vector<std::string> names = section.texts("columns");
    if (names.size() != 2) section.wrong("columns", "the names of two columns");
    AdditivePair& pair = pairs.emplace_back();
    for (size_t side = 0; side < 2; ++side) {
      const auto found = std::find(columns.names.begin(), columns.names.end(), names[side]);
      if (found == columns.names.end()) section.wrong("columns", "features of table_schema");
      pair.columns[side] = static_cast<size_t>(found - columns.names.begin());
      for (const size_t part :
           section.unsigned_integers(side == 0 ? "first_parts" : "second_parts"))
        pair.parts[side].push_back(static_cast<uint32_t>(part));
    }
  }
  try {
    return additive->with_pairs(std::move(pairs), columns.blocks);
  } catch (const Error& error) {
    root.wrong("pairs", fmt::format("pairs that match table_schema ({})", error.problem()));
  }
}

/// One such model for each group named in the file.
std::unique_ptr<Model> read_model_per_group(const JsonSection& root, std::unique_ptr<Model> base,
                                            const SavedModel& saved) {
  std::vector<std::string> names;
  try {
    names = group_names(list_groups(saved.schema, saved.method_groups));
  } catch (const Error& error) {
    root.wrong("method_groups", fmt::format("columns of table_schema ({})", error.what()));
  }
  std::unique_ptr<Model> model = make_per_group(std::move(base), std::move(names));
  if (model == nullptr) root.wrong("model", "linear if there is one for each group");
  return model;
}

/// named: each value has its name. For pixels there are values only, in the model's order.
std::vector<double> read_parameters(const JsonSection& root, const Model& model, bool named) {
  const nlohmann::json& list = root.list("parameters");
  // Counted first, because the names of a model that a damaged schema describes may not fit in
  // memory.
  if (list.size() != model.num_parameters()) {
    root.wrong("parameters",
               fmt::format("a list of {} parameters, to match table_schema (it has {})",
                           model.num_parameters(), list.size()));
  }
  if (!named) return root.numbers("parameters");
  const std::vector<std::string> names = model.parameter_names();
  std::vector<double> values;
  values.reserve(names.size());
  const std::vector<JsonSection> sections = root.sections("parameters");
  for (size_t i = 0; i < names.size(); ++i) {
    if (sections[i].text("name") != names[i]) {
      sections[i].wrong("name", fmt::format("'{}', to match table_schema", names[i]));
    }
    values.push_back(sections[i].number("value"));
  }
  return values;
}

}  // namespace

SavedModel parse_saved_model(std::string_view text, std::string_view origin) {
  const JsonSource source = model_source(origin);
  const nlohmann::json json = parse_json(text, source);
  const JsonSection root(json, "", source);
  if (root.text("schema") != kVersion) {
    root.wrong("schema", fmt::format("\"{}\", the format of this version", kVersion));
  }

  SavedModel saved;
  saved.schema = parse_schema(root.text("table_schema"), fmt::format("{}, table_schema", origin));
  if (root.has("drop_incomplete") && root.flag("drop_incomplete"))
    use_missing(saved.schema, MissingUse::kDrop);
  if (root.text("dataset") != saved.schema.dataset) {
    root.wrong("dataset", "the dataset of table_schema");
  }
  if (root.text("target").empty() || root.text("target") != saved.schema.target) {
    root.wrong("target", "the target of table_schema");
  }
  saved.method = root.text("method");
  if (root.has("optimizer")) saved.optimizer = root.text("optimizer");
  if (root.has("method_groups")) saved.method_groups = root.texts("method_groups");
  // A file of an older version has no such field: protection is then claimed for no group.
  saved.public_groups =
      root.has("public_groups") ? root.texts("public_groups") : saved.method_groups;
  if (root.has("settings")) {
    const JsonSection settings = root.section("settings");
    for (const std::string& name : settings.names()) {
      if (settings.member(name).is_number()) saved.settings[name] = settings.number(name);
    }
  }
  if (root.has("options")) {
    const JsonSection options = root.section("options");
    for (const std::string& name : options.names())
      saved.options.push_back({name, read_option(options, name)});
  }
  read_status(root, saved);
  if (root.has("diverged") && root.flag("diverged")) {
    source.fail(
        "its training diverged, so its predictions are useless; train again with a lower "
        "--learning-rate");
  }
  read_split(root, saved);
  read_constraints(root, saved);
  saved.model = read_pairs(root, read_model(root, saved.schema), saved.schema);
  if (root.has("model_per_group")) {
    if (!root.flag("model_per_group")) root.wrong("model_per_group", "true if it is given");
    saved.model_per_group = true;
    saved.model = read_model_per_group(root, std::move(saved.model), saved);
  }
  saved.parameters = read_parameters(root, *saved.model, !saved.schema.image);
  return saved;
}

std::filesystem::path model_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / "model.json" : path;
}

SavedModel load_model(const std::filesystem::path& path, const TableOptions& table) {
  const std::filesystem::path file = model_file(path);
  SavedModel saved =
      parse_saved_model(read_json_file(file, model_source(file.string())), file.string());
  saved.schema = with_table_options(saved.schema, table, file.string());
  return saved;
}

}  // namespace equinoise

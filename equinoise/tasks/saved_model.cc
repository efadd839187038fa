#include "equinoise/tasks/saved_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <system_error>

#include "equinoise/base/error.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/data/encoder.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"

namespace equinoise {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kWhere = "tasks.model";
constexpr std::string_view kVersion = "equinoise/1";
constexpr std::string_view kHint =
    "give the folder that equinoise train wrote with --out, or the model.json in it";
constexpr uintmax_t kMaxFileBytes = uintmax_t{1} << 30;
constexpr int kMaxDepth = 16;

/// Messages never quote the file: a table of records may have been given in its place.
[[noreturn]] void fail(std::string_view origin, std::string_view problem) {
  throw Error(ErrorKind::kInput, kWhere, fmt::format("{}: {}", origin, problem));
}

/// "12:3", the line and column of a byte, each from 1.
std::string place_of(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", 1 + std::count(before.begin(), before.end(), '\n'),
                     1 + before.size() - line_start);
}

/// Refuses what the library would let pass: deep nesting, and a key twice in an object.
class StrictCallback {
 public:
  explicit StrictCallback(std::string_view origin) : origin_(origin) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > kMaxDepth) fail(origin_, fmt::format("is not a model: {}", kHint));
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys_.back().insert(value.get_ref<const std::string&>()).second) {
      fail(origin_, "has a key twice in one object; it is damaged, copy the model again");
    }
    return true;
  }

 private:
  std::string_view origin_;
  std::vector<std::set<std::string>> keys_;  ///< of the objects that are open
};

Json parse_json(std::string_view text, std::string_view origin) {
  try {
    StrictCallback strict(origin);
    return Json::parse(text.begin(), text.end(), std::ref(strict));
  } catch (const Json::parse_error& error) {
    fail(fmt::format("{}:{}", origin, place_of(text, error.byte)),
         fmt::format("is not JSON, or was cut short; {}", kHint));
  } catch (const Json::exception&) {
    fail(origin, "holds a number that no model has; it is damaged, copy the model again");
  }
}

/// A JSON object with its place in the file, which every message names.
class Section {
 public:
  Section(const Json& json, std::string path, std::string_view origin)
      : json_(json), path_(std::move(path)), origin_(origin) {
    if (!json_.is_object()) wrong("an object");
  }

  const Json& member(const std::string& key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(origin_, fmt::format("lacks {}; {}", name_of(key), kHint));
    return *found;
  }
  bool has(const std::string& key) const { return json_.contains(key); }
  Section section(const std::string& key) const {
    return Section(member(key), name_of(key), origin_);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& item : json_.items()) names.push_back(item.key());
    return names;
  }
  std::string text(const std::string& key) const {
    const Json& value = member(key);
    if (!value.is_string()) wrong(key, "a string");
    return value.get<std::string>();
  }
  std::vector<std::string> texts(const std::string& key) const {
    std::vector<std::string> values;
    for (const Json& value : list(key)) {
      if (!value.is_string()) wrong(key, "a list of strings");
      values.push_back(value.get<std::string>());
    }
    return values;
  }
  double number(const std::string& key) const {
    const Json& value = member(key);
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (!std::isfinite(number)) wrong(key, "a finite number");
    return number;
  }
  std::vector<double> numbers(const std::string& key) const {
    std::vector<double> values;
    for (const Json& value : list(key)) {
      values.push_back(value.is_number() ? value.get<double>() : NAN);
      if (!std::isfinite(values.back())) wrong(key, "a list of finite numbers");
    }
    return values;
  }
  bool flag(const std::string& key) const {
    const Json& value = member(key);
    if (!value.is_boolean()) wrong(key, "true or false");
    return value.get<bool>();
  }
  uint64_t unsigned_integer(const std::string& key) const {
    const Json& value = member(key);
    if (!value.is_number_unsigned()) wrong(key, "a whole number from 0 to 2^64 - 1");
    return value.get<uint64_t>();
  }
  std::vector<size_t> unsigned_integers(const std::string& key) const {
    std::vector<size_t> values;
    for (const Json& value : list(key)) {
      if (!value.is_number_unsigned()) wrong(key, "a list of whole numbers");
      values.push_back(value.get<size_t>());
    }
    return values;
  }
  const Json& list(const std::string& key) const {
    const Json& value = member(key);
    if (!value.is_array()) wrong(key, "a list");
    return value;
  }

  [[noreturn]] void wrong(const std::string& key, std::string_view expected) const {
    fail(origin_, fmt::format("{} must be {}; the file is damaged or not a model.json",
                              name_of(key), expected));
  }

 private:
  [[noreturn]] void wrong(std::string_view expected) const {
    fail(origin_,
         fmt::format("{} must be {}; {}", path_.empty() ? "the file" : path_, expected, kHint));
  }
  std::string name_of(const std::string& key) const {
    return path_.empty() ? key : fmt::format("{}.{}", path_, key);
  }

  const Json& json_;
  std::string path_;
  std::string_view origin_;
};

std::optional<Guarantee> read_privacy(const Section& root) {
  if (root.member("privacy").is_null()) return std::nullopt;
  const Section section = root.section("privacy");
  const double epsilon = section.number("epsilon");
  if (!(epsilon >= 0)) section.wrong("epsilon", ">= 0");
  const double delta = section.number("delta");
  if (!(delta >= 0 && delta < 1)) section.wrong("delta", "at least 0 and below 1");
  const std::string relation = section.text("relation");
  for (const Relation known : {Relation::kZeroOut, Relation::kAddRemove, Relation::kReplaceOne}) {
    if (to_string(known) == relation) {
      return Guarantee{Epsilon(epsilon), Delta(delta), section.text("accountant"), known};
    }
  }
  section.wrong("relation", "zero_out, add_remove or replace_one");
}

/// A guarantee without the status, or the other way round, would be told to the reader of an audit.
void read_status(const Section& root, SavedModel& saved) {
  saved.status = root.text("status");
  saved.privacy = read_privacy(root);
  const bool known =
      saved.status == "private" || saved.status == "not private" || saved.status == "insecure rng";
  if (!known) root.wrong("status", "private, not private or insecure rng");
  if (saved.status == "private" && !saved.privacy) {
    root.wrong("privacy", "a guarantee, as status is private");
  }
}

void read_split(const Section& root, SavedModel& saved) {
  const Section split = root.section("split");
  saved.test_fraction = split.number("test_fraction");
  if (!(saved.test_fraction >= 0 && saved.test_fraction < 1)) {
    split.wrong("test_fraction", "at least 0 and below 1");
  }
  saved.split_seed = split.unsigned_integer("split_seed");
}

/// What the schema cannot say is refused here, before anybody asks how they are kept.
void read_constraints(const Section& root, SavedModel& saved) {
  if (!root.has("constraints")) return;
  saved.constraints = Json::object({{"constraint", root.list("constraints")}}).dump();
  try {
    parse_constraints_json(saved.constraints, "constraints", constraint_domain(saved.schema));
  } catch (const Error& error) {
    root.wrong("constraints", fmt::format("about what is in table_schema ({})", error.what()));
  }
}

/// The defaults where the model is no network.
NetworkOptions read_network(const Section& root) {
  NetworkOptions options;
  if (!root.has("network")) return options;
  const Section network = root.section("network");
  options.hidden = network.unsigned_integers("hidden");
  options.activation = network.text("activation");
  if (network.has("channels")) {
    options.channels = network.unsigned_integers("channels");
    options.kernel_size = network.unsigned_integer("kernel_size");
    options.pooling = network.text("pooling");
  }
  return options;
}

std::unique_ptr<Model> read_model(const Section& root, const Schema& schema) {
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
      return row.make({encoded_feature_names(schema), classes, schema.image}, read_network(root));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      root.wrong("network", fmt::format("one that can be made ({})", error.what()));
    }
  }
  root.wrong("model", fmt::format("one of {}", fmt::join(known, ", ")));
}

/// One such model for each group that the file names.
std::unique_ptr<Model> read_model_per_group(const Section& root, std::unique_ptr<Model> base,
                                            const SavedModel& saved) {
  auto* linear = dynamic_cast<GeneralisedLinearModel*>(base.get());
  if (linear == nullptr) root.wrong("model", "a linear one where there is one for each group");
  std::vector<std::string> names;
  try {
    names = group_names(list_groups(saved.schema, saved.method_groups));
  } catch (const Error& error) {
    root.wrong("method_groups", fmt::format("columns of table_schema ({})", error.what()));
  }
  base.release();
  return std::make_unique<PerGroupModel>(std::unique_ptr<GeneralisedLinearModel>(linear),
                                         std::move(names));
}

/// named: each with its name; of pixels there are the values alone, in the model's order.
std::vector<double> read_parameters(const Section& root, const Model& model, bool named,
                                    std::string_view origin) {
  const Json& list = root.list("parameters");
  // Counted first: the names of a model that a damaged schema describes need not fit in memory.
  if (list.size() != model.num_parameters()) {
    root.wrong("parameters", fmt::format("{} parameters, as table_schema gives (it has {})",
                                         model.num_parameters(), list.size()));
  }
  if (!named) return root.numbers("parameters");
  const std::vector<std::string> names = model.parameter_names();
  std::vector<double> values;
  values.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const Section parameter(list[i], fmt::format("parameters[{}]", i), origin);
    if (parameter.text("name") != names[i]) {
      parameter.wrong("name", fmt::format("'{}', as table_schema gives", names[i]));
    }
    values.push_back(parameter.number("value"));
  }
  return values;
}

}  // namespace

SavedModel parse_saved_model(std::string_view text, std::string_view origin) {
  const Json json = parse_json(text, origin);
  const Section root(json, "", origin);
  if (root.text("schema") != kVersion) {
    root.wrong("schema", fmt::format("\"{}\", the format of this version", kVersion));
  }

  SavedModel saved;
  saved.schema = parse_schema(root.text("table_schema"), fmt::format("{}, table_schema", origin));
  if (root.text("dataset") != saved.schema.dataset) {
    root.wrong("dataset", "the dataset of table_schema");
  }
  if (root.text("target").empty() || root.text("target") != saved.schema.target) {
    root.wrong("target", "the target of table_schema");
  }
  saved.method = root.text("method");
  if (root.has("optimizer")) saved.optimizer = root.text("optimizer");
  if (root.has("method_groups")) saved.method_groups = root.texts("method_groups");
  if (root.has("settings")) {
    const Section settings = root.section("settings");
    for (const std::string& name : settings.names()) {
      if (settings.member(name).is_number()) saved.settings[name] = settings.number(name);
    }
  }
  read_status(root, saved);
  read_split(root, saved);
  read_constraints(root, saved);
  saved.model = read_model(root, saved.schema);
  if (root.has("model_per_group")) {
    if (!root.flag("model_per_group")) root.wrong("model_per_group", "true where it stands");
    saved.model_per_group = true;
    saved.model = read_model_per_group(root, std::move(saved.model), saved);
  }
  saved.parameters = read_parameters(root, *saved.model, !saved.schema.image, origin);
  return saved;
}

std::filesystem::path model_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / "model.json" : path;
}

SavedModel load_model(const std::filesystem::path& path) {
  const std::filesystem::path file = model_file(path);
  const std::string name = file.string();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    fail(name, fmt::format("no such file; {}", kHint));
  }
  if (status.type() == std::filesystem::file_type::none) fail(name, error.message());
  if (!std::filesystem::is_regular_file(status)) fail(name, "is not a regular file");
  if (std::filesystem::file_size(file, error) > kMaxFileBytes) {
    fail(name, fmt::format("is larger than 1 GiB; {}", kHint));
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    fail(name, fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  }
  std::ostringstream text;
  text << stream.rdbuf();
  // An empty file sets the fail bit, too; parsing says so.
  if (stream.bad() || text.bad()) fail(name, "cannot be read");
  return parse_saved_model(text.view(), name);
}

}  // namespace equinoise

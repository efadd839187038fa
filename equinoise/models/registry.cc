#include "equinoise/models/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/models/linear.h"
#include "equinoise/models/logistic.h"
#include "equinoise/models/mlp.h"
#include "equinoise/models/softmax.h"

namespace equinoise {

namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kWhere = "models.registry";
constexpr std::string_view kAuto = "auto";

bool is_number(const ColumnSchema& target) { return target.type == ColumnType::kNumeric; }

/// 0 for what is not categorical.
size_t num_classes(const ColumnSchema& target) {
  return target.type == ColumnType::kCategorical ? target.categories().size() : 0;
}

bool has_two_classes(const ColumnSchema& target) { return num_classes(target) == 2; }

bool has_classes(const ColumnSchema& target) { return num_classes(target) >= 2; }

std::unique_ptr<Model> make_logistic(Names features, const Names& classes, const NetworkOptions&) {
  return std::make_unique<LogisticModel>(std::move(features), classes);
}

std::unique_ptr<Model> make_softmax(Names features, const Names& classes, const NetworkOptions&) {
  return std::make_unique<SoftmaxModel>(std::move(features), classes);
}

std::unique_ptr<Model> make_linear(Names features, const Names&, const NetworkOptions&) {
  return std::make_unique<LinearModel>(std::move(features));
}

std::unique_ptr<Model> make_mlp_for(Names features, const Names& classes,
                                    const NetworkOptions& options) {
  return make_mlp(std::move(features),
                  classes.empty() ? make_squared_loss() : make_softmax_loss(classes.size()),
                  options);
}

bool is_number_or_has_classes(const ColumnSchema& target) {
  return is_number(target) || has_classes(target);
}

constexpr std::array kRows = {
    ModelRow{"logistic", "two classes, one logit; log loss", has_two_classes, make_logistic},
    ModelRow{"softmax", "two or more classes, a score for each; log loss", has_classes,
             make_softmax},
    ModelRow{"linear", "a number; half the squared error on the scale of the schema", is_number,
             make_linear},
    ModelRow{"mlp", "classes or a number, hidden layers of tanh or relu; log loss, squared error",
             is_number_or_has_classes, make_mlp_for},
};

const ModelRow& find_model(std::string_view name) {
  Names names = {std::string(kAuto)};
  for (const ModelRow& row : kRows) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::kUsage, kWhere,
              nearest.empty()
                  ? fmt::format("there is no model \"{}\"; equinoise methods lists them", name)
                  : fmt::format("there is no model \"{}\"; did you mean \"{}\"?", name, nearest));
}

/// "the target 'income' (categorical, 2 values)"
std::string describe(const ColumnSchema& target) {
  return target.type == ColumnType::kCategorical
             ? fmt::format("the target '{}' (categorical, {} values)", target.name,
                           target.categories().size())
             : fmt::format("the target '{}' ({})", target.name,
                           target.type == ColumnType::kNumeric ? "numeric" : "ignored");
}

}  // namespace

std::span<const ModelRow> model_kinds() { return kRows; }

std::unique_ptr<Model> make_model(std::string_view name, const Schema& schema,
                                  const NetworkOptions& options) {
  const ModelRow* chosen = name == kAuto ? nullptr : &find_model(name);
  if (schema.target.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                "the schema names no target; add target = \"COLUMN\" at its top");
  }
  const ColumnSchema& target = schema.column(schema.target);
  Names fitting;
  for (const ModelRow& row : kRows) {
    if (!row.fits(target)) continue;
    if (chosen == nullptr) chosen = &row;
    fitting.emplace_back(row.name);
  }
  if (fitting.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                fmt::format("no model can learn {}; it must be numeric, or categorical with at "
                            "least two values",
                            describe(target)));
  }
  if (!chosen->fits(target)) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("the model \"{}\" does not fit {}; these do: {}", name,
                            describe(target), fmt::join(fitting, ", ")));
  }
  return chosen->make(encoded_feature_names(schema),
                      target.type == ColumnType::kCategorical ? target.categories() : Names(),
                      options);
}

}  // namespace equinoise

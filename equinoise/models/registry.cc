// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/models/additive.h"
#include "equinoise/models/cnn.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/models/mlp.h"

namespace equinoise {

namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kWhere = "models.registry";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};
constexpr std::string_view kAuto = "auto";

bool is_number(const ColumnSchema& target) { return target.type == ColumnType::kNumeric; }

/// The number of classes; 0 for a target that is not categorical.
size_t num_classes(const ColumnSchema& target) {
  return target.type == ColumnType::kCategorical ? target.categories().size() : 0;
}

bool has_two_classes(const ColumnSchema& target) { return num_classes(target) == 2; }

bool has_classes(const ColumnSchema& target) { return num_classes(target) >= 2; }

template <typename Classifier>
std::unique_ptr<Model> make_classifier(const ModelInput& input, const NetworkOptions&) {
  return std::make_unique<Classifier>(input.feature_names, input.classes);
}

std::unique_ptr<Model> make_linear(const ModelInput& input, const NetworkOptions&) {
  return std::make_unique<LinearModel>(input.feature_names, input.target_middle);
}

std::unique_ptr<Model> make_additive_for(const ModelInput& input, const NetworkOptions&) {
  return std::make_unique<AdditiveModel>(input.feature_names, input.classes, input.cells,
                                         input.target_middle);
}

std::unique_ptr<Loss> loss_for(const ModelInput& input) {
  return input.classes.empty() ? make_squared_loss() : make_softmax_loss(input.classes.size());
}

std::unique_ptr<Model> make_mlp_for(const ModelInput& input, const NetworkOptions& options) {
  return make_mlp(input.feature_names, loss_for(input), options);
}

NetworkOptions settle_mlp(const NetworkOptions& options) {
  NetworkOptions settled = {
      .hidden = options.hidden, .activation = options.activation, .init_seed = options.init_seed};
  if (settled.hidden.empty()) settled.hidden = {256, 256};
  return settled;
}

/// Errors: kInput if there is none.
const ImageShape& image_of(const ModelInput& input) {
  if (input.image) return *input.image;
  throw Error(ErrorKind::kInput, kWhere, "the model needs images");
}

std::unique_ptr<Model> make_cnn_for(const ModelInput& input, const NetworkOptions& options) {
  return make_cnn("cnn", image_of(input), loss_for(input), options);
}

std::unique_ptr<Model> make_lenet(const ModelInput& input, const NetworkOptions& options) {
  constexpr int64_t kSmallest = 16;  // twice a convolution of 5 x 5 and pooling by 2 x 2
  const ImageShape& image = image_of(input);
  if (std::min(image.height, image.width) < kSmallest) {
    refuse(
        "lenet needs images of at least {} x {} pixels, but these have {} x "
        "{}; use a cnn with smaller layers",
        kSmallest, kSmallest, image.height, image.width);
  }
  return make_cnn("lenet", image, loss_for(input), options);
}

NetworkOptions settle_cnn(const NetworkOptions& options) {
  NetworkOptions settled = options;
  if (settled.channels.empty()) settled.channels = {32, 16};
  return settled;
}

bool is_number_or_has_classes(const ColumnSchema& target) {
  return is_number(target) || has_classes(target);
}

constexpr std::string_view kMlpOptions[] = {"hidden", "activation", "init_seed"};
constexpr std::string_view kCnnOptions[] = {"hidden",      "activation", "channels",
                                            "kernel_size", "pooling",    "init_seed"};
constexpr std::string_view kLenetOptions[] = {"activation", "init_seed"};

constexpr std::array kRows = {
    ModelRow{"logistic",
             "two classes with one logit; log loss",
             {.is_linear = true, .is_convex = true, .has_one_score = true},
             false,
             has_two_classes,
             make_classifier<LogisticModel>},
    ModelRow{"softmax",
             "two or more classes with a score for each; log loss",
             {.is_linear = true, .is_convex = true},
             false,
             has_classes,
             make_classifier<SoftmaxModel>},
    ModelRow{"linear",
             "a number; half the squared error, on the schema's scale",
             {.is_linear = true, .is_convex = true, .has_one_score = true, .is_regression = true},
             false,
             is_number,
             make_linear},
    ModelRow{"hinge",
             "two classes with one score; hinge loss",
             {.is_linear = true,
              .is_convex = true,
              .has_one_score = true,
              .is_smooth = false,
              .has_probabilities = false},
             false,
             has_two_classes,
             make_classifier<HingeModel>},
    ModelRow{"additive",
             "classes or a number by a sum over the columns of what each value adds, numbers by "
             "the bin that they are in; log loss or squared error",
             {.is_convex = true, .is_of_columns = true},
             false,
             is_number_or_has_classes,
             make_additive_for},
    ModelRow{
        "mlp",
        "classes or a number, through hidden layers of tanh or relu; log loss or squared error",
        {},
        false,
        is_number_or_has_classes,
        make_mlp_for,
        settle_mlp,
        kMlpOptions},
    ModelRow{"cnn",
             "classes or a number from images, through convolutions, then fully connected layers; "
             "losses as for mlp",
             {},
             true,
             is_number_or_has_classes,
             make_cnn_for,
             settle_cnn,
             kCnnOptions},
    ModelRow{"lenet",
             "classes or a number from images by LeNet-5: convolutions of 6 and 16 channels, 5 x "
             "5, with average pooling, then layers of 120 and 84",
             {},
             true,
             is_number_or_has_classes,
             make_lenet,
             lenet_options,
             kLenetOptions},
};

/// Refuses options that the kind of model would not use.
void check_used(const ModelRow& row, const NetworkOptions& options) {
  for (const NetworkOption& option : network_options()) {
    const std::string_view name = option.facts.name;
    const bool is_changed =
        !changed_flags<NetworkOptions>({&option, 1}, options, NetworkOptions()).empty();
    if (row.follows(name) || !is_changed) continue;
    std::vector<std::string_view> followers;
    for (const ModelRow& other : kRows)
      if (other.follows(name)) followers.push_back(other.name);
    refuse("{} is an option of {}; the model is \"{}\"", name, fmt::join(followers, ", "),
           row.name);
  }
}

const ModelRow& find_model(std::string_view name) {
  return find_row(kRows, kWhere, "model", name, "equinoise methods lists them",
                  {std::string(kAuto)});
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

bool ModelRow::follows(std::string_view option) const { return contains(options, option); }

ModelFacts model_facts(std::string_view name) {
  const auto row = std::ranges::find(kRows, name, &ModelRow::name);
  return row == kRows.end() ? ModelFacts() : row->facts;
}

std::span<const ModelRow> model_kinds() { return kRows; }

std::unique_ptr<Model> make_model(std::string_view name, const Schema& schema,
                                  const NetworkOptions& options) {
  const ModelRow* chosen = name == kAuto ? nullptr : &find_model(name);
  if (schema.target.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                "the schema names no target; add target = \"COLUMN\" at its top");
  }
  const ColumnSchema& target = schema.column(schema.target);
  const auto fits = [&](const ModelRow& row) {
    return row.fits(target) && (!row.needs_image || schema.image) &&
           !(row.facts.is_of_columns && schema.image);
  };
  Names fitting;
  for (const ModelRow& row : kRows) {
    if (!fits(row)) continue;
    if (chosen == nullptr) chosen = &row;
    fitting.emplace_back(row.name);
  }
  if (fitting.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                "no model can learn {}; it must be numeric, or categorical with at "
                "least two values",
                describe(target));
  }
  if (!fits(*chosen)) {
    refuse("the model \"{}\" does not fit {}{}; these do: {}", name, describe(target),
           schema.image          ? " of a table of images"
           : chosen->needs_image ? " of a table without images"
                                 : "",
           fmt::join(fitting, ", "));
  }
  check_used(*chosen, options);
  check_options<NetworkOptions>(kWhere, network_options(), options);
  return chosen->make(
      {encoded_feature_names(schema),
       target.type == ColumnType::kCategorical ? target.categories() : Names(), schema.image,
       target_scale(target).middle,
       chosen->facts.is_of_columns ? number_cells(schema) : std::vector<NumberCells>()},
      settled_options(chosen->name, options).value_or(NetworkOptions()));
}

std::optional<NetworkOptions> settled_options(std::string_view name,
                                              const NetworkOptions& options) {
  const ModelRow& row = find_model(name);
  if (row.settle == nullptr) return std::nullopt;
  return row.settle(options);
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/number_cells.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/models/model.h"
#include "equinoise/models/network_options.h"

namespace equinoise {

/// The input of a model's construction, from the schema alone.
struct ModelInput {
  std::vector<std::string> feature_names;
  std::vector<std::string> classes;      ///< empty for a numeric target
  std::optional<ImageShape> image = {};  ///< if the features are pixels
  double target_middle = 0;              ///< TargetScale::middle
  std::vector<NumberCells> cells = {};   ///< number_cells()
};

/// Properties of a kind of model that methods depend on.
struct ModelFacts {
  bool is_linear = false;         ///< scores are linear in the parameters
  bool is_convex = false;         ///< its losses are convex in the parameters
  bool has_one_score = false;     ///< for each record
  bool is_smooth = true;          ///< its losses have second derivatives almost everywhere
  bool is_regression = false;     ///< it always predicts a number
  bool is_of_columns = false;     ///< its features are columns; tables of images have none
  bool has_probabilities = true;  ///< of classes, as Predictions::has_probabilities

  bool has_parts() const { return is_linear || is_of_columns; }  ///< Model::parts
};

/// One kind of model. The CLI's list, saved models and the tests read this table.
struct ModelRow {
  std::string_view name;     ///< "logistic"
  std::string_view summary;  ///< one line: target, loss
  ModelFacts facts;
  bool needs_image;  ///< features must be the pixels of an image
  /// Returns whether the model can learn this target.
  bool (*fits)(const ColumnSchema& target);
  std::unique_ptr<Model> (*make)(const ModelInput& input, const NetworkOptions& options);
  /// The user's options completed by the model's own defaults; null if it is no network.
  NetworkOptions (*settle)(const NetworkOptions& options) = nullptr;
  /// Options of networks that this kind follows and others do not.
  std::span<const std::string_view> options = {};

  bool follows(std::string_view option) const;
};

std::span<const ModelRow> model_kinds();

/// The facts of the kind `name`; the defaults for an unknown name.
ModelFacts model_facts(std::string_view name);

/// The model `name` for the schema. "auto" takes the first kind that fits the target: logistic for
/// two classes, softmax for more, linear for a number. Errors: kUsage for an unknown name (proposes
/// the nearest), one that does not fit the target or options that the kind does not use; kInput for
/// a schema without target, or with one that no kind fits.
std::unique_ptr<Model> make_model(std::string_view name, const Schema& schema,
                                  const NetworkOptions& options = {});

/// The options of the network that make_model makes, or nothing if the kind is not a network.
/// Errors: kUsage for an unknown name.
std::optional<NetworkOptions> settled_options(std::string_view name, const NetworkOptions& options);

}  // namespace equinoise

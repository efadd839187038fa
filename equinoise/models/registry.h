#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/schema.h"
#include "equinoise/models/mlp.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// One kind of model. The CLI's list, saved models and the tests read this table.
struct ModelRow {
  std::string_view name;     ///< "logistic"
  std::string_view summary;  ///< one line: target, loss
  /// Whether the model can learn this target.
  bool (*fits)(const ColumnSchema& target);
  /// `classes` is empty for a numeric target; `options` are for networks.
  std::unique_ptr<Model> (*make)(std::vector<std::string> feature_names,
                                 const std::vector<std::string>& classes,
                                 const NetworkOptions& options);
};

std::span<const ModelRow> model_kinds();

/// The model of that name for the schema; "auto" takes the first kind that fits the target:
/// logistic for two classes, softmax for more, linear for a number.
/// Errors: kUsage for an unknown name (proposes the nearest) or one that does not fit the target;
/// kInput for a schema without target, or with one that no kind fits.
std::unique_ptr<Model> make_model(std::string_view name, const Schema& schema,
                                  const NetworkOptions& options = {});

}  // namespace equinoise

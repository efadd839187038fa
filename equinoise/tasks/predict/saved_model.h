// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/base/option_value.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/models/model.h"
#include "equinoise/privacy/accountants/attack_bounds.h"
#include "equinoise/privacy/guarantee.h"

namespace equinoise {

/// A trained model as in model.json: parameters, the schema that encodes records for them, and the
/// facts of its training.
struct SavedModel {
  Schema schema;  ///< with the target of the training
  std::unique_ptr<Model> model;
  std::vector<double> parameters;  ///< (model->num_parameters())
  std::string method;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::optional<Guarantee> privacy;        ///< as in the file
  std::optional<AttackBounds> attack;      ///< the same, if the file has it
  std::string optimizer;                   ///< "sgd"
  std::vector<std::string> method_groups;  ///< the columns of the method's groups, if any
  /// Those of them in which group membership is not protected.
  std::vector<std::string> public_groups;
  bool model_per_group = false;  ///< one model per group of these: predictions need group ids
  std::string constraints;       ///< a file of constraints from its training; "": none
  std::map<std::string, double> settings;  ///< from its training, by name
  std::vector<Setting> options;            ///< of its method, as its training used them
  double test_fraction = 0;                ///< of the split that held records out
  uint64_t split_seed = 0;
};

/// Parses the text of a model.json. Errors: kInput, naming `origin` and the problem: not JSON (with
/// its place), another format version, a missing or wrong key, parameters that are not finite or do
/// not fit the schema's features and classes.
SavedModel parse_saved_model(std::string_view text, std::string_view origin);

/// The model.json at `path`: the file itself, or the one in that folder.
std::filesystem::path model_file(const std::filesystem::path& path);

/// Reads model.json, or the folder that holds it. `table`: the command's layout options for the
/// tables that it reads with the model's schema. Errors: kInput.
SavedModel load_model(const std::filesystem::path& path, const TableOptions& table = {});

}  // namespace equinoise

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

/// A trained model as model.json holds it: parameters, the schema that encodes records for them,
/// how it was made.
struct SavedModel {
  Schema schema;  ///< with the target that the model was trained for
  std::unique_ptr<Model> model;
  std::vector<double> parameters;  ///< (model->num_parameters())
  std::string method;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::optional<Guarantee> privacy;        ///< what the file says
  std::optional<AttackBounds> attack;      ///< the same, if it says that
  std::string optimizer;                   ///< "sgd"
  std::vector<std::string> method_groups;  ///< the columns of the method's groups, if it has any
  std::vector<std::string> public_groups;  ///< which of these anyone is in is not protected
  bool model_per_group = false;            ///< one for each of these: it needs their ids to predict
  std::string constraints;                 ///< of its training, a file of constraints; "": none
  std::map<std::string, double> settings;  ///< of its training, by name
  std::vector<Setting> options;            ///< of its method, as its training used them
  double test_fraction = 0;                ///< of the split that held records out
  uint64_t split_seed = 0;
};

/// Parses the text of a model.json. Errors: kInput that names `origin` and what is wrong: not JSON
/// (with its place), another format version, a missing or wrong key, parameters that are not finite
/// or do not fit the schema's features and classes.
SavedModel parse_saved_model(std::string_view text, std::string_view origin);

/// The model.json that `path` means: itself, or the one in that folder.
std::filesystem::path model_file(const std::filesystem::path& path);

/// Reads model.json, or the folder that holds it. `table`: what the command says about the tables
/// that it reads with the model's schema. Errors: kInput.
SavedModel load_model(const std::filesystem::path& path, const TableOptions& table = {});

}  // namespace equinoise

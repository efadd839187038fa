// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "equinoise/base/method_status.h"

namespace equinoise {

/// Properties that hold for all runs of a training method. Each method declares its own as
/// `kTraits`; the registry, the checks of TrainingMethod::plan and the tasks read them.
struct MethodTraits {
  std::string_view name;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::string_view source;   ///< key in docs/references.bib
  std::string_view summary;  ///< one line

  /// The least number of groups in the table and in the facts; 0: the method does not use groups.
  size_t min_groups = 0;

  /// Whether it lowers the largest loss of any group.
  bool compares_groups = false;

  /// Whether groups may overlap. The facts then hold cells, and the groups that each cell is in.
  bool takes_overlapping_groups = false;

  /// Whether each step follows a noisy sum of clipped gradients from its own batch, and a run can
  /// be resumed from the states between steps.
  bool is_stepwise = true;

  /// Whether it trains on tables whose units have several rows. Everything it learns of records is
  /// then a sum over a batch of units, with a bounded part per unit, whatever its rows are
  /// (loop.h).
  bool supports_units = false;

  /// Whether it divides records by their positions in the table. A record that becomes null keeps
  /// its position; counted rows have none.
  bool follows_places = false;

  /// Whether its guarantee does not protect which group a record is in: a record that becomes null
  /// keeps its group.
  bool takes_groups_as_public = false;

  /// Whether its model has a part for each group of the table: a PerGroupModel. For a method that
  /// uses constraints, only if these name attributes.
  bool has_model_per_group = false;

  /// Whether the configuration must hold constraints. The table's groups are then the contexts of
  /// their program.
  bool uses_constraints = false;

  /// Whether every step uses all records, so that TrainingConfig::batch_size is ignored.
  bool takes_full_batches = false;

  /// Whether it releases coefficients with intervals, where noise allows.
  bool releases_coefficients = false;

  /// Whether predictions follow TrainingFacts::directions.
  bool keeps_monotone = false;

  /// Whether max_grad_norm is the norm that gradients are scaled to, or the start of groups' clips,
  /// instead of a limit on gradients. It is then not derived from the length of gradients
  /// (quiet_clip).
  bool clips_otherwise = false;

  /// Whether it has WorstGroupOptions::pool_below, so that groups too small to be learnt above the
  /// noise can be trained as one.
  bool pools_small_groups = false;

  /// The option that replaces --steps: "rounds". "": --steps is used, or there is a single step.
  std::string_view steps_option = "";

  /// Whether it trains models of that name; and the text of a refusal after the method's name, {}
  /// for the model's: "trains linear models, got {}; use dpsgd".
  bool (*trains)(std::string_view model) = [](std::string_view) { return true; };
  std::string_view other_models = "";

  /// The model it trains by default; "": the first that fits.
  std::string_view own_model = "";

  /// The method without a guarantee and with the same aim.
  std::string_view reference = "sgd";

  /// The private method to use instead of a method without a guarantee, which then refuses a
  /// budget.
  std::string_view private_form = "";

  /// Whether an audit can explain a step: steps follow clipped gradients of the saved model, with
  /// weights that are saved as well.
  bool is_explained = true;

  /// The difference between its steps and the explained ones, {} for its name: "gradients of the
  /// loss alone, but the steps of {} also follow a penalty"; "": none.
  std::string_view unexplained = "";

  /// Its use in addition to a plan of another method, and whether only with numeric features.
  std::string_view purpose = "";
  bool needs_numeric_feature = false;

  bool uses_groups() const { return min_groups > 0; }

  bool operator==(const MethodTraits&) const = default;
};

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "equinoise/base/method_status.h"

namespace equinoise {

/// What holds for all runs of a training method: what it is, takes and needs. Each method declares
/// its own as `kTraits`; the registry, the checks of TrainingMethod::plan and the tasks read them.
struct MethodTraits {
  std::string_view name;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::string_view source;   ///< key in docs/references.bib
  std::string_view summary;  ///< one line

  /// How many groups the table must hold, and the facts their number; 0: it knows no groups.
  size_t min_groups = 0;

  /// Whether it lowers the largest loss of any group.
  bool compares_groups = false;

  /// Whether groups may overlap: the facts then hold cells and the groups that these are in.
  bool takes_overlapping_groups = false;

  /// Whether each step follows a noisy sum of clipped gradients of a batch of its own, and a run
  /// can be resumed from the states between steps.
  bool is_stepwise = true;

  /// Whether it trains on tables whose units have several rows: all that it learns of records are
  /// sums over batches of units, in which a unit's part is bounded whatever its rows are (loop.h).
  bool supports_units = false;

  /// Whether it divides records by their places in the table, as one that becomes null keeps its
  /// place: counted rows have none.
  bool follows_places = false;

  /// Whether its guarantee leaves open which group a record is in: one that becomes null keeps its
  /// group.
  bool takes_groups_as_public = false;

  /// Whether its model has a part for each group of the table: a PerGroupModel. Of a method that
  /// uses constraints only where these name attributes.
  bool has_model_per_group = false;

  /// Whether the configuration must hold constraints. The table's groups are then the contexts of
  /// their program.
  bool uses_constraints = false;

  /// Whether every step uses all records: TrainingConfig::batch_size is then not asked.
  bool takes_full_batches = false;

  /// Whether max_grad_norm is what gradients are scaled to, or where clips of groups begin, instead
  /// of how long gradients may be: it then does not follow how long they are (quiet_clip).
  bool clips_otherwise = false;

  /// Whether it has WorstGroupOptions::pool_below: groups so small that noise decides what is
  /// learnt of them can then be trained as one.
  bool pools_small_groups = false;

  /// The option that says how many steps it takes where --steps does not: "rounds"; "": --steps
  /// does, or it takes one.
  std::string_view steps_option = "";

  /// Whether it trains models of that name, and what a refusal says of others behind its own name,
  /// {} for theirs: "trains linear models, got {}; use dpsgd".
  bool (*trains)(std::string_view model) = [](std::string_view) { return true; };
  std::string_view other_models = "";

  /// The kind of model that it trains where the user names none; "": the first that fits.
  std::string_view own_model = "";

  /// The method without a guarantee that wants the same.
  std::string_view reference = "sgd";

  /// Of a method without a guarantee, which then refuses a budget: the private one to use instead.
  std::string_view private_form = "";

  /// Whether its steps follow clipped gradients of the model that is saved, with weights that are
  /// saved as well, so that an audit can explain one.
  bool is_explained = true;

  /// How its steps differ from those that an explanation is of, {} for its name: "gradients of the
  /// loss alone, but the steps of {} also follow a penalty"; "": not at all.
  std::string_view unexplained = "";

  /// What it is for beside a plan of another method, and whether only with numeric features.
  std::string_view purpose = "";
  bool needs_numeric_feature = false;

  bool uses_groups() const { return min_groups > 0; }

  bool operator==(const MethodTraits&) const = default;
};

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/base/progress.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/network_options.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// What `equinoise train` and `equinoise plan` are asked for.
struct TrainRequest {
  SchemaFile schema;
  TableSource data;                   ///< train only
  std::filesystem::path labels_path;  ///< train only, of a table of images; see TableFiles
  std::string method = "dpsgd";
  std::string model = "auto";  ///< a name of models/registry.h
  NetworkOptions network;      ///< of models that are networks
  TrainingConfig config;
  std::string objective;  ///< what the method must lower, average or worst-group; "": either
  std::optional<double> batch_size;  ///< config's is not used [default_batch_size]
  std::optional<int64_t> num_steps;  ///< config's is not used [default_num_steps]
  /// Nobody chose the learning rates: they are lowered where noise would decide the model. Nobody
  /// chose the clip: it follows typical gradients and the noise.
  bool settles_learning_rate = false;
  bool settles_clip = false;
  std::vector<std::string> constraints;    ///< of methods that obey some, one line each
  std::filesystem::path constraints_path;  ///< and in a file; "": none
  /// A method that obeys no constraints is judged by them; otherwise it refuses them.
  bool judges_by_constraints = false;
  std::vector<std::vector<std::string>> groupings;  ///< each: the columns of one grouping
  /// Weights, clips and epsilons are of the groups of all groupings, of each of which everybody is
  /// in one, see overlapping_groups.h.
  bool overlapping = false;
  bool public_data = false;      ///< let a schema pass that was drafted from the data; NOT PRIVATE
  bool reference = false;        ///< train the non-private reference beside
  std::string reference_method;  ///< the method of it; "": the one that wants the same
  /// Release how often the model is right about held-out records of each group, and how they keep
  /// the constraints [the latter, where a private run has both].
  std::optional<bool> private_evaluation;
  bool force = false;   ///< replace files in out_path
  bool resume = false;  ///< go on from the checkpoint
  GroupFloor group_floor;
  double test_fraction = 0.25;
  uint64_t split_seed = 0;
  int64_t explain_every = 0;               ///< steps between two looks at why groups lose; 0: none
  size_t explain_directions = 20;          ///< of the estimates of curvature
  std::optional<double> evaluation_noise;  ///< its stddev [what costs no more than training]
  std::string ledger_path = "equinoise.ledger";
  std::string ledger_key;        ///< "": none; a key pays once, so that a script may try again
  std::string out_path;          ///< train only; "": write nothing
  std::string checkpoint_path;   ///< train only; "": keep no states
  int64_t checkpoint_every = 0;  ///< steps; 0: a tenth of all
  std::optional<uint64_t>
      insecure_seed;           ///< a reproducible run that is not private and spends nothing
  std::string command;         ///< how to repeat it
  std::vector<Setting> asked;  ///< the same by names of options, for the run file
};

/// The cost of a run, from the schema alone: nothing is read, nothing is spent.
/// Errors: kInput (schema), kUsage (configuration), kLedger (a ledger that exists and is broken).
TrainingReport plan_training(const TrainRequest& request);

/// Reads, splits, plans, reserves the whole cost in the ledger, trains, evaluates on the held-out
/// records, writes.
///
/// Guarantee: every record of the table, also a held-out one, is protected as the plan says in
/// everything publishable (model.json, model_card.*). report.* and the returned metrics are not
/// private; what private_evaluation releases is part of the plan and of the model card. Nothing is
/// spent before everything that can be checked has been: data, configuration, output folder, disk.
/// After that the cost stays spent, whatever happens; with a checkpoint the run can go on without
/// being paid for again. Errors: as plan_training; kRuntime when the progress says that the run was
/// interrupted.
TrainingReport train(const TrainRequest& request, TrainProgress& progress);

struct TrainingSetup;

/// The same of a request that is set up (set_up_training), on a table in memory.
TrainingReport train(const TrainRequest& request, TrainingSetup setup, const Dataset& table,
                     TrainProgress& progress);

}  // namespace equinoise

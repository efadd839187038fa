#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/report/training_report.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// What `equinoise train` and `equinoise plan` are asked for.
struct TrainRequest {
  std::string schema_path;
  std::string data_path;  ///< train only
  std::string method = "dpsgd";
  TrainingConfig config;
  std::vector<std::vector<std::string>> groupings;  ///< each: the columns of one grouping
  double test_fraction = 0.25;
  uint64_t split_seed = 0;
  bool reference = false;  ///< train the non-private reference beside
  std::string ledger_path = "equinoise.ledger";
  std::string out_path;  ///< train only; "": write nothing
  bool force = false;
  std::optional<uint64_t>
      insecure_seed;    ///< a reproducible run that is not private and spends nothing
  std::string command;  ///< how to repeat it
};

/// Told how training goes. Called from the training thread; may throw to stop.
class TrainProgress {
 public:
  virtual ~TrainProgress() = default;
  virtual void stage(const std::string& text) { static_cast<void>(text); }
  /// `epsilon_after(k)` is what k steps cost; empty for a method without a guarantee.
  virtual void start_training(int64_t num_steps,
                              const std::function<double(int64_t)>& epsilon_after) {
    static_cast<void>(num_steps);
    static_cast<void>(epsilon_after);
  }
  virtual void step_done(int64_t num_steps_done) { static_cast<void>(num_steps_done); }
  virtual void finish_training() {}
};

/// The cost of a run, from the schema alone: nothing is read, nothing is spent.
/// Errors: kInput (schema), kUsage (configuration), kLedger (a ledger that exists and is broken).
TrainingReport plan_training(const TrainRequest& request);

/// Reads, splits, plans, reserves the whole cost in the ledger, trains, evaluates on the held-out
/// records, writes.
///
/// Guarantee: every record of the table, also a held-out one, is protected as the plan says in
/// everything publishable (model.json, model_card.*). report.json and the returned metrics are not
/// private. Nothing is spent before everything that can be checked has been: data, configuration,
/// output folder, disk. After that the cost stays spent, whatever happens.
TrainingReport train(const TrainRequest& request, TrainProgress& progress);

}  // namespace equinoise

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/report.h"

namespace equinoise {

/// What one run of one method gave.
struct ReproductionOutcome {
  std::vector<double> accuracy = {};  ///< (compared groups) on the test records, in percent
  std::vector<ReproductionPoint> points = {};             ///< columns_of() the item
  std::vector<std::vector<ReproductionPoint>> also = {};  ///< of what it follows beside
  std::optional<double> epsilon_by_rdp = std::nullopt;  ///< of what the run would release, were it
  std::optional<double> epsilon_by_pld = std::nullopt;  ///< paid for
};

/// Called by a run while it goes on; what they throw ends it.
struct RunCallbacks {
  std::function<void()> after_step;
  std::function<void()> check_interruption;  ///< within long steps, from any thread
};

/// The runs of an item on its records. NOT PRIVATE: batches and noise follow from the seed.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// How many steps a run of the method with that seed takes.
  virtual int64_t num_steps(const ReproductionMethod& method, uint64_t seed) const = 0;

  /// Runs it on one thread. Several runs may go side by side. Errors: those of the method.
  virtual ReproductionOutcome run(const ReproductionMethod& method, uint64_t seed,
                                  const RunCallbacks& callbacks) const = 0;

  /// What a run gave, in a few words; "" where runs are too many to be told.
  virtual std::string describe(const ReproductionOutcome& outcome) const = 0;
};

/// Tables and figures over training: torch's initial parameters, the last iterate. Errors: kInput
/// (files, an item whose groups are not those of its data).
std::unique_ptr<Experiment> open_training_experiment(const ReproductionItem& item,
                                                     int64_t num_epochs,
                                                     const std::filesystem::path& folder,
                                                     TaskProgress& progress);

/// Sweeps under rate constraints, see sweep_experiment.h. Errors: kInput (files, a constraint that
/// does not fit the table).
std::unique_ptr<Experiment> open_sweep_experiment(const ReproductionItem& item,
                                                  const std::filesystem::path& folder);

/// Regression of groups whose records are drawn from a distribution or a table, see
/// simulation_experiment.h. Errors: kInput (files, a group that the table has not).
std::unique_ptr<Experiment> open_simulation_experiment(const ReproductionItem& item,
                                                       const std::filesystem::path& folder);

/// Means of groups of records that are drawn or of a table, or of published means, see
/// means_experiment.h. Errors: kInput (files, columns that the table has not).
std::unique_ptr<Experiment> open_means_experiment(const ReproductionItem& item,
                                                  const std::filesystem::path& folder);

/// Means that authors have published, beside releases from records that are made to have them; one
/// run tells of all stratifications. Errors: kInput.
std::unique_ptr<Experiment> open_published_means_experiment(const ReproductionItem& item,
                                                            const std::filesystem::path& folder);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/reproduction/data/datasets.h"
#include "equinoise/reproduction/figures.h"
#include "equinoise/reproduction/item_header.h"

namespace equinoise {

class TomlSection;  // its header is heavy

/// Functions that a run calls as it progresses; an exception from them ends it.
struct RunCallbacks {
  std::function<void()> after_step;
  std::function<void()> check_interruption;  ///< within long steps, from any thread
};

/// The runs of an experiment on its records. A method is given by its index among the item's. NOT
/// PRIVATE: batches and noise follow from the seed.
class ExperimentRuns {
 public:
  virtual ~ExperimentRuns() = default;

  /// The number of steps of a run of the method with that seed.
  virtual int64_t num_steps(size_t method, uint64_t seed) const = 0;

  /// Runs the method on one thread. Several runs may go in parallel. Errors: those of the method.
  virtual ReproductionOutcome run(size_t method, uint64_t seed,
                                  const RunCallbacks& callbacks) const = 0;

  /// A run's result in a few words; "" if runs are too many to be reported one by one.
  virtual std::string describe(const ReproductionOutcome&) const { return ""; }
};

/// A request's replacements for the item's own numbers.
struct Efforts {
  std::optional<int64_t> epochs;
  std::optional<int64_t> steps;       ///< of runs that are not counted in epochs
  std::optional<int64_t> every;       ///< steps between two measurements
  std::optional<int64_t> directions;  ///< of estimates of traces
};

/// The limits of an item's short form.
struct ShortForm {
  int64_t num_records = 500;
  size_t num_values = 2;   ///< the first ones of the varied values
  size_t num_methods = 3;  ///< the first ones, if another item runs them all
  int64_t num_steps = 8;
  int64_t num_epochs = 2;
  size_t num_directions = 2;  ///< of estimates of traces

  /// Keeps the first ones.
  template <typename Value>
  static void cut(std::vector<Value>& values, size_t num_kept) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), num_kept)),
                 values.end());
  }
};

/// One kind of experiment: runs an item's methods and interprets their runs. Functions that need
/// the header of the item receive it.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// The meaning of the positions of a run's points: "epoch", "step", or the varied parameter.
  virtual std::string position() const = 0;

  /// The meaning of the values of a run's points.
  virtual std::vector<std::string> columns(const ItemHeader& item) const = 0;

  /// Returns whether points of runs are reported, and skipped methods with all their metrics.
  virtual bool has_curves() const { return true; }

  /// The files that it reads; nullptr if records are drawn.
  virtual const ReproductionFiles* files(const ItemHeader& item) const;

  /// All compared figures of a method, in the order of the paper's columns. `reference` holds the
  /// runs of the method that it is compared with, or is nullptr. Without runs: the metrics.
  virtual std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                                       const Outcomes* reference) const = 0;

  /// Notes on the runs and the meaning of metrics.
  virtual std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const = 0;

  /// Further facts about the records; printed after the rules of verdicts.
  virtual std::vector<std::string> closing_notes(const ItemHeader&) const { return {}; }

  /// The values of each seed that tests compare.
  virtual std::string tested() const { return "one value"; }

  /// The source of targets.
  virtual std::string target() const {
    return "an independent re-implementation with the same hyper-parameters";
  }

  /// Raised whenever runs of this kind change their results for the same item and records: older
  /// kept runs are refused from then on.
  virtual int64_t revision() const = 0;

  /// The facts that make two runs the same, next to method, seed and records: an object of values
  /// and of one object "settings".
  virtual nlohmann::ordered_json identity(const ItemHeader& item) const;

  /// The meaning of the points of kept runs, if runs of one file may have several: that of
  /// ReproductionOutcome::points, then those of `also`.
  virtual std::vector<std::string> series() const { return {""}; }

  /// Returns whether its efforts differ from the item's, so that nothing is compared.
  virtual bool is_shortened() const { return false; }

  /// The experiment with other efforts; nullptr if nothing changes. Removes the efforts that it
  /// uses from `asked`.
  virtual std::shared_ptr<const Experiment> with_efforts(Efforts& /*asked*/) const {
    return nullptr;
  }

  /// The experiment in the fewest steps that cover everything its runs do. The records that are
  /// read are already few.
  virtual std::shared_ptr<const Experiment> shortened(const ShortForm& form) const = 0;

  /// The experiment with runs that also record the values that `other` shows; nullptr if these are
  /// not its runs.
  virtual std::shared_ptr<const Experiment> following(const Experiment& /*other*/) const {
    return nullptr;
  }

  /// Reads an item that shows the runs of this one. `item` is the header of this one except its
  /// name, and is adapted. Errors: kInput, also if there are no such items.
  virtual std::shared_ptr<const Experiment> read_figure(const TomlSection& root,
                                                        ItemHeader& item) const;

  /// Reads an item that differs from this one in some setting only.
  virtual std::shared_ptr<const Experiment> read_variant(const TomlSection& root,
                                                         ItemHeader& item) const;

  /// Reads the records. Pre: the experiment and the item outlive the runs. Errors: kInput (files, a
  /// description that does not fit them).
  virtual std::unique_ptr<ExperimentRuns> open(const ItemHeader& item,
                                               const std::filesystem::path& folder,
                                               TaskProgress& progress) const = 0;
};

/// An experiment with the settings that its item describes.
template <typename Settings>
class ExperimentOf : public Experiment {
 public:
  explicit ExperimentOf(Settings settings) : settings_(std::move(settings)) {}

  const Settings& settings() const { return settings_; }

 protected:
  Settings settings_;
};

}  // namespace equinoise

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
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/reproduction/data/datasets.h"
#include "equinoise/reproduction/figures.h"
#include "equinoise/reproduction/item_header.h"

namespace equinoise {

class TomlSection;  // its header is heavy

/// Called by a run while it goes on; what they throw ends it.
struct RunCallbacks {
  std::function<void()> after_step;
  std::function<void()> check_interruption;  ///< within long steps, from any thread
};

/// The runs of an experiment on its records. A method is given by its place among the item's. NOT
/// PRIVATE: batches and noise follow from the seed.
class ExperimentRuns {
 public:
  virtual ~ExperimentRuns() = default;

  /// How many steps a run of the method with that seed takes.
  virtual int64_t num_steps(size_t method, uint64_t seed) const = 0;

  /// Runs it on one thread. Several runs may go side by side. Errors: those of the method.
  virtual ReproductionOutcome run(size_t method, uint64_t seed,
                                  const RunCallbacks& callbacks) const = 0;

  /// What a run gave, in a few words; "" where runs are too many to be reported one by one.
  virtual std::string describe(const ReproductionOutcome&) const { return ""; }
};

/// What a request may ask of an experiment instead of the item's own numbers.
struct Efforts {
  std::optional<int64_t> epochs;
  std::optional<int64_t> steps;       ///< of runs that are not counted in epochs
  std::optional<int64_t> every;       ///< steps between two looks at a run
  std::optional<int64_t> directions;  ///< of estimates of traces
};

/// What a short form of an item keeps of it.
struct ShortForm {
  int64_t num_records = 500;
  size_t num_values = 2;   ///< the first ones of what the item varies
  size_t num_methods = 3;  ///< the first ones, where another item runs them all
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

/// What one kind of experiment knows of an item: how its methods are run, and what their runs say.
/// The header of the item is handed to those who need it.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// What positions of a run's points are: "epoch", "step", or the parameter that they follow.
  virtual std::string position() const = 0;

  /// What values of a run's points are.
  virtual std::vector<std::string> columns(const ItemHeader& item) const = 0;

  /// Whether points of runs are reported, and skipped methods with all their metrics.
  virtual bool has_curves() const { return true; }

  /// Whether its runs are so short that there is no need to choose among methods.
  virtual bool has_short_runs() const { return false; }

  /// Whether there is what the method needs.
  virtual bool is_built(const ReproductionMethod&) const { return true; }

  /// Why no method can be run, or "". Missing files are not among the reasons.
  virtual std::string obstacle() const { return ""; }

  /// The files that it reads; nullptr where records are drawn.
  virtual const ReproductionFiles* files(const ItemHeader& item) const;

  /// Everything that is compared of a method, in the order of the paper's columns. `reference` are
  /// the runs of the method that it is compared with, or nullptr. Without runs: the metrics.
  virtual std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                                       const Outcomes* reference) const = 0;

  /// What runs do and what metrics mean.
  virtual std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const = 0;

  /// What else is known of the records; it follows the rules of verdicts.
  virtual std::vector<std::string> closing_notes(const ItemHeader&) const { return {}; }

  /// What tests compare of each seed.
  virtual std::string tested() const { return "one value"; }

  /// Where targets are from.
  virtual std::string target() const {
    return "an independent re-implementation with the same hyper-parameters";
  }

  /// Raised whenever runs of this kind come to give other results for the same item and records:
  /// runs that were kept before are refused from then on.
  virtual int64_t revision() const = 0;

  /// What makes two runs the same, next to method, seed and records: an object of values and of one
  /// object "settings".
  virtual nlohmann::ordered_json identity(const ItemHeader& item) const;

  /// What points of kept runs tell, where runs of one file may tell of several things: that of
  /// ReproductionOutcome::points, then those of `also`.
  virtual std::vector<std::string> series() const { return {""}; }

  /// Whether its efforts are not those of the item, so that nothing is compared.
  virtual bool is_shortened() const { return false; }

  /// The same with other efforts; nullptr where nothing changes. Takes out of `asked` what it has a
  /// use for.
  virtual std::shared_ptr<const Experiment> with_efforts(Efforts& /*asked*/) const {
    return nullptr;
  }

  /// The same in the fewest steps that go through all that its runs do. Records that are read are
  /// as few already.
  virtual std::shared_ptr<const Experiment> shortened(const ShortForm& form) const = 0;

  /// The same, whose runs also give what `other` shows of them; nullptr if these are not its runs.
  virtual std::shared_ptr<const Experiment> following(const Experiment& /*other*/) const {
    return nullptr;
  }

  /// Reads an item that shows the runs of this one. `item` is the header of this one but for its
  /// name, and is adapted. Errors: kInput, also where there are no such items.
  virtual std::shared_ptr<const Experiment> read_figure(const TomlSection& root,
                                                        ItemHeader& item) const;

  /// The same for an item that is like this one but for some setting.
  virtual std::shared_ptr<const Experiment> read_variant(const TomlSection& root,
                                                         ItemHeader& item) const;

  /// Reads the records. Pre: the experiment and the item outlive the runs. Errors: kInput (files, a
  /// description that does not fit them).
  virtual std::unique_ptr<ExperimentRuns> open(const ItemHeader& item,
                                               const std::filesystem::path& folder,
                                               TaskProgress& progress) const = 0;
};

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/training/training_item.h"

namespace equinoise {

/// Tables and figures over training.
class TrainingExperiment final : public Experiment {
 public:
  explicit TrainingExperiment(ReproductionTraining training) : training_(std::move(training)) {}

  const ReproductionTraining& training() const { return training_; }

  std::string position() const override;
  std::vector<std::string> columns(const ItemHeader& item) const override;
  bool has_curves() const override { return !training_.is_table; }
  bool is_built(const ReproductionMethod& method) const override;
  std::string obstacle() const override;
  const ReproductionFiles* files(const ItemHeader& item) const override;
  std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                               const Outcomes* reference) const override;
  std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const override;
  std::vector<std::string> closing_notes(const ItemHeader& item) const override;
  std::string tested() const override;
  int64_t revision() const override { return 1; }
  nlohmann::ordered_json identity(const ItemHeader& item) const override;
  std::vector<std::string> series() const override;
  bool is_shortened() const override { return is_shortened_; }
  std::shared_ptr<const Experiment> with_efforts(Efforts& asked) const override;
  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override;
  std::shared_ptr<const Experiment> following(const Experiment& other) const override;
  std::shared_ptr<const Experiment> read_figure(const TomlSection& root,
                                                ItemHeader& item) const override;
  std::shared_ptr<const Experiment> read_variant(const TomlSection& root,
                                                 ItemHeader& item) const override;
  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress& progress) const override;

 private:
  ReproductionTraining training_;
  bool is_shortened_ = false;
};

/// Reads a table.
std::shared_ptr<const Experiment> read_training(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/worst_group/worst_group_item.h"

namespace equinoise {

/// Largest losses of groups over many problems.
class WorstGroupExperiment final : public Experiment {
 public:
  explicit WorstGroupExperiment(ReproductionWorstGroup settings) : settings_(std::move(settings)) {}

  const ReproductionWorstGroup& settings() const { return settings_; }

  std::string position() const override { return "problem"; }
  int64_t revision() const override { return 2; }
  std::vector<std::string> columns(const ItemHeader&) const override { return settings_.metrics; }
  bool has_short_runs() const override { return true; }
  std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                               const Outcomes* reference) const override;
  std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const override;
  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override;
  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress& progress) const override;

 private:
  ReproductionWorstGroup settings_;
};

/// Reads an experiment on worst-group risk. Errors: kInput.
std::shared_ptr<const Experiment> read_worst_group(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise

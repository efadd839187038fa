// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/simulation_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/split.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/reproduction/data/tables.h"

namespace equinoise {

namespace {

constexpr std::array<std::string_view, 6> kOfGroups = {"MSPE ",           "error ", "residual ",
                                                       "standard error ", "share ", "rho "};

/// "MSPE 2" belongs to group 1.
std::optional<std::pair<std::string_view, size_t>> parse_metric_of_group(std::string_view name) {
  for (const std::string_view kind : kOfGroups) {
    if (!name.starts_with(kind)) continue;
    const std::optional<double> number = parse_number(name.substr(kind.size()));
    if (number && *number >= 1 && *number == std::floor(*number))
      return std::pair(kind, static_cast<size_t>(*number) - 1);
  }
  return std::nullopt;
}

/// Records to fit, and the errors of parameters in each group.
struct DrawnRecords {
  GroupRecords train;
  std::optional<GroupRecords> test;  ///< of a table
  SimulationPanel panel;             ///< of drawn records
  bool is_logistic = false;          ///< then drawn

  double prediction_error(size_t group, std::span<const double> parameters) const {
    if (is_logistic) return misclassified(group, parameters);
    if (test) {
      return test->loss_sum(RegressionModel::kLinear, group, parameters,
                            std::numeric_limits<double>::infinity()) /
             static_cast<double>(test->group_sizes()[group]);
    }
    const double noise = panel.noise[group];
    const double distance = parameters[0] - panel.slopes[group];
    return noise * noise + distance * distance;
  }

 private:
  /// The expected share of wrong predictions for targets drawn anew for the same features.
  double misclassified(size_t group, std::span<const double> parameters) const {
    const size_t num_features = train.num_features();
    size_t first = 0;
    for (size_t k = 0; k < group; ++k) first += static_cast<size_t>(train.group_sizes()[k]);
    const auto size = static_cast<size_t>(train.group_sizes()[group]);
    double wrong = 0;
    for (size_t i = first; i < first + size; ++i) {
      const std::span<const double> row = train.features().subspan(i * num_features, num_features);
      const double score = std::inner_product(row.begin(), row.end(), parameters.begin(), 0.0);
      const double log_odds = panel.slopes[group] * row[group];
      wrong += 1 / (1 + std::exp(score >= 0 ? log_odds : -log_odds));
    }
    return wrong / static_cast<double>(size);
  }
};

/// x ~ N(0, 1), y = slope x + N(0, noise^2), one group after another.
DrawnRecords draw_records(const SimulationPanel& panel, uint64_t seed) {
  constexpr uint64_t kStream = 0;
  SimulationNoise random(seed, kStream);
  std::vector<double> features;
  std::vector<double> targets;
  for (size_t k = 0; k < panel.sizes.size(); ++k) {
    for (int64_t i = 0; i < panel.sizes[k]; ++i) {
      features.push_back(random.normal());
      targets.push_back(panel.slopes[k] * features.back() + panel.noise[k] * random.normal());
    }
  }
  return {GroupRecords::disjoint(1, panel.sizes, std::move(features), std::move(targets)),
          std::nullopt, panel};
}

/// x ~ N(0, I) scaled down to the unit ball, as many numbers as there are groups; the log odds of
/// y = 1 against -1 are the slope times the group's own number.
DrawnRecords draw_classified_records(const SimulationPanel& panel, uint64_t seed) {
  constexpr uint64_t kStream = 0;
  SimulationNoise random(seed, kStream);
  const size_t num_features = panel.sizes.size();
  std::vector<double> features;
  std::vector<double> targets;
  std::vector<double> row(num_features);
  for (size_t k = 0; k < panel.sizes.size(); ++k) {
    for (int64_t i = 0; i < panel.sizes[k]; ++i) {
      double squared = 0;
      for (double& value : row) {
        value = random.normal();
        squared += value * value;
      }
      for (double& value : row) value /= std::max(1.0, std::sqrt(squared));
      append(features, row);
      const double probability = 1 / (1 + std::exp(-panel.slopes[k] * row[k]));
      targets.push_back((random.uniform() + 1) / 2 < probability ? 1 : -1);
    }
  }
  DrawnRecords drawn{
      GroupRecords::disjoint(num_features, panel.sizes, std::move(features), std::move(targets)),
      std::nullopt, panel};
  drawn.is_logistic = true;
  return drawn;
}

/// The panel at a value of the parameter.
SimulationPanel panel_at(SimulationPanel panel, std::string_view parameter, double value) {
  if (parameter == "size") std::ranges::fill(panel.sizes, static_cast<int64_t>(value));
  if (parameter == "groups") {
    const auto num_groups = static_cast<size_t>(value);
    panel.sizes.resize(num_groups);
    panel.slopes.resize(num_groups);
    panel.noise.resize(num_groups);
  }
  return panel;
}

/// A table's records, sorted by group.
class GroupedTable {
 public:
  GroupedTable(const ItemHeader& item, const ReproductionSimulation& simulation,
               const std::filesystem::path& folder)
      : table_(read_reproduction_table(item.data, folder, item.max_records)),
        records_(encode(table_.dataset, table_.schema)),
        bounds_(simulation.settings.stage_one) {
    const SimulationPanel& panel = simulation.panels.front();
    const Grouping grouping = group_by(table_.dataset, table_.schema, {panel.group_column});
    for (const std::string& name : panel.groups) {
      const auto found = std::ranges::find_if(
          grouping.groups, [&](const GroupLabel& label) { return label.front().second == name; });
      if (found == grouping.groups.end()) {
        throw Error(ErrorKind::kInput, "tasks.reproduce", "column {} has no category {}",
                    panel.group_column, name);
      }
      groups_.push_back(GroupId(static_cast<uint32_t>(found - grouping.groups.begin())));
    }
    group_of_ = grouping.group_of;
  }

  DrawnRecords split(uint64_t seed) const {
    constexpr double kHeldOut = 0.25;
    const Split split = split_records(records_.num_records, kHeldOut, seed);
    return {gather(split.train), gather(split.test), {}};
  }

 private:
  /// Features are 1 and those of the encoder; rows are scaled into the ball of stage one.
  GroupRecords gather(const std::vector<uint32_t>& chosen) const {
    const size_t num_features = records_.num_features + size_t{1};
    std::vector<double> features;
    std::vector<double> targets;
    std::vector<int64_t> sizes;
    for (const GroupId group : groups_) {
      const size_t first = targets.size();
      for (const uint32_t record : chosen) {
        if (group_of_[record] != group || records_.contributes[record] == 0) continue;
        features.push_back(1);
        append_features(records_, record, features);
        targets.push_back(records_.targets[record]);
      }
      sizes.push_back(static_cast<int64_t>(targets.size() - first));
    }
    GroupRecords records =
        GroupRecords::disjoint(num_features, sizes, std::move(features), std::move(targets));
    records.clip(bounds_.feature_norm_bound, bounds_.target_bound);
    return records;
  }

  ReproductionTable table_;
  EncodedTable records_;
  StageOneBounds bounds_;
  std::vector<GroupId> groups_;
  std::vector<GroupId> group_of_;
};

class SimulationRuns final : public ExperimentRuns {
 public:
  SimulationRuns(const ItemHeader& item, const ReproductionSimulation& simulation,
                 const std::filesystem::path& folder)
      : simulation_(simulation) {
    if (!item.is_drawn()) table_.emplace(item, simulation, folder);
  }

  int64_t num_steps(size_t method, uint64_t) const override {
    return simulation_.is_followed_by(simulation_.lines[method].method)
               ? std::ssize(simulation_.values)
               : 1;
  }

  ReproductionOutcome run(size_t method, uint64_t seed,
                          const RunCallbacks& callbacks) const override {
    const SimulatedMethod& simulated = simulation_.lines[method].method;
    const bool follows = simulation_.is_followed_by(simulated);
    const bool follows_rho = simulation_.parameter == "rho";
    const SimulationPanel& panel = simulation_.panels[simulation_.lines[method].panel];
    std::optional<DrawnRecords> records;
    std::optional<SimulatedStageOneAnswers> stage_one;
    ReproductionOutcome outcome;
    for (size_t i = 0; i < simulation_.values.size(); ++i) {
      const double value = simulation_.values[i];
      if (!records || !follows_rho) {
        const SimulationPanel drawn = panel_at(panel, simulation_.parameter, value);
        records.emplace(table_ ? table_->split(seed)
                        : simulation_.settings.model == RegressionModel::kLogistic
                            ? draw_classified_records(drawn, seed)
                            : draw_records(drawn, seed));
      }
      // Each value has its own stream; the first is that of the records.
      SimulationNoise noise(seed, i + 1);
      if (needs_stage_one(simulated)) {
        if (!stage_one || !follows_rho) {
          stage_one.emplace(records->train, simulation_.settings.stage_one,
                            simulation_.settings.model);
        }
        stage_one->use(noise);
      }
      SimulationSettings settings = simulation_.settings;
      if (simulation_.parameter == "steps")
        settings.descent.num_steps = static_cast<int64_t>(value);
      const SimulatedOutcome run =
          run_simulated(simulated, settings, records->train, follows_rho ? value : simulation_.rho,
                        stage_one ? &*stage_one : nullptr, noise);
      ReproductionPoint& point = outcome.points.emplace_back();
      point.position = follows ? value : kUnconstrained;
      for (const std::string& metric : simulation_.metrics)
        point.values.push_back(value_of(metric, run, *records));
      callbacks.after_step();
      if (!follows) break;
    }
    return outcome;
  }

 private:
  static double value_of(const std::string& metric, const SimulatedOutcome& run,
                         const DrawnRecords& records) {
    const std::span<const int64_t> sizes = records.train.group_sizes();
    if (const auto of_group = parse_metric_of_group(metric)) {
      const auto [kind, group] = *of_group;
      const auto entry = [&, k = group](const std::vector<double>& values) {
        return k < values.size() ? values[k] : std::numeric_limits<double>::quiet_NaN();
      };
      if (kind == "share ") return entry(run.shares);
      if (kind == "rho ") return entry(run.group_rho);
      if (kind == "residual ") return entry(run.residuals);
      if (kind == "standard error ")
        return entry(run.residuals) / std::sqrt(static_cast<double>(sizes[group]));
      return records.prediction_error(group, run.parameters[group]);
    }
    const bool is_smallest = metric.ends_with(" smallest");
    const int64_t size =
        is_smallest ? *std::ranges::min_element(sizes) : *std::ranges::max_element(sizes);
    double sum = 0;
    double count = 0;
    for (size_t k = 0; k < sizes.size(); ++k) {
      if (sizes[k] != size) continue;
      sum += records.prediction_error(k, run.parameters[k]);
      ++count;
    }
    return sum / count;
  }

  const ReproductionSimulation& simulation_;
  std::optional<GroupedTable> table_;
};

}  // namespace

bool is_simulation_metric(std::string_view name) {
  return name == "MSPE largest" || name == "MSPE smallest" || name == "error largest" ||
         name == "error smallest" || parse_metric_of_group(name);
}

std::unique_ptr<ExperimentRuns> open_simulation_runs(const ItemHeader& item,
                                                     const ReproductionSimulation& simulation,
                                                     const std::filesystem::path& folder) {
  return std::make_unique<SimulationRuns>(item, simulation, folder);
}

}  // namespace equinoise

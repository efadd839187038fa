// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/worst_group_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/split.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/accountants/calibration.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/reproduction/worst_group/printed_noise.h"
#include "equinoise/train/worst_group/ball.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

constexpr std::array<std::string_view, 5> kWorstGroupFigures = {"excess", "test loss", "test error",
                                                                "overall error", "epsilon"};
constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr uint64_t kFirstTuningSeed = 1'000'000;

double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

double worst_loss(const GroupedRecords& records, const std::vector<double>& parameters) {
  return largest(records.mean_losses(parameters, kNoBound));
}

struct Problem {
  GroupedRecords train;
  GroupedRecords test;
};

/// The direction of a random vector, orthogonal to `other` unless that is empty.
std::vector<double> random_direction(size_t size, const std::vector<double>& other,
                                     SimulationNoise& random) {
  std::vector<double> direction(size);
  for (double& value : direction) value = random.normal();
  double product = 0;
  for (size_t j = 0; j < other.size(); ++j) product += direction[j] * other[j];
  for (size_t j = 0; j < other.size(); ++j) direction[j] -= product * other[j];
  const double norm = euclidean_norm(direction);
  for (double& value : direction) value /= norm;
  return direction;
}

/// Equal groups of `group_size` records each.
GroupedRecords draw_groups(size_t num_groups, int64_t group_size, const std::vector<double>& first,
                           const std::vector<double>& others, SimulationNoise& random) {
  const size_t num_features = first.size();
  const double slope = 3 * std::sqrt(static_cast<double>(num_features));
  std::vector<double> features;
  std::vector<double> targets;
  for (size_t group = 0; group < num_groups; ++group) {
    const std::vector<double>& direction = group == 0 ? first : others;
    for (int64_t i = 0; i < group_size; ++i) {
      const std::vector<double> x = random_direction(num_features, {}, random);
      double logit = 0;
      for (size_t j = 0; j < num_features; ++j) logit += slope * direction[j] * x[j];
      features.insert(features.end(), x.begin(), x.end());
      targets.push_back((random.uniform() + 1) / 2 < 1 / (1 + std::exp(-logit)) ? 1 : -1);
    }
  }
  return {RegressionModel::kLogistic,
          1,
          num_features,
          std::vector<int64_t>(num_groups, group_size),
          std::move(features),
          std::move(targets)};
}

Problem draw_problem(const WorstGroupCell& cell, uint64_t seed) {
  constexpr int64_t kTestRecords = 1000;  // of each group
  SimulationNoise random(seed, 2);
  const auto num_features = static_cast<size_t>(cell.num_features);
  const auto num_groups = static_cast<size_t>(cell.num_groups);
  const std::vector<double> others = random_direction(num_features, {}, random);
  const std::vector<double> across = random_direction(num_features, others, random);
  std::vector<double> first(num_features);
  for (size_t j = 0; j < num_features; ++j)
    first[j] = -0.3 * others[j] + std::sqrt(1 - 0.09) * across[j];
  const auto group_size = static_cast<int64_t>(cell.num_records / cell.num_groups);
  GroupedRecords train = draw_groups(num_groups, group_size, first, others, random);
  return {std::move(train), draw_groups(num_groups, kTestRecords, first, others, random)};
}

/// A table of two classes, the records of each group together, features and a 1.
class TableInGroups {
 public:
  TableInGroups(const ItemHeader& item, const ReproductionWorstGroup& settings,
                const std::filesystem::path& folder)
      : table_(read_reproduction_table(item.data, folder, item.max_records)),
        records_(encode(table_.dataset, table_.schema)),
        num_groups_(0) {
    const Grouping grouping = group_by(table_.dataset, table_.schema, settings.group_columns);
    // Groups whose categories are not kept apart become one.
    std::map<std::string, uint32_t> merged;
    std::vector<uint32_t> place_of;
    for (const GroupLabel& label : grouping.groups) {
      std::string name;
      for (const auto& [column, value] : label) {
        const auto kept = settings.kept.find(column);
        const bool is_apart =
            kept == settings.kept.end() ||
            std::find(kept->second.begin(), kept->second.end(), value) != kept->second.end();
        name += (is_apart ? value : std::string("others")) + ",";
      }
      place_of.push_back(merged.emplace(name, static_cast<uint32_t>(merged.size())).first->second);
    }
    num_groups_ = merged.size();
    for (const GroupId group : grouping.group_of) {
      const size_t index = index_of(group);
      group_of_.push_back(index < place_of.size() ? place_of[index] : kNoGroup);
    }
    if (records_.classes.size() != 2)
      throw Error(ErrorKind::kInput, "tasks.reproduce", "the target must have two classes");
  }

  Problem split(uint64_t seed) const {
    constexpr double kHeldOut = 0.25;
    const Split split = split_records(records_.num_records, kHeldOut, seed);
    return {gather(split.train), gather(split.test)};
  }

 private:
  static constexpr uint32_t kNoGroup = UINT32_MAX;

  GroupedRecords gather(const std::vector<uint32_t>& chosen) const {
    const size_t num_features = records_.num_features + size_t{1};
    std::vector<double> features;
    std::vector<double> targets;
    std::vector<int64_t> sizes;
    for (size_t group = 0; group < num_groups_; ++group) {
      const size_t first = targets.size();
      for (const uint32_t record : chosen) {
        if (group_of_[record] != group || records_.contributes[record] == 0) continue;
        append_features(records_, record, features);
        features.push_back(1);
        targets.push_back(records_.labels[record] == 1 ? 1 : -1);
      }
      if (targets.size() > first) sizes.push_back(static_cast<int64_t>(targets.size() - first));
    }
    return {RegressionModel::kLogistic, 1, num_features, sizes, std::move(features),
            std::move(targets)};
  }

  ReproductionTable table_;
  EncodedTable records_;
  size_t num_groups_;
  std::vector<uint32_t> group_of_;
};

/// Noise and what it costs.
struct Calibration {
  double gradient = 0;
  double loss = 0;
  double epsilon = 0;
};

/// The rates that are tuned.
struct Rates {
  double learning_rate = 0;
  double group_learning_rate = 0;
  double max_grad_norm = 1;
  double loss_share = 0.2;
};

class WorstGroupRuns final : public ExperimentRuns {
 public:
  WorstGroupRuns(const ItemHeader& item, const ReproductionWorstGroup& settings,
                 const std::filesystem::path& folder)
      : settings_(settings) {
    if (!settings_.group_columns.empty()) table_.emplace(item, settings, folder);
  }

  int64_t num_steps(size_t, uint64_t) const override { return std::ssize(settings_.cells); }

  ReproductionOutcome run(size_t method, uint64_t seed,
                          const RunCallbacks& callbacks) const override {
    ReproductionOutcome outcome;
    for (size_t c = 0; c < settings_.cells.size(); ++c) {
      const Problem problem = problem_of(c, seed);
      double epsilon = std::numeric_limits<double>::quiet_NaN();
      const std::vector<double> parameters =
          parameters_of(settings_.methods[method], c, problem.train, seed, callbacks, epsilon);
      ReproductionPoint& point = outcome.points.emplace_back();
      point.position = static_cast<double>(c);
      const std::vector<double> errors = problem.test.error_rates(parameters);
      double wrong = 0;
      for (size_t k = 0; k < errors.size(); ++k)
        wrong += errors[k] * static_cast<double>(problem.test.group_sizes()[k]);
      for (const std::string& metric : settings_.metrics) {
        point.values.push_back(
            metric == "excess" ? worst_loss(problem.train, parameters) - optimum(c, seed, problem)
            : metric == "test loss"  ? worst_loss(problem.test, parameters)
            : metric == "test error" ? largest(errors)
            : metric == "epsilon"    ? epsilon
                                     : wrong / static_cast<double>(problem.test.num_records()));
      }
      callbacks.after_step();
    }
    return outcome;
  }

 private:
  Problem problem_of(size_t cell, uint64_t seed) const {
    return table_ ? table_->split(seed) : draw_problem(settings_.cells[cell], seed);
  }

  /// What is found once and wanted again; two threads may find it at the same time.
  template <typename Key, typename Value, typename Find>
  Value once(std::map<Key, Value>& known, const Key& key, const Find& find) const {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = known.find(key); found != known.end()) return found->second;
    }
    const Value value = find();
    const std::lock_guard lock(mutex_);
    return known.emplace(key, value).first->second;
  }

  double optimum(size_t cell, uint64_t seed, const Problem& problem) const {
    // Of a table the problem does not follow the cell.
    return once(optima_, std::pair(table_ ? 0 : cell, seed),
                [&] { return worst_loss(problem.train, best_for_worst_group(problem.train)); });
  }

  std::vector<double> parameters_of(const WorstGroupMethod& method, size_t cell,
                                    const GroupedRecords& train, uint64_t seed,
                                    const RunCallbacks& callbacks, double& epsilon) const {
    switch (method.kind) {
      case WorstGroupMethod::Kind::kZero:
        return std::vector<double>(train.num_parameters());
      case WorstGroupMethod::Kind::kAverage:
        return best_on_average(train);
      case WorstGroupMethod::Kind::kMinimax:
        return best_for_worst_group(train);
      default:
        break;
    }
    const Rates rates = tuned(method, cell, callbacks);
    const Calibration noise = calibrated(method, rates.loss_share, cell, train);
    epsilon = noise.epsilon;
    return simulate_training(train, run_of(method, noise, rates), seed);
  }

  SimulatedRun run_of(const WorstGroupMethod& method, const Calibration& noise,
                      const Rates& rates) const {
    return {method.training,
            settings_.sample_rate,
            settings_.num_steps,
            rates.learning_rate,
            rates.group_learning_rate,
            rates.max_grad_norm,
            settings_.loss_bound,
            settings_.feature_bound,
            noise.gradient,
            noise.loss};
  }

  Calibration calibrated(const WorstGroupMethod& method, double loss_share, size_t cell,
                         const GroupedRecords& train) const {
    const double epsilon = settings_.cells[cell].epsilon;
    const double rate = settings_.sample_rate;
    if (method.kind == WorstGroupMethod::Kind::kPrinted) {
      const int64_t smallest =
          *std::min_element(train.group_sizes().begin(), train.group_sizes().end());
      return once(printed_, std::pair(epsilon, smallest), [&] {
        const PrintedTerms terms = {4,
                                    epsilon,
                                    settings_.delta,
                                    settings_.num_steps,
                                    smallest,
                                    rate * static_cast<double>(smallest)};
        const PrintedNoise noise = printed_noise(terms);
        const double cost = PldAccountant(Relation::kZeroOut, printed_events(terms))
                                .epsilon(Delta(settings_.delta))
                                .value();
        return Calibration{noise.gradient, noise.loss, cost};
      });
    }
    return once(calibrations_, std::tuple(epsilon, method.training, loss_share), [&] {
      const auto loss_of = [&](double gradient) {
        if (method.training == SimulatedTraining::kMgrW)
          return gradient * std::sqrt((1 - loss_share) / loss_share);
        return loss_multiplier_of(gradient, rate, loss_share);
      };
      const auto events = [&](double gradient) {
        const double loss = loss_of(gradient);
        // Neither reads a record twice; a tree costs what the root of its levels divides out of.
        if (method.training == SimulatedTraining::kPhasedErm ||
            method.training == SimulatedTraining::kOcoExp3)
          return std::vector{Event::gaussian(gradient)};
        std::vector<Event> batch = {Event::gaussian(gradient)};
        std::vector<Event> beside;
        switch (method.training) {
          case SimulatedTraining::kMgrW:
            batch.push_back(Event::gaussian(loss));
            break;
          case SimulatedTraining::kMgr:
            beside.push_back(Event::gaussian(loss));
            break;
          case SimulatedTraining::kAgsGumbel:
            beside.push_back(Event::exponential(2 / loss));
            break;
          case SimulatedTraining::kMgrLaplace:
          case SimulatedTraining::kAgsLaplace:
            beside.push_back(Event::laplace(loss));
            break;
          default:
            break;
        }
        std::vector<Event> all = {
            Event::repeat(settings_.num_steps, Event::poisson_sampled(rate, std::move(batch)))};
        for (Event& event : beside)
          all.push_back(Event::repeat(settings_.num_steps, std::move(event)));
        return all;
      };
      const double gradient = smallest_noise_multiplier(
          {Relation::kZeroOut, Epsilon(epsilon), Delta(settings_.delta), "pld"}, events);
      return Calibration{gradient, loss_of(gradient), epsilon};
    });
  }

  std::vector<Rates> candidates_of(const WorstGroupMethod& method) const {
    const SimulatedTraining training = method.training;
    const bool is_online = training == SimulatedTraining::kOcoExp3;
    const bool has_weights = is_online || training == SimulatedTraining::kMgrW ||
                             training == SimulatedTraining::kMgr ||
                             training == SimulatedTraining::kMgrLaplace;
    const std::vector<double>& rates = is_online ? settings_.online_rates
                                       : training == SimulatedTraining::kPhasedErm
                                           ? settings_.phase_steps
                                           : settings_.learning_rates;
    const std::vector<double>& group_rates =
        is_online ? settings_.online_group_rates : settings_.group_learning_rates;
    std::vector<Rates> candidates;
    const std::span<const double> clips =
        std::span(settings_.max_grad_norms)
            .first(training == SimulatedTraining::kPhasedErm ? 1 : settings_.max_grad_norms.size());
    for (const double share : method.loss_shares) {
      for (const double clip : clips) {
        for (const double rate : rates) {
          for (const double group_rate : group_rates) {
            candidates.push_back({rate, group_rate, clip, share});
            if (!has_weights) break;
          }
        }
      }
    }
    return candidates;
  }

  /// The rates with the least mean excess over the tuning draws.
  Rates tuned(const WorstGroupMethod& method, size_t cell, const RunCallbacks& callbacks) const {
    return once(rates_, std::pair(&method, cell), [&] {
      const std::vector<Rates> candidates = candidates_of(method);
      std::vector<double> sums(candidates.size());
      for (int64_t draw = 0; draw < settings_.num_tuning_draws; ++draw) {
        const uint64_t seed = kFirstTuningSeed + static_cast<uint64_t>(draw);
        const Problem problem = problem_of(cell, seed);
        for (size_t i = 0; i < candidates.size(); ++i) {
          callbacks.check_interruption();
          const Calibration noise =
              calibrated(method, candidates[i].loss_share, cell, problem.train);
          sums[i] += worst_loss(
              problem.train,
              simulate_training(problem.train, run_of(method, noise, candidates[i]), seed));
        }
      }
      return candidates[static_cast<size_t>(std::min_element(sums.begin(), sums.end()) -
                                            sums.begin())];
    });
  }

  const ReproductionWorstGroup& settings_;
  std::optional<TableInGroups> table_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<size_t, uint64_t>, double> optima_;
  mutable std::map<std::pair<double, int64_t>, Calibration> printed_;
  mutable std::map<std::tuple<double, SimulatedTraining, double>, Calibration> calibrations_;
  mutable std::map<std::pair<const WorstGroupMethod*, size_t>, Rates> rates_;
};

}  // namespace

bool is_worst_group_metric(std::string_view name) {
  return std::find(kWorstGroupFigures.begin(), kWorstGroupFigures.end(), name) !=
         kWorstGroupFigures.end();
}

std::unique_ptr<ExperimentRuns> open_worst_group_runs(const ItemHeader& item,
                                                      const ReproductionWorstGroup& settings,
                                                      const std::filesystem::path& folder) {
  return std::make_unique<WorstGroupRuns>(item, settings, folder);
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/worst_group_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/split.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/reproduction/training/unpaid_run.h"
#include "equinoise/reproduction/worst_group/grouped_records.h"
#include "equinoise/reproduction/worst_group/printed_noise.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/worst_group/ball.h"

namespace equinoise {

namespace {

constexpr std::array<std::string_view, 5> kWorstGroupFigures = {"excess", "test loss", "test error",
                                                                "overall error", "epsilon"};
constexpr uint64_t kFirstTuningSeed = 1'000'000;

double largest(const std::vector<double>& values) { return *std::ranges::max_element(values); }

double worst_loss(const GroupedRecords& records, const std::vector<double>& parameters) {
  return largest(records.mean_losses(parameters));
}

struct Problem {
  EncodedTable table;  ///< to train on
  GroupedRecords train;
  GroupedRecords test;
  std::vector<double> shares;  ///< (groups) public
};

/// The records sorted by group, with their features and a 1. Empty groups are left out.
GroupedRecords grouped(const EncodedTable& table, size_t num_groups) {
  std::vector<double> features;
  std::vector<double> targets;
  std::vector<int64_t> sizes;
  for (size_t group = 0; group < num_groups; ++group) {
    const size_t first = targets.size();
    for (size_t i = 0; i < table.groups.size(); ++i) {
      if (index_of(table.groups[i]) != group || table.contributes[i] == 0) continue;
      append_features(table, static_cast<uint32_t>(i), features);
      features.push_back(1);
      targets.push_back(table.labels[i] == 1 ? 1 : -1);
    }
    if (targets.size() > first) sizes.push_back(static_cast<int64_t>(targets.size() - first));
  }
  return {RegressionModel::kLogistic, 1, table.num_features + size_t{1}, sizes, std::move(features),
          std::move(targets)};
}

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
EncodedTable draw_groups(size_t num_groups, int64_t group_size, const std::vector<double>& first,
                         const std::vector<double>& others, SimulationNoise& random) {
  const size_t num_features = first.size();
  const double slope = 3 * std::sqrt(static_cast<double>(num_features));
  EncodedTable table;
  table.num_records = static_cast<int64_t>(num_groups) * group_size;
  table.num_dense = table.num_features = static_cast<uint32_t>(num_features);
  for (size_t j = 0; j < num_features; ++j) table.feature_names.push_back(fmt::format("x{}", j));
  table.classes = {"-1", "1"};
  for (size_t group = 0; group < num_groups; ++group) {
    const std::vector<double>& direction = group == 0 ? first : others;
    for (int64_t i = 0; i < group_size; ++i) {
      double logit = 0;
      for (const double x : random_direction(num_features, {}, random)) {
        logit += slope * direction[table.dense.size() % num_features] * x;
        table.dense.push_back(static_cast<float>(x));
      }
      table.labels.push_back((random.uniform() + 1) / 2 < 1 / (1 + std::exp(-logit)) ? 1 : 0);
      table.groups.push_back(GroupId(static_cast<uint32_t>(group)));
    }
  }
  table.contributes.assign(table.labels.size(), 1);
  return table;
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
  EncodedTable train = draw_groups(num_groups, group_size, first, others, random);
  const EncodedTable test = draw_groups(num_groups, kTestRecords, first, others, random);
  GroupedRecords records = grouped(train, num_groups);
  return {std::move(train), std::move(records), grouped(test, num_groups),
          std::vector<double>(num_groups, 1 / static_cast<double>(num_groups))};
}

/// A table of two classes.
class TableInGroups {
 public:
  TableInGroups(const ItemHeader& item, const ReproductionWorstGroup& settings,
                const std::filesystem::path& folder)
      : table_(read_reproduction_table(item.data, folder, item.max_records)),
        num_records_(table_.dataset.num_records) {
    const Grouping grouping = group_by(table_.dataset, table_.schema, settings.group_columns);
    std::vector<bool> has_members(grouping.groups.size());
    for (const GroupId group : grouping.group_of)
      if (index_of(group) < has_members.size()) has_members[index_of(group)] = true;
    // Merges groups with categories that are not kept separate; groups of nobody are left out.
    std::map<std::string, uint32_t> merged;
    std::vector<uint32_t> place_of(grouping.groups.size(), kNoGroup);
    for (size_t k = 0; k < place_of.size(); ++k) {
      if (!has_members[k]) continue;
      std::string name;
      for (const auto& [column, value] : grouping.groups[k]) {
        const auto kept = settings.kept.find(column);
        const bool is_apart = kept == settings.kept.end() || contains(kept->second, value);
        name += (is_apart ? value : std::string("others")) + ",";
      }
      place_of[k] = merged.emplace(name, static_cast<uint32_t>(merged.size())).first->second;
    }
    shares_.resize(merged.size());
    for (const GroupId group : grouping.group_of) {
      const size_t index = index_of(group);
      group_of_.push_back(GroupId(index < place_of.size() ? place_of[index] : kNoGroup));
      if (index < place_of.size())
        shares_[place_of[index]] += 1 / static_cast<double>(grouping.group_of.size());
    }
  }

  Problem split(uint64_t seed) const {
    constexpr double kHeldOut = 0.25;
    const Split split = split_records(num_records_, kHeldOut, seed);
    EncodedTable train = part(split.train);
    if (train.classes.size() != 2)
      throw Error(ErrorKind::kInput, "tasks.reproduce", "the target must have two classes");
    GroupedRecords records = grouped(train, shares_.size());
    return {std::move(train), std::move(records), grouped(part(split.test), shares_.size()),
            shares_};
  }

 private:
  static constexpr uint32_t kNoGroup = UINT32_MAX;

  EncodedTable part(const std::vector<uint32_t>& chosen) const {
    EncodedTable part = encode(table_.dataset, table_.schema, chosen);
    part.groups.clear();
    for (const uint32_t record : chosen) part.groups.push_back(group_of_[record]);
    return part;
  }

  ReproductionTable table_;
  int64_t num_records_;
  std::vector<double> shares_;  ///< (groups)
  std::vector<GroupId> group_of_;
};

/// The rates that are tuned.
struct Rates {
  double learning_rate = 0;
  double group_learning_rate = 0;
  double max_grad_norm = 1;
  double loss_share = 0.2;

  auto operator<=>(const Rates&) const = default;
};

/// The plan of mgr with the noise of Algorithm 3 as printed, and its true cost.
TrainingPlan with_printed_noise(const TrainingMethod& mgr, TrainingConfig config,
                                const TrainingFacts& facts) {
  const std::vector<int64_t> sizes =
      expected_sizes("tasks.reproduce", facts.groups, facts.num_records);
  const int64_t smallest = *std::ranges::min_element(sizes);
  const double rate = config.batch_size / static_cast<double>(facts.num_records);
  const PrintedTerms terms = {4,
                              config.epsilon.value(),
                              config.delta,
                              config.num_steps,
                              smallest,
                              rate * static_cast<double>(smallest)};
  const PrintedNoise noise = printed_noise(terms);
  config.epsilon.reset();
  config.noise_multiplier = noise.gradient;
  TrainingPlan plan = mgr.plan(config, facts);
  plan.items[0].event = Event::repeat(
      config.num_steps,
      Event::composed({Event::poisson_sampled(rate, {Event::gaussian(noise.gradient)}),
                       Event::laplace(noise.loss)}));
  plan.side_noise_stddev = noise.loss;
  const Delta delta(config.delta);
  plan.privacy->epsilon = PldAccountant(Relation::kZeroOut, printed_events(terms)).epsilon(delta);
  return plan;
}

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
          parameters_of(settings_.methods[method], c, problem, seed, callbacks, epsilon);
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

  /// Computes a value once and keeps it; two threads may compute it at the same time.
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
    // The problem of a table does not depend on the cell.
    return once(optima_, std::pair(table_ ? 0 : cell, seed),
                [&] { return worst_loss(problem.train, best_for_worst_group(problem.train)); });
  }

  std::vector<double> parameters_of(const WorstGroupMethod& method, size_t cell,
                                    const Problem& problem, uint64_t seed,
                                    const RunCallbacks& callbacks, double& epsilon) const {
    switch (method.kind) {
      case WorstGroupMethod::Kind::kZero:
        return std::vector<double>(problem.train.num_parameters());
      case WorstGroupMethod::Kind::kAverage:
        return best_on_average(problem.train);
      case WorstGroupMethod::Kind::kMinimax:
        return best_for_worst_group(problem.train);
      default:
        break;
    }
    const TrainingPlan plan = planned(method, cell, tuned(method, cell, callbacks), problem);
    epsilon = plan.privacy->epsilon.value();
    return trained(plan, problem, seed, callbacks);
  }

  static std::vector<double> trained(const TrainingPlan& plan, const Problem& problem,
                                     uint64_t seed, const RunCallbacks& callbacks) {
    const LogisticModel model(problem.table.feature_names, problem.table.classes);
    StepCounter counter(callbacks.check_interruption);
    return run_unpaid(*find_training_method(plan.method).make(), plan, problem.table, model, seed,
                      counter)
        .parameters;
  }

  /// The plan is equal for every seed of a cell.
  TrainingPlan planned(const WorstGroupMethod& method, size_t cell, const Rates& rates,
                       const Problem& problem) const {
    return once(plans_, std::tuple(&method, cell, rates), [&] {
      const LogisticModel model(problem.table.feature_names, problem.table.classes);
      TrainingFacts facts = facts_of(problem.table, model);
      facts.num_groups = problem.shares.size();
      facts.groups.partition = "group";
      facts.groups.shares.assign(problem.shares.begin(), problem.shares.end());
      for (size_t k = 0; k < facts.num_groups; ++k)
        facts.groups.names.push_back(fmt::format("{}", k + 1));
      const std::unique_ptr<TrainingMethod> trainer = find_training_method(method.training).make();
      const TrainingConfig config = config_of(method, cell, rates, facts);
      return method.kind == WorstGroupMethod::Kind::kPrinted
                 ? with_printed_noise(*trainer, config, facts)
                 : trainer->plan(config, facts);
    });
  }

  TrainingConfig config_of(const WorstGroupMethod& method, size_t cell, const Rates& rates,
                           const TrainingFacts& facts) const {
    const auto num_records = static_cast<double>(facts.num_records);
    TrainingConfig config;
    config.epsilon = settings_.cells[cell].epsilon;
    config.delta = settings_.delta;
    config.batch_size = settings_.sample_rate * num_records;
    config.num_steps = settings_.num_steps;
    config.learning_rate = rates.learning_rate;
    config.final_learning_rate = rates.learning_rate / 10;
    config.max_grad_norm = rates.max_grad_norm;
    auto& own = config.own.of<WorstGroupOptions>();
    own.loss_bound = settings_.loss_bound;
    own.group_learning_rate = rates.group_learning_rate;
    own.loss_share = rates.loss_share;
    own.selection = method.selection;
    own.feature_bound = kFeatureBound;
    if (method.follows("phase_step")) own.phase_step = rates.learning_rate;
    if (method.follows("online")) {
      config.num_steps = facts.num_records / 2;
      *own.group_learning_rate /=
          std::sqrt(static_cast<double>(config.num_steps)) * settings_.loss_bound;
    }
    return config;
  }

  std::vector<Rates> candidates_of(const WorstGroupMethod& method) const {
    const bool is_online = method.follows("online");
    const bool is_phased = method.follows("phase_step");
    const bool has_weights = method.follows("group_learning_rate");
    const std::vector<double>& rates = is_online   ? settings_.online_rates
                                       : is_phased ? settings_.phase_steps
                                                   : settings_.learning_rates;
    const std::vector<double>& group_rates =
        is_online ? settings_.online_group_rates : settings_.group_learning_rates;
    std::vector<Rates> candidates;
    const std::span<const double> clips =
        std::span(settings_.max_grad_norms).first(is_phased ? 1 : settings_.max_grad_norms.size());
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
          const TrainingPlan plan = planned(method, cell, candidates[i], problem);
          sums[i] += worst_loss(problem.train, trained(plan, problem, seed, callbacks));
        }
      }
      return candidates[static_cast<size_t>(std::ranges::min_element(sums) - sums.begin())];
    });
  }

  const ReproductionWorstGroup& settings_;
  std::optional<TableInGroups> table_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<size_t, uint64_t>, double> optima_;
  mutable std::map<std::tuple<const WorstGroupMethod*, size_t, Rates>, TrainingPlan> plans_;
  mutable std::map<std::pair<const WorstGroupMethod*, size_t>, Rates> rates_;
};

}  // namespace

bool is_worst_group_metric(std::string_view name) { return contains(kWorstGroupFigures, name); }

std::unique_ptr<ExperimentRuns> open_worst_group_runs(const ItemHeader& item,
                                                      const ReproductionWorstGroup& settings,
                                                      const std::filesystem::path& folder) {
  return std::make_unique<WorstGroupRuns>(item, settings, folder);
}

}  // namespace equinoise

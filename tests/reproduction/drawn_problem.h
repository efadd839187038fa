// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/models/generalised_linear.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/train/method.h"

namespace equinoise::testing {

/// A drawn table of groups, and the same records for simulations: features and a 1, group by group.
struct DrawnProblem {
  EncodedTable table;
  std::vector<int64_t> sizes;        ///< (groups)
  std::vector<uint32_t> order = {};  ///< the table's records, those of each group together
  std::unique_ptr<GeneralisedLinearModel> model = {};

  size_t num_features() const { return table.num_features + size_t{1}; }

  /// The row of each record in `records`, one after another.
  std::vector<double> features(const std::vector<uint32_t>& records) const {
    std::vector<double> rows;
    for (const uint32_t record : records) {
      append_features(table, record, rows);
      rows.push_back(1);
    }
    return rows;
  }

  /// The number, or 1 and -1 for the two classes.
  std::vector<double> targets(const std::vector<uint32_t>& records) const {
    std::vector<double> values;
    for (const uint32_t record : records) {
      values.push_back(table.targets.empty() ? table.labels[record] == 1 ? 1 : -1
                                             : static_cast<double>(table.targets[record]));
    }
    return values;
  }

  TrainingFacts facts() const {
    TrainingFacts facts;
    facts.num_records = table.num_records;
    facts.num_parameters = num_features();
    facts.num_groups = sizes.size();
    facts.groups.partition = "group";
    for (size_t k = 0; k < sizes.size(); ++k) {
      facts.groups.names.push_back(std::to_string(k));
      facts.groups.shares.emplace_back(static_cast<double>(sizes[k]) /
                                       static_cast<double>(table.num_records));
    }
    facts.model = model->name();
    return facts;
  }
};

/// Groups that ask for different answers. `group_of` says of which group record i is, 0 to
/// sizes.size() - 1; without it they are mixed at random.
inline DrawnProblem draw_problem(RegressionModel model, std::vector<int64_t> sizes, uint64_t seed,
                                 std::vector<uint32_t> group_of = {}) {
  constexpr uint32_t kFeatures = 3;
  SimulationNoise random(seed, 0);
  DrawnProblem problem;
  EncodedTable& table = problem.table;
  problem.sizes = std::move(sizes);
  table.num_records = std::accumulate(problem.sizes.begin(), problem.sizes.end(), int64_t{0});
  const auto num_records = static_cast<size_t>(table.num_records);
  if (group_of.empty()) {
    for (size_t k = 0; k < problem.sizes.size(); ++k)
      group_of.insert(group_of.end(), static_cast<size_t>(problem.sizes[k]),
                      static_cast<uint32_t>(k));
    for (size_t i = num_records - 1; i > 0; --i) {
      const double uniform = (random.uniform() + 1) / 2;
      std::swap(group_of[i], group_of[static_cast<size_t>(uniform * static_cast<double>(i + 1))]);
    }
  }
  table.num_dense = table.num_features = kFeatures;
  table.feature_names = {"a", "b", "c"};
  const bool is_linear = model == RegressionModel::kLinear;
  if (!is_linear) table.classes = {"no", "yes"};
  for (size_t i = 0; i < num_records; ++i) {
    double score = group_of[i] == 0 ? 1.5 : -0.5;
    for (uint32_t j = 0; j < kFeatures; ++j) {
      const auto value = static_cast<float>(random.normal());
      table.dense.push_back(value);
      score += (j == group_of[i] % kFeatures ? 2 : -0.7) * static_cast<double>(value);
    }
    if (is_linear)
      table.targets.push_back(static_cast<float>(score + 0.3 * random.normal()));
    else
      table.labels.push_back((random.uniform() + 1) / 2 < 1 / (1 + std::exp(-score)) ? 1 : 0);
    table.groups.push_back(GroupId(group_of[i]));
  }
  table.contributes.assign(num_records, 1);
  problem.order.resize(num_records);
  std::iota(problem.order.begin(), problem.order.end(), 0U);
  std::ranges::stable_sort(problem.order,
                           [&](uint32_t a, uint32_t b) { return group_of[a] < group_of[b]; });
  if (is_linear)
    problem.model = std::make_unique<LinearModel>(table.feature_names);
  else
    problem.model = std::make_unique<LogisticModel>(table.feature_names, table.classes);
  return problem;
}

inline constexpr double kQuiet = 1e-25;
inline constexpr double kQuietLaplace = 0x1p-42;  // the sampler takes little less on such grids

/// The event with next to no noise: what is drawn for it rounds to 0 on any grid in use, Laplace
/// noise to a few units at most, and a choice is one of the best.
inline Event quiet(const Event& event) {
  constexpr double kChoiceEpsilon = 1e6;
  switch (event.kind()) {
    case Event::Kind::kGaussian:
      return Event::gaussian(kQuiet);
    case Event::Kind::kLaplace:
      return Event::laplace(kQuietLaplace);
    case Event::Kind::kTreeAggregation:
      return Event::tree_aggregation(kQuiet, event.steps());
    case Event::Kind::kExponential:
      return Event::exponential(kChoiceEpsilon);
    default:
      break;
  }
  if (event.events().empty()) return event;
  std::vector<Event> children;
  for (const Event& child : event.events()) children.push_back(quiet(child));
  return event.with_events(std::move(children));
}

/// The plan with quiet events, and sums on a grid that hides nothing. Some methods make grids of
/// their own of `multiplier`, others answers that cost as much as it says.
inline TrainingPlan without_noise(TrainingPlan plan, double multiplier = 0x1p-16) {
  for (PlanItem& item : plan.items) item.event = quiet(item.event);
  plan.grid = std::exp2(std::floor(std::log2(plan.bound))) * 0x1p-46;
  plan.side_noise_stddev = plan.noise_multiplier = multiplier;
  return plan;
}

/// The method's run of that plan from 0 on.
inline TrainedModel run_method(const TrainingMethod& method, const DrawnProblem& problem,
                               const Model& model, const TrainingPlan& plan, SeededSource& source,
                               StepObserver& observer) {
  Charge charge = plan.items.empty() ? Charge::nothing(plan.config.relation)
                                     : Charge::unpaid(plan.events(), plan.config.relation, source);
  return method.run({problem.table, model, plan,
                     TrainingState::start(std::vector<double>(model.num_parameters())),
                     std::move(charge), source, observer});
}

/// The largest difference over the largest entry.
inline double relative_distance(const std::vector<double>& got, const std::vector<double>& want) {
  if (got.size() != want.size()) return HUGE_VAL;
  double difference = 0;
  double largest = 0;
  for (size_t j = 0; j < got.size(); ++j) {
    difference = std::max(difference, std::fabs(got[j] - want[j]));
    largest = std::max(largest, std::fabs(want[j]));
  }
  return difference / largest;
}

}  // namespace equinoise::testing

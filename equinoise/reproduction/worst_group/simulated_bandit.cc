// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/simulated_bandit.h"

#include <bit>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/data/split.h"
#include "equinoise/privacy/mechanisms/prefix_tree.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/train/worst_group/group_weights.h"
#include "equinoise/train/worst_group/online_learner.h"

namespace equinoise {

std::vector<double> simulate_oco_exp3(const GroupedRecords& records, const SimulatedBandit& run,
                                      uint64_t seed) {
  constexpr const char* kWhere = "train.worst_group";
  check_positive(kWhere, "max_grad_norm", run.max_grad_norm);
  check_non_negative(kWhere, "noise_multiplier", run.noise_multiplier);
  const size_t num_groups = records.num_groups();
  const auto num_steps = static_cast<int64_t>(records.num_records() / 2);
  check_positive(kWhere, "pairs of records", static_cast<double>(num_steps));
  const double root = std::sqrt(static_cast<double>(num_steps));
  // A record of a gradient is in a node of each level, one of a loss in that alone.
  const double loss_stddev = run.noise_multiplier * run.loss_bound;
  const double node_stddev =
      run.noise_multiplier * run.max_grad_norm *
      std::sqrt(static_cast<double>(std::bit_width(static_cast<uint64_t>(num_steps))));

  std::vector<std::vector<uint32_t>> queues;
  for (const int64_t size : records.group_sizes()) queues.push_back(public_order(size, seed));
  std::vector<size_t> read(num_groups);
  SimulationNoise noise(seed, 0);
  SimulationNoise draws(seed, 1);
  std::vector<double> gradient(records.num_parameters());
  PrefixTree<double> tree(gradient.size());
  FollowTheLeader learner(std::vector<double>(gradient.size()), run.learning_rate / root,
                          std::numeric_limits<double>::infinity(),
                          [&](std::span<const double> item) {
                            return tree.add(item, [&](size_t, size_t, std::span<double> node) {
                              for (double& value : node) value += node_stddev * noise.normal();
                            });
                          });
  GroupBandit bandit({num_groups, run.exploration, run.group_learning_rate / root / run.loss_bound,
                      run.loss_bound, 0});
  const std::vector<double> ones(num_groups, 1.0);
  std::vector<double> average(gradient.size());
  for (int64_t step = 0; step < num_steps; ++step) {
    const size_t group = bandit.draw(run.draw_group ? run.draw_group() : (draws.uniform() + 1) / 2);
    if (read[group] + 2 > queues[group].size()) break;
    const auto next = [&] {
      return static_cast<uint32_t>(records.first_record(group)) + queues[group][read[group]++];
    };
    const uint32_t of_gradient = next();
    const uint32_t of_loss = next();
    gradient.assign(gradient.size(), 0.0);
    records.add_batch({&of_gradient, 1}, learner.iterate(), ones, run.max_grad_norm, run.loss_bound,
                      gradient, {});
    const double loss = bandit.clamped(records.loss(of_loss, learner.iterate()));
    learner.update(gradient);
    bandit.hear(group, loss + loss_stddev * noise.normal());
    const double share = 1 / static_cast<double>(step + 2);
    for (size_t j = 0; j < average.size(); ++j)
      average[j] += share * (learner.iterate()[j] - average[j]);
  }
  return average;
}

}  // namespace equinoise

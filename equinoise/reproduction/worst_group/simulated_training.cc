// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/simulated_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/reproduction/worst_group/simulated_bandit.h"
#include "equinoise/reproduction/worst_group/simulated_phases.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/worst_group/group_weights.h"
#include "equinoise/train/worst_group/regularised_maximum.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.worst_group";

constexpr std::array<std::pair<std::string_view, SimulatedTraining>, 9> kSimulatedMethods = {{
    {"dpsgd", SimulatedTraining::kDpSgd},
    {"balanced", SimulatedTraining::kBalanced},
    {"mgr_w", SimulatedTraining::kMgrW},
    {"mgr", SimulatedTraining::kMgr},
    {"mgr_laplace", SimulatedTraining::kMgrLaplace},
    {"ags", SimulatedTraining::kAgsGumbel},
    {"ags_laplace", SimulatedTraining::kAgsLaplace},
    {"phased_erm", SimulatedTraining::kPhasedErm},
    {"oco_exp3", SimulatedTraining::kOcoExp3},
}};

/// Draws of scale 1.
class Draws {
 public:
  explicit Draws(uint64_t seed) : normal_(seed, 0), uniform_(seed, 1) {}
  double normal() { return normal_.normal(); }
  double uniform() { return (uniform_.uniform() + 1) / 2; }
  double gumbel() { return -std::log(-std::log(positive())); }
  double laplace() {
    const double u = uniform_.uniform();
    return std::copysign(std::log(std::max(1 - std::fabs(u), 1e-300)), u);
  }

 private:
  double positive() { return std::max(uniform(), 1e-300); }

  SimulationNoise normal_;
  SimulationNoise uniform_;
};

/// One run, step by step.
class Simulation {
 public:
  Simulation(const GroupedRecords& records, const SimulatedRun& run, uint64_t seed)
      : records_(records),
        run_(run),
        batches_(seed),
        draws_(seed),
        iterates_(plan_of(records, run),
                  TrainingState::start(std::vector<double>(records.num_parameters()))),
        gradient_(records.num_parameters()),
        lambda_(records.num_groups(), 1 / static_cast<double>(records.num_groups())) {}

  std::vector<double> train() {
    while (!iterates_.done()) {
      batches_.start_step(static_cast<uint64_t>(iterates_.state().num_steps_done));
      find_gradient();
      iterates_.update(std::span<const double>(gradient_), 1);
    }
    return std::move(iterates_).average();
  }

 private:
  /// The methods' steps along means: a rate that falls to a tenth and the mean of the last
  /// iterates, as by default.
  static TrainingPlan plan_of(const GroupedRecords& records, const SimulatedRun& run) {
    TrainingPlan plan;
    plan.config.num_steps = run.num_steps;
    plan.config.batch_size = 1;
    plan.config.learning_rate = run.learning_rate;
    plan.config.final_learning_rate = run.learning_rate / 10;
    plan.facts.num_parameters = records.num_parameters();
    return plan;
  }

  const std::vector<double>& parameters() const { return iterates_.state().parameters; }

  void find_gradient() {
    switch (run_.training) {
      case SimulatedTraining::kDpSgd:
        return follow(std::vector<double>(
            lambda_.size(), 1 / (run_.sample_rate * static_cast<double>(records_.num_records()))));
      case SimulatedTraining::kBalanced:
        return follow(of_groups(lambda_));
      case SimulatedTraining::kMgrW: {
        std::vector<double> losses(lambda_.size());
        follow(of_groups(lambda_), losses);
        for (size_t k = 0; k < losses.size(); ++k) {
          losses[k] += run_.loss_multiplier * run_.loss_bound * draws_.normal();
          losses[k] /= expected(k);
        }
        multiply_weights(run_.group_learning_rate, losses, lambda_);
        return;
      }
      case SimulatedTraining::kMgr:
      case SimulatedTraining::kMgrLaplace: {
        const size_t group =
            choose_by_weight(lambda_, run_.draw_group ? run_.draw_group() : draws_.uniform());
        const std::vector<double> losses = noisy_losses([&] {
          return run_.loss_multiplier *
                 (run_.training == SimulatedTraining::kMgr ? draws_.normal() : draws_.laplace());
        });
        follow_group(group);
        multiply_weights(run_.group_learning_rate, losses, lambda_);
        return;
      }
      case SimulatedTraining::kAgsGumbel: {
        // Every score has the scale of the smallest group.
        const auto smallest = static_cast<double>(
            *std::min_element(records_.group_sizes().begin(), records_.group_sizes().end()));
        const double scale = run_.loss_bound * run_.loss_multiplier / (2 * smallest);
        std::vector<double> scores = records_.mean_losses(parameters(), run_.loss_bound);
        for (double& score : scores) score += scale * draws_.gumbel();
        return follow_group(largest(scores));
      }
      case SimulatedTraining::kAgsLaplace:
        return follow_group(
            largest(noisy_losses([&] { return run_.loss_multiplier * draws_.laplace(); })));
      case SimulatedTraining::kPhasedErm:
      case SimulatedTraining::kOcoExp3:
        throw Error(ErrorKind::kRuntime, kWhere, "this training does not use batches");
    }
  }

  double expected(size_t group) const {
    return run_.sample_rate * static_cast<double>(records_.group_sizes()[group]);
  }

  std::vector<double> of_groups(const std::vector<double>& weights) const {
    std::vector<double> coefficients;
    for (size_t k = 0; k < weights.size(); ++k) coefficients.push_back(weights[k] / expected(k));
    return coefficients;
  }

  /// (groups) the means over all records, with noise of that scale on each sum of clipped losses.
  template <typename Noise>
  std::vector<double> noisy_losses(const Noise& noise) {
    std::vector<double> losses = records_.mean_losses(parameters(), run_.loss_bound);
    for (size_t k = 0; k < losses.size(); ++k)
      losses[k] += run_.loss_bound * noise() / static_cast<double>(records_.group_sizes()[k]);
    return losses;
  }

  static size_t largest(const std::vector<double>& values) {
    return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
  }

  /// The gradient of a batch of all records, with the noise of the largest coefficient.
  void follow(const std::vector<double>& coefficients, std::span<double> losses = {}) {
    poisson_sample(run_.sample_rate, static_cast<int64_t>(records_.num_records()), batches_,
                   batch_);
    sum_batch(coefficients, losses);
  }

  void follow_group(size_t group) {
    const auto size = records_.group_sizes()[group];
    poisson_sample(run_.sample_rate, size, batches_, batch_);
    for (uint32_t& record : batch_) record += static_cast<uint32_t>(records_.first_record(group));
    std::vector<double> coefficients(lambda_.size(), 0.0);
    coefficients[group] = 1 / expected(group);
    sum_batch(coefficients, {});
  }

  void sum_batch(const std::vector<double>& coefficients, std::span<double> losses) {
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    records_.add_batch(batch_, parameters(), coefficients, run_.max_grad_norm, run_.loss_bound,
                       gradient_, losses);
    const double stddev = run_.gradient_multiplier * run_.max_grad_norm *
                          *std::max_element(coefficients.begin(), coefficients.end());
    for (double& value : gradient_) value += stddev * draws_.normal();
  }

  const GroupedRecords& records_;
  const SimulatedRun& run_;
  SeededSource batches_;
  Draws draws_;
  Iterates iterates_;
  std::vector<double> gradient_;
  std::vector<double> lambda_;
  std::vector<uint32_t> batch_;
};

/// The mean loss of all records as that of one group.
class EverybodyAlike final : public GroupLosses {
 public:
  explicit EverybodyAlike(const GroupedRecords& records) : records_(records) {
    for (const int64_t size : records.group_sizes()) {
      shares_.push_back(static_cast<double>(size) / static_cast<double>(records.num_records()));
    }
  }
  size_t num_parameters() const override { return records_.num_parameters(); }
  size_t num_groups() const override { return 1; }
  void evaluate(std::span<const double> parameters, std::span<double> losses,
                std::span<double> gradients) const override {
    std::vector<double> of_groups(shares_.size());
    std::vector<double> parts(shares_.size() * num_parameters());
    records_.evaluate(parameters, of_groups, parts);
    losses[0] = std::inner_product(shares_.begin(), shares_.end(), of_groups.begin(), 0.0);
    std::fill(gradients.begin(), gradients.end(), 0.0);
    for (size_t k = 0; k < shares_.size(); ++k)
      for (size_t j = 0; j < gradients.size(); ++j)
        gradients[j] += shares_[k] * parts[k * gradients.size() + j];
  }
  void hessian_product(std::span<const double> parameters, std::span<const double> weights,
                       std::span<const double> direction,
                       std::span<double> product) const override {
    std::vector<double> shares = shares_;
    for (double& share : shares) share *= weights[0];
    records_.hessian_product(parameters, shares, direction, product);
  }

 private:
  const GroupedRecords& records_;
  std::vector<double> shares_;
};

constexpr double kLittleCurvature = 1e-6;

}  // namespace

SimulatedTraining parse_simulated_training(std::string_view name) {
  std::string known;
  for (const auto& [text, training] : kSimulatedMethods) {
    if (text == name) return training;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", text);
  }
  throw Error(ErrorKind::kUsage, kWhere,
              fmt::format("training must be one of {}, got \"{}\"", known, name));
}

std::vector<double> simulate_training(const GroupedRecords& records, const SimulatedRun& run,
                                      uint64_t seed) {
  check_interval(kWhere, "sample_rate", run.sample_rate, 1e-9, 1);
  check_positive(kWhere, "num_steps", static_cast<double>(run.num_steps));
  check_positive(kWhere, "learning_rate", run.learning_rate);
  check_positive(kWhere, "max_grad_norm", run.max_grad_norm);
  check_positive(kWhere, "loss_bound", run.loss_bound);
  check_non_negative(kWhere, "gradient_multiplier", run.gradient_multiplier);
  check_non_negative(kWhere, "loss_multiplier", run.loss_multiplier);
  if (run.training == SimulatedTraining::kPhasedErm) {
    return simulate_phased_erm(
        records, {run.learning_rate, run.feature_bound, run.gradient_multiplier}, seed);
  }
  if (run.training == SimulatedTraining::kOcoExp3) {
    constexpr double kExploration = 0.1;  // as by default
    return simulate_oco_exp3(
        records,
        {run.learning_rate, run.group_learning_rate, kExploration, run.max_grad_norm,
         run.loss_bound, run.gradient_multiplier, run.draw_group},
        seed);
  }
  return Simulation(records, run, seed).train();
}

std::vector<double> best_on_average(const GroupedRecords& records) {
  const Regularisation terms = {std::vector<double>(records.num_parameters()), kLittleCurvature, 1};
  return minimise_maximum(EverybodyAlike(records), terms, 1e-3).parameters;
}

std::vector<double> best_for_worst_group(const GroupedRecords& records) {
  // Each stage starts where the one before it ended; its curvature pulls it back there.
  Regularisation terms = {std::vector<double>(records.num_parameters()), kLittleCurvature, 0.1};
  const double last = 1e-4 / std::max(1.0, std::log(static_cast<double>(records.num_groups())));
  for (;;) {
    terms.center = minimise_maximum(records, terms, 1e-3).parameters;
    if (terms.mu_lambda <= last) return terms.center;
    terms.mu_lambda = std::max(terms.mu_lambda / 10, last);
  }
}

}  // namespace equinoise

#include "equinoise/tasks/group_planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/tasks/training_setup.h"
#include "equinoise/train/iterates.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.plan";
constexpr int kNumPowers = 11;      // of sizes, from 0 to 1
constexpr double kMostNoise = 1e5;  // more is told as epsilon 0 anyway

/// What strategies are judged by.
class Planner {
 public:
  Planner(const TrainRequest& request, const GroupPlanningRequest& planning,
          const TrainingSetup& setup)
      : planning_(planning), config_(request.config), facts_(setup.plan.facts) {
    if (setup.groupings.empty())
      throw Error(ErrorKind::kUsage, kWhere, "--per-group needs groups, e.g. --groups sex");
    const Grouping& grouping = setup.groupings[0];
    facts_.num_groups = grouping.groups.size();
    facts_.groups = public_groups_of(grouping, setup.schema.num_records);
    const std::unique_ptr<Model> base = make_model(request.model, setup.schema, request.network);
    facts_.num_parameters = base->num_parameters();
    is_linear_ = dynamic_cast<const GeneralisedLinearModel*>(base.get()) != nullptr;
    outlook_.num_parameters = facts_.num_parameters;
    outlook_.num_records = static_cast<double>(facts_.num_records);
    outlook_.group_difference = planning.group_difference;
    outlook_.residual_variance = planning.residual_variance;
    for (size_t k = 0; k < facts_.num_groups; ++k) {
      const std::optional<double> share = facts_.groups.shares[k];
      if (!share || !(*share > 0)) {
        throw Error(
            ErrorKind::kUsage, kWhere,
            fmt::format("--per-group needs the public size of group {}, which is {}; declare "
                        "it in [[public.groups]] of the schema",
                        facts_.groups.names[k], share ? "0" : "not declared"));
      }
      outlook_.shares.push_back(*share);
    }
    config_.group_weights.clear();
    config_.tailoring = {};
    config_.constraints.reset();
  }

  bool is_linear() const { return is_linear_; }
  const std::vector<double>& shares() const { return outlook_.shares; }

  GroupStrategy plan(const std::string& method, const std::vector<double>& weights = {}) const {
    TrainingConfig config = config_;
    for (size_t k = 0; k < weights.size(); ++k)
      config.group_weights[facts_.groups.names[k]] = weights[k];
    const bool pays_apart = method == "group_weighted" || method == "balanced";
    if (!pays_apart) keep_strictest_epsilon(config, facts_);
    GroupStrategy strategy{method, weights};
    const TrainingPlan plan = find_training_method(method).make()->plan(config, facts_);
    strategy.expected = outlook_of(plan, method);
    if (wants_epsilon()) {
      // Noise alone follows the budget, by its variance.
      double factor = std::numeric_limits<double>::infinity();
      for (size_t k = 0; k < facts_.num_groups; ++k) {
        const ExpectedError& error = strategy.expected[k];
        const double rest = error.sampling + error.difference;
        factor = std::min(factor, (limit_of(k) - rest) / error.noise);
      }
      if (!(factor > 0)) return strategy;
      config.noise_multiplier =
          std::min(plan_of_noise(config).noise_multiplier * std::sqrt(factor), kMostNoise);
      config.epsilon.reset();
      try {
        const TrainingPlan needed = find_training_method(method).make()->plan(config, facts_);
        strategy.expected = outlook_of(needed, method);
        strategy.privacy = guarantees_of(needed);
      } catch (const Error& error) {
        // So little noise cannot be accounted for: no budget is enough.
        if (error.kind() != ErrorKind::kUsage) throw;
      }
      return strategy;
    }
    strategy.privacy = guarantees_of(plan);
    return strategy;
  }

 private:
  bool wants_epsilon() const { return planning_.largest_error || !planning_.group_errors.empty(); }

  double limit_of(size_t k) const {
    const auto found = planning_.group_errors.find(facts_.groups.names[k]);
    if (found != planning_.group_errors.end()) return found->second;
    return planning_.largest_error.value_or(std::numeric_limits<double>::infinity());
  }

  /// dpsgd at the strategy's budget, for its noise multiplier.
  TrainingPlan plan_of_noise(TrainingConfig config) const {
    config.group_weights.clear();
    config.group_clips.clear();
    if (!config.noise_multiplier) config.epsilon = config_.epsilon;
    return plan_noisy_gradients("dpsgd", config, facts_);
  }

  /// A method that gives everybody the same gives everybody the least.
  static void keep_strictest_epsilon(TrainingConfig& config, const TrainingFacts& facts) {
    std::optional<double> strictest = config.epsilon;
    for (const auto& [group, epsilon] : config.group_epsilons)
      strictest = std::min(strictest.value_or(epsilon), epsilon);
    config.group_epsilons.clear();
    config.group_clips.clear();
    if (!config.noise_multiplier) {
      config.epsilon = strictest;
    } else if (strictest) {
      TrainingConfig calibrated = config;
      calibrated.noise_multiplier.reset();
      calibrated.epsilon = strictest;
      config.noise_multiplier =
          std::max(*config.noise_multiplier,
                   plan_noisy_gradients("dpsgd", calibrated, facts).noise_multiplier);
    }
  }

  std::vector<ExpectedError> outlook_of(const TrainingPlan& plan, const std::string& method) const {
    const int64_t num_averaged = plan.config.num_steps - first_averaged_step(plan.config);
    const double noise =
        plan.noise_stddev / (plan.config.batch_size * std::sqrt(static_cast<double>(num_averaged)));
    if (method == "decoupled") return separate_outlook(outlook_, noise);
    // A clip that shrinks lets a group count less, as if all its gradients were clipped.
    std::vector<double> weights(facts_.num_groups, 1.0);
    for (size_t k = 0; k < plan.group_bounds.size(); ++k)
      weights[k] = plan.group_bounds[k] / plan.config.max_grad_norm;
    return shared_outlook(outlook_, weights, noise);
  }

  std::vector<Guarantee> guarantees_of(const TrainingPlan& plan) const {
    if (plan.group_bounds.empty()) return {facts_.num_groups, *plan.privacy};
    std::vector<Guarantee> guarantees;
    for (size_t k = 0; k < facts_.num_groups; ++k) {
      guarantees.push_back(
          smallest_guarantee(plan.config.relation, plan.events_of(k), plan.privacy->delta));
    }
    return guarantees;
  }

  const GroupPlanningRequest& planning_;
  TrainingConfig config_;
  TrainingFacts facts_;
  OutlookFacts outlook_;
  bool is_linear_ = false;
};

}  // namespace

TrainRequest without_group_costs(TrainRequest request) {
  if (request.method == "group_weighted" || request.method == "balanced") return request;
  request.config.group_weights.clear();
  request.config.group_clips.clear();
  request.config.group_epsilons.clear();
  return request;
}

void plan_groups(const TrainRequest& request, const GroupPlanningRequest& planning,
                 TrainingReport& report) {
  check_non_negative(kWhere, "group_difference", planning.group_difference);
  check_non_negative(kWhere, "residual_variance", planning.residual_variance);
  const bool wants_epsilon = planning.largest_error || !planning.group_errors.empty();
  if (planning.largest_error) check_positive(kWhere, "largest_error", *planning.largest_error);
  if (wants_epsilon && !request.config.group_epsilons.empty()) {
    throw Error(ErrorKind::kUsage, kWhere,
                "--largest-error and --group-error ask what epsilon is needed; leave "
                "--group-epsilon out");
  }
  const TrainingSetup setup = set_up_training(without_group_costs(request));
  const Planner planner(request, planning, setup);
  const std::vector<std::string> names = group_names(setup.groupings[0]);
  for (const auto& [name, error] : planning.group_errors) {
    check_positive(kWhere, fmt::format("group_error of {}", name), error);
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(ErrorKind::kUsage, kWhere, fmt::format("there is no group \"{}\"", name));
  }
  GroupOutlookReport& outlook = report.group_outlook.emplace();
  outlook.group_difference = planning.group_difference;
  outlook.residual_variance = planning.residual_variance;
  outlook.wants_epsilon = wants_epsilon;
  outlook.strategies.push_back(planner.plan("dpsgd"));
  outlook.strategies.push_back(planner.plan("balanced"));
  std::optional<GroupStrategy> best;
  for (int i = 0; i < kNumPowers; ++i) {
    const double power = static_cast<double>(i) / (kNumPowers - 1);
    GroupStrategy strategy =
        planner.plan("group_weighted", weights_by_size(planner.shares(), power));
    if (!best || strategy.is_better_than(*best, wants_epsilon)) best = std::move(strategy);
  }
  outlook.strategies.push_back(std::move(*best));
  if (planner.is_linear()) outlook.strategies.push_back(planner.plan("decoupled"));
  for (size_t i = 1; i < outlook.strategies.size(); ++i) {
    if (outlook.strategies[i].is_better_than(outlook.strategies[outlook.best], wants_epsilon))
      outlook.best = i;
  }
}

}  // namespace equinoise

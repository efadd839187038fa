// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/group_planning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/tasks/train/overlapping_groups.h"
#include "equinoise/tasks/train/quiet_plan.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/methods/group_weighted.h"
#include "equinoise/train/tailoring/tailored_outlook.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.plan";
constexpr int kNumPowers = 11;      // of sizes, from 0 to 1
constexpr double kMostNoise = 1e5;  // more is told as epsilon 0 anyway
/// What of the assumptions nobody knows. A target and features of variance 1 leave no parameters
/// longer than 1, so that no two differ by more than 2. A target of variance 1 has residuals of no
/// more. Features that follow one another, rare categories and sigmoids all make losses flatter
/// than the outlook has them.
constexpr OutlookRanges kNotPublic = {{0, 2}, {0, 1}, {0.01, 1}};
constexpr double kShownDifference = 1;  // where none is given
constexpr double kShownVariance = 1;
/// A method that lowers the largest loss itself: it needs no assumption about how groups differ,
/// but little noise, which is of its weights, too.
constexpr std::string_view kLargestLoss = "mgr_w";
/// The part of the usual learning rate that its noise must allow: twice the noise that is quiet. On
/// bench/zoo its largest loss then is at most 1.01 times that of dpsgd, and .996 in the mean.
constexpr double kEnoughOfRate = 0.5;
constexpr double kClearlyBetter = 1 - 1e-3;  // less is a tie, which the one before wins
constexpr std::array kStageOneFractions = {0.02, 0.05, 0.1, 0.2, 0.4};

bool pays_by_weight(const std::string& method) {
  return method == "group_weighted" || method == "balanced";
}

/// A strategy with the plan that it was made from.
struct PlannedStrategy {
  GroupStrategy strategy;
  TrainingPlan plan;
};

/// What the outlook assumes, at one point of what is not public.
struct Assumptions {
  double group_difference = 0;
  double residual_variance = 0;
  double curvature = 1;
};

/// What strategies are judged by.
class Planner {
 public:
  Planner(const TrainRequest& request, const GroupPlanningRequest& planning,
          const TrainingSetup& setup)
      : request_(request),
        planning_(planning),
        schema_(setup.schema),
        config_(config_for(request, setup.plan.facts.num_records)),
        facts_(setup.plan.facts) {
    if (setup.groupings.empty())
      throw Error(ErrorKind::kUsage, kWhere, "--per-group needs groups, e.g. --groups sex");
    const Grouping cells =
        setup.overlapping ? setup.groupings[0] : without_empty_groups(setup.groupings[0]);
    if (!setup.overlapping) empty_ = names_of_empty_groups(setup.groupings[0]);
    facts_.num_groups = cells.groups.size();
    facts_.groups = public_groups_of(cells, setup.schema.num_records);
    if (setup.overlapping) {
      cells_ = &setup.groupings[0];
      groupings_ = {setup.groupings.begin() + 1, setup.groupings.end()};
      facts_.overlapping = overlapping_groups_of(groupings_, cells, setup.schema.num_records);
      outlook_.groups_of_cell = facts_.overlapping.groups_of_cell;
    } else {
      groupings_ = {cells};
    }
    for (const Grouping& grouping : groupings_) {
      labels_.insert(labels_.end(), grouping.groups.begin(), grouping.groups.end());
      for (std::string& name : group_names(grouping)) names_.push_back(std::move(name));
    }
    const std::unique_ptr<Model> base = make_model(request.model, setup.schema, request.network);
    facts_.num_parameters = base->num_parameters();
    is_linear_ = model_facts(base->name()).is_linear;
    outlook_.num_parameters = facts_.num_parameters;
    outlook_.num_records = static_cast<double>(facts_.num_records);
    if (is_linear_) facts_.row_norm = typical_row_norm(setup.schema);
    facts_.target = target_scale(setup.schema.column(setup.schema.target));
    outlook_.group_difference = planning.group_difference.value_or(kShownDifference);
    outlook_.residual_variance = planning.residual_variance.value_or(kShownVariance);
    for (size_t k = 0; k < facts_.num_groups; ++k) {
      const std::optional<double> share = facts_.groups.shares[k];
      // Nobody need be in an intersection.
      if (!share) {
        throw Error(ErrorKind::kUsage, kWhere,
                    fmt::format("--per-group needs the public size of {} {}, which is not "
                                "declared; {}",
                                overlap() ? "every intersection, including" : "group",
                                facts_.groups.names[k], kHowToDeclareSizes));
      }
      outlook_.shares.push_back(*share);
    }
    shares_ = group_shares(outlook_);
    for (size_t k = 0; k < shares_.size(); ++k) {
      if (shares_[k] > 0) continue;
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("all intersections in group {} have the public size 0, so nothing "
                              "can be predicted for it",
                              names_[k]));
    }
    facts_.model = base->name();
    if (!is_linear_) {
      outlook_note_ = fmt::format(
          "expected errors are for a loss that is quadratic in {} parameters; for a network they "
          "show at most which method to try first",
          facts_.num_parameters);
    }
    if (request.model != "auto")
      model_option_ = " --model " + request.model +
                      changed_flags<NetworkOptions>(network_options(), request.network, {});
    for (const std::vector<std::string>& columns : request.groupings)
      groups_option_ += fmt::format(" --groups {}", fmt::join(columns, ","));
    GroupCostOptions costs = config_.own.of<GroupCostOptions>();
    costs.weights.clear();
    config_.own = {};
    config_.own.of<GroupCostOptions>() = std::move(costs);
    config_.constraints.reset();
  }

  bool overlap() const { return cells_ != nullptr; }
  bool is_linear() const { return is_linear_; }
  /// What to know of the expected errors; maybe nothing.
  const std::string& outlook_note() const { return outlook_note_; }
  /// Groups that the schema declares to be empty, which are not compared.
  const std::vector<std::string>& empty_groups() const { return empty_; }
  const std::string& model() const { return facts_.model; }
  bool trains_dpse() const { return find_training_method("dpse").make()->trains(facts_.model); }
  const std::vector<GroupLabel>& labels() const { return labels_; }  ///< (groups)
  const std::vector<std::string>& names() const { return names_; }   ///< (groups)

  /// (groups): size^-power, with a mean of 1 over records.
  std::vector<double> weights(double power) const {
    std::vector<double> weights = weights_by_size(shares_, power);
    // Somebody in several groups has the mean of their weights.
    for (double& weight : weights) weight *= static_cast<double>(groupings_.size());
    return weights;
  }

  /// A group with fewer records to train on than a model of its own has parameters: decoupled
  /// refuses it.
  std::optional<std::string> group_below_parameters() const {
    for (size_t k = 0; k < shares_.size(); ++k)
      if (shares_[k] * outlook_.num_records < static_cast<double>(facts_.num_parameters))
        return names_[k];
    return std::nullopt;
  }

  /// A group for which dpse would need a size that is not declared.
  std::optional<std::string> group_without_size() const {
    const PublicGroups& groups = facts_.overlapping.groups;
    for (size_t k = 0; k < groups.names.size(); ++k)
      if (!groups.shares[k]) return groups.names[k];
    return std::nullopt;
  }

  /// dpse with this part of the budget for stage one, if there is one.
  PlannedStrategy plan_dpse(const TailoringOptions& tailoring) const {
    return plan("dpse", {}, tailoring);
  }

  PlannedStrategy plan(const std::string& method, const std::vector<double>& weights = {},
                       const TailoringOptions& tailoring = {}) const {
    TrainingConfig config = config_;
    config.own.of<TailoringOptions>() = tailoring;
    for (size_t k = 0; k < weights.size(); ++k)
      config.own.of<GroupCostOptions>().weights[names_[k]] = weights[k];
    if (!pays_by_weight(method)) keep_strictest_epsilon(method, config);
    SettledPlan settled = settle(request_, method, config);
    PlannedStrategy planned{{method, "", weights}, std::move(settled.plan)};
    GroupStrategy& strategy = planned.strategy;
    strategy.noise_warning = std::move(settled.warning);
    strategy.expected = outlook_of(planned.plan, method, outlook_);
    strategy.options = options_of(method, config, weights);
    if (method == kLargestLoss && !settled.pooled) strategy.part_of_rate = settled.part_of_rate;
    if (!wants_epsilon()) {
      strategy.privacy = guarantees_of(planned.plan);
    } else {
      // Noise alone follows the budget, by its variance.
      double factor = std::numeric_limits<double>::infinity();
      for (size_t k = 0; k < names_.size(); ++k) {
        const ExpectedError& error = strategy.expected[k];
        const double rest = error.sampling + error.difference;
        factor = std::min(factor, (limit_of(k) - rest) / error.noise);
      }
      if (!(factor > 0)) return planned;
      const double now = method == "dpse" ? planned.plan.noise_multiplier
                                          : plan_of_noise(method, config).noise_multiplier;
      config.noise_multiplier = std::min(now * std::sqrt(factor), kMostNoise);
      config.epsilon.reset();
      // Its expected errors are those of the clip and of the weights that were chosen.
      config.max_grad_norm = planned.plan.config.max_grad_norm;
      config.own.of<BalancedOptions>() = planned.plan.config.own.of<BalancedOptions>();
      TrainRequest same = request_;
      same.settles_clip = false;
      try {
        settled = settle(same, method, config);
        planned.plan = std::move(settled.plan);
        strategy.noise_warning = std::move(settled.warning);
        strategy.expected = outlook_of(planned.plan, method, outlook_);
        strategy.privacy = guarantees_of(planned.plan);
        config.noise_multiplier.reset();
        config.epsilon = strategy.largest_epsilon();
        strategy.options = options_of(method, config, weights);
      } catch (const Error& error) {
        // So little noise cannot be accounted for: no budget is enough.
        if (error.kind() != ErrorKind::kUsage) throw;
      }
    }
    return planned;
  }

  /// The largest expected error of any group under other assumptions.
  double largest_error(const PlannedStrategy& planned, const Assumptions& assumed) const {
    OutlookFacts facts = outlook_;
    facts.group_difference = assumed.group_difference;
    facts.residual_variance = assumed.residual_variance;
    double largest = 0;
    // In units in which the curvature is 1, steps are longer by as much as losses are flatter, and
    // their noise with them.
    for (const ExpectedError& error : outlook_of(planned.plan, planned.strategy.method, facts)) {
      largest = std::max(largest, error.noise / (assumed.curvature * assumed.curvature) +
                                      error.sampling + error.difference);
    }
    return largest;
  }

  /// How far what is assumed may be otherwise: what was given is somebody's to answer for.
  OutlookRanges ranges() const {
    OutlookRanges ranges = kNotPublic;
    if (const std::optional<double>& given = planning_.group_difference)
      ranges.group_difference = {*given, *given};
    if (const std::optional<double>& given = planning_.residual_variance)
      ranges.residual_variance = {*given, *given};
    return ranges;
  }

  double shown_difference() const { return outlook_.group_difference; }
  double shown_variance() const { return outlook_.residual_variance; }

 private:
  bool wants_epsilon() const { return planning_.largest_error || !planning_.group_errors.empty(); }

  double limit_of(size_t k) const {
    const auto found = planning_.group_errors.find(names_[k]);
    if (found != planning_.group_errors.end()) return found->second;
    return planning_.largest_error.value_or(std::numeric_limits<double>::infinity());
  }

  SettledPlan settle(const TrainRequest& request, const std::string& method,
                     const TrainingConfig& config) const {
    return settle_plan(request, *find_training_method(method).make(),
                       overlap() ? at_intersections(config, groupings_, *cells_) : config, facts_,
                       overlap() ? nullptr : &groupings_[0], schema_);
  }

  /// Gradients at the strategy's budget, for their noise multiplier.
  TrainingPlan plan_of_noise(const std::string& method, TrainingConfig config) const {
    config.own = {};
    if (!config.noise_multiplier) config.epsilon = config_.epsilon;
    return plan_of_gradients(method, config);
  }

  /// With the mean from which dpsgd alone starts.
  TrainingPlan plan_of_gradients(const std::string& method, const TrainingConfig& config) const {
    return method == "dpsgd" ? find_training_method(method).make()->plan(config, facts_)
                             : plan_noisy_gradients("dpsgd", config, facts_);
  }

  /// A method that gives everybody the same gives everybody the least.
  void keep_strictest_epsilon(const std::string& method, TrainingConfig& config) const {
    std::optional<double> strictest = config.epsilon;
    auto& costs = config.own.of<GroupCostOptions>();
    for (const auto& [group, epsilon] : costs.epsilons)
      strictest = std::min(strictest.value_or(epsilon), epsilon);
    costs.epsilons.clear();
    costs.clips.clear();
    if (!config.noise_multiplier) {
      config.epsilon = strictest;
    } else if (strictest) {
      TrainingConfig calibrated = config;
      calibrated.noise_multiplier.reset();
      calibrated.epsilon = strictest;
      // What a worst-group method releases beside gradients costs something, too.
      const TrainingPlan plan = method == kLargestLoss
                                    ? find_training_method(method).make()->plan(calibrated, facts_)
                                    : plan_of_gradients(method, calibrated);
      config.noise_multiplier = std::max(*config.noise_multiplier, plan.noise_multiplier);
    }
  }

  /// What makes `equinoise train` and `equinoise plan` do the same: the model, the budget, and of
  /// what was given what the method takes.
  std::string options_of(const std::string& method, const TrainingConfig& config,
                         const std::vector<double>& weights) const {
    std::string options =
        fmt::format("--method {}{}{}{}", method, model_option_, groups_option_,
                    overlap() && find_training_method(method).make()->takes_overlapping_groups()
                        ? " --overlapping"
                        : "");
    if (config.noise_multiplier) {
      options += fmt::format(" --noise-multiplier {:.6g}", *config.noise_multiplier);
    } else {
      options += fmt::format(" --epsilon {:.4g}", *config.epsilon);
    }
    TrainingConfig usual;
    usual.batch_size = default_batch_size(facts_.num_records);
    usual.num_steps = default_num_steps(facts_.num_records);
    usual.final_learning_rate = config.learning_rate / 10;
    if (config.delta != usual.delta) options += fmt::format(" --delta {}", config.delta);
    if (config.num_steps != usual.num_steps)
      options += fmt::format(" --steps {}", config.num_steps);
    TrainingConfig weighted = config;
    for (size_t k = 0; k < weights.size(); ++k)
      weighted.own.of<GroupCostOptions>().weights[names_[k]] = weights[k];
    options +=
        changed_flags<TrainingConfig>(find_training_method(method).options(), weighted, usual);
    return options;
  }

  std::vector<ExpectedError> outlook_of(const TrainingPlan& plan, const std::string& method,
                                        const OutlookFacts& facts) const {
    const int64_t num_averaged = plan.config.num_steps - first_averaged_step(plan.config);
    if (method == "dpse") return tailored_outlook(facts, plan, num_averaged).errors;
    const double noise =
        plan.noise_stddev / (plan.config.batch_size * std::sqrt(static_cast<double>(num_averaged)));
    if (method == "decoupled") return separate_outlook(facts, noise);
    if (method == kLargestLoss) return largest_loss_outlook(plan, facts, noise);
    // A clip that shrinks lets a group count less, as if all its gradients were clipped.
    std::vector<double> weights(facts_.num_groups, 1.0);
    for (size_t k = 0; k < plan.group_bounds.size(); ++k)
      weights[k] = plan.group_bounds[k] / plan.config.max_grad_norm;
    return shared_outlook(facts, weights, noise);
  }

  /// Of a method whose weights of groups begin alike. `noise` is that of all records alike.
  std::vector<ExpectedError> largest_loss_outlook(const TrainingPlan& plan,
                                                  const OutlookFacts& facts, double noise) const {
    const double below = plan.config.own.of<WorstGroupOptions>().pool_below.value_or(0);
    const auto num_trained = static_cast<double>(plan.facts.num_groups);
    const auto is_pooled = [&](size_t k) {
      return static_cast<double>(groupings_[0].public_sizes[k].value_or(0)) < below;
    };
    double pooled = 0;
    for (size_t k = 0; k < shares_.size(); ++k)
      if (is_pooled(k)) pooled += shares_[k];
    std::vector<double> weights;
    for (size_t k = 0; k < shares_.size(); ++k)
      weights.push_back(1 / (num_trained * (is_pooled(k) ? pooled : shares_[k])));
    return shared_outlook(facts, weights,
                          noise * *std::max_element(weights.begin(), weights.end()));
  }

  /// (groups): of groups that overlap that of the costliest intersection in each.
  std::vector<Guarantee> guarantees_of(const TrainingPlan& plan) const {
    if (plan.group_bounds.empty()) return std::vector(names_.size(), *plan.privacy);
    std::vector<Guarantee> of_cells;
    for (size_t k = 0; k < facts_.num_groups; ++k) {
      of_cells.push_back(
          smallest_guarantee(plan.config.relation, plan.events_of(k), plan.privacy->delta));
    }
    if (!overlap()) return of_cells;
    std::vector<std::optional<Guarantee>> worst(names_.size());
    for (size_t c = 0; c < of_cells.size(); ++c) {
      for (const size_t k : outlook_.groups_of_cell[c]) {
        if (!worst[k] || worst[k]->epsilon.value() < of_cells[c].epsilon.value())
          worst[k] = of_cells[c];
      }
    }
    std::vector<Guarantee> guarantees;
    guarantees.reserve(worst.size());
    for (std::optional<Guarantee>& guarantee : worst) guarantees.push_back(std::move(*guarantee));
    return guarantees;
  }

  const TrainRequest& request_;
  const GroupPlanningRequest& planning_;
  const Schema& schema_;
  TrainingConfig config_;
  std::string model_option_;
  std::string groups_option_;
  std::string outlook_note_;
  std::vector<std::string> empty_;
  TrainingFacts facts_;
  const Grouping* cells_ = nullptr;  ///< of groups that overlap
  std::vector<Grouping> groupings_;  ///< whose groups are compared
  std::vector<GroupLabel> labels_;   ///< (groups)
  std::vector<std::string> names_;   ///< (groups)
  std::vector<double> shares_;       ///< (groups)
  OutlookFacts outlook_;
  bool is_linear_ = false;
};

}  // namespace

namespace {

/// What is compared, in groups of strategies of one method each, of which the best is told.
using Compared = std::vector<std::vector<PlannedStrategy>>;

/// The one to tell of those of one method: the best of those whose noise decides nothing, or of
/// all.
size_t best_of(const std::vector<PlannedStrategy>& strategies, bool by_epsilon) {
  size_t best = 0;
  for (size_t i = 1; i < strategies.size(); ++i) {
    const GroupStrategy& found = strategies[i].strategy;
    const GroupStrategy& so_far = strategies[best].strategy;
    const bool is_sound = !found.noise_warning.has_value();
    if (is_sound == !so_far.noise_warning ? found.is_better_than(so_far, by_epsilon) : is_sound)
      best = i;
  }
  return best;
}

/// dpse as it was asked for, or as it is by itself; where its split follows errors with several
/// parts for stage one.
std::vector<PlannedStrategy> plans_of_dpse(const Planner& planner, const TrainRequest& request,
                                           GroupOutlookReport& outlook) {
  TailoringOptions tailoring =
      request.method == "dpse" ? request.config.own.of<TailoringOptions>() : TailoringOptions{};
  std::vector<PlannedStrategy> strategies = {planner.plan_dpse(tailoring)};
  if (!needs_errors(tailoring.split)) return strategies;
  std::set<double> fractions(kStageOneFractions.begin(), kStageOneFractions.end());
  fractions.insert(tailoring.stage_one_fraction);
  for (const double fraction : fractions) {
    tailoring.stage_one_fraction = fraction;
    strategies.push_back(planner.plan_dpse(tailoring));
    const GroupStrategy& strategy = strategies.back().strategy;
    outlook.stage_one_parts.push_back(
        {fraction, strategy.largest_error(), strategy.largest_epsilon()});
  }
  return strategies;
}

/// What ranks first at any point of what is not public.
class Ranking {
 public:
  Ranking(const Planner& planner, const Compared& compared) : planner_(planner) {
    for (const std::vector<PlannedStrategy>& strategies : compared) {
      for (const PlannedStrategy& planned : strategies) {
        // Where its weights end is not expected, only where they begin.
        if (planned.strategy.method == kLargestLoss) continue;
        // dpsgd is what there is where nothing is known of others.
        if (!planned.strategy.noise_warning || ranked_.empty()) ranked_.push_back(&planned);
      }
    }
  }

  const PlannedStrategy* first(const Assumptions& assumed) const {
    const PlannedStrategy* best = ranked_[0];
    double least = planner_.largest_error(*best, assumed);
    for (const PlannedStrategy* planned : ranked_) {
      const double error = planner_.largest_error(*planned, assumed);
      if (!(error < kClearlyBetter * least)) continue;
      least = error;
      best = planned;
    }
    return best;
  }

  /// What ranks first at each difference, one range for each method.
  std::vector<RankedRange> by_difference(const OutlookRanges& ranges, Assumptions assumed) const {
    const auto first_at = [&](double difference) {
      assumed.group_difference = difference;
      return first(assumed)->strategy.method;
    };
    const OutlookRanges::Range& range = ranges.group_difference;
    std::vector<RankedRange> ranking = {{range.least, range.least, first_at(range.least)}};
    for (const double difference : differences(range)) {
      const std::string method = first_at(difference);
      if (method != ranking.back().method) {
        double low = ranking.back().to;
        double high = difference;
        for (int halving = 0; halving < kHalvings; ++halving) {
          const double middle = (low + high) / 2;
          (first_at(middle) == ranking.back().method ? low : high) = middle;
        }
        ranking.back().to = high;
        ranking.push_back({high, high, method});
      }
      ranking.back().to = difference;
    }
    return ranking;
  }

  /// Whether `strategy` ranks first wherever it is looked: at all differences, and at the ends and
  /// the logarithmic middle of the other ranges.
  bool is_first_throughout(const PlannedStrategy* strategy, const OutlookRanges& ranges) const {
    for (const double difference : differences(ranges.group_difference)) {
      for (const double curvature : ends_of(ranges.curvature)) {
        for (const double variance : ends_of(ranges.residual_variance))
          if (first({difference, variance, curvature}) != strategy) return false;
      }
    }
    return true;
  }

 private:
  static constexpr int kHalvings = 20;

  static std::vector<double> ends_of(const OutlookRanges::Range& range) {
    if (range.least == range.most) return {range.least};
    return {range.least, std::sqrt(range.least * range.most), range.most};
  }

  /// The ends and what is between them, the closer the smaller.
  static std::vector<double> differences(const OutlookRanges::Range& range) {
    constexpr int kSteps = 30;
    constexpr double kOfMost = 1e-4;
    std::vector<double> differences = {range.least};
    if (range.least == range.most) return differences;
    for (int i = 0; i <= kSteps; ++i) {
      const double exponent = static_cast<double>(kSteps - i) / kSteps;
      differences.push_back(range.most * std::pow(kOfMost, exponent));
    }
    return differences;
  }

  const Planner& planner_;
  std::vector<const PlannedStrategy*> ranked_;  ///< dpsgd first
};

bool is_open(const OutlookRanges::Range& range) { return range.least < range.most; }

/// Chooses what to recommend: what ranks first whatever is not public, or dpsgd.
void recommend(const Planner& planner, const Compared& compared, GroupOutlookReport& outlook) {
  outlook.ranges = planner.ranges();
  std::vector<const PlannedStrategy*> told;
  for (const std::vector<PlannedStrategy>& strategies : compared) {
    told.push_back(&strategies[best_of(strategies, outlook.wants_epsilon)]);
    outlook.strategies.push_back(told.back()->strategy);
  }
  if (outlook.wants_epsilon) {
    // What epsilon is needed follows the difference at once.
    if (!outlook.is_difference_given) {
      outlook.open_assumptions = {"group difference"};
      return;
    }
    for (size_t i = 1; i < told.size(); ++i) {
      if (!told[i]->strategy.noise_warning &&
          told[i]->strategy.is_better_than(told[outlook.best]->strategy, true))
        outlook.best = i;
    }
    return;
  }
  const Ranking ranking(planner, compared);
  const Assumptions shown = {planner.shown_difference(), planner.shown_variance(), 1};
  outlook.ranking = ranking.by_difference(outlook.ranges, shown);
  const PlannedStrategy* first = ranking.first(shown);
  // One range after the other, so that each is named that would change the ranking by itself.
  OutlookRanges shown_alone = {{shown.group_difference, shown.group_difference},
                               {shown.residual_variance, shown.residual_variance},
                               {shown.curvature, shown.curvature}};
  const auto turns = [&](OutlookRanges::Range OutlookRanges::*range) {
    OutlookRanges one = shown_alone;
    one.*range = outlook.ranges.*range;
    return is_open(one.*range) && !ranking.is_first_throughout(first, one);
  };
  if (turns(&OutlookRanges::group_difference))
    outlook.open_assumptions.emplace_back("group difference");
  if (turns(&OutlookRanges::curvature)) outlook.open_assumptions.emplace_back("curvature");
  if (turns(&OutlookRanges::residual_variance))
    outlook.open_assumptions.emplace_back("residual variance");
  // What its noise does follows how flat losses are.
  if (first->strategy.noise_warning && outlook.open_assumptions.empty())
    outlook.open_assumptions.emplace_back("curvature");
  if (outlook.open_assumptions.empty() && !ranking.is_first_throughout(first, outlook.ranges))
    outlook.open_assumptions.emplace_back("all of these together");
  for (size_t i = 0; i < told.size(); ++i) {
    const GroupStrategy& strategy = told[i]->strategy;
    const bool is_best = outlook.open_assumptions.empty()
                             ? told[i] == first
                             : strategy.part_of_rate.value_or(0) >= kEnoughOfRate;
    if (is_best) outlook.best = i;
  }
}

}  // namespace

namespace {

/// The setup of the plan; of groups that overlap with intersections, whatever its method is.
TrainingSetup set_up_for_groups(const TrainRequest& request) {
  TrainRequest plain = without_group_costs(request);
  if (request.overlapping && !plain.overlapping) {
    plain.overlapping = true;
    plain.method = "group_weighted";
  }
  return set_up_training(plain);
}

}  // namespace

TrainRequest without_group_costs(TrainRequest request) {
  if (pays_by_weight(request.method)) return request;
  request.config.own.of<GroupCostOptions>() = {};
  if (!find_training_method(request.method).make()->takes_overlapping_groups())
    request.overlapping = false;
  return request;
}

void plan_groups(const TrainRequest& request, const GroupPlanningRequest& planning,
                 TrainingReport& report) {
  if (planning.group_difference)
    check_non_negative(kWhere, "group_difference", *planning.group_difference);
  if (planning.residual_variance)
    check_non_negative(kWhere, "residual_variance", *planning.residual_variance);
  const bool wants_epsilon = planning.largest_error || !planning.group_errors.empty();
  if (planning.largest_error) check_positive(kWhere, "largest_error", *planning.largest_error);
  if (wants_epsilon && !request.config.own.of<GroupCostOptions>().epsilons.empty()) {
    throw Error(
        ErrorKind::kUsage, kWhere,
        "--largest-error and --group-error ask which epsilon is needed; leave out --group-epsilon");
  }
  const TrainingSetup setup = set_up_for_groups(request);
  const Planner planner(request, planning, setup);
  const std::vector<std::string>& names = planner.names();
  for (const auto& [name, error] : planning.group_errors) {
    check_positive(kWhere, fmt::format("group_error of {}", name), error);
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(ErrorKind::kUsage, kWhere, fmt::format("there is no group \"{}\"", name));
  }
  GroupOutlookReport& outlook = report.group_outlook.emplace();
  // Their notes are about a budget that is still to be found.
  if (wants_epsilon)
    for (OtherMethod& other : report.other_methods) other.notes.clear();
  outlook.group_difference = planner.shown_difference();
  outlook.residual_variance = planner.shown_variance();
  outlook.is_difference_given = planning.group_difference.has_value();
  outlook.wants_epsilon = wants_epsilon;
  outlook.groups = planner.labels();
  Compared compared = {{planner.plan("dpsgd")}};
  if (!planner.overlap()) compared.push_back({planner.plan("balanced")});
  std::vector<PlannedStrategy>& weighted = compared.emplace_back();
  for (int i = 0; i < kNumPowers; ++i) {
    const double power = static_cast<double>(i) / (kNumPowers - 1);
    weighted.push_back(planner.plan("group_weighted", planner.weights(power)));
  }
  if (!planner.outlook_note().empty()) report.notes.push_back(planner.outlook_note());
  if (!planner.empty_groups().empty())
    report.notes.push_back(
        fmt::format("not compared, since the schema declares that nobody is in them: {}",
                    fmt::join(planner.empty_groups(), "; ")));
  if (planner.is_linear() && !planner.overlap()) {
    if (const std::optional<std::string> small = planner.group_below_parameters()) {
      report.notes.push_back(
          fmt::format("decoupled is not compared: group {} has fewer training records than its own "
                      "model would have parameters",
                      *small));
    } else {
      compared.push_back({planner.plan("decoupled")});
    }
  }
  const std::optional<std::string> without_size = planner.group_without_size();
  if (planner.trains_dpse() && !without_size)
    compared.push_back(plans_of_dpse(planner, request, outlook));
  if (planner.trains_dpse() && without_size) {
    report.notes.push_back(fmt::format(
        "dpse is not compared: the public size of group {} is not declared", *without_size));
  }
  std::vector<std::string_view> under_constraints;
  for (const TrainingMethodRow& row : training_methods()) {
    const std::unique_ptr<TrainingMethod> method = row.make();
    if (row.status == PrivacyStatus::kPrivate && method->uses_constraints() &&
        method->trains(planner.model()))
      under_constraints.push_back(row.name);
  }
  if (!under_constraints.empty())
    report.notes.push_back(
        fmt::format("not compared, since they keep constraints on rates of groups, and what that "
                    "does to errors does not follow from public facts: {}",
                    fmt::join(under_constraints, ", ")));
  // What it does to networks does not follow from the noise of its steps.
  if (!planner.overlap() && !wants_epsilon && planner.names().size() > 1 &&
      model_facts(planner.model()).is_linear &&
      find_training_method(kLargestLoss).make()->trains(planner.model()))
    compared.push_back({planner.plan(std::string(kLargestLoss))});
  recommend(planner, compared, outlook);
}

}  // namespace equinoise

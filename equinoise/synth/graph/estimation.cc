// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/estimation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/parallel.h"
#include "equinoise/synth/graph/belief_propagation.h"
#include "equinoise/synth/graph/marginal_loss.h"
#include "equinoise/synth/graph/shared_attributes.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "synth.estimation";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};
constexpr int kStallWindow = 50;
constexpr int kBoundInterval = 10;  // a bound costs less than half an iteration
constexpr int kCheckInterval = 5;
constexpr int kMaxHalvings = 60;
constexpr int kMaxDampedHalvings = 6;

/// A model as potentials, its marginals and their loss.
struct Point {
  std::vector<double> potentials;
  std::vector<double> counts;
  std::vector<double> gradient;  // of the loss with respect to counts
  double loss = 0;
};

std::vector<double> moved(std::vector<double> from, const std::vector<double>& direction,
                          double step) {
  for (size_t i = 0; i < from.size(); ++i) from[i] += step * direction[i];
  return from;
}

/// Returns whether the loss fell by at least half of the first-order decrease that the gradient
/// predicts between two points.
bool has_sufficient_decrease(const Point& from, const Point& to) {
  double promised = 0;
  for (size_t i = 0; i < from.gradient.size(); ++i) {
    promised += from.gradient[i] * (from.counts[i] - to.counts[i]);
  }
  return promised >= 0 && from.loss - to.loss >= 0.5 * promised;
}

class Estimator {
 public:
  Estimator(const Domain& domain, const std::vector<NoisyMarginal>& measurements,
            const EstimationOptions& options, double total)
      : domain_(domain),
        options_(options),
        total_(total),
        loss_(domain, measurements),
        tree_(make_tree()) {
    for (size_t z = 0; z < options_.fixed_potentials.size(); ++z) {
      tree_.set_potential(loss_.cliques().size() + z, options_.fixed_potentials[z].values);
    }
  }

  ModelEstimate run(const GraphicalModel* start);

 private:
  BeliefPropagation make_tree() const;
  std::vector<double> first_potentials(const GraphicalModel* start) const;
  Point evaluate(std::vector<double> potentials);
  void improve_bound(const std::vector<double>& gradient);
  GraphicalModel model_of(const Point& point) const;

  const Domain& domain_;
  const EstimationOptions& options_;
  double total_;
  MarginalLoss loss_;
  BeliefPropagation tree_;  // sets: the cliques of the loss, then fixed potentials
  double lower_bound_ = 0;
};

BeliefPropagation Estimator::make_tree() const {
  std::vector<AttributeSet> sets = loss_.cliques();
  for (const Factor& fixed : options_.fixed_potentials) sets.push_back(fixed.attributes);
  JunctionTree tree = build_junction_tree(domain_, sets);
  check_model_size(domain_, tree, options_.max_cells);
  return BeliefPropagation(domain_, std::move(tree), std::move(sets), options_.threads);
}

std::vector<double> Estimator::first_potentials(const GraphicalModel* start) const {
  std::vector<double> potentials(loss_.size(), 0.0);
  if (start == nullptr) return potentials;
  for (const Factor& factor : start->potentials()) {
    const auto is_same = [&](const Factor& fixed) {
      return fixed.attributes == factor.attributes && fixed.values == factor.values;
    };
    if (std::ranges::any_of(options_.fixed_potentials, is_same)) continue;
    const bool finite =
        std::ranges::all_of(factor.values, [](double value) { return std::isfinite(value); });
    if (!finite) continue;  // the options give impossible cells
    for (size_t k = 0; k < loss_.cliques().size(); ++k) {
      if (!contains(loss_.cliques()[k], factor.attributes)) continue;
      Broadcast(domain_, loss_.cliques()[k], factor.attributes)
          .add_to(loss_.part(potentials, k), factor.values);
      break;
    }
  }
  return potentials;
}

Point Estimator::evaluate(std::vector<double> potentials) {
  Point point;
  point.potentials = std::move(potentials);
  point.counts.resize(loss_.size());
  for (size_t k = 0; k < loss_.cliques().size(); ++k) {
    tree_.set_potential(k, loss_.part(point.potentials, k));
  }
  tree_.calibrate();
  if (!tree_.possible()) {
    refuse("the structural zeros leave no possible record; declare fewer");
  }
  std::vector<std::span<double>> marginals;
  for (size_t k = 0; k < loss_.cliques().size(); ++k)
    marginals.push_back(loss_.part(point.counts, k));
  marginals.resize(tree_.num_sets());  // marginals of fixed potentials are not needed
  tree_.set_marginals(marginals);
  for (double& count : point.counts) count *= total_;
  point.loss = loss_.evaluate(point.counts, point.gradient);
  return point;
}

void Estimator::improve_bound(const std::vector<double>& gradient) {
  lower_bound_ = std::max(lower_bound_, loss_.lower_bound(gradient, total_, tree_));
}

GraphicalModel Estimator::model_of(const Point& point) const {
  std::vector<Factor> potentials;
  for (size_t k = 0; k < loss_.cliques().size(); ++k) {
    const auto values = loss_.part(point.potentials, k);
    potentials.push_back({loss_.cliques()[k], {values.begin(), values.end()}});
  }
  append(potentials, options_.fixed_potentials);
  return GraphicalModel(domain_, tree_.tree(), std::move(potentials), total_);
}

/// Mirror descent in potentials with Nesterov's extrapolation: a step along the gradient with
/// respect to counts, from a point beyond the last one in the direction of travel.
///
/// Every fifth step, and any after the loss rose, is checked: it must lower the loss by half of the
/// decrease that its gradient predicts, or it is halved. If the loss is not the least so far, the
/// extrapolation begins anew at the best point. The first steps go along the gradient without the
/// parts that cliques share (shared_attributes.h), which is faster at first. Once such a step fails
/// a check, steps go along the gradient itself.
ModelEstimate Estimator::run(const GraphicalModel* start) {
  const SharedAttributes shared(domain_, loss_.cliques());
  Point best = evaluate(first_potentials(start));
  std::vector<double> previous = best.potentials;
  Point ahead = best;  // where the gradient is taken
  double steepest = 0;
  for (double g : best.gradient) steepest = std::max(steepest, std::abs(g));
  double step = steepest > 0 ? 0.5 / steepest : 0;
  double momentum = 1;
  bool damped = true;
  bool doubtful = true;
  double loss_before = best.loss;
  int iterations = 0;
  bool interrupted = false;
  lower_bound_ = loss_.separate_bound(total_);
  improve_bound(best.gradient);
  while (iterations < options_.max_iterations && step > 0) {
    ++iterations;
    std::vector<double> direction = ahead.gradient;
    if (damped) shared.damp(ahead.counts, direction);
    std::vector<double> potentials = moved(ahead.potentials, direction, -step);
    if (doubtful || iterations % kCheckInterval == 0) {
      const double first_step = step;
      const int max_halvings = damped ? kMaxDampedHalvings : kMaxHalvings;
      int halvings = 0;
      Point next = evaluate(potentials);
      while (!has_sufficient_decrease(ahead, next) && halvings < max_halvings) {
        ++halvings;
        step *= 0.5;
        potentials = moved(ahead.potentials, direction, -step);
        next = evaluate(potentials);
      }
      const bool failed = halvings == max_halvings;
      if (failed && !damped) break;  // rounding decides: as good as it gets
      doubtful = failed || next.loss > best.loss;
      if (doubtful) {
        step = failed ? first_step : 0.7 * step;
        damped = false;
        momentum = 1;
        previous = best.potentials;
        ahead = best;
      } else {
        best = std::move(next);
        step *= 1.5;
      }
    }
    if (!doubtful) {
      const double next_momentum = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
      const double beyond = (momentum - 1) / next_momentum;
      momentum = next_momentum;
      std::vector<double> extrapolated = potentials;
      for (size_t i = 0; i < potentials.size(); ++i) {
        extrapolated[i] += beyond * (potentials[i] - previous[i]);
      }
      previous = std::move(potentials);
      const double loss_behind = ahead.loss;
      ahead = evaluate(std::move(extrapolated));
      doubtful = ahead.loss > loss_behind;
    }
    if (iterations % kBoundInterval == 0) {
      improve_bound(best.gradient);
      const double gap = best.loss - lower_bound_;
      if (gap <= options_.gap_tolerance) break;
      if (gap <= options_.relative_gap_tolerance * best.loss) break;
      if (options_.on_progress && !options_.on_progress({iterations, best.loss, gap})) {
        interrupted = true;
        break;
      }
    }
    if (iterations % kStallWindow == 0) {
      if (loss_before - best.loss < options_.stall_tolerance * best.loss) break;
      loss_before = best.loss;
    }
  }
  improve_bound(best.gradient);
  return {model_of(best), best.loss, std::max(0.0, best.loss - lower_bound_), iterations,
          interrupted};
}

}  // namespace

ModelEstimate estimate_model(const Domain& domain, const std::vector<NoisyMarginal>& measurements,
                             const EstimationOptions& options, const GraphicalModel* start) {
  if (measurements.empty()) {
    refuse("there are no measurements; give at least one");
  }
  for (size_t i = 0; i < measurements.size(); ++i) {
    check_measurement(domain, measurements[i], fmt::format("{}.measurements[{}]", kWhere, i));
  }
  const double total = options.total ? *options.total : estimated_total(measurements);
  if (!(total > 0 && total <= kMaxMeasured)) {
    refuse("total must be > 0 and at most {:g}, got {:g}", kMaxMeasured, total);
  }
  if (start != nullptr && start->domain() != domain) {
    refuse("the model to start from has another domain");
  }
  return Estimator(domain, measurements, options, total).run(start);
}

}  // namespace equinoise

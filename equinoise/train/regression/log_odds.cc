// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/log_odds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "equinoise/train/regression/coding.h"
#include "equinoise/train/regression/matrix_noise.h"

namespace equinoise {

namespace {

/// A feature whose log odds the noise of gradients alone would leave open by more than this has
/// none: the step would be too long for all of them.
constexpr double kMostErrorOfLogOdds = 0.5;
constexpr double kMostOfCurvature = 0.3;
constexpr double kLongestLastStep = 0.35;

Coding coding_of(const NoisyCurvature& noisy, const EncodedTable& table) {
  const Eigen::Index p = noisy.second.rows() - 1;
  // A record counts by how much is to be learnt from it.
  const Coding all =
      coding_of(noisy.second.col(p).head(p), noisy.second_stddev / std::sqrt(2), table);
  std::vector<Eigen::Index> kept = all.kept;
  kept.push_back(p);
  return without_collinear(all, noisy.second(kept, kept),
                           noisy.second_variances(static_cast<Eigen::Index>(kept.size())),
                           noisy.gradient_stddev / kMostErrorOfLogOdds);
}

/// The parameters (features + 1) without features that have no coefficient: categories as what they
/// are held against, numbers as if they did not matter.
Eigen::VectorXd without_hidden(const Coding& coding, Eigen::VectorXd parameters) {
  for (const Coding::Hidden& hidden : coding.hidden)
    parameters(hidden.feature) = hidden.reference < 0 ? 0 : parameters(hidden.reference);
  return parameters;
}

/// (kept + 1) what the parameters say of the features kept and of a constant, where features of a
/// block add up to 1.
Eigen::VectorXd coded(const Coding& coding, const std::vector<Eigen::Index>& kept,
                      const Eigen::VectorXd& parameters) {
  Eigen::VectorXd found = parameters(kept);
  const Eigen::Index constant = found.size() - 1;
  for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(coding.references.size()); ++j)
    if (coding.references[static_cast<size_t>(j)] == j) found(constant) += parameters(j);
  for (Eigen::Index j = 0; j < constant; ++j) {
    const auto feature = static_cast<size_t>(kept[static_cast<size_t>(j)]);
    if (coding.references[feature] >= 0) found(j) -= parameters(coding.references[feature]);
  }
  return found;
}

/// (rows) about the most that a Newton step d to the truth is off in each parameter because second
/// derivatives change along it: half the sum over records of weight (1 - 2 p) (u' d)^2 u, times
/// M^-1. By Stein's lemma for scores that are about normal, where the derivative of (1 - 2 p) is
/// within 1 / 2; `lean` bounds its mean, which acts through the mean of u' d and, of features that
/// are skewed as those of rare categories are, through d^2.
Eigen::VectorXd curvature_of(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& estimate,
                             const Eigen::VectorXd& step, double squares) {
  const Eigen::Index p = step.size() - 1;
  const double weight = matrix(p, p);
  const Eigen::VectorXd means = matrix.col(p) / weight;
  const double change = std::fabs(means.dot(step));
  const double score = means.dot(estimate);
  const double lean = std::min(1.0, std::fabs(std::tanh(score / 2)) + 0.2);
  // The slopes alone, about the means.
  const Eigen::VectorXd slopes = matrix.topRows(p).leftCols(p) * estimate.head(p) -
                                 weight * means.head(p) * means.head(p).dot(estimate.head(p));
  const double along = std::fabs(step.head(p).dot(slopes)) / weight;
  Eigen::VectorXd most = squares / 4 * estimate.cwiseAbs() + along / 2 * step.cwiseAbs() +
                         lean * (change * step.cwiseAbs() + step.cwiseAbs2() / 2);
  most(p) = squares / 4 * std::fabs(score) + along / 2 * std::fabs(step(p)) + lean / 2 * squares;
  return most;
}

}  // namespace

Coefficients log_odds_of(const NoisyCurvature& noisy, const Eigen::VectorXd& at,
                         const EncodedTable& table) {
  const Coding coding = coding_of(noisy, table);
  Coefficients found{rows_of(coding), table.classes.back()};
  const auto p = static_cast<Eigen::Index>(coding.kept.size());
  std::vector<Eigen::Index> kept = coding.kept;
  kept.push_back(at.size() - 1);
  const Eigen::MatrixXd matrix = noisy.second(kept, kept);
  const std::optional<Eigen::MatrixXd> found_inverse = inverse_of_moments(matrix);
  if (!found_inverse) return found;
  const Eigen::MatrixXd& inverse = *found_inverse;
  const Eigen::VectorXd start = without_hidden(coding, at);
  // The gradient at the start, as second derivatives tell it, and the whole way from `at`.
  const Eigen::VectorXd moved = noisy.second * (start - at);
  const Eigen::VectorXd step = -inverse * (noisy.gradient(kept) + moved(kept));
  Eigen::VectorXd way = start - at;
  way(kept) += step;
  // With twice the standard deviation that noise gives it.
  const double squares =
      (std::max(0.0, way.dot(noisy.second * way)) + 2 * noisy.second_stddev * way.squaredNorm()) /
      matrix(p, p);
  if (!(squares <= kLongestLastStep * kLongestLastStep)) return found;

  const Eigen::MatrixXd variances = noisy.second_variances(p + 1);
  const Eigen::MatrixXd of_way =
      covariance_of_product(noisy.second_variances(at.size()), way)(kept, kept);
  Eigen::MatrixXd right = matrix + of_way;
  right.diagonal().array() += noisy.gradient_stddev * noisy.gradient_stddev;
  const Eigen::MatrixXd covariance = inverse * right * inverse;
  const Eigen::VectorXd bias = mean_of_second_order(variances, inverse) * way(kept);
  const Eigen::VectorXd estimate = coded(coding, kept, start) + step;
  const Eigen::MatrixXd natural = in_units_of_columns(coding, table);
  Eigen::VectorXd curvature = curvature_of(matrix, estimate, way(kept), squares);
  for (const Coding::Hidden& hidden : coding.hidden) {
    // The score of who is in a hidden category moves by v, and weights by a factor of up to e^v.
    const double v = std::fabs(start(hidden.feature) - at(hidden.feature));
    const Eigen::VectorXd across = noisy.second.col(hidden.feature);
    curvature += (inverse * across(kept)).cwiseAbs() * (std::exp(v) - 1 - v);
  }
  curvature = natural.cwiseAbs() * curvature;
  for (Eigen::Index j = 0; j <= p; ++j) {
    const Eigen::VectorXd row = natural.row(j).transpose();
    const double error = told_standard_error(variances, inverse, covariance, bias, row);
    if (!(curvature(j) <= kMostOfCurvature * error)) continue;
    found.rows[static_cast<size_t>(j)].estimate = with_interval(row.dot(estimate), error);
  }
  return found;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/log_odds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "equinoise/train/regression/matrix_noise.h"
#include "equinoise/train/regression/newton_step.h"

namespace equinoise {

namespace {

/// (rows) An approximate bound on the error of each parameter after a Newton step d to the truth,
/// because second derivatives change along it: half the sum over records of
/// weight (1 - 2 p) (u' d)^2 u, times M^-1. It uses Stein's lemma for approximately normal scores,
/// where the derivative of (1 - 2 p) is within 1 / 2. `lean` bounds its mean, which acts through
/// the mean of u' d and, for skewed features such as rare categories, through d^2.
Eigen::VectorXd curvature_of(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& estimate,
                             const Eigen::VectorXd& step, double squares) {
  const Eigen::Index p = step.size() - 1;
  const double weight = matrix(p, p);
  const Eigen::VectorXd means = matrix.col(p) / weight;
  const double change = std::fabs(means.dot(step));
  const double score = means.dot(estimate);
  const double lean = std::min(1.0, std::fabs(std::tanh(score / 2)) + 0.2);
  // The slopes only, about the means.
  const Eigen::VectorXd slopes = matrix.topRows(p).leftCols(p) * estimate.head(p) -
                                 weight * means.head(p) * means.head(p).dot(estimate.head(p));
  const double along = std::fabs(step.head(p).dot(slopes)) / weight;
  Eigen::VectorXd most = squares / 4 * estimate.cwiseAbs() + along / 2 * step.cwiseAbs() +
                         lean * (change * step.cwiseAbs() + step.cwiseAbs2() / 2);
  most(p) = squares / 4 * std::fabs(score) + along / 2 * std::fabs(step(p)) + lean / 2 * squares;
  return most;
}

std::vector<Eigen::Index> with_constant(const Coding& coding, const Eigen::VectorXd& at) {
  std::vector<Eigen::Index> kept = coding.kept;
  kept.push_back(at.size() - 1);
  return kept;
}

NoisyMatrix second_moments(const NoisyCurvature& noisy, const EncodedTable& table) {
  const Eigen::Index size = noisy.second.rows();
  return with_known_categories(
      {noisy.second, {noisy.second_variances(size), Eigen::VectorXd::Zero(size)}}, table);
}

}  // namespace

Coding coding_of(const NoisyCurvature& noisy, const EncodedTable& table) {
  const NoisyMatrix moments = second_moments(noisy, table);
  const Coding all = coding_of(moments, table, kHiddenBelow);
  return without_hidden(all, moments.part(all.kept), kHiddenBelow);
}

Eigen::VectorXd step_without_hidden(const Coding& coding, const NoisyCurvature& noisy,
                                    const Eigen::VectorXd& at, double num_records) {
  const std::vector<Eigen::Index> kept = with_constant(coding, at);
  // Hidden categories start as their reference, and hidden numbers without effect.
  Eigen::VectorXd start = at;
  for (const Coding::Hidden& hidden : coding.hidden)
    start(hidden.feature) = hidden.reference < 0 ? 0 : start(hidden.reference);
  // The gradient at `start`, extrapolated by second derivatives.
  const Eigen::VectorXd gradient = noisy.gradient + noisy.second * (start - at);
  // Features of a block add up to 1.
  Eigen::VectorXd coded = start(kept);
  for (size_t j = 0; j < coding.references.size(); ++j)
    if (coding.references[j] == static_cast<Eigen::Index>(j))
      coded(coded.size() - 1) += start(coding.references[j]);
  for (size_t j = 0; j + 1 < kept.size(); ++j)
    if (const Eigen::Index reference = coding.references[static_cast<size_t>(kept[j])];
        reference >= 0)
      coded(static_cast<Eigen::Index>(j)) -= start(reference);
  Eigen::VectorXd found = Eigen::VectorXd::Zero(at.size());
  found(kept) = newton_step({gradient(kept), noisy.second(kept, kept), noisy.gradient_stddev,
                             noisy.second_stddev},
                            coded, num_records)
                    .parameters;
  return found;
}

Coefficients log_odds_of(const Coding& coding, const NoisyCurvature& noisy,
                         const Eigen::VectorXd& at, const EncodedTable& table) {
  Coefficients found{rows_of(coding), table.classes.back()};
  if (coding.kept.empty()) return found;
  const std::vector<Eigen::Index> kept = with_constant(coding, at);
  const auto p = static_cast<Eigen::Index>(coding.kept.size());
  const NoisyMatrix moments = second_moments(noisy, table).part(coding.kept);
  const Eigen::MatrixXd& matrix = moments.matrix;
  const std::optional<Eigen::MatrixXd> inverse = inverse_of_moments(matrix);
  if (!inverse) return found;
  const Eigen::VectorXd step = -(*inverse) * noisy.gradient(kept);
  const Eigen::VectorXd estimate = at(kept) + step;
  Eigen::MatrixXd right = matrix;
  right.diagonal().array() += noisy.gradient_stddev * noisy.gradient_stddev;
  const NoisyEquations equations(moments.noise, *inverse, step, right);
  constexpr double kChosenBefore = 0;  // by other noise
  // Includes twice the standard deviation of its noise.
  const double squares =
      (std::max(0.0, step.dot(matrix * step)) + 2 * noisy.second_stddev * step.squaredNorm()) /
      matrix(p, p);
  const Eigen::MatrixXd natural = in_units_of_columns(coding, table);
  const Eigen::VectorXd curvature =
      natural.cwiseAbs() * curvature_of(matrix, estimate, step, squares);
  for (Eigen::Index j = 0; j <= p; ++j) {
    const Eigen::VectorXd row = natural.row(j).transpose();
    std::optional<NoisyEstimate>& told = found.rows[static_cast<size_t>(j)].estimate =
        equations.estimate(row, row.dot(estimate), kChosenBefore);
    if (!told) continue;
    told->low -= curvature(j);
    told->high += curvature(j);
  }
  explain_missing(coding, moments, *inverse, found.rows);
  return found;
}

}  // namespace equinoise

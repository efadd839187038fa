// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/least_squares.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "equinoise/train/regression/coding.h"
#include "equinoise/train/regression/matrix_noise.h"

namespace equinoise {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The normal equations M t = r of features and a constant, and the variances of their noise.
struct NormalEquations {
  NoisyMatrix left;
  Vector right;
  Vector right_variances;

  NormalEquations part(std::vector<Eigen::Index> features) const {
    NoisyMatrix of_part = left.part(features);
    features.push_back(right.size() - 1);
    return {std::move(of_part), right(features), right_variances(features)};
  }
};

/// Those of all features.
NormalEquations normal_equations(const Moments& moments, const EncodedTable& table) {
  const Eigen::Index p = moments.sum.size();
  const auto square = [](double value) { return value * value; };
  Matrix matrix(p + 1, p + 1);
  matrix << moments.second, moments.sum, moments.sum.transpose(), moments.weight;
  MatrixNoise noise{Matrix(p + 1, p + 1), Vector::Zero(p + 1)};
  noise.variances.setConstant(square(moments.second_stddev) / 2);
  noise.variances.diagonal().setConstant(square(moments.second_stddev));
  noise.variances.col(p).setConstant(square(moments.sum_stddev));
  noise.variances.row(p).setConstant(square(moments.sum_stddev));
  noise.variances(p, p) = square(moments.weight_stddev);
  NormalEquations equations{with_known_categories({std::move(matrix), std::move(noise)}, table),
                            Vector(p + 1), Vector::Constant(p + 1, square(moments.cross_stddev))};
  equations.right << moments.cross, moments.target;
  equations.right_variances(p) = square(moments.target_stddev);
  return equations;
}

/// Least squares of all parts together.
struct Solution {
  Matrix inverse;          ///< M^-1
  Vector t = {};           ///< the estimate
  Matrix covariance = {};  ///< of u, the error of right-hand sides
  double variance = 0;     ///< of residuals
};

/// The covariance of u for a part. The sum over the parts is the covariance of the whole.
Matrix covariance_of_part(const NormalEquations& equations, const Vector& t, double variance) {
  Matrix covariance = covariance_of_product(equations.left.noise, t);
  covariance.diagonal() += equations.right_variances;
  return covariance + variance * equations.left.matrix;
}

/// The fit of the solution to a part of its records, or to all of them. equations: of the part.
FitFigures fit_of(const Solution& all, const NormalEquations& equations, const Moments& part,
                  double target_divisor) {
  FitFigures found;
  const double weight = part.weight;
  if (!(weight > kHiddenBelow * part.weight_stddev) || !(weight > 1)) return found;
  const Matrix& matrix = equations.left.matrix;
  const Vector& t = all.t;
  const Eigen::Index p = t.size() - 1;
  const Matrix own = covariance_of_part(equations, t, all.variance);
  const Matrix others = all.covariance - own;
  // The error of the estimate is d = M^-1 u. That of the part's sum of squares is
  // 2 d' u_k - d' M_k d, with its own u_k and M_k.
  const Matrix of_others = all.inverse * matrix * all.inverse;
  const Matrix of_both = all.inverse - of_others;
  const Matrix of_own = all.inverse + of_both;
  const double squares = part.target_squares - 2 * equations.right.dot(t) + t.dot(matrix * t) +
                         of_own.cwiseProduct(own).sum() - of_others.cwiseProduct(others).sum();
  const auto square_trace = [](const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d) {
    return (a * b).cwiseProduct((c * d).transpose()).sum();
  };
  const double of_fit = 2 * square_trace(of_own, own, of_own, own) +
                        4 * square_trace(of_both, own, of_both, others) +
                        2 * square_trace(of_others, others, of_others, others);
  const double mean = part.target / weight;
  const double total = part.target_squares - weight * mean * mean;
  // Residuals M^-1 (r_k - M_k t) of a part that follows another relation determine the effect of
  // the estimates' error on it; for the whole this is 0.
  const Vector g = all.inverse * (equations.right - matrix * t);
  const double of_relation = 4 * g.dot(others * g) + 4 * all.variance * g.dot(matrix * g);
  // Both sums of squares are linear in the noise to first order: -2 (t + g)' (noise of r) + (t + 2
  // g)' (noise of M) t + ...
  const auto variance_of = [&](double of_part) {
    Vector linear = -2 * (t + g);
    linear(p) += 2 * of_part * mean;
    Matrix product = (t + 2 * g) * t.transpose();
    product(p, p) -= of_part * mean * mean;
    return std::pow(1 - of_part, 2) * std::pow(part.target_squares_stddev, 2) +
           linear.cwiseAbs2().dot(equations.right_variances) +
           variance_of_trace(equations.left.noise, product) + of_fit + of_relation;
  };
  const double mean_square = squares / weight;
  // A mean also has the noise of its divisor. The draw of the records is that of normal residuals.
  const NoisyEstimate residual = with_interval(
      mean_square, std::sqrt((variance_of(0) + std::pow(mean_square * part.weight_stddev, 2)) /
                                 (weight * weight) +
                             2 * mean_square * mean_square / weight));
  const auto root = [&](double of) { return target_divisor * std::sqrt(std::max(0.0, of)); };
  // Below 0, noise hides the value.
  if (!(mean_square > 0)) return found;
  found.residual_stddev =
      NoisyEstimate{root(residual.value), root(residual.low), root(residual.high)};
  const double total_stddev = std::sqrt(std::pow(part.target_squares_stddev, 2) +
                                        4 * mean * mean * std::pow(part.target_stddev, 2) +
                                        std::pow(mean * mean * part.weight_stddev, 2));
  // A quotient with an uncertain divisor has no approximately symmetric interval.
  if (!(total > 2 * kHiddenBelow * total_stddev) || !(total > 0)) return found;
  const double told = 1 - mean_square * (weight - 1) / total;
  // The draw of normal residuals and targets. Their squares vary together by the square of their
  // correlation, which for a fit to the same records is the unexplained part. A fit to other
  // records may leave more.
  const double residual_mean = (part.target - matrix.row(p).dot(t)) / weight;
  const double covariance =
      (part.target_squares - equations.right.dot(t)) / weight - residual_mean * mean;
  const double apart = std::clamp(1 - covariance * covariance / (mean_square * total / weight),
                                  std::max(told, 0.0), 1.0);
  const double of_records =
      4 * (apart + std::sqrt(of_fit) / total) * std::pow(1 - told, 2) / weight;
  NoisyEstimate& r_squared = found.r_squared.emplace(
      with_interval(told, std::sqrt(variance_of(squares / total) / (total * total) + of_records)));
  r_squared.high = std::min(r_squared.high, 1.0);
  return found;
}

}  // namespace

Coefficients coefficients_of(std::span<const Moments> parts, const MomentBounds& bounds,
                             const EncodedTable& table) {
  const Moments moments = combined(parts, std::vector<double>(parts.size(), 1.0));
  Coefficients found;
  if (parts.size() > 1) found.groups.resize(parts.size());
  const NormalEquations of_all = normal_equations(moments, table);
  const Coding all = coding_of(of_all.left, table, kMinRest);
  const Coding coding = without_hidden(all, of_all.left.part(all.kept), kMinRest);
  found.rows = rows_of(coding);
  const NormalEquations equations = of_all.part(coding.kept);
  const Matrix& matrix = equations.left.matrix;
  const auto p = static_cast<Eigen::Index>(coding.kept.size());
  const std::optional<Matrix> inverse = inverse_of_moments(matrix);
  if (!inverse) return found;
  Solution solution{*inverse};
  solution.t = solution.inverse * equations.right;
  const Vector& t = solution.t;
  const double freedom = matrix(p, p) - static_cast<double>(p + 1);
  if (!(freedom > 0)) return found;
  const Matrix noise = covariance_of_part(equations, t, 0);
  // The trace is the average amount by which least squares fits to the noise, so it is added back.
  const double squares =
      moments.target_squares - equations.right.dot(t) + solution.inverse.cwiseProduct(noise).sum();
  solution.variance = std::max(0.0, squares / freedom);
  solution.covariance = noise + solution.variance * matrix;
  Matrix right = solution.variance * matrix;
  right.diagonal() += equations.right_variances;
  const NoisyEquations noisy(equations.left.noise, solution.inverse, t, right);

  const Matrix natural = table.target_divisor * in_units_of_columns(coding, table);
  bool are_all_told = true;
  for (Eigen::Index j = 0; j <= p; ++j) {
    const Vector row = natural.row(j).transpose();
    const double center = j == p ? table.target_offset + table.target_divisor * bounds.center : 0;
    const auto& estimate = found.rows[static_cast<size_t>(j)].estimate =
        noisy.estimate(row, center + row.dot(t), kMinRest);
    are_all_told = are_all_told && estimate;
  }
  explain_missing(coding, equations.left, solution.inverse, found.rows);
  if (!are_all_told) return found;
  found.fit = fit_of(solution, equations, moments, table.target_divisor);
  for (size_t k = 0; k < found.groups.size(); ++k)
    found.groups[k] = fit_of(solution, normal_equations(parts[k], table).part(coding.kept),
                             parts[k], table.target_divisor);
  return found;
}

}  // namespace equinoise

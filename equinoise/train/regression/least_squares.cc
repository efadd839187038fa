// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/least_squares.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/base/normal_quantile.h"

namespace equinoise {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The normal equations M t = r of the features `kept` and a constant, and the variances of their
/// noise.
struct NormalEquations {
  Matrix matrix;
  Vector right;
  Matrix matrix_variances;  ///< of each entry, one draw for an entry and its mirror image
  Vector right_variances;
};

NormalEquations normal_equations(const Moments& moments, const std::vector<Eigen::Index>& kept) {
  const auto p = static_cast<Eigen::Index>(kept.size());
  NormalEquations equations{Matrix(p + 1, p + 1), Vector(p + 1), Matrix(p + 1, p + 1),
                            Vector(p + 1)};
  const auto square = [](double value) { return value * value; };
  equations.matrix.topLeftCorner(p, p) = moments.second(kept, kept);
  equations.matrix_variances.topLeftCorner(p, p).setConstant(square(moments.second_stddev) / 2);
  equations.matrix_variances.topLeftCorner(p, p).diagonal().setConstant(
      square(moments.second_stddev));
  const Vector sum = moments.sum(kept);
  equations.matrix.col(p).head(p) = sum;
  equations.matrix.row(p).head(p) = sum;
  equations.matrix(p, p) = moments.weight;
  equations.matrix_variances.col(p).setConstant(square(moments.sum_stddev));
  equations.matrix_variances.row(p).setConstant(square(moments.sum_stddev));
  equations.matrix_variances(p, p) = square(moments.weight_stddev);
  equations.right.head(p) = moments.cross(kept);
  equations.right(p) = moments.target;
  equations.right_variances.setConstant(square(moments.cross_stddev));
  equations.right_variances(p) = square(moments.target_stddev);
  return equations;
}

/// The covariance of (noise of M) t.
Matrix covariance_of_product(const Matrix& variances, const Vector& t) {
  Matrix covariance = variances.cwiseProduct(t * t.transpose());
  covariance.diagonal() = variances * t.cwiseAbs2();
  return covariance;
}

/// The variance of g' (noise of M) v for v of mean 0 with that covariance, apart from the noise.
double second_order_variance(const Matrix& variances, const Vector& g, const Matrix& covariance) {
  const Vector squares = g.cwiseAbs2();
  const double all = squares.dot(variances * covariance.diagonal()) +
                     g.dot(variances.cwiseProduct(covariance) * g);
  // An entry of the diagonal has no mirror image.
  return all - squares.dot(variances.diagonal().cwiseProduct(covariance.diagonal()));
}

/// What x of the moments is of features in the units of their columns: natural = offset + scale x.
struct Units {
  double offset = 0;
  double scale = 1;
};

Units units_of(const EncodedTable& table, size_t feature) {
  const NumberScale scale = table.scale_of(feature);
  return {scale.offset + scale.divisor * scale.middle, scale.divisor * scale.half_width};
}

/// The features without one of each block, and what the others are held against.
struct Coding {
  std::vector<Eigen::Index> kept;
  std::vector<std::string> names;   ///< of those kept
  std::vector<std::string> hidden;  ///< of categories so rare that noise hides them
};

std::string category_of(const std::string& feature) {
  return feature.substr(feature.find('=') + 1);
}

Coding coding_of(const Moments& moments, const EncodedTable& table) {
  constexpr double kLeastStandardErrors = 4;
  Coding coding;
  const auto keep = [&](size_t feature, std::string name) {
    coding.kept.push_back(static_cast<Eigen::Index>(feature));
    coding.names.push_back(std::move(name));
  };
  const auto weight = [&](size_t feature) {
    return moments.sum(static_cast<Eigen::Index>(feature));
  };
  for (size_t j = 0; j < table.num_dense; ++j) keep(j, table.feature_names[j]);
  for (size_t b = 0; b < table.blocks.size(); ++b) {
    const size_t begin = table.blocks[b];
    const size_t end = b + 1 < table.blocks.size() ? table.blocks[b + 1] : table.num_features;
    size_t largest = begin;
    for (size_t j = begin; j < end; ++j)
      if (weight(j) > weight(largest)) largest = j;
    for (size_t j = begin; j < end; ++j) {
      if (j == largest) continue;
      std::string name = fmt::format("{} (against {})", table.feature_names[j],
                                     category_of(table.feature_names[largest]));
      if (weight(j) < kLeastStandardErrors * moments.sum_stddev || weight(j) < 1) {
        coding.hidden.push_back(std::move(name));
      } else {
        keep(j, std::move(name));
      }
    }
  }
  return coding;
}

NoisyEstimate with_interval(double value, double standard_error) {
  const double half = kNormalQuantile * standard_error;
  return {value, value - half, value + half, standard_error};
}

/// The mean of (noise of M) inverse (noise of M).
Matrix mean_of_second_order(const Matrix& variances, const Matrix& inverse) {
  Matrix mean = variances.cwiseProduct(inverse);
  mean.diagonal() = variances * inverse.diagonal();
  return mean;
}

}  // namespace

Coefficients coefficients_of(const Moments& moments, const MomentBounds& bounds,
                             const EncodedTable& table) {
  Coefficients found;
  const Coding coding = coding_of(moments, table);
  for (const std::string& name : coding.names) found.rows.push_back({name});
  found.rows.push_back({"intercept"});
  for (const std::string& name : coding.hidden) found.rows.push_back({name});
  const NormalEquations equations = normal_equations(moments, coding.kept);
  const Matrix& variances = equations.matrix_variances;
  const auto p = static_cast<Eigen::Index>(coding.kept.size());
  const Eigen::LLT<Matrix> cholesky(equations.matrix);
  // Of collinear columns the matrix is singular but for rounding, or for the noise.
  constexpr double kLeastCondition = 1e-10;
  if (cholesky.info() != Eigen::Success || !(cholesky.rcond() > kLeastCondition)) return found;
  const Matrix inverse = cholesky.solve(Matrix::Identity(p + 1, p + 1));
  const Vector t = inverse * equations.right;
  const double weight = equations.matrix(p, p);
  const double freedom = weight - static_cast<double>(p + 1);
  if (!(freedom > 0)) return found;
  Matrix noise = covariance_of_product(variances, t);
  noise.diagonal() += equations.right_variances;
  // What least squares fit to noise is too little, in the mean, by the trace.
  const double squares =
      moments.target_squares - equations.right.dot(t) + inverse.cwiseProduct(noise).sum();
  const double variance = std::max(0.0, squares / freedom);
  const Matrix middle = noise + variance * equations.matrix;
  const Matrix covariance = inverse * middle * inverse;
  const Vector bias = mean_of_second_order(variances, inverse) * t;

  // Estimates of x are those of columns in linear combinations.
  Matrix natural = Matrix::Zero(p + 1, p + 1);
  for (Eigen::Index j = 0; j < p; ++j) {
    const Units units = units_of(table, static_cast<size_t>(coding.kept[static_cast<size_t>(j)]));
    natural(j, j) = 1 / units.scale;
    natural(p, j) = -units.offset / units.scale;
  }
  natural(p, p) = 1;
  natural *= table.target_divisor;
  bool are_all_told = true;
  for (Eigen::Index j = 0; j <= p; ++j) {
    const Vector row = natural.row(j).transpose();
    const double first = row.dot(covariance * row);
    const Vector g = inverse * row;
    const double second = second_order_variance(variances, g, covariance);
    const double most = kMostOfSecondOrder * std::sqrt(std::max(0.0, first));
    const bool is_told = first > 0 && second <= most * most && std::fabs(g.dot(bias)) <= most;
    are_all_told = are_all_told && is_told;
    if (!is_told) continue;
    const double center = j == p ? table.target_offset + table.target_divisor * bounds.center : 0;
    found.rows[static_cast<size_t>(j)].estimate =
        with_interval(center + row.dot(t), std::sqrt(first));
  }
  if (!are_all_told) return found;

  // Both sums of squares are linear in the noise to first order, -2 t' (noise of x y) + ...; of
  // second order is what least squares fit to noise and residuals, u' M^-1 u.
  const double mean = moments.target / weight;
  const double total = moments.target_squares - weight * mean * mean;
  if (!(total > 0)) return found;
  const double part = squares / total;
  const Matrix fitted = inverse * middle;
  const double of_fit = 2 * fitted.cwiseProduct(fitted.transpose()).sum();
  const auto variance_of = [&](double of_part) {
    const double of_target = -2 * t(p) + 2 * of_part * mean;
    const double of_weight = t(p) * t(p) - of_part * mean * mean;
    const Vector both = t.head(p).cwiseAbs2();
    const double of_second = 2 * both.dot(variances.topLeftCorner(p, p) * both) -
                             both.cwiseAbs2().dot(variances.topLeftCorner(p, p).diagonal());
    return std::pow(1 - of_part, 2) * std::pow(moments.target_squares_stddev, 2) +
           4 * both.dot(equations.right_variances.head(p)) +
           of_target * of_target * equations.right_variances(p) + of_second +
           4 * t(p) * t(p) * both.dot(variances.col(p).head(p)) +
           of_weight * of_weight * variances(p, p) + of_fit;
  };
  const auto root = [&](double of) { return table.target_divisor * std::sqrt(std::max(0.0, of)); };
  // For the draw of the records as if residuals were normal.
  const NoisyEstimate residual = with_interval(
      squares / freedom,
      std::sqrt(variance_of(0) / (freedom * freedom) + 2 * variance * variance / freedom));
  found.residual_stddev =
      NoisyEstimate{root(residual.value), root(residual.low), root(residual.high)};
  const double told = 1 - part * (weight - 1) / freedom;
  const double of_records =
      4 * (std::max(told, 0.0) + std::sqrt(of_fit) / total) * std::pow(1 - told, 2) / weight;
  found.r_squared =
      with_interval(told, std::sqrt(variance_of(part) / (total * total) + of_records));
  return found;
}

}  // namespace equinoise

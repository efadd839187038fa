// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "equinoise/train/regression/coefficients.h"

namespace equinoise {

/// The noise N of a symmetric matrix M, in independent draws.
struct MatrixNoise {
  /// (rows, rows) the variance of each entry, one draw for an entry and its mirror image.
  Eigen::MatrixXd variances;
  /// (rows) the variance of a draw that the entries (j, j), (j, last) and (last, j) share, beside
  /// that of each; 0 for the last row.
  Eigen::VectorXd shared;
};

/// A symmetric matrix with such noise, whose last row belongs to a constant.
struct NoisyMatrix {
  Eigen::MatrixXd matrix;
  MatrixNoise noise;

  /// The rows and columns of some features and the constant.
  NoisyMatrix part(std::vector<Eigen::Index> features) const;
};

/// The inverse; empty if the matrix is nearly singular.
std::optional<Eigen::MatrixXd> inverse_of_moments(const Eigen::MatrixXd& matrix);

/// The covariance of N t.
Eigen::MatrixXd covariance_of_product(const MatrixNoise& noise, const Eigen::VectorXd& t);

/// The variance of g' N v for v with mean 0 and covariance `covariance`, independent of the noise.
double second_order_variance(const MatrixNoise& noise, const Eigen::VectorXd& g,
                             const Eigen::MatrixXd& covariance);

/// The mean of N M^-1 N.
Eigen::MatrixXd mean_of_second_order(const MatrixNoise& noise, const Eigen::MatrixXd& inverse);

/// The mean of (p' N a) (q' N b).
double mean_of_products(const MatrixNoise& noise, const Eigen::VectorXd& p,
                        const Eigen::VectorXd& a, const Eigen::VectorXd& q,
                        const Eigen::VectorXd& b);

/// (columns) For each column v of `columns` the largest v' M v that noise hides: `least` standard
/// deviations of v' N v, and the mean of v' N M^-1 N v, which the noise of other features takes
/// from it. second_order: mean_of_second_order.
Eigen::VectorXd largest_hidden(const MatrixNoise& noise, const Eigen::MatrixXd& second_order,
                               const Eigen::MatrixXd& columns, double least);

/// The variance of the trace of P N.
double variance_of_trace(const MatrixNoise& noise, const Eigen::MatrixXd& product);

/// The solution t = M^-1 r of equations whose M and r have noise, and 95 % intervals for c = row'
/// x, x the solution of the equations without noise.
///
/// An interval holds the c that a test does not refuse [Fieller1954]. Let d = 1 / (row' M^-1 row),
/// the remainder of the feature when the others are fixed, and v = d M^-1 row. The test compares d
/// (row' t - c) with its standard deviation for the correct c, which follows from the noise at
/// t + (c - row' t) v. It needs no inverse of the noisy d: if noise makes d small, the interval is
/// wide and not symmetric. The mean of the dependence between v and the noise is subtracted.
///
/// Estimates are made only if d is above largest_hidden, and noise may have contributed to that.
/// The test is conditional on that selection [LeeEtAl2016]. Let T be its quotient, D the d in
/// standard deviations, and r their correlation for the correct c; then D - r T is independent of
/// T. Given it, T is a normal number restricted to D > least: above T - (D - least) / r if r > 0.
/// So an interval holds c in 95 % of the releases that show it, however few these are, and for any
/// d without noise. If no c is refused, however large, since d may be 0, the interval has no ends:
/// one that always has ends cannot hold c as often [GleserHwang1987].
class NoisyEquations {
 public:
  /// right: the covariance of the error of r, apart from the noise of M.
  NoisyEquations(MatrixNoise noise, Eigen::MatrixXd inverse, Eigen::VectorXd solution,
                 Eigen::MatrixXd right);

  /// The estimate and its interval; `found`: row' t plus a known number. Empty: d is not above
  /// largest_hidden. least: 0 if features were chosen by other noise, and d must be above 0.
  std::optional<NoisyEstimate> estimate(const Eigen::VectorXd& row, double found,
                                        double least) const;

 private:
  MatrixNoise noise_;
  Eigen::MatrixXd inverse_;
  Eigen::VectorXd solution_;
  Eigen::MatrixXd right_;
  Eigen::MatrixXd second_order_;  ///< the mean of N M^-1 N
  Eigen::MatrixXd error_;         ///< the covariance of r - M x
  Eigen::MatrixXd covariance_;    ///< of the solution
};

}  // namespace equinoise

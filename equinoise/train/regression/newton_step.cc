// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/newton_step.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "equinoise/train/regression/shrunk_slopes.h"

namespace equinoise {

namespace {

constexpr double kLongestStep = 2;

/// The required evidence for slopes: a slope that one step leaves out can be found by the next.
constexpr double kNoEvidence = 0;

}  // namespace

NewtonStep newton_step(const NoisyCurvature& noisy, const Eigen::VectorXd& at, double num_records) {
  constexpr int kNumLooks = 3;          // at the length of the step, on which its noise depends
  constexpr double kMinWeight = 0.002;  // of records: for a class with few members
  const Eigen::Index p = at.size() - 1;
  const auto square = [](double value) { return value * value; };
  const double of_gradient = square(noisy.gradient_stddev);
  const double of_second = square(noisy.second_stddev) / 2;
  // A record has a weight of at most 1 / 4.
  const double max_weight = num_records / 4;
  const double min_weight =
      std::min(std::max(kMinWeight * num_records, 2 * noisy.second_stddev), max_weight);
  const double weight = std::clamp(noisy.second(p, p), min_weight, max_weight);
  const Eigen::VectorXd across = noisy.second.col(p).head(p);
  const Eigen::VectorXd mean = across / weight;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(noisy.second.topLeftCorner(p, p) -
                                                             weight * mean * mean.transpose());
  const Eigen::MatrixXd& vectors = eigen.eigenvectors();
  const Eigen::ArrayXd values = eigenvalues_without_noise(
      eigen.eigenvalues().array(),
      Eigen::ArrayXd::Constant(p, largest_of_noise(p, noisy.second_stddev)));
  const Eigen::VectorXd gradient = noisy.gradient.head(p) - noisy.gradient(p) * mean;
  const Eigen::ArrayXd right = values * (vectors.transpose() * at.head(p)).array() -
                               (vectors.transpose() * gradient).array();
  NewtonStep step{at};
  Eigen::VectorXd slopes = Eigen::VectorXd::Zero(p);
  double constant = 0;
  for (int look = 0; look < kNumLooks; ++look) {
    const double length = slopes.squaredNorm() + constant * constant;
    const ShrunkSlopes shrunk =
        shrunk_slopes(values, right, values + of_gradient + of_second * length,
                      Eigen::ArrayXd::Zero(p), 1 / static_cast<double>(p), kNoEvidence);
    step.slope_variance = shrunk.variance;
    slopes = vectors * shrunk.slopes.matrix() - at.head(p);
    const double rest = -(noisy.gradient(p) + across.dot(slopes));
    constant =
        shrunk_number(rest, std::sqrt(of_gradient + of_second * slopes.squaredNorm())) / weight;
  }
  const double change =
      std::sqrt((vectors.transpose() * slopes).cwiseAbs2().dot(values.matrix()) / weight);
  const double part = std::min({1.0, kLongestStep / std::max(change, kLongestStep),
                                kLongestStep / std::max(std::fabs(constant), kLongestStep)});
  step.parameters.head(p) += part * slopes;
  const double largest = std::log(2 * num_records);
  step.parameters(p) = std::clamp(at(p) + part * constant, -largest, largest);
  return step;
}

}  // namespace equinoise

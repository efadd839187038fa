// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/hessian.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "equinoise/base/parallel.h"
#include "equinoise/train/gradient_sums.h"

namespace equinoise {

namespace {

/// The number of directions that share a forward and backward pass.
constexpr size_t kDirectionsAtOnce = 8;
constexpr size_t kParts = 8;
/// The number of tiles of records between checks for interruption.
constexpr size_t kTilesAtOnce = 4;

}  // namespace

MeanHessian::MeanHessian(const EncodedTable& table, const Model& model,
                         std::span<const uint32_t> records, std::span<const double> parameters,
                         int threads, std::function<void()> check_interruption)
    : table_(table),
      model_(model),
      records_(records),
      parameters_(parameters),
      threads_(threads),
      check_interruption_(std::move(check_interruption)),
      weights_(records.size(), 1 / static_cast<double>(records.size())) {}

std::vector<double> MeanHessian::products(std::span<const double> directions) const {
  const size_t num_directions = directions.size() / size();
  const size_t num_blocks = (num_directions + kDirectionsAtOnce - 1) / kDirectionsAtOnce;
  // Threads share the records instead if there are few directions, in parts that do not depend on
  // the threads.
  const size_t num_parts = num_blocks == 1 ? std::min<size_t>(kParts, records_.size()) : 1;
  std::vector<std::vector<double>> partial(num_parts, std::vector<double>(directions.size(), 0.0));
  const size_t at_once = kTilesAtOnce * model_.max_tile_records();
  parallel_for(num_blocks * num_parts, threads_, [&](size_t i) {
    const size_t begin = i / num_parts * kDirectionsAtOnce * size();
    const size_t length = std::min(kDirectionsAtOnce * size(), directions.size() - begin);
    const size_t part = i % num_parts;
    const size_t end = records_.size() * (part + 1) / num_parts;
    for (size_t first = records_.size() * part / num_parts; first < end; first += at_once) {
      if (check_interruption_) check_interruption_();
      const size_t count = std::min(at_once, end - first);
      model_.add_hessian_products({table_, records_.subspan(first, count)}, parameters_,
                                  std::span(weights_).subspan(first, count),
                                  directions.subspan(begin, length),
                                  std::span(partial[part]).subspan(begin, length));
    }
  });
  for (size_t part = 1; part < num_parts; ++part) add_scaled(1, partial[part], partial[0]);
  return std::move(partial[0]);
}

std::vector<double> rademacher_directions(size_t count, size_t size, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> directions(count * size);
  uint64_t bits = 0;
  for (size_t j = 0; j < directions.size(); ++j) {
    if (j % 64 == 0) bits = generator();
    directions[j] = (bits >> (j % 64)) % 2 == 0 ? -1 : 1;
  }
  return directions;
}

TraceEstimate estimate_trace(const MeanHessian& hessian, std::span<const double> directions) {
  const std::vector<double> products = hessian.products(directions);
  const size_t count = directions.size() / hessian.size();
  std::vector<double> values;
  double mean = 0;
  for (size_t v = 0; v < count; ++v) {
    values.push_back(
        inner_product(directions.subspan(v * hessian.size(), hessian.size()),
                      std::span(products).subspan(v * hessian.size(), hessian.size())));
    mean += values.back() / static_cast<double>(count);
  }
  double squared = 0;
  for (double value : values) squared += (value - mean) * (value - mean);
  const auto n = static_cast<double>(count);
  const double error =
      count > 1 ? std::sqrt(squared / (n - 1) / n) : std::numeric_limits<double>::quiet_NaN();
  return {mean, error};
}

ExtremeEigenvalues extreme_eigenvalues(const MeanHessian& hessian, uint64_t seed,
                                       size_t max_products, double tolerance) {
  const size_t size = hessian.size();
  std::vector<std::vector<double>> basis;
  std::vector<double> diagonal;
  std::vector<double> off_diagonal;
  std::mt19937_64 generator(seed);
  // A start that is unlikely to be orthogonal to any eigenvector.
  std::vector<double> next(size);
  for (double& entry : next) entry = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
  double norm = std::sqrt(inner_product(next, next));
  ExtremeEigenvalues found;
  while (basis.size() < std::min(size, max_products)) {
    for (double& entry : next) entry /= norm;
    basis.push_back(next);
    next = hessian.products(basis.back());
    diagonal.push_back(inner_product(next, basis.back()));
    // Twice is enough to keep the basis orthogonal to rounding.
    for (int pass = 0; pass < 2; ++pass) {
      for (const auto& vector : basis) add_scaled(-inner_product(next, vector), vector, next);
    }
    norm = std::sqrt(inner_product(next, next));

    const auto count = static_cast<Eigen::Index>(diagonal.size());
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    solver.computeFromTridiagonal(Eigen::Map<const Eigen::VectorXd>(diagonal.data(), count),
                                  Eigen::Map<const Eigen::VectorXd>(off_diagonal.data(), count - 1),
                                  Eigen::EigenvaluesOnly);
    const ExtremeEigenvalues before = found;
    found = {solver.eigenvalues()[count - 1], solver.eigenvalues()[0]};
    const double scale = std::max(std::fabs(found.largest), std::fabs(found.smallest));
    const double change = std::max(std::fabs(found.largest - before.largest),
                                   std::fabs(found.smallest - before.smallest));
    if (!(norm > 1e-12 * scale) || (count > 2 && change <= tolerance * scale)) break;
    off_diagonal.push_back(norm);
  }
  return found;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// The Hessian of the mean loss of some records at given parameters, by its products alone.
class MeanHessian {
 public:
  /// check_interruption is called from any thread before every few records' part of a product; an
  /// exception from it ends the product. Pre: table, model, records and parameters outlive this;
  /// all values of the records are finite.
  MeanHessian(const EncodedTable& table, const Model& model, std::span<const uint32_t> records,
              std::span<const double> parameters, int threads,
              std::function<void()> check_interruption = {});

  size_t size() const { return model_.num_parameters(); }

  /// The products with `directions`, (num_directions, size). Independent of the number of threads.
  std::vector<double> products(std::span<const double> directions) const;

 private:
  const EncodedTable& table_;
  const Model& model_;
  std::span<const uint32_t> records_;
  std::span<const double> parameters_;
  int threads_;
  std::function<void()> check_interruption_;
  std::vector<double> weights_;  // 1 / number of records, for each
};

/// An estimate and its standard error.
struct TraceEstimate {
  double value = 0;
  double standard_error = 0;  ///< NaN with one direction
};

/// `count` vectors of independent fair signs, (count, size). [Hutchinson1989]
std::vector<double> rademacher_directions(size_t count, size_t size, uint64_t seed);

/// The mean of v' H v over the directions, (num_directions, size): for signs an unbiased estimate
/// of the trace [Hutchinson1989].
TraceEstimate estimate_trace(const MeanHessian& hessian, std::span<const double> directions);

/// The algebraically largest and smallest eigenvalues.
struct ExtremeEigenvalues {
  double largest = 0;
  double smallest = 0;
};

/// The extreme eigenvalues by Lanczos' method with full reorthogonalisation, which finds both ends
/// in the number of products that power iteration needs for one. It ends when both have settled to
/// `tolerance` of the larger modulus or after `max_products`. The result is never beyond the true
/// ends, up to rounding.
ExtremeEigenvalues extreme_eigenvalues(const MeanHessian& hessian, uint64_t seed,
                                       size_t max_products = 60, double tolerance = 1e-5);

}  // namespace equinoise

#include "equinoise/models/network/outer_products.h"

#include <Eigen/Core>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

constexpr double kInputGrid = 0x1p-21;
constexpr double kGradientGrid = 0x1p-24;  // of the power of two below the bound

void truncate(std::vector<double>& values, double grid) {
  const double scale = 1 / grid;
  for (double& value : values) value = std::trunc(value * scale);
}

void multiply(const OuterFactors& factors, OuterProducts& out) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto num_records = static_cast<Eigen::Index>(factors.num_records);
  const auto num_rows = static_cast<Eigen::Index>(factors.num_inputs + 1);
  const auto num_columns = static_cast<Eigen::Index>(factors.num_outputs);
  out.sum.resize(static_cast<size_t>(num_rows * num_columns));
  Eigen::Map<Matrix>(out.sum.data(), num_rows, num_columns).noalias() =
      Eigen::Map<const Matrix>(factors.inputs.data(), num_records, num_rows).transpose() *
      Eigen::Map<const Matrix>(factors.gradients.data(), num_records, num_columns);
}

}  // namespace

void sum_exactly(OuterFactors& factors, double bound, OuterProducts& out) {
  if (factors.num_records > kMaxOuterProducts) {
    throw Error(ErrorKind::kRuntime, "models.network", "too many records for exact sums");
  }
  const double gradient_grid = kGradientGrid * power_of_two_below(bound);
  truncate(factors.inputs, kInputGrid);
  truncate(factors.gradients, gradient_grid);
  multiply(factors, out);
  out.unit = kInputGrid * gradient_grid;
  out.ones.swap(factors.gradients);
  for (double& value : out.ones) value *= 1 / kInputGrid;
}

void sum_plainly(OuterFactors& factors, OuterProducts& out) {
  multiply(factors, out);
  out.unit = 1;
  out.ones.swap(factors.gradients);
}

}  // namespace equinoise

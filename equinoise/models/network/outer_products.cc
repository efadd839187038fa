#include "equinoise/models/network/outer_products.h"

#include <algorithm>
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

/// Rows are whole blocks and whole registers, of whatever width.
constexpr size_t kPadding = 8;

size_t padded(size_t size) { return (size + kPadding - 1) / kPadding * kPadding; }

/// An odd number of cache lines: those of one column do not compete for the same places in the
/// cache.
size_t spread(size_t size) { return padded(size) + (padded(size) / kPadding + 1) % 2 * kPadding; }

void pad(std::vector<double>& rows, size_t num_rows, size_t size, size_t pitch) {
  rows.resize(num_rows * pitch);
  for (size_t i = 0; i < num_rows; ++i)
    std::fill_n(rows.data() + i * pitch + size, pitch - size, 0.0);
}

void multiply(const OuterFactors& factors, OuterProducts& out, const Kernels& kernels) {
  thread_local std::vector<size_t> offsets;
  offsets.resize(factors.num_records);
  for (size_t i = 0; i < offsets.size(); ++i) offsets[i] = i * factors.gradient_pitch;
  out.pitch = factors.gradient_pitch;
  out.sum.resize(factors.input_pitch * out.pitch);
  for (size_t j = 0; j < factors.input_pitch; j += kernels.num_rows) {
    kernels.sum_rows_double(
        {factors.inputs.data() + j, factors.input_pitch, factors.gradients.data(), offsets.data(),
         offsets.size(), padded(factors.num_outputs), out.sum.data() + j * out.pitch, out.pitch});
  }
}

}  // namespace

void OuterFactors::resize(size_t records, size_t inputs_of_record, size_t outputs_of_record) {
  num_records = records;
  num_inputs = inputs_of_record;
  num_outputs = outputs_of_record;
  input_pitch = padded(num_inputs + 1);
  gradient_pitch = spread(num_outputs);
  pad(inputs, num_records, num_inputs + 1, input_pitch);
  pad(gradients, num_records, num_outputs, gradient_pitch);
}

void sum_exactly(OuterFactors& factors, double bound, OuterProducts& out, const Kernels& kernels) {
  if (factors.num_records > kMaxOuterProducts) {
    throw Error(ErrorKind::kRuntime, "models.network", "too many records for exact sums");
  }
  const double gradient_grid = kGradientGrid * power_of_two_below(bound);
  truncate(factors.inputs, kInputGrid);
  truncate(factors.gradients, gradient_grid);
  multiply(factors, out, kernels);
  out.unit = kInputGrid * gradient_grid;
  out.ones.swap(factors.gradients);
  for (double& value : out.ones) value *= 1 / kInputGrid;
}

void sum_plainly(OuterFactors& factors, OuterProducts& out, const Kernels& kernels) {
  multiply(factors, out, kernels);
  out.unit = 1;
  out.ones.swap(factors.gradients);
}

}  // namespace equinoise

#include "equinoise/models/logistic.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

double logit_of(const EncodedTable& table, int64_t record, std::span<const double> parameters) {
  double logit = parameters.back();
  const std::span<const float> dense = table.dense_row(record);
  for (size_t j = 0; j < dense.size(); ++j) logit += static_cast<double>(dense[j]) * parameters[j];
  for (uint32_t feature : table.active_row(record)) logit += parameters[feature];
  return logit;
}

/// 1 / (1 + exp(-z)) in place. Blocks of fixed size: a value depends on nothing but itself, neither
/// on its place nor on where the memory happens to be, as it would where Eigen picks scalars to
/// reach an aligned address.
void sigmoid(std::span<double> values) {
  constexpr size_t kBlock = 8;
  Eigen::Array<double, kBlock, 1> block;
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    const size_t count = std::min(kBlock, values.size() - begin);
    block.setZero();
    std::copy_n(values.data() + begin, count, block.data());
    block = 1 / (1 + (-block).exp());
    std::copy_n(block.data(), count, values.data() + begin);
  }
}

/// Calls add(parameter, value) for each non-zero entry of coefficient * (x, 1); one-hot entries and
/// the bias share a value.
template <typename Convert, typename Sum>
void add_record(const EncodedTable& table, int64_t record, double coefficient, Convert convert,
                Sum* sum) {
  const std::span<const float> dense = table.dense_row(record);
  for (size_t j = 0; j < dense.size(); ++j)
    sum[j] += convert(coefficient * static_cast<double>(dense[j]));
  const Sum one = convert(coefficient);
  for (uint32_t feature : table.active_row(record)) sum[feature] += one;
  sum[table.num_features] += one;
}

}  // namespace

LogisticModel::LogisticModel(std::vector<std::string> feature_names,
                             const std::vector<std::string>& classes)
    : feature_names_(std::move(feature_names)) {
  if (classes.size() != 2) {
    throw Error(
        ErrorKind::kInput, "models.logistic",
        fmt::format("logistic regression needs a target with two values, the schema lists {}",
                    classes.size()));
  }
}

std::vector<std::string> LogisticModel::parameter_names() const {
  std::vector<std::string> names = feature_names_;
  names.emplace_back("bias");
  return names;
}

void LogisticModel::per_sample(const EncodedTable& table, std::span<const uint32_t> records,
                               std::span<const double> parameters, PerSample& out) const {
  const size_t count = records.size();
  out.output_gradient.resize(count);
  out.squared_norm.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t record = records[i];
    out.output_gradient[i] = logit_of(table, record, parameters);
    double squared = 1 + table.num_active;
    for (float value : table.dense_row(record))
      squared += static_cast<double>(value) * static_cast<double>(value);
    out.squared_norm[i] = squared;
  }
  sigmoid(out.output_gradient);
  for (size_t i = 0; i < count; ++i) out.output_gradient[i] -= table.labels[records[i]];
  // The sum has num_dense + 1 roundings; 32 more cover the square root, the clip weight and the
  // products made with it.
  const double raise = 1 + (table.num_dense + 32) * 0x1p-52;
  for (size_t i = 0; i < count; ++i) {
    out.squared_norm[i] *= out.output_gradient[i] * out.output_gradient[i] * raise;
  }
}

void LogisticModel::add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                     const PerSample& samples, std::span<const double> weights,
                                     double grid, std::span<int64_t> units) const {
  const double scale = 1 / grid;
  for (size_t i = 0; i < records.size(); ++i) {
    if (weights[i] == 0) continue;
    const double coefficient = weights[i] * samples.output_gradient[i] * scale;
    add_record(
        table, records[i], coefficient, [](double value) { return static_cast<int64_t>(value); },
        units.data());
  }
}

void LogisticModel::add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                     const PerSample& samples, std::span<const double> weights,
                                     std::span<double> sum) const {
  for (size_t i = 0; i < records.size(); ++i) {
    if (weights[i] == 0) continue;
    add_record(
        table, records[i], weights[i] * samples.output_gradient[i],
        [](double value) { return value; }, sum.data());
  }
}

void LogisticModel::predict(const EncodedTable& table, std::span<const double> parameters,
                            std::span<uint16_t> predicted, std::span<double> loss) const {
  for (int64_t record = 0; record < table.num_records; ++record) {
    const auto i = static_cast<size_t>(record);
    const double logit = logit_of(table, record, parameters);
    predicted[i] = logit > 0 ? 1 : 0;
    loss[i] =
        std::fmax(logit, 0) - table.labels[i] * logit + std::log1p(std::exp(-std::fabs(logit)));
  }
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/per_group_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

PerGroupModel::PerGroupModel(std::unique_ptr<GeneralisedLinearModel> base,
                             std::vector<std::string> group_names,
                             const std::vector<double>& shares)
    : base_(std::move(base)), group_names_(std::move(group_names)) {
  for (const double share : shares)
    step_scales_.insert(step_scales_.end(), base_->num_parameters(), 1 / share);
}

std::unique_ptr<PerGroupModel> make_per_group(std::unique_ptr<Model> base,
                                              std::vector<std::string> group_names,
                                              const std::vector<double>& shares) {
  auto* linear = dynamic_cast<GeneralisedLinearModel*>(base.get());
  if (linear == nullptr) return nullptr;
  static_cast<void>(base.release());
  return std::make_unique<PerGroupModel>(std::unique_ptr<GeneralisedLinearModel>(linear),
                                         std::move(group_names), shares);
}

std::vector<double> PerGroupModel::initial_parameters(uint64_t seed) const {
  const std::vector<double> of_one = base_->initial_parameters(seed);
  std::vector<double> parameters;
  for (size_t k = 0; k < group_names_.size(); ++k) append(parameters, of_one);
  return parameters;
}

std::vector<std::string> PerGroupModel::parameter_names() const {
  std::vector<std::string> names;
  for (const std::string& group : group_names_) {
    for (const std::string& name : base_->parameter_names())
      names.push_back(fmt::format("{}: {}", group, name));
  }
  return names;
}

void PerGroupModel::score(const TableRows& rows, std::span<const double> parameters,
                          PerSample& out) const {
  if (std::ssize(rows.table.groups) != rows.table.num_records)
    throw Error(ErrorKind::kRuntime, "models.per_group", "the table has no groups");
  const size_t width = num_outputs();
  out.output_gradient.assign(rows.size() * width, kNaN);
  out.squared_norm.assign(rows.size(), kNaN);
  std::vector<size_t> places;
  std::vector<uint32_t> members;
  PerSample part;
  for (size_t k = 0; k < group_names_.size(); ++k) {
    places.clear();
    members.clear();
    for (size_t i = 0; i < rows.size(); ++i) {
      if (index_of(rows.table.groups[rows.records[i]]) != k) continue;
      places.push_back(i);
      members.push_back(rows.records[i]);
    }
    if (members.empty()) continue;
    base_->score({rows.table, members}, part_of(parameters, k), part);
    for (size_t i = 0; i < places.size(); ++i) {
      std::copy_n(part.output_gradient.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  out.output_gradient.begin() + static_cast<std::ptrdiff_t>(places[i] * width));
      out.squared_norm[places[i]] = part.squared_norm[i];
    }
  }
}

void PerGroupModel::losses(const TableRows& rows, const PerSample& scored,
                           std::span<double> losses) const {
  base_->losses(rows, scored, losses);  // of scores alone
}

void PerGroupModel::differentiate(const TableRows& rows, std::span<const double> added,
                                  PerSample& out) const {
  base_->differentiate(rows, added, out);  // of scores alone
}

std::vector<double> PerGroupModel::only_of(size_t group, const TableRows& rows,
                                           std::span<const double> values) const {
  std::vector<double> own(values.begin(), values.end());
  const size_t width = values.size() / std::max<size_t>(rows.size(), 1);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (index_of(rows.table.groups[rows.records[i]]) == group) continue;
    std::fill_n(own.begin() + static_cast<std::ptrdiff_t>(i * width), width, 0.0);
  }
  return own;
}

void PerGroupModel::add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                                    const PerSample& samples, std::span<const double> weights,
                                    const SumScale& scale, std::span<int64_t> units) const {
  for (size_t k = 0; k < group_names_.size(); ++k) {
    base_->add_counted_sum(table, counted, samples, only_of(k, {table, counted.records}, weights),
                           scale, part_of(units, k));
  }
}

void PerGroupModel::add_weighted_sum(const TableRows& rows, const PerSample& samples,
                                     std::span<const double> weights, std::span<double> sum) const {
  for (size_t k = 0; k < group_names_.size(); ++k) {
    base_->add_weighted_sum(rows, samples, only_of(k, rows, weights), part_of(sum, k));
  }
}

void PerGroupModel::sum_gradients(const TableRows& rows, const PerSample& samples, size_t place,
                                  std::span<const double> weights, GradientSum& sum) const {
  std::vector<size_t> groups;
  for (const uint32_t record : rows.records) {
    const size_t group = index_of(rows.table.groups[record]);
    if (group < group_names_.size() && !contains(groups, group)) groups.push_back(group);
  }
  sum.indices.clear();
  sum.values.clear();
  GradientSum part;
  std::swap(part.scratch, sum.scratch);
  for (const size_t group : groups) {
    base_->sum_gradients(rows, samples, place, only_of(group, rows, weights), part);
    const auto offset = static_cast<uint32_t>(group * base_->num_parameters());
    for (size_t i = 0; i < part.values.size(); ++i) {
      const auto index = part.indices.empty() ? static_cast<uint32_t>(i) : part.indices[i];
      sum.indices.push_back(offset + index);
      sum.values.push_back(part.values[i]);
    }
  }
  std::swap(part.scratch, sum.scratch);
}

void PerGroupModel::add_hessian_products(const TableRows& rows, std::span<const double> parameters,
                                         std::span<const double> weights,
                                         std::span<const double> directions,
                                         std::span<double> products) const {
  for (size_t k = 0; k < group_names_.size(); ++k) {
    const std::vector<double> own = only_of(k, rows, weights);
    for (size_t begin = 0; begin < directions.size(); begin += num_parameters()) {
      base_->add_hessian_products(rows, part_of(parameters, k), own,
                                  part_of(directions.subspan(begin, num_parameters()), k),
                                  part_of(products.subspan(begin, num_parameters()), k));
    }
  }
}

void PerGroupModel::directional_derivatives(const TableRows& rows, const PerSample& samples,
                                            std::span<const double> direction,
                                            std::span<double> derivatives) const {
  std::vector<double> of_all(rows.size());
  for (size_t k = 0; k < group_names_.size(); ++k) {
    base_->directional_derivatives(rows, samples, part_of(direction, k), of_all);
    for (size_t i = 0; i < rows.size(); ++i)
      if (index_of(rows.table.groups[rows.records[i]]) == k) derivatives[i] = of_all[i];
  }
}

void PerGroupModel::add_residual_gradient(const TableRows& rows, std::span<const double> parameters,
                                          std::span<const double> coefficients,
                                          std::span<double> sum) const {
  for (size_t k = 0; k < group_names_.size(); ++k) {
    base_->add_residual_gradient(rows, part_of(parameters, k), only_of(k, rows, coefficients),
                                 part_of(sum, k));
  }
}

Predictions PerGroupModel::predict(const EncodedTable& table, std::span<const double> parameters,
                                   int threads) const {
  if (std::ssize(table.groups) != table.num_records)
    throw Error(ErrorKind::kRuntime, "models.per_group", "the table has no groups");
  Predictions predictions;
  for (size_t k = 0; k < group_names_.size(); ++k) {
    const Predictions part = base_->predict(table, part_of(parameters, k), threads);
    if (k == 0) {
      predictions = part;
      std::ranges::fill(predictions.outputs, kNaN);
      std::ranges::fill(predictions.loss, kNaN);
    }
    const size_t width = part.num_outputs;
    for (size_t i = 0; i < table.groups.size(); ++i) {
      if (index_of(table.groups[i]) != k) continue;
      std::copy_n(part.outputs.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  predictions.outputs.begin() + static_cast<std::ptrdiff_t>(i * width));
      if (!part.predicted.empty()) predictions.predicted[i] = part.predicted[i];
      if (!part.loss.empty()) predictions.loss[i] = part.loss[i];
    }
  }
  return predictions;
}

}  // namespace equinoise

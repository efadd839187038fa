// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/generalised_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "equinoise/base/error.h"
#include "equinoise/models/input_norm.h"

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One score, known to the compiler: its loops over scores vanish, and values stay in registers.
using One = std::integral_constant<size_t, 1>;

/// Calls `function` with the number of scores, as a constant if it is 1.
template <typename Function>
void with_count(size_t num_scores, Function function) {
  if (num_scores == 1) {
    function(One());
  } else {
    function(num_scores);
  }
}

template <typename Value>
std::array<Value, 1> make_row(One) {
  return {};
}

template <typename Value>
std::vector<Value> make_row(size_t num_scores) {
  return std::vector<Value>(num_scores);
}

void score_record(const EncodedTable& table, int64_t record, std::span<const double> parameters,
                  One, double* scores) {
  double score = parameters.back();
  const std::span<const float> dense = table.dense_row(record);
  for (size_t j = 0; j < dense.size(); ++j) score += static_cast<double>(dense[j]) * parameters[j];
  for (uint32_t feature : table.active_row(record)) score += parameters[feature];
  *scores = score;
}

void score_record(const EncodedTable& table, int64_t record, std::span<const double> parameters,
                  size_t num_scores, double* scores) {
  const double* bias = parameters.data() + table.num_features * num_scores;
  std::copy_n(bias, num_scores, scores);
  const std::span<const float> dense = table.dense_row(record);
  for (size_t j = 0; j < dense.size(); ++j) {
    const auto value = static_cast<double>(dense[j]);
    const double* row = parameters.data() + j * num_scores;
    for (size_t k = 0; k < num_scores; ++k) scores[k] += value * row[k];
  }
  for (uint32_t feature : table.active_row(record)) {
    const double* row = parameters.data() + feature * num_scores;
    for (size_t k = 0; k < num_scores; ++k) scores[k] += row[k];
  }
}

/// The scores of each record, and |(x, 1)|^2, or NaN if a score is not finite.
template <typename Count>
void score_batch(const TableRows& rows, std::span<const double> parameters, Count num_scores,
                 PerSample& out) {
  const auto is_finite = [](double score) { return std::isfinite(score); };
  for (size_t i = 0; i < rows.size(); ++i) {
    rows.table.prefetch_row(rows.records, i);
    double* scores = out.output_gradient.data() + i * num_scores;
    score_record(rows.table, rows.records[i], parameters, num_scores, scores);
    out.squared_norm[i] = std::all_of(scores, scores + num_scores, is_finite)
                              ? squared_input_norm(rows.table, rows.records[i])
                              : kNaN;
  }
}

/// |(x, 1)|^2 -> factor |residuals|^2 |(x, 1)|^2.
template <typename Count>
void multiply_norms(Count num_scores, double factor, PerSample& out) {
  for (size_t i = 0; i < out.squared_norm.size(); ++i) {
    double squared = std::numeric_limits<double>::min();
    for (size_t k = 0; k < num_scores; ++k) {
      const double residual = out.output_gradient[i * num_scores + k];
      squared += residual * residual;
    }
    out.squared_norm[i] *= squared * factor;
  }
}

/// Counts each record once.
struct Once {
  constexpr uint32_t operator()(size_t) const { return 1; }
};

/// The weighted sum of (x, 1) residuals^T times `scale`. Integer sums take each product truncated
/// towards zero and multiplied by the record's count. residuals: (records, num_scores).
template <typename Count, typename Sum, typename Times = Once>
void add_batch(const TableRows& rows, const double* residuals_of_all,
               std::span<const double> weights, double scale, Count num_scores, Sum* sum,
               Times times = {}) {
  auto coefficients = make_row<double>(num_scores);
  auto ones = make_row<Sum>(num_scores);  // the row that the bias and all one-hot entries share
  const auto add_ones = [&](size_t feature) {
    Sum* row = sum + feature * num_scores;
    for (size_t k = 0; k < num_scores; ++k) row[k] += ones[k];
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    if (weights[i] == 0) continue;
    const double* residuals = residuals_of_all + i * num_scores;
    for (size_t k = 0; k < num_scores; ++k) coefficients[k] = weights[i] * residuals[k] * scale;
    const auto count = static_cast<Sum>(times(i));
    const std::span<const float> dense = rows.table.dense_row(rows.records[i]);
    for (size_t j = 0; j < dense.size(); ++j) {
      const auto value = static_cast<double>(dense[j]);
      Sum* row = sum + j * num_scores;
      for (size_t k = 0; k < num_scores; ++k)
        row[k] += count * static_cast<Sum>(coefficients[k] * value);
    }
    for (size_t k = 0; k < num_scores; ++k) ones[k] = count * static_cast<Sum>(coefficients[k]);
    for (uint32_t feature : rows.table.active_row(rows.records[i])) add_ones(feature);
    add_ones(rows.table.num_features);
  }
}

}  // namespace

GeneralisedLinearModel::GeneralisedLinearModel(std::vector<std::string> feature_names,
                                               std::unique_ptr<Loss> loss)
    : feature_names_(std::move(feature_names)), loss_(std::move(loss)) {}

std::vector<std::string> GeneralisedLinearModel::parameter_names() const {
  std::vector<std::string> names = feature_names_;
  names.emplace_back("bias");
  return names;
}

Predictions GeneralisedLinearModel::predict(const EncodedTable& table,
                                            std::span<const double> parameters, int) const {
  const auto num_records = static_cast<size_t>(table.num_records);
  std::vector<double> scores(num_records * loss_->num_scores());
  with_count(loss_->num_scores(), [&](auto num_scores) {
    for (size_t i = 0; i < num_records; ++i) {
      score_record(table, static_cast<int64_t>(i), parameters, num_scores,
                   scores.data() + i * num_scores);
    }
  });
  return loss_->predict(table, std::move(scores));
}

void GeneralisedLinearModel::score(const TableRows& rows, std::span<const double> parameters,
                                   PerSample& out) const {
  const size_t count = loss_->num_scores();
  out.output_gradient.resize(rows.size() * count);
  out.squared_norm.resize(rows.size());
  with_count(count, [&](auto num_scores) { score_batch(rows, parameters, num_scores, out); });
}

void GeneralisedLinearModel::losses(const TableRows& rows, const PerSample& scored,
                                    std::span<double> losses) const {
  loss_->losses(rows, scored.output_gradient, losses);
}

/// Proof that the raise is enough, with u = 2^-53, for residuals as they are in `output_gradient`.
/// No sum has cancellation, so the computed squared norm is at least the exact one times
/// (1 + raise) (1 - u)^n. Here n = num_dense (the sum |x|^2 + 1) + num_scores (squares and their
/// sum) + 1 (the least normal double, see below) + 2 (the two products). The clip weight
/// C / sqrt(squared norm) has two roundings, and its products with a residual and with a feature
/// one each; the grid is a power of two. So the weighted vector has norm at most C if
///   1 + raise >= (1 + u)^6 (1 - u)^-(n + 2),
/// for which raise = 2 (num_dense + num_scores + 32) u is about twice enough. Squares that
/// underflow lose at most 2^-1075 each; the least normal double that is added is more than all of
/// them.
void GeneralisedLinearModel::differentiate(const TableRows& rows, std::span<const double> added,
                                           PerSample& out) const {
  const size_t count = loss_->num_scores();
  loss_->scores_to_gradient(rows, out.output_gradient);
  for (size_t i = 0; i < added.size(); ++i) out.output_gradient[i] += added[i];
  const double factor = 1 + (rows.table.num_dense + static_cast<double>(count) + 32) * 0x1p-52;
  with_count(count, [&](auto num_scores) { multiply_norms(num_scores, factor, out); });
}

void GeneralisedLinearModel::add_counted_sum(const EncodedTable& table,
                                             const CountedRecords& counted,
                                             const PerSample& samples,
                                             std::span<const double> weights, const SumScale& scale,
                                             std::span<int64_t> units) const {
  with_count(loss_->num_scores(), [&](auto num_scores) {
    const auto add = [&](auto times) {
      add_batch({table, counted.records}, samples.output_gradient.data(), weights, 1 / scale.grid,
                num_scores, units.data(), times);
    };
    if (counted.counts.empty()) return add(Once());
    add([&](size_t i) { return counted.counts[i]; });
  });
}

void GeneralisedLinearModel::add_weighted_sum(const TableRows& rows, const PerSample& samples,
                                              std::span<const double> weights,
                                              std::span<double> sum) const {
  with_count(loss_->num_scores(), [&](auto num_scores) {
    add_batch(rows, samples.output_gradient.data(), weights, 1.0, num_scores, sum.data());
  });
}

void GeneralisedLinearModel::sum_gradients(const TableRows& rows, const PerSample& samples,
                                           size_t place, std::span<const double> weights,
                                           GradientSum& sum) const {
  with_count(loss_->num_scores(), [&](auto num_scores) {
    const double* residuals = samples.output_gradient.data() + place * num_scores;
    sum.indices.clear();
    if (rows.table.num_active == 0) {
      sum.values.assign(num_parameters(), 0.0);
      add_batch(rows, residuals, weights, 1.0, num_scores, sum.values.data());
      return;
    }
    sum.values.clear();
    sum.scratch.resize(num_parameters(), 0.0);
    double* all = sum.scratch.data();
    add_batch(rows, residuals, weights, 1.0, num_scores, all);
    // Taken entries become 0, so that a feature of several records is taken once.
    const auto take_row = [&](size_t feature) {
      for (size_t j = feature * num_scores; j < (feature + 1) * num_scores; ++j) {
        if (all[j] == 0) continue;
        sum.indices.push_back(static_cast<uint32_t>(j));
        sum.values.push_back(all[j]);
        all[j] = 0;
      }
    };
    for (size_t j = 0; j < rows.table.num_dense; ++j) take_row(j);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (weights[i] == 0) continue;
      for (const uint32_t feature : rows.table.active_row(rows.records[i])) take_row(feature);
    }
    take_row(rows.table.num_features);
  });
}

/// The Hessian of a record is (x, 1)(x, 1)^T times that of its loss at the scores.
void GeneralisedLinearModel::add_hessian_products(const TableRows& rows,
                                                  std::span<const double> parameters,
                                                  std::span<const double> weights,
                                                  std::span<const double> directions,
                                                  std::span<double> products) const {
  const size_t size = num_parameters();
  with_count(loss_->num_scores(), [&](auto num_scores) {
    const auto scores_at = [&](std::span<const double> point, std::vector<double>& scores) {
      scores.resize(rows.size() * num_scores);
      for (size_t i = 0; i < rows.size(); ++i)
        score_record(rows.table, rows.records[i], point, num_scores,
                     scores.data() + i * num_scores);
    };
    std::vector<double> scores;
    scores_at(parameters, scores);
    PerSample tangents;
    for (size_t begin = 0; begin < directions.size(); begin += size) {
      scores_at(directions.subspan(begin, size), tangents.output_gradient);
      loss_->tangents_to_gradient_tangents(scores, tangents.output_gradient);
      add_batch(rows, tangents.output_gradient.data(), weights, 1.0, num_scores,
                products.data() + begin);
    }
  });
}

void GeneralisedLinearModel::directional_derivatives(const TableRows& rows,
                                                     const PerSample& samples,
                                                     std::span<const double> direction,
                                                     std::span<double> derivatives) const {
  with_count(loss_->num_scores(), [&](auto num_scores) {
    auto tangents = make_row<double>(num_scores);
    for (size_t i = 0; i < rows.size(); ++i) {
      score_record(rows.table, rows.records[i], direction, num_scores, tangents.data());
      const double* residuals = samples.output_gradient.data() + i * num_scores;
      derivatives[i] = std::inner_product(tangents.begin(), tangents.end(), residuals, 0.0);
    }
  });
}

void GeneralisedLinearModel::add_residual_gradient(const TableRows& rows,
                                                   std::span<const double> parameters,
                                                   std::span<const double> coefficients,
                                                   std::span<double> sum) const {
  with_count(loss_->num_scores(), [&](auto num_scores) {
    std::vector<double> scores(rows.size() * num_scores);
    for (size_t i = 0; i < rows.size(); ++i) {
      score_record(rows.table, rows.records[i], parameters, num_scores,
                   scores.data() + i * num_scores);
    }
    std::vector<double> products(coefficients.begin(), coefficients.end());
    loss_->tangents_to_gradient_tangents(scores, products);
    add_batch(rows, products.data(), std::vector<double>(rows.size(), 1), 1.0, num_scores,
              sum.data());
  });
}

std::vector<ScorePart> GeneralisedLinearModel::parts(const EncodedTable& table, uint32_t record,
                                                     std::span<const double> parameters) const {
  std::vector<ScorePart> parts;
  const auto add = [&](size_t feature, double value) {
    parts.push_back({feature_names_[feature], value,
                     parameters.subspan(feature * num_outputs(), num_outputs())});
  };
  const std::span<const float> dense = table.dense_row(record);
  parts.reserve(dense.size() + table.num_active);
  for (size_t j = 0; j < dense.size(); ++j)
    add(j, static_cast<double>(dense[j]) - table.scale_of(j).middle);
  for (const uint32_t feature : table.active_row(record)) add(feature, 1);
  return parts;
}

std::vector<double> centred(std::vector<double> parameters, size_t num_outputs,
                            const EncodedTable& table) {
  const size_t num_features = table.num_features;
  const std::vector<uint32_t>& blocks = table.blocks;
  for (size_t begin = 0; begin < parameters.size(); begin += (num_features + 1) * num_outputs) {
    for (size_t k = 0; k < num_outputs; ++k) {
      const auto at = [&](size_t feature) -> double& {
        return parameters[begin + feature * num_outputs + k];
      };
      for (size_t b = 0; b < blocks.size(); ++b) {
        const size_t end = b + 1 < blocks.size() ? blocks[b + 1] : num_features;
        double mean = 0;
        for (size_t j = blocks[b]; j < end; ++j)
          mean += at(j) / static_cast<double>(end - blocks[b]);
        for (size_t j = blocks[b]; j < end; ++j) at(j) -= mean;
        at(num_features) += mean;
      }
    }
  }
  return parameters;
}

LogisticModel::LogisticModel(std::vector<std::string> feature_names,
                             const std::vector<std::string>& classes)
    : GeneralisedLinearModel(std::move(feature_names), make_logistic_loss()) {
  if (classes.size() != 2) {
    throw Error(ErrorKind::kInput, "models.logistic",
                "logistic regression needs a target with two values, the schema lists {}",
                classes.size());
  }
}

SoftmaxModel::SoftmaxModel(std::vector<std::string> feature_names, std::vector<std::string> classes)
    : GeneralisedLinearModel(std::move(feature_names), make_softmax_loss(classes.size())),
      classes_(std::move(classes)) {
  if (classes_.size() < 2) {
    throw Error(ErrorKind::kInput, "models.softmax",
                "softmax regression needs a target with at least two values, the "
                "schema lists {}",
                classes_.size());
  }
}

std::vector<std::string> SoftmaxModel::parameter_names() const {
  std::vector<std::string> names;
  names.reserve(num_parameters());
  for (const std::string& row : GeneralisedLinearModel::parameter_names()) {
    for (const std::string& name : classes_) names.push_back(fmt::format("{} -> {}", row, name));
  }
  return names;
}

HingeModel::HingeModel(std::vector<std::string> feature_names,
                       const std::vector<std::string>& classes)
    : GeneralisedLinearModel(std::move(feature_names), make_hinge_loss()) {
  if (classes.size() != 2) {
    throw Error(ErrorKind::kInput, "models.hinge",
                "the hinge loss needs a target with two values, the schema lists {}; "
                "use softmax",
                classes.size());
  }
}

}  // namespace equinoise

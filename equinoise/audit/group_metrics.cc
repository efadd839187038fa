#include "equinoise/audit/group_metrics.h"

#include <cmath>
#include <limits>

namespace equinoise {

namespace {

constexpr double kQuantile = 1.959963984540054;  // of the standard normal at 97.5 %
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Running count, mean and sum of squared deviations.
struct Moments {
  int64_t count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value) {
    ++count;
    const double step = value - mean;
    mean += step / static_cast<double>(count);
    squares += step * (value - mean);
  }

  Estimate estimate() const {
    if (count == 0) return {kNaN, {kNaN, kNaN}};
    if (count == 1) return {mean, {kNaN, kNaN}};
    const auto n = static_cast<double>(count);
    const double half = kQuantile * std::sqrt(squares / (n - 1) / n);
    // What is estimated is a loss, which is never negative.
    return {mean, {std::fmax(0, mean - half), mean + half}};
  }
};

bool correct(const EncodedTable& table, const Predictions& predictions, size_t i) {
  return predictions.predicted[i] == table.labels[i];
}

/// Everybody in one group.
std::vector<GroupId> one_group(const EncodedTable& table) {
  return std::vector<GroupId>(static_cast<size_t>(table.num_records), GroupId{0});
}

}  // namespace

Predictions predict_all(const Model& model, const EncodedTable& table,
                        std::span<const double> parameters) {
  Predictions predictions;
  predictions.predicted.resize(static_cast<size_t>(table.num_records));
  predictions.loss.resize(static_cast<size_t>(table.num_records));
  model.predict(table, parameters, predictions.predicted, predictions.loss);
  return predictions;
}

Interval score_interval(int64_t successes, int64_t trials) {
  if (trials == 0) return {kNaN, kNaN};
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double squared = kQuantile * kQuantile;
  const double centre = (share + squared / (2 * n)) / (1 + squared / n);
  const double half =
      kQuantile / (1 + squared / n) * std::sqrt(share * (1 - share) / n + squared / (4 * n * n));
  return {std::fmax(0, centre - half), std::fmin(1, centre + half)};
}

std::vector<Metrics> group_metrics(const EncodedTable& table, const Predictions& predictions,
                                   std::span<const GroupId> group_of, size_t num_groups) {
  std::vector<int64_t> hits(num_groups, 0);
  std::vector<Moments> losses(num_groups);
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    const uint32_t group = index_of(group_of[i]);
    hits[group] += correct(table, predictions, i) ? 1 : 0;
    losses[group].add(predictions.loss[i]);
  }
  std::vector<Metrics> metrics(num_groups);
  for (size_t group = 0; group < num_groups; ++group) {
    const int64_t count = losses[group].count;
    const double accuracy =
        count == 0 ? kNaN : static_cast<double>(hits[group]) / static_cast<double>(count);
    metrics[group] = {
        count, {accuracy, score_interval(hits[group], count)}, losses[group].estimate()};
  }
  return metrics;
}

Metrics overall_metrics(const EncodedTable& table, const Predictions& predictions) {
  return group_metrics(table, predictions, one_group(table), 1)[0];
}

Estimate paired_difference(int64_t only_first, int64_t only_second, int64_t pairs) {
  if (pairs == 0) return {kNaN, {kNaN, kNaN}};
  // Half a pair is added to each of the four outcomes.
  const double n = static_cast<double>(pairs) + 2;
  const double first = static_cast<double>(only_first) + 0.5;
  const double second = static_cast<double>(only_second) + 0.5;
  const double centre = (first - second) / n;
  const double half = kQuantile * std::sqrt((first + second) / n - centre * centre) / std::sqrt(n);
  const double value = static_cast<double>(only_first - only_second) / static_cast<double>(pairs);
  return {value, {std::fmax(-1, centre - half), std::fmin(1, centre + half)}};
}

std::vector<Estimate> group_accuracy_cost(const EncodedTable& table, const Predictions& released,
                                          const Predictions& reference,
                                          std::span<const GroupId> group_of, size_t num_groups) {
  struct Pairs {
    int64_t only_reference = 0;
    int64_t only_released = 0;
    int64_t count = 0;
  };
  std::vector<Pairs> pairs(num_groups);
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    Pairs& group = pairs[index_of(group_of[i])];
    const bool by_reference = correct(table, reference, i);
    const bool by_released = correct(table, released, i);
    group.only_reference += by_reference && !by_released ? 1 : 0;
    group.only_released += by_released && !by_reference ? 1 : 0;
    ++group.count;
  }
  std::vector<Estimate> estimates;
  estimates.reserve(num_groups);
  for (const Pairs& group : pairs) {
    estimates.push_back(paired_difference(group.only_reference, group.only_released, group.count));
  }
  return estimates;
}

Estimate overall_accuracy_cost(const EncodedTable& table, const Predictions& released,
                               const Predictions& reference) {
  return group_accuracy_cost(table, released, reference, one_group(table), 1)[0];
}

}  // namespace equinoise

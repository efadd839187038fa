#include "equinoise/audit/excessive_risk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double inner(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

double norm_of(std::span<const double> a) { return std::sqrt(inner(a, a)); }

double cosine(std::span<const double> a, std::span<const double> b) {
  return inner(a, b) / (norm_of(a) * norm_of(b));
}

/// Sums of the gradients of `records`, as they are and with the policy's weights.
struct GradientSums {
  std::vector<double> plain;
  std::vector<double> clipped;
};

GradientSums sum_gradients(const EncodedTable& table, const Model& model,
                           std::span<const double> parameters, const ClipPolicy& clip,
                           std::span<const uint32_t> records, size_t num_groups, double divisor) {
  GradientSums sums{std::vector<double>(model.num_parameters(), 0.0),
                    std::vector<double>(model.num_parameters(), 0.0)};
  PerSample samples;
  std::vector<double> weights;
  std::vector<GroupId> groups;
  while (!records.empty()) {
    const auto tile = records.first(std::min(records.size(), model.max_tile_records()));
    model.per_sample(table, tile, parameters, samples);
    groups.clear();
    for (size_t i = 0; i < tile.size(); ++i) {
      const GroupId group = table.groups[tile[i]];
      const bool counts = table.contributes[tile[i]] != 0 && index_of(group) < num_groups;
      if (!counts) samples.squared_norm[i] = kNaN;
      groups.push_back(counts ? group : GroupId(0));
    }
    weights.resize(tile.size());
    clip.weights({samples.squared_norm, groups}, weights);
    for (double& weight : weights) weight /= divisor;
    model.add_weighted_sum(table, tile, samples, weights, sums.clipped);
    for (size_t i = 0; i < tile.size(); ++i)
      weights[i] = std::isfinite(samples.squared_norm[i]) ? 1 / divisor : 0;
    model.add_weighted_sum(table, tile, samples, weights, sums.plain);
    records = records.subspan(tile.size());
  }
  return sums;
}

/// The records of each group, and all of them, that contribute and have a finite loss.
std::vector<std::vector<uint32_t>> records_by_group(const EncodedTable& table, size_t num_groups,
                                                    std::span<const double> losses) {
  std::vector<std::vector<uint32_t>> records(num_groups);
  for (size_t i = 0; i < losses.size(); ++i) {
    const size_t group = index_of(table.groups[i]);
    if (table.contributes[i] != 0 && group < num_groups && std::isfinite(losses[i]))
      records[group].push_back(static_cast<uint32_t>(i));
  }
  return records;
}

}  // namespace

ExcessiveRisk excessive_risk(const EncodedTable& table, size_t num_groups, const Model& model,
                             std::span<const double> parameters, const ClipPolicy& clip,
                             const StepSetting& step, const RiskEffort& effort) {
  if (std::ssize(table.groups) != table.num_records) {
    throw Error(ErrorKind::kUsage, "audit.excessive_risk",
                "the table has no groups; give --groups, e.g. --groups sex");
  }
  const std::vector<double> losses = model.predict(table, parameters, effort.threads).loss;
  const auto records = records_by_group(table, num_groups, losses);
  const GradientSums batch =
      sum_gradients(table, model, parameters, clip, step.batch, num_groups, step.batch_size);
  ExcessiveRisk risk;
  risk.gradient_norm = norm_of(batch.plain);
  risk.clipped_gradient_norm = norm_of(batch.clipped);
  const double ratio = risk.gradient_norm > 0 ? risk.clipped_gradient_norm / risk.gradient_norm : 1;
  risk.norm_ratio = ratio;

  // Gradients of the groups, and of everybody from them.
  const size_t size = parameters.size();
  std::vector<GradientSums> of_group;
  std::vector<double> plain_of_all(size, 0.0);
  std::vector<double> clipped_of_all(size, 0.0);
  double num_records = 0;
  for (const auto& members : records) num_records += static_cast<double>(members.size());
  for (const auto& members : records) {
    const auto count = static_cast<double>(members.size());
    of_group.push_back(
        sum_gradients(table, model, parameters, clip, members, num_groups, std::max(count, 1.0)));
    for (size_t j = 0; j < size; ++j) {
      plain_of_all[j] += count / num_records * of_group.back().plain[j];
      clipped_of_all[j] += count / num_records * of_group.back().clipped[j];
    }
  }

  const double eta = step.learning_rate;
  const std::vector<double> signs = rademacher_directions(effort.num_directions, size, effort.seed);
  std::vector<double> of_batch = batch.plain;
  of_batch.insert(of_batch.end(), batch.clipped.begin(), batch.clipped.end());
  double largest = -std::numeric_limits<double>::infinity();
  risk.groups.resize(num_groups);
  for (size_t a = 0; a < num_groups; ++a) {
    GroupRisk& group = risk.groups[a];
    group.num_records = std::ssize(records[a]);
    if (records[a].empty()) continue;
    for (const uint32_t record : records[a])
      group.loss += losses[record] / static_cast<double>(group.num_records);
    const std::vector<double>& gradient = of_group[a].plain;
    group.gradient_norm = norm_of(gradient);
    group.cos_unclipped = cosine(gradient, batch.plain);
    group.cos_clipped = cosine(gradient, batch.clipped);
    const MeanHessian hessian(table, model, records[a], parameters, effort.threads);
    const std::vector<double> products = hessian.products(of_batch);
    const double plain_curvature = inner(batch.plain, std::span(products).first(size));
    const double clipped_curvature = inner(batch.clipped, std::span(products).subspan(size));
    const double plain_slope = inner(gradient, batch.plain);
    const double half = eta * eta / 2;
    group.magnitude =
        eta * (1 - ratio) * plain_slope + half * (ratio * ratio - 1) * plain_curvature;
    group.direction = eta * (ratio * plain_slope - inner(gradient, batch.clipped)) +
                      half * (clipped_curvature - ratio * ratio * plain_curvature);
    group.clip = group.magnitude + group.direction;
    group.clip_over_all_records =
        eta * (inner(gradient, plain_of_all) - inner(gradient, clipped_of_all)) +
        half * (clipped_curvature - plain_curvature);
    group.non_private_change = -eta * inner(gradient, plain_of_all) + half * plain_curvature;
    group.hessian_trace = estimate_trace(hessian, signs);
    const double scale = step.noise_stddev / step.batch_size;
    group.noise = half * group.hessian_trace.value * scale * scale;
    group.eigenvalues = effort.eigenvalues ? extreme_eigenvalues(hessian, effort.seed)
                                           : ExtremeEigenvalues{kNaN, kNaN};
    largest = std::max(largest, group.eigenvalues.largest);
  }
  risk.step_size_condition = effort.eigenvalues && eta * largest <= 1;

  risk.direction_gap_bound.assign(num_groups * num_groups, 0.0);
  risk.direction_gap_bound_by_eigenvalues = risk.direction_gap_bound;
  risk.direction_gap_bound_by_spectrum = risk.direction_gap_bound;
  const double clipped_norm = risk.clipped_gradient_norm;
  const auto turn = [&](const GroupRisk& group) {
    return group.gradient_norm * clipped_norm * (group.cos_unclipped - group.cos_clipped);
  };
  for (size_t a = 0; a < num_groups; ++a) {
    for (size_t b = 0; b < num_groups; ++b) {
      const GroupRisk& first = risk.groups[a];
      const GroupRisk& second = risk.groups[b];
      if (a == b || first.num_records == 0 || second.num_records == 0) continue;
      const double turned = turn(first) - turn(second);
      const double squared = clipped_norm * clipped_norm;
      risk.direction_gap_bound[a * num_groups + b] = eta * (turned - squared);
      risk.direction_gap_bound_by_eigenvalues[a * num_groups + b] =
          eta * turned -
          eta * eta / 2 * (first.eigenvalues.largest + second.eigenvalues.largest) * squared;
      // g' H g is between the ends of the spectrum times |g|^2, for both vectors of both groups.
      const auto width = [](const GroupRisk& group) {
        return group.eigenvalues.largest - group.eigenvalues.smallest;
      };
      risk.direction_gap_bound_by_spectrum[a * num_groups + b] =
          eta * turned - eta * eta / 2 * (width(first) + width(second)) * squared;
    }
  }
  return risk;
}

}  // namespace equinoise

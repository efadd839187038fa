// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/excessive_risk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double cosine(std::span<const double> a, std::span<const double> b) {
  return inner_product(a, b) / (norm(a) * norm(b));
}

/// The factor that stretches a vector of length `from` to length `to`; 0 if `to` is 0, else NaN if
/// `from` is 0, since there is then no direction to keep.
double stretch(double from, double to) {
  if (to == 0) return 0;
  return from > 0 ? to / from : kNaN;
}

/// The records of each group, and all of them, that contribute and have a finite loss; a counted
/// row is repeated.
std::vector<std::vector<uint32_t>> records_by_group(const EncodedTable& table, size_t num_groups,
                                                    std::span<const double> losses) {
  std::vector<std::vector<uint32_t>> records(num_groups);
  for (size_t i = 0; i < losses.size(); ++i) {
    const size_t group = index_of(table.groups[i]);
    if (table.contributes[i] != 0 && group < num_groups && std::isfinite(losses[i]))
      records[group].insert(records[group].end(), static_cast<size_t>(table.count_of(i)),
                            static_cast<uint32_t>(i));
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
  const GradientSums& batch = step.gradients;
  ExcessiveRisk risk;
  risk.gradient_norm = norm(batch.plain);
  risk.clipped_gradient_norm = norm(batch.clipped);
  risk.norm_ratio = stretch(risk.gradient_norm, risk.clipped_gradient_norm);
  const double inverse_ratio = stretch(risk.clipped_gradient_norm, risk.gradient_norm);

  // The gradients of the groups, and from them the overall gradient.
  const size_t size = parameters.size();
  std::vector<GradientSums> of_group;
  std::vector<double> plain_of_all(size, 0.0);
  std::vector<double> clipped_of_all(size, 0.0);
  double num_records = 0;
  for (const auto& members : records) num_records += static_cast<double>(members.size());
  for (const auto& members : records) {
    if (effort.check_interruption) effort.check_interruption();
    const auto count = static_cast<double>(members.size());
    of_group.push_back(
        sum_gradients(table, num_groups, model, parameters, clip, members, std::max(count, 1.0)));
    for (size_t j = 0; j < size; ++j) {
      plain_of_all[j] += count / num_records * of_group.back().plain[j];
      clipped_of_all[j] += count / num_records * of_group.back().clipped[j];
    }
  }

  const double eta = step.learning_rate;
  const double half = eta * eta / 2;
  // The change of a group's loss by a step along scale * v, from <g_a, v> and v' H_a v.
  const auto change = [eta, half](double slope, double curvature, double scale) {
    return -eta * scale * slope + half * scale * scale * curvature;
  };
  const std::vector<double> signs = rademacher_directions(effort.num_directions, size, effort.seed);
  std::vector<double> of_batch = batch.plain;
  append(of_batch, batch.clipped);
  double largest = -std::numeric_limits<double>::infinity();
  double sum_of_norms = 0;  // of the groups' gradients, by their shares
  risk.groups.resize(num_groups);
  for (size_t a = 0; a < num_groups; ++a) {
    GroupRisk& group = risk.groups[a];
    group.num_records = std::ssize(records[a]);
    if (records[a].empty()) continue;
    if (effort.before_group) effort.before_group(a);
    for (const uint32_t record : records[a])
      group.loss += losses[record] / static_cast<double>(group.num_records);
    const std::vector<double>& gradient = of_group[a].plain;
    group.gradient_norm = norm(gradient);
    group.cos_unclipped = cosine(gradient, batch.plain);
    group.cos_clipped = cosine(gradient, batch.clipped);
    const MeanHessian hessian(table, model, records[a], parameters, effort.threads,
                              effort.check_interruption);
    const std::vector<double> products = hessian.products(of_batch);
    const double plain_curvature = inner_product(batch.plain, std::span(products).first(size));
    const double clipped_curvature =
        inner_product(batch.clipped, std::span(products).subspan(size));
    const double plain_slope = inner_product(gradient, batch.plain);
    const double clipped_slope = inner_product(gradient, batch.clipped);
    const double plain = change(plain_slope, plain_curvature, 1);
    const double shortened = change(plain_slope, plain_curvature, risk.norm_ratio);
    const double turned = change(clipped_slope, clipped_curvature, inverse_ratio);
    const double clipped = change(clipped_slope, clipped_curvature, 1);
    group.clip = clipped - plain;
    group.magnitude = shortened - plain;
    group.direction = clipped - shortened;
    group.direction_first = turned - plain;
    group.magnitude_last = clipped - turned;
    group.clip_over_all_records =
        eta * (inner_product(gradient, plain_of_all) - inner_product(gradient, clipped_of_all)) +
        half * (clipped_curvature - plain_curvature);
    group.non_private_change =
        -eta * inner_product(gradient, plain_of_all) + half * plain_curvature;
    group.hessian_trace =
        effort.num_directions > 0 ? estimate_trace(hessian, signs) : TraceEstimate{kNaN, kNaN};
    const double scale = step.noise_stddev / step.batch_size;
    group.noise = half * group.hessian_trace.value * scale * scale;
    group.eigenvalues = effort.eigenvalues ? extreme_eigenvalues(hessian, effort.seed)
                                           : ExtremeEigenvalues{kNaN, kNaN};
    // NaN stays NaN.
    if (!(group.eigenvalues.largest <= largest) && !std::isnan(largest))
      largest = group.eigenvalues.largest;
    group.share = static_cast<double>(group.num_records) / num_records;
    sum_of_norms += group.share * group.gradient_norm;
  }
  risk.step_size_condition = effort.eigenvalues && std::isfinite(largest) && eta * largest <= 1;

  risk.direction_gap_bound.assign(num_groups * num_groups, 0.0);
  risk.direction_gap_bound_by_eigenvalues = risk.direction_gap_bound;
  risk.direction_gap_bound_by_spectrum = risk.direction_gap_bound;
  risk.direction_first_gap_bound_by_spectrum = risk.direction_gap_bound;
  risk.clip_gap_bound = risk.direction_gap_bound;
  const double clipped_norm_of_all = norm(clipped_of_all);
  const double clipped_norm = risk.clipped_gradient_norm;
  // The projection of a group's gradient on the unclipped step minus that on the clipped step, both
  // of unit length.
  const auto turn = [](const GroupRisk& group) {
    return group.gradient_norm * (group.cos_unclipped - group.cos_clipped);
  };
  for (size_t a = 0; a < num_groups; ++a) {
    for (size_t b = 0; b < num_groups; ++b) {
      const GroupRisk& first = risk.groups[a];
      const GroupRisk& second = risk.groups[b];
      if (a == b || first.num_records == 0 || second.num_records == 0) continue;
      const double others = sum_of_norms - first.share * first.gradient_norm;
      risk.clip_gap_bound[a * num_groups + b] =
          eta * (first.gradient_norm *
                     (first.share * first.gradient_norm - others - clipped_norm_of_all) -
                 second.gradient_norm * (sum_of_norms + clipped_norm_of_all) -
                 (risk.gradient_norm * risk.gradient_norm + clipped_norm * clipped_norm) / 2);
      const double turned = turn(first) - turn(second);
      const double squared = clipped_norm * clipped_norm;
      risk.direction_gap_bound[a * num_groups + b] = eta * (clipped_norm * turned - squared);
      risk.direction_gap_bound_by_eigenvalues[a * num_groups + b] =
          eta * clipped_norm * turned -
          half * (first.eigenvalues.largest + second.eigenvalues.largest) * squared;
      // v' H v is between the ends of the spectrum times |v|^2, for both vectors of both groups.
      const double widths = first.eigenvalues.largest - first.eigenvalues.smallest +
                            second.eigenvalues.largest - second.eigenvalues.smallest;
      const auto by_spectrum = [&](double length) {
        return eta * length * turned - half * widths * length * length;
      };
      risk.direction_gap_bound_by_spectrum[a * num_groups + b] = by_spectrum(clipped_norm);
      risk.direction_first_gap_bound_by_spectrum[a * num_groups + b] =
          by_spectrum(risk.gradient_norm);
    }
  }
  return risk;
}

}  // namespace equinoise

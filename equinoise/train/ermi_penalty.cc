// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/ermi_penalty.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/train/soft_predictions.h"
#include "equinoise/train/worst_group/ball.h"

namespace equinoise {

ErmiPenalty::ErmiPenalty(ErmiConfig config) : config_(std::move(config)) {
  constexpr const char* kTerm = "train.ermi_penalty";
  check_non_negative(kTerm, "penalty", config_.penalty);
  check_positive(kTerm, "ascent_rate", config_.ascent_rate);
  check_positive(kTerm, "ascent_radius", config_.ascent_radius);
  check_positive(kTerm, "ascent_clip", config_.ascent_clip);
  for (const double share : config_.shares) {
    check_positive(kTerm, "share of a group", share);
    root_shares_.push_back(std::sqrt(share));
    w_.insert(w_.end(), config_.num_classes, root_shares_.back());
  }
  project_on_ball(config_.ascent_radius, w_);
  push_.assign(w_.size(), 0.0);
}

std::vector<uint32_t> ErmiPenalty::places(const EncodedTable& table) const {
  std::vector<uint32_t> places(static_cast<size_t>(table.num_records), kNoPlace);
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t group = index_of(table.groups[i]);
    if (table.contributes[i] != 0 && group < root_shares_.size())
      places[i] = static_cast<uint32_t>(group);
  }
  return places;
}

void ErmiPenalty::predict(std::span<const double> scores, std::vector<double>& shares) const {
  soft_predictions(scores, config_.num_outputs, config_.num_classes, 1, shares);
}

void ErmiPenalty::add_sums(std::span<const uint32_t> places, std::span<const double> shares,
                           std::span<const uint32_t> counts, std::span<int64_t> units) const {
  // Below 2^kUnitBits by more than the rounding errors of a norm and of the division by it.
  constexpr double kOne = (int64_t{1} << kUnitBits) * (1 - 1e-9);
  const size_t num_classes = config_.num_classes;
  std::vector<double> at_w(w_.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const double* p = shares.data() + i * num_classes;
    // The shares of a record are all finite or all not.
    if (places[i] == kNoPlace || !std::isfinite(p[0])) continue;
    double squared = 0;
    for (size_t group = 0, j = 0; group < root_shares_.size(); ++group) {
      const double target = group == places[i] ? 1 / root_shares_[group] : 0;
      for (size_t k = 0; k < num_classes; ++k, ++j) {
        at_w[j] = 2 * p[k] * (target - w_[j]);
        squared += at_w[j] * at_w[j];
      }
    }
    const double scale = kOne / std::max(config_.ascent_clip, std::sqrt(squared));
    const int64_t count = counts.empty() ? 1 : counts[i];
    for (size_t j = 0; j < at_w.size(); ++j)
      units[j] += count * static_cast<int64_t>(at_w[j] * scale);
  }
}

double ErmiPenalty::worth(size_t group, size_t k) const {
  const size_t num_classes = config_.num_classes;
  double squared = 0;
  for (size_t j = k; j < w_.size(); j += num_classes) squared += w_[j] * w_[j];
  return 2 * w_[group * num_classes + k] / root_shares_[group] - squared;
}

void ErmiPenalty::take_sums(std::span<const double> sums) {
  for (size_t group = 0; group < root_shares_.size(); ++group)
    for (size_t k = 0; k < config_.num_classes; ++k)
      push_[group * config_.num_classes + k] = config_.penalty * worth(group, k);
  const double step = config_.ascent_rate * config_.ascent_clip / config_.batch_size;
  for (size_t j = 0; j < w_.size(); ++j) w_[j] += step * sums[j];
  project_on_ball(config_.ascent_radius, w_);
}

void ErmiPenalty::gradient(std::span<const uint32_t> places, std::span<const double> shares,
                           std::vector<double>& added) const {
  const size_t num_classes = config_.num_classes;
  const size_t num_outputs = config_.num_outputs;
  added.assign(places.size() * num_outputs, 0.0);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == kNoPlace) continue;
    push_scores(std::span(push_).subspan(places[i] * num_classes, num_classes),
                shares.subspan(i * num_classes, num_classes),
                std::span(added).subspan(i * num_outputs, num_outputs));
  }
}

void ErmiPenalty::restore(std::span<const double> w) {
  if (w.size() != w_.size() || !(euclidean_norm(w) <= config_.ascent_radius * (1 + 1e-9))) {
    throw Error(ErrorKind::kRuntime, "train.ermi_penalty",
                "the state does not belong to this penalty");
  }
  w_.assign(w.begin(), w.end());
}

double usual_ascent_clip(std::span<const double> shares) {
  return 2 / std::sqrt(*std::ranges::min_element(shares));
}

double usual_ascent_radius(std::span<const double> shares, size_t num_classes) {
  return std::sqrt(static_cast<double>(num_classes) / *std::ranges::min_element(shares));
}

}  // namespace equinoise

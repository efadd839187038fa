// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/expected_coefficients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "equinoise/train/regression/record_scale.h"

namespace equinoise {

namespace {

/// The features of the schema, or as many that are alike if it is unknown.
std::vector<TypicalFeature> features_of(const TrainingFacts& facts) {
  if (!facts.typical_features.empty()) return facts.typical_features;
  const size_t size = num_features(facts);
  const double norm = typical_feature_norm(facts);
  return {size, {norm * norm / static_cast<double>(std::max<size_t>(1, size))}};
}

bool has_coefficient(const TypicalFeature& feature) { return feature.rest > 0; }

}  // namespace

size_t expected_coefficients(const TrainingFacts& facts, double record,
                             const NoiseOfMoments& noise) {
  const double all = record * static_cast<double>(facts.num_records);
  const double of_entry = noise.square * noise.square / 2;
  double taken = 0;  // of what is left of a feature, by the noise of its entries with the others
  double wider = 1;  // the factor of its own noise
  const auto is_shown = [&](const TypicalFeature& feature, double returned) {
    const double own = feature.is_category ? noise.count : noise.square;
    return all * feature.rest - taken + returned > noise.least * own * wider;
  };
  const std::vector<TypicalFeature> features = features_of(facts);
  std::vector<std::pair<TypicalFeature, double>> kept;
  for (const TypicalFeature& feature : features) {
    if (!has_coefficient(feature) || !is_shown(feature, 0)) continue;
    const double rest = all * feature.rest - taken;
    kept.emplace_back(feature, of_entry / rest);
    taken += of_entry / rest;
    wider += of_entry / (rest * rest);
  }
  return static_cast<size_t>(std::ranges::count_if(
      kept, [&](const auto& pair) { return is_shown(pair.first, pair.second); }));
}

void note_expected_coefficients(const std::optional<size_t>& expected, TrainingPlan& plan) {
  const auto all =
      static_cast<size_t>(std::ranges::count_if(features_of(plan.facts), has_coefficient));
  plan.settings.emplace_back("expected_coefficients", static_cast<double>(expected.value_or(0)));
  if (!expected || *expected == all) return;
  plan.notes.push_back(
      fmt::format("expect about {} of {} coefficients, fewer if columns are alike or have wide "
                  "bounds; for more spend more, leave columns out, or merge categories",
                  *expected, all));
}

}  // namespace equinoise

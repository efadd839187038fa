// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/registry.h"

#include <fmt/ranges.h>

#include <array>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/means/estimators/estimators.h"

namespace equinoise {

namespace {

constexpr std::array kRows = {
    MeanEstimatorRow{"bounded", PrivacyStatus::kPrivate, "CanonneKamathSteinke2020",
                     "numbers clipped to the bounds, with exact discrete Gaussian noise", true,
                     true, make_bounded},
    MeanEstimatorRow{
        "laplace", PrivacyStatus::kPrivate, "RosenblattStoyanovichMusco2024",
        "numbers clipped to the bounds, with exact discrete Laplace noise, so no delta", true, true,
        make_laplace},
    MeanEstimatorRow{
        "coinpress", PrivacyStatus::kPrivate, "BiswasDongKamathUllman2020",
        "steps that each clip to a range where the mean may be; needs the standard deviation",
        false, false, make_coinpress},
    MeanEstimatorRow{"coinpress_joint", PrivacyStatus::kPrivate, "BiswasDongKamathUllman2020",
                     "coinpress for several columns together, clipped by their joint length", false,
                     false, make_coinpress_joint},
    MeanEstimatorRow{"quantile", PrivacyStatus::kPrivate, "HuangLiangYi2021",
                     "numbers clipped to private quantiles, for columns of unknown scale", false,
                     false, make_quantile},
};

}  // namespace

bool MeanEstimatorRow::follows(std::string_view option) const {
  return has_option<MeanConfig>(options(), option);
}

const MeanOptions& mean_options() {
  static const MeanOptions all = options_of_rows<MeanConfig>(kRows);
  return all;
}

std::span<const MeanEstimatorRow> mean_estimators() { return kRows; }

std::string mean_method_help() {
  std::string names;
  std::string candidates;
  for (const MeanEstimatorRow& row : kRows) {
    names += std::string(row.name) + ", ";
    if (row.is_candidate) candidates += (candidates.empty() ? "" : " and ") + std::string(row.name);
  }
  return names + "or auto: whichever of " + candidates +
         " is expected, from public facts, to give the narrower intervals. The other methods clip "
         "to bounds chosen with noise, so their means are those of the clipped numbers";
}

const MeanEstimatorRow& find_mean_estimator(std::string_view name) {
  return find_row(kRows, "means.registry", "estimator of means", name, "", {"auto"});
}

}  // namespace equinoise

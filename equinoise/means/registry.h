// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "equinoise/base/method_status.h"
#include "equinoise/means/estimator.h"

namespace equinoise {

/// One estimator of means. The CLI's list, the conformance tests and the docs check read this
/// table.
struct MeanEstimatorRow {
  std::string_view name;
  PrivacyStatus status;
  std::string_view source;   ///< key in docs/references.bib
  std::string_view summary;  ///< one line
  /// True if auto considers it: it clips to public bounds alone, so that its noise, predicted from
  /// public facts, is the whole error of a mean of numbers within these bounds.
  bool is_candidate;
  bool takes_weights;  ///< whether records may count by weights
  std::unique_ptr<MeanEstimator> (*make)();

  const MeanOptions& options() const { return make()->options(); }

  bool follows(std::string_view option) const;
};

std::span<const MeanEstimatorRow> mean_estimators();

/// The names of all estimators, and the meaning of "auto", for the help of an option.
std::string mean_method_help();

/// The options of all estimators, each once.
const MeanOptions& mean_options();

/// The row of that name. Errors: kUsage that proposes the nearest name.
const MeanEstimatorRow& find_mean_estimator(std::string_view name);

}  // namespace equinoise

#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "equinoise/means/estimator.h"

namespace equinoise {

/// One estimator of means. The CLI's list, the conformance tests and the docs check read this
/// table.
struct MeanEstimatorRow {
  std::string_view name;
  std::string_view maturity;  ///< "experimental", "stable"
  std::string_view status;    ///< "private"
  std::string_view source;    ///< key in docs/references.bib
  std::string_view summary;   ///< one line
  /// Flags of `equinoise means` that it follows and others do not, with blanks between.
  std::string_view options;
  /// Whether auto chooses among it and others: it clips to public bounds alone, so that its noise,
  /// predicted by public facts, is all that a mean of numbers within these is off by.
  bool is_candidate;
  std::unique_ptr<MeanEstimator> (*make)();

  /// Whether `flag` is among the options.
  bool follows(std::string_view flag) const;
};

std::span<const MeanEstimatorRow> mean_estimators();

/// The row of that name. Errors: kUsage that proposes the nearest name.
const MeanEstimatorRow& find_mean_estimator(std::string_view name);

}  // namespace equinoise

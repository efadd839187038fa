// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/means/release.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/reproduction/experiment.h"

namespace equinoise {

/// The line of figures that the authors have published.
inline constexpr std::string_view kPublishedCurve = "published";

/// Metrics of published means only: the median over strata of their errors, and the percentage of
/// strata with a reported mean outside the bounds.
inline constexpr std::string_view kTypicalError = "typical error";
inline constexpr std::string_view kBeyondBounds = "beyond bounds";

/// The strata that a line of an experiment about means estimates.
enum class MeansStrata {
  kNone,     ///< "none": one overall mean, reported for every stratum
  kAll,      ///< "all": the overall mean by the strata's public sizes
  kHeldOut,  ///< "held_out": by the shares of a tenth of the records, which estimates do not use
};

/// One line of an experiment about means: an estimator, or a curve of [Thm. 9].
struct MeansLine {
  std::string estimator;  ///< of means/registry.h or "auto"; "" for a curve
  MeansStrata strata = MeansStrata::kAll;
  std::optional<double> stddev;  ///< known to the estimator
  bool shrinks = false;          ///< estimates of strata, means/shrinkage.h
  double overall_share = 0;      ///< of published means: see MeansQuestion
  /// "theorem", "floored", "upper", "lower" or "drawn"; of published means kPublishedCurve
  std::string curve;
};

/// Records of an experiment: a mixture of normal distributions with Dirichlet sizes, drawn for
/// every seed, or a column of a table, divided in several ways.
struct MeansRecordsConfig {
  int64_t num_records = 10'000;
  int64_t num_groups = 8;
  double alpha = 1;
  double centre = 50;  ///< of the means of groups
  double spread = 10;  ///< their standard deviation
  double lower = 0;
  double upper = 100;
  double stddev = 1;            ///< within groups
  bool is_exponential = false;  ///< within strata of published means: exponential, not normal
  std::string column;           ///< of a table, instead
  std::vector<std::vector<std::string>>
      divisions;  ///< of a table, with numbers of groups as values
};

/// Estimates of means for one value of a parameter after another.
struct ReproductionMeans {
  /// "records", "groups", "alpha" or "rho"; for published means "strata". Each value of "strata"
  /// represents the stratifications with at most that many strata, and more than the value before.
  std::string parameter;
  std::vector<double> values;
  double rho = 0.5;                  ///< if it is not the parameter
  std::vector<std::string> metrics;  ///< means_runs.h
  MeansRecordsConfig records;
  std::vector<MeansLine> lines;  ///< (methods)

  /// Returns whether figures are those of a table of results, published_means.h, and of releases
  /// from records that are made to have its means.
  bool is_published() const { return parameter == "strata"; }
};

/// Returns whether a run has this metric. Errors are relative to the records' own means and in
/// percent:
/// - "global error": of the overall mean; "global absolute error" is not relative
/// - "group error": the mean over groups, for the reported mean of each
/// - "parity error": the mean over groups and the population, means/parity.h
/// - "sum of logarithms", "gap closed": of a curve, E sum ln |G_i|, and how far it is below that of
///   equal sizes, relative to the gap between these and the most uneven ones
bool is_means_metric(std::string_view name);

/// Returns whether a run of published means has this metric: the errors, kTypicalError and
/// kBeyondBounds.
bool is_published_means_metric(std::string_view name);

/// One release with seeded noise, not paid for. `strata`: (numbers).
MeansRelease release_unpaid(const MeansPlan& plan, std::span<const double> numbers,
                            std::span<const uint32_t> strata, SeededSource& source);

/// Means of groups of records that are drawn or of a table. Pre: the arguments outlive it. Errors:
/// kInput (files, columns that the table does not have).
std::unique_ptr<ExperimentRuns> open_means_runs(const ItemHeader& item,
                                                const ReproductionMeans& means,
                                                const std::filesystem::path& folder);

/// Means that authors have published, next to releases from records that are made to have them; one
/// run covers all stratifications. Pre: the arguments outlive it. Errors: kInput (files, a number
/// of strata that no stratification has).
std::unique_ptr<ExperimentRuns> open_published_means_runs(const ItemHeader& item,
                                                          const ReproductionMeans& means,
                                                          const std::filesystem::path& folder);

}  // namespace equinoise

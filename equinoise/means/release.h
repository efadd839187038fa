// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "equinoise/means/cell_counts.h"
#include "equinoise/means/estimator.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The share that `equinoise means` gives to one sum over all strata. It makes strata's noise 2.6 %
/// larger and that of the overall mean of k strata about sqrt(0.95 + 0.05 k) times smaller.
inline constexpr double kDefaultOverallShare = 0.05;

/// The question that a release answers for strata: means of columns, counts of values of others.
struct MeansQuestion {
  std::vector<MeanColumn> columns;
  std::vector<CellColumn> counted = {};
  /// The approximate mean weight of records, from 0 to 1, if the counted columns are counted by
  /// weights; means have the same one. No sizes are then needed, nor paid for.
  std::optional<double> usual_weight = {};
  /// (columns, then counted) the parts of what sizes leave of the budget, which add up to 1. Empty:
  /// equal ones.
  std::vector<double> shares = {};
  std::string method = "auto";  ///< a name of means/registry.h, or auto: by public facts, at rho
  MeanConfig config;
  double rho = 0;  ///< the largest cost for members of each stratum
  /// (num_strata) public sizes; nothing is released about a stratum of size 0, and its records
  /// contribute nothing. With private sizes empty or, by weights, sizes that no stratum exceeds.
  std::vector<double> sizes;
  size_t num_strata = 1;
  bool private_sizes = false;  ///< nobody knows them; needs zero_out
  /// (num_strata) with private sizes, those that noise is predicted for; empty: not known.
  std::vector<double> expected_sizes;
  double size_share = 0.1;  ///< of the budget, for them
  /// The share of each column's budget for one sum over all strata, which every stratum pays for.
  /// Used with several strata of public sizes and an estimator that has such a sum.
  double overall_share = 0;

  /// Whether noisy sizes are paid for.
  bool draws_sizes() const { return private_sizes && !usual_weight; }

  /// (num_strata), or empty.
  const std::vector<double>& predicted_sizes() const {
    return private_sizes ? expected_sizes : sizes;
  }
};

/// Columns that are estimated together, and how.
struct MeansPart {
  std::string method;
  std::string reason = "";      ///< of an automatic choice
  std::vector<size_t> columns;  ///< of the question
  double rho = 0;
  size_t first_item = 0;                  ///< in the charge of a stratum
  std::optional<SharedSum> overall = {};  ///< one sum over all strata, if any
  size_t overall_item = 0;
};

/// The events that a question will draw, from public facts alone.
struct MeansPlan {
  MeansQuestion question;
  std::vector<MeansPart> parts;
  std::optional<double> size_noise;  ///< standard deviation of each size, if sizes are paid for
  std::vector<std::vector<Event>> events;  ///< (num_strata) charged to the members of each
  std::vector<CountsPart> counts = {};     ///< (counted)

  /// The events to reserve in the ledger: the strata in parallel, each composed of its events.
  /// Without strata (`partition` is "") the events themselves. Sizes of 0 are charged nothing.
  std::vector<Event> charged_events(const std::string& partition,
                                    const std::vector<std::string>& names) const;

  /// The expected standard deviation of the noise in a column's mean in a stratum of size `size`,
  /// which is that of a mean at an end of the bounds where the mean is divided by a noisy size;
  /// infinite if public facts do not determine it.
  double predicted_noise(size_t column, double size) const;

  /// Half of the interval of 95 % of each noisy size, a whole number. Pre: size_noise.
  double size_half_width() const;

  const MeansPart& part_of(size_t column) const;
};

/// Divides the budget by the shares; estimators that take columns together have all of theirs.
/// auto takes the candidate with the least noise at that rho (means/automatic.h). Errors: kUsage
/// for an unknown method, for invalid bounds, and for questions that estimators refuse.
MeansPlan plan_means(const MeansQuestion& question);

/// The largest rho, to a relative 1e-5, for which `events(rho)` costs at most epsilon at delta by
/// any accountant. Errors: kUsage for an invalid epsilon or delta, or if none is large enough.
double affordable_rho(Relation relation, Epsilon epsilon, Delta delta,
                      const std::function<std::vector<Event>(double)>& events);

/// A mean over all strata and the standard deviation of the noise of its sum; for a column with
/// gaps also the noisy number of values.
struct OverallEstimate {
  double mean = 0;
  double noise_stddev = 0;
  double size = 0;
  double size_noise = 0;
};

struct MeansRelease {
  std::vector<double> sizes;            ///< (num_strata) public ones, or noisy ones and at least 1
  std::vector<MeanEstimate> estimates;  ///< (num_strata, columns)
  /// (columns) from one sum over all strata, if any.
  std::vector<std::optional<OverallEstimate>> overall;
  /// (num_strata, counted) the entries of each column's CellTree; none of a stratum of size 0.
  std::vector<std::vector<int64_t>> counts = {};
  std::vector<double> noisy_sizes = {};  ///< (num_strata) as drawn, with private sizes

  const MeanEstimate& at(size_t stratum, size_t column) const {
    return estimates[stratum * num_columns + column];
  }
  size_t num_columns = 0;
};

/// Makes the planned draws, with one pass over the records for each step that depends on earlier
/// answers.
///
/// records: the columns of the question, then the counted ones.
/// charges: (num_strata), of plan.events. Guarantee: members of each stratum lose the cost of its
/// events, whatever the other strata hold. A record is in one stratum, or none. In a column with
/// gaps it counts only if it has a value there, and its neighbour need not have one; by weight any
/// part of it may count. The answers, apart from the noise, do not depend on `threads`. Errors:
/// kRuntime for charges of other events; never for the content of records.
MeansRelease release_means(const MeansPlan& plan, const StratifiedRecords& records,
                           std::span<Charge> charges, RandomSource& source, int threads);

}  // namespace equinoise

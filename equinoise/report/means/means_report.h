// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// An interval of the numbers of a column.
struct MeanInterval {
  double lower = 0;
  double upper = 0;
};

/// What a mean and its intervals are of: numbers clipped to public bounds; to an interval that
/// depends on noisy answers and is reported with each figure; or, all columns of a record together
/// in their standard deviations, to a ball around which the told clips are.
inline constexpr std::string_view kMeanWithinBounds = "mean_within_bounds";
inline constexpr std::string_view kMeanWithinReleasedClip = "mean_within_released_clip";
inline constexpr std::string_view kMeanWithinReleasedBall = "mean_within_released_ball";

/// Numbers of a column were read as what stands for their public bin. Public facts.
struct NumberRounding {
  size_t num_bins = 0;
  double most = 0;  ///< how far from what they were, within the bounds
};

/// The column that says what each record counts for. Public facts.
struct RecordWeights {
  std::string column;
  double largest = 1;                           ///< its upper bound
  double usual_share = 1;                       ///< of that, which noise is predicted by
  std::optional<NumberRounding> rounding = {};  ///< means and intervals are by rounded weights
};

/// Whose rows figures are of: each of these has so many at most that count. Public facts.
struct UnitRowsReport {
  std::string unit;  ///< the column that tells them apart
  int64_t max_records = 1;
};

/// How a column is estimated, from public facts.
struct MeanColumnReport {
  std::string name;
  std::string method;
  std::string reason;  ///< of an automatic choice, else ""
  double lower = 0;
  double upper = 0;
  std::optional<double> stddev;
  /// The mean is of those who have a value, or a missing cell that counts as one; others have a
  /// cell that is left out.
  bool has_gaps = false;
  std::optional<double> fill;  ///< what a missing cell counts as, where the schema says so
  std::optional<NumberRounding> rounding;  ///< intervals allow for it; empty: each is kept
  std::string interval_of;                 ///< one of the three above
  bool has_overall_sum = false;            ///< a part of the budget goes to one sum over all strata
  double stratified_noise = 0;             ///< predicted standard deviation in the overall mean
  double unstratified_noise = 0;  ///< the same for one mean of all records at the same cost
};

/// The sum of the weights of records, and the standard deviation of the noise in it.
struct NoisyWeight {
  double sum = 0;
  double noise_stddev = 0;
};

/// The released mean of a column over all strata.
struct OverallMeanReport {
  std::string column;
  double mean = 0;
  double noise_stddev = 0;
  MeanInterval interval;                   ///< of noise
  std::optional<MeanInterval> population;  ///< of noise and the choice of the records
  std::optional<double> num_values = {};   ///< of a column with gaps, with noise
  std::optional<NoisyWeight> weight = {};  ///< what the mean is divided by, unless hidden
  bool is_hidden = false;                  ///< as of StratumMeanReport
};

/// The mean of a column in a stratum: predicted and, once it is released, with its figures.
struct StratumMeanReport {
  GroupLabel stratum;  ///< empty without strata
  std::string column;
  std::optional<double> num_records;      ///< public, or noisy; empty in a plan with private sizes
  std::optional<Guarantee> privacy;       ///< of the members of the stratum
  std::optional<double> predicted_noise;  ///< if public facts give it
  bool is_empty = false;    ///< the public size is 0: nothing is released, and there is no mean
  double mean = 0;          ///< shrunk, where the report says so
  double raw_mean = 0;      ///< before shrinkage, within the bounds
  double noise_stddev = 0;  ///< of the raw one
  MeanInterval interval;    ///< of noise; around the raw mean, holds the shrunk one
  MeanInterval clip;        ///< what the mean and the interval are of: numbers clipped to that
  std::optional<double> num_values;   ///< of a column with gaps, with noise
  std::optional<NoisyWeight> weight;  ///< of weighted records together, unless hidden
  bool is_hidden = false;  ///< noise hides the sum of weights: there is no mean by weight
  std::optional<MeanInterval> population;
  std::optional<double> clipped_fraction;  ///< with noise; where paid
  std::string note;                        ///< what the size and the noise mean for the figure

  bool has_figure() const { return !is_empty && !is_hidden; }
};

/// Records whose shares in strata an overall mean is weighed by. They are NOT PROTECTED: public, or
/// belong to other people than those whose means are released.
struct HeldOutRecords {
  std::string file;
  int64_t num_records = 0;  ///< that were counted
};

/// Exact figures to compare with the released ones. NOT PRIVATE.
struct MeansExplanation {
  struct Column {
    std::string name;
    double exact_overall = 0;
    std::vector<double> exact_strata;  ///< (num_strata); NaN if no record has a value
    std::vector<int64_t> num_values;   ///< (num_strata) that these are means of, filled ones too
    double parity_error = 0;           ///< of the figures that are released
    double raw_parity_error = 0;       ///< before shrinkage
    double overall_parity_error = 0;   ///< if every stratum had the overall mean
    double largest_group_error = 0;
    double largest_absolute_error = 0;
    double scale_floor = 0;
  };
  std::vector<Column> columns;
  std::vector<int64_t> num_records;  ///< (num_strata) that were found
  int64_t num_without_stratum = 0;   ///< that contributed nothing
  std::optional<double> alpha_moments;
  std::optional<double> alpha_likelihood;
  std::optional<double> sum_log;           ///< sum ln max(1, size); of one stratum none
  std::optional<double> expected_sum_log;  ///< by the corrected Theorem 9, at the moments' alpha
  std::optional<double> equal_sum_log;     ///< of equal sizes
  std::vector<std::string> notes;
};

/// Everything that `equinoise means` reports. Publishable, but for `explanation`.
struct MeansReport {
  std::string version;
  std::string dataset;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::optional<UnitRowsReport> units;   ///< of whom figures are of several rows; none: of rows
  std::vector<std::string> strata;       ///< the columns that make strata
  double rho = 0;                        ///< of zero-concentrated DP, that members of a stratum pay
  std::optional<Guarantee> privacy;      ///< empty: none
  std::optional<Guarantee> pure;         ///< the same at delta 0, where there is one
  std::optional<Protection> protection;  ///< what that is; empty: nothing is protected
  std::vector<Event> events;
  std::vector<MeanColumnReport> columns;
  std::vector<StratumMeanReport> rows;     ///< (strata, columns)
  std::vector<OverallMeanReport> overall;  ///< (columns); empty in a plan
  std::string weights;                     ///< what the overall mean weighs strata by
  std::optional<RecordWeights> record_weights;
  std::optional<HeldOutRecords> held_out;  ///< where that is their shares
  bool is_shrunk = false;
  bool has_private_sizes = false;
  std::optional<LedgerStatement> ledger;
  std::vector<std::string> warnings;
  std::vector<std::string> files;
  std::optional<MeansExplanation> explanation;  ///< NOT PRIVATE
  double seconds = 0;                           ///< not private
  std::string command;
};

}  // namespace equinoise

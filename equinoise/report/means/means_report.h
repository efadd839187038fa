// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/deployment.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/release_report.h"

namespace equinoise {

/// The values that a mean and its intervals are of: numbers clipped to public bounds; to an
/// interval that depends on noisy answers and is reported with each figure; or, all columns of a
/// record together in their standard deviations, to a ball around which the reported clips are.
inline constexpr std::string_view kMeanWithinBounds = "mean_within_bounds";
inline constexpr std::string_view kMeanWithinReleasedClip = "mean_within_released_clip";
inline constexpr std::string_view kMeanWithinReleasedBall = "mean_within_released_ball";

/// The estimation of a column, from public facts.
struct MeanColumnReport {
  std::string name;
  std::string method;
  std::string reason;  ///< of an automatic choice, else ""
  Interval bounds;
  std::string mean_of = "all records";  ///< others have a cell that is left out
  bool by_weight = false;
  std::optional<double> fill;  ///< what a missing cell counts as, where the schema says so
  std::optional<NumberRounding> rounding;  ///< intervals allow for it; empty: each is kept
  std::string interval_of = std::string(kMeanWithinBounds);
  std::string weights;  ///< what the overall mean weighs strata by
  std::optional<double> stddev;
  bool has_overall_sum = false;   ///< a part of the budget goes to one sum over all strata
  double stratified_noise = 0;    ///< predicted standard deviation in the overall mean
  double unstratified_noise = 0;  ///< the same for one mean of all records at the same cost

  /// "everybody" is in older files.
  bool has_gaps() const { return mean_of != "all records" && mean_of != "everybody"; }
};

template <>
inline constexpr auto fields_of<MeanColumnReport> = [] {
  using Row = MeanColumnReport;
  return publishable(
      field("column", &Row::name, "Its name"), field("method", &Row::method, "Estimator"),
      field("reason", &Row::reason, "Of an automatic choice"),
      field("bounds", &Row::bounds, "Numbers outside count as the nearer one"),
      field("mean_of", &Row::mean_of, "Whose records a mean is of"),
      field("by_weight", &Row::by_weight, "Whether records count by weights"),
      field("missing_counts_as", &Row::fill, "Of a missing cell that the schema fills"),
      field("rounding", &Row::rounding, "How numbers were rounded; null: not at all"),
      field("interval_of", &Row::interval_of, "What intervals hold"),
      field("weights", &Row::weights, "What the overall mean weighs strata by"),
      field("stddev", &Row::stddev, "Public standard deviation"),
      field("has_overall_sum", &Row::has_overall_sum,
            "Whether one sum over all strata is released"),
      field("predicted_noise_stddev", &Row::stratified_noise,
            "Standard deviation of noise in the overall mean"),
      field("predicted_unstratified_noise_stddev", &Row::unstratified_noise,
            "The same if nothing else were released"));
}();

/// The sum of the weights of records, and the standard deviation of the noise in it.
struct NoisyWeight {
  double sum = 0;
  double noise_stddev = 0;
};

template <>
inline constexpr auto fields_of<NoisyWeight> = std::tuple(
    field("weight", &NoisyWeight::sum, "Sum of the weights of records"),
    field("weight_noise_stddev", &NoisyWeight::noise_stddev, "Standard deviation of its noise"));

/// The released mean of a column over all strata.
struct OverallMeanReport {
  std::string column;
  double mean = kNoFigure;
  std::optional<Interval> interval;  ///< of noise; empty: noise hides the sum of weights
  std::string interval_of;
  std::optional<Interval> population;  ///< of noise and the choice of the records
  double noise_stddev = kNoFigure;
  std::optional<double> num_values;   ///< of a column with gaps, with noise
  std::optional<NoisyWeight> weight;  ///< what the mean is divided by, unless hidden

  bool has_figure() const { return interval.has_value(); }
};

template <>
inline constexpr auto fields_of<OverallMeanReport> = [] {
  using Row = OverallMeanReport;
  return std::tuple(
      field("column", &Row::column, "Its name"),
      field("mean", &Row::mean, "Null if noise hides the sum of weights"),
      field("ci", &Row::interval, "95 % interval of noise"),
      field("interval_of", &Row::interval_of, "What it holds"),
      field("population_ci", &Row::population, "Of noise and the choice of records"),
      field("noise_stddev", &Row::noise_stddev, "Standard deviation of noise"),
      field("num_values", &Row::num_values, "With noise; of a column with gaps").or_nothing(),
      members(&Row::weight, "What the mean is divided by"));
}();

/// The mean of a column in a stratum: predicted and, once it is released, with its figures.
struct StratumMeanReport {
  GroupLabel stratum;  ///< empty without strata
  std::string column;
  std::optional<double> num_records;  ///< public, or noisy; empty in a plan with private sizes
  std::optional<Interval> num_records_interval;  ///< 95 %, of a noisy one
  std::optional<Guarantee> privacy;              ///< of the members of the stratum
  std::optional<double> predicted_noise;         ///< if public facts give it
  bool is_empty = false;        ///< the public size is 0: nothing is released, and there is no mean
  double mean = kNoFigure;      ///< shrunk, where the report says so
  double raw_mean = kNoFigure;  ///< before shrinkage, within the bounds
  double noise_stddev = kNoFigure;     ///< of the raw one
  std::optional<Interval> interval;    ///< of noise; around the raw mean, holds the shrunk one
  std::string interval_of;             ///< as of the column
  std::optional<Interval> clip;        ///< what the mean and the interval are of: clipped numbers
  std::optional<double> num_values;    ///< of a column with gaps, with noise
  std::optional<NoisyWeight> weight;   ///< of weighted records together, unless hidden
  std::optional<Interval> population;  ///< of noise and the choice of the records
  std::optional<double> clipped_fraction;  ///< with noise; where paid
  std::string note;                        ///< what the size and the noise mean for the figure

  /// False where the stratum is empty or noise hides its sum of weights.
  bool has_figure() const { return interval.has_value(); }
};

namespace means_keys {

using Json = nlohmann::ordered_json;
using Section = OrderedJsonSection;

void write_num_records(const StratumMeanReport& row, const FieldScope& scope, Json& object);
void read_num_records(const Section& section, const FieldScope& scope, StratumMeanReport& row);

}  // namespace means_keys

template <>
inline constexpr auto fields_of<StratumMeanReport> = [] {
  using Row = StratumMeanReport;
  return std::tuple(
      field("group", &Row::stratum, "Its values by column").in(Documents::kPlan),
      field("stratum", &Row::stratum, "Its values by column"),
      field("column", &Row::column, "Column of the mean").publishable(),
      Derived<Row>{"num_records", "Public or noisy size", means_keys::write_num_records,
                   means_keys::read_num_records}
          .publishable(),
      field("num_records_ci", &Row::num_records_interval, "95 % interval of a noisy size")
          .or_nothing(),
      field("mean", &Row::mean, "Shrunken, where the report says so; null: none"),
      field("ci", &Row::interval, "95 % interval of noise"),
      field("interval_of", &Row::interval_of, "What it holds"),
      field("clip", &Row::clip, "Numbers are clipped to this"),
      field("privacy", &Row::privacy, "Guarantee of its members").publishable(),
      field("noise_stddev", &Row::predicted_noise, "Predicted noise").in(Documents::kPlan),
      field("raw_mean", &Row::raw_mean, "Before shrinking"),
      field("noise_stddev", &Row::noise_stddev, "Standard deviation of noise before shrinking"),
      field("population_ci", &Row::population, "Of noise and the choice of records"),
      field("num_values", &Row::num_values, "With noise; of a column with gaps").or_nothing(),
      members(&Row::weight, "What the mean is divided by"),
      field("clipped_fraction", &Row::clipped_fraction, "Noisy share of clipped numbers")
          .or_nothing(),
      field("note", &Row::note, "What the noise means for the figure").or_nothing());
}();

/// Records whose shares in strata an overall mean is weighed by: public, or of other people than
/// those whose means are released.
struct HeldOutRecords {
  std::string file;
  int64_t num_records = 0;    ///< that were counted
  bool is_protected = false;  ///< never
};

template <>
inline constexpr auto fields_of<HeldOutRecords> =
    publishable(field("file", &HeldOutRecords::file, "Table of the records"),
                field("num_records", &HeldOutRecords::num_records, "Counted ones"),
                field("is_protected", &HeldOutRecords::is_protected, "False"));

/// Exact figures of a column to compare with the released ones. NOT PRIVATE.
struct ExactColumn {
  std::string name;
  double overall = 0;
  std::vector<double> strata;       ///< (num_strata); NaN if no record has a value
  std::vector<int64_t> num_values;  ///< (num_strata) that these are means of, filled ones too
  std::optional<double> fill;       ///< what a missing cell counts as
  double parity_error = 0;          ///< of the figures that are released
  double raw_parity_error = 0;      ///< before shrinkage
  double overall_parity_error = 0;  ///< if every stratum had the overall mean
  double largest_group_error = 0;
  double largest_absolute_error = 0;
  double scale_floor = 0;
};

template <>
inline constexpr auto fields_of<ExactColumn> = [] {
  using Row = ExactColumn;
  return std::tuple(
      field("column", &Row::name, "Its name"),
      field("exact_overall", &Row::overall, "Exact mean over all strata"),
      field("exact_strata", &Row::strata, "Of each stratum; null without a value"),
      field("num_values", &Row::num_values, "Values of each stratum"),
      field("missing_counts_as", &Row::fill, "Of a missing cell that the schema fills"),
      field("parity_error", &Row::parity_error, "Of the released figures"),
      field("parity_error_raw", &Row::raw_parity_error, "Before shrinking"),
      field("parity_error_of_overall_mean", &Row::overall_parity_error,
            "If every stratum had the overall mean"),
      field("largest_group_error", &Row::largest_group_error, "Relative, of a stratum"),
      field("largest_absolute_error", &Row::largest_absolute_error, "Of a stratum"),
      field("scale_floor", &Row::scale_floor, "Errors are divided by at least this"));
}();

/// Sizes of strata as shares from a symmetric Dirichlet distribution; none of one stratum.
struct SizeDistribution {
  std::optional<double> alpha_moments;
  std::optional<double> alpha_likelihood;
  std::optional<double> sum_log;           ///< sum ln max(1, size)
  std::optional<double> expected_sum_log;  ///< by the corrected Theorem 9, at the moments' alpha
  std::optional<double> equal_sum_log;     ///< of equal sizes
};

template <>
inline constexpr auto fields_of<SizeDistribution> = [] {
  using Row = SizeDistribution;
  return std::tuple(
      field("alpha_moments", &Row::alpha_moments, "Parameter by moments"),
      field("alpha_likelihood", &Row::alpha_likelihood, "Parameter by likelihood"),
      field("sum_log", &Row::sum_log, "Sum of the logarithms of sizes"),
      field("expected_sum_log", &Row::expected_sum_log, "Expected at the first alpha"),
      field("equal_sum_log", &Row::equal_sum_log, "If all sizes were equal"));
}();

/// Exact figures to compare with the released ones. NOT PRIVATE.
struct MeansExplanation {
  std::string notice;
  std::vector<ExactColumn> columns;
  std::vector<int64_t> num_records;  ///< (num_strata) that were found
  int64_t num_without_stratum = 0;   ///< that contributed nothing
  SizeDistribution sizes;
  std::vector<std::string> notes;
  double seconds = 0;  ///< of the release
};

template <>
inline constexpr auto fields_of<MeansExplanation> = std::tuple(
    field("notice", &MeansExplanation::notice, "Not to be published"),
    field("columns", &MeansExplanation::columns, "Exact figures by column"),
    field("num_records", &MeansExplanation::num_records, "Records found in each stratum"),
    field("num_without_stratum", &MeansExplanation::num_without_stratum, "Records in none"),
    field("dirichlet", &MeansExplanation::sizes, "How unequal strata are"),
    field("notes", &MeansExplanation::notes, "What the schema's rules did to records"),
    field("seconds", &MeansExplanation::seconds, "Time of the release"));

/// Everything that `equinoise means` reports. Publishable, but for `explanation`.
struct MeansReport : ReleaseReport {
  std::vector<MeanColumnReport> columns;
  std::vector<StratumMeanReport> rows;     ///< (strata, columns)
  std::vector<OverallMeanReport> overall;  ///< (columns); empty in a plan
  std::string weights;                     ///< what the overall mean weighs strata by
  std::optional<RecordWeights> record_weights;
  std::optional<HeldOutRecords> held_out;  ///< where that is their shares
  bool is_shrunk = false;
  std::optional<MeansExplanation> explanation;  ///< NOT PRIVATE
};

namespace means_keys {

Deployment deployment(const MeansReport& report);

}  // namespace means_keys

template <>
inline constexpr auto fields_of<MeansReport> = [] {
  using Report = MeansReport;
  return std::tuple_cat(
      kReleaseFields,
      publishable(
          field("weights", &Report::weights, "What the overall mean weighs strata by"),
          field("record_weights", &Report::record_weights, "What records count for; null: 1 each"),
          field("columns", &Report::columns, "How each column is estimated"),
          field("held_out", &Report::held_out, "Records whose shares are the weights")
              .or_nothing()),
      std::tuple(
          field("shrunk", &Report::is_shrunk, "Whether strata were moved towards each other"),
          field("overall", &Report::overall, "Means over all strata"),
          field("strata", &Report::rows, "Means of each stratum"),
          field("groups", &Report::rows, "What each stratum has to expect").in(Documents::kPlan),
          computed("deployment", means_keys::deployment, "Entry for the public registry")),
      kReleaseEndFields,
      std::tuple(
          field("not_private", &Report::explanation, "Exact figures, by --explain").or_nothing()));
}();

/// The report of a release: page, screen and, of what is publishable, card. Publishable, but for
/// the section of exact figures of a report that has an explanation.
Document means_document(const MeansReport& report);

/// The cost of a release, and the noise to expect. Publishable.
Document means_plan_document(const MeansReport& report);

/// The answer of `equinoise means --dry-run`. Publishable.
nlohmann::ordered_json means_plan_to_json(const MeansReport& report);

/// The answer of `equinoise means` and report.json. Publishable, except for "not_private", which is
/// present if the report has an explanation.
nlohmann::ordered_json means_to_json(const MeansReport& report);

/// The reverse: what `equinoise report` makes the page from again. What only the registry's entry
/// needs stays empty. Errors: kInput, naming file and member.
MeansReport means_report_from_json(std::string_view text, std::string_view origin);

/// The released figures as CSV (RFC 4180), one line each: what it is of ("" for the overall mean),
/// which statistic, the estimate, the ends of its 95 % interval and the standard deviation of its
/// noise. Publishable; cells that are not released are empty.
std::string means_to_csv(const MeansReport& report);

/// A sentence that records whose shares are weights are not protected; "" where there are none.
std::string held_out_line(const std::optional<HeldOutRecords>& held_out);

/// "Means of age, pay by sex"
std::string means_name(const MeansReport& report);

}  // namespace equinoise

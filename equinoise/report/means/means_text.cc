// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/means/means_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "equinoise/base/rounding.h"
#include "equinoise/report/format.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

namespace {

std::string name_of(const GroupLabel& stratum) { return values_of(stratum); }

constexpr int kDigits = 15;           // that every double keeps
constexpr double kWrittenOut = 1e15;  // from there on with an exponent

int exponent_of(double value) {
  return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
}

/// Decimals that show two digits of the noise, below 0 where these are tens or more.
int decimals_for(double noise) {
  constexpr int kMost = 300;  // powers of ten that are doubles
  if (!(noise > 0) || !std::isfinite(noise)) return 6;
  return std::clamp(1 - exponent_of(noise), -kMost, kMost);
}

/// With so many decimals, or as 6.02e+23 where these or the digits before them would be too many.
std::string decimal_with(double value, int decimals) {
  if (std::fabs(value) < kWrittenOut && decimals <= kDigits)
    return format_fixed(value, std::max(decimals, 0));
  const int digits = std::clamp(exponent_of(value) + 1 + decimals, 1, kDigits + 2);
  return fmt::format("{:.{}g}", value, digits);
}

std::string decimal(double value, double noise) { return decimal_with(value, decimals_for(noise)); }

/// Rounded outwards: what is printed holds what the interval does.
std::string interval(const MeanInterval& given, double noise) {
  const double largest = std::max(std::fabs(given.lower), std::fabs(given.upper));
  // A double has no further digits to round.
  const int known = std::min(decimals_for(noise), kDigits - 1 - exponent_of(largest));
  const int decimals = largest < kWrittenOut ? std::max(known, 0) : known;
  // Powers of ten are exact up to the 22nd, which their inverses are not.
  const double scale = std::pow(10.0, std::abs(decimals));
  const auto units_of = [&](double end) { return decimals < 0 ? end / scale : end * scale; };
  const auto shown = [&](double units) {
    return decimal_with(decimals < 0 ? units * scale : units / scale, decimals);
  };
  return fmt::format("[{}, {}]", shown(std::floor(units_of(given.lower))),
                     shown(std::ceil(units_of(given.upper))));
}

std::string size(const std::optional<double>& records) {
  return records ? format_count(static_cast<int64_t>(std::llround(*records))) : "private";
}

/// Weights have any unit: whole numbers where these have four digits or noise is of them, else four
/// digits.
std::string sum_of_weights(const NoisyWeight& weight) {
  constexpr double kMostCounted = 0x1p53;
  const bool is_large = weight.noise_stddev >= 1 || std::fabs(weight.sum) >= 1000;
  return is_large && std::fabs(weight.sum) < kMostCounted ? size(weight.sum)
                                                          : fmt::format("{:.4g}", weight.sum);
}

std::string divisor_text(const std::optional<NoisyWeight>& weight,
                         const std::optional<double>& num_values) {
  if (weight) return sum_of_weights(*weight);
  return num_values ? size(num_values) : "-";
}

std::string guarantee_lines(const MeansReport& report) {
  if (!report.privacy) return "Guarantee: NONE, the noise came from a known seed\n";
  return lines_of(explain(report.protection)) +
         fmt::format("Guarantee: {}, rho {:g}{}{}\n", format_guarantee(*report.privacy), report.rho,
                     report.strata.empty() ? ""
                     : report.units        ? ", in whichever strata the rows of one are"
                                    : ", for the members of every stratum: nobody is in two strata",
                     report.status == PrivacyStatus::kPrivate
                         ? ""
                         : "; the schema was drafted from the records: "
                           "NOT PRIVATE");
}

/// The records that a mean of a column with gaps is of.
std::string those_who_count(const MeanColumnReport& column) {
  return column.fill ? "the records that have a value, or a missing cell, which counts as one"
                     : "the records that have a value";
}

std::string column_lines(const MeansReport& report) {
  std::string text = record_weights_line(report.record_weights);
  if (report.units) {
    text += fmt::format(
        "Means are of rows, of which at most {} of each {} count: whoever has more rows counts "
        "more, and rows beyond that are left out.\n",
        report.units->max_records, report.units->unit);
  }
  for (const MeanColumnReport& column : report.columns) {
    text += fmt::format("{}: {}, within {} to {}{}\n", column.name, column.method, column.lower,
                        column.upper, column.reason.empty() ? "" : " (" + column.reason + ")");
    if (column.has_gaps) {
      text +=
          fmt::format("  the mean of {}: their {} released with noise, together with their sum\n",
                      those_who_count(column),
                      report.record_weights ? "weights are added up and" : "number is");
    }
    if (column.fill) text += fmt::format("  a missing cell counts as {}\n", *column.fill);
    if (column.rounding)
      text += fmt::format("  {}, which intervals allow for\n", rounding_text(*column.rounding));
    if (report.strata.empty() || !std::isfinite(column.stratified_noise)) continue;
    text += fmt::format(
        "  predicted noise of the overall mean: {:.3g} from strata{}; {:.3g} if nothing else were "
        "released; a figure for each stratum makes it {:.1f} times as large\n",
        column.stratified_noise, column.has_overall_sum ? " and one sum of all" : "",
        column.unstratified_noise, column.stratified_noise / column.unstratified_noise);
  }
  return text;
}

bool is_any(const MeansReport& report, bool (*holds)(const MeanColumnReport&)) {
  return std::any_of(report.columns.begin(), report.columns.end(), holds);
}

bool has_any_gaps(const MeansReport& report) {
  return !report.record_weights &&
         is_any(report, [](const MeanColumnReport& column) { return column.has_gaps; });
}

bool has_released_clips(const MeansReport& report) {
  return is_any(report, [](const MeanColumnReport& column) {
    return column.interval_of != kMeanWithinBounds;
  });
}

/// The names of columns whose intervals are of that, with or without gaps, filled or not.
std::string columns_with(const MeansReport& report, std::string_view interval_of, bool has_gaps,
                         bool is_filled) {
  std::string names;
  for (const MeanColumnReport& column : report.columns) {
    if (column.interval_of == interval_of && column.has_gaps == has_gaps &&
        column.fill.has_value() == is_filled)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", column.name);
  }
  return names;
}

/// Over whom a mean of the stratum's own numbers is.
std::string_view over_whom(bool has_gaps, bool is_filled) {
  if (!has_gaps) return is_filled ? ", and of what fills the missing ones" : "";
  return is_filled ? ", over the records that have one, and of what fills the missing ones"
                   : ", over the records that have one";
}

/// Which numbers the schema puts into missing cells, "bonus as 2990, ..."; "" for none.
std::string fills_text(const MeansReport& report) {
  std::string text;
  for (const MeanColumnReport& column : report.columns) {
    if (column.fill)
      text += fmt::format("{}{} as {}", text.empty() ? "" : ", ", column.name, *column.fill);
  }
  return text;
}

/// What is said of numbers that an interval is of.
std::string clip_text(std::string_view interval_of) {
  if (interval_of == kMeanWithinBounds)
    return "; numbers outside the bounds count as the nearer bound";
  return fmt::format(
      ",\n    after {} under \"clipped to\", which was chosen with noise:\n    the mean of the "
      "numbers as they are may be far away, and no interval covers it",
      interval_of == kMeanWithinReleasedClip
          ? "these are clipped to the interval shown"
          : "each record is moved into a ball inside the intervals shown");
}

/// What intervals hold; each sentence about what some column has.
std::string intervals_text(const MeansReport& report) {
  // Where a figure is rare, those that are told miss more often.
  std::string text =
      fmt::format("\nEach interval by itself contains, in 95 % of releases{}{}:\n",
                  report.record_weights ? ", including those that give no figure" : "",
                  report.units ? ", of the rows that count" : "");
  for (const std::string_view kind :
       {kMeanWithinBounds, kMeanWithinReleasedClip, kMeanWithinReleasedBall}) {
    for (const auto& [has_gaps, is_filled] : {std::pair(false, false), std::pair(false, true),
                                              std::pair(true, false), std::pair(true, true)}) {
      const std::string names = columns_with(report, kind, has_gaps, is_filled);
      if (names.empty()) continue;
      text += fmt::format("  {}: the {} of the stratum's own numbers{}{}\n", names,
                          report.record_weights ? "weighted mean" : "mean",
                          over_whom(has_gaps, is_filled), clip_text(kind));
    }
  }
  if (report.record_weights)
    text += "  weights outside the bounds of their column count as the nearer bound\n";
  const bool has_population =
      std::any_of(report.overall.begin(), report.overall.end(),
                  [](const OverallMeanReport& row) { return row.population.has_value(); }) ||
      std::any_of(report.rows.begin(), report.rows.end(),
                  [](const StratumMeanReport& row) { return row.population.has_value(); });
  if (has_population) {
    text +=
        "  the second interval: the mean of the population from which the records were drawn "
        "independently, with numbers\n    outside the bounds counted as the nearer bound, if these "
        "have at most the declared standard deviation in each stratum\n";
  }
  const bool divides_by_sizes =
      !report.has_private_sizes && !report.record_weights &&
      is_any(report, [](const MeanColumnReport& column) { return !column.has_gaps; });
  const bool takes_values_for_granted = is_any(
      report, [](const MeanColumnReport& column) { return !column.has_gaps && !column.fill; });
  if (divides_by_sizes) text += "The declared sizes are assumed to be those of the records.\n";
  const bool leaves_out_strata =
      std::any_of(report.rows.begin(), report.rows.end(),
                  [](const StratumMeanReport& row) { return row.is_empty; });
  if (leaves_out_strata) {
    text +=
        "Strata declared with size 0 are assumed to be empty: records in them are in no figure.\n";
  }
  if (takes_values_for_granted)
    text += "Where the schema says missing = \"none\", every record is assumed to have a value.\n";
  return text;
}

/// "12.34 %", or "-".
std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.2f} %", 100 * share) : "-";
}

std::string decimal_or_dash(double value, double noise) {
  return std::isfinite(value) ? decimal(value, noise) : "-";
}

std::string explanation_text(const MeansReport& report) {
  const MeansExplanation& explanation = *report.explanation;
  const std::string fills = fills_text(report);
  std::string text =
      "\nNOT PRIVATE, do not publish: the following is computed from records without noise\n" +
      std::string(kDoNotChooseBy) +
      "\nThe exact mean is that of all values brought within the schema's bounds, over the records "
      "that have one" +
      (report.record_weights ? ", by their weights" : "") +
      (report.units ? ", of the rows that count" : "") +
      (is_any(report, [](const MeanColumnReport& column) { return column.rounding.has_value(); })
           ? ", as they were read by public bins"
           : "") +
      ", before a method clips them\n";
  if (!fills.empty()) {
    text += "Missing cells are among the values of columns that are filled: " + fills + "\n";
  }
  const size_t num_columns = report.columns.size();
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const StratumMeanReport& row = report.rows[i];
    const MeansExplanation::Column& column = explanation.columns[i % num_columns];
    const double exact = column.exact_strata[i / num_columns];
    const double noise = row.noise_stddev;
    rows.push_back({name_of(row.stratum), row.column,
                    format_count(explanation.num_records[i / num_columns]),
                    format_count(column.num_values[i / num_columns]), decimal_or_dash(exact, noise),
                    row.has_figure() ? decimal(row.mean, noise) : "-",
                    row.has_figure() ? decimal(row.raw_mean, noise) : "-"});
  }
  text += format_table(
      {"stratum", "column", "records", "values", "exact", "released", "before shrinking"}, rows, 2);
  for (size_t j = 0; j < explanation.columns.size(); ++j) {
    const MeansExplanation::Column& column = explanation.columns[j];
    text += fmt::format(
        "{}: exact overall mean {}; parity error {} ({} before shrinking, {} if every stratum had "
        "the overall mean), largest error of a stratum {} or {}; errors are divided by at "
        "least "
        "{:g}\n",
        column.name, decimal_or_dash(column.exact_overall, report.overall[j].noise_stddev),
        percent(column.parity_error), percent(column.raw_parity_error),
        percent(column.overall_parity_error), percent(column.largest_group_error),
        std::isfinite(column.largest_absolute_error)
            ? fmt::format("{:.3g}", column.largest_absolute_error)
            : "-",
        column.scale_floor);
  }
  if (explanation.alpha_moments) {
    text += fmt::format(
        "sizes of strata as shares from a symmetric Dirichlet distribution: alpha {:.3g} by "
        "moments, {} by likelihood; sum of log sizes {:.4g}, {:.4g} expected at the first alpha, "
        "{:.4g} if all sizes were equal\n",
        *explanation.alpha_moments,
        explanation.alpha_likelihood ? fmt::format("{:.3g}", *explanation.alpha_likelihood)
                                     : "none (a stratum is empty)",
        *explanation.sum_log, *explanation.expected_sum_log, *explanation.equal_sum_log);
  }
  for (const std::string& note : explanation.notes) text += "not private: " + note + "\n";
  return text;
}

}  // namespace

std::string weights_of(const MeansReport& report, size_t column) {
  const bool is_by_size = report.weights == "public sizes" || report.weights == "noisy sizes";
  return report.columns[column].has_gaps && is_by_size ? "numbers of values" : report.weights;
}

std::string rounding_text(const NumberRounding& rounding) {
  // Four digits, which say no less than what it is.
  const double most = next_down(rounding.most);
  const double unit = std::pow(10, std::floor(std::log10(most)) - 3);
  return fmt::format(
      "numbers were read as what stands for one of {} public bins: at most {:.4g} from what they "
      "were",
      rounding.num_bins, std::ceil(most / unit) * unit);
}

std::string record_weights_line(const std::optional<RecordWeights>& weights) {
  if (!weights) return "";
  const bool is_usual = weights->usual_share < 1;
  const std::string rounded =
      !weights->rounding
          ? ""
          : fmt::format("Of {}, {}; means and their intervals are by these weights.\n",
                        weights->column, rounding_text(*weights->rounding));
  return rounded + fmt::format(
                       "Each record counts by its {0}, at most {1:g}; the sum of weights is "
                       "released with noise, "
                       "together with the weighted\nsum. Noise is predicted for {2}: at a mean {0} "
                       "half as large it "
                       "is twice as large.\n",
                       weights->column, weights->largest,
                       is_usual ? fmt::format("the declared mean of {:g}",
                                              weights->usual_share * weights->largest)
                                : "records that all have the largest weight");
}

std::string weights_line(const std::optional<HeldOutRecords>& held_out) {
  if (!held_out) return "";
  return fmt::format(
      "Weights: shares of the {} records of {}, which cost nothing because NOTHING PROTECTS these "
      "records: they must be\npublic, or belong to other people than those whose means are "
      "released\n",
      format_count(held_out->num_records), held_out->file);
}

std::string means_plan_to_text(const MeansReport& report) {
  std::string text =
      fmt::format("Plan: means on {} ({})\n\n", report.dataset, to_string(report.status));
  text += column_lines(report) + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const StratumMeanReport& row : report.rows) {
    rows.push_back({name_of(row.stratum), row.column, size(row.num_records),
                    row.predicted_noise ? format_amount(*row.predicted_noise) : "not known",
                    format_epsilon(row.privacy)});
  }
  text += format_table({"stratum", "column", "records", "predicted noise", "epsilon"}, rows, 2);
  text += "\n" + guarantee_lines(report) + weights_line(report.held_out);
  if (report.ledger) text += ledger_lines(*report.ledger);
  return text + warnings_to_text(report.warnings);
}

std::string means_to_text(const MeansReport& report) {
  std::string text = column_lines(report) + "\n";
  const bool has_gaps = has_any_gaps(report);
  const bool has_clips = has_released_clips(report);
  std::vector<std::string> head = {"stratum", "column", "records"};
  if (has_gaps) head.emplace_back("values");
  if (report.record_weights) head.emplace_back("sum of weights");
  head.insert(head.end(), {"mean", "95 % of noise"});
  if (has_clips) head.emplace_back("clipped to");
  head.insert(head.end(), {"95 % of noise and sampling", "epsilon"});
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::vector<std::string> row, const std::string& divisor,
                       const std::vector<std::string>& figures, const std::string& clip,
                       const std::string& population, const std::optional<Guarantee>& privacy) {
    if (has_gaps || report.record_weights) row.push_back(divisor);
    row.insert(row.end(), figures.begin(), figures.end());
    if (has_clips) row.push_back(clip);
    row.insert(row.end(), {population, format_epsilon(privacy)});
    rows.push_back(std::move(row));
  };
  if (!report.strata.empty()) {
    for (size_t i = 0; i < report.rows.size(); ++i) {
      const StratumMeanReport& row = report.rows[i];
      std::string name = name_of(row.stratum);
      if (row.clipped_fraction)
        name += fmt::format(" ({:.1f} % clipped)", 100 * *row.clipped_fraction);
      const double noise = row.noise_stddev;
      const std::vector<std::string> figures =
          row.has_figure() ? std::vector{decimal(row.mean, noise), interval(row.interval, noise)}
                           : std::vector<std::string>{"-", "-"};
      const bool is_released =
          report.columns[i % report.columns.size()].interval_of != kMeanWithinBounds;
      add({name, row.column, size(row.num_records)}, divisor_text(row.weight, row.num_values),
          figures, is_released && row.has_figure() ? interval(row.clip, noise) : "-",
          row.population ? interval(*row.population, noise) : "-", row.privacy);
    }
  }
  for (size_t j = 0; j < report.overall.size(); ++j) {
    const OverallMeanReport& row = report.overall[j];
    const double noise = row.noise_stddev;
    const bool is_whole = report.strata.empty();  // then its clip is that of the only row
    const bool is_released = report.columns[j].interval_of != kMeanWithinBounds;
    const std::vector<std::string> figures =
        row.is_hidden ? std::vector<std::string>{"-", "-"}
                      : std::vector{decimal(row.mean, noise), interval(row.interval, noise)};
    add({fmt::format("overall, by {}", weights_of(report, j)), row.column, ""},
        divisor_text(row.weight, row.num_values), figures,
        !is_released ? "-"
        : is_whole   ? interval(report.rows[j].clip, noise)
                     : "as strata",
        row.population ? interval(*row.population, noise) : "-", report.privacy);
  }
  text += format_table(head, rows, 2) + intervals_text(report);
  if (report.is_shrunk) {
    text +=
        "The strata's figures are moved towards each other as far as noise explains their "
        "differences, which costs\nnothing; the intervals are those of the figures before this "
        "step (--no-shrink reports them), widened to contain\nthe figures above. The overall mean "
        "is computed from the figures before this step.\n";
  }
  for (const StratumMeanReport& row : report.rows) {
    if (!row.note.empty())
      text += fmt::format("{}, {}: {}\n", name_of(row.stratum), row.column, row.note);
  }
  text += guarantee_lines(report) + weights_line(report.held_out);
  if (report.ledger) text += ledger_lines(*report.ledger);
  text += warnings_to_text(report.warnings);
  for (const std::string& file : report.files) text += "wrote " + file + "\n";
  if (report.explanation) text += explanation_text(report);
  return text;
}

}  // namespace equinoise

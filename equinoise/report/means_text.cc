#include "equinoise/report/means_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "equinoise/report/format.h"
#include "equinoise/report/text.h"

namespace equinoise {

namespace {

std::string name_of(const GroupLabel& stratum) { return values_of(stratum); }

/// Decimals that show two digits of the noise.
std::string decimal(double value, double noise) {
  const int decimals =
      noise > 0 ? std::max(0, 1 - static_cast<int>(std::floor(std::log10(noise)))) : 6;
  return fmt::format("{:.{}f}", value, std::min(decimals, 9));
}

std::string interval(const MeanInterval& given, double noise) {
  return fmt::format("[{}, {}]", decimal(given.lower, noise), decimal(given.upper, noise));
}

std::string size(const std::optional<double>& records) {
  return records ? format_count(static_cast<int64_t>(std::llround(*records))) : "private";
}

std::string guarantee_lines(const MeansReport& report) {
  if (!report.privacy) return "Guarantee: NONE, the noise came from a known seed\n";
  return fmt::format("Guarantee: {}, rho {:g}{}{}\n", format_guarantee(*report.privacy), report.rho,
                     report.strata.empty() ? ""
                                           : ", for members of every stratum: who is in one is in "
                                             "no other",
                     report.status == "private" ? ""
                                                : "; the schema was drafted from the records: "
                                                  "NOT PRIVATE");
}

std::string column_lines(const MeansReport& report) {
  std::string text;
  for (const MeanColumnReport& column : report.columns) {
    text += fmt::format("{}: {}, within {} to {}{}\n", column.name, column.method, column.lower,
                        column.upper, column.reason.empty() ? "" : " (" + column.reason + ")");
    if (report.strata.empty() || !std::isfinite(column.stratified_noise)) continue;
    text += fmt::format(
        "  predicted noise of the overall mean: {:.3g} from strata{}, {:.3g} if it were all that "
        "is "
        "asked; {:.1f} times as much is the price of a figure for each stratum\n",
        column.stratified_noise, column.has_overall_sum ? " and one sum of all" : "",
        column.unstratified_noise, column.stratified_noise / column.unstratified_noise);
  }
  return text;
}

std::string explanation_text(const MeansReport& report) {
  const MeansExplanation& explanation = *report.explanation;
  std::string text =
      "\nNOT PRIVATE, do not publish: what follows is computed from records without noise\n";
  const size_t num_columns = report.columns.size();
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const StratumMeanReport& row = report.rows[i];
    const double exact = explanation.columns[i % num_columns].exact_strata[i / num_columns];
    const double noise = row.noise_stddev;
    rows.push_back({name_of(row.stratum), row.column,
                    format_count(explanation.num_records[i / num_columns]),
                    std::isfinite(exact) ? decimal(exact, noise) : "-", decimal(row.mean, noise),
                    decimal(row.raw_mean, noise)});
  }
  text += format_table({"stratum", "column", "records", "exact", "released", "before shrinking"},
                       rows, 2);
  for (size_t j = 0; j < explanation.columns.size(); ++j) {
    const MeansExplanation::Column& column = explanation.columns[j];
    text += fmt::format(
        "{}: exact overall mean {}; parity error {:.2f} % ({:.2f} % before shrinking, {:.2f} % "
        "if every stratum had the overall mean), largest error of a stratum {:.2f} % or {:.3g}; "
        "errors are divided by at least {:g}\n",
        column.name, decimal(column.exact_overall, report.overall[j].noise_stddev),
        100 * column.parity_error, 100 * column.raw_parity_error, 100 * column.overall_parity_error,
        100 * column.largest_group_error, column.largest_absolute_error, column.scale_floor);
  }
  if (explanation.alpha_moments) {
    text += fmt::format(
        "sizes of strata as shares of a symmetric Dirichlet law: alpha {:.3g} by moments, {} by "
        "likelihood; sum of log sizes {:.4g}, {:.4g} expected at the first, {:.4g} if all were "
        "equal\n",
        *explanation.alpha_moments,
        explanation.alpha_likelihood ? fmt::format("{:.3g}", *explanation.alpha_likelihood)
                                     : "none (a stratum is empty)",
        explanation.sum_log, explanation.expected_sum_log, explanation.equal_sum_log);
  }
  for (const std::string& note : explanation.notes) text += "not private: " + note + "\n";
  return text;
}

}  // namespace

std::string weights_line(const std::optional<HeldOutRecords>& held_out) {
  if (!held_out) return "";
  return fmt::format(
      "Weights: shares of the {} records of {}, which cost nothing and which NOTHING PROTECTS: "
      "they must be\npublic, or be of other people than those whose means are told\n",
      format_count(held_out->num_records), held_out->file);
}

std::string means_plan_to_text(const MeansReport& report) {
  std::string text = fmt::format("Plan: means on {} ({})\n\n", report.dataset, report.status);
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
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& stratum, const std::string& column,
                       const std::string& records, double mean, const MeanInterval& ci,
                       const std::optional<MeanInterval>& population, double noise,
                       const std::optional<Guarantee>& privacy) {
    rows.push_back({stratum, column, records, decimal(mean, noise), interval(ci, noise),
                    population ? interval(*population, noise) : "-", format_epsilon(privacy)});
  };
  if (!report.strata.empty()) {
    for (const StratumMeanReport& row : report.rows) {
      add(name_of(row.stratum), row.column, size(row.num_records), row.mean, row.interval,
          row.population, row.noise_stddev, row.privacy);
      if (row.clipped_fraction)
        rows.back()[0] += fmt::format(" ({:.1f} % clipped)", 100 * *row.clipped_fraction);
    }
  }
  for (const OverallMeanReport& row : report.overall) {
    add(fmt::format("overall, by {}", report.weights), row.column, "", row.mean, row.interval,
        row.population, row.noise_stddev, report.privacy);
  }
  text += format_table({"stratum", "column", "records", "mean", "95 % of noise",
                        "95 % of noise and sampling", "epsilon"},
                       rows, 2);
  text +=
      "\nThe first interval holds the mean of the stratum's own records (clipped as above), the "
      "second that of the\npopulation that they come from, where a standard deviation is "
      "declared.\n";
  if (report.is_shrunk) {
    text +=
        "Figures of strata are moved towards each other by as much as noise explains their "
        "differences, which\ncosts nothing; intervals are those of the figures before that "
        "(--no-shrink tells these). The overall mean is\nmade of figures as they came out, so that "
        "it is unbiased.\n";
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

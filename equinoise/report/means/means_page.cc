// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/report/format.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/report/noisy_figure.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/release_page.h"

namespace equinoise {

namespace {

/// "1,234", or "1,234 [1,190, 1,278]" of a noisy one; "private" where it is not released.
std::string size(const std::optional<double>& records,
                 const std::optional<Interval>& interval = std::nullopt) {
  if (!records) return "private";
  const auto count = [](double value) { return format_count(std::llround(value)); };
  return interval ? fmt::format("{} [{}, {}]", count(*records), count(interval->low),
                                count(interval->high))
                  : count(*records);
}

/// Weights have any unit: whole numbers where these have four digits or noise is of them, else four
/// digits.
std::string sum_of_weights(const NoisyWeight& weight) {
  constexpr double kMaxCounted = 0x1p53;
  const bool is_large = weight.noise_stddev >= 1 || std::fabs(weight.sum) >= 1000;
  return is_large && std::fabs(weight.sum) < kMaxCounted ? size(weight.sum)
                                                         : fmt::format("{:.4g}", weight.sum);
}

/// The number that the mean of a stratum or the overall one is divided by, where it is released.
template <typename Row>
std::string divisor_of(const Row& row) {
  if (row.weight) return sum_of_weights(*row.weight);
  return row.num_values ? size(row.num_values) : "-";
}

bool is_any(const MeansReport& report, bool (*holds)(const MeanColumnReport&)) {
  return std::ranges::any_of(report.columns, holds);
}

bool is_clipped_with_noise(const MeanColumnReport& column) {
  return column.interval_of != kMeanWithinBounds;
}

/// The records that a mean of a column with gaps is of.
std::string_view those_who_count(const MeanColumnReport& column) {
  return column.fill ? "the records that have a value, or a missing cell, which counts as one"
                     : "the records that have a value";
}

/// Over whom a mean of the stratum's own numbers is.
std::string_view over_whom(bool has_gaps, bool is_filled) {
  if (!has_gaps) return is_filled ? ", and of what fills the missing ones" : "";
  return is_filled ? ", over the records that have one, and of what fills the missing ones"
                   : ", over the records that have one";
}

std::string_view clip_text(std::string_view interval_of) {
  if (interval_of == kMeanWithinBounds)
    return "; numbers outside the bounds count as the nearer bound";
  return interval_of == kMeanWithinReleasedClip
             ? ", clipped to the interval under \"clipped to\", which was chosen with noise"
             : ", of records moved into a ball inside the intervals under \"clipped to\", which "
               "was chosen with noise";
}

/// Sentences that several names share, each with its names before it.
class NamedSentences {
 public:
  void add(const std::string& name, const std::string& sentence) {
    auto found =
        std::ranges::find_if(said_, [&](const auto& said) { return said.first == sentence; });
    if (found == said_.end()) found = said_.insert(said_.end(), {sentence, {}});
    found->second.push_back(name);
  }

  /// Each sentence with at most so many names, and how many more there are.
  std::vector<std::string> lines(size_t max_names) const {
    std::vector<std::string> lines;
    for (const auto& [sentence, names] : said_) {
      const auto num_named = static_cast<std::ptrdiff_t>(std::min(names.size(), max_names));
      std::string text =
          fmt::format("{}", fmt::join(names.begin(), names.begin() + num_named, "; "));
      if (names.size() > max_names) text += fmt::format(" and {} more", names.size() - max_names);
      lines.push_back(text + ": " + sentence);
    }
    return lines;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> said_;
};

/// "12.34 %", or "-".
std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.2f} %", 100 * share) : "-";
}

/// Sentences on how each column is estimated.
std::vector<std::string> column_items(const MeansReport& report) {
  std::vector<std::string> items = record_weights_items(report.record_weights, kWeightedMeans);
  if (report.units) {
    items.push_back(fmt::format(
        "Means are of rows, of which at most {} of each {} count: whoever has more rows counts "
        "more, and rows beyond that are left out.",
        report.units->max_records, report.units->unit));
  }
  for (const MeanColumnReport& column : report.columns) {
    const auto add = [&](const std::string& what) {
      items.push_back(fmt::format("{}: {}", column.name, what));
    };
    add(fmt::format("{}, within {} to {}{}", column.method, column.bounds.low, column.bounds.high,
                    column.reason.empty() ? "" : " (" + column.reason + ")"));
    if (column.has_gaps()) {
      add(fmt::format("the mean of {}: their {} released with noise, together with their sum",
                      those_who_count(column),
                      report.record_weights ? "weights are added up and" : "number is"));
    }
    if (column.fill) add(fmt::format("a missing cell counts as {}", *column.fill));
    if (column.rounding) add(rounding_text(*column.rounding) + ", which intervals allow for");
    if (report.strata.empty() || !std::isfinite(column.stratified_noise) ||
        !std::isfinite(column.unstratified_noise))
      continue;
    add(fmt::format(
        "predicted noise of the overall mean: {:.3g} from strata{}; {:.3g} if nothing else were "
        "released; a figure for each stratum makes it {:.1f} times as large",
        column.stratified_noise, column.has_overall_sum ? " and one sum of all" : "",
        column.unstratified_noise, column.stratified_noise / column.unstratified_noise));
  }
  return items;
}

/// The released figures: a row for each stratum and column, then the overall means.
TextTable means_table(const MeansReport& report) {
  const bool has_divisors =
      report.record_weights ||
      is_any(report, [](const MeanColumnReport& column) { return column.has_gaps(); });
  const bool has_clips = is_any(report, is_clipped_with_noise);
  TextTable table{means_name(report), {"stratum", "column", "records"}, {}, 2};
  if (has_divisors) table.head.emplace_back(report.record_weights ? "sum of weights" : "values");
  table.head.insert(table.head.end(), {"mean", "95 % of noise"});
  if (has_clips) table.head.emplace_back("clipped to");
  table.head.insert(table.head.end(), {"95 % of noise and sampling", "epsilon"});
  const auto add = [&](const std::string& name, const std::string& records, const auto& row,
                       const std::string& clip, const std::optional<Guarantee>& privacy) {
    std::vector<std::string> cells = {name, row.column, records};
    if (has_divisors) cells.push_back(divisor_of(row));
    cells.push_back(decimal(row.mean, row.noise_stddev));
    cells.push_back(interval(row.interval, row.noise_stddev));
    if (has_clips) cells.push_back(clip);
    cells.push_back(interval(row.population, row.noise_stddev));
    cells.push_back(format_epsilon(privacy));
    table.rows.push_back(std::move(cells));
  };
  const auto clip_of = [](const StratumMeanReport& row) {
    return row.interval_of == kMeanWithinBounds || !row.has_figure()
               ? "-"
               : interval(row.clip, row.noise_stddev);
  };
  for (const StratumMeanReport& row : report.rows) {
    if (report.strata.empty()) break;
    std::string name = values_of(row.stratum);
    if (row.clipped_fraction)
      name += fmt::format(" ({:.1f} % clipped)", 100 * *row.clipped_fraction);
    add(name, size(row.num_records, row.num_records_interval), row, clip_of(row), row.privacy);
  }
  for (size_t j = 0; j < report.overall.size(); ++j) {
    const bool is_whole = report.strata.empty();  // then its clip is that of the only row
    const std::string clip = is_whole                                   ? clip_of(report.rows[j])
                             : is_clipped_with_noise(report.columns[j]) ? "as strata"
                                                                        : "-";
    add("overall, by " + report.columns[j].weights, "", report.overall[j], clip, report.privacy);
  }
  return table;
}

/// The noise that a release would have.
TextTable means_plan_table(const MeansReport& report) {
  TextTable table{"", {"stratum", "column", "records", "predicted noise", "epsilon"}, {}, 2};
  for (const StratumMeanReport& row : report.rows) {
    table.rows.push_back({values_of(row.stratum), row.column, size(row.num_records),
                          row.predicted_noise ? format_amount(*row.predicted_noise) : "not known",
                          format_epsilon(row.privacy)});
  }
  return table;
}

/// The first half of a sentence that each of interval_items() ends.
std::string interval_line(const MeansReport& report) {
  // Reported intervals miss more often where a figure is rare.
  return fmt::format("Each interval by itself contains, in 95 % of releases{}{}:",
                     report.record_weights ? ", including those that give no figure" : "",
                     report.units ? ", of the rows that count" : "");
}

/// A sentence on numbers clipped to limits that noise chose; "" without such.
std::string clip_line(const MeansReport& report) {
  if (!is_any(report, is_clipped_with_noise)) return "";
  return "The mean of the numbers as they are may be far from that of the clipped ones, and no "
         "interval covers it.";
}

/// The coverage of intervals and its assumptions.
std::vector<std::string> interval_items(const MeansReport& report) {
  NamedSentences sentences;
  for (const MeanColumnReport& column : report.columns) {
    sentences.add(column.name, fmt::format("the {} of the stratum's own numbers{}{}",
                                           column.by_weight ? "weighted mean" : "mean",
                                           over_whom(column.has_gaps(), column.fill.has_value()),
                                           clip_text(column.interval_of)));
  }
  std::vector<std::string> items = sentences.lines(report.columns.size());
  if (std::string line = clip_line(report); !line.empty()) items.push_back(std::move(line));
  if (report.record_weights)
    items.emplace_back("weights outside the bounds of their column count as the nearer bound");
  const auto has_population = [](const auto& row) { return row.population.has_value(); };
  if (std::ranges::any_of(report.overall, has_population) ||
      std::ranges::any_of(report.rows, has_population)) {
    items.emplace_back(
        "the second interval: the mean of the population from which the records were drawn "
        "independently, with numbers outside the bounds counted as the nearer bound, if these have "
        "at most the declared standard deviation in each stratum");
  }
  if (!report.has_private_sizes && !report.record_weights &&
      is_any(report, [](const MeanColumnReport& column) { return !column.has_gaps(); }))
    items.emplace_back("The declared sizes are assumed to be those of the records.");
  if (std::ranges::any_of(report.rows, &StratumMeanReport::is_empty)) {
    items.emplace_back(
        "Strata declared with size 0 are assumed to be empty: records in them are in no figure.");
  }
  if (is_any(report,
             [](const MeanColumnReport& column) { return !column.has_gaps() && !column.fill; })) {
    items.emplace_back(
        "Where the schema says missing = \"none\", every record is assumed to have a value.");
  }
  return items;
}

/// Warnings about figures: a line for each remark, with the first of the strata it is about.
std::vector<std::string> figure_notes(const MeansReport& report, size_t max_names) {
  NamedSentences notes;
  for (const StratumMeanReport& row : report.rows)
    if (!row.note.empty())
      notes.add(fmt::format("{}, {}", values_of(row.stratum), row.column), row.note);
  return notes.lines(max_names);
}

/// The exact figures next to the released ones; no rows without an explanation. NOT PRIVATE.
TextTable exact_table(const MeansReport& report) {
  TextTable table{
      "Exact figures",
      {"stratum", "column", "records", "values", "exact", "released", "before shrinking"},
      {},
      2};
  const MeansExplanation& explanation = *report.explanation;
  const size_t num_columns = report.columns.size();
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const StratumMeanReport& row = report.rows[i];
    const ExactColumn& column = explanation.columns[i % num_columns];
    const size_t k = i / num_columns;
    table.rows.push_back(
        {values_of(row.stratum), row.column, format_count(explanation.num_records[k]),
         format_count(column.num_values[k]), decimal(column.strata[k], row.noise_stddev),
         decimal(row.mean, row.noise_stddev), decimal(row.raw_mean, row.noise_stddev)});
  }
  return table;
}

/// Errors of the released figures, and what happened to records. NOT PRIVATE.
std::vector<std::string> exact_items(const MeansReport& report) {
  const MeansExplanation& explanation = *report.explanation;
  std::vector<std::string> items;
  std::string fills;
  for (const ExactColumn& column : explanation.columns) {
    if (column.fill)
      fills += fmt::format("{}{} as {}", fills.empty() ? "" : ", ", column.name, *column.fill);
  }
  if (!fills.empty())
    items.push_back("Missing cells are among the values of columns that are filled: " + fills);
  for (size_t j = 0; j < explanation.columns.size(); ++j) {
    const ExactColumn& column = explanation.columns[j];
    items.push_back(fmt::format(
        "{}: exact overall mean {}; parity error {} ({} before shrinking, {} if every stratum had "
        "the overall mean), largest error of a stratum {} or {}; errors are divided by at least "
        "{:g}",
        column.name, decimal(column.overall, report.overall[j].noise_stddev),
        percent(column.parity_error), percent(column.raw_parity_error),
        percent(column.overall_parity_error), percent(column.largest_group_error),
        std::isfinite(column.largest_absolute_error)
            ? fmt::format("{:.3g}", column.largest_absolute_error)
            : "-",
        column.scale_floor));
  }
  const SizeDistribution& sizes = explanation.sizes;
  const auto digits = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.4g}", *value) : "none";
  };
  if (sizes.alpha_moments) {
    items.push_back(fmt::format(
        "sizes of strata as shares from a symmetric Dirichlet distribution: alpha {} by moments, "
        "{} by likelihood (none: a stratum is empty); sum of log sizes {}, {} expected at the "
        "first "
        "alpha, {} if all sizes were equal",
        digits(sizes.alpha_moments), digits(sizes.alpha_likelihood), digits(sizes.sum_log),
        digits(sizes.expected_sum_log), digits(sizes.equal_sum_log)));
  }
  append(items, explanation.notes);
  return items;
}

/// The lowest and the highest released mean of a column: a sentence, "" for fewer than two strata.
/// It ranks figures, not strata: others may lie beyond them without noise.
std::string extremes_line(const MeansReport& report, const std::string& column) {
  std::vector<const StratumMeanReport*> rows;
  for (const StratumMeanReport& row : report.rows)
    if (row.column == column && row.has_figure()) rows.push_back(&row);
  if (rows.size() < 2) return "";
  const auto [lowest, highest] = std::ranges::minmax_element(rows, {}, &StratumMeanReport::mean);
  const auto text = [](const StratumMeanReport& row) {
    return fmt::format("{} ({})", values_of(row.stratum),
                       figure_text(row.mean, row.noise_stddev, row.interval));
  };
  return fmt::format("Means of {} go from {} to {}{}.", column, text(**lowest), text(**highest),
                     (*lowest)->interval->high < (*highest)->interval->low
                         ? ""
                         : ", a difference that noise may explain");
}

/// The strata with the most and the least noise in a column's mean: a sentence, "" for equal noise.
std::string noise_line(const MeansReport& report, const std::string& column) {
  std::vector<const StratumMeanReport*> rows;
  for (const StratumMeanReport& row : report.rows)
    if (row.column == column && row.has_figure() && row.noise_stddev > 0) rows.push_back(&row);
  if (rows.empty()) return "";
  const auto [least, most] =
      std::ranges::minmax_element(rows, {}, &StratumMeanReport::noise_stddev);
  const double times = (*most)->noise_stddev / (*least)->noise_stddev;
  if (!(times >= 1.1)) return "";
  return fmt::format("Noise in means of {} is largest for {}, {} times that of {}.", column,
                     values_of((*most)->stratum), format_amount(times),
                     values_of((*least)->stratum));
}

/// The release and the strata that differ most.
std::vector<std::string> summary_of(const MeansReport& report) {
  constexpr size_t kMaxNamedColumns = 3;
  std::vector<std::string> summary = {
      fmt::format("{} of the dataset {} were released with noise, each with an interval.",
                  means_name(report), report.dataset)};
  for (size_t j = 0; j < std::min(report.columns.size(), kMaxNamedColumns); ++j)
    for (std::string line : {extremes_line(report, report.columns[j].name),
                             noise_line(report, report.columns[j].name)})
      if (!line.empty()) summary.push_back(std::move(line));
  return summary;
}

/// The part of a release with a guarantee that may leave the house.
std::string leaving_line(const MeansReport& report) {
  const std::string leaves =
      report.explanation
          ? "The released figures may leave the house; this page, which also has exact ones, may "
            "not."
          : "Everything on this page may leave the house.";
  if (!report.held_out) return leaves;
  return leaves +
         fmt::format(" Nothing protects the records of {}, whose exact shares weigh strata.",
                     report.held_out->file);
}

/// Remarks under the figures in each form: problems of the figures, and who is not protected.
Items remarks_on(const MeansReport& report, size_t max_names) {
  Items remarks{figure_notes(report, max_names)};
  if (report.is_shrunk) {
    remarks.items.emplace_back(
        "Figures of strata are moved towards each other as far as noise explains their differences "
        "(--no-shrink reports them before).");
  }
  if (std::string line = held_out_line(report.held_out); !line.empty())
    remarks.items.push_back(std::move(line));
  return remarks;
}

/// The strata's means of a column with their intervals.
std::string chart_of(const MeansReport& report, size_t j) {
  const std::string& column = report.columns[j].name;
  const std::string by = columns_of(report.strata);
  const auto dot = [](std::string name, std::string records, const auto& row) {
    return DotRow{.name = std::move(name),
                  .size = std::move(records),
                  .estimate = {row.mean, row.interval.value_or(Interval{kNoFigure, kNoFigure})},
                  .text = figure_text(row.mean, row.noise_stddev, row.interval)};
  };
  DotChart chart{.id = fmt::format("means-{}", j + 1),
                 .title = fmt::format("Mean of {} by {}", column, by),
                 .metric = "mean",
                 .axis_label = fmt::format("mean of {}, with 95 % intervals of noise", column),
                 .name_head = by,
                 .size_head = "records",
                 .total = dot("overall", "", report.overall[j]),
                 .rows_are = "strata"};
  std::vector<double> weights;
  for (size_t i = j; i < report.rows.size(); i += report.columns.size()) {
    const StratumMeanReport& row = report.rows[i];
    chart.rows.push_back(dot(values_of(row.stratum),
                             row.num_records ? format_count(std::llround(*row.num_records)) : "",
                             row));
    weights.push_back(std::fabs(row.mean - report.overall[j].mean));
  }
  return dot_chart(chart, weights, "the largest distance from the overall mean") + "\n";
}

void add_figures(const MeansReport& report, Document& document) {
  Items remarks = remarks_on(report, 1);
  if (std::string line = clip_line(report); !line.empty()) remarks.items.push_back(std::move(line));
  remarks.items.push_back(fmt::format(
      "Each interval holds by itself in 95 % of releases; --verbose says what it holds{}.",
      report.files.empty() ? ", and --out FOLDER writes a report" : ""));
  document.section(means_name(report), fence_of(report.status), Form::kScreen)
      .add(means_table(report))
      .add(std::move(remarks));
  Section& section =
      document.section(means_name(report), fence_of(report.status), Form::kPage | Form::kCard);
  if (!report.strata.empty()) {
    for (size_t j = 0; j < report.columns.size(); ++j) section.add(Picture{chart_of(report, j)});
  }
  section.add(means_table(report)).add(remarks_on(report, report.rows.size()));
}

void add_intervals(const MeansReport& report, Document& document) {
  Section& section =
      document.section("What the intervals hold", Fence::kPublishable, Form::kPage | Form::kCard);
  section.add(Paragraph{interval_line(report)}).add(Items{interval_items(report)});
  if (!report.is_shrunk) return;
  section.add(Paragraph{
      "The intervals of strata are those of the figures before shrinking, widened to contain the "
      "figures above; the overall mean is computed from the figures before shrinking. Shrinking "
      "costs nothing."});
}

void add_exact_figures(const MeansReport& report, Document& document) {
  if (!report.explanation) return;
  std::string what =
      "The exact mean is that of all values brought within the schema's bounds, over the records "
      "that have one";
  if (report.record_weights) what += ", by their weights";
  if (report.units) what += ", of the rows that count";
  for (const MeanColumnReport& column : report.columns) {
    if (!column.rounding) continue;
    what += ", as they were read by public bins";
    break;
  }
  document.section("Exact figures", Fence::kNotPrivate, Form::kShown)
      .add(Paragraph{what + ", before a method clips them."})
      .add(exact_table(report))
      .add(Items{exact_items(report)});
}

}  // namespace

std::string held_out_line(const std::optional<HeldOutRecords>& held_out) {
  if (!held_out) return "";
  return fmt::format(
      "Weights: shares of the {} records of {}. NOTHING PROTECTS these records: they must be "
      "public, or belong to other people.",
      format_count(held_out->num_records), held_out->file);
}

std::string means_name(const MeansReport& report) {
  std::string name = "Means of ";
  for (size_t j = 0; j < report.columns.size(); ++j)
    name += (j > 0 ? ", " : "") + report.columns[j].name;
  return report.strata.empty() ? name : name + " by " + columns_of(report.strata);
}

Document means_document(const MeansReport& report) {
  Document document =
      release_document(report, fmt::format("{} on {}", means_name(report), report.dataset),
                       summary_of(report), leaving_line(report));
  for (WrittenFile& file : document.files) {
    if (!report.explanation) file.fence = fence_of(report.status);
    // Exact shares of records that nothing protects follow from the figures.
    if (report.held_out && file.fence == Fence::kPublishable) file.fence.reset();
  }
  add_figures(report, document);
  add_intervals(report, document);
  document.section("How each mean is estimated", Fence::kPublishable, Form::kPage | Form::kCard)
      .add(Items{column_items(report)});
  add_privacy(report, document);
  add_exact_figures(report, document);
  document.add_repeat(report.command, report.version, Form::kPage | Form::kCard);
  return document;
}

Document means_plan_document(const MeansReport& report) {
  Document document = release_plan(
      report, fmt::format("Plan: means on {} ({})", report.dataset, to_string(report.status)));
  Section& section = document.section(document.title, Fence::kPublishable, Form::kShown);
  section.add(Items{column_items(report)}).add(means_plan_table(report));
  if (std::string line = held_out_line(report.held_out); !line.empty())
    section.add(Items{{std::move(line)}});
  add_account(report.ledger, document);
  return document;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/means.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/means/predicted_widths.h"
#include "equinoise/means/registry.h"
#include "equinoise/means/size_release.h"
#include "equinoise/means/summary.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/input/paid_run.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/means/mean_records.h"
#include "equinoise/tasks/means/means_explanation.h"
#include "equinoise/tasks/means/means_setup.h"
#include "equinoise/tasks/means/release_output.h"
#include "equinoise/tasks/means/release_run.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "tasks.means";

std::string meaning_of(ClipKind kind) {
  switch (kind) {
    case ClipKind::kPublic:
      return std::string(kMeanWithinBounds);
    case ClipKind::kReleasedInterval:
      return std::string(kMeanWithinReleasedClip);
    case ClipKind::kReleasedBall:
      return std::string(kMeanWithinReleasedBall);
  }
  return "";
}

void add_columns(const MeansSetup& setup, MeansReport& report) {
  const MeansQuestion& question = setup.plan.question;
  const double total = static_cast<double>(setup.schema.num_records);
  for (size_t j = 0; j < question.columns.size(); ++j) {
    const MeanColumn& column = question.columns[j];
    const MeansPart& part = setup.plan.part_of(j);
    MeanColumnReport row;
    row.name = column.name;
    row.method = part.method;
    row.reason = part.reason;
    row.bounds = {column.lower, column.upper};
    row.stddev = column.stddev;
    const ColumnSchema& read = setup.schema.column(column.name);
    if (read.missing == MissingPolicy::kFill) row.fill = read.fill;
    if (column.has_gaps)
      row.mean_of =
          row.fill ? "those who have a value or a missing cell" : "those who have a value";
    row.by_weight = setup.record_weights.has_value();
    const bool is_by_size = !row.by_weight && setup.weights.values.empty();
    row.weights = column.has_gaps && is_by_size ? "numbers of values" : report.weights;
    row.rounding = rounding_of(setup.schema, read);
    row.interval_of =
        meaning_of(find_mean_estimator(part.method).make()->clip_kind(question.config));
    row.has_overall_sum = part.overall.has_value();
    // The number of rows of units is private.
    row.unstratified_noise = setup.schema.has_unit_column()
                                 ? std::nan("")
                                 : setup.plan.predicted_noise(j, total) *
                                       (part.overall ? std::sqrt(1 - question.overall_share) : 1);
    row.stratified_noise = question.predicted_sizes().empty()
                               ? std::nan("")
                               : predicted_overall_noise(setup.plan, j, setup.weights.values);
    report.columns.push_back(row);
  }
}

/// Names columns whose schema, and not the command, has missing cells averaged in; "": none.
/// Public.
std::string filled_warning(const MeansSetup& setup) {
  std::vector<std::string> filled;
  for (const MeanColumn& column : setup.plan.question.columns) {
    const ColumnSchema& read = setup.schema.column(column.name);
    if (read.missing == MissingPolicy::kFill && !read.may_be_missing)
      filled.push_back(fmt::format("{} as {}", read.name, read.text_of(read.fill)));
  }
  if (filled.empty()) return "";
  return fmt::format(
      "missing cells are averaged in, {}, because the schema says missing = \"fill\"; this brings "
      "means of groups closer together, and missing = \"allowed\" leaves these cells out",
      fmt::join(filled, ", "));
}

/// The rows of a plan: what each stratum has to expect.
void add_rows(const MeansSetup& setup, const MeansRequest& request, MeansReport& report) {
  const MeansQuestion& question = setup.plan.question;
  std::optional<Guarantee> privacy;
  for (size_t k = 0; k < setup.names.size(); ++k) {
    // Most strata draw the same events.
    if (k == 0 ||
        (!setup.schema.has_unit_column() && setup.plan.events[k] != setup.plan.events[k - 1]))
      privacy = setup.guarantee(setup.events_of_stratum(k), request.delta);
    for (size_t j = 0; j < question.columns.size(); ++j) {
      StratumMeanReport row;
      row.stratum = setup.grouping.groups[k];
      row.column = question.columns[j].name;
      row.interval_of = report.columns[j].interval_of;
      row.privacy = privacy;
      if (!question.private_sizes) {
        row.num_records = question.sizes[k];
        row.is_empty = question.sizes[k] == 0;
        if (row.is_empty) row.note = "empty stratum: nothing is released, and there is no mean";
      }
      if (const std::vector<double>& sizes = question.predicted_sizes();
          !sizes.empty() && sizes[k] > 0) {
        const double noise = setup.plan.predicted_noise(j, sizes[k]);
        if (std::isfinite(noise)) row.predicted_noise = noise;
      }
      report.rows.push_back(std::move(row));
    }
  }
}

/// The columns from whose values figures follow: those of strata and weights, with the columns that
/// are estimated together.
ColumnSets columns_looked_at(const MeansSetup& setup, const MeansRequest& request) {
  std::vector<std::string> shared = columns_behind(setup.schema, request.by);
  if (setup.record_weights) shared.push_back(setup.record_weights->column);
  ColumnSets sets;
  for (const MeansPart& part : setup.plan.parts) {
    sets.push_back(shared);
    for (const size_t column : part.columns) sets.back().push_back(request.columns[column]);
  }
  return sets;
}

/// The purpose as the ledger has it.
std::string purpose_of(const MeansRequest& request) {
  return fmt::format("means of {}{}{}", fmt::join(request.columns, ", "),
                     request.by.empty() ? "" : fmt::format(" by {}", fmt::join(request.by, ", ")),
                     request.weight_column.empty() ? "" : ", weighted by " + request.weight_column);
}

/// Within which the mean of clipped numbers is, whatever they are. The table's numbers are within
/// the bounds of the schema, which may be wider than those that are asked for, and a clip moves
/// them towards its middle, which is what a record without a number counts as: in a ball of several
/// columns that may lie beyond the bounds of one of them. Public, or released with the figure.
Interval range_of_mean(const Interval& clip, const ColumnSchema& read) {
  const double middle = clip.low + (clip.high - clip.low) / 2;
  return {std::max(clip.low, std::min(read.lower, middle)),
          std::min(clip.high, std::max(read.upper, middle))};
}

/// Cut to where the mean can be, but around the mean as told: of an interval beyond it the nearest
/// end is left.
Interval interval_around(double mean, double half_width, double told, const Interval& range) {
  return {std::min(std::clamp(mean - half_width, range.low, range.high), told),
          std::max(std::clamp(mean + half_width, range.low, range.high), told)};
}

std::optional<Interval> population_interval(double mean, const std::optional<double>& half_width,
                                            double told, const Interval& range) {
  if (!half_width) return std::nullopt;
  return interval_around(mean, *half_width, told, range);
}

/// The most that the rounding of numbers moves the mean of clipped ones. Numbers that are clipped
/// one by one lie no farther apart than before; records that are moved into a ball neither, in its
/// length, but there all columns have a part in it.
double rounding_of_mean(const MeansSetup& setup, const MeansReport& report, size_t j) {
  const MeanColumnReport& column = report.columns[j];
  if (column.interval_of != kMeanWithinReleasedBall)
    return column.rounding ? column.rounding->most : 0;
  double length = 0;
  for (const size_t i : setup.plan.part_of(j).columns) {
    const MeanColumnReport& other = report.columns[i];
    if (other.rounding) length = std::hypot(length, other.rounding->most / *other.stddev);
  }
  return length == 0 ? 0 : next_up(next_up(length) * *column.stddev);
}

void add_figures(const MeansSetup& setup, const MeansRelease& release, size_t j, bool shrink,
                 MeansReport& report) {
  const MeanColumn& column = setup.plan.question.columns[j];
  const ColumnSchema& read = setup.schema.column(column.name);
  const ColumnSummary summary = summarise_column(setup.plan, release, j, setup.weights.values,
                                                 {shrink, category_levels(setup.grouping.groups)});
  report.is_shrunk = report.is_shrunk || summary.is_shrunk;
  // Rows of one unit are not drawn independently of each other.
  const bool has_units = setup.schema.has_unit_column();
  const double rounding = rounding_of_mean(setup, report, j);
  const auto rounded = [&](std::optional<double> half_width) {
    if (half_width) *half_width += rounding;
    return half_width;
  };
  Interval hull = {column.upper, column.lower};
  std::optional<double> num_values;
  const auto weight_of = [&](double size, double noise) {
    const double largest = setup.record_weights->largest;
    return NoisyWeight{size * largest, noise * largest};
  };
  for (size_t k = 0; k < setup.names.size(); ++k) {
    StratumMeanReport& row = report.rows[k * release.num_columns + j];
    const MeanEstimate& estimate = release.at(k, j);
    row.num_records = release.sizes[k];
    if (setup.plan.size_noise) {
      const double half_width = setup.plan.size_half_width();
      row.num_records_interval = {std::max(release.sizes[k] - half_width, 0.0),
                                  release.sizes[k] + half_width};
    }
    const Interval clip = {estimate.clip_lower, estimate.clip_upper};
    const Interval range = range_of_mean(clip, read);
    hull = {std::min(hull.low, range.low), std::max(hull.high, range.high)};
    if (row.is_empty) continue;
    row.clipped_fraction = estimate.clipped_fraction;
    if (!estimate.has_figure()) {
      row.note =
          "there is no figure, because noise hides the sum of weights or that is below the largest "
          "weight; a lower upper bound of weights in the schema leaves less noise";
      continue;
    }
    row.clip = clip;
    row.raw_mean = std::clamp(estimate.mean, column.lower, column.upper);
    row.mean = summary.strata[k];
    row.noise_stddev = estimate.noise_stddev;
    row.interval = interval_around(estimate.mean, estimate.half_width + rounding, row.mean, range);
    if (!has_units)
      row.population =
          population_interval(estimate.mean, rounded(summary.populations[k]), row.mean, range);
    if (setup.record_weights) {
      row.weight = weight_of(estimate.size, estimate.size_noise);
    } else if (column.has_gaps) {
      row.num_values = std::max(estimate.size, 0.0);
      // No stratum has more values than records, whose number is public.
      if (!report.has_private_sizes) row.num_values = std::min(*row.num_values, release.sizes[k]);
      num_values = num_values.value_or(0) + *row.num_values;
    }
    if (!std::isfinite(estimate.half_width)) {
      row.note =
          fmt::format("the noisy {} may consist of noise alone: the figure means nothing by itself",
                      column.has_gaps ? "number of values" : "size");
    } else if (2 * estimate.half_width > range.high - range.low) {
      row.note = "the noise is wider than the bounds: the figure means little by itself";
    }
  }
  const NoisyMean& overall = summary.overall;
  OverallMeanReport& row = report.overall.emplace_back();
  row.column = column.name;
  row.interval_of = report.columns[j].interval_of;
  row.num_values = num_values;
  if (setup.record_weights && !std::isfinite(overall.half_width)) return;
  row.mean = overall.mean;
  row.noise_stddev = overall.noise_stddev;
  row.interval = interval_around(overall.mean, overall.half_width + rounding, overall.mean, hull);
  if (!has_units)
    row.population =
        population_interval(overall.mean, rounded(summary.overall_population), overall.mean, hull);
  if (setup.record_weights && overall.size)
    row.weight = weight_of(*overall.size, overall.size_noise);
}

/// Draws what the charge pays for and adds the figures.
MeansRelease release_figures(const MeansRequest& request, const MeansSetup& setup,
                             const MeanRecords& columns, PaidRun& run, MeansReport& report) {
  std::vector<Charge> charges = charges_of(std::move(run.charge), setup);
  MeansRelease release =
      release_means(setup.plan, columns.records, charges, *run.source, request.threads);
  for (size_t j = 0; j < release.num_columns; ++j)
    add_figures(setup, release, j, request.shrink, report);
  return release;
}

}  // namespace

MeansReport begin_means_report(const MeansSetup& setup, const MeansRequest& request) {
  const MeansQuestion& question = setup.plan.question;
  MeansReport report;
  static_cast<ReleaseReport&>(report) = begin_release(setup, request);
  report.weights = setup.origin_of_weights();
  report.record_weights = setup.record_weights;
  report.held_out = setup.weights.held_out;
  add_columns(setup, report);
  add_rows(setup, request, report);
  if (std::string warning = filled_warning(setup); !warning.empty())
    report.warnings.push_back(std::move(warning));
  const std::vector<double>& weights = setup.weights.values;
  for (size_t k = 0; k < weights.size() && !question.private_sizes; ++k) {
    if (weights[k] == 0 || question.sizes[k] > 0) continue;
    report.warnings.push_back(
        fmt::format("stratum {} is empty but has a weight; it counts in the overall mean as the "
                    "middle of the bounds, and the interval allows for any mean between them",
                    setup.names[k]));
  }
  return report;
}

MeansReport plan_means_task(const MeansRequest& request) {
  const MeansSetup setup = set_up_means(request, false);
  MeansReport report = begin_means_report(setup, request);
  add_planned_cost(setup, request, purpose_of(request), report);
  return report;
}

MeansReport release_means_task(const MeansRequest& request, TaskProgress& progress) {
  MeansSetup setup = set_up_means(request, true);
  require_not_input(request.out_path, {request.data, {}});
  const Purchase purchase = purchase_of(setup, request, purpose_of(request));
  MeansReport report = begin_means_report(setup, request);
  if (const std::string warning = filled_warning(setup); !warning.empty())
    progress.stage("warning: " + warning);
  if (setup.ledger) {
    report.ledger = ask_ledger(*setup.ledger, purchase, report.owner_warnings).accepted();
  }
  const Dataset dataset =
      read_table_files({request.data, {}}, setup.schema, TableUse::kDescribed, progress,
                       CountedRows::kKept, columns_looked_at(setup, request));
  const MeanRecords columns = read_mean_records(dataset, setup, request);
  progress.hold_interruptions();
  ReleaseOutput output(request, "means", report.rows.size());
  PaidRun run = pay_for_release(setup, request, purchase, report, progress);
  const auto start = std::chrono::steady_clock::now();
  const MeansRelease release = release_figures(request, setup, columns, run, report);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (request.explain) {
    report.explanation = explain_means(setup, release, dataset, columns, report);
    report.explanation->seconds = seconds.count();
  }
  write_means(report, output);
  return report;
}

MeansReport release_unpaid_means(const MeansRequest& request, const MeansSetup& setup,
                                 const MeanRecords& records) {
  MeansReport report = begin_means_report(setup, request);
  PaidRun run =
      unpaid_run(request.insecure_seed.value(), report.events, setup.plan.question.config.relation);
  static_cast<void>(release_figures(request, setup, records, run, report));
  return report;
}

}  // namespace equinoise

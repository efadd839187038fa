#include "equinoise/tasks/means.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "equinoise/base/error.h"
#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/means/predicted_widths.h"
#include "equinoise/means/summary.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/means_json.h"
#include "equinoise/tasks/means_explanation.h"
#include "equinoise/tasks/means_setup.h"
#include "equinoise/tasks/output_file.h"
#include "equinoise/tasks/table_files.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "tasks.means";

void add_columns(const MeansSetup& setup, MeansReport& report) {
  const MeansQuestion& question = setup.plan.question;
  const double total = static_cast<double>(setup.schema.num_records);
  for (size_t j = 0; j < question.columns.size(); ++j) {
    const MeanColumn& column = question.columns[j];
    const MeansPart& part = setup.plan.part_of(j);
    MeanColumnReport row{column.name,
                         part.method,
                         part.reason,
                         column.lower,
                         column.upper,
                         column.stddev,
                         part.overall.has_value(),
                         0,
                         0};
    row.unstratified_noise = setup.plan.predicted_noise(j, total) *
                             (part.overall ? std::sqrt(1 - question.overall_share) : 1);
    row.stratified_noise = question.private_sizes
                               ? std::nan("")
                               : predicted_overall_noise(setup.plan, j, setup.weights.values);
    report.columns.push_back(row);
  }
}

/// The rows of a plan: what each stratum has to expect.
void add_rows(const MeansSetup& setup, const MeansRequest& request, MeansReport& report) {
  const MeansQuestion& question = setup.plan.question;
  std::optional<Guarantee> privacy;
  for (size_t k = 0; k < setup.names.size(); ++k) {
    // Most strata draw the same events.
    if (k == 0 || setup.plan.events[k] != setup.plan.events[k - 1])
      privacy = setup.guarantee(setup.plan.events[k], request.delta);
    for (size_t j = 0; j < question.columns.size(); ++j) {
      StratumMeanReport row;
      row.stratum = setup.grouping.groups[k];
      row.column = question.columns[j].name;
      row.privacy = privacy;
      if (!question.private_sizes) {
        row.num_records = question.sizes[k];
        if (question.sizes[k] > 0) {
          const double noise = setup.plan.predicted_noise(j, question.sizes[k]);
          if (std::isfinite(noise)) row.predicted_noise = noise;
        } else {
          row.note = "empty: nothing is asked";
        }
      }
      report.rows.push_back(std::move(row));
    }
  }
}

void add_ledger_statement(const MeansSetup& setup, const MeansRequest& request,
                          MeansReport& report) {
  const std::string& dataset = setup.schema.dataset;
  const LedgerAccount account = setup.ledger->account(dataset);
  report.ledger = {
      request.ledger_path, dataset, account.budget, account.spent,
      setup.ledger->spent_with(dataset, setup.events(), setup.plan.question.config.relation)};
  if (account.budget.delta.value() != request.delta) {
    report.warnings.push_back(
        fmt::format("the ledger keeps its account at delta {}, this release is told at delta {}: "
                    "its epsilon there is another one",
                    account.budget.delta.value(), request.delta));
  }
}

MeansReport begin_report(const MeansSetup& setup, const MeansRequest& request) {
  const MeansQuestion& question = setup.plan.question;
  MeansReport report;
  report.version = EQUINOISE_VERSION;
  report.dataset = setup.schema.dataset;
  report.status = setup.status();
  report.strata = setup.grouping.columns;
  report.rho = question.rho;
  report.events = setup.events();
  report.privacy = setup.guarantee(report.events, request.delta);
  report.has_private_sizes = question.private_sizes;
  report.weights = setup.origin_of_weights();
  report.held_out = setup.weights.held_out;
  report.command = request.command;
  add_columns(setup, report);
  add_rows(setup, request, report);
  if (!(request.delta < 1 / static_cast<double>(setup.schema.num_records))) {
    report.warnings.push_back(
        fmt::format("delta {:g} is not below 1 / num_records = {:.3g}: the guarantee would allow "
                    "publishing a whole record",
                    request.delta, 1 / static_cast<double>(setup.schema.num_records)));
  }
  return report;
}

MeanRecords read_columns(const Dataset& dataset, const MeansSetup& setup,
                         const MeansRequest& request) {
  MeanRecords columns;
  const auto num_strata = static_cast<uint32_t>(setup.names.size());
  columns.strata.assign(static_cast<size_t>(dataset.num_records), 0);
  if (!request.by.empty()) {
    const Grouping grouping = group_by(dataset, setup.schema, request.by, request.group_floor);
    for (size_t i = 0; i < columns.strata.size(); ++i)
      columns.strata[i] = index_of(grouping.group_of[i]);
  }
  const std::vector<double>& sizes = setup.plan.question.sizes;
  for (size_t i = 0; i < columns.strata.size(); ++i) {
    const uint32_t k = columns.strata[i];
    if (dataset.contributes[i] == 0 || (!sizes.empty() && sizes[k] == 0))
      columns.strata[i] = num_strata;
  }
  columns.records.num_records = columns.strata.size();
  columns.records.num_strata = num_strata;
  columns.records.strata = columns.strata;
  for (const std::string& name : request.columns)
    columns.records.columns.emplace_back(dataset.find_numeric(name)->values);
  return columns;
}

/// Besides the noise it allows for the rounding of a figure of the bounds' size to double, and of
/// the ends of its clip: half of the last place each.
MeanInterval interval_around(double mean, double half_width, const MeanColumn& column) {
  const double rounding = 0x1p-52 * std::max(std::fabs(column.lower), std::fabs(column.upper));
  return {std::clamp(mean - half_width - rounding, column.lower, column.upper),
          std::clamp(mean + half_width + rounding, column.lower, column.upper)};
}

/// With the choice of `size` records besides, each of variance stddev^2.
std::optional<MeanInterval> population_interval(double mean, double half_width, double variance,
                                                const MeanColumn& column) {
  if (!column.stddev) return std::nullopt;
  return interval_around(
      mean, std::hypot(half_width, kNormalQuantile * *column.stddev * std::sqrt(variance)), column);
}

void add_figures(const MeansSetup& setup, const MeansRelease& release, size_t j, bool shrink,
                 MeansReport& report) {
  const MeanColumn& column = setup.plan.question.columns[j];
  const ColumnSummary summary = summarise_column(setup.plan, release, j, setup.weights.values,
                                                 {shrink, category_levels(setup.grouping.groups)});
  report.is_shrunk = report.is_shrunk || summary.is_shrunk;
  for (size_t k = 0; k < setup.names.size(); ++k) {
    StratumMeanReport& row = report.rows[k * release.num_columns + j];
    const MeanEstimate& estimate = release.at(k, j);
    row.num_records = release.sizes[k];
    row.raw_mean = std::clamp(estimate.mean, column.lower, column.upper);
    row.mean = summary.strata[k];
    row.noise_stddev = estimate.noise_stddev;
    row.interval = interval_around(estimate.mean, estimate.half_width, column);
    row.interval.lower = std::min(row.interval.lower, row.mean);
    row.interval.upper = std::max(row.interval.upper, row.mean);
    row.clipped_fraction = estimate.clipped_fraction;
    if (release.sizes[k] == 0) continue;
    row.population =
        population_interval(estimate.mean, estimate.half_width, 1 / release.sizes[k], column);
    if (row.population) {
      row.population->lower = std::min(row.population->lower, row.mean);
      row.population->upper = std::max(row.population->upper, row.mean);
    }
    if (!std::isfinite(estimate.half_width))
      row.note = "the noisy size may be all noise: the figure says nothing by itself";
    else if (2 * estimate.half_width > column.upper - column.lower)
      row.note = "the noise is wider than the bounds: the figure says little by itself";
  }
  const NoisyMean& overall = summary.overall;
  report.overall.push_back({column.name, overall.mean, overall.noise_stddev,
                            interval_around(overall.mean, overall.half_width, column),
                            population_interval(overall.mean, overall.half_width,
                                                summary.sum_of_squared_weights_by_size, column)});
}

std::vector<Charge> charges_of(Charge charge, const MeansSetup& setup) {
  if (!setup.grouping.partition.empty()) return charge.take_groups();
  std::vector<Charge> charges;
  charges.push_back(std::move(charge));
  return charges;
}

}  // namespace

MeansReport plan_means_task(const MeansRequest& request) {
  const MeansSetup setup = set_up_means(request, false);
  MeansReport report = begin_report(setup, request);
  if (setup.ledger) {
    add_ledger_statement(setup, request, report);
    try {
      setup.ledger->require_affordable(report.dataset, report.events,
                                       setup.plan.question.config.relation, request.ledger_key);
    } catch (const Error& refusal) {
      report.warnings.push_back(
          fmt::format("the ledger will refuse this release: {}", refusal.what()));
    }
  } else if (setup.is_private) {
    report.warnings.push_back(fmt::format(
        "there is no ledger {} yet; create one with: equinoise ledger init --ledger {} --dataset "
        "{} --epsilon E --delta D --relation {}",
        request.ledger_path, request.ledger_path, report.dataset,
        to_string(setup.plan.question.config.relation)));
  }
  return report;
}

MeansReport release_means_task(const MeansRequest& request, TaskProgress& progress) {
  MeansSetup setup = set_up_means(request, true);
  const Relation relation = setup.plan.question.config.relation;
  MeansReport report = begin_report(setup, request);
  if (setup.ledger) {
    add_ledger_statement(setup, request, report);
    setup.ledger->require_affordable(report.dataset, report.events, relation, request.ledger_key);
  }
  const Dataset dataset =
      read_table_files({request.data_path, {}}, setup.schema, TableUse::kDescribed, progress);
  const MeanRecords columns = read_columns(dataset, setup, request);
  progress.hold_interruptions();
  std::unique_ptr<OutputFile> out;
  if (!request.out_path.empty()) {
    out = std::make_unique<OutputFile>(request.out_path, request.force);
    out->reserve(static_cast<int64_t>(report.rows.size() * 4096 + 65536));
  }
  std::unique_ptr<RandomSource> source = std::make_unique<SecureSource>();
  std::optional<Charge> charge;
  if (request.insecure_seed) {
    auto seeded = std::make_unique<SeededSource>(*request.insecure_seed);
    charge = Charge::unpaid(report.events, relation, *seeded);
    source = std::move(seeded);
  } else {
    progress.stage(fmt::format("reserving epsilon {} at delta {} in {}",
                               format_epsilon(report.privacy->epsilon),
                               report.privacy->delta.value(), request.ledger_path));
    if (progress.interrupted()) {
      throw Error(ErrorKind::kRuntime, kWhere,
                  "interrupted: nothing was written and nothing was spent");
    }
    Reservation reservation = setup.ledger->reserve(
        report.dataset, report.events, relation,
        fmt::format("means of {}{}", fmt::join(request.columns, ", "),
                    request.by.empty() ? "" : fmt::format(" by {}", fmt::join(request.by, ", "))),
        false, request.ledger_key);
    charge = std::move(reservation.charge);
    report.ledger->spent_after = reservation.spent;
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<Charge> charges = charges_of(std::move(*charge), setup);
  const MeansRelease release =
      release_means(setup.plan, columns.records, charges, *source, request.threads);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (size_t j = 0; j < release.num_columns; ++j) {
    add_figures(setup, release, j, request.shrink, report);
  }
  if (out) {
    report.files.push_back(request.out_path.string());
    out->write(to_text(means_to_json(report)));
    out->commit();
  }
  if (request.explain) report.explanation = explain_means(setup, release, dataset, columns, report);
  return report;
}

}  // namespace equinoise

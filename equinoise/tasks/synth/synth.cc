// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/unit_events.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/synth/rows_card.h"
#include "equinoise/synth/make_models.h"
#include "equinoise/synth/synth_progress.h"
#include "equinoise/synth/synth_records.h"
#include "equinoise/synth/synth_setup.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/paid_run.h"
#include "equinoise/tasks/input/run_file.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/synth/synth_schema.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth";
constexpr int64_t kMaxDistributionBytes =
    200'000;  // two numbers of 25 characters for each of its cells

std::string row_file_name(RowFormat format) {
  return format == RowFormat::kCsv ? "rows.csv" : "rows.parquet";
}

/// Refers to the request.
Purchase purchase_of(const SynthSetup& setup, const SynthRequest& request) {
  return {setup.schema.dataset,
          ProtectedUnit::of(setup.schema),
          setup.events,
          setup.relation,
          Delta(request.delta),
          fmt::format("synthetic rows by {}", setup.row->name),
          request.ledger_path,
          request.ledger_key,
          AskedEpsilon{request.epsilon, [&request](double epsilon) {
                         SynthRequest other = request;
                         other.epsilon = epsilon;
                         return set_up_synth(other, synth_schema(other)).events;
                       }}};
}

/// Adds the rounds of all models, with what a unit pays for them.
void add_rounds(const SynthSetup& setup, const std::vector<std::vector<SynthRound>>& rounds,
                SynthReport& report) {
  for (size_t m = 0; m < rounds.size(); ++m) {
    const SynthPlan& plan = setup.shared ? setup.shared->plan : setup.strata[m].plan;
    for (const SynthRound& round : rounds[m]) {
      report.rounds.push_back({plan.stratum, names_of(plan.facts.domain, round.chosen), round});
      report.rounds.back().round.rho_spent *= rho_factor(setup.schema.max_records_per_unit);
    }
  }
}

/// The choice that gives groups their declared shares of rows; "": none is known to.
std::string how_to_keep_sizes(const RowsCard& card, const SynthSetup& setup,
                              const SynthRequest& request) {
  const std::vector<std::string> strata = strata_for(*card.far_off, setup.schema, request.stratify);
  if (strata.empty() || request.strata == StrataForm::kIndependent) return "";
  return fmt::format(
      "{}--stratify {} gives each group by {} its declared share of rows, in a new run that is "
      "paid for; what rows of small groups say may still be noise",
      setup.row->is_graphical ? "" : "--method swift ", fmt::join(strata, ","),
      fmt::join(strata, ", "));
}

}  // namespace

SynthReport begin_synth_report(const SynthSetup& setup, const SynthRequest& request) {
  SynthReport report;
  report.version = EQUINOISE_VERSION;
  report.dataset = setup.schema.dataset;
  report.method = setup.row->name;
  report.status = request.insecure_seed    ? PrivacyStatus::kInsecureRng
                  : !setup.schema.reviewed ? PrivacyStatus::kNotPrivate
                                           : PrivacyStatus::kPrivate;
  report.privacy = setup.privacy;
  if (report.status == PrivacyStatus::kPrivate)
    report.protection = Protection{setup.relation,
                                   ProtectedUnit::of(setup.schema),
                                   {},
                                   attack_bounds(setup.relation, setup.events)};
  report.rho = setup.rho;
  report.events = setup.events;
  report.warnings = setup.warnings;
  report.command = request.command;
  std::vector<Event> paid;  // by the stratum before, as most of them pay alike
  std::optional<Guarantee> privacy;
  for (const PlannedStratum& stratum : setup.strata) {
    report.min_megabytes = std::max(report.min_megabytes, stratum.plan.min_megabytes);
    report.most_megabytes = std::max(report.most_megabytes, stratum.plan.most_megabytes);
    if (!setup.grouping) continue;
    SynthStratumReport& told = report.strata.emplace_back();
    told.group = stratum.label;
    told.public_size = stratum.public_size;
    told.num_columns = stratum.columns.size();
    std::vector<Event> events =
        events_of_group(setup.events, setup.grouping->partition, group_name(stratum.label));
    if (!privacy || events != paid) {
      privacy = smallest_guarantee(setup.relation, events, Delta(request.delta));
      paid = std::move(events);
    }
    told.privacy = privacy;
    if (setup.shared) told.num_measured = stratum.num_measured();
    if (stratum.public_size.value_or(0) > 0) told.noise_error = stratum.noise_error;
  }
  if (setup.shared) {
    report.min_megabytes = setup.shared->plan.min_megabytes;
    report.most_megabytes = setup.shared->plan.most_megabytes;
    report.settings = setup.shared->plan.settings;
  }
  for (const auto& setting : setup.strata[0].plan.settings) {
    const bool is_common = std::ranges::all_of(setup.strata, [&](const PlannedStratum& stratum) {
      const auto& settings = stratum.plan.settings;
      return contains(settings, setting);
    });
    if (is_common) report.settings.push_back(setting);
  }
  for (size_t s = 0; s < report.strata.size(); ++s) {
    for (const auto& setting : setup.strata[s].plan.settings) {
      const auto& common = report.settings;
      if (!contains(common, setting)) report.strata[s].settings.push_back(setting);
    }
  }
  if (!setup.distributions.empty()) {
    double max_noise = 0;
    for (const PlannedDistribution& distribution : setup.distributions)
      max_noise = std::max(max_noise, distribution.plan.noise_stddev);
    report.settings.emplace_back("number_share", setup.number_share);
    report.settings.emplace_back("number_noise_stddev", max_noise);
  }
  if (!setup.schema.reviewed) {
    report.warnings.emplace_back(
        "the schema was drafted from the data and accepted as public: its bounds and categories "
        "are not protected");
  }
  return report;
}

SynthReport plan_synth(const SynthRequest& request) {
  const SynthSetup setup = set_up_synth(request, synth_schema(request));
  SynthReport report = begin_synth_report(setup, request);
  report.num_rows = setup.known_rows(request).value_or(0);
  if (request.insecure_seed) return report;
  report.ledger = planned_account(existing_ledger(request.ledger_path), purchase_of(setup, request),
                                  report.warnings);
  return report;
}

SynthReport synthesize(const SynthRequest& request, TaskProgress& progress) {
  SynthSetup setup = set_up_synth(request, synth_schema(request));
  SynthReport report = begin_synth_report(setup, request);
  for (const std::string& warning : report.warnings) progress.stage("warning: " + warning);
  progress.stage(fmt::format("a model takes {} MB at first and at most {} MB",
                             format_amount(report.min_megabytes),
                             format_amount(report.most_megabytes)));
  const Purchase purchase = purchase_of(setup, request);
  std::optional<Ledger> ledger;
  if (!request.insecure_seed) {
    ledger.emplace(request.ledger_path, setup.schema.dataset, purchase.neighbours());
    report.ledger = ask_ledger(*ledger, purchase, report.owner_warnings).accepted();
  }

  SynthRecords records(request.data, request, setup, progress);
  const Dataset& dataset = records.facts();
  warn_of_misfits(dataset, setup.table_use(), progress);
  // The fact that rows were counted is public, as are the schema's rules.
  if (dataset.num_counted_units && !setup.kept_gaps.empty()) {
    report.warnings.push_back(fmt::format(
        "{}: missing cells of {} were filled before rows were counted (missing = \"fill\"), so "
        "that what fills them counts as observed; give a file of all records, of which synth keeps "
        "gaps",
        request.data.name(), fmt::join(setup.kept_gaps, ", ")));
    progress.stage("warning: " + report.warnings.back());
  }
  report.ingest_notes = ingest_notes(dataset);
  if (const std::optional<std::string> dropped = dropped_records(dataset)) {
    report.ingest_notes.back() = fmt::format(
        "{}, so rows speak only of the others: missing = \"allowed\" and unknown = \"other\" keep "
        "such records",
        *dropped);
    constexpr int64_t kMany = 100;
    if (kMany * dataset.num_dropped >= dataset.total_records())
      progress.stage("warning, not private: " + report.ingest_notes.back());
  }
  for (std::string& sentence : records.point_masses()) {
    progress.stage("warning, not private: " + sentence);
    report.ingest_notes.push_back(std::move(sentence));
  }
  progress.hold_interruptions();
  // The models at their largest with the counts that they were fitted to, and the rows where their
  // number is known before.
  const double model_bytes =
      std::min(1e9, report.most_megabytes * 0x1p20 * 4) * static_cast<double>(setup.strata.size());
  const std::string rows_name = row_file_name(request.format);
  const std::vector<std::string> names = {rows_name,        "model.json",  "rows_card.md",
                                          "rows_card.json", "report.json", "report.html",
                                          kRunFileName};
  OutputFolder folder(request.out_path, request.force, names,
                      static_cast<int64_t>(model_bytes) +
                          kMaxDistributionBytes * static_cast<int64_t>(setup.distributions.size()) +
                          max_csv_bytes(setup.columns, setup.known_rows(request).value_or(0)) +
                          1'000'000);

  PaidRun run = request.insecure_seed
                    ? unpaid_run(*request.insecure_seed, setup.events, setup.relation)
                    : pay_for_run(*ledger, purchase, setup.privacy.epsilon, {}, progress);
  add_payment(run, report.ledger);
  RandomSource& source = *run.source;
  const auto start = std::chrono::steady_clock::now();
  const MadeModels made =
      make_models(request, report.status, records, setup, std::move(run.charge), source, progress);
  const SynthFile& file = made.file;
  add_rounds(setup, made.rounds, report);
  for (const std::string& name : names) report.files.push_back(folder.final_path(name));
  folder.write("model.json", to_json(file).dump() + "\n");
  const RowsCard card = rows_card(file, {file.num_rows, request.draw}, report.ledger);
  if (!card.apart_from_target.empty()) report.warnings.push_back(card.apart_from_target);
  if (!card.far_off_in_words.empty()) {
    report.warnings.push_back(card.far_off_in_words);
    if (std::string choice = how_to_keep_sizes(card, setup, request); !choice.empty())
      report.owner_warnings.push_back(std::move(choice));
  }
  folder.write("rows_card.md", to_card(rows_document(card)));
  folder.write("rows_card.json", to_text(to_json(card)));
  progress.stage(fmt::format("drawing {} rows", format_count(file.num_rows)));
  const FileWriter rows_file = folder.open(rows_name);
  const std::unique_ptr<RowStream> rows =
      draw_rows(file, file.num_rows, request.draw, {}, source, progress);
  write_rows(
      *rows, file.num_rows, file.columns, request.format, source,
      [&](std::string_view piece) { rows_file.write(piece); }, progress);
  rows_file.sync();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  report.num_rows = file.num_rows;
  report.model_megabytes = file.megabytes();
  for (size_t s = 0; s < report.strata.size(); ++s) report.strata[s].weight = file.strata[s].weight;
  folder.write("report.json", to_text(synth_to_json(report)));
  folder.write("report.html", to_page(synth_page(report, card)), Audience::kAnybody);
  std::vector<Setting> settled = {{"method", request.method}};
  for (Setting& setting : settings_of<SynthConfig>(setup.method->options(), request.config))
    settled.push_back(std::move(setting));
  folder.write(kRunFileName, run_file_text("synth", request.asked, settled));
  check_interrupted(progress);
  folder.commit();
  return report;
}

std::string synthesize_unpaid(const SynthRequest& request, SynthSetup setup, const Dataset& table,
                              TaskProgress& progress) {
  SynthRecords records(table, request, setup, progress);
  PaidRun run = unpaid_run(request.insecure_seed.value(), setup.events, setup.relation);
  const SynthFile file = make_models(request, PrivacyStatus::kInsecureRng, records, setup,
                                     std::move(run.charge), *run.source, progress)
                             .file;
  const std::unique_ptr<RowStream> rows =
      draw_rows(file, file.num_rows, request.draw, {}, *run.source, progress);
  std::string text;
  write_rows(
      *rows, file.num_rows, file.columns, request.format, *run.source,
      [&](std::string_view piece) { text += piece; }, progress);
  return text;
}

}  // namespace equinoise

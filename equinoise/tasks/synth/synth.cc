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
#include "equinoise/synth/stratum_models.h"
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

Purchase purchase_of(const SynthSetup& setup, const SynthRequest& request) {
  return {setup.schema.dataset, ProtectedUnit::of(setup.schema),
          setup.events,         setup.relation,
          Delta(request.delta), fmt::format("synthetic rows by {}", setup.row->name),
          request.ledger_path,  request.ledger_key};
}

/// Releases distributions, whose cells have `counts`, and cuts bins by them. `charges` are of the
/// strata, whose records are counted together.
void release_distributions(const std::vector<std::vector<int64_t>>& counts,
                           std::vector<Charge>& charges, RandomSource& source, SynthSetup& setup) {
  for (size_t l = 0; l < setup.distributions.size(); ++l) {
    const PlannedDistribution& planned = setup.distributions[l];
    ColumnCodes& column = setup.columns[planned.column];
    const ColumnSchema& described = setup.schema.column(column.name);
    // Their events follow whatever else a charge is for.
    column.distribution =
        release_distribution(planned.cells, described.point_masses, counts[l], planned.plan,
                             charges, setup.distributions.size() - l, setup.relation, source);
    column.edges.back() = column.distribution->knots.back();
    if (!planned.cuts) continue;
    // Edges that are public in any case stay, whatever was released.
    const std::vector<double> own = own_edges(setup.schema, described);
    const size_t num_own = with_edges({column.edges.front(), column.edges.back()}, own).size() - 2;
    const size_t num_others = column.num_bins() - num_own;
    if (!planned.is_asked && spreads_evenly(*column.distribution, column.edges, num_others))
      continue;
    column.edges = with_edges(even_shares(*column.distribution, num_others), own, column.whole,
                              column.num_bins());
  }
}

/// Adds the rounds of a stratum, with what a unit pays for them.
void add_rounds(const SynthSetup& setup, const PlannedStratum& stratum,
                const std::vector<SynthRound>& rounds, SynthReport& report) {
  for (const SynthRound& round : rounds) {
    report.rounds.push_back(
        {stratum.plan.stratum, names_of(stratum.plan.facts.domain, round.chosen), round});
    report.rounds.back().round.rho_spent *= rho_factor(setup.schema.max_records_per_unit);
  }
}

/// Shares of rows: what was asked for, public sizes, or the released totals. All of it is public or
/// released.
void set_weights(const SynthSetup& setup, const SynthRequest& request, SynthFile& file) {
  const bool are_sizes_public = std::ranges::all_of(
      setup.strata, [](const PlannedStratum& stratum) { return stratum.public_size.has_value(); });
  double sum = 0;
  for (size_t s = 0; s < setup.strata.size(); ++s) {
    double& weight = file.strata[s].weight;
    if (!request.stratum_weights.empty()) {
      weight = request.stratum_weights.at(group_name(setup.strata[s].label));
    } else if (are_sizes_public) {
      weight = static_cast<double>(*setup.strata[s].public_size);
    } else {
      weight = file.strata[s].model->total();
    }
    sum += weight;
  }
  for (SynthStratum& stratum : file.strata) stratum.weight /= sum;
}

/// What is public about the number of rows.
std::optional<int64_t> known_rows(const SynthSetup& setup, const SynthRequest& request) {
  if (request.num_rows) return request.num_rows;
  return setup.public_size();
}

/// What becomes of gaps, as rows show it; the schema's rule. Public.
std::string gaps_of(const ColumnSchema& column) {
  switch (column.missing) {
    case MissingPolicy::kDrop:
      return "dropped";
    case MissingPolicy::kCategory:
      return "kept";
    case MissingPolicy::kFill:
      return "filled";
    case MissingPolicy::kNone:
      return "none";
  }
  throw Error(ErrorKind::kRuntime, kWhere, "not a rule for missing cells");
}

/// What is public before a record is read.
ReleasedFacts public_facts(const SynthSetup& setup, const SynthRequest& request) {
  ReleasedFacts facts;
  facts.version = EQUINOISE_VERSION;
  facts.unit = setup.schema.unit;
  facts.unit_stated = setup.schema.unit_answer == UnitAnswer::kStated;
  facts.max_records_per_unit = setup.schema.max_records_per_unit;
  facts.rho = setup.rho;
  if (!request.insecure_seed) facts.attack = attack_bounds(setup.relation, setup.events);
  facts.num_records = setup.public_size();
  for (const ColumnSchema& column : setup.schema.columns) {
    if (column.type == ColumnType::kIgnored) {
      facts.ignored.push_back(column.name);
    } else {
      facts.gaps.push_back(gaps_of(column));
    }
  }
  facts.impossible = setup.impossible;
  facts.impossible_cells = setup.impossible_cells;
  for (const PlannedDistribution& distribution : setup.distributions)
    facts.distributions.push_back(
        {distribution.cells.name, distribution.plan.num_levels, distribution.plan.noise_stddev});
  const PlannedStratum& first = setup.shared ? *setup.shared : setup.strata[0];
  const WorkloadChoice& choice = request.config.workload_choice;
  if (setup.row->follows("degree") && (setup.shared || !setup.grouping)) {
    if (choice.file.empty()) {
      facts.goal.degree = setup.degree;
      facts.goal.target = choice.target;
    } else {
      for (const WeightedMarginal& marginal : first.plan.config.workload)
        facts.goal.listed.push_back(names_of(first.plan.facts.domain, marginal.attributes));
    }
  }
  facts.strata_share = setup.shared.has_value();
  if (!setup.grouping) return facts;
  for (const PlannedStratum& stratum : setup.strata) {
    ReleasedFacts::Stratum& told = facts.strata.emplace_back();
    told.public_size = stratum.public_size;
    told.measures = !setup.shared || !stratum.questions.empty();
    if (stratum.public_size.value_or(0) > 0) told.noise_error = stratum.noise_error;
  }
  return facts;
}

int64_t rows_to_draw(const SynthSetup& setup, const SynthRequest& request, const SynthFile& file) {
  if (const std::optional<int64_t> known = known_rows(setup, request)) return *known;
  double total = 0;
  for (const SynthStratum& stratum : file.strata) total += stratum.model->total();
  return static_cast<int64_t>(std::clamp(total, 1.0, static_cast<double>(kMaxRecords)));
}

/// The models that the run paid for; bins of the setup are cut by what they cost.
SynthFile fit_models(const SynthRequest& request, SynthRecords& records, SynthSetup& setup,
                     PaidRun& run, SynthReport& report, TaskProgress& progress) {
  RandomSource& source = *run.source;
  SynthFile file;
  file.dataset = report.dataset;
  file.method = report.method;
  file.status = report.status;
  file.privacy = setup.privacy;
  ReleasedFacts& facts = file.released.emplace(public_facts(setup, request));
  std::vector<Charge> charges;
  if (setup.shared) {
    charges.push_back(run.charge.take_part(0));
  } else if (setup.grouping) {
    charges = run.charge.take_groups();
  } else {
    charges.push_back(std::move(run.charge));
  }
  release_distributions(records.distribution_counts(), charges, source, setup);
  records.count_marginals();
  file.columns = setup.columns;
  if (setup.shared) {
    const SynthOutcome shared = setup.method->run(*records.of_everybody(), setup.shared->plan,
                                                  std::move(charges[0]), source, progress);
    add_rounds(setup, *setup.shared, shared.rounds, report);
    facts.everybody = measured_facts(setup.shared->plan.facts.domain, shared);
    SharedStrata strata = make_shared_strata(
        records, setup, *shared.model, run.charge.take_part(1).take_groups(), source, progress);
    file.strata = std::move(strata.strata);
    for (size_t s = 0; s < setup.strata.size(); ++s) {
      facts.strata[s].measured =
          measured_facts(setup.strata[s].plan.facts.domain, {{}, {}, strata.measured[s]});
    }
  }
  for (size_t s = 0; s < setup.strata.size() && !setup.shared; ++s) {
    const PlannedStratum& stratum = setup.strata[s];
    SynthOutcome outcome = setup.method->run(*records.of_stratum(s), stratum.plan,
                                             std::move(charges[s]), source, progress);
    add_rounds(setup, stratum, outcome.rounds, report);
    const Domain& domain = stratum.plan.facts.domain;
    (setup.grouping ? facts.strata[s].measured : facts.everybody) = measured_facts(domain, outcome);
    if (!setup.grouping) {
      for (const MarginalBound& bound : outcome.bounds)
        facts.bounds.push_back({names_of(domain, bound.attributes), bound.records});
    }
    file.strata.push_back(
        {stratum.label, stratum.columns, stratum.fixed, 1, std::move(outcome.model)});
  }
  set_weights(setup, request, file);
  file.num_rows = rows_to_draw(setup, request, file);
  return file;
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
  report.num_rows = known_rows(setup, request).value_or(0);
  if (request.insecure_seed) return report;
  std::error_code error;
  if (std::filesystem::status(request.ledger_path, error).type() ==
      std::filesystem::file_type::not_found) {
    report.warnings.push_back(no_ledger_warning(request.ledger_path, setup.schema.dataset,
                                                {setup.relation, setup.schema.unit}));
    return report;
  }
  const Ledger ledger(request.ledger_path);
  const Purchase purchase = purchase_of(setup, request);
  report.ledger = ask_ledger(ledger, purchase, report.warnings).planned(report.warnings);
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
    report.ledger = ask_ledger(*ledger, purchase, report.warnings).accepted();
  }

  std::optional<SynthRecords> records;
  read_interruptibly(request.data, progress,
                     [&] { records.emplace(request.data, request, setup, progress); });
  const Dataset& dataset = records->facts();
  warn_of_misfits(dataset, setup.table_use(), progress);
  // That rows were counted is public, as are the schema's rules.
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
  for (std::string& sentence : records->point_masses()) {
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
                          max_csv_bytes(setup.columns, known_rows(setup, request).value_or(0)) +
                          1'000'000);

  PaidRun run = request.insecure_seed
                    ? unpaid_run(*request.insecure_seed, setup.events, setup.relation)
                    : pay_for_run(kWhere, *ledger, purchase, setup.privacy.epsilon, {}, progress);
  if (run.spent) report.ledger->spent_after = *run.spent;
  RandomSource& source = *run.source;
  const auto start = std::chrono::steady_clock::now();
  const SynthFile file = fit_models(request, *records, setup, run, report, progress);
  for (const std::string& name : names) report.files.push_back(folder.final_path(name));
  if (ledger) report.files.push_back(request.ledger_path);
  folder.write("model.json", to_json(file).dump() + "\n");
  const RowsCard card = rows_card(file, {file.num_rows, request.draw});
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
  folder.write("report.json", to_text(synth_to_json(report)), Audience::kOwner);
  folder.write("report.html", to_page(synth_page(report, card)));
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
  SynthReport report = begin_synth_report(setup, request);
  SynthRecords records(table, request, setup, progress);
  PaidRun run = unpaid_run(request.insecure_seed.value(), setup.events, setup.relation);
  const SynthFile file = fit_models(request, records, setup, run, report, progress);
  const std::unique_ptr<RowStream> rows =
      draw_rows(file, file.num_rows, request.draw, {}, *run.source, progress);
  std::string text;
  write_rows(
      *rows, file.num_rows, file.columns, request.format, *run.source,
      [&](std::string_view piece) { text += piece; }, progress);
  return text;
}

}  // namespace equinoise

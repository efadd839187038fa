// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/group_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/files/output_file.h"
#include "equinoise/means/size_release.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/random/discrete_laplace.h"
#include "equinoise/tasks/input/paid_run.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.group_sizes";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// The choices that are settled before the table is read.
struct Setup {
  Schema schema;
  SizeQuestion question;
  std::vector<Event> events;
};

std::vector<Event> events_at(double epsilon) { return {Event::discrete_laplace(epsilon, 1)}; }

/// The schema with entries for these sizes; without its comments, which may hold anything, as those
/// of a draft do.
std::string with_sizes(const Setup& setup, const std::string& how, std::span<const int64_t> sizes) {
  const std::string& text = setup.schema.source_text;
  return fmt::format("{}{}\n# {}.\n{}", text, text.ends_with('\n') ? "" : "\n", how,
                     sizes_to_toml(setup.schema, setup.question, sizes).substr(1));
}

Setup set_up(const GroupSizesRequest& request) {
  const std::string name = request.schema.path.string();
  if (request.schema.path.extension() == ".json")
    refuse(name +
           ": sizes of groups are declared in a schema in TOML; write one "
           "(equinoise schema draft), since a domain.json cannot hold them");
  Setup setup;
  if (request.out_path.extension() == ".json")
    refuse(request.out_path.string() + ": a schema is written in TOML, give another --out");
  if (request.insecure_seed && !request.out_path.empty())
    refuse(
        "sizes with noise from a known seed must not become a schema, by which later runs "
        "would count as private; leave out --out, or --insecure-test-rng");
  require_not_input(request.out_path, request.table);
  setup.schema = load_schema(request.schema);
  require_reviewed(setup.schema, name);
  check_interval(kWhere, "epsilon", request.epsilon, kMinDiscreteLaplaceDecay,
                 kMaxDiscreteLaplaceDecay);
  setup.question = ask_sizes(setup.schema, request.groups);
  setup.events = events_at(request.epsilon);
  // Whether the file can be continued is known now, not when the sizes have been paid for.
  const std::vector<int64_t> any(setup.question.grouping.groups.size(), 1);
  try {
    parse_schema(
        with_sizes(setup, "Sizes of an example", fit_sizes(setup.question, any, request.epsilon)),
        name);
  } catch (const Error& error) {
    refuse(
        "entries of [[public.groups]] cannot be added at the end of the schema; write "
        "[public] as a section, and the groups that it has as such entries: {}",
        error.what());
  }
  return setup;
}

Purchase purchase_of(const Setup& setup, const GroupSizesRequest& request, Delta delta) {
  return {setup.schema.dataset,
          ProtectedUnit::of(setup.schema),
          setup.events,
          Relation::kZeroOut,
          delta,
          fmt::format("sizes of groups by {}", fmt::join(request.groups, ", ")),
          request.ledger_path,
          request.ledger_key,
          AskedEpsilon{request.epsilon, events_at}};
}

GroupSizesReport begin_report(const Setup& setup, const GroupSizesRequest& request, Delta delta) {
  GroupSizesReport report;
  report.version = EQUINOISE_VERSION;
  report.dataset = setup.schema.dataset;
  report.counted = setup.schema.units_name();
  report.status = request.insecure_seed ? PrivacyStatus::kInsecureRng : PrivacyStatus::kPrivate;
  const Grouping& grouping = setup.question.grouping;
  for (size_t k = 0; k < grouping.groups.size(); ++k)
    report.rows.push_back(
        {grouping.groups[k], grouping.public_sizes[k], grouping.public_sizes[k].has_value()});
  const double q = std::exp(-request.epsilon);
  report.noise_stddev = std::sqrt(2 * q) / -std::expm1(-request.epsilon);
  const double average =
      static_cast<double>(setup.schema.num_records) / static_cast<double>(grouping.groups.size());
  if (10 * report.noise_stddev > average)
    report.warnings.push_back(fmt::format(
        "the noise's standard deviation is {:.2g} times the {:.3g} {} that a group has on "
        "average, so the sizes of small groups will say little; spend more, or group by fewer "
        "columns",
        report.noise_stddev / average, average, report.counted));
  if (request.insecure_seed) return report;
  report.privacy = smallest_guarantee(Relation::kZeroOut, setup.events, delta);
  report.attack = attack_bounds(Relation::kZeroOut, setup.events);
  report.in_words = explain(
      Protection{Relation::kZeroOut, ProtectedUnit::of(setup.schema), {}, report.attack, true});
  return report;
}

/// The delta at which costs of this dataset are reported.
Delta delta_of(const std::optional<Ledger>& ledger, const Setup& setup) {
  return ledger ? ledger->account(setup.schema.dataset).budget.delta : Delta(kDefaultDelta);
}

}  // namespace

GroupSizesReport plan_group_sizes(const GroupSizesRequest& request) {
  const Setup setup = set_up(request);
  const std::optional<Ledger> ledger = existing_ledger(request.ledger_path);
  const Delta delta = delta_of(ledger, setup);
  GroupSizesReport report = begin_report(setup, request, delta);
  report.is_plan = true;
  report.ledger = planned_account(ledger, purchase_of(setup, request, delta), report.warnings);
  return report;
}

GroupSizesReport release_group_sizes(const GroupSizesRequest& request, TaskProgress& progress) {
  const Setup setup = set_up(request);
  std::optional<Ledger> ledger;
  if (!request.insecure_seed) ledger.emplace(request.ledger_path, setup.schema.dataset);
  const Delta delta = delta_of(ledger, setup);
  const Purchase purchase = purchase_of(setup, request, delta);
  GroupSizesReport report = begin_report(setup, request, delta);
  if (ledger) {
    report.ledger = ask_ledger(*ledger, purchase, report.warnings).accepted();
  }
  const Dataset dataset =
      read_table_files(request.table, setup.schema, TableUse::kDescribed, progress,
                       CountedRows::kKept, {columns_behind(setup.schema, request.groups)});
  std::vector<int64_t> counts =
      count_groups(dataset, setup.schema, group_by(dataset, setup.schema, request.groups));
  progress.hold_interruptions();
  std::unique_ptr<OutputFile> out;
  if (!request.out_path.empty()) {
    out = std::make_unique<OutputFile>(request.out_path, request.force);
    out->reserve(
        static_cast<int64_t>(setup.schema.source_text.size() + 1024 * report.rows.size() + 4096));
  }
  PaidRun run = request.insecure_seed
                    ? unpaid_run(*request.insecure_seed, setup.events, purchase.relation)
                    : pay_for_run(*ledger, purchase, report.privacy->epsilon, {}, progress);
  add_payment(run, report.ledger);
  const std::vector<int64_t> sizes =
      release_sizes(setup.question, std::move(counts), run.charge.take(0), *run.source);
  for (size_t k = 0; k < sizes.size(); ++k) report.rows[k].size = sizes[k];
  report.toml = sizes_to_toml(setup.schema, setup.question, sizes);
  if (out) {
    const std::string how = fmt::format(
        "Sizes released with noise at epsilon {:g}, by entry {} of the dataset's ledger",
        request.epsilon, run.entry);
    out->write(with_sizes(setup, how, sizes));
    out->commit();
    report.files.push_back(request.out_path.string());
  }
  return report;
}

}  // namespace equinoise

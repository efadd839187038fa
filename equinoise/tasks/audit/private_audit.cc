// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/private_audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "equinoise/audit/private_constraint_check.h"
#include "equinoise/audit/private_group_rates.h"
#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/constraints/few_records.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/means/release.h"
#include "equinoise/privacy/accountants/attack_bounds.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/report/json.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.private_audit";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

const std::vector<std::string> kFiles = {"report.json", "report.html"};

std::vector<Event> events_of(std::span<const double> noise) {
  std::vector<Event> events;
  for (const double stddev : noise) events.push_back(Event::discrete_gaussian(stddev, 1));
  return events;
}

void check_private(const AuditRequest& request, const Schema& schema) {
  const std::string name =
      request.schema_path.empty() ? request.model_path.string() : request.schema_path.string();
  require_reviewed(schema, name);
  if (schema.column(schema.target).type == ColumnType::kNumeric)
    refuse("--private releases rates of classes, and the target '{}' is a number", schema.target);
  if (schema.has_unit_column())
    refuse("--private counts rows, and a {} may have several (unit = \"{}\" in the schema)",
           schema.unit, schema.unit);
  if (!request.weight_column.empty() || !request.reference_path.empty() || request.explain ||
      request.has_constraints()) {
    refuse("--private has no weights, reference, explanation or constraints; leave them out");
  }
  if (!request.epsilon) refuse("--private needs a budget: give --epsilon");
  check_positive(kWhere, "epsilon", *request.epsilon);
  check_open_interval(kWhere, "delta", request.delta, 0, 1);
}

/// The public size of its smallest group, or the mean size if one is not declared.
double smallest_size(const Grouping& grouping, double num_records) {
  double smallest = num_records;
  for (const std::optional<int64_t>& size : grouping.public_sizes) {
    if (!size) return num_records / static_cast<double>(grouping.groups.size());
    if (*size > 0) smallest = std::min(smallest, static_cast<double>(*size));
  }
  return smallest;
}

/// Precisions for noise in proportion to sizes, each at least a tenth of an equal part.
std::vector<double> parts_of(std::span<const double> sizes) {
  const double least = 0.1 / static_cast<double>(sizes.size());
  std::vector<double> parts;
  for (const double size : sizes) parts.push_back(1 / (size * size));
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  for (double& part : parts) part = std::max(part / sum, least);
  const double raised = std::accumulate(parts.begin(), parts.end(), 0.0);
  for (double& part : parts) part /= raised;
  return parts;
}

/// The grouping from whose groups those of `lists[of]` are united: the first with most columns that
/// has all of its columns. Groups that a floor united are not united further.
size_t finest_with(const std::vector<Grouping>& lists, size_t of, const GroupFloor& floor) {
  size_t finest = of;
  if (floor.policy == SmallGroups::kMerge) return finest;
  for (size_t i = 0; i < lists.size(); ++i) {
    const bool has_all = std::ranges::all_of(lists[of].columns, [&](const std::string& column) {
      return contains(lists[i].columns, column);
    });
    const size_t most = lists[finest].columns.size();
    const size_t num = lists[i].columns.size();
    if (has_all && (num > most || (num == most && i < finest))) finest = i;
  }
  return finest;
}

}  // namespace

PrivateAudit::PrivateAudit(const AuditRequest& request, const Schema& schema, double num_records,
                           AuditReport report)
    : request_(request), schema_(schema), report_(std::move(report)) {
  check_private(request, schema);
  for (const std::vector<std::string>& columns : request.groupings) {
    const Grouping& list = lists_.emplace_back(list_groups(schema, columns, request.floor));
    AuditGrouping& grouping = report_.groupings.emplace_back();
    grouping.columns = list.columns;
    grouping.groups = list.groups;
    grouping.figures.resize(list.groups.size());
  }
  const size_t num_programs = std::max<size_t>(1, lists_.size());
  std::vector<double> sizes;
  std::vector<size_t> wholes;  // (programs) the one whose cells it reads
  for (size_t i = 0; i < num_programs; ++i) {
    wholes.push_back(lists_.empty() ? i : finest_with(lists_, i, request.floor));
    if (wholes[i] != i) continue;
    counted_.push_back(i);
    sizes.push_back(lists_.empty() ? num_records : smallest_size(lists_[i], num_records));
  }
  for (size_t i = 0; i < num_programs; ++i) {
    const auto place = std::ranges::find(counted_, wholes[i]);
    source_.push_back(static_cast<size_t>(place - counted_.begin()));
    programs_.push_back(lists_.empty()
                            ? group_rate_program({}, report_.classes.size())
                            : group_rate_program(lists_[wholes[i]].groups, report_.classes.size(),
                                                 &lists_[i].groups));
  }
  precision_ = parts_of(sizes);
  AuditRelease release;
  release.rho = affordable_rho(Relation::kZeroOut, Epsilon(*request.epsilon), Delta(request.delta),
                               [&](double rho) { return events_of(noise_at(rho)); });
  release.noise_stddev = noise_at(release.rho);
  for (const size_t program : counted_)
    release.counted_by.push_back(lists_.empty() ? std::vector<std::string>()
                                                : lists_[program].columns);
  release.version = report_.version;
  release.dataset = schema.dataset;
  release.status = request.insecure_seed ? PrivacyStatus::kInsecureRng : PrivacyStatus::kPrivate;
  release.events = events_of(release.noise_stddev);
  release.command = request.command;
  release.warnings = std::move(report_.warnings);
  if (!request.insecure_seed) {
    release.privacy = smallest_guarantee(Relation::kZeroOut, release.events, Delta(request.delta));
    release.protection = Protection{Relation::kZeroOut,
                                    ProtectedUnit::of(schema),
                                    {},
                                    attack_bounds(Relation::kZeroOut, release.events)};
    release.in_words = explain(release.protection);
  }
  std::string warning = large_delta_warning(request.delta, schema.num_records, schema.size_key());
  if (!warning.empty()) release.warnings.push_back(std::move(warning));
  for (size_t i = 0; i < programs_.size(); ++i)
    append(release.warnings, few_records_warnings(schema, programs_[i].rates, num_records,
                                                  release.noise_stddev[source_[i]], "audited",
                                                  "the audit will show little about it"));
  report_.release = std::move(release);
  if (request.dry_run || request.insecure_seed) return;
  ledger_.emplace(request.ledger_path, schema.dataset);
  report_.release->ledger =
      ask_ledger(*ledger_, purchase(), report_.release->owner_warnings).accepted();
}

std::vector<double> PrivateAudit::noise_at(double rho) const {
  std::vector<double> noise;
  for (const double part : precision_) noise.push_back(std::sqrt(1 / (2 * rho * part)));
  return noise;
}

Purchase PrivateAudit::purchase() const {
  std::vector<std::string> by;
  for (const Grouping& list : lists_) by.push_back(fmt::format("{}", fmt::join(list.columns, ",")));
  Purchase purchase{
      schema_.dataset,
      ProtectedUnit::of(schema_),
      report_.release->events,
      Relation::kZeroOut,
      Delta(request_.delta),
      fmt::format("audit of {}{}{}", report_.target, by.empty() ? "" : " by ", fmt::join(by, "; ")),
      request_.ledger_path,
      request_.ledger_key};
  purchase.asked = {*request_.epsilon, [this](double epsilon) {
                      const auto events_at = [&](double rho) { return events_of(noise_at(rho)); };
                      return events_at(affordable_rho(Relation::kZeroOut, Epsilon(epsilon),
                                                      Delta(request_.delta), events_at));
                    }};
  return purchase;
}

AuditReport PrivateAudit::plan() {
  AuditRelease& release = *report_.release;
  release.is_plan = true;
  if (!request_.insecure_seed)
    release.ledger =
        planned_account(existing_ledger(request_.ledger_path), purchase(), release.warnings);
  return report_;
}

AuditReport PrivateAudit::release(const JudgedTable& judged, std::span<const Grouping> groupings,
                                  TaskProgress& progress) {
  AuditRelease& release = *report_.release;
  progress.hold_interruptions();
  std::optional<OutputFolder> folder;
  if (!request_.out_path.empty()) {
    size_t num_groups = 1;
    for (const Grouping& list : lists_) num_groups += list.groups.size();
    folder.emplace(request_.out_path, request_.force, kFiles,
                   static_cast<int64_t>((size_t{1} << 18) + 8192 * num_groups));
  }
  PaidRun run = ledger_ ? pay_for_run(*ledger_, purchase(), release.privacy->epsilon, {}, progress)
                        : unpaid_run(*request_.insecure_seed, release.events, Relation::kZeroOut);
  add_payment(run, release.ledger);
  std::vector<std::vector<int64_t>> counts;
  for (size_t h = 0; h < counted_.size(); ++h) {
    const std::vector<GroupId> all(judged.table.contributes.size(), GroupId{0});
    counts.push_back(noisy_cell_counts(run.charge.take(h), programs_[counted_[h]], judged.table,
                                       lists_.empty() ? all : groupings[counted_[h]].group_of,
                                       judged.predictions, *run.source));
  }
  double least = std::numeric_limits<double>::infinity();  // of the variance of all records
  for (size_t i = 0; i < programs_.size(); ++i) {
    const double noise = release.noise_stddev[source_[i]];
    const std::vector<PrivateRates> rates =
        read_group_rates(programs_[i], counts[source_[i]], noise);
    const double variance = noise * noise * static_cast<double>(programs_[i].num_cells);
    if (variance < least) report_.overall.metrics = metrics_of(rates.back(), true);
    least = std::min(least, variance);
    if (lists_.empty()) break;
    AuditGrouping& grouping = report_.groupings[i];
    for (size_t k = 0; k < grouping.groups.size(); ++k) {
      // An empty group has no rates, whatever the noise.
      const bool is_empty = lists_[i].public_sizes[k] == 0;
      grouping.figures[k].metrics = metrics_of(is_empty ? PrivateRates{} : rates[k], !is_empty);
    }
    add_verdicts(request_, grouping, report_);
  }
  if (folder) {
    for (const std::string& name : kFiles) release.files.push_back(folder->final_path(name));
    const Audience audience =
        release.status == PrivacyStatus::kPrivate ? Audience::kAnybody : Audience::kOwner;
    // Those that only the owner can act on are not published.
    std::vector<std::string> of_owner = std::exchange(release.owner_warnings, {});
    folder->write("report.json", to_text(audit_to_json(report_)), audience);
    folder->write("report.html", to_page(audit_document(report_)), audience);
    folder->commit();
    release.owner_warnings = std::move(of_owner);
  }
  return report_;
}

}  // namespace equinoise

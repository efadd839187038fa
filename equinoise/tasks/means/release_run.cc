// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/release_run.h"

#include <algorithm>
#include <utility>

#include "equinoise/privacy/delta.h"

namespace equinoise {

namespace {

/// Whether its noise leaves nothing to a delta: of estimators that is Laplace's.
bool is_pure(const Event& event) {
  if (event.kind() == Event::Kind::kDiscreteLaplace) return true;
  const bool has_parts = event.kind() == Event::Kind::kComposed ||
                         event.kind() == Event::Kind::kParallel ||
                         event.kind() == Event::Kind::kRowsOfUnit;
  return has_parts && std::ranges::all_of(event.events(), is_pure);
}

}  // namespace

ReleaseReport begin_release(const MeansSetup& setup, const MeansRequest& request) {
  ReleaseReport report;
  const MeansQuestion& question = setup.plan.question;
  report.version = EQUINOISE_VERSION;
  report.dataset = setup.schema.dataset;
  report.status = setup.status();
  if (setup.schema.has_unit_column())
    report.units = UnitRowsReport{setup.schema.unit, setup.schema.max_records_per_unit};
  report.strata = setup.grouping.columns;
  report.rho = setup.rho();
  report.events = setup.events();
  report.privacy = setup.guarantee(report.events, request.delta);
  const Relation relation = question.config.relation;
  if (report.status == PrivacyStatus::kPrivate) {
    report.protection = Protection{
        relation, ProtectedUnit::of(setup.schema), {}, attack_bounds(relation, report.events)};
    // A record is replaced within its stratum.
    if (relation == Relation::kReplaceOne) report.protection->public_groups = report.strata;
    report.protection->pays_for_sizes = question.private_sizes;
    report.in_words = explain(report.protection);
  }
  if (report.privacy && std::ranges::all_of(report.events, is_pure))
    report.pure = setup.guarantee(report.events, 0);
  report.has_private_sizes = question.private_sizes;
  report.command = request.command;
  const std::string warning =
      large_delta_warning(request.delta, setup.schema.num_records, setup.schema.size_key());
  if (!warning.empty()) report.warnings.push_back(warning);
  return report;
}

Purchase purchase_of(const MeansSetup& setup, const MeansRequest& request, std::string purpose) {
  Purchase purchase{setup.schema.dataset, ProtectedUnit::of(setup.schema),
                    setup.events(),       setup.plan.question.config.relation,
                    Delta(request.delta), std::move(purpose),
                    request.ledger_path,  request.ledger_key};
  if (request.epsilon)
    purchase.asked = {*request.epsilon, [&](double epsilon) {
                        MeansRequest other = request;
                        other.epsilon = epsilon;
                        return setup.events_of(plan_by(other, request.method, setup));
                      }};
  return purchase;
}

void add_planned_cost(const MeansSetup& setup, const MeansRequest& request,
                      const std::string& purpose, ReleaseReport& report) {
  if (setup.ledger || setup.is_private)
    report.ledger =
        planned_account(setup.ledger, purchase_of(setup, request, purpose), report.warnings);
}

PaidRun pay_for_release(MeansSetup& setup, const MeansRequest& request, const Purchase& purchase,
                        ReleaseReport& report, TaskProgress& progress) {
  if (request.insecure_seed)
    return unpaid_run(*request.insecure_seed, report.events, purchase.relation);
  PaidRun run = pay_for_run(*setup.ledger, purchase, report.privacy->epsilon, {}, progress);
  add_payment(run, report.ledger);
  return run;
}

std::vector<Charge> charges_of(Charge charge, const MeansSetup& setup) {
  if (!setup.grouping.partition.empty()) return charge.take_groups();
  std::vector<Charge> charges;
  charges.push_back(std::move(charge));
  return charges;
}

}  // namespace equinoise

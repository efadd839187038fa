// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/constraints/rate_program.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/tasks/audit/audit.h"
#include "equinoise/tasks/audit/judged.h"
#include "equinoise/tasks/input/paid_run.h"

namespace equinoise {

/// The release of `audit --private`: noisy counts of records by group, label and prediction, from
/// which all rates follow. A grouping whose columns are among those of another one is read from
/// the counts of that one, so it costs nothing and agrees with it.
///
/// Relation: zero_out; public are the schema, its sizes and the options. Sensitivity: 1 in L1 for
/// each histogram, because a record is in one group of a grouping (group_rate_program). Cost: one
/// discrete Gaussian for each histogram. Its noise is in proportion to the public size of its
/// smallest group, but each histogram has at least a tenth of an equal part of the precision.
///
/// The guarantee is about the audited records. A prediction may depend on its own record and on
/// what was released before, not on other records: models without a guarantee are refused on the
/// table that they were trained on.
class PrivateAudit {
 public:
  /// `report`: the public facts of an audit. `num_records`: the public number of records that are
  /// audited. Errors: kUsage (a number as target, units of several rows, a drafted schema, no
  /// epsilon), kBudget and kLedger, unless it is a plan.
  PrivateAudit(const AuditRequest& request, const Schema& schema, double num_records,
               AuditReport report);

  /// The report of --dry-run: cost and noise. Reads no record and spends nothing.
  AuditReport plan();

  /// Pays, counts, adds noise and judges the limits by what is released. `groupings`: of the
  /// records, in the order of the request. Errors: kUsage (output), kBudget, kLedger, kRuntime.
  AuditReport release(const JudgedTable& judged, std::span<const Grouping> groupings,
                      TaskProgress& progress);

 private:
  std::vector<double> noise_at(double rho) const;
  Purchase purchase() const;

  const AuditRequest& request_;
  const Schema& schema_;
  AuditReport report_;
  std::vector<Grouping> lists_;        ///< the groups of each grouping; empty: no groups
  std::vector<RateProgram> programs_;  ///< (groupings), or one for all records: how rates are read
  std::vector<size_t> source_;         ///< (programs) the histogram that each reads
  std::vector<size_t> counted_;        ///< (histograms) the program whose cells are counted
  std::vector<double> precision_;      ///< (histograms) parts of the budget, together 1
  std::optional<Ledger> ledger_;       ///< that pays; none for a plan
};

}  // namespace equinoise

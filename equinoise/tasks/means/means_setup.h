// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/means/release.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/unit_events.h"
#include "equinoise/tasks/means/means.h"
#include "equinoise/tasks/means/stratum_weights.h"

namespace equinoise {

/// The choices about a release of means before a record is read: by the schema and the request.
struct MeansSetup {
  Schema schema;
  Grouping grouping;               ///< without strata: one group without a label
  std::vector<std::string> names;  ///< (num_strata)
  std::optional<Ledger> ledger;
  MeansPlan plan;
  StratumWeights weights;
  std::optional<RecordWeights> record_weights;  ///< what records count for; none: 1 each
  bool is_private = true;                       ///< false: spends nothing

  /// The charge: for all rows that a unit may have, where units are not rows.
  std::vector<Event> events() const { return events_of(plan); }
  std::vector<Event> events_of(const MeansPlan& other) const {
    return for_unit(schema.max_records_per_unit, other.charged_events(grouping.partition, names));
  }

  /// The charge for the members of a stratum, with the rest of their rows wherever they are.
  std::vector<Event> events_of_stratum(size_t stratum) const {
    return schema.has_unit_column() ? events() : plan.events[stratum];
  }

  /// The rho of zero-concentrated DP that a unit pays: the plan's is that of a row.
  double rho() const { return plan.question.rho * rho_factor(schema.max_records_per_unit); }

  /// "private", "not private" (a schema that was drafted from the records), "insecure rng"
  PrivacyStatus status() const;

  /// The kind of numbers by which the overall mean weighs strata.
  std::string origin_of_weights() const;

  /// The guarantee of events at delta; nothing where nothing is private.
  std::optional<Guarantee> guarantee(const std::vector<Event>& events, double delta) const;
};

/// The reading of numbers of a column by public bins; nothing where each is kept.
std::optional<NumberRounding> rounding_of(const Schema& schema, const ColumnSchema& column);

/// A column of numbers as the request describes it. Errors: kUsage for another column, or bounds
/// that are not within the schema's.
MeanColumn mean_column(const Schema& schema, const std::string& name, const MeansRequest& request);

/// Errors: kInput (schema, files of weights), kUsage (request), kLedger (a ledger that is broken,
/// or with `needs_ledger` missing).
MeansSetup set_up_means(const MeansRequest& request, bool needs_ledger);

/// The same without a plan: of it the question alone is there, without a budget. is_outlook: sizes
/// are expectations and need not be exact.
MeansSetup set_up_question(const MeansRequest& request, bool needs_ledger, bool is_outlook);

/// The plan of the setup's question with another method, at the budget of the request. Errors:
/// kUsage.
MeansPlan plan_by(const MeansRequest& request, const std::string& method, const MeansSetup& setup);

}  // namespace equinoise

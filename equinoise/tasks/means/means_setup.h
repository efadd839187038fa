// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/schema.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/means/release.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/tasks/means/means.h"
#include "equinoise/tasks/means/stratum_weights.h"

namespace equinoise {

/// What is settled about a release of means before a record is read: by the schema and the request.
struct MeansSetup {
  Schema schema;
  Grouping grouping;               ///< without strata: one group without a label
  std::vector<std::string> names;  ///< (num_strata)
  std::optional<Ledger> ledger;
  MeansPlan plan;
  StratumWeights weights;
  std::optional<RecordWeights> record_weights;  ///< what records count for; none: 1 each
  bool is_private = true;                       ///< false: spends nothing

  std::vector<Event> events() const { return plan.charged_events(grouping.partition, names); }

  /// "private", "not private" (a schema that was drafted from the records), "insecure rng"
  PrivacyStatus status() const;

  /// What the overall mean weighs strata by.
  std::string origin_of_weights() const;

  /// What events guarantee at delta; nothing where nothing is private.
  std::optional<Guarantee> guarantee(const std::vector<Event>& events, double delta) const;
};

/// Errors: kInput (schema, files of weights), kUsage (request), kLedger (a ledger that is broken,
/// or with `needs_ledger` missing).
MeansSetup set_up_means(const MeansRequest& request, bool needs_ledger);

/// The same without a plan: of it the question alone is there, without a budget.
MeansSetup set_up_question(const MeansRequest& request, bool needs_ledger);

/// Makes the plan of the setup's question with another method, at the budget of the request.
/// Errors: kUsage.
void settle_plan(const MeansRequest& request, const std::string& method, MeansSetup& setup);

}  // namespace equinoise

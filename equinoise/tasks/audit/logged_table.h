// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/model.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/tasks/audit/logged_description.h"

namespace equinoise {

/// Records with their outcomes, predictions and groups, in the form in which models are evaluated.
struct LoggedTable {
  EncodedTable table;  ///< targets and classes only; numbers to the rounding of the largest
  Predictions predictions;
  ScoreKind kind = ScoreKind::kProbabilities;
  std::optional<AuditWeights> weights;
  std::vector<Grouping> groupings;
  std::vector<GroupId> contexts;  ///< (num_records) of the constraints; empty: none
  std::vector<std::string> notes;
};

/// Reads the table. A record is left out and counted if, by the schema's rules, it has no outcome,
/// group, weight or value of a constraint's attribute, or if its weight is 0. A record without a
/// prediction makes the figures of its groups undefined. Errors: kInput (table; a score that is not
/// a number, a probability outside 0 to 1, probabilities of classes that do not sum to 1, a weight
/// below 0, an infinite number: with its row); kUsage (groups).
LoggedTable read_logged_table(const AuditRequest& request, const LoggedDescription& description);

}  // namespace equinoise

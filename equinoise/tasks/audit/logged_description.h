// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/tasks/audit/audit.h"

namespace equinoise {

/// The default threshold: the least probability at which a record is predicted positive.
inline constexpr double kUsualThreshold = 0.5;

/// Unmodified numbers have bounds of plus and minus this.
inline constexpr double kAnyNumber = std::numeric_limits<double>::max();

/// The interpretation of a table of predictions.
struct LoggedDescription {
  Schema schema;
  std::vector<std::string> probabilities;  ///< (num_classes) their columns, or empty
  std::optional<RateProgram> constraints;
  std::vector<std::string> notes;  ///< about constraints and probabilities
};

/// The columns of a request, with defaults: the schema's target, "prediction" if neither a
/// prediction nor a score is named, and the threshold of probabilities. Errors: kUsage for a
/// meaningless combination, a column that is named for two uses, and a threshold that is not a
/// number or does not apply.
AuditRequest completed(AuditRequest request);

/// The interpretation of a table of predictions. The target, the columns of groups and those in
/// constraints are described by `request.schema_path`, or derived from the table, which is NOT
/// PRIVATE. Columns of predictions are added. All numbers are unmodified, without bounds.
///
/// Without a schema the classes are the values of the target and of the prediction, and those in
/// the names of columns of probabilities. A missing cell in a column of groups or of a constraint
/// is a separate group. A text such as NA is a class or a group like others, since it may be one,
/// and is noted.
///
/// Errors: kInput (schema, table, constraints of a file, a class without a column of probabilities
/// if others have one). kUsage:
/// - no target; a positive class of a number; two classes without a known positive one; more than
///   100 classes;
/// - predicted numbers that never occur (they are scores, or the target is a number); predictions
///   none of which occurs or, with two classes, some of which do not;
/// - more than 1,000 values in a column of groups; groups by a column of predictions or weights;
/// - weights that the schema does not declare as numbers of 0 or more; an invalid constraint.
LoggedDescription describe_logged(const AuditRequest& request);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/groups/grouping.h"

namespace equinoise {

/// The default threshold: the least probability at which a record is predicted positive.
inline constexpr double kUsualThreshold = 0.5;

/// Unmodified numbers have bounds of plus and minus this.
inline constexpr double kAnyNumber = std::numeric_limits<double>::max();

/// The kind of prediction: a class for a categorical target, a number for a numeric one.
enum class LoggedTarget { kClass, kNumber };

/// A table of predictions from any source, and the meaning of its columns.
struct LoggedTableRequest {
  TableSource data;
  TableOptions table;  ///< the layout of the table
  /// Of the target and the groups; empty: derived from the table.
  std::filesystem::path schema_path;
  std::string target;       ///< "": the schema's
  std::string prediction;   ///< a class or a number; "" with a score: by the threshold
  std::string probability;  ///< of the positive class; "": none
  std::string score;        ///< instead of probabilities; "": none
  /// The columns with a probability of each class, see ProbabilityColumns. Empty: for several
  /// classes those of `equinoise predict`, if the table has them.
  std::vector<std::string> probabilities;
  std::optional<double> threshold;  ///< of probabilities, default 0.5, or of scores
  std::string positive;             ///< for two classes; "": the schema's, or true of a truth pair
  std::string weight;               ///< weight of a record; "": 1 each
  std::optional<LoggedTarget> target_kind;  ///< only without a schema; empty: classes
  std::vector<std::vector<std::string>> groupings;
  GroupFloor floor;
  std::vector<std::string> constraints;    ///< to check, one line each
  std::filesystem::path constraints_path;  ///< more of them in a file; empty: none

  /// The column of scores or of probabilities of the positive class; "": none.
  const std::string& scores() const { return probability.empty() ? score : probability; }
  bool has_constraints() const { return !constraints.empty() || !constraints_path.empty(); }
};

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
LoggedTableRequest completed(LoggedTableRequest request);

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
LoggedDescription describe_logged(const LoggedTableRequest& request);

}  // namespace equinoise

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

/// The probability from which on a record is predicted positive, if nobody says another one.
inline constexpr double kUsualThreshold = 0.5;

/// Numbers that are taken as they stand have bounds of +- that.
inline constexpr double kAnyNumber = std::numeric_limits<double>::max();

/// What a numeric or categorical target is predicted by.
enum class LoggedTarget { kClass, kNumber };

/// A table of predictions that somebody made, and what its columns are.
struct LoggedTableRequest {
  TableSource data;
  TableOptions table;                 ///< how it is laid out
  std::filesystem::path schema_path;  ///< of the target and the groups; empty: they are learnt
  std::string target;                 ///< "": that of the schema
  std::string prediction;             ///< a class or a number; "" with a score: by the threshold
  std::string probability;            ///< of the positive class; "": none
  std::string score;                  ///< in place of probabilities; "": none
  /// The columns with a probability of each class, see ProbabilityColumns; empty: of several
  /// classes those that `equinoise predict` writes, if the table has them.
  std::vector<std::string> probabilities;
  std::optional<double> threshold;  ///< of probabilities, 0.5 if nothing is said, or scores
  std::string positive;             ///< of two classes; "": as the schema, or true of a truth pair
  std::string weight;               ///< what a record counts for; "": 1 each
  std::optional<LoggedTarget> target_kind;  ///< only without a schema; nothing: classes
  std::vector<std::vector<std::string>> groupings;
  GroupFloor floor;
  std::vector<std::string> constraints;    ///< to check, one line each
  std::filesystem::path constraints_path;  ///< and in a file; empty: none

  /// The column of scores or of probabilities of the positive class; "": none.
  const std::string& scores() const { return probability.empty() ? score : probability; }
  bool has_constraints() const { return !constraints.empty() || !constraints_path.empty(); }
};

/// How a table of predictions is read.
struct LoggedDescription {
  Schema schema;
  std::vector<std::string> probabilities;  ///< (num_classes) their columns, or empty
  std::optional<RateProgram> constraints;
  std::vector<std::string> notes;  ///< on constraints and probabilities
};

/// The columns that a request names, completed: the schema's target, "prediction" if neither a
/// prediction nor a score is named, and the threshold of probabilities. Errors: kUsage for a
/// combination that says nothing, a column that is named for two uses, a threshold that is not a
/// number or of what it says nothing about.
LoggedTableRequest completed(LoggedTableRequest request);

/// How a table of predictions is read: by what `request.schema_path` says of the target, of the
/// columns of groups and of those that constraints name, or by what is learnt from the table, which
/// is NOT PRIVATE; in addition the columns of predictions. All numbers are taken as they stand,
/// without bounds.
///
/// Without a schema the classes are the values of the target and of the prediction, and those that
/// columns of probabilities are named after; a missing cell of a column of groups, or of one that a
/// constraint names, is a group of its own. A text such as NA is a class or a group like others,
/// since it may be one, and is noted. Errors: kInput (schema, table, constraints of a file, a
/// class without a column of probabilities where others have one); kUsage: no target, more than 100
/// classes, more than 1,000 values of a group's column, numbers that are predicted but never happen
/// (they are scores, or the target is a number), predictions none of which ever happens or, of two
/// classes, some of which do not, two classes of which it is not said which is the positive one,
/// groups by a column of predictions or weights, weights that the schema does not declare as
/// numbers of 0 or more, a positive class of a number, an invalid constraint.
LoggedDescription describe_logged(const LoggedTableRequest& request);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The columns of a table with the probabilities of classes, one each.
class ProbabilityColumns {
 public:
  /// Names as written by `equinoise predict`.
  ProbabilityColumns() : ProbabilityColumns(std::vector<std::string>{"probability of {}"}) {}

  /// Each text is a pattern, "probability of {}", in which {} represents a class, or CLASS=COLUMN;
  /// either part may be in quotes. Errors: kUsage for any other text, a second pattern, or a class
  /// or column that is named twice.
  explicit ProbabilityColumns(const std::vector<std::string>& texts);

  /// The classes that have a column in a header: those that are named, and the parts that match {}
  /// in names that fit a pattern with other characters. With a pattern of {} alone every name would
  /// match.
  std::vector<std::string> classes_in(const std::vector<std::string>& header) const;

  /// The columns of the classes of a target, in order; "" for a class without a column. A name may
  /// have the class's label or the text of its cells; numbers may have other spellings.
  std::vector<std::string> columns_of(const ColumnSchema& target,
                                      const std::vector<std::string>& header) const;

  /// The expected name of the column of a class, for messages.
  std::string expected_name(const std::string& of_class) const;

 private:
  bool has_pattern_ = false;
  std::string before_;  ///< the parts of a name before and after the class
  std::string after_;
  std::vector<std::pair<std::string, std::string>> named_;  ///< classes and their columns
};

}  // namespace equinoise

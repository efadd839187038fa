// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Which columns of a table hold the probabilities of classes, one each.
class ProbabilityColumns {
 public:
  /// Names as `equinoise predict` writes them.
  ProbabilityColumns() : ProbabilityColumns(std::vector<std::string>{"probability of {}"}) {}

  /// Each text is a pattern, "probability of {}", in which {} stands for a class, or CLASS=COLUMN;
  /// either part may stand in quotes. Errors: kUsage for any other text, a second pattern, or a
  /// class or column that is named twice.
  explicit ProbabilityColumns(const std::vector<std::string>& texts);

  /// The classes that a header has columns for: those that are named, and what stands for {} in
  /// names that fit a pattern with other characters. Of {} alone every name would be one.
  std::vector<std::string> classes_in(const std::vector<std::string>& header) const;

  /// The columns of the classes of a target, in their order; "" for one without a column. A class
  /// may stand in it as its label or as the text of its cells; numbers may be spelled otherwise.
  std::vector<std::string> columns_of(const ColumnSchema& target,
                                      const std::vector<std::string>& header) const;

  /// What the column of a class should be called, for messages.
  std::string expected_name(const std::string& of_class) const;

 private:
  bool has_pattern_ = false;
  std::string before_;  ///< what stands before and after the class in a name
  std::string after_;
  std::vector<std::pair<std::string, std::string>> named_;  ///< classes and their columns
};

}  // namespace equinoise

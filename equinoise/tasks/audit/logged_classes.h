// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/learnt_columns.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/tasks/audit/logged_description.h"

namespace equinoise {

/// The most classes in a table without a schema.
inline constexpr size_t kMaxLearntClasses = 100;

/// Advice about outcomes that look like marks of missing cells; "" with a schema, which lists its
/// marks.
std::string advice_on_classes(const AuditRequest& request, const std::vector<std::string>& classes);

/// Moves the positive class of a target, `request.positive`, to the end, with the text of its
/// cells. Errors: kUsage unless there are two classes and one has that name.
void order_classes(const AuditRequest& request, ColumnSchema& target);

/// The classes of a table without a schema: those that occur, are predicted (`prediction`, nullptr
/// for none) or have probabilities (`known`); of two classes the positive one at the end. NOT
/// PRIVATE. Errors: see describe_logged.
std::vector<std::string> learnt_classes(const AuditRequest& request,
                                        const LearntColumns::Column& target,
                                        const LearntColumns::Column* prediction,
                                        const std::vector<std::string>& known);

/// Whether the text is one of kUsualMissingMarks.
bool is_usual_missing_mark(std::string_view text);

/// The option that makes a text a mark of missing cells, as typed: --na 'NA'.
std::string na_option(std::string_view mark);

/// Advice if some of these outcomes are such texts: "; if 'NA' marks a missing outcome, give --na
/// 'NA'". "" if none is.
std::string advice_on_marks(const std::vector<std::string>& outcomes);

}  // namespace equinoise

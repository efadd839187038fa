// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// Whether the text is one of kUsualMissingMarks.
bool is_usual_missing_mark(std::string_view text);

/// The option that makes a text a mark of missing cells, as typed: --na 'NA'.
std::string na_option(std::string_view mark);

/// Advice if some of these outcomes are such texts: "; if 'NA' marks a missing outcome, give --na
/// 'NA'". "" if none is.
std::string advice_on_marks(const std::vector<std::string>& outcomes);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/row_file.h"
#include "equinoise/tasks/input/request_option.h"

namespace equinoise {

/// The options for bins of numbers. usual: the number of bins where nobody gives one, in words.
RequestOptions bin_options(BinOptions& bins, const std::string& usual);

/// The drawing of rows.
RequestOptions draw_options(RowDraw& draw);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/synth/synth_setup.h"
#include "equinoise/tasks/synth/synth_request.h"

namespace equinoise {

/// Makes missing cells of the target a value of its own: models drop records without a label, but
/// rows are of everybody. Returns why that cannot be, so that they are dropped; "" where it is
/// done, the schema says that no record lacks a label, or incomplete records are to be dropped;
/// `strata` are the names that rows are stratified by. Public.
///
/// A record is counted once or not at all before and after, so that what one can change stays the
/// same.
std::string keep_unlabelled(Schema& schema, const std::vector<std::string>& strata);

/// Makes missing cells that the schema fills a value of their own: what fills them is for models,
/// which need a number. Not of columns that [groups.NAME] cuts into bands, by whose numbers people
/// are grouped. Returns the names of these columns. Public.
std::vector<std::string> keep_gaps(Schema& schema);

/// Reads the schema of a request. Errors: kInput; kUsage for columns whose gaps would leave out
/// records that nobody chose to leave out.
SynthSchema synth_schema(const SynthRequest& request);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace equinoise::cli {

/// A description of the tool as JSON for other programs: its version, its commands ("train", "synth
/// sample") with their options, the methods of train, means and synth, and the kinds of models.
std::string describe_tool();

}  // namespace equinoise::cli

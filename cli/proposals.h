// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace equinoise::cli {

/// The methods and kinds of models of a command that follow an option, by names as in "train",
/// "max_grad_norm".
std::vector<std::string> owners_of(const std::string& command, const std::string& option);

/// Messages about words that no option or command took, one for each: "unknown option --epsilom;
/// did you mean --epsilon?". `app` has parsed the words.
std::vector<std::string> proposals_for(CLI::App& app, const std::vector<std::string>& unknown);

}  // namespace equinoise::cli

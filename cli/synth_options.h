// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "equinoise/synth/column_codes.h"

namespace equinoise::cli {

/// Adds --schema or --domain, and what a domain.json lacks.
void add_domain_options(CLI::App& command, SchemaFile& file,
                        const std::string& target_help = "Target column, for --domain");

/// Errors: kUsage if neither was given.
void require_domain(const SchemaFile& file);

/// Adds --bins N, --bins-of COLUMN=N and --edges-of. `bins` must outlive parsing. usual: the number
/// of bins where nobody gives one, in words.
void add_bin_options(CLI::App& command, BinOptions& bins, std::string_view usual);

/// The number of threads: all cores if `threads` is 0.
int num_threads(int threads);

}  // namespace equinoise::cli

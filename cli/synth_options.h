// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "equinoise/synth/column_codes.h"

namespace equinoise::cli {

/// Adds --schema or --domain, and what a domain.json lacks.
void add_domain_options(CLI::App& command, SchemaFile& file,
                        const std::string& target_help = "Target column, for --domain");

/// Errors: kUsage if neither was given.
void require_domain(const SchemaFile& file);

/// Adds --bins N and --bins-of COLUMN=N. `bins` must outlive parsing.
void add_bin_options(CLI::App& command, BinOptions& bins);

/// The number of threads: all cores if `threads` is 0.
int num_threads(int threads);

}  // namespace equinoise::cli

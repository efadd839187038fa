// SPDX-License-Identifier: Apache-2.0
#include "cli/synth_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <thread>

#include "cli/schema_options.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"

namespace equinoise::cli {

void add_domain_options(CLI::App& command, SchemaFile& file, const std::string& target_help) {
  // Through a string: CLI11 would cut a path at its first blank.
  const auto set_path = [&file](const std::string& path) { file.path = path; };
  CLI::Option* schema = command.add_option_function<std::string>(
      "--schema", set_path, "Schema file (TOML): what is publicly known about the table");
  command
      .add_option_function<std::string>(
          "--domain", set_path,
          "Domain file of private-pgm (domain.json): {\"COLUMN\": NUMBER OF CODES, ...}")
      ->excludes(schema);
  command.add_option_function<int64_t>(
      "--num-records", [&file](const int64_t& count) { file.num_records = count; },
      "Public number of records of the table, for --domain");
  command.add_option("--target", file.target, target_help);
  command.add_option("--dataset", file.dataset,
                     "Name of the dataset, for --domain [the file's name]");
  add_table_options(command, file.table);
}

void require_domain(const SchemaFile& file) {
  if (!file.path.empty()) return;
  throw Error(ErrorKind::kUsage, "cli.synth",
              "--schema FILE or --domain FILE is required: what is publicly known about the table");
}

namespace {

void read_edges(const std::string& entry, BinOptions& bins) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::kUsage, "cli.synth",
                fmt::format("--edges-of {}: {}; examples are capital_gain=1:5000:20000 and "
                            "born=1960-01-01:1980-01-01",
                            entry, problem));
  };
  const size_t split = rfind_outside_quotes(entry, '=');
  if (split == std::string::npos || split == 0) fail("write COLUMN=EDGE:EDGE:...");
  std::vector<std::string> edges;
  for (std::string rest = ":" + entry.substr(split + 1); !rest.empty();) {
    rest.erase(0, 1);
    const size_t end = std::min(find_outside_quotes(rest, ':'), rest.size());
    edges.push_back(without_quotes(rest.substr(0, end)));
    rest.erase(0, end);
  }
  if (!bins.edges_of.emplace(without_quotes(entry.substr(0, split)), std::move(edges)).second)
    fail("the column has edges already");
}

}  // namespace

void add_bin_options(CLI::App& command, BinOptions& bins, std::string_view usual) {
  command.add_option_function<int>(
      "--bins", [&bins](const int& count) { bins.num_bins = count; },
      fmt::format("Number of bins of every numeric column [{}]", usual));
  command.add_option_function<std::vector<std::string>>(
      "--bins-of",
      [&bins](const std::vector<std::string>& entries) {
        for (const std::string& entry : entries) {
          const size_t split = rfind_outside_quotes(entry, '=');
          int count = 0;
          const char* end = entry.data() + entry.size();
          if (split == std::string::npos ||
              std::from_chars(entry.data() + split + 1, end, count).ptr != end) {
            throw Error(ErrorKind::kUsage, "cli.synth",
                        fmt::format("--bins-of needs COLUMN=NUMBER, got {}", entry));
          }
          if (!bins.num_bins_of.emplace(without_quotes(entry.substr(0, split)), count).second) {
            throw Error(ErrorKind::kUsage, "cli.synth",
                        fmt::format("--bins-of {} is given twice", entry.substr(0, split)));
          }
        }
      },
      "COLUMN=NUMBER: number of bins of that column");
  command.add_option_function<std::vector<std::string>>(
      "--edges-of",
      [&bins](const std::vector<std::string>& entries) {
        for (const std::string& entry : entries) read_edges(entry, bins);
      },
      "COLUMN=EDGE:EDGE:...: public lower edges of that column's bins, except the first: numbers, "
      "dates, or times in quotes");
}

int num_threads(int threads) {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace equinoise::cli

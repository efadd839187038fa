#include "cli/synth_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <thread>

#include "equinoise/base/error.h"

namespace equinoise::cli {

void add_domain_options(CLI::App& command, SchemaFile& file) {
  // Through a string: CLI11 would cut a path at its first blank.
  const auto set_path = [&file](const std::string& path) { file.path = path; };
  CLI::Option* schema = command.add_option_function<std::string>(
      "--schema", set_path, "Schema file (TOML): what is publicly known about the table");
  command
      .add_option_function<std::string>("--domain", set_path,
                                        "domain.json of private-pgm: {\"COLUMN\": CODES, ...}")
      ->excludes(schema);
  command.add_option_function<int64_t>(
      "--num-records", [&file](const int64_t& count) { file.num_records = count; },
      "Public number of records of the table, for --domain");
  command.add_option("--target", file.target, "Target column, for --domain");
  command.add_option("--dataset", file.dataset,
                     "Name of the dataset, for --domain [the file's name]");
}

void require_domain(const SchemaFile& file) {
  if (!file.path.empty()) return;
  throw Error(ErrorKind::kUsage, "cli.synth",
              "--schema FILE or --domain FILE is required: what is publicly known about the table");
}

void add_bin_options(CLI::App& command, BinOptions& bins) {
  command.add_option("--bins", bins.num_bins, "Bins of every numeric column")
      ->capture_default_str();
  command.add_option_function<std::vector<std::string>>(
      "--bins-of",
      [&bins](const std::vector<std::string>& entries) {
        for (const std::string& entry : entries) {
          const size_t split = entry.rfind('=');
          int count = 0;
          const char* end = entry.data() + entry.size();
          if (split == std::string::npos ||
              std::from_chars(entry.data() + split + 1, end, count).ptr != end) {
            throw Error(ErrorKind::kUsage, "cli.synth",
                        fmt::format("--bins-of needs COLUMN=NUMBER, got {}", entry));
          }
          if (!bins.num_bins_of.emplace(entry.substr(0, split), count).second) {
            throw Error(ErrorKind::kUsage, "cli.synth",
                        fmt::format("--bins-of {} is given twice", entry.substr(0, split)));
          }
        }
      },
      "COLUMN=NUMBER: bins of that column instead");
}

int num_threads(int threads) {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace equinoise::cli

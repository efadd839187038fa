// SPDX-License-Identifier: Apache-2.0
#include "cli/schema_options.h"

#include <string>

namespace equinoise::cli {

void add_schema_options(CLI::App& command, SchemaFile& file) {
  // Through a string: CLI11 would cut a path at its first blank.
  command
      .add_option_function<std::string>(
          "--schema", [&file](const std::string& path) { file.path = path; },
          "Schema file (TOML), or a domain.json of private-pgm: what is publicly known about the "
          "table")
      ->required();
  command.add_option_function<int64_t>(
      "--num-records", [&file](const int64_t& count) { file.num_records = count; },
      "Number of records of the table, for a private-pgm domain.json");
  command.add_option("--target", file.target, "Column to predict, for a private-pgm domain.json");
  command.add_option("--dataset", file.dataset,
                     "Name of the dataset, for a private-pgm domain.json [the file's name]");
}

CLI::Option* add_labels_option(CLI::App& command, std::filesystem::path& labels) {
  return command.add_option_function<std::string>(
      "--labels", [&labels](const std::string& path) { labels = path; },
      "File with the labels of the images in --data (idx) or their attributes (CelebA format); "
      "only for a schema with [image]");
}

}  // namespace equinoise::cli

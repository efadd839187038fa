// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/dataset_name.h"

#include <algorithm>
#include <cctype>

namespace equinoise {

namespace {

bool is_dataset_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 128 && (std::isalnum(byte) != 0 || c == '_' || c == '.' || c == '-');
}

}  // namespace

bool is_dataset_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_dataset_character);
}

std::string dataset_name_of(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  for (const std::string_view end : {".gz", ".zip", ".zst", ".csv", ".arff", ".json", ".jsonl",
                                     ".ndjson", ".parquet", "-domain", "_domain"}) {
    if (name.size() > end.size() && name.ends_with(end)) name.erase(name.size() - end.size());
  }
  for (char& c : name) {
    if (!is_dataset_character(c)) c = '_';
  }
  return name;
}

}  // namespace equinoise

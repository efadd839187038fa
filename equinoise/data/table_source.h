// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace equinoise {

class RecordReader;

/// Where the records of a table come from: a file, or whoever holds them in memory.
class TableSource {
 public:
  using Open = std::function<std::unique_ptr<RecordReader>()>;

  TableSource() = default;  ///< none

  // Implicit: most tables are files.
  TableSource(std::filesystem::path file);  // NOLINT(google-explicit-constructor)
  TableSource(const std::string& file);     // NOLINT(google-explicit-constructor)
  TableSource(const char* file);            // NOLINT(google-explicit-constructor)

  /// Records in memory. Messages call them `name`; each call of `open` reads the same records from
  /// the first one on, and may throw.
  TableSource(std::string name, Open open);

  bool empty() const { return path_.empty() && !open_; }
  bool is_file() const { return !open_; }  ///< and no records in memory

  /// Of a file, else "".
  const std::filesystem::path& path() const { return path_; }

  /// For messages: the path of a file, or what records in memory are called.
  std::string name() const { return open_ ? name_ : path_.string(); }

  /// What reads records in memory. Errors: those of their `open`.
  std::unique_ptr<RecordReader> open_records() const;

 private:
  std::filesystem::path path_;
  std::string name_;
  Open open_;
};

}  // namespace equinoise

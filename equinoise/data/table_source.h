// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace equinoise {

class RecordReader;

/// Where the records of a table come from: a file, whoever holds them in memory, or an engine that
/// counts them (data/engine/engine_url.h).
class TableSource {
 public:
  using Open = std::function<std::unique_ptr<RecordReader>()>;

  TableSource() = default;  ///< none

  // Implicit: most tables are files. What is the URL of an engine, or a folder of Parquet files, is
  // counted. Errors: those of parse_engine_url.
  TableSource(std::filesystem::path file);  // NOLINT(google-explicit-constructor)
  TableSource(const std::string& file);     // NOLINT(google-explicit-constructor)
  TableSource(const char* file);            // NOLINT(google-explicit-constructor)

  /// Records in memory. Messages call them `name`; each call of `open` reads the same records from
  /// the first one on, and may throw, as it does the second time where it cannot repeat them.
  TableSource(std::string name, Open open, bool can_repeat = true);

  bool empty() const { return name_.empty() && path_.empty() && !open_; }
  bool is_file() const { return !open_ && !is_engine_; }
  bool can_repeat() const { return can_repeat_; }
  bool is_engine() const { return is_engine_; }  ///< then open_described() has it counted

  /// Of a file, else "".
  const std::filesystem::path& path() const { return path_; }

  /// For messages: the path of a file, the URL of an engine, or what records in memory are called.
  std::string name() const { return is_file() ? path_.string() : name_; }

  /// What reads records in memory. Errors: those of their `open`; kUsage for an engine, which does
  /// not give records.
  std::unique_ptr<RecordReader> open_records() const;

 private:
  std::filesystem::path path_;
  std::string name_;
  Open open_;
  bool is_engine_ = false;
  bool can_repeat_ = true;
};

}  // namespace equinoise

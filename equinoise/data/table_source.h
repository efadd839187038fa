// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace equinoise {

class EngineTable;
class RecordReader;

/// The source of a table's records: a file, memory of the calling program, or an engine that counts
/// them (equinoise/engines).
class TableSource {
 public:
  using Open = std::function<std::unique_ptr<RecordReader>()>;

  TableSource() = default;  ///< none

  // Implicit: most tables are files.
  TableSource(std::filesystem::path file);  // NOLINT(google-explicit-constructor)
  TableSource(const std::string& file);     // NOLINT(google-explicit-constructor)
  TableSource(const char* file);            // NOLINT(google-explicit-constructor)

  /// Records in memory. `name`: for messages. Each call of `open` reads the same records from the
  /// first one on. It may throw, as it does the second time if it cannot repeat them.
  TableSource(std::string name, Open open, bool can_repeat = true);

  /// A table that open_described() has its engine count.
  explicit TableSource(std::shared_ptr<const EngineTable> engine);

  bool empty() const { return name_.empty() && path_.empty() && !open_; }
  bool is_file() const { return !open_ && !engine_; }
  bool can_repeat() const { return can_repeat_; }
  bool is_engine() const { return engine_ != nullptr; }

  /// The engine's table, else null.
  const EngineTable* engine() const { return engine_.get(); }

  /// The path of a file, else "".
  const std::filesystem::path& path() const { return path_; }

  /// The name for messages: the path of a file, the name of an engine's table, or that of records
  /// in memory.
  std::string name() const { return is_file() ? path_.string() : name_; }

  /// The reader of records in memory. Errors: those of their `open`; kUsage for an engine, which
  /// does not give records.
  std::unique_ptr<RecordReader> open_records() const;

 private:
  std::filesystem::path path_;
  std::string name_;
  Open open_;
  std::shared_ptr<const EngineTable> engine_;
  bool can_repeat_ = true;
};

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "equinoise/base/progress.h"
#include "equinoise/data/engine_table.h"
#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// A table that is read several times, each time in any order of rows. An engine counts it anew for
/// each pass, in one transaction, so that all passes see the same rows. Its rows are passed on as
/// they come and take no memory here.
class TablePasses {
 public:
  /// `schema` and `progress` outlive this; an engine is cancelled by interruptions, which are held
  /// as long as this exists. Errors: those of EngineTable::open.
  TablePasses(const TableSource& table, const Schema& schema, TaskProgress* progress = nullptr);

  /// Whether a second pass is possible.
  bool can_repeat() const;

  /// The table from its first row on. The reader of an earlier pass must have been destroyed.
  /// Errors: those of open_described; kRuntime for a file that changed since the first pass.
  std::unique_ptr<RecordReader> open();

  /// Refuses a file that changed since the first pass began. An engine sees one state, or reports
  /// the change itself.
  void require_unchanged() const;

 private:
  TableSource table_;
  const Schema& schema_;
  TaskProgress* progress_;
  std::optional<HeldInterruptions> held_;  ///< until the engine has gone
  std::unique_ptr<EngineSession> engine_;
  std::optional<SeenFile> file_;
};

}  // namespace equinoise

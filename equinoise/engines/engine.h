// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/engine_table.h"
#include "equinoise/engines/dialect.h"

namespace equinoise {

/// The type of an engine's column, as far as statements differ by type.
enum class EngineType {
  kText,
  kPaddedText,  ///< of fixed width, with blanks at the end: CHAR(n)
  kInteger,
  kDecimal,
  kFloat,   ///< of single precision
  kDouble,  ///< of double precision
  kBoolean,
  kDate,
  kTimestamp,
  kZonedTimestamp,  ///< a moment, shown in the time zone of the session
  kOther,
};

struct EngineColumn {
  std::string name;
  EngineType type = EngineType::kOther;
  std::string declared;  ///< the engine's name of the type, for messages: "numeric(10,2)"
  /// The remedy if the schema requires another type, for messages that name that type before it.
  std::string_view remedy = "make a view of the table in which it is one, and name that view";
};

/// An engine that counts a table or view by statements. All statements of one object see the same
/// rows, and none changes anything: one transaction that only reads. Sensitive: rows are only ever
/// an argument.
///
/// Errors of an engine (kRuntime; kInput for a table that does not exist) give what failed and a
/// remedy. They never quote the engine's own message, which may contain values, and never a
/// password.
class Engine : public EngineSession {
 public:
  /// Codes numbers in this process if the engine gives them as numbers. Errors, also of stream():
  /// those of count_query and of the engine.
  CountedTable count(const Schema& schema, const std::vector<ColumnCoding>& codings,
                     const EngineOptions& options = {}) final;
  std::unique_ptr<RecordReader> stream(const Schema& schema,
                                       const EngineOptions& options = {}) final;

  virtual Dialect dialect() const = 0;

  /// The place of the table for messages, without a password.
  virtual const std::string& name() const = 0;

  /// The quoted name of the table in statements.
  virtual const std::string& table() const = 0;

  virtual std::vector<EngineColumn> columns() = 0;

  /// Whether rows may hold numbers of double precision as their bits; a null is NaN.
  virtual bool gives_numbers() const { return false; }

  /// Starts a statement whose rows are whole numbers of 64 bits without nulls, or numbers as above.
  /// next() gives its rows. The rest of an earlier statement is given up.
  virtual void start(const std::string& statement) = 0;

  /// The next row, valid until the next call; empty after the last one.
  virtual std::span<const int64_t> next() = 0;

  /// Cancels the running statement, which then fails, if the engine can. Called from another
  /// thread.
  virtual void cancel() {}
};

}  // namespace equinoise

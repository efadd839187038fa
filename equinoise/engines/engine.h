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

/// What the values of a column of an engine are, as far as statements about them differ.
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
  kZonedTimestamp,  ///< a moment, which each session sees in its own time zone
  kOther,
};

struct EngineColumn {
  std::string name;
  EngineType type = EngineType::kOther;
  std::string declared;  ///< as the engine calls the type, for messages: "numeric(10,2)"
  /// What to do where the schema wants another type, for messages in which "it is one" says which.
  std::string_view remedy = "make a view of the table in which it is one, and name that view";
};

/// An engine that counts a table or view by statements. All statements of one object see the same
/// rows, and none changes anything: one transaction that only reads. Sensitive: rows are only ever
/// an argument.
///
/// Errors of an engine (kRuntime; kInput for a table that is not there) say what failed and what to
/// do, never what the engine says of it, which may quote values, and never a password.
class Engine : public EngineSession {
 public:
  /// Counts here what the engine gives as numbers. Errors, also of stream(): those of count_query
  /// and of the engine.
  CountedTable count(const Schema& schema, const std::vector<ColumnCoding>& codings,
                     const EngineOptions& options = {}) final;
  std::unique_ptr<RecordReader> stream(const Schema& schema,
                                       const EngineOptions& options = {}) final;

  virtual Dialect dialect() const = 0;

  /// For messages: where the table is, without a password.
  virtual const std::string& name() const = 0;

  /// What a statement calls the table, quoted.
  virtual const std::string& table() const = 0;

  virtual std::vector<EngineColumn> columns() = 0;

  /// Whether rows may hold numbers of double precision as they are, as their bits; a null is NaN.
  virtual bool gives_numbers() const { return false; }

  /// Starts a statement whose rows are whole numbers of 64 bits without nulls, or numbers as above,
  /// after which next() gives them; what is left of the statement before is given up.
  virtual void start(const std::string& statement) = 0;

  /// The next row, valid until the next call; empty after the last one.
  virtual std::span<const int64_t> next() = 0;

  /// From another thread: gives up the statement that runs, which then fails, if the engine can.
  virtual void cancel() {}
};

}  // namespace equinoise

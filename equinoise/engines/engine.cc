// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/engine.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/counted_rows.h"
#include "equinoise/data/schema/count_column.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/printed_number.h"
#include "equinoise/engines/count_query.h"

namespace equinoise {

namespace {

/// Cancels the statements of an engine once a task is interrupted. Watches as long as it exists.
class Interrupter {
 public:
  /// Both outlive this.
  Interrupter(Engine& engine, const TaskProgress& progress)
      : thread_([&](const std::stop_token& over) { watch(engine, progress, over); }) {}

 private:
  static void watch(Engine& engine, const TaskProgress& progress, const std::stop_token& over) {
    constexpr std::chrono::milliseconds kPause(100);
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any pause;
    while (!over.stop_requested()) {
      pause.wait_for(lock, over, kPause, [] { return false; });
      if (!over.stop_requested() && progress.interrupted()) engine.cancel();
    }
  }

  std::jthread thread_;  ///< its end asks the watch to stop, and waits for it
};

[[noreturn]] void refuse_answer(const Engine& engine) {
  throw Error(ErrorKind::kRuntime, "data.engine",
              "{}: the engine counted what cannot be: a code that no statement makes, "
              "or more than 2^53 rows",
              engine.name());
}

/// The count, if it is at least `least` and doubles represent it exactly.
int64_t count_of(int64_t count, int64_t least, const Engine& engine) {
  if (count < least || count > int64_t{1} << 53) refuse_answer(engine);
  return count;
}

/// `least`: kAside, or the code above it if all columns are in one set.
bool is_code(int64_t code, int32_t least, const ColumnCoding& coding) {
  return code >= least && code < CellCode::kAside + static_cast<int64_t>(coding.num_codes());
}

/// The code of a number of single precision, read by its shortest text.
int32_t code_of_single(float number, const ColumnCoding& coding) {
  PrintedNumber printed;
  return coding.code_of(std::isnan(number) ? number : *parse_number(printed.print(number)));
}

/// The rows of a statement as codes.
class CodedRows {
 public:
  /// `numbers`: whether columns may be returned as numbers. Then equal rows may come more than
  /// once.
  CodedRows(Engine& engine, const Schema& schema, std::vector<ColumnCoding> codings,
            ColumnPlaces sets = {}, bool numbers = true)
      : engine_(engine),
        codings_(std::move(codings)),
        min_code_(sets.empty() ? CellCode::kAside + 1 : CellCode::kAside),
        codes_(codings_.size()) {
    EngineQuery query =
        count_query(engine.dialect(), schema, codings_, engine.columns(), engine.table(),
                    {std::move(sets), numbers && engine.gives_numbers()});
    if (!query.units.empty()) {
      engine.start(query.units);
      const std::span<const int64_t> row = engine.next();
      if (row.size() != 1) refuse_answer(engine);
      num_units_ = count_of(row[0], 0, engine);
    }
    forms_ = std::move(query.forms);
    engine.start(query.rows);
  }

  /// 0 unless the schema has a column of units.
  int64_t num_units() const { return num_units_; }

  bool next() {
    const std::span<const int64_t> row = engine_.next();
    if (row.empty()) return false;
    if (row.size() != codings_.size() + 1) refuse_answer(engine_);
    for (size_t i = 0; i < codings_.size(); ++i) {
      if (forms_[i] != ValueForm::kCode) {
        const auto number = std::bit_cast<double>(row[i]);
        codes_[i] = forms_[i] == ValueForm::kDouble
                        ? codings_[i].code_of(number)
                        : code_of_single(static_cast<float>(number), codings_[i]);
      } else if (is_code(row[i], min_code_, codings_[i])) {
        codes_[i] = static_cast<int32_t>(row[i]);
      } else {
        refuse_answer(engine_);
      }
    }
    count_ = count_of(row.back(), 1, engine_);
    return true;
  }

  /// Whether each row is a single record, with codes for all sets.
  bool are_records() const {
    return std::ranges::any_of(forms_, [](ValueForm form) { return form != ValueForm::kCode; });
  }

  /// (codings) the codes of the row, and its count.
  const std::vector<int32_t>& codes() const { return codes_; }
  int64_t count() const { return count_; }

 private:
  Engine& engine_;
  std::vector<ColumnCoding> codings_;
  int32_t min_code_;
  std::vector<ValueForm> forms_;
  std::vector<int32_t> codes_;
  int64_t count_ = 0;
  int64_t num_units_ = 0;
};

/// The counts of one set of columns.
class CountedSet {
 public:
  /// `shared`: the columns that all sets of used columns have.
  CountedSet(const std::vector<ColumnCoding>& codings, std::vector<size_t> columns,
             const std::vector<bool>& shared)
      : columns_(std::move(columns)), is_in_(codings.size()) {
    for (const size_t column : columns_) is_in_[column] = true;
    std::stable_partition(columns_.begin(), columns_.end(),
                          [&](size_t column) { return shared[column]; });
    counter_.emplace(codings, columns_);
  }

  /// Whether a row has codes for exactly these columns.
  bool has(std::span<const int32_t> codes) const {
    for (size_t i = 0; i < codes.size(); ++i)
      if ((codes[i] == CellCode::kAside) == is_in_[i]) return false;
    return true;
  }

  void add(std::span<const int32_t> codes, int64_t count) { counter_->add(codes, count); }

  void finish() {
    rows_ = counter_->take();
    counter_.reset();
    rows_.sort();
  }

  // The rows one after another, once finish() was called.

  size_t num_rows() const { return rows_.num_rows(); }
  bool is_done() const { return row_ == rows_.num_rows(); }
  int64_t num_left() const { return rows_.counts[row_]; }

  /// Writes the codes of the row and takes `count` from it.
  void take(int64_t count, std::span<int32_t> codes) {
    for (size_t i = 0; i < columns_.size(); ++i) codes[columns_[i]] = rows_.row(row_)[i];
    rows_.counts[row_] -= count;
    if (rows_.counts[row_] == 0) ++row_;
  }

 private:
  std::vector<size_t> columns_;  ///< shared ones first
  std::vector<bool> is_in_;
  std::optional<CodeCounter> counter_;
  CountedCodes rows_;
  size_t row_ = 0;
};

/// Rows whose counts agree with those of each set. All sets are sorted by the columns that they
/// share first, so that they agree on these in every row. Errors: kRuntime for more rows than half
/// of the memory holds.
CountedCodes joined_rows(std::vector<CountedSet>& sets, size_t num_columns, const Engine& engine) {
  CountedCodes rows{num_columns, {}, {}};
  size_t most = 0;
  for (CountedSet& set : sets) {
    set.finish();
    most += set.num_rows();
  }
  check_room(most, num_columns);
  rows.codes.reserve(most * num_columns);
  rows.counts.reserve(most);
  const auto is_done = [](const CountedSet& set) { return set.is_done(); };
  std::vector<int32_t> codes(num_columns);
  while (std::ranges::none_of(sets, is_done)) {
    int64_t count = sets.front().num_left();
    for (const CountedSet& set : sets) count = std::min(count, set.num_left());
    for (CountedSet& set : sets) set.take(count, codes);
    append(rows.codes, codes);
    rows.counts.push_back(count);
  }
  if (!std::ranges::all_of(sets, is_done)) refuse_answer(engine);
  return rows;
}

CountedCodes count_sets(CodedRows& rows, const ColumnPlaces& places,
                        const std::vector<ColumnCoding>& codings, const Engine& engine) {
  std::vector<bool> shared(codings.size());
  for (size_t i = 0; i < codings.size(); ++i) {
    shared[i] =
        codings[i].is_used() && std::ranges::all_of(places, [&](const std::vector<size_t>& set) {
          return !codings[set.front()].is_used() || contains(set, i);
        });
  }
  std::vector<CountedSet> sets;
  for (const std::vector<size_t>& set : places) sets.emplace_back(codings, set, shared);
  const bool are_of_all = rows.are_records();
  // Rows of one set mostly follow each other.
  auto last = sets.begin();
  while (rows.next()) {
    if (are_of_all) {
      for (CountedSet& set : sets) set.add(rows.codes(), rows.count());
      continue;
    }
    if (!last->has(rows.codes())) {
      last =
          std::ranges::find_if(sets, [&](const CountedSet& set) { return set.has(rows.codes()); });
      if (last == sets.end()) refuse_answer(engine);
    }
    last->add(rows.codes(), rows.count());
  }
  return joined_rows(sets, codings.size(), engine);
}

/// Rows of an engine in its order; no two are equal.
class StreamedReader final : public CodeReader {
 public:
  StreamedReader(const Engine& engine, const Schema& schema, std::vector<ColumnCoding> codings,
                 std::unique_ptr<CodedRows> rows, std::unique_ptr<Interrupter> interrupter)
      : CodeReader(engine.name(), schema, std::move(codings), rows->num_units()),
        rows_(std::move(rows)),
        interrupter_(std::move(interrupter)) {}

  bool next() override {
    if (!rows_->next()) return false;
    show(rows_->codes(), rows_->count());
    return true;
  }

 private:
  std::unique_ptr<CodedRows> rows_;
  std::unique_ptr<Interrupter> interrupter_;
};

std::unique_ptr<Interrupter> watch(Engine& engine, const TaskProgress* progress) {
  return progress != nullptr ? std::make_unique<Interrupter>(engine, *progress) : nullptr;
}

}  // namespace

CountedTable Engine::count(const Schema& schema, const std::vector<ColumnCoding>& codings,
                           const EngineOptions& options) {
  const std::unique_ptr<Interrupter> interrupter = watch(*this, options.progress);
  const ColumnPlaces sets = places_of(options.sets, codings);
  CodedRows rows(*this, schema, codings, sets);
  CountedTable table{{}, rows.num_units()};
  if (sets.empty()) {
    CodeCounter counter(codings);
    while (rows.next()) counter.add(rows.codes(), rows.count());
    table.rows = counter.take();
  } else {
    table.rows = count_sets(rows, sets, codings, *this);
  }
  table.rows.sort();
  return table;
}

std::unique_ptr<RecordReader> Engine::stream(const Schema& schema, const EngineOptions& options) {
  std::unique_ptr<Interrupter> interrupter = watch(*this, options.progress);
  std::vector<ColumnCoding> codings = column_codings(schema);
  auto rows = std::make_unique<CodedRows>(*this, schema, codings, ColumnPlaces(), false);
  return std::make_unique<StreamedReader>(*this, schema, std::move(codings), std::move(rows),
                                          std::move(interrupter));
}

}  // namespace equinoise

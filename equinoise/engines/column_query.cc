// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/column_query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/codes/cell_coder.h"
#include "equinoise/data/codes/number_threshold.h"
#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/data/values/printed_number.h"
#include "equinoise/data/values/printed_time.h"
#include "equinoise/data/values/utf8.h"

namespace equinoise {

namespace {

constexpr int64_t kMicrosecondsOfSecond = 1'000'000;
constexpr int64_t kMicrosecondsOfDay = 86'400 * kMicrosecondsOfSecond;
constexpr double kMinutesOfDay = 1440;
// Days since 1970 of the first and the last date that a cell can spell, 0001-01-01 and 9999-12-31.
constexpr int kFirstDay = -719'162;
constexpr int kLastDay = 2'932'896;

/// A value that has a code, in the form of a literal.
struct CodedValue {
  std::string literal;
  int32_t code = 0;
};

/// A value whose text may equal a text of the schema.
struct PossibleValue {
  std::string literal;
  std::string cell;         ///< its text in a table
  std::string digits = {};  ///< exact numbers: their digits, or kInfinite after the sign
  double number = 0;        ///< other numbers
};

constexpr std::string_view kInfinite = "infinity";

/// Whether a number in digits, "-12.5", is smaller than another.
bool is_less(std::string_view a, std::string_view b) {
  const bool is_negative = a.starts_with('-');
  if (is_negative != b.starts_with('-')) return is_negative;
  if (is_negative) {
    std::swap(a, b);
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a == kInfinite || b == kInfinite) return a != kInfinite;
  const auto num_whole = [](std::string_view digits) {
    return std::min(digits.find('.'), digits.size());
  };
  return num_whole(a) != num_whole(b) ? num_whole(a) < num_whole(b) : a < b;
}

/// The digits of a decimal type, "numeric(10,2)". No num_decimals: any number of them.
struct DeclaredDigits {
  std::optional<int> num_decimals;
  int num_digits = 38;
};

DeclaredDigits declared_digits(const EngineColumn& column) {
  if (column.type == EngineType::kInteger) return {0};
  const std::string& text = column.declared;
  const size_t open = text.find('(');
  if (open == text.npos) return {};
  DeclaredDigits type;
  const auto [comma, error] =
      std::from_chars(text.data() + open + 1, text.data() + text.size(), type.num_digits);
  if (error != std::errc()) return {};
  int num_decimals = 0;
  if (*comma == ',') {
    const char* begin = comma + 1;
    while (*begin == ' ') ++begin;
    if (std::from_chars(begin, text.data() + text.size(), num_decimals).ec != std::errc())
      return {};
  }
  if (num_decimals < 0) return {};
  type.num_decimals = num_decimals;
  return type;
}

class ColumnStatement {
 public:
  ColumnStatement(Dialect dialect, const Schema& schema, const ColumnCoding& coding,
                  const EngineColumn& column, size_t number, bool is_settled)
      : dialect_(dialect),
        coding_(coding),
        column_(coding.column()),
        engine_column_(column),
        value_(fmt::format("x{}", number)),
        text_(value_),
        raw_(fmt::format("r{}", number)),
        is_settled_(is_settled),
        has_one_value_(!coding.is_used() && !is_settled),
        coder_(schema, coding) {
    const std::vector<std::string> texts = known_texts();
    has_bytes_ = dialect_ == Dialect::kPostgres && is_text() && !coding_.is_numeric() &&
                 !std::ranges::all_of(texts, is_ascii);
    if (has_bytes_) text_ = fmt::format("b{}", number);
  }

  ColumnQuery query(bool numbers_are_coded_here) {
    const EngineType type = engine_column_.type;
    if (type == EngineType::kOther) refuse();
    const std::string name = quoted_name(dialect_, engine_column_.name);
    ColumnQuery query;
    if (numbers_are_coded_here && are_doubles()) {
      query.form = type == EngineType::kFloat ? ValueForm::kSingle : ValueForm::kDouble;
      query.values = {fmt::format("CAST({} AS DOUBLE) AS {}", name, value_)};
      query.code = value_;
      return query;
    }
    query.values = {fmt::format("{} AS {}", value_of(name), value_)};
    when(value_ + " IS NULL", CellCode::kMissing);
    if (is_floating() || (type == EngineType::kDecimal && dialect_ == Dialect::kPostgres)) {
      when(is_nan(dialect_, value_, type != EngineType::kDecimal),
           dialect_ == Dialect::kDuckDb ? CellCode::kMissing : coder_.code_of("NaN"));
    }
    if (coding_.is_numeric()) {
      add_bins();
    } else {
      const bool needs_raw = add_texts();
      const auto add = [&](const std::string& text, const std::string& as) {
        query.values.push_back(fmt::format("{} AS {}", has_bytes_ ? utf8_of(text) : text, as));
      };
      if (has_bytes_) add(value_of(name), text_);
      if (needs_raw) add(compared_by_bytes(dialect_, as_text(dialect_, name)), raw_);
    }
    query.code = fmt::format("CASE{}\n  ELSE {}\nEND", branches_, code(CellCode::kImpossible));
    return query;
  }

 private:
  using Edge = std::function<std::string(double edge)>;

  bool is_text() const {
    return engine_column_.type == EngineType::kText ||
           engine_column_.type == EngineType::kPaddedText;
  }

  /// Whether its numbers are exact decimal ones.
  bool is_exact() const {
    return engine_column_.type == EngineType::kInteger ||
           engine_column_.type == EngineType::kDecimal;
  }

  bool is_floating() const {
    return engine_column_.type == EngineType::kFloat || engine_column_.type == EngineType::kDouble;
  }

  /// The expression that is compared for a column.
  std::string value_of(const std::string& name) const {
    if (is_text()) return trimmed(dialect_, as_text(dialect_, name));
    // DuckDB converts literals that are compared with TIMESTAMP_NS to that type, which has no years
    // before 1677. Schemas have no unit below a microsecond.
    return engine_column_.declared == "TIMESTAMP_NS" ? fmt::format("CAST({} AS TIMESTAMP)", name)
                                                     : name;
  }

  /// Whether double precision distinguishes all numbers that the schema distinguishes.
  bool are_doubles() const {
    constexpr int kMaxDigits = 15;        // numbers of so many digits survive a double
    constexpr double kMaxWhole = 0x1p53;  // whole numbers are rounded beyond
    if (!coding_.is_numeric() || column_.time || is_settled_) return false;
    switch (engine_column_.type) {
      case EngineType::kFloat:
      case EngineType::kDouble:
        return true;
      case EngineType::kDecimal:
        return declared_digits(engine_column_).num_digits <= kMaxDigits;
      case EngineType::kInteger: {
        const std::vector<std::string>& marks = coding_.missing_marks();
        return engine_column_.declared.find("HUGE") == std::string::npos &&
               std::ranges::none_of(marks, [](const std::string& mark) {
                 return std::fabs(parse_number(without_blanks_around(mark)).value_or(0)) >=
                        kMaxWhole;
               });
      }
      default:
        return false;
    }
  }

  [[noreturn]] void refuse() const {
    const std::string wanted =
        !coding_.is_numeric() ? "a category: text, a number, a date or true and false"
        : column_.time ? fmt::format("a {} as {}", column_.time->has_time() ? "time" : "date",
                                     to_string(*column_.time))
                       : "a number";
    throw Error(ErrorKind::kInput, "data.engine",
                "column '{}' is {} in the engine, but the schema says that it is {}; {}",
                column_.name, engine_column_.declared, wanted, engine_column_.remedy);
  }

  std::string code(int32_t code) const {
    if (has_one_value_) return std::to_string(std::min(code, 0));
    return std::to_string(is_settled_ ? coding_.settled(code) : code);
  }

  void when(const std::string& condition, const std::string& result) {
    const std::string_view before = result.find('\n') == result.npos ? " " : "\n    ";
    branches_ += fmt::format("\n  WHEN {} THEN{}{}", condition, before, result);
  }
  void when(const std::string& condition, int32_t result) { when(condition, code(result)); }

  // Numbers.

  /// The condition that a value is read as less than a number, or as that number or more.
  std::string is_below(double edge) const { return compared(edge, "<", "<="); }
  std::string reaches(double edge) const { return compared(edge, ">=", ">"); }

  /// `beyond`: the operator instead of `usual` if the literal itself does not reach the edge.
  std::string compared(double edge, std::string_view usual, std::string_view beyond) const {
    if (column_.time) return fmt::format("{} {} {}", value_, usual, time_literal(std::ceil(edge)));
    if (is_exact()) {
      const DeclaredDigits type = declared_digits(engine_column_);
      const DecimalThreshold threshold =
          decimal_threshold(edge, type.num_decimals, type.num_digits);
      return fmt::format("{} {} {}", value_, threshold.is_reached ? usual : beyond,
                         decimal_literal(threshold.digits));
    }
    if (engine_column_.type == EngineType::kFloat) edge = double{float_threshold(edge)};
    return fmt::format("{} {} {}", value_, usual, double_literal(dialect_, edge));
  }

  /// The literal of `number` units of the column's times.
  std::string time_literal(double number) const {
    const TimeFormat& format = *column_.time;
    const double per_day = units_per_day(format.unit);
    if (engine_column_.type == EngineType::kDate)
      return date_literal(print_time(std::ceil(number / per_day), {TimeUnit::kDay}));
    if (format.offset) {
      number -= *format.offset * (per_day / kMinutesOfDay);
      // The first local times may be, in UTC, before all times that an engine can write.
      number = std::max(number, kFirstDay * per_day);
    }
    std::string iso = print_time(number, {format.unit, ' ', {}});
    if (format.unit == TimeUnit::kMinute) iso += ":00";
    return format.offset ? zoned_literal(dialect_, iso) : timestamp_literal(dialect_, iso);
  }

  /// Whether values of the engine's type can be read as times of the column.
  bool has_times() const {
    const TimeFormat& format = *column_.time;
    const EngineType of_times =
        format.offset ? EngineType::kZonedTimestamp : EngineType::kTimestamp;
    return engine_column_.type == EngineType::kDate ||
           (format.has_time() && engine_column_.type == of_times);
  }

  /// Makes times before the year 1 and after 9999, including infinite ones of some engines,
  /// kNoNumber. A cell must lie between these years both in UTC and in the schema's zone.
  void refuse_impossible_times() {
    PrintedTime printed;
    const auto refuse_outside = [&](const std::string& first, const std::string& last) {
      when(fmt::format("{0} < {1} OR {0} > {2}", value_, first, last), CellCode::kNoNumber);
    };
    if (engine_column_.type == EngineType::kDate) {
      const std::string first = date_literal(printed.print_date(kFirstDay));
      refuse_outside(first, date_literal(printed.print_date(kLastDay)));
      return;
    }
    const int64_t ahead =
        int64_t{60} * column_.time->offset.value_or(0) * kMicrosecondsOfSecond;  // of UTC
    const auto literal = [&](int64_t microseconds) {
      const std::string iso(printed.print_timestamp(microseconds, kMicrosecondsOfSecond, false));
      return column_.time->offset ? zoned_literal(dialect_, iso) : timestamp_literal(dialect_, iso);
    };
    refuse_outside(literal(kFirstDay * kMicrosecondsOfDay - std::min(ahead, int64_t{0})),
                   literal((kLastDay + 1) * kMicrosecondsOfDay - 1 - std::max(ahead, int64_t{0})));
  }

  void add_bins() {
    if (column_.time ? !has_times() : !is_exact() && !is_floating()) refuse();
    for (const PossibleValue& mark : possible_values(coding_.missing_marks()))
      if (coder_.code_of(mark.cell) == CellCode::kMissing)
        when(fmt::format("{} = {}", value_, mark.literal), CellCode::kMissing);
    if (column_.time) refuse_impossible_times();
    when(is_below(column_.lower), CellCode::kBelow);
    const double above = column_.time ? std::floor(column_.upper) + 1 : next_up(column_.upper);
    const bool may_be_broken = engine_column_.type == EngineType::kDecimal || is_floating();
    when(reaches(above), CellCode::kAbove);
    if (column_.whole && may_be_broken)
      when(fmt::format("{0} <> FLOOR({0})", value_), CellCode::kNoNumber);
    when(reaches(column_.lower), bins(0, coding_.bins().num_bins(), "    "));
  }

  /// The bin of a value that lies in one of the bins first to end - 1.
  std::string bins(size_t first, size_t end, const std::string& indent) const {
    if (end - first == 1 || has_one_value_) return code_of_bin(first);
    const size_t middle = first + (end - first) / 2;
    const std::string condition = is_below(coding_.bins().edges()[middle]);
    if (end - first == 2)
      return fmt::format("CASE WHEN {} THEN {} ELSE {} END", condition, code_of_bin(first),
                         code_of_bin(middle));
    const std::string deeper = indent + "  ";
    return fmt::format("CASE WHEN {1} THEN\n{0}  {2}\n{0}ELSE\n{0}  {3}\n{0}END", indent, condition,
                       bins(first, middle, deeper), bins(middle, end, deeper));
  }

  std::string code_of_bin(size_t bin) const { return code(static_cast<int32_t>(bin)); }

  // Comparisons for equality.

  /// The values whose texts may be read as one of these texts, ascending.
  std::vector<PossibleValue> possible_values(const std::vector<std::string>& texts) const {
    std::map<std::string, PossibleValue> values;  // by literal
    for (const std::string& text : texts) {
      std::optional<PossibleValue> value = possible_value(without_blanks_around(text));
      if (value) values.emplace(value->literal, std::move(*value));
    }
    std::vector<PossibleValue> sorted;
    for (auto& [literal, value] : values) sorted.push_back(std::move(value));
    std::ranges::stable_sort(sorted, [](const PossibleValue& a, const PossibleValue& b) {
      return a.digits.empty() ? a.number < b.number : is_less(a.digits, b.digits);
    });
    return sorted;
  }

  /// The value whose text may be read as this one; nothing if there is none.
  std::optional<PossibleValue> possible_value(std::string_view text) const {
    return is_exact()      ? possible_decimal(text)
           : is_floating() ? possible_double(text)
                           : possible_time(text);
  }

  std::optional<PossibleValue> possible_decimal(std::string_view text) const {
    const DeclaredDigits type = declared_digits(engine_column_);
    if (is_infinity(text)) {
      // Only PostgreSQL has infinite decimal numbers, in types without a fixed number of digits.
      if (dialect_ != Dialect::kPostgres || type.num_decimals) return std::nullopt;
      const std::string digits = fmt::format("{}{}", text.starts_with('-') ? "-" : "", kInfinite);
      return PossibleValue{decimal_literal(digits), std::string(text), digits};
    }
    const std::optional<std::string> digits =
        held_decimal(text, type.num_decimals, type.num_digits);
    if (!digits) return std::nullopt;
    std::string cell = *digits;
    // Other engines print nothing before the point for a type that has decimals only.
    if (dialect_ != Dialect::kPostgres && type.num_decimals.value_or(0) > 0 &&
        *type.num_decimals == type.num_digits)
      cell.erase(cell.find('0'), 1);
    return PossibleValue{decimal_literal(*digits), cell, *digits};
  }

  std::optional<PossibleValue> possible_double(std::string_view text) const {
    const std::optional<double> number = parse_number(text);
    if (!number) return std::nullopt;
    PrintedNumber printed;
    // Engines print infinite numbers in several ways, so a mark in any of them counts.
    if (std::isinf(*number))
      return PossibleValue{double_literal(dialect_, *number), std::string(text), {}, *number};
    if (engine_column_.type == EngineType::kDouble) {
      return PossibleValue{
          double_literal(dialect_, *number), std::string(printed.print(*number)), {}, *number};
    }
    const auto single = static_cast<float>(*number);
    return PossibleValue{
        double_literal(dialect_, single), std::string(printed.print(single)), {}, single};
  }

  std::optional<PossibleValue> possible_time(std::string_view text) const {
    const bool is_zoned = engine_column_.type == EngineType::kZonedTimestamp;
    const auto literal_of_time = [&](const std::string& iso) {
      return engine_column_.type == EngineType::kDate ? date_literal(iso)
             : is_zoned                               ? zoned_literal(dialect_, iso)
                                                      : timestamp_literal(dialect_, iso);
    };
    if (is_infinity(text)) {
      if (dialect_ != Dialect::kPostgres && dialect_ != Dialect::kDuckDb) return std::nullopt;
      const std::string printed = fmt::format("{}{}", text.starts_with('-') ? "-" : "", kInfinite);
      return PossibleValue{literal_of_time(printed), printed};
    }
    const std::optional<ParsedTime> time = parse_time(text);
    if (!time) return std::nullopt;
    PrintedTime printed;
    if (engine_column_.type == EngineType::kDate) {
      const std::string date(printed.print_date(time->day));
      return PossibleValue{literal_of_time(date), date};
    }
    const int64_t microseconds =
        time->day * kMicrosecondsOfDay + time->microseconds -
        (is_zoned ? int64_t{60} * time->offset.value_or(0) * kMicrosecondsOfSecond : 0);
    const std::string iso(printed.print_timestamp(microseconds, kMicrosecondsOfSecond, false));
    return PossibleValue{literal_of_time(iso), std::string(printed.print_timestamp(
                                                   microseconds, kMicrosecondsOfSecond, is_zoned))};
  }

  /// All texts that the schema lists for cells of the column.
  std::vector<std::string> known_texts() const {
    std::vector<std::string> texts = column_.cell_texts;
    append(texts, column_.values);
    append(texts, coding_.missing_marks());
    return texts;
  }

  /// Adds the codes of categories. Returns whether they need the text including blanks around it.
  bool add_texts() {
    if (engine_column_.type == EngineType::kBoolean) {
      when(value_ + " = TRUE", coder_.code_of("true"));
      when(value_ + " = FALSE", coder_.code_of("false"));
      return false;
    }
    std::vector<CodedValue> values;  // ascending
    bool needs_raw = false;
    std::string other = code(CellCode::kUnlisted);
    if (is_text()) {
      std::map<std::string, int32_t> codes;  // in the order of their bytes
      for (const std::string& text : known_texts()) {
        const int32_t found = coder_.code_of(text);
        if (without_blanks_around(text).size() == text.size()) {
          codes.emplace(text, found);
          continue;
        }
        needs_raw = true;
        when(fmt::format("{} = {}", raw_, literal_of(text)), found);
      }
      if (are_truth_pair(column_.texts())) other = truth_words(codes);
      for (const auto& [text, found] : codes) values.push_back({literal_of(text), found});
    } else {
      std::vector<std::string> texts = known_texts();
      if (are_truth_pair(column_.texts())) texts.insert(texts.end(), {"0", "1"});
      for (const PossibleValue& value : possible_values(texts)) {
        const int32_t found = coder_.code_of(value.cell);
        if (found != CellCode::kUnlisted) values.push_back({value.literal, found});
      }
    }
    when(value_ + " IS NOT NULL", search(values, 0, values.size(), other, "    "));
    return needs_raw;
  }

  /// The codes of truth values in spellings that are not listed.
  std::string truth_words(const std::map<std::string, int32_t>& listed) {
    std::map<int32_t, std::vector<std::string>> words;  // by code
    for (const std::string_view word : kTruthWords) {
      for (const size_t num_capitals : {size_t{0}, size_t{1}, size_t{5}}) {
        const std::string spelling = in_capitals(std::string(word), num_capitals);
        if (listed.contains(spelling)) continue;
        words[coder_.code_of(spelling)].push_back(text_literal(dialect_, word));
        break;
      }
    }
    std::string text = "CASE";
    for (const auto& [found, spelled] : words)
      text += fmt::format(" WHEN LOWER({}) IN ({}) THEN {}", value_, fmt::join(spelled, ", "),
                          code(found));
    return text + fmt::format(" ELSE {} END", code(CellCode::kUnlisted));
  }

  static std::string in_capitals(std::string word, size_t num_capitals) {
    for (size_t i = 0; i < std::min(num_capitals, word.size()); ++i)
      if (word[i] >= 'a' && word[i] <= 'z') word[i] = static_cast<char>(word[i] - 'a' + 'A');
    return word;
  }

  /// A text of the schema as a literal to be compared with `text_` or `raw_`.
  std::string literal_of(const std::string& text) const {
    return has_bytes_ ? utf8_literal(text) : text_literal(dialect_, text);
  }

  /// The code of the value that equals one of `values`, or `other`. Values of the same code are in
  /// one list.
  std::string search_by_code(const std::vector<CodedValue>& values, const std::string& other,
                             const std::string& indent) const {
    std::map<std::string, std::vector<std::string>> literals;  // by code
    for (const CodedValue& value : values) literals[code(value.code)].push_back(value.literal);
    std::string text = "CASE";
    for (const auto& [found, equal] : literals)
      text += fmt::format("\n{}  WHEN {} IN ({}) THEN {}", indent, text_, fmt::join(equal, ", "),
                          found);
    return text + fmt::format("\n{0}  ELSE {1}\n{0}END", indent, other);
  }

  std::string search_in_list(std::span<const CodedValue> values, const std::string& other) const {
    std::vector<std::string> literals;
    std::vector<std::string> codes;
    for (const CodedValue& value : values) {
      literals.push_back(value.literal);
      codes.push_back(code(value.code));
    }
    return fmt::format("COALESCE(list_extract([{}], list_position([{}], {})), {})",
                       fmt::join(codes, ", "), fmt::join(literals, ", "), text_, other);
  }

  /// The code of the value that equals one of `values`, or `other`. `values` are ascending: a
  /// binary search leaves few comparisons.
  std::string search(const std::vector<CodedValue>& values, size_t first, size_t end,
                     const std::string& other, const std::string& indent) const {
    constexpr size_t kFew = 16;
    constexpr size_t kFewInList = 128;
    if (first == end) return other;
    if (has_one_value_) return search_by_code(values, other, indent);
    // DuckDB looks up each text of a dictionary once in functions, but not in CASE.
    if (dialect_ == Dialect::kDuckDb && is_text() && end - first <= kFewInList)
      return search_in_list(std::span(values).subspan(first, end - first), other);
    if (end - first > kFew) {
      const size_t middle = first + (end - first) / 2;
      const std::string deeper = indent + "  ";
      return fmt::format("CASE WHEN {1} < {2} THEN\n{0}  {3}\n{0}ELSE\n{0}  {4}\n{0}END", indent,
                         text_, values[middle].literal,
                         search(values, first, middle, other, deeper),
                         search(values, middle, end, other, deeper));
    }
    std::string text = "CASE";
    for (size_t i = first; i < end; ++i) {
      text += fmt::format("\n{}  WHEN {} = {} THEN {}", indent, text_, values[i].literal,
                          code(values[i].code));
    }
    return text + fmt::format("\n{0}  ELSE {1}\n{0}END", indent, other);
  }

  Dialect dialect_;
  const ColumnCoding& coding_;
  const ColumnSchema& column_;
  const EngineColumn& engine_column_;
  std::string value_;       ///< the name in statements; texts without the blanks around them
  std::string text_;        ///< the side compared with texts of the schema: `value_`, or its bytes
  std::string raw_;         ///< the same with blanks
  bool has_bytes_ = false;  ///< texts are compared as bytes in UTF-8, whatever the encoding
  bool is_settled_;
  bool has_one_value_;  ///< all values have the same code
  CellCoder coder_;
  std::string branches_;
};

}  // namespace

ColumnQuery column_query(Dialect dialect, const Schema& schema, const ColumnCoding& coding,
                         const EngineColumn& column, size_t number, bool is_settled,
                         bool numbers_are_coded_here) {
  return ColumnStatement(dialect, schema, coding, column, number, is_settled)
      .query(numbers_are_coded_here);
}

}  // namespace equinoise

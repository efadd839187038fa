// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace equinoise {

/// The classes of errors that a caller can act on. The values are the exit codes of the tool.
enum class ErrorKind {
  kRuntime = 1,    ///< The work itself failed (disk full, interrupted).
  kUsage = 2,      ///< A parameter is wrong or missing.
  kInput = 3,      ///< A table or a schema is wrong.
  kBudget = 4,     ///< The privacy budget does not allow it; nothing was spent.
  kThreshold = 5,  ///< A limit or constraint fails, or strictly does not hold.
  kLedger = 6,     ///< The ledger is missing, locked, read-only or corrupt.
};

/// The one exception of the library.
///
/// A message has the form `[room.part] what is wrong, got what; what to do`. It depends only on
/// public facts (schema, configuration, file syntax, public sizes) and never contains the value of
/// a cell.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string_view where, std::string_view message)
      : std::runtime_error("[" + std::string(where) + "] " + std::string(message)),
        kind_(kind),
        problem_(message) {}

  /// A message that is formatted as by fmt::format.
  template <typename First, typename... Others>
  Error(ErrorKind kind, std::string_view where, fmt::format_string<First, Others...> text,
        First&& first, Others&&... others)
      : Error(kind, where,
              fmt::format(text, std::forward<First>(first), std::forward<Others>(others)...)) {}

  ErrorKind kind() const { return kind_; }

  /// The message without the room and the part.
  const std::string& problem() const { return problem_; }

 private:
  ErrorKind kind_;
  std::string problem_;
};

/// Throws errors of a source: `constexpr Refusal refuse{ErrorKind::kUsage, kWhere};` and then
/// `refuse("got {}", value)`.
struct Refusal {
  ErrorKind kind;
  std::string_view where;

  [[noreturn]] void operator()(std::string_view message) const {
    throw Error(kind, where, message);
  }

  template <typename First, typename... Others>
  [[noreturn]] void operator()(fmt::format_string<First, Others...> text, First&& first,
                               Others&&... others) const {
    throw Error(kind, where,
                fmt::format(text, std::forward<First>(first), std::forward<Others>(others)...));
  }
};

}  // namespace equinoise

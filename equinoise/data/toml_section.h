#pragma once

#include <fmt/format.h>

#include <stdexcept>

namespace equinoise::toml_detail {
[[noreturn]] inline void assertion_failed() { throw std::runtime_error("toml++ assertion"); }
}  // namespace equinoise::toml_detail

// On some malformed documents ("[}x]") the parser runs into its own assertions, which would end the
// process, or without them be undefined: here they throw, and parse_schema says "not valid TOML".
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) \
  (static_cast<bool>(condition) ? void() : ::equinoise::toml_detail::assertion_failed())
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace equinoise {

/// A TOML document without its comments and without lines that they leave blank.
std::string without_comments(std::string_view text);

/// A table of a TOML file with its place in it, which every message names. Refers to the document
/// and to `origin`, which must outlive it.
///
/// A value that is absent is std::nullopt; one of another type is an error (kInput, `data.schema`).
class TomlSection {
 public:
  /// path: "columns.age", "" for the root. origin: the name of the file.
  TomlSection(const toml::table& table, std::string path, std::string_view origin)
      : table_(table), path_(std::move(path)), origin_(origin) {}

  const toml::table& table() const { return table_; }
  bool has(std::string_view key) const { return table_.contains(key); }

  /// "columns.age.bounds"
  std::string name_of(std::string_view key) const;

  [[noreturn]] void fail_at(const toml::source_region& region, std::string_view problem) const;
  /// Points at the value of `key`, or at the section if it has no such key.
  [[noreturn]] void fail(std::string_view key, std::string_view problem) const;
  [[noreturn]] void fail_missing(std::string_view key, std::string_view example) const;

  /// Fails for a key that is not allowed; `hint` says of what: " of a numeric column".
  void check_keys(const std::vector<std::string>& allowed, std::string_view hint = "") const;

  std::optional<std::string> text(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  /// Distinct strings.
  std::optional<std::vector<std::string>> texts(std::string_view key) const;
  /// The list at `key`, or nullptr if there is none; `kind` says what it must be: "two numbers".
  const toml::array* array(std::string_view key, std::string_view kind) const;
  double finite_number(const toml::node& node, std::string_view name) const;

  /// The table at `key`; the message of its absence shows `example`.
  TomlSection section(std::string_view key, std::string_view example) const;
  TomlSection section(const toml::node& node, std::string path, std::string_view example) const;

  /// The keys in the order of the file; toml++ sorts them by name.
  std::vector<std::pair<const toml::key*, const toml::node*>> in_file_order() const;

  /// One of a list of words, each with its meaning.
  template <typename Enum>
  Enum choice(std::string_view key, Enum absent,
              std::initializer_list<std::pair<std::string_view, Enum>> choices) const {
    const std::optional<std::string> word = text(key);
    if (!word) return absent;
    std::string allowed;
    for (const auto& [name, value] : choices) {
      if (name == *word) return value;
      allowed += fmt::format("{}\"{}\"", allowed.empty() ? "" : ", ", name);
    }
    fail(key, fmt::format("{} must be one of {}, got \"{}\"", name_of(key), allowed, *word));
  }

 private:
  template <typename T>
  std::optional<T> exact(std::string_view key, std::string_view kind) const;

  const toml::table& table_;
  std::string path_;
  std::string_view origin_;
};

/// "; did you mean 'income'?", or "" if no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// UTF-8 text as a TOML string in quotes, on one line.
std::string toml_string(std::string_view text);

/// A key as TOML spells it: bare where that is possible, else in quotes.
std::string toml_key(std::string_view key);

/// ["a", "b"], broken into lines of at most 100 characters after the first `indent` ones.
std::string toml_list(const std::vector<std::string>& values, size_t indent);

}  // namespace equinoise

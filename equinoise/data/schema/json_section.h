// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// A JSON text from outside and its description for messages.
struct JsonSource {
  std::string origin;      ///< the file's name
  std::string_view where;  ///< "tasks.model"
  std::string_view kind;   ///< the expected content: "a model"
  std::string_view hint;   ///< the remedy

  /// Throws an input error. Messages never quote the text: a table of records may have been given
  /// in its place.
  [[noreturn]] void fail(std::string_view problem) const;
};

/// The text of a file. Errors: kInput that names it: missing, unreadable, not a regular file,
/// larger than 1 GiB.
std::string read_json_file(const std::filesystem::path& path, const JsonSource& source);

/// Parses strictly, as nlohmann::ordered_json if the order of keys matters. Errors: kInput with
/// line and column for a text that is no JSON; for a key that comes twice in one object, nesting
/// deeper than 16, and numbers that are not finite.
template <typename Json = nlohmann::json>
Json parse_json(std::string_view text, const JsonSource& source);

/// A JSON object with its place in the text, which every message names.
template <typename Json>
class BasicJsonSection {
 public:
  /// Keeps references. `path`: "" for the whole text. Errors (kInput), as all below: not an object;
  /// a member that is missing or of another kind.
  BasicJsonSection(const Json& json, std::string path, const JsonSource& source);

  /// "measurements[3]", for messages.
  const std::string& path() const { return path_; }

  const Json& member(const std::string& key) const;
  bool has(const std::string& key) const { return json_.contains(key); }
  BasicJsonSection section(const std::string& key) const;
  /// The objects of a list.
  std::vector<BasicJsonSection> sections(const std::string& key) const;
  std::vector<std::string> names() const;

  std::string text(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;
  double number(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;
  bool flag(const std::string& key) const;
  uint64_t unsigned_integer(const std::string& key) const;
  std::vector<size_t> unsigned_integers(const std::string& key) const;
  const Json& list(const std::string& key) const;

  /// Throws the error for a member of another kind than `expected`.
  [[noreturn]] void wrong(const std::string& key, std::string_view expected) const;

 private:
  std::string name_of(const std::string& key) const;

  const Json& json_;
  std::string path_;
  const JsonSource& source_;
};

using JsonSection = BasicJsonSection<nlohmann::json>;
using OrderedJsonSection = BasicJsonSection<nlohmann::ordered_json>;

}  // namespace equinoise

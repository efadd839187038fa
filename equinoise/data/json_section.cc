// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/json_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <system_error>

#include "equinoise/base/error.h"

namespace equinoise {
namespace {

using Json = nlohmann::json;

constexpr uintmax_t kMaxJsonBytes = uintmax_t{1} << 30;
constexpr int kMaxDepth = 16;

/// "12:3", the line and column of a byte, each from 1.
std::string place_of(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", 1 + std::count(before.begin(), before.end(), '\n'),
                     1 + before.size() - line_start);
}

/// Refuses what the library would let pass: deep nesting, and a key twice in an object.
class StrictCallback {
 public:
  explicit StrictCallback(const JsonSource& source) : source_(source) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > kMaxDepth) source_.fail(fmt::format("is not {}; {}", source_.kind, source_.hint));
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys_.back().insert(value.get_ref<const std::string&>()).second) {
      source_.fail("has the same key twice in one object; remove one");
    }
    return true;
  }

 private:
  const JsonSource& source_;
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
};

}  // namespace

void JsonSource::fail(std::string_view problem) const {
  throw Error(ErrorKind::kInput, where, fmt::format("{}: {}", origin, problem));
}

std::string read_json_file(const std::filesystem::path& path, const JsonSource& source) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    source.fail(fmt::format("no such file; {}", source.hint));
  }
  if (status.type() == std::filesystem::file_type::none) source.fail(error.message());
  if (!std::filesystem::is_regular_file(status)) source.fail("is not a regular file");
  if (std::filesystem::file_size(path, error) > kMaxJsonBytes) {
    source.fail(fmt::format("is larger than 1 GiB; {}", source.hint));
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    source.fail(fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  }
  std::ostringstream text;
  text << stream.rdbuf();
  // An empty file sets the fail bit, too; parsing says so.
  if (stream.bad() || text.bad()) source.fail("cannot be read");
  return std::move(text).str();
}

Json parse_json(std::string_view text, const JsonSource& source) {
  try {
    StrictCallback strict(source);
    return Json::parse(text.begin(), text.end(), std::ref(strict));
  } catch (const Json::parse_error& error) {
    throw Error(ErrorKind::kInput, source.where,
                fmt::format("{}:{}: is not JSON, or was cut short; {}", source.origin,
                            place_of(text, error.byte), source.hint));
  } catch (const Json::exception&) {
    source.fail("contains a number that is too large");
  }
}

JsonSection::JsonSection(const Json& json, std::string path, const JsonSource& source)
    : json_(json), path_(std::move(path)), source_(source) {
  if (json_.is_object()) return;
  source_.fail(
      fmt::format("{} must be an object; {}", path_.empty() ? "the file" : path_, source_.hint));
}

const Json& JsonSection::member(const std::string& key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) {
    source_.fail(fmt::format("lacks {}; {}", name_of(key), source_.hint));
  }
  return *found;
}

JsonSection JsonSection::section(const std::string& key) const {
  return JsonSection(member(key), name_of(key), source_);
}

std::vector<JsonSection> JsonSection::sections(const std::string& key) const {
  std::vector<JsonSection> result;
  for (const Json& element : list(key)) {
    result.emplace_back(element, fmt::format("{}[{}]", name_of(key), result.size()), source_);
  }
  return result;
}

std::vector<std::string> JsonSection::names() const {
  std::vector<std::string> names;
  for (const auto& item : json_.items()) names.push_back(item.key());
  return names;
}

std::string JsonSection::text(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_string()) wrong(key, "a string");
  return value.get<std::string>();
}

std::vector<std::string> JsonSection::texts(const std::string& key) const {
  std::vector<std::string> values;
  for (const Json& value : list(key)) {
    if (!value.is_string()) wrong(key, "a list of strings");
    values.push_back(value.get<std::string>());
  }
  return values;
}

double JsonSection::number(const std::string& key) const {
  const Json& value = member(key);
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!std::isfinite(number)) wrong(key, "a finite number");
  return number;
}

std::vector<double> JsonSection::numbers(const std::string& key) const {
  std::vector<double> values;
  for (const Json& value : list(key)) {
    values.push_back(value.is_number() ? value.get<double>() : NAN);
    if (!std::isfinite(values.back())) wrong(key, "a list of finite numbers");
  }
  return values;
}

bool JsonSection::flag(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_boolean()) wrong(key, "true or false");
  return value.get<bool>();
}

uint64_t JsonSection::unsigned_integer(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_number_unsigned()) wrong(key, "a whole number from 0 to 2^64 - 1");
  return value.get<uint64_t>();
}

std::vector<size_t> JsonSection::unsigned_integers(const std::string& key) const {
  std::vector<size_t> values;
  for (const Json& value : list(key)) {
    if (!value.is_number_unsigned()) wrong(key, "a list of whole numbers");
    values.push_back(value.get<size_t>());
  }
  return values;
}

const Json& JsonSection::list(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_array()) wrong(key, "a list");
  return value;
}

void JsonSection::wrong(const std::string& key, std::string_view expected) const {
  source_.fail(fmt::format("{} must be {}; the file is damaged or not {}", name_of(key), expected,
                           source_.kind));
}

std::string JsonSection::name_of(const std::string& key) const {
  return path_.empty() ? key : fmt::format("{}.{}", path_, key);
}

}  // namespace equinoise

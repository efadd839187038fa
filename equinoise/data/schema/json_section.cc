// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/json_section.h"

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

constexpr uintmax_t kMaxJsonBytes = uintmax_t{1} << 30;
constexpr int kMaxDepth = 16;

using ParseEvent = nlohmann::json::parse_event_t;

/// "12:3", the line and column of a byte, each from 1.
std::string place_of(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", 1 + std::ranges::count(before, '\n'), 1 + before.size() - line_start);
}

/// Refuses deep nesting and repeated keys of an object, which the library would accept.
class StrictCallback {
 public:
  explicit StrictCallback(const JsonSource& source) : source_(source) {}

  template <typename Json>
  bool operator()(int depth, ParseEvent event, const Json& value) {
    if (depth > kMaxDepth) source_.fail(fmt::format("is not {}; {}", source_.kind, source_.hint));
    if (event == ParseEvent::object_start) keys_.emplace_back();
    if (event == ParseEvent::object_end) keys_.pop_back();
    if (event == ParseEvent::key &&
        !keys_.back().insert(value.template get_ref<const std::string&>()).second) {
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
  throw Error(ErrorKind::kInput, where, "{}: {}", origin, problem);
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
  // An empty file also sets the fail bit; parsing reports it.
  if (stream.bad() || text.bad()) source.fail("cannot be read");
  return std::move(text).str();
}

template <typename Json>
Json parse_json(std::string_view text, const JsonSource& source) {
  try {
    StrictCallback strict(source);
    return Json::parse(text.begin(), text.end(), std::ref(strict));
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(ErrorKind::kInput, source.where, "{}:{}: is not JSON, or was cut short; {}",
                source.origin, place_of(text, error.byte), source.hint);
  } catch (const nlohmann::json::exception&) {
    source.fail("contains a number that is too large");
  }
}

template <typename Json>
BasicJsonSection<Json>::BasicJsonSection(const Json& json, std::string path,
                                         const JsonSource& source)
    : json_(json), path_(std::move(path)), source_(source) {
  if (json_.is_object()) return;
  source_.fail(
      fmt::format("{} must be an object; {}", path_.empty() ? "the file" : path_, source_.hint));
}

template <typename Json>
const Json& BasicJsonSection<Json>::member(const std::string& key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) {
    source_.fail(fmt::format("lacks {}; {}", name_of(key), source_.hint));
  }
  return *found;
}

template <typename Json>
BasicJsonSection<Json> BasicJsonSection<Json>::section(const std::string& key) const {
  return BasicJsonSection(member(key), name_of(key), source_);
}

template <typename Json>
std::vector<BasicJsonSection<Json>> BasicJsonSection<Json>::sections(const std::string& key) const {
  std::vector<BasicJsonSection<Json>> result;
  for (const Json& element : list(key)) {
    result.emplace_back(element, fmt::format("{}[{}]", name_of(key), result.size()), source_);
  }
  return result;
}

template <typename Json>
std::vector<std::string> BasicJsonSection<Json>::names() const {
  std::vector<std::string> names;
  for (const auto& item : json_.items()) names.push_back(item.key());
  return names;
}

template <typename Json>
std::string BasicJsonSection<Json>::text(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_string()) wrong(key, "a string");
  return value.template get<std::string>();
}

template <typename Json>
std::vector<std::string> BasicJsonSection<Json>::texts(const std::string& key) const {
  std::vector<std::string> values;
  for (const Json& value : list(key)) {
    if (!value.is_string()) wrong(key, "a list of strings");
    values.push_back(value.template get<std::string>());
  }
  return values;
}

template <typename Json>
double BasicJsonSection<Json>::number(const std::string& key) const {
  const Json& value = member(key);
  const double number = value.is_number() ? value.template get<double>() : NAN;
  if (!std::isfinite(number)) wrong(key, "a finite number");
  return number;
}

template <typename Json>
std::vector<double> BasicJsonSection<Json>::numbers(const std::string& key) const {
  std::vector<double> values;
  for (const Json& value : list(key)) {
    values.push_back(value.is_number() ? value.template get<double>() : NAN);
    if (!std::isfinite(values.back())) wrong(key, "a list of finite numbers");
  }
  return values;
}

template <typename Json>
bool BasicJsonSection<Json>::flag(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_boolean()) wrong(key, "true or false");
  return value.template get<bool>();
}

template <typename Json>
uint64_t BasicJsonSection<Json>::unsigned_integer(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_number_unsigned()) wrong(key, "a whole number from 0 to 2^64 - 1");
  return value.template get<uint64_t>();
}

template <typename Json>
std::vector<size_t> BasicJsonSection<Json>::unsigned_integers(const std::string& key) const {
  std::vector<size_t> values;
  for (const Json& value : list(key)) {
    if (!value.is_number_unsigned()) wrong(key, "a list of whole numbers");
    values.push_back(value.template get<size_t>());
  }
  return values;
}

template <typename Json>
const Json& BasicJsonSection<Json>::list(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_array()) wrong(key, "a list");
  return value;
}

template <typename Json>
void BasicJsonSection<Json>::wrong(const std::string& key, std::string_view expected) const {
  source_.fail(fmt::format("{} must be {}; the file is damaged or not {}", name_of(key), expected,
                           source_.kind));
}

template <typename Json>
std::string BasicJsonSection<Json>::name_of(const std::string& key) const {
  return path_.empty() ? key : fmt::format("{}.{}", path_, key);
}

template nlohmann::json parse_json(std::string_view, const JsonSource&);
template nlohmann::ordered_json parse_json(std::string_view, const JsonSource&);
template class BasicJsonSection<nlohmann::json>;
template class BasicJsonSection<nlohmann::ordered_json>;

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/adbc_address.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "equinoise/base/error.h"

namespace equinoise {
namespace {

constexpr std::string_view kVariableEnding = "_env";

[[noreturn]] void refuse(std::string_view problem) {
  throw Error(ErrorKind::kUsage, "data.adbc",
              fmt::format("{}; the URL of a driver is like "
                          "adbc:DRIVER?dialect=postgres&uri=...&OPTION=VALUE#SCHEMA.TABLE",
                          problem));
}

/// Empty for what is no percent-encoding, or not of text.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned byte = 0;
    const auto [stop, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() < 2 || stop != digits.data() + 2 || problem != std::errc() || byte == 0)
      return std::nullopt;
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

/// Whether an option of that name is to be seen by nobody.
bool is_secret(std::string_view name) {
  constexpr std::array<std::string_view, 12> kWords = {
      "password",   "passwd",        "pwd",         "passphrase", "secret",  "token",
      "credential", "authorization", "private_key", "access_key", "api_key", "apikey"};
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// "user:password@host", behind a scheme or not, or "password=..." among words or parameters.
bool holds_secret(std::string_view value) {
  const size_t scheme = value.find("://");
  const std::string_view rest = scheme == value.npos ? value : value.substr(scheme + 3);
  const std::string_view server = rest.substr(0, rest.find('?'));
  const size_t at = server.rfind('@');
  if (at != server.npos && server.substr(0, at).find(':') != server.npos) return true;
  // Also where a password holds what ends this part: no port is behind the last colon.
  const size_t colon = server.rfind(':');
  const std::string_view port = colon == server.npos ? "" : server.substr(colon + 1);
  const bool is_port =
      port.substr(0, port.find_first_not_of("0123456789")) == port.substr(0, port.find('/'));
  if (scheme != value.npos && !is_port && server.find('[') == server.npos) return true;

  while (!value.empty()) {
    const size_t end = std::min(value.find_first_of("?&; \t\r\n"), value.size());
    const std::string_view word = value.substr(0, end);
    const size_t equals = word.find('=');
    const bool is_named = equals != word.npos || (end < value.size() && value[end] <= ' ');
    if (is_named && is_secret(word.substr(0, equals))) return true;
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return false;
}

AdbcAddress::Option read_option(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) refuse("an option has no name or no value");
  const std::optional<std::string> name = percent_decoded(text.substr(0, equals));
  std::optional<std::string> value = percent_decoded(text.substr(equals + 1));
  if (!name || !value) {
    refuse("a % in an option is not followed by two hexadecimal digits; write %25 for a % itself");
  }
  if (name->size() > kVariableEnding.size() && name->ends_with(kVariableEnding))
    return {name->substr(0, name->size() - kVariableEnding.size()), *value, true};
  // A driver may decode once more.
  if (is_secret(*name) || holds_secret(*value) ||
      holds_secret(percent_decoded(*value).value_or(""))) {
    refuse(fmt::format(
        "the option {0} is a password or the like, or holds one, and a URL is seen by everybody "
        "who lists processes; write {0}_env=NAME, where NAME is an environment variable that "
        "holds what {0} shall be, or use one that the driver reads itself",
        *name));
  }
  return {*name, *value, false};
}

}  // namespace

std::optional<AdbcAddress> parse_adbc(std::string_view url, std::string_view table) {
  if (!url.starts_with(kAdbcScheme)) return std::nullopt;
  const std::string_view rest = url.substr(kAdbcScheme.size());
  const size_t hash = rest.find('#');
  const size_t question = std::min(rest.find('?'), std::min(hash, rest.size()));
  const std::optional<std::string> driver = percent_decoded(rest.substr(0, question));
  if (!driver || driver->empty()) {
    refuse(
        "the URL names no driver: the path of a shared library, or a name as "
        "adbc_driver_postgresql");
  }
  if (driver->find("://") != driver->npos)
    refuse("a driver is a shared library; where the database is goes into the option uri=...");
  AdbcAddress address;
  address.driver = *driver;

  std::string_view options = rest.substr(question, hash - question);
  while (!options.empty()) {
    options.remove_prefix(1);
    const size_t end = std::min(options.find('&'), options.size());
    AdbcAddress::Option option = read_option(options.substr(0, end));
    options.remove_prefix(end);
    const bool is_twice =
        std::any_of(address.options.begin(), address.options.end(),
                    [&](const AdbcAddress::Option& other) { return other.name == option.name; });
    if (is_twice) refuse(fmt::format("the option {} is there twice", option.name));
    address.options.push_back(std::move(option));
  }

  const std::string_view written = hash == rest.npos ? "" : rest.substr(hash + 1);
  if (!written.empty() && !table.empty())
    refuse("the table is named twice, by --table and behind the # of the URL");
  const std::string_view name = written.empty() ? table : written;
  if (name.empty()) refuse("the URL names no table");
  // What stands there may be the end of a password.
  if (name.find_first_of("@#") != name.npos)
    refuse("the name of the table has a # or @; inside an option a # is written %23");
  address.table = parts_of_table(name);
  if (address.table.size() > 3) refuse("the name of the table has more than three parts");
  address.shown = fmt::format("{}{}#{}", kAdbcScheme, *driver, name);

  const auto taken = [&](std::string_view key) {
    const auto found = std::find_if(address.options.begin(), address.options.end(),
                                    [&](const AdbcAddress::Option& option) {
                                      return option.name == key && !option.is_variable;
                                    });
    if (found == address.options.end()) return std::string();
    const std::string value = found->value;
    address.options.erase(found);
    return value;
  };
  address.entry_point = taken("entrypoint");
  const std::optional<Dialect> dialect = parse_dialect(taken("dialect"));
  if (!dialect) {
    std::vector<std::string_view> names;
    for (const DialectRow& row : dialects()) names.push_back(row.name);
    refuse(fmt::format("dialect=NAME must say whose SQL the engine speaks: {}",
                       fmt::join(names, ", ")));
  }
  address.dialect = *dialect;
  // Where functions are found is settled by leaving other schemas out, see adbc_engine.cc.
  if (*dialect == Dialect::kPostgres && address.table.size() < 2)
    refuse("a table of PostgreSQL must be named with its schema, as #public.people");
  return address;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/chart_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "equinoise/base/sha256.h"

namespace equinoise::chart_script_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::Not;

/// Base 64 in hexadecimal.
std::string hex_of(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char digit : base64) {
    if (digit == '=') break;
    for (int bit = 5; bit >= 0; --bit) bits += (digits.find(digit) >> bit & 1) != 0 ? '1' : '0';
  }
  std::string hex;
  for (size_t at = 0; at + 8 <= bits.size(); at += 8) {
    for (const size_t half : {at, at + 4})
      hex += "0123456789abcdef"[std::stoi(bits.substr(half, 4), nullptr, 2)];
  }
  return hex;
}

TEST(ChartScript, ItsHashIsThatOfItsText) {
  const std::string hash(chart_script_hash());
  ASSERT_TRUE(hash.starts_with("sha256-"));
  EXPECT_EQ(hex_of(hash.substr(7)), sha256_hex(chart_script()));
}

/// What names a host, with the path behind it.
std::set<std::string> addresses_in(const std::string& script) {
  static const std::regex address("(https?:)?//[A-Za-z0-9.-]+[.][a-z]+(/[A-Za-z0-9/.-]*)?");
  std::set<std::string> addresses;
  for (std::sregex_iterator i(script.begin(), script.end(), address); i != std::sregex_iterator();
       ++i)
    addresses.insert(i->str());
  return addresses;
}

TEST(ChartScript, AddressesAreFound) {
  EXPECT_THAT(addresses_in("a='https://cdn-1.example.com';b=\"//x2.example.org/lib/a.js\";c/d"),
              ElementsAre("//x2.example.org/lib/a.js", "https://cdn-1.example.com"));
}

/// Namespaces of markup, and where a licence refers to another one.
TEST(ChartScript, LoadsNothing) {
  const std::string script(chart_script());
  const std::set<std::string> known = {
      "http://www.w3.org/1999/xhtml",         "http://www.w3.org/1999/xlink",
      "http://www.w3.org/2000/svg",           "http://www.w3.org/2000/xmlns/",
      "http://www.w3.org/XML/1998/namespace", "http://www.apache.org/licenses/LICENSE-2.0"};
  EXPECT_THAT(addresses_in(script), IsSubsetOf(known));
  for (const char* word : {"fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "import(",
                           "eval(", "new Function", "localStorage", "</script", "<!--"})
    EXPECT_THAT(script, Not(HasSubstr(word)));
}

TEST(ChartScript, CarriesTheLicencesOfWhatIsInIt) {
  const std::string script(chart_script());
  const std::string licences = script.substr(0, script.find("*/"));
  for (const char* text :
       {"Apache-2.0", "@observablehq/plot", "d3-scale", "internmap", "Observable, Inc.",
        "Mike Bostock", "this permission notice appear in all copies", "Cynthia Brewer",
        "Charles Karney"})
    EXPECT_THAT(licences, HasSubstr(text));
  for (const char* tool : {"esbuild", "playwright", "duckdb"})
    EXPECT_THAT(licences, Not(HasSubstr(tool)));
}

}  // namespace
}  // namespace equinoise::chart_script_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/adbc_address.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/test_support.h"

namespace equinoise::adbc_address_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string refusal(const std::string& url, const std::string& table = "") {
  const std::string message = error_of(ErrorKind::kUsage, [&] { parse_adbc(url, table); });
  EXPECT_THAT(message, AllOf(HasSubstr("[data.adbc] "), Not(HasSubstr("S3CRET"))));
  return message;
}

TEST(AdbcAddressTest, AllParts) {
  const auto address = parse_adbc(
      "adbc:/opt/libdriver.so.2?entrypoint=Begin&dialect=snowflake&uri=grpc%2Btls%3A//me%40h:443/"
      "a?b=c%26d&adbc.option=50%25&password_env=DB_PASSWORD#hospital.visits.\"a.b\"");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->driver, "/opt/libdriver.so.2");
  EXPECT_EQ(address->entry_point, "Begin");
  EXPECT_EQ(address->dialect, Dialect::kSnowflake);
  EXPECT_THAT(address->table, ElementsAre("hospital", "visits", "a.b"));
  EXPECT_EQ(address->shown, "adbc:/opt/libdriver.so.2#hospital.visits.\"a.b\"");
  std::vector<std::string> options;
  for (const AdbcAddress::Option& option : address->options)
    options.push_back(option.name + (option.is_variable ? " from " : " = ") + option.value);
  EXPECT_THAT(options, ElementsAre("uri = grpc+tls://me@h:443/a?b=c&d", "adbc.option = 50%",
                                   "password from DB_PASSWORD"));
}

TEST(AdbcAddressTest, ShortForms) {
  EXPECT_FALSE(parse_adbc("postgres://h/db#people"));
  EXPECT_FALSE(parse_adbc("people.csv"));
  const auto address = parse_adbc("adbc:duckdb?dialect=duckdb", "main.people");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->entry_point, "");
  EXPECT_THAT(address->options, IsEmpty());
  EXPECT_THAT(address->table, ElementsAre("main", "people"));
}

TEST(AdbcAddressTest, WhatIsNoUrl) {
  EXPECT_THAT(refusal("adbc:?dialect=duckdb#people"), HasSubstr("names no driver"));
  EXPECT_THAT(refusal("adbc:duckdb?dialect=duckdb"), HasSubstr("names no table"));
  EXPECT_THAT(refusal("adbc:duckdb?dialect=duckdb#people", "people"), HasSubstr("twice"));
  EXPECT_THAT(refusal("adbc:duckdb?dialect=duckdb#a.b.c.d"), HasSubstr("more than three parts"));
  EXPECT_THAT(refusal("adbc:duckdb#people"),
              HasSubstr("whose SQL the engine speaks: postgres, duckdb, spark"));
  EXPECT_THAT(refusal("adbc:duckdb?dialect=S3CRET#people"), HasSubstr("whose SQL"));
  EXPECT_THAT(refusal("adbc:duckdb?dialect=duckdb&path#people"), HasSubstr("no value"));
  EXPECT_THAT(refusal("adbc:duckdb?dialect=duckdb&path=5%S3CRET#people"), HasSubstr("%25"));
  EXPECT_THAT(refusal("adbc:duckdb?dialect=duckdb&path=S3CRET%00#people"), HasSubstr("%25"));
  EXPECT_THAT(refusal("adbc:duckdb?dialect=duckdb&path=a&path=b#people"),
              HasSubstr("the option path is there twice"));
  EXPECT_THAT(refusal("adbc:pg?dialect=postgres#people"), HasSubstr("#public.people"));
}

TEST(AdbcAddressTest, PasswordsAreRefused) {
  for (const std::string option :
       {"password=S3CRET", "adbc.snowflake.sql.client_option.auth_token=S3CRET", "PWD=S3CRET",
        "uri=postgresql://me:S3CRET@host/db", "uri=postgresql://me:S3/CRET@host/db",
        "uri=postgresql://me:x?S3CRET@host/db", "uri=postgresql://me:x#S3CRET@host/db",
        "uri=postgresql://me:x&S3CRET@host/db", "uri=postgresql%3A%2F%2Fme%3AS3CRET%40host%2Fdb",
        "uri=postgresql://host/db?user=me%26password=S3CRET", "uri=me:S3CRET@account/db",
        "uri=host=h password=S3CRET", "uri=host=h password = S3CRET",
        "uri=postgresql://host/db?pass%2577ord=S3CRET",
        "adbc.flight.sql.authorization_header=Bearer S3CRET", "uri=Server=h;Pwd=S3CRET"}) {
    const std::string name = option.substr(0, option.find('='));
    EXPECT_THAT(refusal("adbc:pg?dialect=postgres&" + option + "#public.people"),
                AllOf(HasSubstr("the option " + name + " is"), HasSubstr(name + "_env=NAME")))
        << option;
  }
}

/// Where the part of a password in front could be a port.
TEST(AdbcAddressTest, EndsOfPasswordsAreNotQuoted) {
  EXPECT_THAT(refusal("adbc:pg?dialect=postgres&uri=pg://me:1#S3CRET@host/db#public.people"),
              HasSubstr("%23"));
  EXPECT_THAT(refusal("adbc:postgresql://me:S3CRET@host/db?dialect=postgres#public.people"),
              HasSubstr("goes into the option uri"));
}

TEST(AdbcAddressTest, WhatIsNoPassword) {
  for (const std::string option :
       {"uri=http://[::1]/db", "uri=http://[::1]:80/db", "uri=sqlite:///c:/people.db",
        "uri=postgresql://me@host:5432/db", "uri=postgresql://me@/db?host=/run/pg",
        "uri=grpc://host:443?user=me@example.org", "path=/run/secrets/people.db",
        "uri=file:/run/secrets/people.db?mode=ro", "uri=host=h user=me@example.org"}) {
    EXPECT_TRUE(parse_adbc("adbc:pg?dialect=postgres&" + option + "#public.people")) << option;
  }
}

}  // namespace
}  // namespace equinoise::adbc_address_test

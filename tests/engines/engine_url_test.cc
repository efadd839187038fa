// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/engine_url.h"

#include <filesystem>

#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/table_source.h"
#include "tests/test_support.h"

namespace equinoise::engine_url_test {

TEST(EngineUrl, NamesServerAndTable) {
  const EngineUrl url = parse_engine_url("postgres://reader@db:5432/registry?sslmode=require#v.p");
  EXPECT_EQ(url.kind, EngineUrl::Kind::kPostgres);
  EXPECT_EQ(url.address, "postgres://reader@db:5432/registry?sslmode=require");
  EXPECT_THAT(url.table, ElementsAre("v", "p"));
  EXPECT_EQ(parse_engine_url("postgresql:///registry", "p").shown, "postgresql:///registry#p");
  const EngineUrl file = parse_engine_url("duckdb:some folder/people.duckdb#people");
  EXPECT_EQ(file.kind, EngineUrl::Kind::kDuckDb);
  EXPECT_EQ(file.address, "some folder/people.duckdb");
}

TEST(EngineUrl, TakesNoPasswordAndSaysWhereItBelongs) {
  for (const char* url :
       {"postgres://me:hush@db/registry#t", "postgres://me:hu/sh@db/registry#t",
        "postgresql://db/registry?password=hush#t", "postgres://db/r?user=me&password=hush#t"}) {
    const auto message =
        AllOf(HasSubstr("PGPASSWORD"), Not(HasSubstr("hush")), Not(HasSubstr("hu/sh")));
    EXPECT_ERROR(kUsage, message, parse_engine_url(url));
    EXPECT_ERROR(kUsage, message, table_at(url));
  }
}

TEST(EngineUrl, NeedsOneTable) {
  EXPECT_ERROR(kUsage, HasSubstr("duckdb:people.duckdb#people"),
               parse_engine_url("duckdb:people.duckdb"));
  EXPECT_ERROR(kUsage, HasSubstr("twice"), parse_engine_url("duckdb:p.duckdb#a", "b"));
}

TEST(EngineUrl, IsAFolderOnlyIfItHoldsParquet) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "deep");
  EXPECT_FALSE(is_engine_url(folder.path().string()));
  EXPECT_TRUE(table_at(folder.path()).is_file());
  folder.write_file("deep/part.parquet", "");
  EXPECT_TRUE(is_engine_url(folder.path().string()));
  const TableSource source = table_at(folder.path());
  EXPECT_TRUE(source.is_engine());
  EXPECT_FALSE(source.is_file());
  EXPECT_TRUE(source.path().empty());
  EXPECT_EQ(source.name(), folder.path().string());
  EXPECT_ERROR(kUsage, HasSubstr("give a file of the records"), source.open_records());
  EXPECT_FALSE(is_engine_url("people.parquet"));
}

}  // namespace equinoise::engine_url_test

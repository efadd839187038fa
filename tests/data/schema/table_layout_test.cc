// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/table_layout.h"

#include "equinoise/data/schema/schema.h"
#include "tests/test_support.h"

namespace equinoise::table_layout_test {

const std::string kHead = "schema = \"equinoise/1\"\ndataset = \"d\"\nreviewed = true\n";
const std::string kColumns =
    "[public]\nnum_records = 2\n[columns.\"\xc3\xa4\"]\ntype = \"categorical\"\n"
    "values = [\"N\", \"Y\"]\n[columns.b]\ntype = \"numeric\"\nbounds = [0, 1]\n";

Schema with(const std::string& text, const TableOptions& options) {
  const Schema schema = with_table_options(parse_schema(text, "s.toml"), options, "s.toml");
  // What is kept with a model says the same.
  const Schema again = parse_schema(schema.source_text, "kept");
  EXPECT_EQ(again.layout.delimiter, schema.layout.delimiter);
  EXPECT_EQ(again.missing_values, schema.missing_values);
  EXPECT_EQ(again.columns.size(), 2u);
  EXPECT_EQ(again.columns[1].name, "b");
  return schema;
}

TEST(TableLayout, OptionsAddASection) {
  const Schema schema = with(kHead + kColumns, {.delimiter = '\t',
                                                .decimal_comma = true,
                                                .has_header = false,
                                                .encoding = Encoding::kLatin1,
                                                .missing_values = {"NA", "?"}});
  EXPECT_EQ(schema.layout.delimiter, '\t');
  EXPECT_TRUE(schema.layout.decimal_comma);
  EXPECT_FALSE(schema.layout.has_header);
  EXPECT_EQ(schema.layout.encoding, Encoding::kLatin1);
  EXPECT_THAT(schema.missing_values, ElementsAre("", "?", "NA"));
}

TEST(TableLayout, OptionsGoBeforeTheSchema) {
  for (const std::string table :
       {"[table]\ndelimiter = \";\"\nencoding = \"latin1\"\n", "[table]\n",
        "table = { delimiter = \"|\" }\n", "table = {}\n", "table.delimiter = \";\"\n",
        "table.header = true\n", " \"table\" . encoding = \"latin1\"\ntable.header = true\n"}) {
    const std::string text = kHead + "missing_values = [\n  \"x\",  # one\n]\n" + table + kColumns;
    TableOptions options;
    options.delimiter = ',';
    options.encoding = Encoding::kUtf8;
    options.missing_values = {"NA"};
    const Schema schema = with(text, options);
    EXPECT_EQ(schema.layout.delimiter, ',') << table;
    EXPECT_EQ(schema.layout.encoding, Encoding::kUtf8) << table;
    EXPECT_THAT(schema.missing_values, ElementsAre("x", "NA")) << table;
  }
}

// Else no option could read a table with the other marks.
TEST(TableLayout, MarksBetweenThousandsChangePlacesWithThoseBeforeDecimals) {
  const std::string columns = kColumns +
                              "[columns.p]\ntype = \"numeric\"\nbounds = [0, 1]\nthousands = "
                              "\".\"\n[columns.q]\ntype = \"numeric\"\nbounds = [0, 1]\n"
                              "thousands = \"'\"\n";
  TableOptions options;
  options.decimal_comma = false;
  const Schema commas = parse_schema(kHead + "[table]\ndecimal_comma = true\n" + columns, "s.toml");
  const Schema points = with_table_options(commas, options, "s.toml");
  EXPECT_EQ(points.column("p").thousands, ',');
  EXPECT_EQ(points.column("q").thousands, '\'');
  options.decimal_comma = true;
  EXPECT_EQ(with_table_options(points, options, "s.toml").column("p").thousands, '.');
}

TEST(TableLayout, AByteOrderMarkDoesNotMovePlaces) {
  TableOptions options;
  options.missing_values = {"NA"};
  const Schema schema = with("\xef\xbb\xbfmissing_values = [\"x\"]\n" + kHead + kColumns, options);
  EXPECT_THAT(schema.missing_values, ElementsAre("x", "NA"));
}

TEST(TableLayout, NoOptionsChangeNothing) {
  const Schema schema = parse_schema(kHead + kColumns, "s.toml");
  EXPECT_EQ(with_table_options(schema, {}, "s.toml").source_text, schema.source_text);
}

TEST(TableLayout, AMarkThatIsAValueIsRefused) {
  const Schema schema = parse_schema(kHead + kColumns, "s.toml");
  TableOptions options;
  options.missing_values = {"N"};
  EXPECT_ERROR(kInput, HasSubstr("holds \"N\", which marks a missing cell"),
               with_table_options(schema, options, "s.toml"));
}

}  // namespace equinoise::table_layout_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/schema_import.h"

#include "equinoise/data/schema/schema.h"
#include "tests/test_support.h"

namespace equinoise::schema_import_test {

class SchemaImport : public ::testing::Test {
 protected:
  ImportedSchema import(const std::string& json, const std::string& target = "") {
    return import_schema(folder.write_file("d.json", json), {"", target});
  }

  /// What the draft means.
  static Schema read(const ImportedSchema& imported) {
    return parse_schema(imported.text, "draft.toml", SizesRule::kMayBePrivate);
  }

  std::string refused(const std::string& json, ErrorKind kind = ErrorKind::kInput,
                      const std::string& target = "") {
    return error_of(kind, [&] { import(json, target); });
  }

  TempFolder folder;
};

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns) names.push_back(column.name);
  return names;
}

TEST_F(SchemaImport, ReadsASchemaOfNist) {
  const ImportedSchema imported = import(R"({"schema": {
    "PUMA": {"dtype": "object", "values": ["01-01301", "06-07502"]},
    "AGEP": {"dtype": "int64", "min": 0, "max": 95},
    "SEX": {"dtype": "int64", "values": [1, 2]},
    "MSP": {"has_null": true, "null_value": "N", "dtype": "object", "values": ["N", "1", "2"]},
    "PINCP": {"has_null": true, "null_value": "N", "dtype": "object", "min": -9000, "max": 1327000},
    "ID": {"dtype": "int64", "kind": "id"},
    "DENSITY": {"dtype": "float64"},
    "BORN": {"dtype": "date", "min": "2000-01-01", "max": "2001-01-01"}
  }, "epsilons": [1]})",
                                         "SEX");
  const Schema schema = read(imported);
  EXPECT_THAT(names_of(schema),
              ElementsAre("PUMA", "AGEP", "SEX", "MSP", "PINCP", "ID", "DENSITY", "BORN"));
  EXPECT_FALSE(schema.reviewed);
  EXPECT_EQ(schema.num_records, 0);
  EXPECT_EQ(schema.unit_answer, UnitAnswer::kAssumed);
  EXPECT_EQ(schema.target, "SEX");
  EXPECT_THAT(schema.column("SEX").values, ElementsAre("1", "2"));
  EXPECT_EQ(schema.column("AGEP").upper, 95);
  EXPECT_TRUE(schema.column("AGEP").whole);
  EXPECT_THAT(schema.column("MSP").values, ElementsAre("1", "2"));
  EXPECT_THAT(schema.column("MSP").missing_values, ElementsAre("N"));
  for (const ColumnSchema& column : schema.columns)
    EXPECT_EQ(column.may_be_missing, column.name == "MSP" || column.name == "PINCP") << column.name;
  EXPECT_EQ(schema.column("PINCP").lower, -9000);
  EXPECT_FALSE(schema.column("PINCP").whole);
  EXPECT_EQ(schema.column("BORN").time, TimeFormat());
  EXPECT_EQ(schema.column("BORN").lower, 10957);
  for (const char* name : {"ID", "DENSITY"})
    EXPECT_EQ(schema.column(name).type, ColumnType::kIgnored) << name;
  EXPECT_THAT(imported.text,
              HasAll("# REVIEW: there are no bounds", "identifies records", "# num_records = 0"));
  EXPECT_THAT(imported.notes, Contains(HasSubstr("epsilons")));
}

TEST_F(SchemaImport, ReadsDatesOfIso8601) {
  const ImportedSchema imported = import(R"({"fields": [
    {"name": "born", "type": "date", "constraints": {"minimum": "1940-01-01", "maximum": "2010-12-31"}},
    {"name": "seen", "type": "datetime", "format": "%Y-%m-%d %H:%M"},
    {"name": "left", "type": "date", "format": "%d.%m.%Y"},
    {"name": "sex", "constraints": {"enum": ["F", "M"]}}]})");
  const Schema schema = read(imported);
  EXPECT_EQ(schema.column("born").time, TimeFormat());
  EXPECT_EQ(print_time(schema.column("born").upper, TimeFormat()), "2010-12-31");
  for (const char* name : {"seen", "left"})
    EXPECT_EQ(schema.column(name).type, ColumnType::kIgnored) << name;
  EXPECT_THAT(imported.text, HasAll("# type = \"timestamp\"\n# bounds = [\"FIRST\", \"LAST\"]\n"
                                    "# format = \"YYYY-MM-DD hh:mm\"\n[columns.seen]",
                                    "# Ignored: it holds dates or times as %d.%m.%Y, and"));
  EXPECT_THAT(import(R"({"METADATA_SPEC_VERSION": "V1", "tables": {"t": {"columns": {
    "seen": {"sdtype": "datetime", "datetime_format": "%Y-%m-%dT%H:%M:%S.%f%z"}}}}})")
                  .text,
              HasSubstr("# type = \"timestamp\"\n# bounds = [\"FIRST\", \"LAST\"]\n"
                        "# format = \"YYYY-MM-DDThh:mm:ss.ffffffZ\"\n"));
}

TEST_F(SchemaImport, ReadsATableSchemaOfFrictionless) {
  const std::string fields = R"("fields": [
    {"name": "id", "type": "integer"},
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120, "required": true}},
    {"name": "income", "type": "number", "decimalChar": ",", "constraints": {"minimum": 0}},
    {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"], "minLength": 1}},
    {"name": "level", "type": "integer", "categories": [{"value": 1, "label": "low"}, {"value": 2}]},
    {"name": "member", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]},
    {"name": "name"},
    {"name": "born", "type": "date"}
  ], "primaryKey": "id", "missingValues": ["", "-"], "foreignKeys": [])";
  for (const std::string& json :
       {"{" + fields + "}", "{\"name\": \"r\", \"schema\": {" + fields + "}}",
        "{\"resources\": [{\"schema\": {" + fields + "}}]}"}) {
    const ImportedSchema imported = import(json);
    const Schema schema = read(imported);
    EXPECT_THAT(names_of(schema),
                ElementsAre("id", "age", "income", "sex", "level", "member", "name", "born"));
    EXPECT_THAT(schema.missing_values, ElementsAre("", "-"));
    EXPECT_TRUE(schema.layout.decimal_comma);
    EXPECT_EQ(schema.column("age").upper, 120);
    EXPECT_EQ(schema.column("age").missing, MissingPolicy::kNone) << "required";
    EXPECT_THAT(schema.column("sex").values, ElementsAre("F", "M"));
    EXPECT_TRUE(schema.column("sex").may_be_missing);
    EXPECT_THAT(schema.column("level").values, ElementsAre("1", "2"));
    EXPECT_THAT(schema.column("member").values, ElementsAre("nein", "ja"));
    for (const char* name : {"id", "income", "name", "born"})
      EXPECT_EQ(schema.column(name).type, ColumnType::kIgnored) << name;
    EXPECT_THAT(imported.notes,
                AllOf(Contains(HasSubstr("minLength")), Contains(HasSubstr("minimum")),
                      Contains(HasSubstr("foreignKeys"))));
  }
}

TEST_F(SchemaImport, ReadsMetadataOfSdv) {
  const std::string table = R"("primary_key": "key", "columns": {
    "key": {"sdtype": "id", "regex_format": "U_[0-9]{3}"},
    "tier": {"sdtype": "categorical"},
    "grade": {"sdtype": "categorical", "order": ["low", "high"]},
    "age": {"sdtype": "numerical", "computer_representation": "Int64"},
    "active": {"sdtype": "boolean"},
    "mail": {"sdtype": "email", "pii": true}
  }, "column_relationships": [])";
  for (const std::string& json : {"{\"METADATA_SPEC_VERSION\": \"SINGLE_TABLE_V1\", " + table + "}",
                                  "{\"METADATA_SPEC_VERSION\": \"V1\", \"tables\": {\"t\": {" +
                                      table + "}}, \"relationships\": []}"}) {
    const ImportedSchema imported = import(json, "grade");
    const Schema schema = read(imported);
    EXPECT_THAT(names_of(schema), ElementsAre("key", "tier", "grade", "age", "active", "mail"));
    EXPECT_THAT(schema.column("grade").values, ElementsAre("low", "high"));
    EXPECT_THAT(schema.column("active").values, ElementsAre("false", "true"));
    for (const char* name : {"key", "tier", "age", "mail"})
      EXPECT_EQ(schema.column(name).type, ColumnType::kIgnored) << name;
    EXPECT_THAT(imported.text, HasAll("# whole = true", "list of categories", "sdtype email"));
    EXPECT_THAT(imported.notes, AllOf(Contains(HasSubstr("regex_format")),
                                      Contains(HasSubstr("column_relationships"))));
  }
  EXPECT_THAT(refused(R"({"METADATA_SPEC_VERSION": "V1", "tables": {"a": {}, "b": {}}})"),
              HasSubstr("describes 2 tables"));
}

TEST_F(SchemaImport, ReadsADomainOfPrivatePgm) {
  const Schema schema = read(import(R"({"b": 2, "a": 3})"));
  EXPECT_THAT(names_of(schema), ElementsAre("b", "a"));
  EXPECT_THAT(schema.column("a").values, ElementsAre("0", "1", "2"));
}

TEST_F(SchemaImport, ADomainMayNameItsColumnsAsOthersNameKeys) {
  EXPECT_THAT(names_of(read(import(R"({"tables": 4, "sex": 2})"))), ElementsAre("tables", "sex"));
  EXPECT_THAT(names_of(read(import(R"({"METADATA_SPEC_VERSION": 4, "schema": 2, "fields": 3})"))),
              ElementsAre("METADATA_SPEC_VERSION", "schema", "fields"));
}

// Whatever the file says, the draft is read, and what cannot be held is said.
TEST_F(SchemaImport, WhatNoSchemaHoldsIsIgnored) {
  const ImportedSchema nist = import(R"({"schema": {
    "A": {"dtype": "int64", "min": 0.2, "max": 0.8},
    "B": {"dtype": "int64", "min": 0, "max": 1e30},
    "C": {"dtype": "float64", "min": 0, "max": 1e300},
    "D": {"dtype": "int64", "values": [1, 2], "null_value": "1.0", "has_null": true},
    "E": {"dtype": "int64", "min": 0, "max": 9}}})");
  const Schema schema = read(nist);
  for (const char* name : {"A", "B", "C"}) {
    EXPECT_EQ(schema.column(name).type, ColumnType::kIgnored) << name;
    EXPECT_THAT(nist.notes, Contains(HasSubstr(std::string("column ") + name))) << name;
  }
  EXPECT_EQ(schema.column("E").type, ColumnType::kNumeric);
  EXPECT_THAT(nist.text, HasSubstr("# REVIEW: a schema cannot hold what the file says of this "
                                   "column: "));
  const Schema fields = read(import(R"({"fields": [
    {"name": "a", "type": "string", "constraints": {"enum": ["NA", "x", "y"]}},
    {"name": "b", "type": "string", "missingValues": ["-"], "constraints": {"enum": ["NA", "x"]}},
    {"name": "c", "type": "integer", "constraints": {"enum": ["1", "1.0"]}},
    {"name": "d", "type": "integer", "constraints": {"enum": [1, 2]}},
    {"name": "e", "type": "string", "constraints": {"enum": ["1", "01"]}}
    ], "missingValues": ["", "NA"]})"));
  EXPECT_THAT(fields.column("a").values, ElementsAre("x", "y"));
  EXPECT_EQ(fields.column("b").type, ColumnType::kIgnored);
  EXPECT_THAT(fields.column("c").values, ElementsAre("1"));
  EXPECT_THAT(fields.column("d").values, ElementsAre("1", "2"));
  EXPECT_THAT(fields.column("e").values, ElementsAre("1", "01"));
  EXPECT_THAT(refused(R"({"schema": {"A": {"dtype": "int64", "min": 0.2, "max": 0.8}}})",
                      ErrorKind::kUsage, "A"),
              HasAll("'A' cannot be the target", "whole number"));
}

TEST_F(SchemaImport, OneDecimalMarkIsOfTheWholeTable) {
  const std::string comma =
      R"({"name": "p", "type": "number", "decimalChar": ",", "constraints": {"minimum": 0, "maximum": 1}})";
  const std::string point =
      R"({"name": "q", "type": "number", "constraints": {"minimum": 0, "maximum": 1}})";
  const std::string whole =
      R"({"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": 1}})";
  const Schema alike = read(import("{\"fields\": [" + comma + ", " + whole + "]}"));
  EXPECT_TRUE(alike.layout.decimal_comma);
  EXPECT_EQ(alike.column("p").type, ColumnType::kNumeric);
  const ImportedSchema mixed = import("{\"fields\": [" + comma + ", " + point + "]}");
  EXPECT_FALSE(read(mixed).layout.decimal_comma);
  EXPECT_EQ(read(mixed).column("p").type, ColumnType::kIgnored);
  EXPECT_EQ(read(mixed).column("q").type, ColumnType::kNumeric);
  EXPECT_THAT(mixed.notes, Contains(HasAll("column p", "comma")));
}

TEST_F(SchemaImport, HowTheTableIsLaidOutIsNamed) {
  EXPECT_THAT(import(R"({"name": "p", "keywords": [], "resources": [{"name": "r", "path": "r.csv",
      "dialect": {"delimiter": ";"}, "encoding": "latin1",
      "schema": {"fields": [{"name": "a", "type": "boolean"}]}}], "views": []})")
                  .notes,
              AllOf(Contains(HasAll("dialect", "encoding")), Contains(HasSubstr("[table]")),
                    Contains(HasSubstr("views"))));
  EXPECT_THAT(import(R"({"name": "r", "encoding": "utf-8",
      "schema": {"fields": [{"name": "a", "type": "boolean"}]}})")
                  .notes,
              IsEmpty());
}

TEST_F(SchemaImport, WhatIsWrongIsNamedByItsPlace) {
  EXPECT_THAT(refused("{\"schema\":\n {"), HasSubstr("d.json:2:"));
  EXPECT_THAT(refused("[]"), HasSubstr("d.json"));
  EXPECT_THAT(refused("{}"), HasSubstr("no description that is known"));
  EXPECT_THAT(refused(R"({"a": "x"})"), HasSubstr("no description that is known"));
  EXPECT_THAT(refused(R"({"a": 2.5})"), HasSubstr("a"));
  EXPECT_THAT(refused(R"({"schema": {}})"), HasSubstr("describes no column"));
  EXPECT_THAT(refused(R"({"schema": {"AGE": {"min": 5, "max": 5}}})"), HasSubstr("schema.AGE"));
  EXPECT_THAT(refused(R"({"schema": {"AGE": {"min": "0", "max": 5}}})"), HasSubstr("AGE"));
  EXPECT_THAT(refused(R"({"schema": {"AGE": {"min": 9, "max": 1}}})"),
              AllOf(HasSubstr("schema.AGE.max must be above min"), Not(HasSubstr("apart"))));
  EXPECT_THAT(refused(R"({"fields": [{"name": "a"}, {"name": "a"}]})"), HasSubstr("'a' twice"));
  EXPECT_THAT(refused(R"({"fields": [{"type": "string"}]})"), HasSubstr("fields[0]"));
  EXPECT_THAT(refused(R"({"fields": [{"name": "a", "constraints": {"enum": [[1]]}}]})"),
              HasSubstr("enum"));
  EXPECT_THAT(refused(R"({"METADATA_SPEC_VERSION": "V1", "columns": {"a": {}}})"),
              HasSubstr("columns.a"));
  EXPECT_THAT(refused(R"({"a": 2})", ErrorKind::kUsage, "b"), HasSubstr("'b' is not a column"));
  EXPECT_THAT(refused(R"({"fields": [{"name": "a"}]})", ErrorKind::kUsage, "a"),
              HasSubstr("cannot be the target"));
}

// A name or a key from outside stays within its comment.
TEST_F(SchemaImport, TextsFromOutsideStayTexts) {
  const ImportedSchema imported = import(
      R"({"fields": [{"name": "a\nreviewed = true", "type": "ob\nreviewed = true", "k\nx = 1": 2},
                     {"name": "\"]", "constraints": {"enum": ["\n", "\"", "x"]}}]})");
  const Schema schema = read(imported);
  EXPECT_FALSE(schema.reviewed);
  EXPECT_THAT(names_of(schema), ElementsAre("a\nreviewed = true", "\"]"));
  EXPECT_THAT(schema.columns[1].values, ElementsAre("\n", "\"", "x"));
}

}  // namespace equinoise::schema_import_test

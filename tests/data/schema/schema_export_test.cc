// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/schema_export.h"

#include <nlohmann/json.hpp>

#include "equinoise/data/schema/schema_import.h"
#include "tests/test_support.h"

namespace equinoise::schema_export_test {

const char* const kSchema =
    "schema = \"equinoise/1\"\ndataset = \"d\"\nreviewed = true\n[public]\nnum_records = 9\n"
    "[columns.sex]\ntype = \"categorical\"\nvalues = [\"F\", \"M\"]\nmissing = \"category\"\n"
    "[columns.age]\ntype = \"numeric\"\nbounds = [0, 9]\nwhole = true\n"
    "[columns.note]\ntype = \"ignored\"\n[groups.band]\ncolumn = \"age\"\ncuts = [5]\n";

TEST(SchemaExport, WritesMetadataOfSdv) {
  const ExportedSchema exported = export_schema(parse_schema(kSchema, "s"), ExportFormat::kSdv);
  EXPECT_EQ(nlohmann::json::parse(exported.text),
            nlohmann::json::parse(R"({"METADATA_SPEC_VERSION": "V1", "tables": {"d": {"columns": {
              "sex": {"sdtype": "categorical"},
              "age": {"sdtype": "numerical", "computer_representation": "Int64"},
              "note": {"sdtype": "unknown"}}}}})"));
  EXPECT_THAT(exported.notes, ElementsAre("bounds are not held by metadata of SDV: age",
                                          "categories are not held by metadata of SDV: sex",
                                          "[groups] are not held", "[public] sizes are not held"));
}

TEST(SchemaExport, TimesAndTruthsHaveTypesOfTheirOwn) {
  const std::string text =
      "schema = \"equinoise/1\"\ndataset = \"d\"\nreviewed = true\n[public]\nnum_records = 9\n"
      "[columns.day]\ntype = \"date\"\nbounds = [\"2020-01-01\", \"2024-01-01\"]\n"
      "[columns.at]\ntype = \"timestamp\"\nformat = \"YYYY-MM-DD hh:mm\"\n"
      "bounds = [\"2020-01-01 00:00\", \"2024-01-01 00:00\"]\n"
      "[columns.zoned]\ntype = \"timestamp\"\nformat = \"YYYY-MM-DDThh:mm:ss.fff+02:00\"\n"
      "bounds = [\"2020-01-01T00:00:00.000+02:00\", \"2024-01-01T00:00:00.000+02:00\"]\n"
      "[columns.member]\ntype = \"boolean\"\nlabels = { \"true\" = \"ja\", \"false\" = \"nein\" }\n"
      "[columns.paid]\ntype = \"boolean\"\nvalues = [\"no\", \"yes\"]\n"
      "[columns.price]\ntype = \"numeric\"\nbounds = [0, 9]\nthousands = \",\"\nunit = \"$\"\n";
  const ExportedSchema exported = export_schema(parse_schema(text, "s"), ExportFormat::kSdv);
  EXPECT_EQ(nlohmann::json::parse(exported.text).at("tables").at("d").at("columns"),
            nlohmann::json::parse(R"({
              "day": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"},
              "at": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d %H:%M"},
              "zoned": {"sdtype": "datetime", "datetime_format": "%Y-%m-%dT%H:%M:%S.%f%z"},
              "member": {"sdtype": "boolean"},
              "paid": {"sdtype": "categorical"},
              "price": {"sdtype": "numerical"}})"));
  EXPECT_THAT(exported.notes,
              AllOf(Contains(HasAll("labels", "member")), Contains(HasAll("thousands", "price")),
                    Contains(HasAll("units", "price"))));
}

TEST(SchemaExport, WritesADomain) {
  const ExportedSchema exported = export_schema(parse_schema(kSchema, "s"), ExportFormat::kDomain);
  EXPECT_EQ(nlohmann::json::parse(exported.text), nlohmann::json::parse(R"({"sex": 3})"));
  EXPECT_THAT(exported.notes, AllOf(Contains(HasSubstr("age")), Contains(HasSubstr("note"))));
  const char* const numbers =
      "schema = \"equinoise/1\"\ndataset = \"d\"\n[public]\nnum_records = 9\n[columns.age]\n"
      "type = \"numeric\"\nbounds = [0, 9]\n";
  EXPECT_ERROR(kInput, HasSubstr("no categorical column"),
               export_schema(parse_schema(numbers, "s"), ExportFormat::kDomain));
}

// What is exported is imported again, as far as the formats hold it.
TEST(SchemaExport, IsReadBack) {
  const TempFolder folder;
  for (const ExportFormat format : {ExportFormat::kSdv, ExportFormat::kDomain}) {
    const ExportedSchema exported = export_schema(parse_schema(kSchema, "s"), format);
    const ImportedSchema imported =
        import_schema(folder.write_file("e.json", exported.text), {"", ""});
    EXPECT_THAT(imported.text, HasSubstr("[columns.sex]\n"));
  }
}

}  // namespace equinoise::schema_export_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/shared_options.h"

#include <fmt/format.h>

#include <map>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/tasks/input/record_weights.h"

namespace equinoise {

namespace {

constexpr EnumWords<Encoding, 2> kEncodings = {
    {{Encoding::kUtf8, "utf8"}, {Encoding::kLatin1, "latin1"}}};
constexpr EnumWords<SmallGroups, 3> kFloorPolicies = {{{SmallGroups::kKeep, "keep"},
                                                       {SmallGroups::kMerge, "merge"},
                                                       {SmallGroups::kRefuse, "refuse"}}};
constexpr EnumWords<MissingUse, 3> kMissingUses = {{{MissingUse::kKeep, "keep"},
                                                    {MissingUse::kLeaveOut, "leave-out"},
                                                    {MissingUse::kFill, "fill"}}};

char read_delimiter(const std::string& word) {
  if (word == "tab" || word == "\\t") return '\t';
  if (word.size() == 1 && kDelimiters.find(word) != kDelimiters.npos) return word.front();
  throw Error(ErrorKind::kUsage, "tasks.options", R"(--delimiter must be ",", ";", "|" or tab)");
}

}  // namespace

RequestOptions schema_options(SchemaFile& file) {
  return joined(
      {{{{.name = "schema",
          .help = "Schema file (TOML), or a domain.json of private-pgm: what is publicly known "
                  "about the table",
          .is_required = true},
         &file.path},
        {{.name = "num_records",
          .help = "Number of records of the table, for a private-pgm domain.json"},
         &file.num_records},
        {{.name = "target", .help = "Column to predict, for a private-pgm domain.json"},
         &file.target},
        {{.name = "dataset",
          .help = "Name of the dataset, for a private-pgm domain.json",
          .derived = "the file's name"},
         &file.dataset}},
       layout_options(file.table)});
}

RequestOptions domain_options(SchemaFile& file, const OptionFacts& target) {
  return joined(
      {{{{.name = "schema",
          .help = "Schema file (TOML): what is publicly known about the table",
          .required_without = "domain"},
         &file.path},
        {{.name = "domain",
          .help = "Domain file of private-pgm (domain.json): {\"COLUMN\": NUMBER OF CODES, ...}",
          .excludes = {"schema"}},
         &file.path},
        {{.name = "num_records", .help = "Public number of records of the table, for --domain"},
         &file.num_records},
        {target, &file.target},
        {{.name = "dataset",
          .help = "Name of the dataset, for --domain",
          .derived = "the file's name"},
         &file.dataset}},
       layout_options(file.table)});
}

RequestOptions layout_options(TableOptions& table) {
  const auto flag = [](std::optional<bool>& field, bool value) {
    return RequestOption::Flag{[&field, value] { field = value; }};
  };
  return under(
      "Table",
      {{{.name = "delimiter",
         .help = "Separator of the cells of a CSV file: \",\", \";\", \"|\" or tab",
         .derived = "from the schema; where it says none, the one that its header shows"},
        RequestOption::Text{
            [&table](const std::string& word) { table.delimiter = read_delimiter(word); }}},
       {{.name = "decimal_comma", .help = "Numbers with a comma before their decimals, as in 0,25"},
        flag(table.decimal_comma, true)},
       {{.name = "decimal_point",
         .help = "Numbers with a point before their decimals, where the schema says "
                 "decimal_comma = true",
         .excludes = {"decimal_comma"}},
        flag(table.decimal_comma, false)},
       {{.name = "header",
         .help = "First line with the names of the columns, even if it looks like a record"},
        flag(table.has_header, true)},
       {{.name = "no_header",
         .help = "No line with names: the columns are those of the schema, in its order",
         .excludes = {"header"}},
        flag(table.has_header, false)},
       {{.name = "encoding",
         .help = "Encoding of the text: utf8 or latin1 (as Windows writes it)",
         .choices = words_of(kEncodings),
         .derived = "from the schema, else utf8"},
        word_field<kEncodings>(table.encoding)},
       {{.name = "na",
         .help = "Text of a missing cell, in addition to those of the schema; may be repeated"},
        &table.missing_values}});
}

RequestOptions missing_options(SchemaFile& file, const std::vector<MissingUse>& uses) {
  static const std::map<MissingUse, std::string_view> meanings = {
      {MissingUse::kKeep, "missing in rows"},
      {MissingUse::kLeaveOut, "in no mean"},
      {MissingUse::kFill, "the public fill of its column, a category \"missing\""}};
  OptionFacts facts = {
      .name = "missing",
      .help = "What becomes of a missing cell in columns with missing = \"allowed\":",
      .derived = std::string(word_of(kMissingUses, uses.front()))};
  for (const MissingUse use : uses) {
    facts.help += fmt::format("{} {} ({})", facts.choices.empty() ? "" : " or",
                              word_of(kMissingUses, use), meanings.at(use));
    facts.choices.push_back(word_of(kMissingUses, use));
  }
  return {{facts, word_field<kMissingUses>(file.missing)}};
}

RequestOptions drop_options(SchemaFile& file) {
  return {{{.name = "drop_incomplete",
            .help = "Leave out records with a missing cell, also where missing = \"allowed\""},
           RequestOption::Flag{[&file] { file.missing = MissingUse::kDrop; }}}};
}

RequestOptions label_options(std::filesystem::path& labels) {
  return {{{.name = "labels",
            .help = "Labels of the images in --data (idx) or their attributes (CelebA format)",
            .needs = "data"},
           &labels}};
}

RequestOptions floor_options(GroupFloor& floor) {
  return {{{.name = "min_group_size",
            .help = "Public size below which a group counts as small",
            .range = between(0, 0x1p40),
            .goes_with = "small_groups",
            .because = "merge and refuse need a size, and a size one of them"},
           &floor.min_size},
          {{.name = "small_groups",
            .help = "Treatment of small groups: keep, merge into one, or refuse",
            .choices = words_of(kFloorPolicies)},
           word_field<kFloorPolicies>(floor.policy)}};
}

RequestOptions group_options(std::vector<std::vector<std::string>>& groupings, GroupFloor& floor) {
  return joined({{{{.name = "groups",
                    .is_common = true,
                    .help = "Columns or [groups.NAME] whose intersections are the groups, e.g. "
                            "sex,race; repeatable"},
                   &groupings}},
                 floor_options(floor)});
}

RequestOptions weight_options(std::string& column, std::string_view more) {
  return {
      {{.name = "weight_column",
        .is_common = true,
        .help = fmt::format("Numeric column with survey weights, 0 or more{}", more),
        .derived = "every record counts as 1"},
       RequestOption::Text{[&column](const std::string& name) { column = without_quotes(name); }}}};
}

RequestOptions ledger_options(std::string& path, std::string& key, std::string_view payee) {
  return {{{.name = "ledger",
            .is_common = true,
            .help = fmt::format("Ledger that pays for the {}", payee)},
           &path},
          {{.name = "ledger_key",
            .help = "Name of this spend, which the ledger accepts once: a rerun cannot pay twice",
            .is_of_one_run = true},
           &key}};
}

RequestOptions seed_options(std::optional<size_t>& seed) {
  return {{{.name = "insecure_test_rng",
            .help = "Allow --seed; the result is NOT PRIVATE",
            .goes_with = "seed",
            .because = "a reproducible run is NOT PRIVATE and only for tests"},
           RequestOption::Flag{[] {}}},
          {{.name = "seed", .help = "Seed of a reproducible run, for tests"}, &seed}};
}

RequestOptions constraint_options(std::vector<std::string>& lines, std::filesystem::path& path) {
  return under("Constraints",
               {{{.name = "constraint",
                  .is_common = true,
                  .help = "TYPE:ATTRIBUTES:SLACK, e.g. demographic_parity:sex:0.05, or RATE:BOUND, "
                          "e.g. fnr:0.1; repeatable (docs/guide/constraints.md)"},
                 &lines},
                {{.name = "constraints",
                  .help = "TOML or JSON file of constraints (docs/guide/constraints.md)"},
                 &path}});
}

RequestOptions strict_options(bool& strict) {
  return {{{.name = "strict",
            .help = "Exit code 5 unless all limits and constraints hold, not only if one fails"},
           &strict}};
}

RequestOptions verbose_options(bool& verbose) {
  return {{{.name = "verbose",
            .is_common = true,
            .help = "Print all tables and sentences of the page",
            .is_of_one_run = true},
           &verbose}};
}

}  // namespace equinoise

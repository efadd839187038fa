// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/base/sha256.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/split.h"
#include "equinoise/data/table.h"
#include "tests/data/formats/arrow_tables.h"
#include "tests/data/table_files.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::units_test {

/// Columns of all kinds, whose order in the schema is not that of their types.
std::string schema_text(int64_t most, int64_t num_units) {
  return units_head("visits", "", num_units, "pid", most) + categorical_section("sex", {"F", "M"}) +
         ignored_section("pid") + numeric_section("age", 0, 100) +
         categorical_section("race", {"a", "b"}, "unknown = \"other\"\nmissing = \"category\"\n") +
         numeric_section("weight", -1, 10, "missing = \"category\"\nfeature = false\n");
}

Schema schema_of(int64_t most, int64_t num_units = 0) {
  return parse_schema(schema_text(most, num_units), "visits.toml", SizesRule::kMayBePrivate);
}

struct Visit {
  std::string pid, sex, age, race, weight;
};
using Visits = std::vector<Visit>;

std::string csv_of(const Visits& visits) {
  std::string text = "pid,sex,age,race,weight\n";
  for (const Visit& visit : visits)
    text +=
        fmt::format("{},{},{},{},{}\n", visit.pid, visit.sex, visit.age, visit.race, visit.weight);
  return text;
}

/// Cells that fall together, are dropped, missing, clamped and in one bin without being equal.
Visit random_visit(const std::string& pid, std::mt19937& random) {
  const auto one_of = [&](const std::vector<std::string>& cells) {
    return cells[random() % cells.size()];
  };
  return {pid, one_of({"F", "M", "F", "M", "X", "?"}),
          one_of({"17", "17.0005", "0", "100", "-5", "?", "30"}), one_of({"a", "b", "z", "?"}),
          one_of({"1", "1.00001", "?", "10", "9.5"})};
}

Visits random_visits(int num_people, int most, std::mt19937& random) {
  Visits visits;
  for (int person = 0; person < num_people; ++person) {
    const auto count = 1 + static_cast<int>(random() % static_cast<unsigned>(most));
    for (int i = 0; i < count; ++i)
      visits.push_back(random_visit(fmt::format("p{}", person), random));
  }
  std::shuffle(visits.begin(), visits.end(), random);
  return visits;
}

class UnitsTest : public ::testing::Test {
 protected:
  Dataset read(const Visits& visits, const Schema& schema, TableUse use = TableUse::kPrivateSize) {
    return read_table(folder_.write_file("visits.csv", csv_of(visits)), schema, use);
  }

  TempFolder folder_;
};

/// All that a dataset holds of each row, unit by unit.
std::vector<std::vector<std::string>> rows_of(const Dataset& dataset) {
  std::vector<std::vector<std::string>> units;
  for (size_t unit = 0; unit + 1 < dataset.unit_begin.size(); ++unit) {
    std::vector<std::string>& rows = units.emplace_back();
    for (uint32_t row = dataset.unit_begin[unit]; row < dataset.unit_begin[unit + 1]; ++row) {
      std::string text = fmt::format("{}", dataset.contributes[row]);
      const auto flag = [&](const std::vector<uint8_t>& flags) {
        text += flags.empty() || flags[row] == 0 ? "" : "!";
      };
      for (const CategoricalColumn& column : dataset.categorical) {
        text += fmt::format(" {}", column.codes[row]);
        flag(column.dropped);
      }
      for (const NumericColumn& column : dataset.numeric) {
        text += fmt::format(" {}", column.values[row]);
        flag(column.dropped);
        flag(column.missing);
      }
      rows.push_back(text);
    }
  }
  return units;
}

/// A visit as the documentation of the rule sees it.
struct SeenVisit {
  std::vector<int> codes;  ///< in the schema's order; -1 would not sort as "m" and "d" do
  std::vector<double> numbers;
  std::string text;  ///< as of rows_of

  auto key() const { return std::tie(codes, numbers); }
};

constexpr int kM = 1'000'000;
constexpr int kD = 2'000'000;

/// Public bins by their definition: equal ones, and 0, to below `tiny`, and the bounds.
std::vector<double> public_edges(double lower, double upper, double tiny) {
  std::vector<double> edges = {next_up(lower), 0, tiny, upper, next_up(upper)};
  for (int i = 0; i <= 65'536; ++i) edges.push_back(lower + (upper - lower) * i / 65'536);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::erase_if(edges, [&](double edge) { return edge > 0 && edge < tiny; });
  return edges;
}

SeenVisit see(const Visit& visit) {
  SeenVisit seen;
  const bool no_sex = visit.sex == "X" || visit.sex == "?";
  const bool no_age = visit.age == "?";
  const bool no_weight = visit.weight == "?";
  const double age = no_age ? 0 : std::clamp(std::stod(visit.age), 0.0, 100.0);
  const double weight = no_weight ? -1 : std::stod(visit.weight);
  static const std::vector<double> of_age = public_edges(0, 100, 64 * 0x1p-40);
  static const std::vector<double> of_weight = public_edges(-1, 10, 8 * 0x1p-40);
  const auto bin = [](double x, const std::vector<double>& edges) {
    return static_cast<int>(std::ranges::upper_bound(edges, x) - edges.begin()) - 1;
  };
  const int sex = no_sex || visit.sex == "F" ? 0 : 1;
  const int race = visit.race == "a" ? 0 : visit.race == "b" ? 1 : visit.race == "z" ? 2 : 3;
  seen.codes = {no_sex ? kD : sex, no_age ? kD : bin(age, of_age), race,
                no_weight ? kM : bin(weight, of_weight)};
  seen.numbers = {age, weight};
  seen.text = fmt::format("{} {}{} {} {}{} {}{}", no_sex || no_age ? 0 : 1, sex, no_sex ? "!" : "",
                          race, age, no_age ? "!" : "", weight, no_weight ? "!" : "");
  return seen;
}

/// The rule as data/units.h writes it, over the texts of a file without missing ids.
std::vector<std::vector<std::string>> reference(const Visits& visits, size_t most) {
  std::map<std::string, std::vector<SeenVisit>> people;
  for (const Visit& visit : visits) people[visit.pid].push_back(see(visit));
  std::vector<std::vector<std::string>> units;
  for (auto& [pid, rows] : people) {
    std::ranges::sort(rows,
                      [](const SeenVisit& a, const SeenVisit& b) { return a.key() < b.key(); });
    std::map<std::vector<int>, int> copies;
    std::vector<std::pair<std::string, size_t>> hashes;
    for (size_t i = 0; i < rows.size(); ++i) {
      std::string text = pid;
      for (const int code : rows[i].codes) {
        text += '\x1f';
        text += code == kM ? "m" : code == kD ? "d" : std::to_string(code);
      }
      text += fmt::format("\x1f{}", ++copies[rows[i].codes]);
      hashes.emplace_back(sha256_hex(text), i);
    }
    std::ranges::sort(hashes);
    hashes.resize(std::min(most, hashes.size()));
    std::vector<size_t> places;
    for (const auto& [hash, place] : hashes) places.push_back(place);
    std::ranges::sort(places);
    std::vector<std::string>& kept = units.emplace_back();
    for (const size_t place : places) kept.push_back(rows[place].text);
  }
  return units;
}

TEST_F(UnitsTest, TheRuleIsWhatItsDocumentationSays) {
  std::mt19937 random(20261128);
  for (const size_t most : {1U, 2U, 3U, 7U, 30U}) {
    const Visits visits = random_visits(40, 25, random);
    const Dataset dataset = read(visits, schema_of(static_cast<int64_t>(most)));
    EXPECT_EQ(rows_of(dataset), reference(visits, most)) << most;
    EXPECT_EQ(dataset.num_units(), 40);
    EXPECT_EQ(dataset.num_read(), std::ssize(visits));
    EXPECT_EQ(dataset.num_without_unit, 0);
    EXPECT_EQ(dataset.num_dropped, std::ranges::count(dataset.contributes, 0));
    std::map<std::string, uint32_t> counts;
    for (const Visit& visit : visits) ++counts[visit.pid];
    std::vector<uint32_t> expected;
    for (const auto& [pid, count] : counts) expected.push_back(count);
    EXPECT_EQ(dataset.num_rows_read, expected);
  }
}

/// An answer that was worked out outside of this program: printf 'ann\x1f0\x1f...' | sha256sum.
TEST_F(UnitsTest, TheHashedTextStays) {
  const Visits visits = {{"ann", "F", "50", "a", "?"}, {"ann", "M", "?", "b", "10"}};
  const std::string first =
      sha256_hex(std::string("ann\x1f"
                             "0\x1f"
                             "32768\x1f"
                             "0\x1f"
                             "m\x1f"
                             "1"));
  const std::string second =
      sha256_hex(std::string("ann\x1f"
                             "1\x1f"
                             "d\x1f"
                             "1\x1f"
                             "65535\x1f"
                             "1"));
  EXPECT_EQ(first, "00ebf88447bfc7f94d6761cdb0bab3b1b71571f08e3e0eb4c4c1f8a400abf2c5");
  EXPECT_EQ(second, "a2481c35161c1eaa1d5190fa64eef3ae1db0356189cfddc1a88818a191c7bd45");
  const Dataset dataset = read(visits, schema_of(1));
  ASSERT_EQ(dataset.num_records, 1);
  EXPECT_EQ(dataset.find_categorical("sex")->codes[0], first < second ? 0 : 1);
}

TEST_F(UnitsTest, NothingDependsOnTheOrderOfTheFile) {
  std::mt19937 random(7);
  Visits visits = random_visits(30, 12, random);
  visits.push_back({"", "F", "20", "a", "1"});
  const auto expected = rows_of(read(visits, schema_of(4)));
  for (int trial = 0; trial < 20; ++trial) {
    std::shuffle(visits.begin(), visits.end(), random);
    ASSERT_EQ(rows_of(read(visits, schema_of(4))), expected);
  }
}

/// Neighbours: whatever becomes of one person's rows in the file, at most k rows of the dataset
/// change, and they are that person's.
TEST_F(UnitsTest, OnlyTheRowsOfWhoeverChangesChange) {
  std::mt19937 random(41);
  for (int trial = 0; trial < 60; ++trial) {
    const int64_t most = 1 + trial % 5;
    const Visits visits = random_visits(12, 9, random);
    const std::string changed = fmt::format("p{}", random() % 12);
    Visits neighbour;
    for (const Visit& visit : visits)
      if (visit.pid != changed) neighbour.push_back(visit);
    const bool is_gone = trial % 3 == 0;
    for (size_t i = 0; !is_gone && i < 1 + random() % 20; ++i) {
      const auto place = static_cast<std::ptrdiff_t>(random() % (neighbour.size() + 1));
      neighbour.insert(neighbour.begin() + place, random_visit(changed, random));
    }
    std::vector<std::string> ids;
    for (const Visit& visit : visits) ids.push_back(visit.pid);
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    const size_t unit = static_cast<size_t>(std::ranges::find(ids, changed) - ids.begin());

    auto before = rows_of(read(visits, schema_of(most)));
    auto after = rows_of(read(neighbour, schema_of(most)));
    ASSERT_EQ(after.size(), before.size() - (is_gone ? 1 : 0));
    const auto place = static_cast<std::ptrdiff_t>(unit);
    ASSERT_LE(std::ssize(before[unit]), most);
    before.erase(before.begin() + place);
    if (!is_gone) {
      ASSERT_LE(std::ssize(after[unit]), most);
      after.erase(after.begin() + place);
    }
    ASSERT_EQ(after, before) << trial;
  }
}

TEST_F(UnitsTest, CopiesOfARowAreSeveralRows) {
  const Visits visits(5, {"a", "F", "20", "a", "1"});
  EXPECT_EQ(read(visits, schema_of(3)).num_records, 3);
  EXPECT_EQ(read(visits, schema_of(3)).num_beyond, 2);
  EXPECT_EQ(read(visits, schema_of(9)).num_records, 5);
}

TEST_F(UnitsTest, WhoseIdIsMissingIsNobodys) {
  const Visits visits = {{"", "F", "1", "a", "1"},    {"  ", "F", "2", "a", "1"},
                         {"?", "F", "3", "a", "1"},   {" ? ", "F", "4", "a", "1"},
                         {" b ", "F", "5", "a", "1"}, {"b", "F", "6", "a", "1"},
                         {"1", "F", "7", "a", "1"},   {"1.0", "F", "8", "a", "1"}};
  const Dataset dataset = read(visits, schema_of(5, 3), TableUse::kDescribed);
  EXPECT_EQ(dataset.num_without_unit, 4);
  EXPECT_EQ(dataset.num_units(), 3);
  EXPECT_THAT(dataset.unit_begin, ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(dataset.find_numeric("age")->values, ElementsAre(7, 8, 5, 6));
}

TEST_F(UnitsTest, WhoseRowsAreAllDroppedKeepsItsPlace) {
  const Visits visits = {
      {"a", "X", "1", "a", "1"}, {"a", "F", "?", "a", "1"}, {"b", "F", "1", "a", "1"}};
  const Dataset dataset = read(visits, schema_of(5, 2), TableUse::kDescribed);
  EXPECT_THAT(dataset.unit_begin, ElementsAre(0, 2, 3));
  EXPECT_EQ(dataset.num_dropped, 2);
}

TEST_F(UnitsTest, NoRowsAreNoUnits) {
  const Dataset dataset = read({}, schema_of(5));
  EXPECT_EQ(dataset.num_units(), 0);
  EXPECT_THAT(dataset.unit_begin, ElementsAre(0));
  EXPECT_EQ(read({{"", "F", "1", "a", "1"}}, schema_of(5)).num_records, 0);
}

TEST_F(UnitsTest, TheNumberOfUnitsIsThatOfTheSchema) {
  const std::string message = error_of(ErrorKind::kInput, [&] {
    read({{"S3CRET", "F", "1", "a", "1"}, {"S3CRET", "F", "2", "a", "1"}}, schema_of(5, 2),
         TableUse::kDescribed);
  });
  EXPECT_THAT(message, AllOf(HasSubstr("has 1 units (pid), but the schema says num_units = 2"),
                             Not(HasSubstr("S3CRET"))));
}

TEST_F(UnitsTest, NoErrorHoldsAnId) {
  EXPECT_ERROR(kInput, AllOf(HasSubstr("column 'age' is not a number"), Not(HasSubstr("S3CRET"))),
               read({{"S3CRET", "F", "x", "a", "1"}}, schema_of(5)));
}

TEST_F(UnitsTest, OtherTablesNeedNoColumnOfUnits) {
  const auto path = folder_.write_file("other.csv", "sex,age,race,weight\nF,1,a,1\nM,2,b,2\n");
  for (const TableUse use : {TableUse::kOther, TableUse::kFeaturesOnly}) {
    const Dataset dataset = read_table(path, schema_of(1, 9), use);
    EXPECT_EQ(dataset.num_records, 2);
    EXPECT_THAT(dataset.unit_begin, IsEmpty());
    EXPECT_EQ(dataset.num_units(), 2);
  }
  for (const TableUse use : {TableUse::kDescribed, TableUse::kPrivateSize}) {
    EXPECT_ERROR(kInput, HasSubstr("the header lacks column 'pid'"),
                 read_table(path, schema_of(1, 2), use));
  }
}

TEST_F(UnitsTest, IdsMustHaveTexts) {
  const auto path =
      testing::write_parquet(folder_.path() / "lists.parquet",
                             "SELECT [1] AS pid, 'F' AS sex, 1 AS age, 'a' AS race, 1 AS weight");
  EXPECT_ERROR(kInput, HasSubstr("column 'pid' holds something other than text"),
               read_table(path, schema_of(1, 1)));
  EXPECT_ERROR(kInput, HasSubstr("names column 'pid' twice"),
               read_table(folder_.write_file("two.csv",
                                             "pid,sex,age,race,weight,pid\n"
                                             "1,F,1,a,1,2\n"),
                          schema_of(1), TableUse::kPrivateSize));
}

TEST_F(UnitsTest, FormatsOfTheSameTableAreOneDataset) {
  const std::string query =
      "SELECT CASE WHEN i % 9 = 8 THEN NULL ELSE (i * 7) % 5 END AS pid, "
      "CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END AS sex, i % 50 AS age, "
      "CASE WHEN i % 4 = 0 THEN NULL ELSE 'a' END AS race, (i % 13) / 4.0 AS weight "
      "FROM range(200) AS r(i)";
  std::string csv = "pid,sex,age,race,weight\n";
  for (int i = 0; i < 200; ++i)
    csv += fmt::format("{},{},{},{},{}\n", i % 9 == 8 ? "" : std::to_string(i * 7 % 5),
                       i % 3 == 0 ? "F" : "M", i % 50, i % 4 == 0 ? "" : "a", i % 13 / 4.0);
  const Schema schema = schema_of(6, 5);
  const auto expected = rows_of(read_table(folder_.write_file("t.csv", csv), schema));
  ASSERT_EQ(expected.size(), 5U);
  EXPECT_EQ(
      rows_of(read_table(testing::write_parquet(folder_.path() / "t.parquet", query), schema)),
      expected);
  const TableSource frame("frame", [&query] {
    ArrowArrayStream stream = testing::ArrowOfQuery::stream(query);
    return std::make_unique<ArrowReader>("frame", &stream);
  });
  EXPECT_EQ(rows_of(read_table(frame, schema)), expected);
}

TEST_F(UnitsTest, AllRowsAreEncodedWithTheirUnits) {
  std::mt19937 random(3);
  const Schema schema = schema_of(4);
  const Dataset dataset = read(random_visits(9, 6, random), schema);
  EXPECT_EQ(encode(dataset, schema, TargetUse::kNone).unit_begin, dataset.unit_begin);
}

TEST(Units, RowsOfSomeUnits) {
  Dataset dataset;
  dataset.num_records = 6;
  dataset.unit_begin = {0, 1, 1, 4, 6};
  const std::vector<uint32_t> units = {3, 0, 1, 2};
  const UnitRows rows = rows_of_units(dataset, units);
  EXPECT_THAT(rows.rows, ElementsAre(4, 5, 0, 1, 2, 3));
  EXPECT_THAT(rows.begin, ElementsAre(0, 2, 3, 3, 6));
  dataset.unit_begin.clear();
  EXPECT_THAT(rows_of_units(dataset, units).rows, ElementsAre(3, 0, 1, 2));
  EXPECT_THAT(rows_of_units(dataset, units).begin, IsEmpty());
}

TEST(Units, RecordsOfACountedTableAreInItsRows) {
  Dataset dataset;
  dataset.num_records = 4;
  dataset.contributes.assign(4, 1);
  dataset.row_counts = {2, 1, 3, 1};
  EXPECT_EQ(dataset.num_units(), 7);
  const std::vector<uint32_t> all = {0, 1, 2, 3, 4, 5, 6};
  EXPECT_THAT(rows_of_units(dataset, all).rows, ElementsAre(0, 0, 1, 2, 2, 2, 3));
  const std::vector<uint32_t> some = {6, 0, 5, 2, 2};
  EXPECT_THAT(rows_of_units(dataset, some).rows, ElementsAre(3, 0, 2, 1, 1));
  EXPECT_THAT(rows_of_units(dataset, some).begin, IsEmpty());
  dataset.num_counted_units = 3;
  EXPECT_ERROR(kInput, HasSubstr("do not say whose they are"), rows_of_units(dataset, some));
}

TEST(Units, NobodyIsInBothPartsOfASplit) {
  constexpr uint32_t kUnits = 50;
  Dataset dataset;
  dataset.unit_begin = {0};
  for (uint32_t unit = 0; unit < kUnits; ++unit)
    dataset.unit_begin.push_back(dataset.unit_begin.back() + unit % 4);
  dataset.num_records = dataset.unit_begin.back();
  const UnitSplit split = split_units(dataset, 0.3, 5);
  const Split of_units = split_records(kUnits, 0.3, 5);
  EXPECT_EQ(split.test.rows, rows_of_units(dataset, of_units.test).rows);
  EXPECT_EQ(split.train.begin.size(), of_units.train.size() + 1);
  std::vector<uint32_t> all = split.train.rows;
  append(all, split.test.rows);
  std::ranges::sort(all);
  EXPECT_EQ(std::ssize(all), dataset.num_records);
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

std::vector<uint32_t> settled(const std::vector<uint32_t>& begin, std::vector<uint32_t> groups,
                              std::vector<uint8_t> counts = {}) {
  if (counts.empty()) counts.assign(groups.size(), 1);
  std::vector<GroupId> ids;
  for (const uint32_t group : groups) ids.push_back(static_cast<GroupId>(group));
  settle_groups(begin, ids, counts);
  groups.clear();
  for (const GroupId id : ids) groups.push_back(index_of(id));
  return groups;
}

TEST(Units, AUnitIsInTheGroupOfMostOfItsRows) {
  EXPECT_THAT(settled({0, 3, 3, 5, 6}, {1, 0, 1, 2, 1, 7}), ElementsAre(1, 1, 1, 1, 1, 7));
  EXPECT_THAT(settled({0, 5}, {3, 1, 1, 3, 2}), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(settled({}, {3, 1}), ElementsAre(3, 1)) << "each row is a unit";
}

TEST(Units, RowsOfNoKnownGroupHaveNoSay) {
  EXPECT_THAT(settled({0, 3, 5}, {0, 0, 2, 4, 3}, {0, 0, 1, 0, 0}), ElementsAre(2, 2, 2, 3, 3));
}

TEST(Units, WhatDoesNotKnowUnitsRefusesThem) {
  EXPECT_ERROR(kUsage, HasAll("audit --predictions does not know units", "unit = \"pid\""),
               require_rows_as_units(schema_of(3), "audit --predictions"));
  Schema rows;
  EXPECT_NO_THROW(require_rows_as_units(rows, "audit --predictions"));
}

}  // namespace equinoise::units_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/size_release.h"

#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "equinoise/data/table.h"
#include "equinoise/privacy/mechanisms/discrete_laplace.h"
#include "tests/privacy/mechanisms/permits.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::size_release_test {

/// Columns sex (2), race (3) and age; `rules` are those of both categorical columns.
std::string schema_text(int64_t num_records, const std::string& groups,
                        const std::string& rules = "") {
  return schema_head("people", "", num_records) + groups +
         categorical_section("sex", {"F", "M"}, rules) +
         categorical_section("race", {"x", "y", "z"}, rules) + numeric_section("age", 0, 100) +
         band_section("stage", "age", "[25]") + band_section("fine", "age", "[25, 45]") +
         "[groups.first]\ncolumn = \"race\"\nvalues = [\"x\"]\n" +
         band_section("young", "age", "[18]");
}

const std::string kDropsNobody = "unknown = \"other\"\nmissing = \"category\"\n";

Schema parse(const std::string& text) { return parse_schema(text, "test"); }

std::vector<int64_t> fit(const std::string& text, const std::vector<std::string>& columns,
                         const std::vector<int64_t>& noisy, double decay = 1) {
  return fit_sizes(ask_sizes(parse(text), columns), noisy, decay);
}

TEST(SizeRelease, SizesAreTheCountsWhereTheyMayBe) {
  EXPECT_THAT(fit(schema_text(100, ""), {"sex"}, {30, 60}), ElementsAre(30, 60));
}

/// A size that noise hides is not reported as less than the noise, and no group as empty.
TEST(SizeRelease, NoSizeIsBelowTheNoise) {
  EXPECT_THAT(fit(schema_text(1000, ""), {"sex"}, {-30, 60}, 0.1), ElementsAre(10, 60));
  EXPECT_THAT(fit(schema_text(1000, ""), {"sex"}, {-30, 0}, 10), ElementsAre(1, 1));
}

TEST(SizeRelease, SizesAddUpToTheTableWhereEverybodyIsInAGroup) {
  const std::vector<int64_t> sizes =
      fit(schema_text(1000, "", kDropsNobody), {"sex"}, {300, 100, 80, 20});
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), 1000);
  EXPECT_THAT(sizes, ElementsAre(599, 200, 160, 41));
}

TEST(SizeRelease, SizesAreNeverMoreThanTheTable) {
  EXPECT_THAT(fit(schema_text(100, ""), {"sex"}, {150, 150}), ElementsAre(50, 50));
}

TEST(SizeRelease, SizesOfTheSchemaStay) {
  const std::string groups = group_size("sex = \"F\"", 30);
  EXPECT_THAT(fit(schema_text(100, groups), {"sex"}, {7, 60}), ElementsAre(30, 60));
  EXPECT_THAT(fit(schema_text(100, groups), {"sex"}, {7, 90}), ElementsAre(30, 70));
}

TEST(SizeRelease, PartsAreScaledToALargerGroup) {
  const std::string groups = group_size("sex = \"F\"", 30) + group_size("sex = \"M\"", 70);
  EXPECT_THAT(fit(schema_text(100, groups), {"sex", "race"}, {20, 20, 20, 10, 20, 30}),
              ElementsAre(10, 10, 10, 10, 20, 30));
}

/// Nobody is in bands of one column that have nothing in common.
TEST(SizeRelease, NobodyIsInGroupsThatNobodyCanBeIn) {
  EXPECT_THAT(fit(schema_text(100, ""), {"stage", "fine"}, {30, 9, 9, 9, 20, 10}, 0.1),
              ElementsAre(30, 0, 0, 0, 20, 10));
  EXPECT_THAT(fit(schema_text(100, ""), {"race", "first"}, {30, 9, 9, 20, 9, 10}, 1),
              ElementsAre(30, 0, 0, 20, 0, 10));
}

TEST(SizeRelease, WhatFollowsIsNotPaidFor) {
  const std::string groups =
      group_size("sex = \"F\", race = \"x\"", 40) + group_size("sex = \"M\", race = \"x\"", 60);
  EXPECT_ERROR(kUsage, HasSubstr("or follow from those"),
               ask_sizes(parse(schema_text(100, groups)), {"sex"}));
}

TEST(SizeRelease, ReleasedSizesAreNotSaidToBeExact) {
  const std::string text = schema_text(100, "");
  const Schema schema = parse(text);
  const SizeQuestion question = ask_sizes(schema, {"sex"});
  const Schema sized =
      parse(text + sizes_to_toml(schema, question, std::vector<int64_t>{30, 60}).substr(1));
  EXPECT_THAT(sized.inexact_group_sizes,
              ElementsAre(GroupLabel{{"sex", "F"}}, GroupLabel{{"sex", "M"}}));
}

/// Whatever the noise, the entries make a schema that is read.
TEST(SizeRelease, WhatIsReleasedCanBeDeclared) {
  std::mt19937 random(20261126);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  int num_asked = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int64_t n = 40 + below(trial % 2 == 0 ? 100 : 1'000'000);
    const std::string rules = below(2) == 0 ? kDropsNobody : "";
    std::string groups;
    const std::vector<std::vector<std::string>> groupings = {
        {"race", "sex"}, {"stage", "fine"}, {"sex", "young", "stage"}, {"race", "first"}};
    const std::vector<std::string>& columns = groupings[static_cast<size_t>(below(4))];
    const int64_t kind = below(5);
    const bool has_sex = columns != groupings[1] && columns != groupings[3];
    const int64_t part = below(n);
    if (kind == 1 && has_sex) groups = group_size("sex = \"F\"", part);
    if (kind == 2 && columns == groupings[0])
      groups = group_size("sex = \"M\", race = \"y\"", part);
    if (kind == 3 && has_sex) {
      groups = group_size("sex = \"F\"", part);
      groups += group_size("sex = \"M\"", rules.empty() ? below(n - part) : n - part);
      if (!rules.empty())
        groups += group_size("sex = \"other\"", 0) + group_size("sex = \"missing\"", 0);
    }
    if (kind == 4 && (columns == groupings[1] || columns == groupings[2]))
      groups = group_size("stage = \"below 25\"", part) +
               group_size("stage = \"25 and above\"", below(n - part));
    if (kind == 4 && columns == groupings[3])
      groups = group_size("first = \"x\"", part) + group_size("first = \"rest\"", below(n - part));
    const std::string text = schema_text(n, groups, rules);
    const Schema schema = parse(text);
    SizeQuestion question;
    try {
      question = ask_sizes(schema, columns);
    } catch (const Error& error) {
      ASSERT_THAT(error.what(), AnyOf(HasSubstr("some would have none"), HasSubstr("declared")))
          << text;
      continue;
    }
    ++num_asked;
    std::vector<int64_t> noisy;
    for (size_t k = 0; k < question.grouping.groups.size(); ++k)
      noisy.push_back(below(2 * n) - below(n));
    const double decay = std::pow(10.0, static_cast<double>(below(7)) - 4);
    const std::string whole =
        text + sizes_to_toml(schema, question, fit_sizes(question, noisy, decay));
    ASSERT_NO_THROW(parse(whole)) << whole;
    EXPECT_ERROR(kUsage, HasSubstr("declared"), ask_sizes(parse(whole), columns));
  }
  EXPECT_GE(num_asked, 1300);
}

TEST(SizeRelease, RefusesWhatCouldNotBeDeclared) {
  const auto refusal = [](const std::string& text, const std::vector<std::string>& columns) {
    return error_of(ErrorKind::kUsage, [&] { ask_sizes(parse(text), columns); });
  };
  const std::string by_sex = group_size("sex = \"F\"", 30) + group_size("sex = \"M\"", 70);
  EXPECT_THAT(refusal(schema_text(100, by_sex), {"sex"}), HasSubstr("are declared, or follow"));
  EXPECT_THAT(refusal(schema_text(100, by_sex + group_size("race = \"x\"", 20)), {"sex", "race"}),
              HasAll("by race and by sex", "one of them"));
  EXPECT_THAT(refusal(schema_text(100, group_size("sex = \"F\", race = \"x\"", 20)), {"sex"}),
              HasSubstr("might contradict"));
  EXPECT_THAT(refusal(schema_text(100, group_size("stage = \"below 25\"", 20)), {"young"}),
              HasSubstr("might contradict"));
  EXPECT_THAT(refusal(schema_text(5, ""), {"sex", "race"}), HasSubstr("some would have none"));
  EXPECT_THAT(refusal(schema_text(100, group_size("sex = \"F\"", 2)), {"sex", "race"}),
              HasSubstr("some would have none"));
}

/// Sizes of what shares no column with the groups say nothing about them.
TEST(SizeRelease, SizesOfOtherColumnsAreLeftAlone) {
  EXPECT_THAT(fit(schema_text(100, group_size("race = \"x\"", 20)), {"sex"}, {30, 60}),
              ElementsAre(30, 60));
}

/// Replacing any one record by the null record changes one count, by one, or none.
TEST(SizeRelease, ARecordMovesTheCountsByItsSensitivity) {
  const Schema schema = parse(schema_text(6, ""));
  const std::vector<std::string> rows = {"F,x,20\n",     "M,y,30\n", "M,?,40\n",
                                         "other,z,50\n", "F,z,?\n",  "M,z,60\n"};
  const TempFolder folder;
  const auto counts_without = [&](size_t null) {
    std::string csv = "sex,race,age\n";
    for (size_t i = 0; i < rows.size(); ++i) csv += i == null ? "?,?,?\n" : rows[i];
    const Dataset dataset = read_table(folder.write_file("people.csv", csv), schema);
    return count_groups(dataset, schema, group_by(dataset, schema, {"sex", "race"}));
  };
  const std::vector<int64_t> all = counts_without(rows.size());
  EXPECT_THAT(all, ElementsAre(1, 0, 1, 0, 1, 1));
  const std::vector<int64_t> moves = {1, 1, 0, 0, 1, 1};
  for (size_t null = 0; null < rows.size(); ++null) {
    const std::vector<int64_t> counts = counts_without(null);
    int64_t moved = 0;
    for (size_t k = 0; k < all.size(); ++k) moved += std::abs(counts[k] - all[k]);
    EXPECT_EQ(moved, moves[null]) << rows[null];
  }
}

TEST(SizeRelease, DrawsTheNoiseThatWasPaidFor) {
  const SizeQuestion question = ask_sizes(parse(schema_text(10'000, "")), {"sex"});
  const Event event = Event::discrete_laplace(0.05, 1);
  SeededSource source(7);
  const std::vector<int64_t> sizes =
      release_sizes(question, {3000, 40}, permit_for(event, Relation::kZeroOut), source);
  std::vector<int64_t> expected = {3000, 40};
  SeededSource same(7);
  add_discrete_laplace_noise(permit_for(event, Relation::kZeroOut),
                             {1, Norm::kL1, Relation::kZeroOut}, expected, same);
  EXPECT_EQ(sizes, fit_sizes(question, expected, 0.05));
  EXPECT_NE(sizes[0], 3000);
  error_of(ErrorKind::kRuntime, [&] {
    release_sizes(question, {3000, 40}, permit_for(event, Relation::kReplaceOne), source);
  });
}

TEST(SizeRelease, UnitsAreInTheGroupOfMostOfTheirRows) {
  const TempFolder folder;
  const Schema schema =
      parse_schema(units_head("visits", "", 4, "pid", 5) + ignored_section("pid") +
                       categorical_section("sex", {"F", "M"}),
                   "visits");
  // b is mostly M, c's sex is known of one row alone, d's of none.
  const Dataset dataset = read_table(
      folder.write_file("t.csv", "pid,sex\na,F\nb,M\nb,F\nb,M\nc,?\nc,M\nc,?\nd,?\nd,?\n"), schema);
  const Grouping grouping = group_by(dataset, schema, {"sex"});
  EXPECT_THAT(count_groups(dataset, schema, grouping), ElementsAre(1, 2));
  EXPECT_THAT(sizes_to_toml(schema, ask_sizes(schema, {"sex"}), std::vector<int64_t>{1, 2}),
              HasAll("\nnum_units = 1\n", "\nnum_units = 2\n"));
}

}  // namespace equinoise::size_release_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_estimate.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "equinoise/report/synth/estimate_report.h"
#include "tests/tasks/synth/estimate_cases.h"
#include "tests/test_support.h"

namespace equinoise::synth_estimate_test {

using Marginal = MeasuredFacts::Marginal;

/// A model of sex, city, age and rich that says nothing, and these measurements of everybody.
SynthFile file_of(std::vector<Marginal> marginals) {
  SynthFile file;
  file.dataset = "people";
  file.method = "aim";
  file.status = PrivacyStatus::kPrivate;
  file.columns = testing::people_columns();
  file.num_rows = 1000;
  const Domain domain = domain_of(file.columns, {0, 1, 2, 3});
  file.strata.push_back(
      {{},
       {0, 1, 2, 3},
       {},
       1,
       std::make_unique<GraphSynthModel>(
           domain, std::vector<RareValues>{keep_all(2), keep_all(3), keep_all(5), keep_all(2)},
           GraphicalModel(domain, {}, 1000))});
  ReleasedFacts& facts = file.released.emplace();
  facts.version = "1.2";
  facts.num_records = 1000;
  facts.gaps = {"none", "none", "kept", "none"};
  for (Marginal& marginal : marginals)
    marginal.num_counts = static_cast<double>(marginal.counts.size());
  facts.everybody.marginals = std::move(marginals);
  return file;
}

Marginal marginal(std::vector<std::string> columns, double noise, std::vector<double> counts) {
  Marginal result;
  result.columns = std::move(columns);
  result.noise_stddev = noise;
  result.counts = std::move(counts);
  return result;
}

std::vector<EstimatedFigure> figures(const SynthFile& file, const SynthEstimateRequest& request) {
  return estimate_from_model(file, "model.json", request).figures;
}

TEST(SynthEstimate, ATableIsTheNoisyCountsWithIntervals) {
  const SynthFile file =
      file_of({marginal({"sex"}, 5, {310, 690}), marginal({"sex", "rich"}, 8, {100, 200, 300, 400}),
               marginal({"sex", "rich"}, 2, {104, 204, 296, 396})});
  const auto found = figures(file, {.question = {.table = {"rich", "sex"}}});
  ASSERT_EQ(found.size(), 8U);
  // The cells are in the order of the question: no, Male.
  EXPECT_EQ(found[2].group, (GroupLabel{{"rich", "no"}, {"sex", "Male"}}));
  EXPECT_EQ(found[2].kind, FigureKind::kCount);
  EXPECT_EQ(found[2].estimate, 296);
  EXPECT_DOUBLE_EQ(*found[2].model, 250);
  EXPECT_LT(*found[2].lower, 296 - 1.96 * 2);
  EXPECT_GT(*found[2].lower, 296 - 4 * 2);
  EXPECT_EQ(found[2].basis.columns, (std::vector<std::string>{"sex", "rich"}));
  EXPECT_EQ(found[2].basis.noise_stddev, 2);
  EXPECT_EQ(found[3].kind, FigureKind::kShare);
  EXPECT_NEAR(*found[3].lower, *found[2].lower / 1000, 1e-12);
  EXPECT_DOUBLE_EQ(*found[3].estimate, 0.296);
}

TEST(SynthEstimate, WhatWasNeverMeasuredTogetherIsNull) {
  const SynthFile file =
      file_of({marginal({"sex"}, 5, {310, 690}), marginal({"city"}, 5, {1, 2, 3})});
  const SynthEstimateRequest request = {.question = {.table = {"sex", "city"}}};
  const SynthEstimateReport report = estimate_from_model(file, "model.json", request);
  for (const EstimatedFigure& figure : report.figures) {
    EXPECT_TRUE(figure.model);
    EXPECT_FALSE(figure.estimate || figure.lower || figure.upper);
    EXPECT_THAT(figure.reason, HasSubstr("sex, city were never measured together"));
  }
  const auto json = synth_estimate_to_json(report);
  EXPECT_TRUE(json.at("figures").at(0).at("estimate_interval").is_null());
  EXPECT_THAT(json.at("figures").at(0).at("not_answerable").get<std::string>(), HasSubstr("never"));
  EXPECT_THAT(synth_estimate_to_csv(report),
              HasSubstr(",,,,\"sex, city were never measured together\"\nFemale,south,share,"));
}

TEST(SynthEstimate, MeansAreOfThoseWhoHaveANumberAndAllowForBins) {
  // 100 people in 0..19, 300 in 20..29, none else, 50 without an age; hardly any noise.
  const SynthFile file = file_of({marginal({"age"}, 1e-6, {100, 300, 0, 0, 50})});
  const auto mean = figures(file, {.question = {.mean = "age"}});
  ASSERT_EQ(mean.size(), 1U);
  // Half a record of a count more or less.
  EXPECT_NEAR(*mean[0].lower, 300 * 20 / 400.0, 0.3);
  EXPECT_NEAR(*mean[0].upper, (100 * 19 + 300 * 29) / 400.0, 0.3);
  EXPECT_NEAR(*mean[0].estimate, (100 * 9.5 + 300 * 24.5) / 400.0, 1e-3);
  EXPECT_DOUBLE_EQ(*mean[0].model, (9.5 + 24.5 + 39.5 + 74.5) / 4);
  // Of a group that noise hides there is no estimate, and the interval is all that it can be.
  const SynthFile groups =
      file_of({marginal({"age", "rich"}, 20, {100, 3, 300, 0, 0, 1, 0, 0, 50, 20})});
  const auto by_group = figures(groups, {.question = {.mean = "age", .by = {"rich"}}});
  EXPECT_TRUE(by_group[0].estimate);
  EXPECT_FALSE(by_group[1].estimate);
  EXPECT_EQ(by_group[1].lower, 0);
  EXPECT_GE(*by_group[1].upper, 99);
  EXPECT_THAT(by_group[1].reason, HasSubstr("noise hides"));
}

TEST(SynthEstimate, ARangeThatCutsABinAllowsForNoneToAllOfIt) {
  const SynthFile file = file_of({marginal({"age"}, 1e-6, {100, 200, 300, 350, 50})});
  const auto whole = figures(file, {.question = {.share = {"age=20..49"}}});
  EXPECT_NEAR(*whole[0].lower, 500, 1);
  EXPECT_NEAR(*whole[0].upper, 500, 1);
  const auto cut = figures(file, {.question = {.share = {"age=25..49"}}});
  EXPECT_NEAR(*cut[0].lower, 300, 1);
  EXPECT_NEAR(*cut[0].upper, 500, 1);
  EXPECT_NEAR(*cut[0].estimate, 400, 1);
  EXPECT_NEAR(*figures(file, {.question = {.share = {"age=missing"}}})[0].estimate, 50, 1);
  EXPECT_NEAR(*figures(file, {.question = {.share = {"age=50.."}}})[0].lower, 350, 1);
}

TEST(SynthEstimate, GroupsOfTheSchemaStandWhereColumnsDo) {
  SynthFile file = file_of({marginal({"city", "rich"}, 1e-6, {100, 50, 200, 150, 300, 200})});
  file.groups = {{"side", 1, {"north", "elsewhere"}, {0, 1, 1}}};
  const auto table = figures(file, {.question = {.table = {"side"}}});
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table[2].group, (GroupLabel{{"side", "elsewhere"}}));
  EXPECT_NEAR(*table[2].estimate, 850, 1e-3);
  const auto by = figures(file, {.question = {.share = {"rich=yes"}, .by = {"side"}}});
  EXPECT_NEAR(*by[1].estimate, 350.0 / 850, 1e-6);
  const auto share = figures(file, {.question = {.share = {"side=elsewhere", "rich=yes"}}});
  EXPECT_NEAR(*share[0].estimate, 350, 1e-3);
  EXPECT_ERROR(kUsage, HasSubstr("names column city twice"),
               figures(file, {.question = {.table = {"city", "side"}}}));
  EXPECT_ERROR(kUsage, HasSubstr("groups have no mean"),
               figures(file, {.question = {.mean = "side"}}));
}

TEST(SynthEstimate, PooledValuesAreKnownTogetherOnly) {
  SynthFile file = file_of({marginal({"city", "rich"}, 1e-6, {500, 200, 180, 120})});
  file.released->everybody.marginals[0].pooled = {{0, 2}, {}};
  // South is kept, and first.
  const auto found = figures(file, {.question = {.table = {"city", "rich"}}});
  EXPECT_EQ(found[4].group[0].second, "south");
  EXPECT_NEAR(*found[4].lower, 500, 1);
  EXPECT_NEAR(*found[0].lower, 0, 1);
  EXPECT_NEAR(*found[0].upper, 180, 1);
  // Within a city that was counted with another nothing can be divided.
  const auto within = figures(file, {.question = {.share = {"rich=yes"}, .by = {"city"}}});
  EXPECT_FALSE(within[0].lower);
  EXPECT_THAT(within[0].reason, HasSubstr("cannot be told apart"));
  EXPECT_TRUE(within[1].lower);
}

TEST(SynthEstimate, SingleCountsAnswerTheirOwnCell) {
  SynthFile file = file_of({marginal({"sex", "rich"}, 3, {120})});
  file.released->everybody.marginals[0].is_cell = true;
  file.released->everybody.marginals[0].cell = {1, 0};
  const auto found = figures(file, {.question = {.table = {"sex", "rich"}}});
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].lower.has_value(), i == 4 || i == 5);
  EXPECT_EQ(found[4].estimate, 120);
  EXPECT_FALSE(figures(file, {.question = {.share = {"rich=no"}, .by = {"sex"}}})[1].lower);
}

TEST(SynthEstimate, DeclaredImpossibleCombinationsAreZero) {
  SynthFile file = file_of({marginal({"sex"}, 5, {310, 690})});
  file.released->impossible = {{"sex", "rich"}};
  file.released->impossible_cells = {{1}};
  const auto found = figures(file, {.question = {.table = {"sex", "rich"}}});
  EXPECT_EQ(found[2].lower, 0);
  EXPECT_EQ(found[2].upper, 0);
  EXPECT_EQ(found[2].basis.columns[0], "declared impossible combinations");
  EXPECT_FALSE(found[0].lower) << "the others were not measured";
  const auto within = figures(file, {.question = {.share = {"rich=yes"}, .by = {"sex"}}});
  EXPECT_EQ(within[0].upper, 0);
  EXPECT_FALSE(within[1].lower);
}

TEST(SynthEstimate, StrataAddUp) {
  const std::vector<testing::Person> people = testing::made_up_people(1500);
  for (const bool are_shared : {false, true}) {
    const SynthFile file = testing::release_of(
        people, {.method = "mst", .has_strata = true, .are_shared = are_shared}, 5);
    const auto sexes = figures(file, {.question = {.table = {"sex"}}});
    EXPECT_LT(*sexes[0].lower, *sexes[0].upper)
        << "a declared size may be wrong by dropped records";
    EXPECT_TRUE(sexes[0].basis.noise_stddev.has_value());
    // Of a stratum its own counts alone, of all the sum of both.
    const auto rich = figures(file, {.question = {.table = {"sex", "rich"}}});
    const auto all = figures(file, {.question = {.table = {"rich"}}});
    EXPECT_EQ(rich[0].basis.num_strata, 1U);
    const auto counted = [&](size_t stratum) {
      for (const Marginal& own : file.released->strata[stratum].measured.marginals)
        if (own.columns == std::vector<std::string>{"rich"}) return own.counts[0];
      return std::numeric_limits<double>::quiet_NaN();
    };
    EXPECT_DOUBLE_EQ(*rich[0].estimate, counted(0));
    if (!are_shared) {
      EXPECT_DOUBLE_EQ(*all[0].estimate, counted(0) + counted(1));
    }
    // Where everybody was measured with less noise than strata together, that is what it stands on.
    EXPECT_EQ(all[0].basis.num_strata, are_shared ? 0U : 2U);
  }
}

TEST(SynthEstimate, APrivateNumberOfRecordsIsDividedByAsItWasCounted) {
  SynthFile file = file_of({marginal({"sex"}, 5, {300, 600})});
  file.released->num_records.reset();
  const auto found = figures(file, {.question = {.table = {"sex"}}});
  EXPECT_EQ(found[0].estimate, 300);
  EXPECT_DOUBLE_EQ(*found[1].estimate, 300 / 900.0);
  EXPECT_LT(*found[1].lower, 300 / 900.0);
  EXPECT_THAT(estimate_from_model(file, "", {.question = {.table = {"sex"}}}).notes,
              Contains(HasSubstr("whose number is private")));
}

TEST(SynthEstimate, AllAtOnceIsWiderThanEachByItself) {
  const SynthFile file = file_of({marginal({"city"}, 5, {300, 300, 400})});
  const auto each = figures(file, {.question = {.table = {"city"}}});
  const auto at_once = figures(file, {.question = {.table = {"city"}}, .at_once = true});
  const auto stricter = figures(file, {.question = {.table = {"city"}}, .level = 1 - 0.05 / 3});
  EXPECT_LT(*at_once[0].lower, *each[0].lower);
  EXPECT_NEAR(*at_once[0].lower, *stricter[0].lower, 1e-9);
}

TEST(SynthEstimate, ComesBackFromTheFile) {
  const std::vector<testing::Person> people = testing::made_up_people(500);
  for (const char* method : {"mst", "aim", "gem"}) {
    const SynthFile file = testing::release_of(people, {.method = method}, 3);
    const SynthFile read = parse_synth_file(to_json(file).dump(), "model.json");
    for (const SynthEstimateRequest& request :
         std::vector<SynthEstimateRequest>{{.question = {.table = {"sex", "city"}}},
                                           {.question = {.mean = "age", .by = {"sex"}}}}) {
      EXPECT_EQ(synth_estimate_to_json(estimate_from_model(read, "", request)),
                synth_estimate_to_json(estimate_from_model(file, "", request)))
          << method;
    }
  }
}

TEST(SynthEstimate, BadQuestionsAndOldModelsAreRefused) {
  const SynthFile file = file_of({marginal({"sex"}, 5, {310, 690})});
  const auto refused = [&](const SynthEstimateRequest& request, const std::string& message) {
    EXPECT_ERROR(kUsage, HasSubstr(message), estimate_from_model(file, "model.json", request));
  };
  refused({}, "ask one question");
  refused({.question = {.table = {"sex"}, .mean = "age"}}, "ask one question");
  refused({.question = {.table = {"sexx"}}}, "no such column; did you mean 'sex'");
  refused({.question = {.table = {"sex", "sex"}}}, "names column sex twice");
  refused({.question = {.table = {"sex"}, .by = {"city"}}}, "--by is for");
  refused({.question = {.share = {"sex=Femal"}}},
          "--share sex=Femal: the column has no such value");
  refused({.question = {.share = {"sex=1..2"}}}, "the column has no such value");
  refused({.question = {.share = {"age=200"}}}, "the value must lie between 0 and 99");
  refused({.question = {.share = {"age=50..20"}}}, "must not be above");
  refused({.question = {.share = {"sex=Female"}, .by = {"sex"}}}, "name the same column sex");
  refused({.question = {.mean = "city"}}, "the column holds categories, of which there is no mean");
  refused({.question = {.table = {"sex"}}, .level = 0.5}, "level");
  refused({.question = {.table = {"sex"}}, .level = 1}, "level");
  SynthFile old = file_of({Marginal{{"sex"}, 5, 2}});
  const auto fails = [&] {
    estimate_from_model(old, "old.json", {.question = {.table = {"sex"}}});
  };
  EXPECT_THAT(error_of(ErrorKind::kInput, fails), HasAll("old.json", "kept no noisy counts"));
  old.released.reset();
  error_of(ErrorKind::kInput, fails);
  old = file_of({marginal({"sex"}, 5, {1, 2, 3})});
  EXPECT_THAT(error_of(ErrorKind::kInput, fails), HasSubstr("damaged"));
}

}  // namespace equinoise::synth_estimate_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/synth/rows_card.h"

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "equinoise/report/json.h"
#include "equinoise/report/protection.h"
#include "equinoise/synth/graph_synth_model.h"
#include "tests/matchers.h"

namespace equinoise::rows_card_test {

using Json = nlohmann::json;

/// A model of three columns without a record behind it.
SynthFile file_of() {
  SynthFile file;
  file.dataset = "people";
  file.method = "aim";
  file.status = PrivacyStatus::kPrivate;
  file.privacy = Guarantee{Epsilon(1), Delta(1e-6), AccountantName::kPld, Relation::kZeroOut};
  file.columns.resize(3);
  file.columns[0].name = "sex";
  file.columns[0].values = {"Female", "Male"};
  file.columns[1].name = "age";
  file.columns[1].edges = {0, 1, 18, 65, 100};
  file.columns[1].whole = true;
  file.columns[2].name = "city";
  file.columns[2].values = {"a", "b", "c"};
  file.num_rows = 1000;
  const Domain domain = domain_of(file.columns, {0, 1, 2});
  SynthStratum& everybody = file.strata.emplace_back();
  everybody.columns = {0, 1, 2};
  everybody.model = std::make_unique<GraphSynthModel>(
      domain, std::vector<RareValues>{keep_all(2), keep_all(4), keep_all(3)},
      GraphicalModel(domain, {}, 1000));
  ReleasedFacts& facts = file.released.emplace();
  facts.version = "1.2";
  facts.unit = "person";
  facts.rho = 0.02;
  facts.num_records = 1000;
  facts.gaps = {"dropped", "kept", "none"};
  facts.ignored = {"name"};
  facts.goal = {2, "sex", {}};
  facts.everybody.marginals = {
      {{"sex"}, 10, 2}, {{"age"}, 10, 4}, {{"city"}, 10, 3}, {{"sex", "age"}, 20, 8}};
  facts.everybody.rho_of_choices = 0.002;
  facts.bounds = {{{"sex", "age"}, 500}};
  return file;
}

TEST(RowsCard, SaysWhatWasMeasuredAndWhatWasNot) {
  const SynthFile file = file_of();
  const Json card = Json::parse(to_text(to_json(rows_card(file, {1000}))));
  EXPECT_EQ(card.at("unit"), "person");
  EXPECT_EQ(card.at("privacy").at("epsilon"), 1);
  const Json& pair = card.at("measured").at(3);
  EXPECT_EQ(pair.at("columns"), Json({"sex", "age"}));
  EXPECT_NEAR(pair.at("noise_error").get<double>(), 0.79788 * 20 * 8 / 2 / 1000, 1e-6);
  EXPECT_NEAR(pair.at("rho_share").get<double>(), 0.5 / 400 / 0.02, 1e-12);
  EXPECT_EQ(card.at("pairs_never_measured"), Json::parse(R"([["age","city"],["sex","city"]])"));
  EXPECT_EQ(card.at("columns_left_out"), Json({"name"}));
  EXPECT_EQ(card.at("columns").at(1).at("bins_of_one_number"), 1);
  EXPECT_EQ(card.at("bounds").at("marginals").at(0).at("share"), 0.25);
  const std::string page = to_card(rows_document(rows_card(file, {1000})));
  EXPECT_THAT(page, HasSubstr("| city | - | all others |"));
  EXPECT_THAT(page, HasSubstr("2 marginals of 2 columns with sex, of which 1 were measured"));
  EXPECT_THAT(page, HasSubstr("Records with a gap in one of sex are not in the rows"));
}

TEST(RowsCard, NamesWhatWasNeverMeasuredWithTheTarget) {
  SynthFile file = file_of();
  EXPECT_EQ(rows_card(file, {1000}).apart_from_target, "");
  file.released->target = "sex";
  const RowsCard card = rows_card(file, {1000});
  EXPECT_THAT(card.apart_from_target, HasSubstr("sex was never measured together with city"));
  EXPECT_THAT(card.limits, Contains(card.apart_from_target));
  file.released->everybody.marginals.push_back({{"city", "sex"}, 20, 6});
  EXPECT_EQ(rows_card(file, {1000}).apart_from_target, "");
}

/// All values of a column have equal shares, so city a has 333 rows and a man of city a 167.
TEST(RowsCard, NamesGroupsFarFromTheirDeclaredSizes) {
  SynthFile file = file_of();
  EXPECT_TRUE(to_json(rows_card(file, {1000})).at("groups_far_off").is_null());
  auto& sizes = file.released->group_sizes;
  sizes = {{{{"sex", "Female"}}, 260}, {{{"city", "a"}}, 660}};
  EXPECT_EQ(to_json(rows_card(file, {1000})).at("groups_far_off"), Json::array());
  sizes = {{{{"city", "a"}, {"sex", "Male"}}, 80}, {{{"city", "a"}}, 160}, {{{"name", "x"}}, 1}};
  const RowsCard card = rows_card(file, {1000});
  EXPECT_EQ(to_json(card).at("groups_far_off"), Json::parse(R"([
      {"group": {"city": "a"}, "num_records": 160, "rows": 333},
      {"group": {"city": "a", "sex": "Male"}, "num_records": 80, "rows": 167}])"));
  EXPECT_THAT(card.far_off_in_words,
              HasSubstr("size: a (city) has about 333, declared 160; and 1 more."));
  EXPECT_THAT(card.limits, Contains(card.far_off_in_words));
  EXPECT_THAT(rows_card(file, {500}).far_off_in_words,
              HasSubstr("has about 167 of 500, declared 160 of 1,000"));
  // Ten rows are few, and conditions are of other groups.
  EXPECT_EQ(to_json(rows_card(file, {50})).at("groups_far_off"), Json::array());
  EXPECT_TRUE(to_json(rows_card(file, {1000, RowDraw::kRound, {"sex=Male"}}))
                  .at("groups_far_off")
                  .is_null());
}

/// What a stratum that shares a model measures of a column is measured together with what its
/// members have in common; how the column is spread over parts of its bins is too little for that.
TEST(RowsCard, SharedStrataMeasureTheirColumnsTogetherWithTheirOwn) {
  SynthFile file = file_of();
  const Domain domain = domain_of(file.columns, {1, 2});
  file.strata.clear();
  for (const uint32_t sex : {0U, 1U}) {
    SynthStratum& stratum = file.strata.emplace_back();
    stratum.label = {{"sex", file.columns[0].values[sex]}};
    stratum.columns = {1, 2};
    stratum.fixed = {{0, sex}};
    stratum.weight = 0.5;
    stratum.model = std::make_unique<GraphSynthModel>(
        domain, std::vector<RareValues>{keep_all(4), keep_all(3)}, GraphicalModel(domain, {}, 500));
  }
  ReleasedFacts& facts = *file.released;
  facts.strata_share = true;
  facts.strata.resize(2);
  facts.everybody.marginals.pop_back();
  facts.bounds.clear();
  for (ReleasedFacts::Stratum& stratum : facts.strata) {
    stratum.public_size = 500;
    stratum.measured.marginals = {{{"city"}, 10, 3}};
  }
  MeasuredFacts::Marginal halves{{"age"}, 10, 2};
  halves.parts = 2;
  facts.strata[1].measured.marginals.push_back(halves);
  const Json card = Json::parse(to_text(to_json(rows_card(file, {1000}))));
  EXPECT_EQ(card.at("pairs_never_measured"), Json::parse(R"([["age", "city"], ["sex", "age"]])"));
  EXPECT_EQ(card.at("pairs_measured_in_some_strata"), Json::array());
  EXPECT_THAT(card.at("what_is_kept").dump(), Not(HasSubstr("few records")));
  facts.strata[1].noise_error = 1;
  facts.strata[0].noise_error = 0.9;
  EXPECT_THAT(rows_card(file, {1000}).limits,
              Contains("Rows of 1 of 2 strata say little of their own stratum, which noise hides, "
                       "as they have few records: Male (500)."));
  facts.strata[1].measured.marginals = {{{"age"}, 10, 4}};
  const Json other = Json::parse(to_text(to_json(rows_card(file, {1000}))));
  EXPECT_EQ(other.at("pairs_never_measured"), Json::parse(R"([["age", "city"]])"));
  EXPECT_EQ(other.at("pairs_measured_in_some_strata"),
            Json::parse(R"([["sex", "age"], ["sex", "city"]])"));
}

TEST(RowsCard, IsAFunctionOfTheModelFile) {
  // Through the file, nothing is lost or added: whatever a card says is in what was released.
  SynthFile file = file_of();
  file.released->group_sizes = {{{{"city", "a"}, {"sex", "Male"}}, 80}};
  const SynthFile read = parse_synth_file(to_json(file).dump(), "model.json");
  for (const DrawnRows& rows : {DrawnRows{1000}, DrawnRows{50, RowDraw::kSample, {"sex=Female"}}}) {
    EXPECT_EQ(to_card(rows_document(rows_card(read, rows))),
              to_card(rows_document(rows_card(file, rows))));
    EXPECT_EQ(to_text(to_json(rows_card(read, rows))), to_text(to_json(rows_card(file, rows))));
  }
}

TEST(RowsCard, WhatWasMeasuredTwiceIsOneMeanOfLessNoise) {
  SynthFile file = file_of();
  auto& marginals = file.released->everybody.marginals;
  marginals.push_back({{"sex", "age"}, 5, 8});
  marginals.push_back({{"sex", "age"}, 30, 1, true});
  marginals.push_back({{"sex", "age"}, 30, 1, true});
  const Json card = Json::parse(to_text(to_json(rows_card(file, {1000}))));
  ASSERT_EQ(card.at("measured").size(), 6U) << "single counts stay apart";
  const double noise = card.at("measured").at(3).at("noise_stddev");
  EXPECT_NEAR(noise, 1 / std::sqrt(1 / 400.0 + 1 / 25.0), 1e-12);
}

TEST(RowsCard, NamesTheCommandForFiguresOfTheRecordsWhereThereAreCounts) {
  SynthFile file = file_of();
  EXPECT_THAT(to_card(rows_document(rows_card(file, {1000}))), Not(HasSubstr("synth estimate")));
  file.released->everybody.marginals[0].counts = {310, 690};
  EXPECT_THAT(to_card(rows_document(rows_card(file, {1000}))), HasSubstr("synth estimate"));
}

/// Noise is drawn around a count, and no count is below 0.
TEST(RowsCard, ThePageDrawsReleasedCountsOfSingleColumns) {
  SynthFile file = file_of();
  file.released->everybody.marginals[0].counts = {-40, 690};
  const RowsCard card = rows_card(file, {1000});
  ASSERT_EQ(card.released.size(), 1U);
  EXPECT_EQ(card.released[0].records[1], (std::pair<std::string, double>("Male", 690)));
  const std::string page = to_page(rows_document(card));
  EXPECT_THAT(page, AllOf(HasSubstr("Released counts of single columns"),
                          HasSubstr("690 [670, 710]"), HasSubstr("0 [0, 20]")));
  EXPECT_THAT(to_card(rows_document(card)), Not(HasSubstr("Released counts")));
}

/// What is not in model.json is to be filled in, also what other releases of the account cost.
TEST(RowsCard, HasTheEntryOfARegistryOfDeployments) {
  const SynthFile file = file_of();
  const Json card = Json::parse(to_text(to_json(rows_card(file, {1000}))));
  const Json& deployment = card.at("deployment");
  EXPECT_EQ(deployment.at("status"), "private");
  const Json& entry = deployment.at("entry");
  EXPECT_EQ(entry.at("basic").at("data_product_type"), "Synthetic data");
  EXPECT_EQ(entry.at("basic").at("description"), "1,000 synthetic rows.");
  EXPECT_EQ(entry.at("dp_variant").at("variant_name"), "Zero-concentrated DP");
  const Json& loss = entry.at("privacy_loss");
  EXPECT_EQ(loss.at("privacy_unit"), card.at("unit"));
  EXPECT_EQ(loss.at("number_of_privacy_units"), card.at("num_records"));
  const Json& guarantee = card.at("privacy");
  EXPECT_EQ(loss.at("privacy_parameters"), Json({{"epsilon", guarantee.at("epsilon")},
                                                 {"delta", guarantee.at("delta")},
                                                 {"rho", card.at("rho")}}));
  const Json& implementation = entry.at("implementation");
  EXPECT_THAT(implementation.at("mechanisms").get<std::string>(),
              HasSubstr("Equinoise 1.2, aim: 4 marginals with discrete Gaussian noise; "
                        "private choices of what to measure."));
  EXPECT_THAT(implementation.at("composition").get<std::string>(),
              HasSubstr("other releases from the same records cost is not part of it"));
  const auto to_fill_in = deployment.at("to_fill_in").get<std::vector<std::string>>();
  EXPECT_THAT(to_fill_in, Contains("basic.data_curators"));
  EXPECT_THAT(to_fill_in, Contains("basic.publication_date"));
  EXPECT_THAT(loss.at("privacy_parameters_details").get<std::string>(),
              HasSubstr(std::string(kNotCovered)));
}

/// As many of each kind as the card lists, however often each was measured.
TEST(RowsCard, TheEntryCountsWhatTheCardLists) {
  SynthFile file = file_of();
  auto& marginals = file.released->everybody.marginals;
  marginals.push_back(marginals.back());
  marginals.push_back({{"sex", "age"}, 30, 1, true});
  marginals.push_back({{"sex", "city"}, 30, 1, true});
  MeasuredFacts::Marginal halves{{"age"}, 10, 2};
  halves.parts = 2;
  marginals.push_back(halves);
  const Json card = Json::parse(to_text(to_json(rows_card(file, {1000}))));
  EXPECT_EQ(card.at("measured").size(), 7U);
  const Json& implementation = card.at("deployment").at("entry").at("implementation");
  EXPECT_THAT(implementation.at("mechanisms").get<std::string>(),
              HasSubstr("aim: 4 marginals with discrete Gaussian noise; 2 single counts of "
                        "marginals with discrete Gaussian noise; 1 spread over parts of bins "
                        "with discrete Gaussian noise; private choices"));
  EXPECT_THAT(implementation.at("composition").get<std::string>(), Not(HasSubstr("parallel")));
}

TEST(RowsCard, TheEntrySaysHowStrataAreComposed) {
  SynthFile file = file_of();
  file.strata[0].label = {{"sex", "Female"}};
  file.released->strata.resize(1);
  const auto implementation = [&] {
    const Json card = Json::parse(to_text(to_json(rows_card(file, {1000}))));
    return card.at("deployment").at("entry").at("implementation");
  };
  EXPECT_THAT(implementation().at("composition").get<std::string>(),
              HasSubstr(" Strata in parallel: no record is in two of them."));
  EXPECT_THAT(implementation().at("mechanisms").get<std::string>(), Not(HasSubstr("parallel")));
  file.released->strata_share = true;
  EXPECT_THAT(implementation().at("composition").get<std::string>(),
              HasSubstr("First a shared model, then strata in parallel"));
}

TEST(RowsCard, WithoutAGuaranteeItClaimsNone) {
  SynthFile file = file_of();
  file.status = PrivacyStatus::kInsecureRng;
  const std::string page = to_card(rows_document(rows_card(file, {1000})));
  EXPECT_THAT(page, HasSubstr("NOT PRIVATE"));
  EXPECT_THAT(page, HasSubstr("without a privacy guarantee"));
  EXPECT_THAT(page, Not(HasSubstr("Protected")));
  EXPECT_THAT(page, Not(HasSubstr("epsilon 1")));
  EXPECT_TRUE(to_json(rows_card(file, {1000})).at("privacy").is_null());
  for (const PrivacyStatus status : {PrivacyStatus::kInsecureRng, PrivacyStatus::kNotPrivate}) {
    file.status = status;
    const Json deployment = to_json(rows_card(file, {1000})).at("deployment");
    EXPECT_EQ(deployment.at("status"), to_string(status));
    EXPECT_TRUE(deployment.at("entry").is_null());
  }
}

TEST(RowsCard, APrivateNumberOfRecordsMakesNoShares) {
  SynthFile file = file_of();
  file.released->num_records.reset();
  const Json card = Json::parse(to_text(to_json(rows_card(file, {1000}))));
  EXPECT_TRUE(card.at("num_records").is_null());
  for (const Json& marginal : card.at("measured"))
    EXPECT_TRUE(marginal.at("noise_error").is_null());
  EXPECT_TRUE(card.at("bounds").at("marginals").at(0).at("share").is_null());
}

}  // namespace equinoise::rows_card_test

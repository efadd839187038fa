// SPDX-License-Identifier: Apache-2.0
// Tables in which a person has several rows, as the commands read, pay for and tell them.

#include <map>
#include <random>
#include <sstream>

#include "tests/cli/people.h"

namespace equinoise::testing::units_test {
namespace {

constexpr int kPatients = 300;
constexpr int kMaxVisits = 9;

/// Visits of patients: patient p has 1 to 9; sex is the patient's, the ward each visit's.
std::vector<std::string> visits() {
  std::mt19937 random(4);
  std::vector<std::string> rows;
  for (int p = 0; p < kPatients; ++p) {
    for (int v = 0; v <= p % kMaxVisits; ++v) {
      const int days = static_cast<int>(random() % 20) + (p % kMaxVisits);
      rows.push_back("P" + std::to_string(p) + (p % 3 == 0 ? ",F," : ",M,") +
                     (random() % 2 == 0 ? "heart," : "surgery,") + std::to_string(days) + "," +
                     (days > 12 ? "yes" : "no"));
    }
  }
  return rows;
}

std::string csv_of(const std::vector<std::string>& rows) {
  std::string text = "person_id,sex,ward,days,returned\n";
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

std::string schema_of(const std::string& bound, const std::string& more = "") {
  return schema_head("visits", "returned", 0,
                     "unit = \"person_id\"\nmax_records_per_unit = " + bound + "\n") +
         ignored_section("person_id") + categorical_section("sex", {"F", "M"}) +
         categorical_section("ward", {"heart", "surgery"}) +
         numeric_section("days", 0, 30, "missing = \"none\"\n") +
         categorical_section("returned", {"no", "yes"}) +
         "[public]\nnum_units = " + std::to_string(kPatients) + "\n" + more;
}

class Units : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace.write("visits.csv", csv_of(visits()));
    for (const char* bound : {"1", "3", "9"})
      workspace.write(std::string("at_most_") + bound + ".toml", schema_of(bound));
  }

  void open_ledger(const Words& more = "--unit person_id") const {
    ok(workspace.run(
        join("ledger init --ledger paid --dataset visits --epsilon 20 --delta 1e-6", more)));
  }

  static Words means_words(const std::string& schema, const Words& more = {}) {
    return join({"means", "--schema", schema, "--data", "visits.csv", "--columns", "days", "--by",
                 "ward", "--delta", "1e-6", "--json", "--quiet"},
                more);
  }
  static Words seeded(const Words& more = {}) { return join("--insecure-test-rng --seed 1", more); }

  Workspace workspace;
};

TEST_F(Units, MeansOfManyRowsHaveNoiseForAsManyRowsAsCount) {
  // With a budget that leaves no noise to speak of the means are those of the rows.
  std::map<std::string, std::pair<double, double>> exact;
  for (const std::string& row : visits()) {
    std::istringstream stream(row);
    Words cells;
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    exact[cells[2]].first += std::stod(cells[3]);
    exact[cells[2]].second += 1;
  }
  const Json all =
      json_of(workspace.run(means_words("at_most_9.toml", seeded("--rho 1e6 --no-shrink"))));
  for (const Json& row : all.at("strata")) {
    const auto& [sum, count] = exact.at(row.at("stratum").at("ward"));
    EXPECT_NEAR(row.at("mean").get<double>(), sum / count, 0.01);
    EXPECT_NEAR(row.at("num_records").get<double>(), count, 0.5);
    EXPECT_TRUE(row.at("population_ci").is_null());
  }
  // The noise of sizes is three times as large for three rows at the same cost.
  const auto size_noise = [&](const std::string& schema) {
    const Json json = json_of(workspace.run(means_words(schema, seeded("--rho 0.5 --dry-run"))));
    EXPECT_NEAR(json.at("rho").get<double>(), 0.5, 1e-9);
    Json event = json.at("events")[0];
    if (event.at("type") == "rows_of_unit") event = event.at("event");
    return event.at("groups")[0].at("event").at("events")[0].at("sigma").get<double>();
  };
  EXPECT_NEAR(size_noise("at_most_3.toml"), 3 * size_noise("at_most_1.toml"), 1e-6);
}

TEST_F(Units, ArePaidForByAnAccountOfTheirOwnAlone) {
  open_ledger({});
  const Words words = means_words("at_most_3.toml", "--epsilon 1 --ledger paid");
  expect_error(workspace.run(words), 2, {"person_id", "--unit"});
  std::filesystem::remove(workspace.path("paid"));
  open_ledger();
  const Json json = json_of(ok(workspace.run(words)));
  EXPECT_LE(json.at("privacy").at("epsilon").get<double>(), 1);
  EXPECT_EQ(json.at("privacy").at("relation"), "zero_out");
  EXPECT_EQ(json.at("unit"), "person_id");
  EXPECT_EQ(json.at("max_records_per_unit"), 3);
  for (const Json& row : json.at("strata"))
    EXPECT_EQ(row.at("privacy"), json.at("privacy"));  // a person may be in both
  const Json ledger = json_of(workspace.run("ledger show --ledger paid --json"));
  EXPECT_EQ(ledger.at("entries")[0].at("events")[0].at("type"), "rows_of_unit");
  EXPECT_EQ(ledger.at("entries")[0].at("events")[0].at("rows"), 3);
  EXPECT_GE(ledger.at("spent").at("epsilon").get<double>(),
            0.95 * json.at("privacy").at("epsilon").get<double>());
  // Neither may a run for rows use it.
  workspace.write(
      "rows.toml",
      replaced(replaced(schema_of("3"), "unit = \"person_id\"\nmax_records_per_unit = 3\n", ""),
               "num_units = 300", "num_records = 1491"));
  expect_error(workspace.run(means_words("rows.toml", "--epsilon 1 --ledger paid --private-sizes")),
               2, "person_id");
}

TEST_F(Units, MeansRefuseWhatWouldMakeNumbersOfRowsPublic) {
  const auto refused = [&](const Words& more, const std::string& message) {
    expect_error(workspace.run(means_words("at_most_3.toml", seeded(join("--epsilon 1", more)))), 2,
                 message);
  };
  refused("--relation replace_one", "how many rows each person_id has");
  refused("--stratum-size heart=700 --stratum-size surgery=776",
          "how many rows a stratum has is private");
}

TEST_F(Units, SyntheticRowsKeepTheNumberOfRowsPrivateAndSayThatTheyAreNotPeople) {
  open_ledger();
  const Words words =
      "synth --drop-incomplete --schema at_most_3.toml --data visits.csv --epsilon 3 --delta 1e-6 "
      "--ledger paid --method mst --out made --json --quiet";
  const Json json = json_of(ok(workspace.run(words)));
  EXPECT_EQ(json.at("events")[0].at("type"), "rows_of_unit");
  EXPECT_LE(json.at("privacy").at("epsilon").get<double>(), 3);
  const std::string card = workspace.text("made/rows_card.md");
  EXPECT_THAT(card, HasAll("Rows stand for rows of the table", "| records of the table | private |",
                           "person_id"));
  const Json told = workspace.json("made/rows_card.json");
  EXPECT_EQ(told.at("unit"), "person_id");
  EXPECT_EQ(told.at("max_records_per_unit"), 3);
  double shares = told.at("rho_share_of_choices").get<double>();
  for (const Json& measured : told.at("measured")) shares += measured.at("rho_share").get<double>();
  for (const Json& distribution : told.at("number_laws"))
    shares += distribution.at("rho_share").get<double>();
  EXPECT_NEAR(shares, 1, 0.05);
  const std::string header = workspace.text("made/rows.csv");
  EXPECT_EQ(header.substr(0, header.find('\n')), "sex,ward,days,returned");
  expect_error(workspace.run(join(with_option(words, "--out", "other"), "--stratify ward")), 2,
               "leave --stratify out");
}

TEST_F(Units, SyntheticRowsAreEvaluatedByTheRowsThatCount) {
  std::string text = "sex,ward,days,returned\n";
  for (const std::string& row : visits()) text += row.substr(row.find(',') + 1) + "\n";
  workspace.write("rows.csv", text);
  const auto evaluated = [&](const std::string& schema) {
    return json_of(workspace.run({"synth", "evaluate", "--schema", schema, "--real", "visits.csv",
                                  "--synthetic", "rows.csv", "--by", "ward", "--target", "returned",
                                  "--quiet", "--json"}));
  };
  const Json all = evaluated("at_most_9.toml");
  EXPECT_EQ(all.at("real_records"), static_cast<int>(visits().size()));
  EXPECT_EQ(all.at("workload_error"), 0);
  EXPECT_EQ(all.at("unit"), "person_id");
  EXPECT_EQ(all.at("max_records_per_unit"), 9);
  EXPECT_EQ(evaluated("at_most_1.toml").at("real_records"), kPatients);
  // By rows accuracy is the same, but halves cut people apart.
  workspace.write(
      "by_rows.toml",
      replaced(replaced(schema_of("3"), "unit = \"person_id\"\nmax_records_per_unit = 3\n", ""),
               "num_units = 300", "num_records = 1491"));
  const Json by_rows = evaluated("by_rows.toml");
  EXPECT_EQ(by_rows.at("real_records"), all.at("real_records"));
  const Json& learnt = all.at("classifier");
  EXPECT_EQ(learnt.at("units"), kPatients);
  EXPECT_GE(learnt.at("positive_rows"), kPatients / 4);
  EXPECT_EQ(learnt.at("second_half").at("units"), kPatients / 2);
  EXPECT_EQ(learnt.at("accuracy"), by_rows.at("classifier").at("accuracy"));
  const ToolResult told = workspace.run(
      "synth evaluate --schema at_most_3.toml --real visits.csv --synthetic rows.csv --quiet");
  EXPECT_THAT(told.out,
              HasSubstr("at most 3 rows of each person_id count; resampling is by person_id"));
  expect_error(workspace.run("synth evaluate --schema at_most_3.toml --real visits.csv --synthetic "
                             "rows.csv --weight-column days"),
               2, "a person_id may have several rows");
}

TEST_F(Units, APlanOfMeansTellsCostsAndWidthsForExpectedSizes) {
  const Words words =
      "plan means --schema at_most_3.toml --columns days --by ward --delta 1e-6 --json";
  const Json json = json_of(workspace.run(join(words, "--epsilon 1")));
  EXPECT_EQ(json.at("unit"), "person_id");
  for (const Json& method : json.at("methods")) {
    if (method.contains("problem")) continue;
    EXPECT_LE(method.at("privacy").at("epsilon").get<double>(), 1) << method;
    EXPECT_TRUE(method.at("columns")[0].at("overall_width").is_null());
    EXPECT_TRUE(method.at("columns")[0].at("strata")[0].at("width").is_null());
    EXPECT_TRUE(method.at("columns")[0].at("strata")[0].at("num_records").is_null());
  }
  const Json planned =
      json_of(workspace.run(means_words("at_most_3.toml", "--epsilon 1 --dry-run")));
  EXPECT_EQ(json.at("methods")[0].at("method"), "auto");
  EXPECT_EQ(json.at("methods")[0].at("rho"), planned.at("rho"));
  EXPECT_EQ(json.at("methods")[0].at("privacy"), planned.at("privacy"));
  const ToolResult text =
      workspace.run("plan means --schema at_most_3.toml --columns days --rho 0.1");
  EXPECT_THAT(text.out,
              HasAll("Cost to one person_id, of whose rows at most 3 count", "--stratum-size"));
  expect_error(workspace.run(join(words, "--overall-width days=0.5")), 2, "--stratum-size");
  // Sizes that are expected give widths, and the smallest budget for one.
  const Words expected = join(words, "--stratum-size heart=400 --stratum-size surgery=300");
  const auto width_of = [](const Json& method) {
    return method.at("columns")[0].at("strata")[1].at("width").get<double>();
  };
  const Json known = json_of(workspace.run(join(expected, "--rho 0.1"))).at("methods")[1];
  const Words wanted =
      join(expected, {"--interval-width", "days=" + std::to_string(width_of(known))});
  const Json sought = json_of(workspace.run(wanted)).at("methods")[1];
  EXPECT_NEAR(sought.at("rho").get<double>(), 0.1, 1e-3);
}

TEST_F(Units, APlanTellsWhatMoreRowsCost) {
  std::string histogram;
  for (int rows = 1; rows <= kMaxVisits; ++rows) {
    int units = kPatients / kMaxVisits + (rows <= kPatients % kMaxVisits ? 1 : 0);
    histogram += "[[public.rows_per_unit]]\nrows = " + std::to_string(rows) +
                 "\nnum_units = " + std::to_string(units) + "\n";
  }
  workspace.write("known.toml", schema_of("3", histogram));
  const Words words = "plan --unit --schema known.toml --epsilon 1 --json";
  const Json json = json_of(workspace.run(words));
  const Json& rows = json.at("rows");
  EXPECT_EQ(json.at("num_rows"), static_cast<int>(visits().size()));
  for (const Json& row : rows) {
    EXPECT_NEAR(row.at("count_noise_stddev").get<double>(),
                row.at("max_records_per_unit").get<double>() *
                    rows[0].at("count_noise_stddev").get<double>(),
                1e-9);
    EXPECT_EQ(row.at("declared"), row.at("max_records_per_unit") == 3);
  }
  EXPECT_EQ(rows[0].at("rows_kept"), kPatients);
  EXPECT_EQ(rows.back().at("largest_bias_in_widths"), 0);
  // Without a public histogram nothing is said of what is left out.
  const Json unknown = json_of(workspace.run(with_option(words, "--schema", "at_most_3.toml")));
  EXPECT_TRUE(unknown.at("rows")[0].at("rows_kept").is_null());
  workspace.write("wrong.toml",
                  schema_of("3", "[[public.rows_per_unit]]\nrows = 2\nnum_units = 7\n"));
  expect_error(workspace.run(with_option(words, "--schema", "wrong.toml")), 3, "rows_per_unit");
}

TEST_F(Units, SizesOfGroupsCountPeople) {
  open_ledger();
  const ToolResult result = workspace.run(
      {"schema", "sizes", "--schema", "at_most_3.toml", "--data", "visits.csv", "--groups", "sex",
       "--epsilon", "8", "--ledger", "paid", "--out", "sized.toml", "--json", "--quiet"});
  ASSERT_EQ(result.exit_code, 0) << result;
  const Json json = json_of(result);
  double sum = 0;
  for (const Json& row : json.at("groups")) sum += row.at("num_records").get<double>();
  EXPECT_EQ(sum, kPatients);
  EXPECT_NEAR(json.at("groups")[0].at("num_records").get<double>(), kPatients / 3, 10);
  EXPECT_THAT(read_bytes(workspace.path("sized.toml")), HasSubstr("num_units = "));
}

}  // namespace
}  // namespace equinoise::testing::units_test

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "equinoise/base/lists.h"
#include "tests/reproduction/constrained_tables.h"
#include "tests/reproduction/reproduced.h"
#include "tests/test_support.h"

namespace equinoise::synthesis_experiment_test {

using testing::ours;
using testing::reproduced;

constexpr std::string_view kItem = R"(
schema = "equinoise/1"
summary = "a small table"
data = "heart"
seeds = 2

[synthesis]
synthesizers = ["mst"]
epsilons = [0.5, 1e4]
delta = 1e-6
bins = 4
degree = 2
options_of = { aim = { degree = 1 } }
test_fraction = 0.25
positive = "1"
divisions = ["Sex", "Sex,Smoker"]
metrics = ["accuracy", "TV3", "L1", "means parity", "demographic parity ratio"]

[methods.mst.published]
"accuracy at 10000" = ">= 0.5"

[[claims]]
better = "mst by Sex"
than = "mst"
metrics = ["means parity by Sex at 10000"]
)";

std::string changed(std::string_view from, std::string_view to) {
  std::string text(kItem);
  text.replace(text.find(from), from.size(), to);
  return text;
}

ReproductionReport run(const TempFolder& folder, int threads = 1,
                       const std::filesystem::path& runs = {}) {
  testing::write_heart_table(folder, 2000);
  return reproduced(parse_reproduction_item({"002/small", kItem}),
                    {.data_directory = folder.path(), .runs_path = runs, .threads = threads});
}

bool has_row(const ReproductionReport& report, std::string_view name) {
  return contains(report.rows, name, &ReproductionRow::name);
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(SynthesisExperiment, MoreBudgetMeansFewerErrorsAndTheRecordsHaveNone) {
  const TempFolder folder;
  const ReproductionReport report = run(folder);
  // Accuracy, TV3, L1, means parity and largest disparity by Sex, then the classifier's.
  ASSERT_EQ(report.curves.front().method, "records");
  for (const ReproductionPoint& point : report.curves.front().points) {
    EXPECT_GT(point.values[0], 0.7);
    for (const size_t column : {1, 2, 3, 4, 8, 9}) EXPECT_EQ(point.values[column], 0) << column;
  }
  EXPECT_GT(ours(report, "records accuracy"), 0.7);
  EXPECT_FALSE(has_row(report, "records TV3"));
  for (const char* method : {"mst", "mst by Sex", "mst by Sex,Smoker"}) {
    EXPECT_LT(ours(report, fmt::format("{} TV3 at 10000", method)),
              ours(report, fmt::format("{} TV3 at 0.5", method)))
        << method;
    EXPECT_DOUBLE_EQ(ours(report, fmt::format("{} L1 at 0.5", method)),
                     2 * ours(report, fmt::format("{} TV3 at 0.5", method)));
    EXPECT_GT(ours(report, fmt::format("{} accuracy at 10000", method)), 0.7) << method;
  }
  EXPECT_NEAR(ours(report, "mst TV3 change"),
              ours(report, "mst TV3 at 10000") - ours(report, "mst TV3 at 0.5"), 1e-12);
  // What is made by strata is told of these alone.
  EXPECT_TRUE(has_row(report, "mst means parity by Sex,Smoker at 0.5"));
  EXPECT_TRUE(has_row(report, "mst by Sex,Smoker means parity by Sex,Smoker at 0.5"));
  EXPECT_FALSE(has_row(report, "mst by Sex means parity by Sex,Smoker at 0.5"));
  EXPECT_NEAR(
      ours(report, "mst by Sex accuracy below mst at 0.5"),
      100 * (ours(report, "mst accuracy at 0.5") - ours(report, "mst by Sex accuracy at 0.5")),
      1e-9);
  for (const ReproductionRow& row : report.rows) EXPECT_TRUE(std::isfinite(row.ours)) << row.name();
  ASSERT_EQ(report.tests.size(), 1U);
  EXPECT_EQ(report.tests[0].num_seeds, 2);
  EXPECT_EQ(report.columns.size(), 3U + 2 * 7);
}

TEST(SynthesisExperiment, FiguresDoNotDependOnThreads) {
  const TempFolder folder;
  const ReproductionReport one = run(folder, 1);
  const ReproductionReport two = run(folder, 2);
  ASSERT_EQ(one.rows.size(), two.rows.size());
  for (size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(std::isfinite(one.rows[i].ours), std::isfinite(two.rows[i].ours));
    if (std::isfinite(one.rows[i].ours)) {
      EXPECT_EQ(one.rows[i].ours, two.rows[i].ours);
    }
  }
}

TEST(SynthesisExperiment, KeptRunsAreTheSame) {
  const TempFolder folder;
  const std::filesystem::path kept = folder.path() / "runs.json";
  const ReproductionReport first = run(folder, 1, kept);
  const ReproductionReport again = run(folder, 1, kept);
  ASSERT_EQ(first.rows.size(), again.rows.size());
  for (size_t i = 0; i < first.rows.size(); ++i) {
    if (std::isfinite(first.rows[i].ours)) {
      EXPECT_EQ(first.rows[i].ours, again.rows[i].ours);
    }
  }
  EXPECT_THAT(read_text(kept), HasSubstr("\"mst by Sex,Smoker\""));
}

TEST(SynthesisExperiment, MethodsAreSynthesizersForEverybodyAndByEachDivision) {
  const ReproductionItem item = parse_reproduction_item({"002/small", kItem});
  std::vector<std::string> names;
  for (const ReproductionMethod& method : item.methods) names.push_back(method.name);
  EXPECT_THAT(names, ElementsAre("records", "mst", "mst by Sex", "mst by Sex,Smoker"));
  EXPECT_EQ(item.methods[2].reference, "mst");
  EXPECT_EQ(item.experiment->position(), "epsilon");
  const nlohmann::ordered_json identity = item.experiment->identity(item);
  EXPECT_EQ(identity.at("degree"), 2);
  EXPECT_EQ(identity.at("options_of").at("aim").at("degree"), 1);
}

TEST(SynthesisExperiment, SynthesizersFollowOptionsOfTheirOwn) {
  const TempFolder folder;
  testing::write_heart_table(folder, 2000);
  const auto of = [&](const std::string& text) {
    return ours(reproduced(parse_reproduction_item({"002/small", text}),
                           {.data_directory = folder.path(), .seeds = 1, .methods = {"aim"}}),
                "aim TV3 at 10000");
  };
  const std::string one = changed("[\"mst\"]", "[\"mst\", \"aim\"]");
  std::string pairs = one;
  pairs.replace(pairs.find("degree = 1"), 10, "degree = 2");
  EXPECT_LT(of(pairs), 0.8 * of(one)) << "single columns say nothing of how they go together";
}

/// Rows follow the spent epsilons; their names are the printed ones.
TEST(SynthesisExperiment, ASynthesizerMaySpendAnotherEpsilon) {
  const TempFolder folder;
  testing::write_heart_table(folder, 2000);
  ReproduceRequest request;
  request.data_directory = folder.path();
  request.methods = {"mst"};
  const ReproductionItem item = parse_reproduction_item(
      {"002/small", changed("delta = ", "spent = { mst = [1e4, 1e4] }\ndelta = ")});
  EXPECT_EQ(item.experiment->identity(item).at("spent").at("mst").size(), 2U);
  const ReproductionReport spent = reproduced(item, request);
  const ReproductionReport printed =
      reproduced(parse_reproduction_item({"002/small", kItem}), request);
  EXPECT_EQ(ours(spent, "mst TV3 at 10000"), ours(printed, "mst TV3 at 10000"));
  EXPECT_LT(ours(spent, "mst TV3 at 0.5"), 0.5 * ours(printed, "mst TV3 at 0.5"));
  EXPECT_THAT(spent.notes, Contains("mst spends epsilon 10000, 10000, not 0.5, 10000"));
}

TEST(SynthesisExperiment, PrintedParityIsAColumnOfRunsThatAskForIt) {
  const std::string with =
      changed("metrics = [\"accuracy\"", "printed_parity = true\nmetrics = [\"printed L1 parity\"");
  const TempFolder folder;
  testing::write_heart_table(folder, 2000);
  const ReproductionReport report =
      reproduced(parse_reproduction_item({"002/small", with}),
                 {.data_directory = folder.path(), .methods = {"mst"}});
  EXPECT_EQ(report.columns.size(), 3U + 2 * 9);
  const std::vector<double>& values = report.curves.front().points.back().values;
  // Of two groups: population / 2 + sum = 3 mean - population / 2.
  EXPECT_NEAR(values[11], 3 * values[9] - values[2] / 2, 1e-12);
}

TEST(SynthesisExperiment, ItemsThatMakeNoSenseAreRefused) {
  for (const auto& [from, to, what] :
       std::vector<std::tuple<std::string_view, std::string_view, const char*>>{
           {"\"accuracy\", ", "\"acuracy\", ", "there is no metric acuracy"},
           {"epsilons = [0.5, 1e4]", "", "epsilons"},
           {"divisions = [\"Sex\", \"Sex,Smoker\"]", "", "divisions"},
           {"[methods.mst.published]", "[methods.gibbs.published]", "no synthesizer and strata"},
           {"\"accuracy\", ", "\"printed L1 parity\", ", "there is no metric printed L1 parity"},
           {"aim = { degree", "aim = { degre", "degre"},
           {"delta = ", "spent = { mst = [1] }\ndelta = ",
            "a value above 0 for each of the epsilons"},
           {"bins = 4", "bin = 4", "bin"}}) {
    EXPECT_THAT(error_of(ErrorKind::kInput,
                         [&, from = from, to = to] {
                           parse_reproduction_item({"002/small", changed(from, to)});
                         }),
                HasSubstr(what));
  }
}

TEST(SynthesisExperiment, FiguresOfThePaperShareTheirRuns) {
  const ReproductionItem grid = find_reproduction_item("002/synthesis");
  for (const char* name : {"002/figure4", "002/figure5", "002/figure7a", "002/figure7b",
                           "002/figure7c", "002/figure9"}) {
    const ReproductionItem figure = find_reproduction_item(name);
    EXPECT_EQ(figure.experiment->identity(figure), grid.experiment->identity(grid)) << name;
    EXPECT_FALSE(figure.claims.empty()) << name;
    EXPECT_FALSE(figure.charts.empty()) << name;
  }
}

}  // namespace equinoise::synthesis_experiment_test

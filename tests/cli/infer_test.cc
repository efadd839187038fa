// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/run_tool.h"
#include "tests/matchers.h"
#include "tests/schema_text.h"
#include "tests/shared_vectors.h"
#include "tests/synth/graph/graph_cases.h"

namespace equinoise::testing::infer_test {
namespace {

constexpr const char* kDomain = R"({"age": 3, "sex": 2, "race": 2})";
constexpr const char* kMeasurements = R"({"measurements": [
    {"clique": ["sex", "age"], "sigma": 2, "y": [10, 20, 30, 5, 15, 20]},
    {"clique": ["race"], "sigma": 1, "y": [60, 40]}]})";

class InferTest : public ::testing::Test {
 protected:
  InferTest() {
    write("domain.json", kDomain);
    write("noisy.json", kMeasurements);
  }
  void write(const std::string& name, const std::string& text) const {
    folder_.write_file(name, text);
  }
  ToolResult run(const Words& more) const {
    return run_tool(join("infer --domain domain.json --measurements noisy.json", more),
                    {.folder = folder_.path()});
  }
  std::string text_of(const std::string& name) const { return read_bytes(folder_.path() / name); }

  TempFolder folder_;
};

TEST_F(InferTest, TellsHowWellTheModelFits) {
  const Json json = json_of(ok(run("--json --gap 1e-6")));
  expect_keys(json, {"loss", "gap_bound", "iterations", "seconds", "total", "files", "model"});
  EXPECT_NEAR(json.at("total").get<double>(), 100, 1e-9);
  EXPECT_LE(json.at("loss").get<double>(), 1e-3);
  EXPECT_FALSE(json.at("interrupted").get<bool>());
  EXPECT_THAT(json.at("files"), IsEmpty());
  EXPECT_EQ(json.at("model").at("cells"), 8);
  EXPECT_EQ(json.at("model").at("largest_clique"), "age, sex");
  const ToolResult text = ok(run("--quiet"));
  EXPECT_THAT(text.err, IsEmpty());
  EXPECT_THAT(text.out, HasAll("8 cells", "no distribution has a loss below"));
}

TEST_F(InferTest, WritesTheModelAndMarginals) {
  write("ask.json", R"({"marginals": [{"clique": ["sex", "age"]}, {"clique": ["race", "sex"]}]})");
  write("ask too.json", R"({"marginals": [{"clique": []}]})");
  const ToolResult result = ok(run(
      {"--json", "--gap", "1e-6", "--out", "my model", "--marginals", "ask.json", "ask too.json"}));
  EXPECT_EQ(json_of(result).at("files"), Json({"my model/model.json", "my model/marginals.json"}));
  const Json written = Json::parse(text_of("my model/marginals.json"));
  const Json& marginals = written.at("marginals");
  ASSERT_EQ(marginals.size(), 3U);
  EXPECT_EQ(marginals[0].at("clique"), Json({"sex", "age"}));
  const auto counts = marginals[0].at("mu").get<std::vector<double>>();
  const std::vector<double> want = {10, 20, 30, 5, 15, 20};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(counts.at(i), want[i], 0.05);
  const auto pair = marginals[1].at("mu").get<std::vector<double>>();
  EXPECT_NEAR(pair.at(0), 36, 0.1);  // race and sex were not measured together: independent
  EXPECT_NEAR(marginals[2].at("mu").at(0).get<double>(), 100, 1e-9);
  const GraphicalModel model = graphical_model(Json::parse(text_of("my model/model.json")));
  EXPECT_NEAR(model.marginal({0, 1})[0], counts[0], 1e-9);

  EXPECT_EQ(run({"--out", "my model"}).exit_code, 2);
  ok(run({"--out", "my model", "--force"}));
}

TEST_F(InferTest, SaysHowLargeTheModelWouldBe) {
  const Json json = json_of(ok(run("--json --dry-run --out model")));
  EXPECT_FALSE(json.contains("loss"));
  EXPECT_EQ(json.at("model").at("cells"), 8);
  EXPECT_EQ(json.at("model").at("cliques"), 2);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "model"));
  expect_error(run("--max-megabytes 0.00005"), 2, "its largest clique is (age, sex) with 6");
}

TEST_F(InferTest, KeepsStructuralZeros) {
  write("zeros.json", R"({"zeros": [{"clique": ["age", "sex"], "cells": [[0, 1], [2, 0]]}]})");
  write("ask.json", R"({"marginals": [{"clique": ["age", "sex"]}]})");
  ok(run("--structural-zeros zeros.json --out model --marginals ask.json"));
  const Json counts = Json::parse(text_of("model/marginals.json")).at("marginals")[0].at("mu");
  EXPECT_EQ(counts[1], 0);
  EXPECT_EQ(counts[4], 0);
  EXPECT_GT(counts[0], 1);
}

TEST_F(InferTest, TakesASchemaAsItsDomain) {
  write("schema.toml", schema_head("people", "", 100) + numeric_section("years", 0, 99) +
                           categorical_section("sex", {"F", "M"}) +
                           categorical_section("race", {"A"}, "unknown = \"other\"\n"));
  write("noisy.json",
        R"({"measurements": [{"clique": ["sex", "race"], "sigma": 1, "y": [1, 2, 3, 4]}]})");
  const Words words = "infer --domain schema.toml --measurements noisy.json --json";
  const ToolResult result = ok(run_tool(words, {.folder = folder_.path()}));
  EXPECT_EQ(json_of(result).at("model").at("cells"), 4);
  write("noisy.json", R"({"measurements": [{"clique": ["years"], "sigma": 1, "y": [1]}]})");
  EXPECT_EQ(run_tool(words, {.folder = folder_.path()}).exit_code, 3);
}

TEST_F(InferTest, RefusesBadInput) {
  struct Case {
    const char* file;
    const char* text;
    int exit_code;
    const char* message;
  };
  for (const Case& bad : {
           Case{"noisy.json", R"({"measurements": [{"clique": ["hair"], "sigma": 1, "y": [1]}]})",
                3, "noisy.json: measurements[0].clique names 'hair'"},
           Case{"noisy.json", R"({"measurements": [{"clique": ["sex"], "sigma": 1, "y": [1]}]})", 3,
                "noisy.json: measurements[0].y must have 2 values"},
           Case{"noisy.json", R"({"measurements": [{"clique": ["sex"], "sigma": 0, "y": [1, 2]}]})",
                3, "measurements[0].sigma must be > 0"},
           Case{"noisy.json",
                R"({"measurements": [{"clique": ["sex"], "sigma": 1, "y": [NaN, 2]}]})", 3,
                "noisy.json:1:"},
           Case{"noisy.json", "", 3, "noisy.json"},
           Case{"noisy.json", R"({"measurements": []})", 3, "measurements is empty"},
           Case{"domain.json", "{}", 3, "domain.json: declares no column"},
           Case{"domain.json", R"({"age": 0})", 3, "domain.json"},
       }) {
    write("domain.json", kDomain);
    write("noisy.json", kMeasurements);
    write(bad.file, bad.text);
    expect_error(run("--out never"), bad.exit_code, bad.message);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "never"));
  }
  write("domain.json", kDomain);
  write("noisy.json", kMeasurements);
  EXPECT_EQ(run("--marginals ask.json").exit_code, 2);
  EXPECT_EQ(run("--marginals ask.json --out never").exit_code, 3);
  expect_error(
      run_tool("infer --domain no.json --measurements noisy.json", {.folder = folder_.path()}), 3);
}

TEST_F(InferTest, EndsWithWhatThereIsWhenInterrupted) {
  const auto shared = shared_folder();
  if (!shared) GTEST_SKIP() << "no shared vectors";
  const std::filesystem::path vectors = *shared / "vectors/pgm";
  // The fixture names its own attributes; its domain is smaller than that of the data.
  const Json problem = Json::parse(read_bytes(vectors / "est_loopy_adult14.json"));
  Json domain = Json::object();
  for (size_t i = 0; i < problem.at("attrs").size(); ++i) {
    domain[problem.at("attrs")[i].get<std::string>()] = problem.at("shape")[i];
  }
  write("domain.json", domain.dump());
  ToolProcess process({"infer", "--domain", (folder_.path() / "domain.json").string(),
                       "--measurements", (vectors / "est_loopy_adult14.json").string(), "--stall",
                       "0", "--max-iterations", "1000000", "--json"});
  ASSERT_TRUE(process.wait_for("iteration "));
  process.send(SIGINT);
  const ToolResult result = ok(process.finish());
  EXPECT_TRUE(json_of(result).at("interrupted").get<bool>());
}

}  // namespace
}  // namespace equinoise::testing::infer_test

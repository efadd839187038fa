// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/kept_outcome.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "equinoise/reproduction/report_files.h"
#include "equinoise/reproduction/reproduce.h"
#include "tests/reproduction/dutch_table.h"
#include "tests/test_support.h"

namespace equinoise::kept_outcome_test {

using Json = nlohmann::ordered_json;

constexpr std::string_view kItem = R"(
schema = "equinoise/1"
summary = "two groups"  # of drawn records
seeds = 2

[simulation]
parameter = "rho"
values = [0.5, 8]
metrics = ["MSPE largest"]
steps = 5

[methods."DPNoSE"]
algorithm = "unweighted"
reason = "its noise"

[methods."balanced"]
algorithm = "balanced"
step_size = 0.25
published."MSPE largest at 8" = "2.0"

[panels."4x"]
sizes = [40, 10]
slopes = [-1, 1]
)";

std::string read_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// With every `part` replaced; there is one at least.
std::string replaced(std::string text, const std::string& part, const std::string& instead) {
  size_t place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  for (; place != std::string::npos; place = text.find(part, place + instead.size()))
    text.replace(place, part.size(), instead);
  return text;
}

/// How many steps were planned for what was not found; -1: everything was.
class Planned final : public TrainProgress {
 public:
  void start_training(int64_t, int64_t num_steps, const std::function<double(int64_t)>&) override {
    steps = num_steps;
  }
  int64_t steps = -1;
};

/// Runs of drawn records, kept in a folder.
class KeptOutcomeTest : public ::testing::Test {
 protected:
  KeptOutcomeTest() { request_.runs_path = folder_.path() / "runs.json"; }

  ReproductionReport run(const std::string& text) {
    planned_.steps = -1;
    return reproduce(parse_reproduction_item({"000/test", text}), request_, planned_);
  }

  /// Everything but the time.
  Json report(const std::string& text) {
    Json json = reproduction_to_json(run(text));
    json.erase("seconds");
    return json;
  }

  std::string refusal(const std::string& text) {
    return error_of(ErrorKind::kInput, [&] { run(text); });
  }

  TempFolder folder_;
  ReproduceRequest request_;
  Planned planned_;
};

TEST_F(KeptOutcomeTest, AreOneLineEach) {
  run(std::string(kItem));
  const std::string text = read_text(request_.runs_path);
  const Json json = Json::parse(text);
  EXPECT_EQ(json.at("runs").size(), 4U);
  // The notice, the identity, the beginning and the end of the list.
  EXPECT_EQ(std::ranges::count(text, '\n'), 8);
}

/// Nothing in the file is the version of the tool that wrote it.
TEST_F(KeptOutcomeTest, AreFoundUnderAnotherVersion) {
  const std::string version = run(std::string(kItem)).version;
  ASSERT_FALSE(version.empty());
  const Json before = report(std::string(kItem));
  ASSERT_EQ(planned_.steps, -1);
  const std::string text = read_text(request_.runs_path);
  if (text.find(version) != std::string::npos)
    folder_.write_file("runs.json", replaced(text, version, "99.9.9"));
  EXPECT_EQ(report(std::string(kItem)), before);
  EXPECT_EQ(planned_.steps, -1);
}

TEST_F(KeptOutcomeTest, DoNotFollowWhatIsReportedOfThem) {
  run(std::string(kItem));
  std::string text = replaced(std::string(kItem), "of drawn records", "anew");
  text = replaced(text, "two groups", "another summary");
  text = replaced(text, "its noise", "another reason");
  text = replaced(text, "\"2.0\"", "\"3.0\"");
  text = replaced(text, "seeds = 2", "seeds = 1");
  EXPECT_EQ(run(text).summary, "another summary");
  EXPECT_EQ(planned_.steps, -1);
}

TEST_F(KeptOutcomeTest, OfOtherSettingsAreRefusedByName) {
  run(std::string(kItem));
  const auto refusal_of = [&](const std::string& part, const std::string& instead) {
    return refusal(replaced(std::string(kItem), part, instead));
  };
  EXPECT_THAT(refusal_of("steps = 5", "steps = 6"),
              HasSubstr(R"(runs.json: "settings.simulation.steps" of its runs is "5" instead of )"
                        R"("6"; give another --runs, or remove it)"));
  EXPECT_THAT(refusal_of("0.25", "0.5"),
              HasSubstr(R"("settings.methods.balanced.step_size" of its runs is "0.25")"));
  EXPECT_THAT(refusal_of("step_size = 0.25", ""),
              HasSubstr(R"(balanced.step_size" of its runs is "0.25" instead of none)"));
  EXPECT_THAT(refusal_of("steps = 5", "steps = 5\nbox = 3"),
              HasSubstr(R"("settings.simulation.box" of its runs is none instead of "3")"));
  EXPECT_THAT(refusal_of("[0.5, 8]", "[0.5, 4]"),
              HasSubstr(R"("settings.simulation.values[1]" of its runs is "8" instead of "4")"));
}

TEST_F(KeptOutcomeTest, OfAnotherRevisionAreRefused) {
  run(std::string(kItem));
  const ReproductionItem item = parse_reproduction_item({"000/test", kItem});
  Json identity = item.experiment->identity(item);
  EXPECT_TRUE(KeptRuns(request_.runs_path, kept_outcomes(identity, true))
                  .find(key_of_run("DPNoSE", 1, "")));
  identity["revision"] = item.experiment->revision() + 1;
  EXPECT_ERROR(
      kInput,
      HasSubstr(R"("revision" of its runs is 1 instead of 2 (such runs give other results now))"),
      KeptRuns(request_.runs_path, kept_outcomes(identity, true)));
}

/// Those of a table are of its records, compressed or not, and of the settings that are asked for.
TEST(KeptOutcome, OfOtherRecordsAreRefused) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  ReproduceRequest request;
  request.item = "001/table5";
  request.data_directory = folder.path();
  request.seeds = 1;
  request.efforts.epochs = 1;
  request.methods = {"sgd"};
  request.runs_path = folder.path() / "runs.json";
  Planned planned;
  reproduce(request, planned);
  const Json identity = Json::parse(read_text(request.runs_path)).at("identity");
  EXPECT_EQ(identity.at("epochs"), 1);
  const TempFolder other;
  testing::write_dutch_table(other, 1301);
  request.data_directory = other.path();
  EXPECT_ERROR(kInput,
               HasAll("\"records\" of its runs is \"" + identity.at("records").get<std::string>(),
                      "(the files hold other records); give another --runs"),
               reproduce(request, planned));
}

/// The runs that come with the sources are those of their items as they are now, also for the
/// figures that show them.
TEST(KeptOutcome, ThoseOfTheSourcesAreFound) {
  struct Kept {
    const char* item;
    const char* file;
    int64_t num_seeds;
    Efforts efforts = {};
    std::vector<std::string> methods = {};  ///< empty: all
  };
  Efforts looks;
  looks.every = 1000;
  Efforts traces = looks;
  traces.directions = 5;
  const std::vector<std::string> clipped = {"dpsgd", "dpsgd_global", "dpsgd_global_adapt"};
  for (const Kept& kept :
       std::vector<Kept>{{"001/table1", "001/table1", 5},
                         {"001/table2", "001/table2", 3},
                         {"001/table2_four_convolutions", "001/table2_four_convolutions", 5},
                         {"001/figure9", "001/table2", 3, {}, clipped},
                         {"001/figure12", "001/table2", 3, looks, clipped},
                         {"001/figure16", "001/table2", 3, traces, clipped},
                         {"002/synthesis", "002/synthesis", 5},
                         {"002/figure4", "002/synthesis", 5},
                         {"002/figure9_triples", "002/figure9_triples", 5}}) {
    SCOPED_TRACE(kept.item);
    ReproductionItem item = find_reproduction_item(kept.item);
    Efforts efforts = kept.efforts;
    if (auto changed = item.experiment->with_efforts(efforts)) item.experiment = std::move(changed);
    const std::filesystem::path path = std::filesystem::path(EQUINOISE_SOURCE_DIR) / "repro" /
                                       (kept.file + std::string("_runs.json"));
    // What the files of data hold need not be at hand.
    Json identity = item.experiment->identity(item);
    identity["records"] = Json::parse(read_text(path)).at("identity").at("records");
    const KeptRuns runs(path, kept_outcomes(identity, item.is_drawn()));
    for (const ReproductionMethod& method : item.methods) {
      if (!kept.methods.empty() && std::ranges::count(kept.methods, method.name) == 0) continue;
      for (int64_t seed = 0; seed < kept.num_seeds; ++seed) {
        EXPECT_TRUE(runs.find(key_of_run(method.name, static_cast<uint64_t>(seed),
                                         item.experiment->series().front())))
            << method.name << ", seed " << seed;
      }
    }
  }
}

}  // namespace equinoise::kept_outcome_test

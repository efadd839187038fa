// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/request_option.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/means/registry.h"
#include "equinoise/tasks/audit/audit.h"
#include "equinoise/tasks/compare/compare_means.h"
#include "equinoise/tasks/compare/compare_synth.h"
#include "equinoise/tasks/compare/compare_training.h"
#include "equinoise/tasks/means/group_sizes.h"
#include "equinoise/tasks/means/means_outlook.h"
#include "equinoise/tasks/predict/predict.h"
#include "equinoise/tasks/synth/infer.h"
#include "equinoise/tasks/synth/synth_estimate.h"
#include "equinoise/tasks/synth/synth_evaluate.h"
#include "equinoise/tasks/synth/synth_sample.h"
#include "equinoise/tasks/train/train_request.h"
#include "tests/matchers.h"

namespace equinoise::request_option_test {

using ::testing::Pair;

template <typename Request>
class RequestDeclaration : public ::testing::Test {};

using Requests =
    ::testing::Types<MeansRequest, MeansOutlookRequest, CompareMeansRequest, GroupSizesRequest,
                     TrainRequest, PlanRequest, CompareTrainingRequest, SynthRequest,
                     SynthEvaluateRequest, SynthSampleRequest, SynthEstimateRequest,
                     CompareSynthRequest, AuditRequest, PredictRequest, InferRequest>;
TYPED_TEST_SUITE(RequestDeclaration, Requests);

std::vector<std::string> names_of(const RequestOptions& options) {
  std::vector<std::string> names;
  for (const RequestOption& option : options) names.emplace_back(option.facts.name);
  return names;
}

TYPED_TEST(RequestDeclaration, NamesEachOptionOnceAndRefersToThose) {
  TypeParam request;
  const RequestOptions options = options_of(request);
  const std::vector<std::string> all = names_of(options);
  const std::set<std::string> names(all.begin(), all.end());
  EXPECT_EQ(names.size(), all.size());
  for (const RequestOption& option : options) {
    const OptionFacts& facts = option.facts;
    EXPECT_FALSE(facts.help.empty()) << facts.name;
    std::vector<std::string_view> others = facts.excludes;
    others.insert(others.end(), {facts.needs, facts.goes_with, facts.required_without});
    for (const std::string_view other : others)
      EXPECT_TRUE(other.empty() || names.count(std::string(other)) > 0)
          << facts.name << " refers to " << other;
  }
}

// A field in a copy would take what the user types and lose it.
TYPED_TEST(RequestDeclaration, PointsIntoTheRequest) {
  TypeParam request;
  const auto* begin = reinterpret_cast<const char*>(&request);
  for (const RequestOption& option : options_of(request)) {
    if (const auto* const* flag = std::get_if<bool*>(&option.field)) {
      const auto* field = reinterpret_cast<const char*>(*flag);
      EXPECT_TRUE(field >= begin && field < begin + sizeof(request)) << option.facts.name;
    }
  }
}

TEST(RequestOptions, AreChosenByName) {
  MeansRequest request;
  const RequestOptions options = only(options_of(request), {"by", "rho", "columns"});
  EXPECT_THAT(names_of(options), ElementsAre("columns", "by", "rho"));
  EXPECT_THAT(names_of(without(options, {"by"})), ElementsAre("columns", "rho"));
}

TEST(RequestOptions, UnderAHeadingKeepTheirOwn) {
  MeansRequest request;
  const RequestOptions options = under("Other", only(options_of(request), {"rho", "method"}));
  EXPECT_EQ(options[0].facts.section, "Other");
  EXPECT_EQ(options[1].facts.section, "Estimation");
}

TEST(RequestOptions, TextsByNameAreSplitAtTheLastSign) {
  MeansRequest request;
  const RequestOptions options = only(options_of(request), {"bounds"});
  const auto& text = std::get<RequestOption::Text>(options[0].field);
  text.read("\"a=b\"=0:1");
  text.read("age=20:80");
  EXPECT_THAT(request.bounds, ElementsAre(Pair("a=b", "0:1"), Pair("age", "20:80")));
  EXPECT_THROW(text.read("age=0:1"), Error);
  EXPECT_THROW(text.read("age"), Error);
  EXPECT_THROW(text.read("=0:1"), Error);
}

TEST(RequestOptions, OfMethodsSetTheConfiguration) {
  MeanConfig config;
  const RequestOptions options = bound<MeanConfig>(mean_options(), config);
  for (const RequestOption& option : options) {
    if (option.facts.name == "gamma") *std::get<double*>(option.field) = 0.25;
  }
  EXPECT_EQ(written_option<MeanConfig>("gamma", mean_options(), config), "0.25");
}

}  // namespace equinoise::request_option_test

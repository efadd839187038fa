// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/other_methods.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::other_methods_test {

/// People of whom income or a label is to be learnt; no table of them is ever read.
class OtherMethods : public ::testing::Test {
 protected:
  TrainRequest request_for(const std::string& target, int num_records = 20'000,
                           bool learns_from_numbers = true) const {
    const std::string feature = learns_from_numbers ? "" : "feature = false\n";
    TrainRequest request;
    request.method = "dpsgd";
    request.schema.path = folder_.write_file(
        "schema.toml",
        schema_head("people", target, num_records) +
            group_sizes("sex", {{"F", num_records / 2}, {"M", num_records / 2}}) +
            numeric_section("age", 0, 90, feature) + numeric_section("income", 0, 9, feature) +
            categorical_section("sex", {"F", "M"}) + categorical_section("label", {"no", "yes"}));
    request.ledger_path = (folder_.path() / "no.ledger").string();
    request.config.epsilon = 1;
    return request;
  }

  static std::vector<std::string> names_in(const TrainingReport& report) {
    std::vector<std::string> names;
    for (const OtherMethod& other : report.other_methods) names.push_back(other.method);
    return names;
  }

 private:
  TempFolder folder_;
};

TEST_F(OtherMethods, AreThoseThatTakeTheTargetAndTheGroups) {
  TrainRequest request = request_for("income");
  EXPECT_THAT(names_in(plan_training(request)), ElementsAre("sufficient_statistics", "dpgam"));
  request.groupings = {{"sex"}};
  EXPECT_THAT(names_in(plan_training(request)),
              ElementsAre("sufficient_statistics", "group_statistics", "dpgam"));
  request.method = "dpgam";
  EXPECT_THAT(names_in(plan_training(request)),
              ElementsAre("sufficient_statistics", "group_statistics"));
  EXPECT_THAT(names_in(plan_training(request_for("label"))), ElementsAre("noisy_newton", "dpgam"));
}

TEST_F(OtherMethods, AreNoneWithoutAGuaranteeForConstraintsOrAnotherObjective) {
  TrainRequest request = request_for("label");
  request.method = "sgd";
  request.config.epsilon.reset();
  EXPECT_THAT(names_in(plan_training(request)), IsEmpty());
  request = request_for("label");
  request.method = "raco_dp";
  request.constraints = {"demographic_parity:sex:0.05"};
  EXPECT_THAT(names_in(plan_training(request)), IsEmpty());
  request = request_for("label");
  request.method = "mgr_w";
  request.groupings = {{"sex"}};
  EXPECT_THAT(names_in(plan_training(request)), ElementsAre("noisy_newton", "dpgam"));
  request.objective = "worst-group";
  EXPECT_THAT(names_in(plan_training(request)), IsEmpty());
}

/// A straight line in no number is no straight line missed.
TEST_F(OtherMethods, OfCategoriesAloneAreNoAdditiveModels) {
  EXPECT_THAT(names_in(plan_training(request_for("label", 20'000, false))),
              ElementsAre("noisy_newton"));
}

TEST_F(OtherMethods, SayWhatNoiseHidesAtThePlansEpsilon) {
  TrainRequest request = request_for("income");
  for (const OtherMethod& other : plan_training(request).other_methods)
    EXPECT_THAT(other.notes, IsEmpty()) << other.method;
  request = request_for("income", 200);
  request.config.epsilon = 0.1;
  const std::vector<OtherMethod> others = plan_training(request).other_methods;
  ASSERT_EQ(others.size(), 2U);
  EXPECT_THAT(others[0].notes, Contains(HasSubstr("goes to the mean of the target")));
  EXPECT_THAT(others[1].notes, Contains(HasSubstr("noise will hide most")));
}

}  // namespace equinoise::other_methods_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/chosen_options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "equinoise/base/read_text.h"
#include "equinoise/tasks/train/training_setup.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::chosen_options_test {
namespace {

class AutoMethod : public ::testing::Test {
 protected:
  TrainRequest request_for(int num_records, double epsilon,
                           const std::string& target = "label") const {
    TrainRequest request;
    request.method = "auto";
    request.config.epsilon = epsilon;
    request.schema.path = folder_.write_file(
        "schema.toml",
        schema_head("people", target, num_records) +
            group_sizes("sex", {{"F", num_records / 2}, {"M", num_records - num_records / 2}}) +
            numeric_section("age", 0, 90) + numeric_section("income", 0, 9) +
            categorical_section("sex", {"F", "M"}) + categorical_section("label", {"no", "yes"}));
    return request;
  }

  static std::string method_of(TrainRequest request, const std::set<std::string>& chosen = {}) {
    settle_method([&](std::string_view name) { return chosen.count(std::string(name)) != 0; },
                  request);
    return request.method;
  }

  TempFolder folder_;
};

TEST_F(AutoMethod, FollowsRecordsTimesEpsilon) {
  EXPECT_EQ(method_of(request_for(40'000, 1)), "dpgam");
  EXPECT_EQ(method_of(request_for(400, 100)), "dpgam");
  EXPECT_EQ(method_of(request_for(300, 1)), "dpsgd");
  EXPECT_EQ(method_of(request_for(40'000, 0.005)), "dpsgd");
  EXPECT_EQ(method_of(request_for(1000, 1)), "dpgam");
  EXPECT_EQ(method_of(request_for(1000, 1, "income")), "dpsgd") << "a number takes more";
  EXPECT_EQ(method_of(request_for(8000, 1, "income")), "dpgam");
}

TEST_F(AutoMethod, FollowsWhatTheRequestAsks) {
  TrainRequest request = request_for(40'000, 1);
  request.model = "mlp";
  EXPECT_EQ(method_of(request), "dpsgd");
  request.model = "auto";
  EXPECT_EQ(method_of(request, {"momentum"}), "dpsgd");
  EXPECT_EQ(method_of(request, {"rounds", "seed"}), "dpgam");
  TrainRequest few = request_for(300, 0.1);
  EXPECT_EQ(method_of(few), "dpsgd");
  EXPECT_EQ(method_of(few, {"pairs"}), "dpgam") << "the option is of no other";
  few.model = "additive";
  EXPECT_EQ(method_of(few), "dpgam");
  request.groupings = {{"sex"}};
  request.objective = "worst-group";
  EXPECT_EQ(method_of(request), "mgr_w");
  request.objective = "coefficients";
  EXPECT_EQ(method_of(request), "noisy_newton");
  TrainRequest number = request_for(40'000, 1, "income");
  number.objective = "coefficients";
  EXPECT_EQ(method_of(number), "sufficient_statistics");
  number.objective = "coefs";
  number.method = method_of(number);
  EXPECT_ERROR(kUsage, HasSubstr("not \"coefs\""), set_up_training(number));
  request.objective.clear();
  request.constraints = {"demographic_parity by sex within 0.05"};
  EXPECT_EQ(method_of(request), "raco_dp");
}

TEST_F(AutoMethod, KeepsMonotoneColumnsOrRefuses) {
  TrainRequest few = request_for(300, 0.1);
  const std::string schema = read_text(few.schema.path, "tests");
  const auto write = [&](std::string_view target) {
    std::string text = schema;
    text.insert(text.find("bounds = [0, 9]"), "monotone = \"decreasing\"\n");
    text.replace(text.find("target = \"label\""), 16, fmt::format("target = \"{}\"", target));
    folder_.write_file("schema.toml", text);
  };
  write("label");
  EXPECT_EQ(method_of(few), "dpgam");
  few.method = "dpgam";
  EXPECT_THAT(set_up_training(few).plan.facts.directions, ElementsAre(0, -1));
  few.method = "dpsgd";
  EXPECT_ERROR(kUsage, HasSubstr("dpsgd cannot keep columns monotone; use dpgam, gam"),
               set_up_training(few));
  few.method = "raco_dp";
  few.constraints = {"demographic_parity:sex:0.05"};
  EXPECT_ERROR(kUsage, HasSubstr("no method keeps columns monotone under constraints"),
               set_up_training(few));
  few.judges_by_constraints = true;
  few.method = "dpgam";
  EXPECT_NO_THROW(set_up_training(few)) << "constraints that only judge";
  few.constraints.clear();
  few.objective = "worst-group";
  EXPECT_ERROR(kUsage, HasSubstr("for another objective"), set_up_training(few));
  write("income");
  EXPECT_ERROR(kInput, HasSubstr("has monotone, which is for features"), set_up_training(few));
}

TEST_F(AutoMethod, IsTheUsersWhereOneIsNamedAndSaysWhyElsewhere) {
  TrainRequest request = request_for(40'000, 1);
  request.method = "dpsgd";
  settle_method([](std::string_view) { return false; }, request);
  EXPECT_EQ(request.method, "dpsgd");
  EXPECT_EQ(request.why_method, "");
  request.method = "auto";
  settle_method([](std::string_view) { return false; }, request);
  EXPECT_THAT(set_up_training(request).plan.notes,
              Contains(HasSubstr("method auto chose dpgam: ")));
}

}  // namespace
}  // namespace equinoise::chosen_options_test

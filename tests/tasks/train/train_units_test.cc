// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "equinoise/data/table.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/train.h"
#include "equinoise/tasks/train/training_parts.h"
#include "equinoise/tasks/train/training_setup.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::train_units_test {

/// 120 people with 1 to 9 visits, of which 4 count; a third of them is of sex F, some with a visit
/// that says otherwise. The ledger is not opened: runs are seeded.
class TrainUnits : public ::testing::Test {
 protected:
  void SetUp() override {
    request.method = "dpsgd";
    std::string csv = "person_id,x,sex,y\n";
    for (int visit = 0; visit < 9; ++visit) {
      for (int person = 0; person < 120; ++person) {
        if (visit > person % 9) continue;
        const bool is_odd_one = visit == 5 && person % 10 == 0;
        csv += fmt::format("p{},{},{},{}\n", person, (person + visit) % 10,
                           (person % 3 == 0) != is_odd_one ? "F" : "M",
                           (person + visit) % 10 > 4 ? "yes" : "no");
      }
    }
    request.data = folder.write_file("visits.csv", csv).string();
    request.schema.path = folder.write_file(
        "schema.toml", units_head("visits", "y", 120, "person_id", 4) +
                           group_sizes("sex", {{"F", 40}, {"M", 80}}, "num_units") +
                           ignored_section("person_id") + numeric_section("x", 0, 9) +
                           categorical_section("sex", {"F", "M"}) +
                           categorical_section("y", {"no", "yes"}));
    request.config.epsilon = 1;
    request.config.delta = 1e-4;
    request.batch_size = 30;
    request.num_steps = 40;
    request.groupings = {{"sex"}};
    request.insecure_seed = 3;
  }

  void expect_refusal(const std::function<void()>& change, const std::string& text) {
    const TrainRequest kept = request;
    change();
    try {
      train(request, silent);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
    request = kept;
  }

  TempFolder folder;
  TrainRequest request;
  TrainProgress silent;
};

TEST_F(TrainUnits, SizesAreOfUnits) {
  request.reference = true;
  const TrainingReport report = train(request, silent);
  const auto setting = [&](std::string_view name) {
    for (const auto& [found, value] : report.settings)
      if (found == name) return value;
    return std::nan("");
  };
  EXPECT_EQ(setting("num_train_records"), 90);
  EXPECT_EQ(setting("num_test_records"), 30);
  EXPECT_EQ(setting("sample_rate"), 30.0 / 90);
  ASSERT_EQ(report.groups.size(), 2U);
  EXPECT_EQ(report.groups[0].public_size, 40);
  EXPECT_EQ(report.overall.metrics->num_records, 30);
  EXPECT_EQ(report.groups[0].metrics->num_records + report.groups[1].metrics->num_records, 30);
  EXPECT_TRUE(report.overall.cost);
  EXPECT_EQ(report.overall.cost->num_records, 30);
  const nlohmann::ordered_json json = training_to_json(report);
  EXPECT_EQ(json["unit"], "person_id");
  EXPECT_EQ(json["max_records_per_unit"], 4);
  EXPECT_THAT(to_card(training_card(report)),
              HasSubstr("one person_id, of whose rows at most 4 count"));
}

/// Nobody is in both parts, everybody is in one group, and those who are held out count once.
TEST_F(TrainUnits, PartsAreOfWholeUnits) {
  const TrainingSetup setup = set_up_training(request);
  const Dataset table = read_table(request.data, setup.schema, TableUse::kDescribed);
  ASSERT_EQ(table.num_units(), 120);
  TrainingReport report;
  const EncodedParts parts = encode_parts(table, setup, request, silent, report);
  EXPECT_EQ(parts.train.num_units(), 90);
  EXPECT_EQ(parts.test.num_units(), 30);
  EXPECT_EQ(parts.train.num_records + parts.test.num_records, table.num_records);
  double all = 0;
  for (size_t u = 0; u + 1 < parts.test.unit_begin.size(); ++u) {
    std::set<GroupId> groups;
    double weight = 0;
    for (size_t row = parts.test.unit_begin[u]; row < parts.test.unit_begin[u + 1]; ++row) {
      groups.insert(parts.test_groups[0][row]);
      weight += parts.test.weight(row);
    }
    EXPECT_EQ(groups.size(), 1U) << u;
    EXPECT_NEAR(weight, 1, 1e-12) << u;
    all += weight;
  }
  EXPECT_NEAR(all, 30, 1e-9);
}

TEST_F(TrainUnits, EveryMethodThatSaysSoTrains) {
  for (const TrainingMethodRow& row : training_methods()) {
    if (!row.supports_units) continue;
    request.method = row.name;
    if (row.status != PrivacyStatus::kPrivate) request.config.epsilon.reset();
    EXPECT_NO_THROW(train(request, silent)) << row.name;
  }
}

TEST_F(TrainUnits, WhatSpeaksOfRowsIsRefusedByName) {
  for (const TrainingMethodRow& row : training_methods()) {
    if (row.supports_units) continue;
    expect_refusal([&] { request.method = row.name; },
                   fmt::format("{} takes each row as a unit", row.name));
  }
  expect_refusal(
      [&] {
        request.constraints = {"demographic_parity:sex:0.1"};
        request.judges_by_constraints = true;
      },
      "constraints are on rates among rows");
  expect_refusal([&] { request.private_evaluation = true; }, "a private evaluation counts rows");
  expect_refusal([&] { request.explain_every = 10; }, "--explain-every");
  expect_refusal(
      [&] {
        request.method = "group_weighted";
        request.overlapping = true;
      },
      "--overlapping");
  expect_refusal(
      [&] {
        request.reference = true;
        request.reference_method = "minimax";
      },
      "--reference minimax");
}

/// A run that is resumed ends as one that never stopped.
TEST_F(TrainUnits, ARunCanBeResumed) {
  class StopAt final : public TrainProgress {
   public:
    void step_done(int64_t done) override { now_ |= done == 20; }
    bool interrupted() const override { return now_; }

   private:
    bool now_ = false;
  };
  const TrainingReport whole = train(request, silent);
  request.checkpoint_path = (folder.path() / "state").string();
  StopAt stop;
  EXPECT_THROW(train(request, stop), Error);
  request.resume = true;
  EXPECT_EQ(train(request, silent).parameters, whole.parameters);
}

}  // namespace equinoise::train_units_test

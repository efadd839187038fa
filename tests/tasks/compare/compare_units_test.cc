// SPDX-License-Identifier: Apache-2.0
// Comparisons on a table whose units have several rows.

#include <fmt/format.h>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/compare_means.h"
#include "equinoise/tasks/compare/compare_synth.h"
#include "equinoise/tasks/compare/compare_training.h"
#include "equinoise/tasks/train/train.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::compare_units_test {

constexpr int kPeople = 120;

/// 120 people with 1 to 9 visits, of which 3 count; a third of them is of sex F.
class CompareUnits : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string csv = "id,x,sex,y\n";
    for (int person = 0; person < kPeople; ++person)
      for (int visit = 0; visit <= person % 9; ++visit)
        csv += fmt::format("p{},{},{},{}\n", person, (person + visit) % 10,
                           person % 3 == 0 ? "F" : "M", (person + visit) % 10 > 4 ? "yes" : "no");
    data = folder.write_file("visits.csv", csv);
    schema = folder.write_file("schema.toml",
                               units_head("visits", "y", kPeople, "id", 3) + ignored_section("id") +
                                   numeric_section("x", 0, 9, "missing = \"none\"\n") +
                                   categorical_section("sex", {"F", "M"}) +
                                   categorical_section("y", {"no", "yes"}));
  }

  TempFolder folder;
  std::filesystem::path data;
  std::filesystem::path schema;
  TrainProgress silent;
};

TEST_F(CompareUnits, ARunIsThatOfTrainAndJudgesPeople) {
  CompareTrainingRequest request;
  request.methods = {"dpsgd", "dpse"};
  request.epsilons = {2};
  request.num_seeds = 2;
  TrainRequest& training = request.training;
  training.data = data;
  training.schema.path = schema;
  training.config.delta = 1e-4;
  training.batch_size = 30;
  training.num_steps = 20;
  training.groupings = {{"sex"}};
  const CompareReport report = compare_training(request, silent);
  ASSERT_EQ(report.rows.size(), 1U);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_THAT(report.skipped[0].reason, HasSubstr("takes each row as a unit"));
  EXPECT_EQ(report.num_records, kPeople);
  EXPECT_EQ(report.judged, "held-out units (id)");
  EXPECT_EQ(report.unit.max_records, 3);
  EXPECT_THAT(to_page(compare_document(report)),
              HasSubstr("from the 120 units (id) of the dataset visits"));
  TrainRequest single = training;
  single.method = "dpsgd";
  single.config.epsilon = 2;
  single.insecure_seed = 1;
  single.split_seed = 1;
  const TrainingReport trained = train(single, silent);
  EXPECT_EQ(report.rows[0].runs[1].overall, trained.overall.metrics->error.value);
  EXPECT_EQ(report.rows[0].runs[1].groups[0], trained.groups[0].metrics->error.value);
  EXPECT_LE(report.groups[0].num_records, trained.groups[0].metrics->num_records);
}

TEST_F(CompareUnits, MeansAndRowsAreJudgedByTheRowsThatCount) {
  int64_t num_counting = 0;
  int64_t of_women = 0;
  for (int person = 0; person < kPeople; ++person) {
    const int64_t rows = std::min(person % 9 + 1, 3);
    num_counting += rows;
    of_women += person % 3 == 0 ? rows : 0;
  }
  CompareMeansRequest means;
  means.methods = {"bounded"};
  means.epsilons = {500};
  means.num_seeds = 2;
  means.means.data = data;
  means.means.schema.path = schema;
  means.means.columns = {"x"};
  means.means.by = {"sex"};
  means.means.delta = 1e-4;
  const CompareReport of_means = compare_means(means, silent);
  EXPECT_EQ(of_means.judged, "rows that count (at most 3 of a id) with a value");
  EXPECT_EQ(of_means.groups[0].num_records, of_women);
  EXPECT_LT(of_means.rows.at(0).overall.value, 0.05);
  CompareSynthRequest synth;
  synth.methods = {"mst"};
  synth.epsilons = {100};
  synth.num_seeds = 1;
  synth.by = {"sex"};
  synth.synth.data = data;
  synth.synth.schema.path = schema;
  synth.synth.drop_incomplete = true;
  synth.synth.delta = 1e-4;
  const CompareReport of_rows = compare_synth(synth, silent);
  EXPECT_EQ(of_rows.judged, "rows that count (at most 3 of a id)");
  EXPECT_EQ(of_rows.groups[0].num_records, of_women);
  EXPECT_EQ(of_rows.groups[1].num_records, num_counting - of_women);
  EXPECT_LT(of_rows.rows.at(0).overall.value, 0.2);
}

}  // namespace equinoise::compare_units_test

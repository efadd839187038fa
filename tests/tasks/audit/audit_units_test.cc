// SPDX-License-Identifier: Apache-2.0
// Audits of models whose table has units of several rows.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/tasks/audit/audit.h"
#include "equinoise/tasks/train/train.h"
#include "tests/schema_text.h"
#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise::audit_units_test {

using testing::with;

const std::string kSchema =
    units_head("visits", "y", 120, "person_id", 4) +
    group_sizes("sex", {{"F", 40}, {"M", 80}}, "num_units") + ignored_section("person_id") +
    numeric_section("x", 0, 9) + numeric_section("w", 0, 2, "feature = false\n") +
    categorical_section("sex", {"F", "M"}) + categorical_section("y", {"no", "yes"});

/// 120 people with 1 to 9 visits, of which 4 count; some women have a visit that says otherwise.
class AuditUnits : public ::testing::Test {
 protected:
  void SetUp() override {
    training.method = "dpsgd";
    std::string csv = "person_id,x,w,sex,y\n";
    for (int visit = 0; visit < 9; ++visit) {
      for (int person = 0; person < 120; ++person) {
        if (visit > person % 9) continue;
        const bool is_odd_one = visit == 5 && person % 10 == 0;
        csv += fmt::format("p{},{},1,{},{}\n", person, (person + visit) % 10,
                           (person % 3 == 0) != is_odd_one ? "F" : "M",
                           (person + visit) % 10 + visit % 3 > 5 ? "yes" : "no");
      }
    }
    training.data = folder.write_file("visits.csv", csv).string();
    training.schema.path = folder.write_file("schema.toml", kSchema);
    training.config.epsilon = 4;
    training.config.delta = 1e-4;
    training.batch_size = 30;
    training.num_steps = 40;
    training.groupings = {{"sex"}};
    training.insecure_seed = 3;
    request.data = folder.path() / "visits.csv";
    request.groupings = {{"sex"}};
  }

  /// Trains the model that is audited.
  TrainingReport train_model(const std::string& name = "model") {
    training.out_path = folder.path() / name;
    TrainProgress progress;
    request.model_path = training.out_path;
    return train(training, progress);
  }

  std::string refused(ErrorKind kind) {
    return error_of(kind, [&] { audit(request, silent); });
  }

  TempFolder folder;
  TrainRequest training;
  AuditRequest request;
  TaskProgress silent;
};

void expect_same(const Metrics& found, const Metrics& expected) {
  EXPECT_EQ(found.num_records, expected.num_records);
  for (const MetricRow& row : metric_rows()) {
    const Estimate& one = found.*row.estimate;
    const Estimate& other = expected.*row.estimate;
    if (std::isnan(other.value)) {
      EXPECT_TRUE(std::isnan(one.value)) << row.name;
      continue;
    }
    EXPECT_EQ(one.value, other.value) << row.name;
    if (std::isnan(other.interval.low)) continue;
    EXPECT_EQ(one.interval.low, other.interval.low) << row.name;
    EXPECT_EQ(one.interval.high, other.interval.high) << row.name;
  }
}

TEST_F(AuditUnits, OfWhatWasHeldOutIsTheEvaluationOfTraining) {
  const TrainingReport trained = train_model();
  request.held_out_only = true;
  const AuditReport report = audit(request, silent);
  expect_same(report.overall.metrics, *trained.overall.metrics);
  EXPECT_EQ(report.overall.metrics.num_records, 30);
  ASSERT_EQ(trained.groups.size(), 2U);
  for (size_t k = 0; k < 2; ++k)
    expect_same(report.groupings[0].figures[k].metrics, *trained.groups[k].metrics);
  EXPECT_EQ(report.unit.name, "person_id");
  EXPECT_EQ(report.unit.max_records, 4);
  EXPECT_THAT(to_screen(audit_document(report), true),
              HasAll("the held-out units (person_id) of", "each person_id counts as one",
                     "at most 4 count", "the choice of units (person_id), not the noise"));
  EXPECT_THAT(to_page(audit_document(report)), HasSubstr("each person_id counts as one"));
  const nlohmann::ordered_json json = audit_to_json(report);
  EXPECT_EQ(json["unit"], "person_id");
  EXPECT_EQ(json["max_records_per_unit"], 4);
}

/// Each person is judged by the model of the group of most of its rows, as in training.
TEST_F(AuditUnits, OfAModelForEachGroupIsTheEvaluationOfTraining) {
  training.method = "decoupled";
  const TrainingReport trained = train_model();
  request.held_out_only = true;
  const AuditReport report = audit(request, silent);
  expect_same(report.overall.metrics, *trained.overall.metrics);
}

TEST_F(AuditUnits, WithoutGroupsThatSaysWhatIsCounted) {
  train_model();
  request.groupings = {};
  EXPECT_THAT(to_screen(audit_document(audit(request, silent)), true),
              Not(HasSubstr("\nrecords ")));
  EXPECT_THAT(to_screen(audit_document(audit(request, silent)), true),
              HasSubstr("\nunits (person_id) "));
}

/// Another table of the same people, by a schema that counts fewer rows of each.
TEST_F(AuditUnits, OfAllCountsEverybodyOnce) {
  train_model();
  request.schema_path = folder.write_file(
      "two.toml", with(kSchema, "max_records_per_unit = 4", "max_records_per_unit = 2"));
  request.limits = {{"accuracy", 1}};
  request.ratios = {{"false_positive_rate", 0.01}};
  const AuditReport report = audit(request, silent);
  EXPECT_EQ(report.overall.metrics.num_records, 120);
  const std::vector<Metrics> groups = report.groupings[0].metrics();
  EXPECT_EQ(groups[0].num_records + groups[1].num_records, 120);
  EXPECT_EQ(report.unit.max_records, 2);
  EXPECT_THAT(report.warnings,
              Contains(HasSubstr("as many units (person_id) as the training table")));
  EXPECT_THAT(report.ingest_notes, Contains(HasSubstr("left out as more than units")));
  ASSERT_EQ(report.ratios.size(), 1U);
  EXPECT_TRUE(std::isfinite(report.ratios[0].check.interval.low));
}

TEST_F(AuditUnits, AReferenceOfTheSameEncodingIsCompared) {
  train_model("reference");
  training.insecure_seed = 9;
  request.reference_path = request.model_path;
  train_model();
  request.held_out_only = true;
  const AuditReport report = audit(request, silent);
  ASSERT_TRUE(report.overall.cost);
  EXPECT_EQ(report.overall.cost->num_records, 30);
  EXPECT_EQ(report.groupings[0].figures.size(), 2U);
  EXPECT_TRUE(report.groupings[0].figures[0].cost);
  // One of other bounds would have other rows count.
  training.schema.path =
      folder.write_file("wide.toml", with(kSchema, "bounds = [0, 9]", "bounds = [0, 10]"));
  const std::filesystem::path model = request.model_path;
  train_model("wide");
  request.reference_path = request.model_path;
  request.model_path = model;
  EXPECT_THAT(refused(ErrorKind::kInput), HasSubstr("column 'x' differs in bounds"));
}

TEST_F(AuditUnits, RefusesOtherUnitsAndWhatIsOfRows) {
  train_model();
  const std::string rows =
      with(with(with(with(kSchema, "unit = \"person_id\"\nmax_records_per_unit = 4\n", ""),
                     "num_units = 120", "num_records = 559"),
                "num_units = 40", "num_records = 40"),
           "num_units = 80", "num_records = 519");
  request.schema_path = folder.write_file("rows.toml", rows);
  EXPECT_THAT(refused(ErrorKind::kUsage), HasAll("unit = \"row\"", "unit = \"person_id\""));
  request.schema_path.clear();
  request.weight_column = "w";
  EXPECT_THAT(refused(ErrorKind::kUsage), HasSubstr("--weight-column weighs rows"));
  request.weight_column.clear();
  request.explain = true;
  EXPECT_THAT(refused(ErrorKind::kUsage), HasSubstr("--explain explains gradients of rows"));
  request.explain = false;
  request.constraints = {"demographic_parity:sex:0.1"};
  EXPECT_THAT(refused(ErrorKind::kUsage), HasSubstr("constraints are on rates among rows"));
  // A model of rows is not audited by people either.
  request.constraints.clear();
  nlohmann::json of_rows = testing::small_model(rows, {2, 0, 0, -1});
  request.model_path = folder.write_file("model.json", of_rows.dump());
  request.schema_path = folder.path() / "schema.toml";
  EXPECT_THAT(refused(ErrorKind::kUsage), HasSubstr("was trained with unit = \"row\""));
}

}  // namespace equinoise::audit_units_test

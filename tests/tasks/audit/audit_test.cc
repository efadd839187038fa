// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/audit.h"

#include <cmath>

#include "equinoise/data/split.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/json.h"
#include "tests/schema_text.h"
#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise::audit_test {

using testing::kNoAboveMiddle;
using testing::kSmallSchema;
using testing::kSmallTable;
using testing::kYesAboveMiddle;
using testing::small_model;
using testing::with;

/// Of four women two are judged rightly, of four men all.
class AuditTask : public ::testing::Test {
 protected:
  void SetUp() override {
    request.model_path = save("model.json", small_model(kSmallSchema, kYesAboveMiddle));
    request.data = folder.write_file("table.csv", kSmallTable);
    request.groupings = {{"sex"}};
  }

  std::filesystem::path save(const std::string& name, const nlohmann::json& model) const {
    return folder.write_file(name, model.dump());
  }

  AuditReport run() { return audit(request, silent); }
  std::string refused(ErrorKind kind) {
    return error_of(kind, [&] { audit(request, silent); });
  }

  TempFolder folder;
  AuditRequest request;
  TaskProgress silent;
};

TEST_F(AuditTask, TellsTheTruthPerGroup) {
  request.groupings = {{"sex"}, {"y", "sex"}};
  request.command = "the command";
  const AuditReport report = run();
  EXPECT_EQ(report.dataset, "small");
  EXPECT_EQ(report.model, "logistic");
  EXPECT_EQ(report.method, "sgd");
  EXPECT_EQ(report.status, PrivacyStatus::kNotPrivate);
  EXPECT_FALSE(report.privacy);
  EXPECT_EQ(report.target, "y");
  EXPECT_THAT(report.classes, ElementsAre("no", "yes"));
  EXPECT_EQ(report.command, "the command");
  EXPECT_FALSE(report.held_out_only);
  EXPECT_FALSE(report.reference_path);
  EXPECT_FALSE(report.overall.reference);
  EXPECT_EQ(report.overall.metrics.num_records, 8);
  EXPECT_EQ(report.overall.metrics.accuracy.value, 0.75);
  EXPECT_THAT(report.ingest_notes, ElementsAre("missing cells: x 1", HasSubstr("1 record")));
  ASSERT_EQ(report.groupings.size(), 2U);
  const AuditGrouping& sex = report.groupings[0];
  EXPECT_THAT(sex.columns, ElementsAre("sex"));
  ASSERT_EQ(sex.figures.size(), 2U);
  EXPECT_FALSE(sex.figures[0].reference);
  EXPECT_EQ(sex.figures[0].metrics.num_records, 4);
  EXPECT_EQ(sex.figures[0].metrics.accuracy.value, 0.5);
  EXPECT_EQ(sex.figures[0].metrics.true_positive_rate.value, 0.5);
  EXPECT_EQ(sex.figures[0].metrics.false_positive_rate.value, 0.5);
  EXPECT_EQ(sex.figures[1].metrics.num_records, 4);
  EXPECT_EQ(sex.figures[1].metrics.accuracy.value, 1);
  EXPECT_EQ(sex.figures[1].metrics.selection_rate.value, 0.5);
  const AuditGrouping& both = report.groupings[1];
  ASSERT_EQ(both.groups.size(), 4U);
  EXPECT_EQ(both.groups[0], (GroupLabel{{"y", "no"}, {"sex", "F"}}));
  EXPECT_EQ(both.figures[0].metrics.num_records, 2);
  EXPECT_EQ(both.figures[0].metrics.accuracy.value, 0.5);

  const auto accuracy = std::ranges::find(sex.disparities, "accuracy", &Disparity::metric);
  ASSERT_NE(accuracy, sex.disparities.end());
  EXPECT_EQ(accuracy->difference_between_groups.value, 0.5);
  EXPECT_EQ(accuracy->lowest, 0U);
  EXPECT_EQ(accuracy->highest, 1U);
}

TEST_F(AuditTask, WithoutGroupsEverybodyIsJudged) {
  request.groupings.clear();
  const AuditReport report = run();
  EXPECT_THAT(report.groupings, IsEmpty());
  EXPECT_EQ(report.overall.metrics.accuracy.value, 0.75);
}

/// Those of the training, in model.json, and others.
TEST_F(AuditTask, ConstraintsAreChecked) {
  const nlohmann::json training = {
      {"name", "gap"}, {"type", "demographic_parity"}, {"attr", "sex"}, {"slack", 0.1}};
  nlohmann::json model = small_model(kSmallSchema, kYesAboveMiddle);
  model["constraints"].push_back(training);
  save("model.json", model);
  request.reference_path = save("reference.json", small_model(kSmallSchema, kNoAboveMiddle));
  request.constraints = {"fnr:sex=F:0.4", "group_error:sex:0.5"};
  const AuditReport report = run();
  ASSERT_EQ(report.constraints.size(), 5U);
  EXPECT_EQ(report.constraints[0].name, "gap: sex=F above the rest, yes");
  EXPECT_EQ(report.constraints[0].origin, "training");
  EXPECT_EQ(report.constraints[0].check->value.value, 0);
  EXPECT_EQ(report.constraints[0].check->verdict(), LimitVerdict::kUnclear);
  // Of two women who are positive one is found.
  EXPECT_EQ(report.constraints[2].text, "P(no | sex=F, label=yes) <= 0.4");
  EXPECT_EQ(report.constraints[2].origin, "audit");
  EXPECT_EQ(report.constraints[2].check->value.value, 0.5);
  EXPECT_EQ(report.constraints[2].check->verdict(), LimitVerdict::kUnclear);
  EXPECT_EQ(report.constraints[2].reference->value.value, 0.5);
  EXPECT_EQ(report.constraints[4].check->value.value, 0);
  EXPECT_EQ(report.constraints[4].reference->value.value, 1);
  const std::string text = to_screen(audit_document(report), true);
  EXPECT_THAT(text, ContainsRegex("P\\(no \\| sex=F, label=yes\\) <= 0.4 +0.5000 +0.0945 to 0.9055 "
                                  "+0.4 +unclear +0.5000 +audit\n"));
  const auto json = audit_to_json(report)["constraints"];
  ASSERT_EQ(json.size(), 5U);
  EXPECT_EQ(json[0]["origin"], "training");
  EXPECT_EQ(json[2]["value"], 0.5);
  EXPECT_TRUE(json[2]["holds"].is_null());
  EXPECT_EQ(json[2]["reference"]["value"], 0.5);
  EXPECT_THAT(to_page(audit_document(report)), HasSubstr("P(no | sex=F, label=yes) &lt;= 0.4"));
}

TEST_F(AuditTask, ConstraintsMayNameGroupsOfAnotherSchema) {
  const std::string bands = kSmallSchema + "[groups.band]\ncolumn = \"x\"\ncuts = [2, 8]\n";
  request.constraints = {"group_error:band:0.3"};
  EXPECT_THAT(refused(ErrorKind::kUsage), HasSubstr("there is no attribute \"band\" to group by"));
  request.schema_path = folder.write_file("bands.toml", bands);
  AuditReport report = run();
  ASSERT_EQ(report.constraints.size(), 3U);
  EXPECT_EQ(report.constraints[0].check->value.value, 0);
  EXPECT_EQ(report.constraints[1].check->value.value, 0.5);
  EXPECT_NEAR(report.constraints[2].check->value.value, 1.0 / 3, 1e-15);
  // The other way round there is nothing to check them by.
  nlohmann::json model = small_model(bands, kYesAboveMiddle);
  model["constraints"].push_back({{"type", "group_error"}, {"attr", "band"}, {"max", 0.3}});
  save("model.json", model);
  request.constraints.clear();
  EXPECT_EQ(run().constraints.size(), 3U);
  request.schema_path = folder.write_file("plain.toml", kSmallSchema);
  report = run();
  EXPECT_THAT(report.constraints, IsEmpty());
  EXPECT_THAT(report.warnings, Contains(HasSubstr("the constraints of training are not checked")));
}

TEST_F(AuditTask, HeldOutMeansTheRecordsOfTheModelsOwnSplit) {
  request.held_out_only = true;
  const std::vector<double> x = {9, 8, 1, 2, 9, 7, 1, 0};
  const std::vector<bool> yes = {true, false, false, true, true, true, false, false};
  for (const int seed : {3, 4, 5, 6}) {
    nlohmann::json model = small_model(kSmallSchema, kYesAboveMiddle);
    model["split"]["split_seed"] = seed;
    save("model.json", model);
    int64_t count = 0;
    int64_t hits = 0;
    int64_t women = 0;
    for (const uint32_t i : split_records(9, 0.5, static_cast<uint64_t>(seed)).test) {
      if (i == 8) continue;
      ++count;
      women += i < 4 ? 1 : 0;
      hits += (x[i] > 4.5) == yes[i] ? 1 : 0;
    }
    const AuditReport report = run();
    EXPECT_TRUE(report.held_out_only);
    EXPECT_EQ(report.overall.metrics.num_records, count);
    EXPECT_EQ(report.groupings[0].figures[0].metrics.num_records, women);
    EXPECT_DOUBLE_EQ(report.overall.metrics.accuracy.value,
                     static_cast<double>(hits) / static_cast<double>(count));
    EXPECT_THAT(report.warnings, IsEmpty());
  }
}

TEST_F(AuditTask, HeldOutNeedsTheTableAndASplit) {
  request.held_out_only = true;
  folder.write_file("table.csv", kSmallTable + "1,F,no\n");
  EXPECT_THAT(refused(ErrorKind::kInput), HasSubstr("num_records = 9"));
  request.schema_path =
      folder.write_file("other.toml", with(kSmallSchema, "num_records = 9", "num_records = 10"));
  EXPECT_THAT(refused(ErrorKind::kInput), HasAll("other.toml: --held-out needs the table", "= 9"));
  request.schema_path.clear();
  nlohmann::json model = small_model(kSmallSchema, kYesAboveMiddle);
  model["split"]["test_fraction"] = 0;
  save("model.json", model);
  EXPECT_THAT(refused(ErrorKind::kUsage), HasSubstr("with none held out"));
}

TEST_F(AuditTask, WarnsThatTrainingRecordsMayBeAmongThem) {
  EXPECT_THAT(run().warnings, ElementsAre(HasSubstr("--held-out")));
  folder.write_file("table.csv", kSmallTable + "1,F,no\n");
  const AuditReport report = run();
  EXPECT_THAT(report.warnings, IsEmpty());
  EXPECT_EQ(report.overall.metrics.num_records, 9);
}

TEST_F(AuditTask, ComparesWithAReferenceOnTheSameRecords) {
  request.reference_path = save("reference.json", small_model(kSmallSchema, kNoAboveMiddle));
  const AuditReport report = run();
  EXPECT_EQ(report.reference_path, request.reference_path.string());
  ASSERT_TRUE(report.overall.reference);
  ASSERT_TRUE(report.overall.cost);
  EXPECT_EQ(report.overall.reference->accuracy.value, 0.25);
  EXPECT_EQ(report.overall.cost->accuracy.value, -0.5);
  const AuditGrouping& sex = report.groupings[0];
  ASSERT_EQ(sex.figures.size(), 2U);
  EXPECT_EQ(sex.figures[0].reference->accuracy.value, 0.5);
  EXPECT_EQ(sex.figures[0].cost->accuracy.value, 0);
  EXPECT_EQ(sex.figures[1].cost->accuracy.value, -1);
  EXPECT_NEAR(sex.figures[1].cost->loss.value,
              sex.figures[1].metrics.loss.value - sex.figures[1].reference->loss.value, 1e-12);
}

TEST_F(AuditTask, TellsHowManyRecordsHaveNoPrediction) {
  EXPECT_THAT(run().ingest_notes, Not(Contains(HasSubstr("no prediction"))));
  const std::string schema = with(with(kSmallSchema, "target = \"y\"", "target = \"x\""),
                                  "[\"no\", \"yes\"]", "[\"no\", \"yes\"]\nfeature = false");
  // Beyond the largest number for women, not for men.
  save("model.json", small_model(schema, {1e308, 0, 1e308}));
  EXPECT_THAT(
      run().ingest_notes,
      Contains("4 of 8 records have no prediction because the output of the model is not finite "
               "(did its training diverge?); the figures of their groups are undefined"));
}

/// A model that predicts nothing would treat everybody alike.
TEST_F(AuditTask, NoLimitHoldsWhereRecordsHaveNoPrediction) {
  request.limits = {{"accuracy", 1}};
  for (const AuditLimit& limit : run().thresholds)
    EXPECT_EQ(limit.check.verdict, LimitVerdict::kHolds);
  // Scores of all classes are beyond the largest number.
  const std::string schema = with(kSmallSchema, "[\"no\", \"yes\"]", "[\"no\", \"yes\", \"so\"]");
  save("model.json", small_model(schema, std::vector(12, 1e308)));
  const AuditReport report = run();
  EXPECT_THAT(report.ingest_notes, Contains(HasSubstr("have no prediction")));
  EXPECT_FALSE(report.thresholds.empty());
  for (const AuditLimit& limit : report.thresholds) {
    EXPECT_EQ(limit.check.verdict, LimitVerdict::kNotAnswerable);
    EXPECT_TRUE(std::isnan(limit.check.value));
  }
}

TEST_F(AuditTask, AReferenceMayHaveOtherFeaturesAndDropOtherRecords) {
  const std::string plain = with(kSmallSchema, group_sizes("sex", {{"F", 4}, {"M", 5}}), "");
  // Men are unknown to this one, and a missing x is not.
  const std::string women =
      with(with(plain, "bounds = [0, 9]\n", "bounds = [0, 9]\nmissing = \"fill\"\nfill = 1\n"),
           "values = [\"F\", \"M\"]", "values = [\"F\"]");
  request.reference_path = save("reference.json", small_model(women, {-2, 0, 1}));
  const AuditReport report = run();
  EXPECT_EQ(report.overall.metrics.num_records, 4);
  EXPECT_EQ(report.overall.reference->num_records, 4);
  EXPECT_EQ(report.groupings[0].figures[1].metrics.num_records, 0);
  EXPECT_THAT(report.ingest_notes,
              Contains("4 records are left out by the rules of the reference's schema"));
  // And this one does not even know the column.
  const std::string x_alone =
      with(plain, "[columns.sex]\ntype = \"categorical\"\nvalues = [\"F\", \"M\"]\n", "");
  save("reference.json", small_model(x_alone, {-2, 1}));
  EXPECT_EQ(run().overall.cost->accuracy.value, -0.5);
}

TEST_F(AuditTask, AReferenceOfAnotherTargetIsRefused) {
  const std::string number = with(kSmallSchema, "target = \"y\"", "target = \"x\"");
  request.reference_path = save("reference.json", small_model(number, {0, 0, 0, 0, 0}));
  EXPECT_THAT(refused(ErrorKind::kInput), HasAll("reference.json: predicts 'x'", "'y'"));
  const std::string turned = with(kSmallSchema, "[\"no\", \"yes\"]", "[\"yes\", \"no\"]");
  save("reference.json", small_model(turned, kYesAboveMiddle));
  EXPECT_THAT(refused(ErrorKind::kInput), HasSubstr("differs in values"));
}

TEST_F(AuditTask, AReferenceThatHeldOutOtherRecordsIsMentioned) {
  request.held_out_only = true;
  nlohmann::json reference = small_model(kSmallSchema, kNoAboveMiddle);
  request.reference_path = save("reference.json", reference);
  EXPECT_THAT(run().warnings, IsEmpty());
  reference["split"]["split_seed"] = 4;
  save("reference.json", reference);
  EXPECT_THAT(run().warnings, ElementsAre(HasSubstr("held out other records")));
}

TEST_F(AuditTask, JudgesANumberInItsOwnUnits) {
  const std::string schema = with(with(kSmallSchema, "target = \"y\"", "target = \"x\""),
                                  "[\"no\", \"yes\"]", "[\"no\", \"yes\"]\nfeature = false");
  // Always 5: women have 9, 8, 1, 2 and men 9, 7, 1, 0.
  save("model.json", small_model(schema, {0, 0, 5.0 / 9}));
  request.limits = {{"mean_error", 100}};
  const AuditReport report = run();
  EXPECT_EQ(report.model, "linear");
  EXPECT_THAT(report.classes, IsEmpty());
  EXPECT_NEAR(report.overall.metrics.mean_error.value, 5 - 37.0 / 8, 1e-5);
  EXPECT_NEAR(report.groupings[0].figures[0].metrics.rmse.value, std::sqrt(50.0 / 4), 1e-5);
  EXPECT_NEAR(report.groupings[0].figures[1].metrics.mean_error.value, 5 - 17.0 / 4, 1e-5);
  EXPECT_TRUE(std::isnan(report.overall.metrics.accuracy.value));
  ASSERT_EQ(report.thresholds.size(), 1U);
  EXPECT_NEAR(report.thresholds[0].check.value, 0.75, 1e-5);
  EXPECT_EQ(report.thresholds[0].check.verdict, LimitVerdict::kHolds);
}

TEST_F(AuditTask, SoFewRecordsDecideNoLimit) {
  request.groupings = {{"sex"}, {"y"}};
  request.limits = {{"accuracy", 1}, {"true_positive_rate", 0.2}};
  const AuditReport report = run();
  ASSERT_EQ(report.thresholds.size(), 4U);
  EXPECT_EQ(report.thresholds[0].check.verdict, LimitVerdict::kHolds);
  EXPECT_EQ(report.thresholds[0].check.value, 0.5);
  EXPECT_EQ(report.thresholds[1].check.verdict, LimitVerdict::kUnclear);
  EXPECT_EQ(report.thresholds[1].metric, "true_positive_rate");
  EXPECT_THAT(report.thresholds[3].columns, ElementsAre("y"));
  require_limits(report, false);
  EXPECT_ERROR(kThreshold,
               AllOf(HasSubstr("true positive rate by sex"), HasSubstr("the difference is 0.5 ["),
                     HasSubstr("not private"), Not(HasSubstr("accuracy"))),
               require_limits(report, true));
  request.groupings = {{"sex"}};
  request.limits = {{"accuracy", 1}};
  require_limits(run(), true);
}

/// Nobody is told of a share of the adverse outcome as if it were the favourable one.
TEST_F(AuditTask, RatiosAreOfTheFavourableClass) {
  const auto share = [&](const AuditReport& report) {
    return figure_of(report, report.ratios.at(0));
  };
  request.ratios = {{"selection_rate", 0.8}};
  AuditReport report = run();
  EXPECT_EQ(share(report), "selection rate (share of y = yes)");
  EXPECT_THAT(report.warnings, Contains(HasSubstr("--favourable CLASS")));
  request.favourable = "no";
  report = run();
  EXPECT_EQ(share(report), "selection rate (share of y = no)");
  EXPECT_EQ(report.ratios[0].check.value, 1);
  EXPECT_THAT(report.warnings, Not(Contains(HasSubstr("--favourable"))));
  EXPECT_THAT(to_screen(audit_document(report), true),
              HasAll("Positive class: yes\n", "Favourable class: no\n"));
  EXPECT_EQ(audit_to_json(report)["favourable"], "no");
  request.favourable = "maybe";
  EXPECT_THAT(refused(ErrorKind::kUsage), HasSubstr("--favourable names no class of 'y'"));
  // The schema may say it.
  request.favourable.clear();
  save("model.json",
       small_model(with(kSmallSchema, "target = \"y\"", "target = \"y\"\nfavourable = \"no\""),
                   kYesAboveMiddle));
  EXPECT_EQ(share(run()), "selection rate (share of y = no)");
}

TEST_F(AuditTask, ALimitOnWhatIsUndefinedDoesNotHold) {
  // One group only: there is nothing to be apart from.
  folder.write_file("table.csv", "x,sex,y\n9,F,yes\n8,F,no\n");
  request.limits = {{"accuracy", 1}};
  const AuditReport report = run();
  ASSERT_EQ(report.thresholds.size(), 1U);
  EXPECT_TRUE(std::isnan(report.thresholds[0].check.value));
  EXPECT_EQ(report.thresholds[0].check.verdict, LimitVerdict::kNotAnswerable);
  EXPECT_ERROR(kThreshold, HasAll("NOT ANSWERABLE: accuracy by sex: fewer than two groups", "M"),
               require_limits(report, true));
}

TEST_F(AuditTask, ALimitOnWhatTheModelNeverHasIsRefusedBeforeTheTableIsRead) {
  request.data = folder.path() / "missing.csv";
  request.limits = {{"accuracy", 1}, {"rmse", 100}};
  EXPECT_THAT(
      refused(ErrorKind::kUsage),
      HasAll("--max-disparity rmse: the target 'y' has 2 classes",
             "not defined; use accuracy, error, selection_rate, true_positive_rate, "
             "false_positive_rate, false_negative_rate, precision, auc, calibration_gap, loss"));
  const std::string number = with(with(kSmallSchema, "target = \"y\"", "target = \"x\""),
                                  "[\"no\", \"yes\"]", "[\"no\", \"yes\"]\nfeature = false");
  save("model.json", small_model(number, {0, 0, 0}));
  request.limits = {{"rmse", 1}, {"accuracy", 1}};
  EXPECT_THAT(refused(ErrorKind::kUsage),
              HasAll("--max-disparity accuracy: the target 'x' is a number",
                     "use loss, rmse, mean_squared_error, mean_absolute_error, mean_error, "
                     "r_squared"));
}

TEST_F(AuditTask, SmallGroupsAreMergedOrRefused) {
  request.floor = {5, SmallGroups::kMerge};
  AuditReport report = run();
  ASSERT_EQ(report.groupings[0].groups.size(), 2U);
  EXPECT_EQ(report.groupings[0].groups[1], (GroupLabel{{"sex", "(small groups)"}}));
  EXPECT_EQ(report.groupings[0].figures[1].metrics.accuracy.value, 0.5);
  request.floor = {6, SmallGroups::kMerge};
  report = run();
  ASSERT_EQ(report.groupings[0].groups.size(), 1U);
  EXPECT_EQ(report.groupings[0].figures[0].metrics.num_records, 8);
  request.floor = {5, SmallGroups::kRefuse};
  refused(ErrorKind::kUsage);
}

TEST_F(AuditTask, AnotherSchemaMayBringOtherGroups) {
  request.schema_path = folder.write_file(
      "bands.toml", kSmallSchema + "[groups.band]\ncolumn = \"x\"\ncuts = [2, 8]\n");
  request.groupings = {{"band"}};
  const AuditReport report = run();
  ASSERT_EQ(report.groupings[0].groups.size(), 3U);
  EXPECT_EQ(report.groupings[0].figures[0].metrics.num_records, 3);  // 1, 1, 0
  EXPECT_EQ(report.groupings[0].figures[1].metrics.num_records, 2);  // 2, 7
  EXPECT_EQ(report.groupings[0].figures[2].metrics.num_records, 3);  // 9, 8, 9
  EXPECT_EQ(report.groupings[0].figures[0].metrics.accuracy.value, 1);
}

TEST_F(AuditTask, JudgesNumbersWithinTheirBounds) {
  const std::string schema = with(with(kSmallSchema, "target = \"y\"", "target = \"x\""),
                                  "[\"no\", \"yes\"]", "[\"no\", \"yes\"]\nfeature = false");
  save("model.json", small_model(schema, {0, 0, 50}));
  request.reference_path = save("reference.json", small_model(schema, {0, 0, -50}));
  const AuditReport report = run();
  // Always 9, and always 0: women have 9, 8, 1, 2.
  EXPECT_NEAR(report.groupings[0].figures[0].metrics.mean_error.value, 9 - 20.0 / 4, 1e-5);
  EXPECT_NEAR(report.groupings[0].figures[0].reference->mean_error.value, -20.0 / 4, 1e-5);
  EXPECT_THAT(report.ingest_notes,
              ::testing::IsSupersetOf(
                  {"8 of 8 predictions of the model lay beyond the bounds of the target, "
                   "0 to 9, and count as the nearer bound",
                   "8 of 8 predictions of the reference lay beyond the bounds of the "
                   "target, 0 to 9, and count as the nearer bound"}));
}

}  // namespace equinoise::audit_test

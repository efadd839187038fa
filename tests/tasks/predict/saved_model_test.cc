// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/predict/saved_model.h"

#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/constraint_writer.h"
#include "equinoise/report/json.h"
#include "equinoise/report/training/training_report.h"
#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise::saved_model_test {
namespace {

using ::testing::HasSubstr;
using testing::kSmallSchema;
using testing::kYesAboveMiddle;
using ::testing::Not;
using testing::small_model;
using testing::with;

using Json = nlohmann::json;

const std::string kSecret = "hunter2secret";

std::string refusal(const std::string& text) {
  return error_of(ErrorKind::kInput, [&] { parse_saved_model(text, "a/model.json"); });
}

TrainingReport report_of_two_classes() {
  TrainingReport report;
  report.dataset = "small";
  report.status = PrivacyStatus::kNotPrivate;
  report.model = "logistic";
  report.target = "y";
  report.classes = {"no", "yes"};
  return report;
}

TEST(SavedModel, IsWhatTrainingWrote) {
  TrainingReport report;
  report.dataset = "small";
  report.method = "dpsgd";
  report.status = PrivacyStatus::kPrivate;
  report.privacy = Guarantee{Epsilon(1.5), Delta(1e-6), AccountantName::kRdp, Relation::kZeroOut};
  report.protection = Protection{Relation::kZeroOut, {"row"}, {}, AttackBounds{0.25, 0.125}};
  report.model = "logistic";
  report.target = "y";
  report.classes = {"no", "yes"};
  report.test_fraction = 0.25;
  report.split_seed = std::numeric_limits<uint64_t>::max();
  report.parameters = {{"x", 0.1}, {"sex=F", -1e-300}, {"sex=M", 3}, {"bias", 1.0 / 3}};
  report.schema_text = kSmallSchema;
  const SavedModel saved = parse_saved_model(to_text(model_to_json(report)), "model.json");
  EXPECT_EQ(saved.schema.source_text, kSmallSchema);
  EXPECT_EQ(saved.schema.target, "y");
  EXPECT_EQ(saved.model->name(), "logistic");
  EXPECT_EQ(saved.parameters, (std::vector<double>{0.1, -1e-300, 3, 1.0 / 3}));
  EXPECT_EQ(saved.method, "dpsgd");
  EXPECT_EQ(saved.status, PrivacyStatus::kPrivate);
  ASSERT_TRUE(saved.privacy);
  EXPECT_EQ(saved.privacy->epsilon.value(), 1.5);
  EXPECT_EQ(saved.privacy->delta.value(), 1e-6);
  EXPECT_EQ(saved.privacy->accountant, AccountantName::kRdp);
  EXPECT_EQ(saved.privacy->relation, Relation::kZeroOut);
  ASSERT_TRUE(saved.attack);
  EXPECT_EQ(saved.attack->true_positive_rate, 0.25);
  EXPECT_EQ(saved.attack->advantage, 0.125);
  EXPECT_EQ(saved.test_fraction, 0.25);
  EXPECT_EQ(saved.split_seed, std::numeric_limits<uint64_t>::max());
}

TEST(SavedModel, KeepsTheConstraintsOfItsTraining) {
  const ConstraintDomain domain = constraint_domain(parse_schema(kSmallSchema, "test"));
  const std::vector<RateConstraint> constraints =
      parse_constraint("demographic_parity:sex:0.1", domain);
  TrainingReport report = report_of_two_classes();
  report.parameters = {{"x", 2}, {"sex=F", 0}, {"sex=M", 0}, {"bias", -1}};
  report.schema_text = kSmallSchema;
  report.constraints_text = constraints_to_json(constraints, domain);
  const SavedModel saved = parse_saved_model(to_text(model_to_json(report)), "model.json");
  const std::vector<RateConstraint> read =
      parse_constraints_json(saved.constraints, "saved", domain);
  EXPECT_EQ(constraints_to_json(read, domain), report.constraints_text);
  // A file from before constraints were kept.
  EXPECT_EQ(parse_saved_model(small_model(kSmallSchema, kYesAboveMiddle).dump(), "m").constraints,
            "");
}

TEST(SavedModel, MayBeOfAnyKind) {
  const std::string number = with(kSmallSchema, "target = \"y\"", "target = \"x\"");
  EXPECT_EQ(
      parse_saved_model(small_model(number, std::vector<double>(5, 1)).dump(), "m").model->name(),
      "linear");
  const std::string three = with(kSmallSchema, "[\"no\", \"yes\"]", "[\"no\", \"yes\", \"so\"]");
  EXPECT_EQ(
      parse_saved_model(small_model(three, std::vector<double>(12, 1)).dump(), "m").model->name(),
      "softmax");
}

struct Damage {
  std::function<void(Json&)> spoil;
  std::string message;
};

/// Thousands of names would say nothing that the shape does not say.
TEST(SavedModel, OfImagesHoldsParametersWithoutNames) {
  TrainingReport report = report_of_two_classes();
  report.parameters = {{"pixel 0,0,0", 0.1}, {"pixel 0,0,1", -2}, {"bias", 1.0 / 3}};
  report.keeps_parameter_names = false;
  report.schema_text = with(kSmallSchema, "[columns.x]", "[image]\nshape = [1, 1, 2]\n[columns.x]");
  const std::string text = to_text(model_to_json(report));
  EXPECT_THAT(text, Not(HasSubstr("pixel")));
  const SavedModel saved = parse_saved_model(text, "model.json");
  EXPECT_EQ(saved.parameters, (std::vector<double>{0.1, -2, 1.0 / 3}));
  EXPECT_EQ(saved.schema.image, (ImageShape{1, 1, 2}));

  Json json = Json::parse(text);
  json["parameters"] = {0.1, -2};
  EXPECT_THAT(refusal(json.dump()), HasSubstr("parameters must be a list of 3 parameters"));
  json["parameters"] = {0.1, -2, "x"};
  EXPECT_THAT(refusal(json.dump()), HasSubstr("parameters must be a list of finite numbers"));
  json["parameters"] = {0.1, -2, {{"name", "bias"}, {"value", 1}}};
  EXPECT_THAT(refusal(json.dump()), HasSubstr("parameters must be a list of finite numbers"));
  json["table_schema"] = kSmallSchema;
  EXPECT_THAT(refusal(json.dump()), HasSubstr("parameters"));
}

TEST(SavedModel, SaysWhatIsWrong) {
  const Json guarantee = {
      {"epsilon", 1}, {"delta", 1e-6}, {"accountant", "rdp"}, {"relation", "zero_out"}};
  const auto with_privacy = [&](const char* key, const Json& value) {
    return [&guarantee, key, value](Json& json) {
      json["privacy"] = guarantee;
      json["privacy"][key] = value;
    };
  };
  const std::vector<Damage> cases = {
      {[](Json& json) { json = Json::array(); }, "the file must be an object"},
      {[](Json& json) { json["schema"] = "equinoise/2"; }, "schema must be \"equinoise/1\""},
      {[](Json& json) { json["table_schema"] = "nonsense"; }, "a/model.json, table_schema:1:"},
      {[](Json& json) { json["table_schema"] = 5; }, "table_schema must be a string"},
      {[](Json& json) { json["dataset"] = "other"; }, "dataset must be"},
      {[](Json& json) { json["target"] = "sex"; }, "target must be"},
      {[](Json& json) { json["target"] = ""; }, "target must be"},
      {[](Json& json) {
         json["classes"] = {"yes", "no"};
       },
       "classes must be"},
      {[](Json& json) {
         json["classes"] = {1, 2};
       },
       "classes must be a list of strings"},
      {[](Json& json) { json["classes"] = 2; }, "classes must be a list"},
      {[](Json& json) { json["model"] = "auto"; }, "model must be one of logistic"},
      {[](Json& json) { json["model"] = "linear"; }, "fits the table"},
      {[](Json& json) { json["method"] = nullptr; }, "method must be a string"},
      {[](Json& json) { json["status"] = "safe"; }, "status must be private, not private or"},
      {[](Json& json) { json["status"] = "private"; }, "privacy must be a guarantee"},
      {[](Json& json) { json["privacy"] = 1; }, "privacy must be an object"},
      {with_privacy("epsilon", -1), "privacy.epsilon must be >= 0"},
      {with_privacy("epsilon", nullptr), "privacy.epsilon must be a finite number"},
      {with_privacy("delta", 1), "privacy.delta must be at least 0 and below 1"},
      {with_privacy("relation", "any"), "privacy.relation must be one of zero_out"},
      {with_privacy("accountant", 1), "privacy.accountant must be a string"},
      {[](Json& json) { json["split"] = 1; }, "split must be an object"},
      {[](Json& json) { json["split"]["test_fraction"] = 1; }, "split.test_fraction must be"},
      {[](Json& json) { json["split"]["test_fraction"] = -0.1; }, "split.test_fraction must be"},
      {[](Json& json) { json["split"]["split_seed"] = -1; }, "split.split_seed must be a whole"},
      {[](Json& json) { json["split"]["split_seed"] = 1.5; }, "split.split_seed must be a whole"},
      {[](Json& json) { json["split"]["split_seed"] = 1e30; }, "split.split_seed must be a whole"},
      {[](Json& json) { json["parameters"] = Json::object(); }, "parameters must be a list"},
      {[](Json& json) { json["parameters"].erase(0); },
       "parameters must be a list of 4 parameters"},
      {[](Json& json) { json["parameters"][1] = 1; }, "parameters[1] must be an object"},
      {[](Json& json) { std::swap(json["parameters"][0], json["parameters"][1]); },
       "parameters[0].name must be 'x'"},
      {[](Json& json) { json["parameters"][3]["value"] = nullptr; },
       "parameters[3].value must be a finite number"},
      {[](Json& json) {
         json["diverged"] = true;
         json["parameters"][3]["value"] = nullptr;
       },
       "its training diverged"},
      {[](Json& json) { json["parameters"][3]["value"] = "1"; },
       "parameters[3].value must be a finite number"},
      {[](Json& json) { json["constraints"] = "fnr:0.1"; }, "constraints must be a list"},
      {[](Json& json) { json["constraints"] = Json::array(); }, "constraint is missing"},
      {[](Json& json) {
         json["constraints"].push_back({{"type", "group_error"}, {"attr", "race"}, {"max", 0.1}});
       },
       "there is no attribute \"race\""},
  };
  for (const Damage& damage : cases) {
    Json json = small_model(kSmallSchema, kYesAboveMiddle);
    damage.spoil(json);
    EXPECT_THAT(refusal(json.dump()), HasAll("a/model.json", damage.message));
  }
  const Json whole = small_model(kSmallSchema, kYesAboveMiddle);
  for (const auto& [key, value] : whole.items()) {
    Json json = whole;
    json.erase(key);
    EXPECT_THAT(refusal(json.dump()), HasSubstr("lacks " + key + ";"));
  }
}

TEST(SavedModel, WhatIsNotStrictlyJsonIsRefusedWithItsPlace) {
  const std::string text = small_model(kSmallSchema, kYesAboveMiddle).dump(1);
  EXPECT_THAT(refusal("{\n \"schema\": nothing\n}"), HasSubstr("a/model.json:2:13: is not JSON"));
  EXPECT_THAT(refusal(""), HasSubstr("a/model.json:1:1: is not JSON"));
  EXPECT_THAT(refusal(text + "{}"), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal(with(text, "\"method\"", "\"status\"")), HasSubstr("has the same key twice"));
  EXPECT_THAT(refusal(with(text, "\"value\"", "\"name\"")), HasSubstr("has the same key twice"));
  EXPECT_THAT(refusal(with(text, "0.5", "1e999")), HasSubstr("a number that is too large"));
  EXPECT_THAT(refusal(std::string(1'000'000, '[')), HasSubstr("is not a model"));
}

TEST(SavedModel, NothingOfAFileThatIsNoModelIsRepeated) {
  for (const std::string& text :
       {"age,city\n30," + kSecret + "\n", "[{\"schema\": \"" + kSecret + "\"}]",
        "{\"schema\": \"" + kSecret + "\"}", "{\"" + kSecret + "\": 1, \"" + kSecret + "\": 1}",
        "{\"schema\": " + kSecret + "}"}) {
    EXPECT_THAT(refusal(text), Not(HasSubstr(kSecret)));
  }
}

/// With constraints.
Json constrained_model() {
  Json json = small_model(kSmallSchema, kYesAboveMiddle);
  json["constraints"].push_back({{"type", "group_error"}, {"attr", "sex"}, {"max", 0.1}});
  return json;
}

TEST(SavedModel, CutAtAnyByteItIsRefused) {
  const std::string text = constrained_model().dump(2);
  for (size_t size = 0; size < text.size(); ++size) refusal(text.substr(0, size));
}

TEST(SavedModel, DamagedAtAnyByteItIsReadOrRefused) {
  const std::string text = constrained_model().dump();
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char byte : {'\0', '"', '9', '}', '\\', '\xff'}) {
      std::string damaged = text;
      damaged[i] = byte;
      try {
        const SavedModel saved = parse_saved_model(damaged, "model.json");
        EXPECT_EQ(saved.parameters.size(), saved.model->num_parameters());
      } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::kInput))
            << error.what();
      }
    }
  }
}

TEST(SavedModel, ComesFromAFileOrItsFolder) {
  const TempFolder temp;
  const std::filesystem::path file =
      temp.write_file("model.json", small_model(kSmallSchema, kYesAboveMiddle).dump());
  EXPECT_EQ(load_model(file).parameters, kYesAboveMiddle);
  EXPECT_EQ(load_model(temp.path()).parameters, kYesAboveMiddle);
  EXPECT_EQ(model_file(temp.path()), file);
  EXPECT_EQ(model_file(file), file);
}

TEST(SavedModel, AFileThatCannotBeReadIsNamed) {
  const TempFolder temp;
  const auto refused = [&](const std::string& name) {
    return error_of(ErrorKind::kInput, [&] { load_model(temp.path() / name); });
  };
  EXPECT_THAT(refused("nothing"), HasAll("nothing: no such file", "--out"));
  std::filesystem::create_directories(temp.path() / "folder/model.json");
  EXPECT_THAT(refused("folder"), HasSubstr("folder/model.json: is not a regular file"));
  std::filesystem::create_directory(temp.path() / "empty");
  EXPECT_THAT(refused("empty"), HasSubstr("empty/model.json: no such file"));
  temp.write_file("void.json", "");
  EXPECT_THAT(refused("void.json"), HasSubstr("void.json:1:1: is not JSON"));
  temp.write_file("file", "{}");
  EXPECT_THAT(refused("file/model.json"), HasSubstr("file/model.json: "));
}

}  // namespace
}  // namespace equinoise::saved_model_test

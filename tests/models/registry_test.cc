// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/registry.h"

#include <set>

#include "tests/columns.h"
#include "tests/test_support.h"

namespace equinoise::registry_test {
namespace {

Schema schema_with_target(const std::string& target) {
  Schema schema;
  schema.columns = {testing::categorical_column("two", {"a", "b"}),
                    testing::categorical_column("three", {"a", "b", "c"}),
                    testing::categorical_column("one", {"a"}),
                    testing::numeric_column("number", 0, 1)};
  schema.target = target;
  return schema;
}

TEST(ModelRegistry, NamesAreUniqueAndModelsKnowTheirs) {
  std::set<std::string_view> names;
  for (const ModelRow& row : model_kinds()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty());
    const NetworkOptions options = settled_options(row.name, {}).value_or(NetworkOptions());
    EXPECT_EQ(row.make({{"x"}, {"a", "b"}, ImageShape{1, 28, 28}}, options)->name(), row.name);
  }
}

TEST(ModelRegistry, ImagesAreNeededWhereLayersReadThem) {
  Schema schema = schema_with_target("three");
  EXPECT_ERROR(kUsage, HasSubstr("of a table without images; these do: softmax, additive, mlp"),
               make_model("cnn", schema));
  schema.image = ImageShape{1, 28, 28};
  EXPECT_ERROR(kUsage, HasSubstr("of a table of images; these do: softmax, mlp"),
               make_model("additive", schema));
  // 6 (25 + 1) + 16 (150 + 1) + (256 + 1) 120 + 121 * 84 + 85 * 3
  EXPECT_EQ(make_model("lenet", schema)->num_parameters(), 43'831U);
  schema.image = ImageShape{1, 16, 28};
  EXPECT_NE(make_model("lenet", schema), nullptr);
  schema.image = ImageShape{1, 15, 28};
  EXPECT_ERROR(kUsage, HasSubstr("at least 16 x 16 pixels, but these have 15 x 28"),
               make_model("lenet", schema));
}

TEST(ModelRegistry, OptionsThatAModelDoesNotUseAreRefused) {
  Schema schema = schema_with_target("three");
  schema.image = ImageShape{1, 28, 28};
  for (const auto& [name, options, named] :
       {std::tuple{"mlp", NetworkOptions{{}, ActivationKind::kTanh, {3}},
                   "channels is an option of cnn; the model is \"mlp\""},
        {"lenet", NetworkOptions{{}, ActivationKind::kTanh, {}, 7},
         "kernel_size is an option of cnn; the model is \"lenet\""},
        {"lenet", NetworkOptions{{5}}, "hidden is an option of mlp, cnn"},
        {"softmax", NetworkOptions{{}, ActivationKind::kTanh, {}, 3, PoolingKind::kMax},
         "the model is \"softmax\""},
        {"softmax", NetworkOptions{{}, ActivationKind::kRelu},
         "activation is an option of mlp, cnn, lenet"},
        {"auto", NetworkOptions{{5}}, "the model is \"softmax\""}}) {
    EXPECT_THAT(
        error_of(ErrorKind::kUsage,
                 [&, name = name, options = options] { make_model(name, schema, options); }),
        HasSubstr(named));
  }
}

TEST(ModelRegistry, NetworksFillInTheirDefaults) {
  EXPECT_EQ(settled_options("softmax", {}), std::nullopt);
  EXPECT_EQ(settled_options("mlp", {{}, ActivationKind::kRelu, {7}})->hidden,
            (std::vector<size_t>{256, 256}));
  EXPECT_EQ(settled_options("mlp", {{}, ActivationKind::kRelu, {7}})->channels,
            std::vector<size_t>());
  EXPECT_EQ(settled_options("cnn", {})->channels, (std::vector<size_t>{32, 16}));
  EXPECT_EQ(settled_options("lenet", {{5}, ActivationKind::kRelu})->activation,
            ActivationKind::kRelu);
  for (const ModelRow& row : model_kinds()) {
    if (row.settle == nullptr) continue;
    const NetworkOptions once = row.settle({{5}, ActivationKind::kRelu, {7}, 2, PoolingKind::kMax});
    EXPECT_EQ(row.settle(once), once) << row.name;
  }
}

TEST(ModelRegistry, AutoTakesTheFirstThatFits) {
  EXPECT_EQ(make_model("auto", schema_with_target("two"))->name(), "logistic");
  EXPECT_EQ(make_model("auto", schema_with_target("three"))->name(), "softmax");
  EXPECT_EQ(make_model("auto", schema_with_target("number"))->name(), "linear");
}

TEST(ModelRegistry, ModelsHaveTheSchemasFeatures) {
  const auto model = make_model("softmax", schema_with_target("two"));
  EXPECT_THAT(model->parameter_names(),
              ElementsAre("number -> a", "number -> b", "three=a -> a", "three=a -> b",
                          "three=b -> a", "three=b -> b", "three=c -> a", "three=c -> b",
                          "one=a -> a", "one=a -> b", "bias -> a", "bias -> b"));
}

TEST(ModelRegistry, RegressionsStartFromTheMiddleOfTheBounds) {
  Schema schema = schema_with_target("number");
  const auto start_of = [&] { return make_model("linear", schema)->initial_parameters(1); };
  EXPECT_EQ(start_of().back(), 0.5);
  EXPECT_EQ(start_of().front(), 0);
  schema.columns[3].scale = NumericScale::kStandard;
  EXPECT_EQ(start_of().back(), 0);
}

TEST(ModelRegistry, RefusesAModelThatDoesNotFitTheTarget) {
  EXPECT_ERROR(kUsage,
               AllOf(HasSubstr("'three' (categorical, 3 values)"), HasSubstr("these do: softmax"),
                     Not(HasSubstr("linear"))),
               make_model("logistic", schema_with_target("three")));
  EXPECT_ERROR(kUsage, HasSubstr("these do: logistic, softmax"),
               make_model("linear", schema_with_target("two")));
  EXPECT_ERROR(kUsage, HasAll("'number' (numeric)", "these do: linear"),
               make_model("softmax", schema_with_target("number")));
}

TEST(ModelRegistry, RefusesATargetThatNoModelLearns) {
  EXPECT_ERROR(kInput, HasSubstr("at least two values"),
               make_model("auto", schema_with_target("one")));
  EXPECT_ERROR(kInput, HasSubstr("names no target"), make_model("auto", schema_with_target("")));
}

TEST(ModelRegistry, ProposesTheNearestName) {
  EXPECT_ERROR(kUsage, HasSubstr("did you mean \"logistic\""),
               make_model("logistics", schema_with_target("two")));
  EXPECT_ERROR(kUsage, HasSubstr("equinoise methods"),
               make_model("tree", schema_with_target("two")));
}

}  // namespace
}  // namespace equinoise::registry_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/same_encoding.h"

#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise::same_encoding_test {

using testing::kSmallSchema;
using testing::with;

void compare(const std::string& text) {
  require_same_encoding(parse_schema(kSmallSchema, "trained"), parse_schema(text, "given"),
                        "given.toml");
}

TEST(SameEncoding, SizesAndColumnsThatAreNoFeaturesMayDiffer) {
  compare(kSmallSchema);
  compare(with(kSmallSchema, "num_records = 9", "num_records = 1000") +
          "[columns.city]\ntype = \"categorical\"\nvalues = [\"A\"]\nfeature = false\n"
          "[columns.note]\ntype = \"ignored\"\n");
}

TEST(SameEncoding, AnythingThatChangesAFeatureOrTheTargetIsRefused) {
  const std::string sex = "values = [\"F\", \"M\"]";
  struct Case {
    std::string old_part;
    std::string new_part;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"target = \"y\"", "target = \"sex\"", "target = \"y\""},
      {"target = \"y\"", "target = \"y\"\nmissing_values = [\"-\"]", "missing_values"},
      {"bounds = [0, 9]", "bounds = [0, 10]", "'x' differs in bounds"},
      {"bounds = [0, 9]", "bounds = [0, 9]\nscale = \"symmetric\"", "'x' differs in scale"},
      {"bounds = [0, 9]", "bounds = [0, 9]\nmissing = \"fill\"\nfill = 1", "differs in missing"},
      {"bounds = [0, 9]", "bounds = [0, 9]\nfeature = false", "'x' differs in feature"},
      {"[columns.x]", "[columns.z]", "lacks column 'x'"},
      {"type = \"numeric\"\nbounds = [0, 9]", "type = \"ignored\"", "'x' differs in type"},
      {sex, "values = [\"M\", \"F\"]", "'sex' differs in values"},
      {sex, sex + "\nunknown = \"other\"", "'sex' differs in unknown"},
      {sex, sex + "\nmissing = \"category\"", "'sex' differs in missing"},
      {"[\"no\", \"yes\"]", "[\"yes\", \"no\"]", "'y' differs in values"},
      {"[columns.y]", "[columns.z]\ntype = \"numeric\"\nbounds = [0, 1]\n[columns.y]",
       "'z' is not a feature of the model"},
  };
  for (const Case& wrong : cases) {
    EXPECT_ERROR(kInput, HasAll("given.toml: ", wrong.message),
                 compare(with(kSmallSchema, wrong.old_part, wrong.new_part)));
  }
}

TEST(SameEncoding, ImagesAreOfTheSameShape) {
  const std::string shape = "[image]\nshape = [1, 2, 3]\n";
  const std::string images = with(kSmallSchema, "[columns.x]", shape + "[columns.x]");
  const Schema trained = parse_schema(images, "trained");
  require_same_encoding(trained, trained, "given.toml");
  require_same_encoding(trained, parse_schema(with(images, "[0, 9]", "[0, 8]"), "given"),
                        "given.toml");
  for (const std::string& given :
       {with(images, "[1, 2, 3]", "[1, 3, 2]"), with(images, shape, "")}) {
    EXPECT_THAT(
        error_of(
            ErrorKind::kInput,
            [&] { require_same_encoding(trained, parse_schema(given, "given"), "given.toml"); }),
        HasSubstr("given.toml: differs in [image]"));
  }
}

TEST(SameEncoding, TheConstantsOfAStandardScaleAndTheOrderCount) {
  const auto schema = [](const std::string& x, bool z_first) {
    const std::string z = "[columns.z]\ntype = \"numeric\"\nbounds = [0, 1]\n";
    std::string text = with(kSmallSchema, "bounds = [0, 9]\n", "bounds = [0, 9]\n" + x);
    return parse_schema(z_first ? with(text, "[columns.x]", z + "[columns.x]") : text + z, "s");
  };
  const auto standard = [](const std::string& mean, const std::string& stddev) {
    return "scale = \"standard\"\nmean = " + mean + "\nstddev = " + stddev + "\n";
  };
  const Schema trained = schema(standard("4", "2"), true);
  const auto refused = [&](const Schema& given) {
    return error_of(ErrorKind::kInput, [&] { require_same_encoding(trained, given, "given"); });
  };
  require_same_encoding(trained, schema(standard("4", "2"), true), "given");
  EXPECT_THAT(refused(schema(standard("5", "2"), true)), HasSubstr("'x' differs in mean"));
  EXPECT_THAT(refused(schema(standard("4", "3"), true)), HasSubstr("'x' differs in stddev"));
  EXPECT_THAT(refused(schema(standard("4", "2"), false)), HasSubstr("a different order"));
}

}  // namespace equinoise::same_encoding_test

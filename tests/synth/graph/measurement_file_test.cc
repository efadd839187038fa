// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/measurement_file.h"

#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise::measurement_file_test {

Domain small_domain() { return Domain({{"age", 3}, {"sex", 2}, {"race", 2}}); }

TEST(MeasurementFile, ReadsTablesInTheOrderOfTheirCliques) {
  const MeasurementFile file = parse_measurements(
      R"({"total": 21.5, "note": {"a": []}, "measurements": [
          {"clique": ["sex", "age"], "sigma": 2, "y": [1, 2, 3, 4, 5, 6], "weight": "x"},
          {"clique": [], "sigma": 1e-3, "y": [20]}]})",
      "noisy.json", small_domain());
  EXPECT_EQ(file.total, 21.5);
  ASSERT_EQ(file.measurements.size(), 2U);
  EXPECT_EQ(file.measurements[0].clique, (AttributeSet{0, 1}));
  EXPECT_EQ(file.measurements[0].values, (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(file.measurements[0].noise_stddev, 2);
  EXPECT_EQ(file.measurements[1].clique, AttributeSet{});
  EXPECT_EQ(
      parse_measurements(
          R"({"total": null, "measurements": [{"clique": ["sex"], "sigma": 1, "y": [-1, 2]}]})",
          "noisy.json", small_domain())
          .total,
      std::nullopt);
}

TEST(MeasurementFile, NamesWhatIsWrongAndWhere) {
  const auto message = [](std::string_view text) {
    return error_of(ErrorKind::kInput,
                    [&] { parse_measurements(text, "noisy.json", small_domain()); });
  };
  const auto of = [&](const std::string& measurement) {
    return message(R"({"measurements": [{"clique": ["age"], "sigma": 1, "y": [1, 2, 3]}, )" +
                   measurement + "]}");
  };
  EXPECT_THAT(of(R"({"clique": ["sexx"], "sigma": 1, "y": [1, 2]})"),
              HasSubstr("[synth.measurements] noisy.json: measurements[1].clique names 'sexx', "
                        "which is not in the domain; did you mean 'sex'?"));
  EXPECT_THAT(of(R"({"clique": ["sex", "sex"], "sigma": 1, "y": [1, 2]})"),
              HasSubstr("measurements[1].clique names 'sex' twice"));
  EXPECT_THAT(of(R"({"clique": ["sex", "age"], "sigma": 1, "y": [1, 2]})"),
              HasSubstr("measurements[1].y must have 6 values, one for each cell of (sex, age), "
                        "got 2"));
  EXPECT_THAT(of(R"({"clique": ["sex"], "sigma": 0, "y": [1, 2]})"),
              HasSubstr("measurements[1].sigma must be > 0, got 0"));
  EXPECT_THAT(of(R"({"clique": ["sex"], "sigma": -1, "y": [1, 2]})"), HasSubstr("got -1"));
  EXPECT_THAT(of(R"({"clique": ["sex"], "sigma": "1", "y": [1, 2]})"),
              HasSubstr("measurements[1].sigma must be a finite number"));
  EXPECT_THAT(of(R"({"clique": ["sex"], "sigma": 1, "y": [1, null]})"),
              HasSubstr("measurements[1].y must be a list of finite numbers"));
  EXPECT_THAT(of(R"({"clique": ["sex"], "sigma": 1, "y": [1, NaN]})"), HasSubstr("noisy.json:1:"));
  EXPECT_THAT(of(R"({"clique": ["sex"], "sigma": 1, "y": [1, 1e400]})"),
              HasSubstr("a number that is too large"));
  EXPECT_THAT(of(R"({"clique": ["sex"], "y": [1, 2]})"), HasSubstr("lacks measurements[1].sigma"));
  EXPECT_THAT(of("3"), HasSubstr("measurements[1] must be an object"));
  EXPECT_THAT(message(R"({"measurements": []})"), HasSubstr("measurements is empty"));
  EXPECT_THAT(message(R"({"measurement": []})"), HasSubstr("lacks measurements"));
  EXPECT_THAT(message(R"({"total": 0, "measurements": []})"), HasSubstr("total must be > 0"));
  EXPECT_THAT(message("[]"), HasSubstr("the file must be an object"));
  EXPECT_THAT(message("{\"measurements\":\n [}"), HasSubstr("noisy.json:2:3: is not JSON"));
}

TEST(StructuralZeros, AreTables) {
  const std::vector<Factor> zeros = parse_structural_zeros(
      R"({"zeros": [{"clique": ["sex", "age"], "cells": [[1, 0], [1, 2]]}]})", "zeros.json",
      small_domain());
  ASSERT_EQ(zeros.size(), 1U);
  EXPECT_EQ(zeros[0].attributes, (AttributeSet{0, 1}));
  EXPECT_EQ(zeros[0].values, (std::vector<double>{0, kLogZero, 0, 0, 0, kLogZero}));
  const auto message = [](std::string_view text) {
    return error_of(ErrorKind::kInput,
                    [&] { parse_structural_zeros(text, "zeros.json", small_domain()); });
  };
  EXPECT_THAT(message(R"({"zeros": [{"clique": ["sex"], "cells": [[2]]}]})"),
              HasSubstr("zeros[0].cells must be codes below 2 of 'sex'"));
  EXPECT_THAT(message(R"({"zeros": [{"clique": ["sex"], "cells": [[-1]]}]})"),
              HasSubstr("codes below 2"));
  EXPECT_THAT(message(R"({"zeros": [{"clique": ["sex", "age"], "cells": [[1]]}]})"),
              HasSubstr("lists of 2 codes, one for each of (sex, age)"));
  EXPECT_THAT(message(R"({"zeros": [{"clique": ["sex"]}]})"), HasSubstr("lacks zeros[0].cells"));
}

TEST(MarginalList, KeepsItsOrder) {
  EXPECT_EQ(parse_marginal_list(R"({"marginals": [{"clique": ["race", "age"]}, {"clique": []}]})",
                                "ask.json", small_domain()),
            (std::vector<std::vector<int>>{{2, 0}, {}}));
  EXPECT_THAT(
      error_of(
          ErrorKind::kInput,
          [] { parse_marginal_list(R"({"marginals": [["age"]]})", "ask.json", small_domain()); }),
      HasSubstr("marginals[0] must be an object; write {\"marginals\""));
}

}  // namespace equinoise::measurement_file_test

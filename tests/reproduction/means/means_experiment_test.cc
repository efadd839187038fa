// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/reproduction/reproduced.h"
#include "tests/test_support.h"

namespace equinoise::means_experiment_test {

using testing::ours;
using testing::reproduced;

constexpr std::string_view kItem = R"(
schema = "equinoise/1"
summary = "a mixture"
seeds = 4

[means]
parameter = "rho"
values = [0.5, 5e7]
records = 2000
groups = 3
metrics = ["global error", "group error", "parity error"]

[methods.one]
estimator = "bounded"
strata = "none"

[methods.all]
estimator = "bounded"

[methods.shrunk]
estimator = "bounded"
shrinks = true

[methods."held out"]
estimator = "bounded"
strata = "held_out"
)";

std::string changed(std::string_view from, std::string_view to) {
  std::string text(kItem);
  text.replace(text.find(from), from.size(), to);
  return text;
}

ReproductionReport run(const std::string& text, int threads = 1) {
  return reproduced(parse_reproduction_item({"002/mixture", text}), {.threads = threads});
}

TEST(MeansExperiment, WithoutNoiseOnlyWhatIsNotEstimatedIsOff) {
  const ReproductionReport report = run(std::string(kItem));
  // Hardly any noise is left at the larger budget.
  EXPECT_LT(ours(report, "one global error at 5e+07"), 1e-3);
  EXPECT_GT(ours(report, "one group error at 5e+07"), 2) << "everybody is told one mean";
  for (const char* name : {"all", "shrunk"}) {
    EXPECT_LT(ours(report, fmt::format("{} global error at 5e+07", name)), 1e-3);
    EXPECT_LT(ours(report, fmt::format("{} group error at 5e+07", name)), 0.1);
    EXPECT_LT(ours(report, fmt::format("{} parity error at 5e+07", name)), 0.1);
  }
  EXPECT_GT(ours(report, "held out global error at 5e+07"), 0.01) << "shares are estimates";
  EXPECT_GT(ours(report, "all global error at 0.5"), ours(report, "all global error at 5e+07"));
}

/// All numbers are near 50.
TEST(MeansExperiment, AbsoluteErrorsAreNotDividedByTheMean) {
  const std::string text =
      changed("metrics = [", "spread = 0\nmetrics = [\"global absolute error\", ");
  const ReproductionReport report = run(text);
  EXPECT_NEAR(ours(report, "one global absolute error at 0.5"),
              50 * ours(report, "one global error at 0.5") / 100,
              0.01 * ours(report, "one global absolute error at 0.5"));
}

TEST(MeansExperiment, FiguresDoNotDependOnThreads) {
  const ReproductionReport one = run(std::string(kItem), 1);
  const ReproductionReport two = run(std::string(kItem), 2);
  ASSERT_EQ(one.rows.size(), two.rows.size());
  for (size_t i = 0; i < one.rows.size(); ++i) EXPECT_EQ(one.rows[i].ours, two.rows[i].ours);
}

TEST(MeansExperiment, ItemsThatMakeNoSenseAreRefused) {
  for (const auto& [from, to, what] :
       std::vector<std::tuple<std::string_view, std::string_view, const char*>>{
           {"\"rho\"", "\"seeds\"", "parameter"},
           {"\"global error\"", "\"global\"", "there is no metric global"},
           {"estimator = \"bounded\"\nstrata = \"none\"", "strata = \"none\"", "estimator"},
           {"strata = \"held_out\"", "strata = \"some\"", "strata"},
           {"groups = 3", "grups = 3", "grups"}}) {
    const std::string error = error_of(ErrorKind::kInput, [&, from = from, to = to] {
      parse_reproduction_item({"002/mixture", changed(from, to)});
    });
    EXPECT_THAT(error, HasSubstr(what));
  }
}

}  // namespace equinoise::means_experiment_test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/cli/run_tool.h"
#include "tests/shared_vectors.h"

namespace equinoise::testing::reproduce_slow_test {
namespace {

/// On the real data, which only some machines have; in the time that the pages promise.
TEST(ReproduceSlow, EveryItemRunsInItsShortForm) {
  const auto shared = shared_folder();
  if (!shared) {
    EXPECT_EQ(::getenv("EQUINOISE_REQUIRE_SHARED"), nullptr) << "missing: the data of the items";
    GTEST_SKIP() << "the data of the items are in no ../shared";
  }
  ToolOptions options;
  options.timeout_seconds = 600;
  const ToolResult result = run_tool(
      {"reproduce", "--all", "--quick", "--data-dir", (*shared / "data").string(), "--json"},
      options);
  ASSERT_EQ(result.exit_code, 0) << result;
  const Json report = Json::parse(result.out);
  for (const Json& row : report.at("rows")) {
    const bool needs_images =
        row.at("reason").get<std::string>().find("CelebA") != std::string::npos;
    EXPECT_EQ(row.at("outcome"), needs_images ? "skipped" : "ran") << row;
  }
}

}  // namespace
}  // namespace equinoise::testing::reproduce_slow_test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "equinoise/reproduction/item.h"

namespace equinoise::reproductions_test {
namespace {

/// "All N of its figures in `table1`, ... are met": N is how many targets these items have.
TEST(ReproductionsPage, CountsTheTargetsOfTheItemsThatItNames) {
  std::ifstream stream(EQUINOISE_SOURCE_DIR "/docs/reproductions/000.md");
  std::stringstream page;
  page << stream.rdbuf();
  std::smatch found;
  const std::string text = page.str();
  ASSERT_TRUE(std::regex_search(text, found, std::regex("All (\\d+) of its figures in ([^.]*)")));
  const std::string names = found[2];
  size_t num_targets = 0;
  const std::regex name("`(\\w+)`");
  for (std::sregex_iterator it(names.begin(), names.end(), name), end; it != end; ++it) {
    if ((*it)[1] == "logistic") continue;
    for (const ReproductionMethod& method :
         find_reproduction_item("000/" + (*it)[1].str()).methods) {
      num_targets += method.target.size();
      for (const auto& [metric, target] : method.target) EXPECT_GT(target.num_runs, 0) << metric;
    }
  }
  EXPECT_EQ(std::to_string(num_targets), found[1].str());
}

}  // namespace
}  // namespace equinoise::reproductions_test

// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/progress_bar.h"

#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <string>
#include <thread>

namespace equinoise::cli::progress_bar_test {
namespace {

/// A run that resumes after a million steps takes its hundred steps in at least a fiftieth of a
/// second: a rate above 5,000 steps a second would count those that it did not take.
TEST(ProgressBar, AfterResumeTheRateIsThatOfTheStepsTaken) {
  ProgressBar bar(false, false);
  ::testing::internal::CaptureStderr();
  bar.start_training(1'000'000, 1'000'100, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  bar.step_done(1'000'100);
  bar.finish_training();
  const std::string line = ::testing::internal::GetCapturedStderr();
  std::smatch found;
  ASSERT_TRUE(std::regex_search(line, found, std::regex(R"(([0-9,.e+]+)/s)"))) << line;
  std::string digits = found[1];
  std::erase(digits, ',');
  EXPECT_GT(std::stod(digits), 0) << line;
  EXPECT_LE(std::stod(digits), 5000) << line;
  EXPECT_NE(line.find("1,000,100/1,000,100 steps"), std::string::npos) << line;
}

}  // namespace
}  // namespace equinoise::cli::progress_bar_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/runs/many_runs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "tests/test_support.h"

namespace equinoise::many_runs_test {

TEST(ManyRuns, BeginInOrderAndNoneAfterAnError) {
  std::vector<size_t> begun;
  error_of(ErrorKind::kRuntime, [&] {
    run_side_by_side(10, 1, [&](size_t i) {
      begun.push_back(i);
      if (i == 2) throw Error(ErrorKind::kRuntime, "tests", "stop");
    });
  });
  EXPECT_THAT(begun, ElementsAre(0, 1, 2));
}

TEST(ManyRuns, AreEachDoneOnce) {
  std::vector<std::atomic<int>> counts(100);
  run_side_by_side(counts.size(), 4, [&](size_t i) { ++counts[i]; });
  for (const auto& count : counts) EXPECT_EQ(count, 1);
  run_side_by_side(0, 4, [](size_t) { FAIL(); });
}

class Counted final : public TrainProgress {
 public:
  void start_training(int64_t, int64_t num_steps, const std::function<double(int64_t)>&) override {
    all = num_steps;
  }
  void step_done(int64_t count) override { done = count; }
  bool interrupted() const override { return done >= 5; }
  int64_t all = 0;
  int64_t done = 0;
};

TEST(ManyRuns, CountTheirStepsTogether) {
  Counted counted;
  RunsProgress steps(counted, 9, "tests.runs", "the same command resumes");
  EXPECT_EQ(counted.all, 9);
  steps.steps_done();
  steps.steps_done(3);
  EXPECT_EQ(counted.done, 4);
  steps.check_interruption();
  steps.steps_done();
  EXPECT_TRUE(steps.interrupted());
  EXPECT_ERROR(kRuntime, HasSubstr("[tests.runs] interrupted: the same command resumes"),
               steps.check_interruption());
}

}  // namespace equinoise::many_runs_test

// SPDX-License-Identifier: Apache-2.0
// A run that is paid for ends soon where it is interrupted, in every phase.

#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "equinoise/synth/synth_records.h"
#include "equinoise/tasks/synth/synth.h"
#include "equinoise/tasks/synth/synth_sample.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::interruption_test {

/// Is interrupted once it is told of a stage, and has been asked so many times since.
class Interrupted final : public TaskProgress {
 public:
  explicit Interrupted(std::string stage, int num_asked = 0)
      : stage_(std::move(stage)), num_left_(num_asked) {}

  void stage(const std::string& text) override { is_reached_ |= text.starts_with(stage_); }
  bool interrupted() const override { return is_reached_ && num_left_-- <= 0; }

 private:
  std::string stage_;
  mutable int num_left_;
  bool is_reached_ = false;
};

class SynthInterruption : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string rows = "a,b,x\n";
    for (int i = 0; i < 40; ++i) {
      const char* row[] = {"no,u,1", "yes,v,2", "no,v,7.5"};
      rows += std::string(row[i % 3]) + "\n";
    }
    request_.schema.path = folder_.write_file(
        "schema.toml", schema_head("toy", "", 40) + categorical_section("a", {"no", "yes"}) +
                           categorical_section("b", {"u", "v"}) + numeric_section("x", 0, 10));
    request_.data = folder_.write_file("toy.csv", rows);
    request_.method = "mst";
    request_.epsilon = 1;
    request_.delta = 1e-5;
    request_.config.workload_choice.degree = 2;
    request_.insecure_seed = 3;
    request_.drop_incomplete = true;
    request_.out_path = folder_.path() / "out";
  }

  size_t num_files() const {
    const std::filesystem::directory_iterator files(folder_.path());
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }

  TempFolder folder_;
  SynthRequest request_;
};

TEST_F(SynthInterruption, WhileRowsAreDrawnOrWrittenLeavesNothing) {
  request_.num_rows = 9000;
  for (const char* method : {"mst", "gem"}) {
    request_.method = method;
    for (const RowFormat format : {RowFormat::kCsv, RowFormat::kParquet}) {
      request_.format = format;
      int num_asked = 0;
      for (;; ++num_asked) {
        Interrupted stop("drawing", num_asked);
        std::string said;
        try {
          synthesize(request_, stop);
        } catch (const Error& error) {
          said = error.what();
        }
        if (said.empty()) break;
        EXPECT_THAT(said, HasSubstr("nothing was written; what the ledger reserved for this run "
                                    "stays spent"));
        EXPECT_EQ(num_files(), 2U) << "the schema and the table";
      }
      // Before columns or blocks of them, before rows 0, 4096 and 8192, and before all is kept.
      EXPECT_GE(num_asked, 5) << method;
      std::filesystem::remove_all(request_.out_path);
    }
  }
}

TEST_F(SynthInterruption, WhileMoreRowsAreDrawnLeavesNothing) {
  TaskProgress silent;
  synthesize(request_, silent);
  SynthSampleRequest sample;
  sample.model_path = request_.out_path;
  sample.out_path = folder_.path() / "more.csv";
  Interrupted stop("drawing");
  EXPECT_ERROR(kRuntime, HasSubstr("interrupted: nothing was written"),
               sample_synthetic(sample, stop));
  EXPECT_FALSE(std::filesystem::exists(sample.out_path));
}

}  // namespace equinoise::interruption_test

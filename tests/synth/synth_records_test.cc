// SPDX-License-Identifier: Apache-2.0
// What is read block by block gives what records in memory give.
#include "equinoise/synth/synth_records.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>

#include "equinoise/base/read_text.h"
#include "equinoise/data/open_table.h"
#include "equinoise/report/synth/synth_report.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/synth/synth.h"
#include "equinoise/tasks/synth/synth_schema.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::synth_records_test {

constexpr int kNumRecords = 4000;
/// Less than the records take, and more than the counts of the marginals.
constexpr double kLittle = 0.05;

/// `key`: what `size` is of, of which 3 of 8 are women.
std::string schema_text(const std::string& head, const std::string& key = "num_records",
                        int size = kNumRecords) {
  return schema_head("people", "", size, head + "\n", key) +
         group_sizes("sex", {{"F", size / 8 * 3}, {"M", size / 8 * 5}}, key) +
         numeric_section("age", 0, 100, "whole = true\nmalformed = \"drop\"\n") +
         numeric_section("gain", 0, 10, "missing = \"category\"\nfeature = false\n") +
         categorical_section("sex", {"F", "M"}) +
         categorical_section("race", {"a", "b"}, "unknown = \"other\"\n");
}

/// Rows with every kind of cell.
std::string people(int num_records, const std::string& ids = "") {
  std::mt19937 random(20261128);
  const auto one_of = [&](const std::vector<std::string>& cells) {
    return cells[random() % cells.size()];
  };
  std::string text = (ids.empty() ? "" : "id,") + std::string("age,gain,sex,race\n");
  for (int i = 0; i < num_records; ++i) {
    if (!ids.empty()) text += fmt::format("{}{},", ids, i / 2);
    text += fmt::format("{},{},{},{}\n", one_of({"17", "30", "55", "", "130", "x"}),
                        one_of({"0", "2.25", "9", "4.5", "?", "-1"}), one_of({"F", "M", "M", "X"}),
                        one_of({"a", "b", "z", "?"}));
  }
  return text;
}

class SynthRecordsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    request_.schema.path = folder_.write_file("schema.toml", schema_text(""));
    request_.data = folder_.write_file("people.csv", people(kNumRecords));
    request_.epsilon = 2;
    request_.delta = 1e-5;
    request_.method = "mst";
    request_.config.workload_choice.degree = 2;
    request_.insecure_seed = 3;
    request_.drop_incomplete = true;
  }

  /// Everything that is told and released.
  std::string told(SynthRequest request, double max_table_megabytes) {
    request.max_table_megabytes = max_table_megabytes;
    request.out_path = folder_.path() / fmt::format("out{}", num_outs_++);
    nlohmann::ordered_json json = synth_to_json(synthesize(request, silent_));
    for (const char* own : {"seconds", "files"}) json.erase(own);
    return json.dump() + read_text(request.out_path / "model.json", "test") +
           read_text(request.out_path / "rows.csv", "test");
  }

  bool are_in_memory(const SynthRequest& request) {
    const SynthSetup setup = set_up_synth(request, synth_schema(request));
    return SynthRecords(request.data, request, setup, silent_).are_in_memory();
  }

  TempFolder folder_;
  SynthRequest request_;
  TrainProgress silent_;
  int num_outs_ = 0;
};

TEST_F(SynthRecordsTest, EverySynthesizerReleasesTheSameFromBlocks) {
  for (const SynthesizerRow& row : synthesizers()) {
    SynthRequest request = request_;
    request.method = row.name;
    request.max_table_megabytes = kLittle;
    EXPECT_FALSE(are_in_memory(request)) << row.name;
    EXPECT_EQ(told(request, kLittle), told(request, 512)) << row.name;
    request.stratify = {"sex"};
    request.strata = StrataForm::kIndependent;
    EXPECT_EQ(told(request, kLittle), told(request, 512)) << row.name;
    request.stratify = {};
    request.strata.reset();
    request.number_share = 0;
    request.relation = Relation::kAddRemove;
    EXPECT_EQ(told(request, kLittle), told(request, 512)) << row.name;
  }
  SynthRequest shared = request_;
  shared.method = "aim";
  shared.stratify = {"sex"};
  shared.strata = StrataForm::kShared;
  EXPECT_EQ(told(shared, kLittle), told(shared, 512));
}

TEST_F(SynthRecordsTest, TotalsSayOfBlocksWhatRecordsSay) {
  const SynthSetup setup = set_up_synth(request_, synth_schema(request_));
  const SynthRecords held(request_.data, request_, setup, silent_);
  EXPECT_TRUE(held.are_in_memory());
  request_.max_table_megabytes = kLittle;
  const SynthRecords read(request_.data, request_, setup, silent_);
  ASSERT_FALSE(read.are_in_memory());
  EXPECT_THAT(ingest_notes(held.facts()), Not(IsEmpty()));
  EXPECT_EQ(ingest_notes(read.facts()), ingest_notes(held.facts()));
  ASSERT_TRUE(dropped_records(held.facts()));
  EXPECT_EQ(dropped_records(read.facts()), dropped_records(held.facts()));
  EXPECT_EQ(read.distribution_counts(), held.distribution_counts());
}

/// A block is full where the table ends with it, or one row before or after.
TEST_F(SynthRecordsTest, EveryRowIsInOneBlock) {
  for (const int last : {0, 1, 2}) {
    SynthRequest request = request_;
    request.relation = Relation::kAddRemove;
    request.number_share = 0;
    const SynthSetup setup = set_up_synth(request, synth_schema(request));
    request.max_table_megabytes = kLittle;
    int64_t rows = 0;
    {
      const SynthRecords all(request.data, request, setup, silent_);
      rows = all.block_rows();
    }
    ASSERT_GT(rows, 100);
    const auto num_records = static_cast<int>(2 * rows) - 1 + last;
    request.data = folder_.write_file("some.csv", people(num_records));
    SynthRecords some(request.data, request, setup, silent_);
    EXPECT_EQ(some.facts().total_records(), num_records);
    ASSERT_FALSE(some.are_in_memory());
    some.count_marginals();
    EXPECT_EQ(static_cast<int64_t>(some.take(0)->total_records()),
              num_records - some.facts().num_dropped);
  }
}

TEST_F(SynthRecordsTest, WhereCountsTakeMoreThanThatRecordsStayInMemory) {
  request_.max_table_megabytes = 0.0001;
  EXPECT_TRUE(are_in_memory(request_));
}

TEST_F(SynthRecordsTest, AnySizeIsOne) {
  for (const double megabytes : {1e14, 1e300}) {
    request_.max_table_megabytes = megabytes;
    EXPECT_TRUE(are_in_memory(request_));
  }
}

TEST_F(SynthRecordsTest, RowsOfUnitsStayInMemory) {
  request_.schema.path = folder_.write_file(
      "units.toml", schema_text("unit = \"id\"\nmax_records_per_unit = 2", "num_units", 2000) +
                        "[columns.id]\ntype = \"ignored\"\n");
  request_.data = folder_.write_file("units.csv", people(kNumRecords, "p"));
  request_.max_table_megabytes = kLittle;
  EXPECT_TRUE(are_in_memory(request_));
}

TEST_F(SynthRecordsTest, WhatCanBeReadOnceStaysInMemory) {
  const std::filesystem::path path = request_.data.path();
  const auto open = [path] { return open_table(TableSource(path)); };
  request_.max_table_megabytes = kLittle;
  request_.data = {"people", open};
  EXPECT_FALSE(are_in_memory(request_));
  request_.data = {"people", open, false};
  EXPECT_TRUE(are_in_memory(request_));
}

/// Where bins are public nothing has to be released before marginals are counted.
TEST_F(SynthRecordsTest, TablesWithoutPrivateDistributionsAreReadOnce) {
  int num_readings = 0;
  const std::filesystem::path path = request_.data.path();
  request_.data = {"people", [&num_readings, path] {
                     ++num_readings;
                     return open_table(TableSource(path));
                   }};
  for (const bool has_distributions : {true, false}) {
    request_.number_share = has_distributions ? 0.1 : 0;
    num_readings = 0;
    static_cast<void>(told(request_, kLittle));
    EXPECT_EQ(num_readings, has_distributions ? 2 : 1);
  }
}

/// Equal cells at the beginning of a sorted table say nothing of the whole.
TEST_F(SynthRecordsTest, PointMassesAreThoseOfAllRecords) {
  std::string sorted = "age,gain,sex,race\n";
  std::string mostly = sorted;
  for (int i = 0; i < kNumRecords; ++i) {
    sorted += fmt::format("30,{},F,a\n", i < 3 * kNumRecords / 8 ? 1.5 : 0.001 * i);
    mostly += fmt::format("30,{},F,a\n", i % 4 > 0 ? 1.5 : 0.001 * i + 0.0005);
  }
  const SynthSetup setup = set_up_synth(request_, synth_schema(request_));
  for (const double megabytes : {512.0, 0.04}) {
    request_.max_table_megabytes = megabytes;
    request_.data = folder_.write_file("sorted.csv", sorted);
    const SynthRecords none(request_.data, request_, setup, silent_);
    EXPECT_EQ(none.are_in_memory(), megabytes > 1);
    EXPECT_THAT(none.point_masses(), IsEmpty());
    request_.data = folder_.write_file("mostly.csv", mostly);
    EXPECT_THAT(SynthRecords(request_.data, request_, setup, silent_).point_masses(),
                ElementsAre(HasSubstr("gain: 3,000 of 4,000 cells")));
  }
}

TEST_F(SynthRecordsTest, AnotherNumberOfRowsIsFoundBeforeAnythingIsPaid) {
  request_.max_table_megabytes = kLittle;
  request_.data = folder_.write_file("more.csv", people(kNumRecords + 1));
  const SynthSetup setup = set_up_synth(request_, synth_schema(request_));
  EXPECT_ERROR(kInput, HasSubstr("has 4001 rows, but the schema says num_records = 4000"),
               SynthRecords(request_.data, request_, setup, silent_));
}

TEST_F(SynthRecordsTest, ATableThatChangesBetweenPassesIsRefused) {
  request_.max_table_megabytes = kLittle;
  const SynthSetup setup = set_up_synth(request_, synth_schema(request_));
  SynthRecords records(request_.data, request_, setup, silent_);
  folder_.write_file("people.csv", people(kNumRecords - 1));
  EXPECT_ERROR(kRuntime,
               AllOf(HasSubstr("stays spent"), HasSubstr("changed while it was read"),
                     HasSubstr("with a larger --max-table-size"), Not(HasSubstr("4,000"))),
               records.count_marginals());
}

}  // namespace equinoise::synth_records_test

#include "equinoise/tasks/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/reproduction.h"
#include "equinoise/tasks/reproduction_item.h"
#include "equinoise/tasks/reproduction_models.h"
#include "equinoise/train/registry.h"
#include "tests/tasks/dutch_table.h"
#include "tests/test_support.h"

namespace equinoise {
namespace {

using ::testing::HasSubstr;

ReproduceRequest quick_request(const TempFolder& folder, int threads) {
  ReproduceRequest request;
  request.item = "001/table5";
  request.data_directory = folder.path();
  request.seeds = 2;
  request.epochs = 2;
  request.threads = threads;
  return request;
}

nlohmann::ordered_json without_time(const ReproductionReport& report) {
  nlohmann::ordered_json json = reproduction_to_json(report);
  json.erase("seconds");
  return json;
}

TEST(ReproductionItem, EveryOneIsComplete) {
  ASSERT_FALSE(embedded_items().empty());
  for (const EmbeddedItem& embedded : embedded_items()) {
    const ReproductionItem item = parse_reproduction_item(embedded);
    EXPECT_EQ(item.name(), embedded.name);
    EXPECT_FALSE(item.summary.empty());
    ASSERT_FALSE(item.methods.empty());
    // The others are compared with it.
    EXPECT_EQ(item.methods.front().name, item.reference);
    for (const ReproductionMethod& method : item.methods) {
      EXPECT_FALSE(method.published.empty()) << method.name;
      EXPECT_EQ(method.config.tail_average, 0);
      EXPECT_EQ(method.config.learning_rate, method.config.final_learning_rate);
      EXPECT_EQ(method.config.noise_multiplier.has_value(), method.name != item.reference);
      EXPECT_EQ(method.config.clipping_penalty.has_value(), method.method == "fairlens");
      EXPECT_EQ(method.config.boundary_penalty.has_value(), method.method == "fairlens");
    }
    for (const ReproductionClaim& claim : item.claims) {
      const auto is_one = [&](const std::string& name) {
        return std::any_of(item.methods.begin(), item.methods.end(),
                           [&](const ReproductionMethod& method) { return method.name == name; });
      };
      EXPECT_TRUE(is_one(claim.better) && is_one(claim.than)) << claim.better;
    }
  }
}

TEST(ReproductionItem, AnUnknownNameGetsAProposal) {
  EXPECT_THAT(error_of(ErrorKind::kUsage, [] { find_reproduction_item("001/tabel4"); }),
              HasSubstr("did you mean \"001/table4\"?"));
  EXPECT_THAT(error_of(ErrorKind::kUsage, [] { find_reproduction_item("everything"); }),
              HasSubstr("--list"));
}

TEST(ReproductionItem, ErrorsNameThePlace) {
  EXPECT_THAT(error_of(ErrorKind::kInput,
                       [] {
                         parse_reproduction_item({"9/x", "schema = \"\"\nfoo = 1"});
                       }),
              HasSubstr("repro/9/x.toml:2"));
  EXPECT_THAT(error_of(ErrorKind::kInput,
                       [] {
                         parse_reproduction_item({"9/x", "= 1"});
                       }),
              HasSubstr("repro/9/x.toml:1"));
}

TEST(PrintedValue, KeepsItsDecimals) {
  const PrintedValue value = parse_printed_value("-0.10 +- 0.4");
  EXPECT_EQ(value.mean, -0.1);
  EXPECT_EQ(value.standard_error, 0.4);
  EXPECT_EQ(value.decimals, 2);
  EXPECT_EQ(parse_printed_value("5").decimals, 0);
  for (const char* wrong : {"", "x", "5 +- ", "5 +- -1", "5+-1"})
    error_of(ErrorKind::kInput, [&] { parse_printed_value(wrong); });
}

TEST(Verdict, CountsBothErrorsAndTheRounding) {
  const PrintedValue published = parse_printed_value("10.0 +- 0.3");
  // 2 sqrt(0.3^2 + 0.4^2) + 0.05 = 1.05.
  EXPECT_EQ(compare_with_published(published, 11.04, 0.4), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(published, 8.96, 0.4), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(published, 11.06, 0.4), Verdict::kDiffers);
  EXPECT_EQ(compare_with_published(published, NAN, 0.4), Verdict::kDiffers);
}

TEST(Reproduce, DoesNotDependOnThreads) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  TrainProgress progress;
  const auto one = without_time(reproduce(quick_request(folder, 1), progress));
  EXPECT_EQ(one, without_time(reproduce(quick_request(folder, 3), progress)));
}

TEST(Reproduce, ToldFiguresFitTogether) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  TrainProgress progress;
  const ReproductionReport report = reproduce(quick_request(folder, 2), progress);
  const auto ours = [&](const std::string& name) {
    for (const ReproductionRow& row : report.rows)
      if (row.name() == name) return row.ours;
    ADD_FAILURE() << name;
    return 0.0;
  };
  EXPECT_NEAR(ours("dpsgd privacy cost M"), ours("sgd accuracy M") - ours("dpsgd accuracy M"),
              1e-9);
  EXPECT_NEAR(ours("dpsgd excessive risk F"), ours("dpsgd loss F") - ours("sgd loss F"), 1e-9);
  EXPECT_NEAR(ours("dpsgd privacy cost gap"),
              std::fabs(ours("dpsgd privacy cost M") - ours("dpsgd privacy cost F")), 1e-9);
  EXPECT_GT(ours("dpsgd_global_adapt epsilon"), ours("dpsgd epsilon"));
  EXPECT_LT(ours("dpsgd epsilon by pld"), ours("dpsgd epsilon"));
  EXPECT_GT(ours("sgd loss M"), std::log1p(std::exp(-1.0)));
  for (const ReproductionRow& row : report.rows) {
    EXPECT_TRUE(row.verdict == Verdict::kSkipped || !row.published) << row.name();
    EXPECT_TRUE(row.verdict == Verdict::kNoPublishedNumber || !row.reason.empty()) << row.name();
  }
  // 2 seeds of 2 epochs for every method that was run.
  for (const ReproductionCurve& curve : report.curves) EXPECT_EQ(curve.epochs.size(), 2U);
  EXPECT_FALSE(report.curves.empty());
}

TEST(Reproduce, AMissingFileSkipsEveryRow) {
  const TempFolder folder;
  TrainProgress progress;
  const ReproductionReport report = reproduce(quick_request(folder, 1), progress);
  EXPECT_FALSE(report.rows.empty());
  for (const ReproductionRow& row : report.rows) {
    EXPECT_EQ(row.verdict, Verdict::kSkipped);
    EXPECT_TRUE(row.published);
    EXPECT_THAT(row.reason, HasSubstr("dutch_census_2001.csv.gz"));
    EXPECT_THAT(row.reason, HasSubstr("--data-dir"));
  }
}

TEST(Reproduce, AWrongTableIsAnInputError) {
  const TempFolder folder;
  folder.write_file("dutch_census_2001.csv.gz", "sex,age\n1,4\n");
  TrainProgress progress;
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { reproduce(quick_request(folder, 1), progress); }),
              HasSubstr("no column 'prev_residence_place'"));
}

TEST(Reproduce, AnInterruptionWritesNothing) {
  class Interrupted final : public TrainProgress {
    bool interrupted() const override { return true; }
  };
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  ReproduceRequest request = quick_request(folder, 2);
  request.out_path = folder.path() / "out";
  Interrupted progress;
  EXPECT_THAT(error_of(ErrorKind::kRuntime, [&] { reproduce(request, progress); }),
              HasSubstr("interrupted"));
  EXPECT_FALSE(std::filesystem::exists(request.out_path));
}

TEST(Reproduce, WritesItsFiles) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  ReproduceRequest request = quick_request(folder, 2);
  request.out_path = folder.path() / "out";
  TrainProgress progress;
  const ReproductionReport report = reproduce(request, progress);
  EXPECT_EQ(report.files.size(), 3U);
  for (const std::string& file : report.files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_THAT(reproduction_to_html(report), HasSubstr("chart-1"));
  EXPECT_THAT(reproduction_curves_to_csv(report), HasSubstr("method,seed,epoch,loss M,loss F"));
}

}  // namespace
}  // namespace equinoise

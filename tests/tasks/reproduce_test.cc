#include "equinoise/tasks/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/reproduction.h"
#include "equinoise/tasks/reproduction_figures.h"
#include "equinoise/tasks/reproduction_item.h"
#include "equinoise/tasks/reproduction_models.h"
#include "equinoise/tasks/reproduction_tables.h"
#include "equinoise/train/registry.h"
#include "tests/tasks/constrained_tables.h"
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

void expect_complete_training(const ReproductionItem& item) {
  // The others are compared with it.
  EXPECT_TRUE(!item.is_table || item.reference.empty() ||
              item.methods.front().name == item.reference);
  // A figure without numbers has claims, or shares that the text tells.
  EXPECT_TRUE(item.is_table || !item.claims.empty() || !item.shares.empty());
  for (const ReproductionMethod& method : item.methods) {
    EXPECT_TRUE(!item.is_table || !method.published.empty()) << method.name;
    EXPECT_EQ(method.config.tail_average, 0);
    EXPECT_EQ(method.config.learning_rate, method.config.final_learning_rate);
    EXPECT_EQ(method.config.noise_multiplier.has_value(),
              method.name != item.reference && !method.method.ends_with("_error"));
    EXPECT_EQ(method.config.clipping_penalty.has_value(), method.method == "fairlens");
    EXPECT_EQ(method.config.boundary_penalty.has_value(), method.method == "fairlens");
  }
}

void expect_complete_sweep(const ReproductionItem& item) {
  SCOPED_TRACE(item.name());
  EXPECT_FALSE(find_reproduction_table(item.data).files.files.empty());
  const auto is_method = [&](const std::string& name) {
    return std::any_of(item.methods.begin(), item.methods.end(),
                       [&](const ReproductionMethod& method) { return method.name == name; });
  };
  EXPECT_EQ(is_method(item.reference), !item.reference.empty());
  for (const ReproductionMethod& method : item.methods) {
    const bool is_private = method.method == "raco_dp" || method.method == "dpsgd";
    EXPECT_EQ(method.config.epsilon.has_value(), is_private) << method.name;
  }
  const std::vector<std::string> columns = columns_of(item);
  for (const ReproductionChart& chart : item.charts) {
    for (const std::string& side : {chart.across, chart.up})
      EXPECT_TRUE(side == position_of(item) ||
                  std::count(columns.begin(), columns.end(), side) == 1);
    for (const std::string& name : chart.methods) EXPECT_TRUE(is_method(name)) << name;
  }
}

TEST(ReproductionItem, EveryOneIsComplete) {
  ASSERT_FALSE(reproduction_items().empty());
  for (const EmbeddedItem& embedded : reproduction_items()) {
    const ReproductionItem item = parse_reproduction_item(embedded);
    EXPECT_EQ(item.name(), embedded.name);
    EXPECT_FALSE(item.summary.empty());
    EXPECT_FALSE(item.data.empty());
    if (!item.parts.empty()) continue;
    ASSERT_FALSE(item.methods.empty());
    EXPECT_FALSE(columns_of(item).empty());
    const std::vector<ReproductionOutcome> none;
    std::vector<std::string> metrics;
    for (const Figures& figures : figures_of(item, none, &none)) metrics.push_back(figures.metric);
    for (const ReproductionMethod& method : item.methods) {
      for (const auto& values : {method.published, method.target}) {
        for (const auto& [metric, value] : values)
          EXPECT_THAT(metrics, ::testing::Contains(metric)) << item.name();
      }
    }
    if (item.sweep) {
      expect_complete_sweep(item);
    } else {
      expect_complete_training(item);
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

TEST(ReproductionItem, AFigureTakesItsRunsFromATable) {
  const ReproductionItem table = find_reproduction_item("001/table4");
  const ReproductionItem figure = find_reproduction_item("001/figure5");
  EXPECT_EQ(figure.data, table.data);
  EXPECT_EQ(figure.epochs, table.epochs);
  ASSERT_EQ(figure.methods.size(), 1U);
  EXPECT_EQ(figure.methods[0].config.learning_rate, 0.01);
  EXPECT_EQ(figure.methods[0].published.size(), 2U);
  EXPECT_TRUE(figure.methods[0].target.empty());
  const auto parse = [](const std::string& more) {
    parse_reproduction_item({"9/x", "schema = \"\"\nsummary = \"\"\n" + more});
  };
  EXPECT_THAT(error_of(ErrorKind::kInput,
                       [&] { parse("runs = \"001/table4\"\nseries = [\"direction risk\"]\n"); }),
              HasSubstr("every"));
  EXPECT_THAT(
      error_of(ErrorKind::kInput, [&] { parse("runs = \"001/figure3\"\nseries = [\"loss\"]\n"); }),
      HasSubstr("runs must name a table"));
  EXPECT_THAT(error_of(ErrorKind::kInput,
                       [&] { parse("runs = \"001/table4\"\nseries = [\"loss\"]\n[methods.x]\n"); }),
              HasSubstr("the table has no such method"));
}

TEST(ReproductionSeries, NamesAreChecked) {
  EXPECT_THAT(error_of(ErrorKind::kUsage, [] { position_of(SeriesChoice{{"lost"}}); }),
              HasSubstr("no series \"lost\""));
  EXPECT_THAT(error_of(ErrorKind::kUsage,
                       [] {
                         position_of(SeriesChoice{{"loss", "clip gap"}});
                       }),
              HasSubstr("cannot be followed together"));
  EXPECT_THAT(error_of(ErrorKind::kUsage,
                       [] {
                         position_of(SeriesChoice{{"noise risk"}, 5, 1});
                       }),
              HasSubstr("at least 2 directions"));
  EXPECT_THAT(error_of(ErrorKind::kUsage, [] { position_of(SeriesChoice{}); }),
              HasSubstr("no series"));
  EXPECT_EQ(
      series_columns({{"clip gap", "rate times eigenvalue"}, 5}, {"a", "b"}),
      (std::vector<std::string>{"clip gap", "rate times eigenvalue a", "rate times eigenvalue b"}));
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
  EXPECT_EQ(value.kind, PrintedValue::Kind::kFigure);
  EXPECT_EQ(parse_printed_value("<= 0.05").kind, PrintedValue::Kind::kAtMost);
  EXPECT_EQ(parse_printed_value("<= 0.05").mean, 0.05);
  EXPECT_EQ(parse_printed_value(">= 0.6 +- 0.1").kind, PrintedValue::Kind::kAtLeast);
  for (const char* wrong : {"", "x", "5 +- ", "5 +- -1", "5+-1", "<=5", "< 5", "<= "})
    error_of(ErrorKind::kInput, [&] { parse_printed_value(wrong); });
}

TEST(Verdict, CountsBothErrorsAndTheRounding) {
  const PrintedValue published = parse_printed_value("10.0 +- 0.3");
  // 2 sqrt(0.3^2 + 0.4^2) + 0.05 = 1.05.
  EXPECT_EQ(compare_with_published(published, 11.04, 0.4), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(published, 8.96, 0.4), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(published, 11.06, 0.4), Verdict::kDiffers);
  EXPECT_EQ(compare_with_published(published, NAN, 0.4), Verdict::kDiffers);
  // 2 * 0.01 + 0.005 beyond the bound, on one side alone.
  const PrintedValue most = parse_printed_value("<= 0.05");
  EXPECT_EQ(compare_with_published(most, 0.074, 0.01), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(most, 0.076, 0.01), Verdict::kDiffers);
  EXPECT_EQ(compare_with_published(most, -1, 0.01), Verdict::kReproduces);
  const PrintedValue least = parse_printed_value(">= 0.60");
  EXPECT_EQ(compare_with_published(least, 0.57, 0.01), Verdict::kDiffers);
  EXPECT_EQ(compare_with_published(least, 0.58, 0.01), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(least, NAN, 0.01), Verdict::kDiffers);
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
  EXPECT_TRUE(report.curves.empty());
}

/// Every figure of the Dutch census, on a small table.
TEST(Reproduce, FiguresFollowTheirSeries) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  TrainProgress progress;
  ReproduceRequest request = quick_request(folder, 2);
  request.item = "001/figure3";
  const ReproductionReport training = reproduce(request, progress);
  EXPECT_EQ(training.position, "epoch");
  EXPECT_EQ(training.columns,
            (std::vector<std::string>{"loss M", "loss F", "gradient norm M", "gradient norm F"}));
  ASSERT_FALSE(training.curves.empty());
  for (const ReproductionCurve& curve : training.curves) {
    ASSERT_EQ(curve.points.size(), 2U);
    EXPECT_EQ(curve.points[0].position, 1);
    if (curve.method == "sgd") {
      EXPECT_LT(curve.points[1].values[0], curve.points[0].values[0]);
    }
  }
  // A claim of one group is one test; others are one for each group.
  std::vector<std::string> tested;
  for (const ReproductionTest& test : training.tests) tested.push_back(test.name());
  EXPECT_THAT(tested, ::testing::IsSupersetOf({"dpsgd_f better than dpsgd, gradient norm M",
                                               "dpsgd_global_adapt better than dpsgd, loss F",
                                               "dpsgd_global_adapt better than dpsgd, loss gap"}));
  EXPECT_EQ(tested.size(), 8U);
  EXPECT_THAT(reproduction_curves_to_csv(training),
              HasSubstr("method,seed,epoch,loss M,loss F,gradient norm M,gradient norm F\n"));
  EXPECT_THAT(reproduction_to_html(training), HasSubstr("curve-0-dpsgd-title"));

  request.item = "001/figure11";
  request.every = 3;
  const ReproductionReport clipping = reproduce(request, progress);
  EXPECT_EQ(clipping.position, "step");
  for (const ReproductionCurve& curve : clipping.curves) {
    // 5 batches of about 208 records make an epoch.
    ASSERT_EQ(curve.points.size(), 4U);
    EXPECT_EQ(curve.points[3].position, 9);
    const std::vector<double>& values = curve.points[3].values;
    ASSERT_EQ(values.size(), 4U);
    if (curve.method == "sgd") {
      EXPECT_EQ(values, std::vector<double>(4, 0.0));
    } else {
      EXPECT_GT(std::fabs(values[2]), 1e-9) << curve.method;
    }
  }
  for (const ReproductionTest& test : clipping.tests) EXPECT_TRUE(std::isfinite(test.p_value));

  request.item = "001/figure15";
  request.directions = 4;
  const ReproductionReport noise = reproduce(request, progress);
  for (const ReproductionCurve& curve : noise.curves) {
    for (const ReproductionPoint& point : curve.points)
      EXPECT_EQ(point.values[0] != 0, curve.method != "sgd") << curve.method;
  }
}

const ReproductionRow& row_of(const ReproductionReport& report, const std::string& name) {
  const auto row = std::find_if(report.rows.begin(), report.rows.end(),
                                [&](const ReproductionRow& one) { return one.name() == name; });
  if (row == report.rows.end()) throw std::out_of_range(name);
  return *row;
}

ReproduceRequest quick_sweep(const TempFolder& folder, const std::string& item, int64_t num_steps) {
  ReproduceRequest request = quick_request(folder, 2);
  request.item = item;
  request.epochs.reset();
  request.steps = num_steps;
  return request;
}

/// Constraints on made-up hearts: what binds is kept, at a cost, and rows and curves are the same
/// figures.
TEST(Reproduce, SweepsAConstraint) {
  const TempFolder folder;
  testing::write_heart_table(folder, 3000);
  TrainProgress progress;
  ReproduceRequest request = quick_sweep(folder, "004/figure5_heart", 300);
  const ReproductionReport report = reproduce(request, progress);
  EXPECT_EQ(report.position, "slack");
  EXPECT_EQ(report.columns, (std::vector<std::string>{"error", "value"}));
  EXPECT_LT(row_of(report, "sgda value at 0.3").ours, row_of(report, "sgda value at 0.8").ours);
  EXPECT_GT(row_of(report, "sgda error at 0.3").ours, row_of(report, "sgda error at 0.8").ours);
  EXPECT_NEAR(row_of(report, "raco_dp, epsilon 9 error above sgda at 0.5").ours,
              row_of(report, "raco_dp, epsilon 9 error at 0.5").ours -
                  row_of(report, "sgda error at 0.5").ours,
              1e-9);
  // A method that obeys nothing has one point.
  EXPECT_GT(row_of(report, "sgd value").ours, row_of(report, "sgda value at 0.3").ours);
  for (const ReproductionCurve& curve : report.curves)
    EXPECT_EQ(curve.points.size(), curve.method == "sgd" ? 1U : 8U) << curve.method;
  for (const ReproductionRow& row : report.rows) {
    EXPECT_EQ(row.verdict, row.published ? Verdict::kSkipped : Verdict::kNoPublishedNumber);
    EXPECT_EQ(row.num_seeds, 2);
  }
  EXPECT_THAT(reproduction_to_html(report),
              HasSubstr("epsilon 9: error against value, means over seeds"));

  request.threads = 1;
  EXPECT_EQ(without_time(report), without_time(reproduce(request, progress)));
}

/// Two items as one: methods carry the name of their data.
TEST(Reproduce, APartThatCannotBeRunIsSkipped) {
  const TempFolder folder;
  testing::write_heart_table(folder, 1300);
  TrainProgress progress;
  ReproduceRequest request = quick_sweep(folder, "004/figure5", 5);
  request.seeds = 1;
  request.runs_path = folder.path() / "runs";
  const ReproductionReport report = reproduce(request, progress);
  EXPECT_EQ(report.item, "figure5");
  EXPECT_THAT(row_of(report, "adult: sgda error at 0.1").reason, HasSubstr("adult_train.csv.gz"));
  EXPECT_EQ(row_of(report, "adult: sgda error at 0.1").verdict, Verdict::kSkipped);
  EXPECT_EQ(row_of(report, "heart: sgda value at 0.8").num_seeds, 1);
  ASSERT_FALSE(report.curves.empty());
  EXPECT_EQ(report.curves[0].method, "heart: sgda");
  EXPECT_EQ(report.charts.size(), 6U);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "runs.figure5_heart"));
  // Kept runs are of so many steps.
  EXPECT_EQ(without_time(report), without_time(reproduce(request, progress)));
  request.steps = 6;
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { reproduce(request, progress); }),
              HasSubstr("holds runs of another steps: 5 instead of 6"));
}

TEST(Reproduce, TheTimeOfAStepIsTold) {
  const TempFolder folder;
  testing::write_credit_table(folder, 1300);
  TrainProgress progress;
  ReproduceRequest request = quick_sweep(folder, "004/table2_credit", 20);
  request.seeds = 1;
  const ReproductionReport report = reproduce(request, progress);
  for (const char* name : {"sgd time", "dpsgd time", "raco_dp time at 0.05"})
    EXPECT_GT(row_of(report, name).ours, 0) << name;
  EXPECT_NEAR(row_of(report, "raco_dp time over dpsgd at 0.05").ours,
              row_of(report, "raco_dp time at 0.05").ours / row_of(report, "dpsgd time").ours,
              1e-9);
  EXPECT_EQ(row_of(report, "dp_fermi time at 0.05").reason, "the method dp_fermi is not built");
}

TEST(Reproduce, EffortsAreForItemsThatHaveThem) {
  ReproduceRequest request;
  request.item = "001/table5";
  TrainProgress progress;
  request.every = 10;
  EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { reproduce(request, progress); }),
              HasSubstr("--every is for items that look at single steps; 001/table5 does not"));
  request.every.reset();
  request.item = "001/figure11";
  request.directions = 10;
  EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { reproduce(request, progress); }),
              HasSubstr("--directions is for items that estimate traces"));
  request.directions.reset();
  request.steps = 10;
  EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { reproduce(request, progress); }),
              HasSubstr("--steps is for items that train under constraints"));
  request.steps.reset();
  request.item = "004/figure2";
  request.epochs = 2;
  EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { reproduce(request, progress); }),
              HasSubstr("--epochs is for items that train by epochs"));
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

/// Stopped in its third run and gone on with, it tells what it would have told at once.
TEST(Reproduce, GoesOnWithKeptRuns) {
  class Stopped final : public TrainProgress {
   public:
    explicit Stopped(int64_t after) : after_(after) {}
    bool interrupted() const override { return num_done_ >= after_; }
    void step_done(int64_t num_done) override { num_done_ = num_done; }
    void start_training(int64_t, int64_t num_steps,
                        const std::function<double(int64_t)>&) override {
      planned = num_steps;
    }
    int64_t planned = 0;

   private:
    int64_t after_;
    int64_t num_done_ = 0;
  };
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  ReproduceRequest request = quick_request(folder, 1);
  request.runs_path = folder.path() / "runs.json";
  Stopped stopped(25);
  EXPECT_THAT(error_of(ErrorKind::kRuntime, [&] { reproduce(request, stopped); }),
              HasSubstr("the same command goes on with the runs that"));
  Stopped free(1'000'000'000);
  const auto told = without_time(reproduce(request, free));
  // 10 steps each; two runs were done.
  EXPECT_EQ(free.planned, stopped.planned - 20);
  Stopped again(0);
  EXPECT_EQ(told, without_time(reproduce(request, again)));
  EXPECT_EQ(again.planned, 0);
  request.runs_path.clear();
  TrainProgress progress;
  EXPECT_EQ(told, without_time(reproduce(request, progress)));

  request.runs_path = folder.path() / "runs.json";
  request.epochs = 3;
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { reproduce(request, progress); }),
              HasSubstr("holds runs of another epochs: 2 instead of 3; give another --runs"));
  folder.write_file("runs.json", "[]");
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { reproduce(request, progress); }),
              HasSubstr("is no file of kept runs"));
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
  EXPECT_EQ(report.files.size(), 2U);
  for (const std::string& file : report.files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_THAT(reproduction_to_html(report), HasSubstr("chart-1"));
}

}  // namespace
}  // namespace equinoise

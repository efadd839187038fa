// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/reproduce.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "equinoise/base/lists.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/split.h"
#include "equinoise/files/file_lock.h"
#include "equinoise/means/registry.h"
#include "equinoise/reproduction/data/models.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/report_files.h"
#include "equinoise/reproduction/sweep/sweep_runs.h"
#include "equinoise/reproduction/training/training_runs.h"
#include "equinoise/reproduction/verdict.h"
#include "equinoise/reproduction/worst_group/worst_group_runs.h"
#include "equinoise/train/registry.h"
#include "tests/reproduction/constrained_tables.h"
#include "tests/reproduction/dutch_table.h"
#include "tests/reproduction/reproduced.h"
#include "tests/test_support.h"

namespace equinoise::reproduce_test {

using testing::reproduced;
using testing::row_of;

ReproduceRequest quick_request(const TempFolder& folder, int threads) {
  ReproduceRequest request;
  request.item = "001/table5";
  request.data_directory = folder.path();
  request.seeds = 2;
  request.efforts.epochs = 2;
  request.threads = threads;
  return request;
}

nlohmann::ordered_json without_time(const ReproductionReport& report) {
  nlohmann::ordered_json json = reproduction_to_json(report);
  json.erase("seconds");
  return json;
}

/// Everything that is told of a method, given by its place.
std::vector<std::string> metrics_of(const ReproductionItem& item, size_t method) {
  const Outcomes none;
  const Outcomes* beside = item.methods[method].reference.empty() ? nullptr : &none;
  std::vector<std::string> metrics;
  for (const Figures& figures : item.experiment->figures(item, method, none, beside))
    metrics.push_back(figures.metric);
  return metrics;
}

bool has_method(const ReproductionItem& item, const std::string& name) {
  return contains(item.methods, name, &ReproductionMethod::name);
}

void expect_complete_training(const ReproductionItem& item, const ReproductionTraining& training) {
  // The others are compared with it.
  EXPECT_TRUE(!training.is_table || training.reference.empty() ||
              item.methods.front().name == training.reference);
  // A figure without numbers has claims, or shares that the text tells.
  EXPECT_TRUE(training.is_table || !item.claims.empty() || !training.shares.empty());
  const bool has_published = std::ranges::any_of(
      item.methods, [](const ReproductionMethod& method) { return !method.published.empty(); });
  EXPECT_TRUE(!training.is_table || has_published);
  ASSERT_EQ(training.lines.size(), item.methods.size());
  for (size_t m = 0; m < item.methods.size(); ++m) {
    const std::string& method = item.methods[m].method;
    const TrainingConfig& config = training.lines[m].config;
    EXPECT_EQ(config.tail_average, 0);
    EXPECT_EQ(config.learning_rate, config.final_learning_rate);
    EXPECT_EQ(config.noise_multiplier || config.epsilon,
              method != "sgd" && !method.ends_with("_error"));
    EXPECT_TRUE(!training.lines[m].stage_one || (config.epsilon && method == "group_weighted"));
  }
}

/// The records of an item that does not draw them are those of a table.
void expect_files(const ReproductionItem& item) {
  const ReproductionFiles* files = item.experiment->files(item);
  EXPECT_EQ(files == nullptr, item.is_drawn());
  if (files != nullptr) {
    EXPECT_FALSE(files->files.empty());
  }
}

/// What is claimed of a method is among its metrics; "error at 0.1" may be the "error" of one that
/// follows no parameter.
void expect_claimed_metrics(const ReproductionItem& item) {
  for (const ReproductionClaim& claim : item.claims) {
    for (size_t m = 0; m < item.methods.size(); ++m) {
      if (item.methods[m].name != claim.better && item.methods[m].name != claim.than) continue;
      const std::vector<std::string> metrics = metrics_of(item, m);
      for (const std::string& metric : claim.metrics) {
        EXPECT_THAT(metrics, Contains(AnyOf(metric, metric.substr(0, metric.find(" at ")))));
      }
    }
  }
}

/// A heat map has a figure in each cell.
void expect_matrix(const ReproductionItem& item, const ReproductionChart& chart) {
  for (const std::string& name : chart.methods) {
    EXPECT_TRUE(has_method(item, name)) << name;
    for (size_t m = 0; m < item.methods.size(); ++m) {
      if (item.methods[m].name != name) continue;
      for (const std::string& other : chart.methods)
        EXPECT_THAT(metrics_of(item, m), Contains(fill_in(chart.matrix, other)));
    }
  }
}

/// Charts go from the item's positions to one of its columns, for methods that it has; those of
/// sweeps may have a column on either side.
void expect_charts(const ReproductionItem& item) {
  const std::vector<std::string> columns = item.experiment->columns(item);
  const std::string position = item.experiment->position();
  const bool is_sweep = position == "slack" || position == "parameter";
  const auto is_column = [&](const std::string& side) {
    return std::ranges::count(columns, side) == 1;
  };
  for (const ReproductionChart& chart : item.charts) {
    if (!chart.matrix.empty()) {
      expect_matrix(item, chart);
      continue;
    }
    EXPECT_TRUE(chart.across == position || (is_sweep && is_column(chart.across))) << chart.across;
    EXPECT_TRUE(is_column(chart.up) || (is_sweep && chart.up == position)) << chart.up;
    for (const std::string& name : chart.methods) EXPECT_TRUE(has_method(item, name)) << name;
  }
}

/// The references that every such table has, and what is compared with them.
void expect_complete_worst_group(const ReproductionItem& item,
                                 const ReproductionWorstGroup& settings) {
  EXPECT_EQ(item.is_drawn(), settings.group_columns.empty());
  EXPECT_FALSE(settings.cells.empty());
  ASSERT_EQ(settings.methods.size(), item.methods.size());
  using Kind = WorstGroupMethod::Kind;
  for (const Kind kind :
       {Kind::kTrained, Kind::kPrinted, Kind::kAverage, Kind::kMinimax, Kind::kZero}) {
    EXPECT_TRUE(contains(settings.methods, kind, &WorstGroupMethod::kind));
  }
}

TEST(ReproductionItem, EveryOneIsComplete) {
  ASSERT_FALSE(reproduction_items().empty());
  for (const EmbeddedItem& embedded : reproduction_items()) {
    SCOPED_TRACE(embedded.name);
    const ReproductionItem item = parse_reproduction_item(embedded);
    EXPECT_EQ(item.name(), embedded.name);
    EXPECT_FALSE(item.summary.empty());
    EXPECT_FALSE(item.data.empty());
    EXPECT_EQ(item.experiment == nullptr, !item.parts.empty());
    if (item.experiment == nullptr) continue;
    ASSERT_FALSE(item.methods.empty());
    EXPECT_FALSE(item.experiment->columns(item).empty());
    for (size_t m = 0; m < item.methods.size(); ++m) {
      const ReproductionMethod& method = item.methods[m];
      EXPECT_TRUE(method.reference.empty() || has_method(item, method.reference));
      const std::vector<std::string> metrics = metrics_of(item, m);
      for (const auto& values : {method.published, method.target}) {
        for (const auto& [metric, value] : values) EXPECT_THAT(metrics, Contains(metric));
      }
    }
    for (const ReproductionClaim& claim : item.claims)
      EXPECT_TRUE(has_method(item, claim.better) && has_method(item, claim.than)) << claim.better;
    expect_files(item);
    expect_charts(item);
    const Experiment* experiment = item.experiment.get();
    if (const auto* training =
            dynamic_cast<const ExperimentOf<ReproductionTraining>*>(experiment)) {
      expect_complete_training(item, training->settings());
      continue;
    }
    // A claim about training may be of all groups.
    expect_claimed_metrics(item);
    if (const auto* worst_group =
            dynamic_cast<const ExperimentOf<ReproductionWorstGroup>*>(experiment))
      expect_complete_worst_group(item, worst_group->settings());
  }
}

/// Where means are estimated by a method of the tool, there is such a method.
TEST(ReproductionItem, EstimatorsOfMeansAreThoseOfTheTool) {
  for (const EmbeddedItem& embedded : reproduction_items()) {
    if (embedded.text.find("\n[means]\n") == std::string_view::npos) continue;
    const ReproductionItem item = parse_reproduction_item(embedded);
    for (const ReproductionMethod& method : item.methods) {
      if (method.method.empty() || method.method == "auto") continue;
      EXPECT_NO_THROW(find_mean_estimator(method.method)) << item.name();
    }
  }
}

const ReproductionTraining& training_of(const ReproductionItem& item) {
  return dynamic_cast<const ExperimentOf<ReproductionTraining>&>(*item.experiment).settings();
}

TEST(ReproductionItem, AFigureTakesItsRunsFromATable) {
  const ReproductionItem table = find_reproduction_item("001/table4");
  const ReproductionItem figure = find_reproduction_item("001/figure5");
  EXPECT_EQ(figure.data, table.data);
  ASSERT_EQ(figure.methods.size(), 1U);
  const ReproductionTraining& of_figure = training_of(figure);
  EXPECT_EQ(of_figure.epochs, training_of(table).epochs);
  ASSERT_EQ(of_figure.lines.size(), 1U);
  EXPECT_EQ(of_figure.lines[0].config.learning_rate, 0.01);
  EXPECT_EQ(figure.methods[0].published.size(), 2U);
  EXPECT_TRUE(figure.methods[0].target.empty());
  const auto parse = [](const std::string& more) {
    parse_reproduction_item({"9/x", "schema = \"\"\nsummary = \"\"\n" + more});
  };
  EXPECT_ERROR(kInput, HasSubstr("every"),
               parse("runs = \"001/table4\"\nseries = [\"direction risk\"]\n"));
  EXPECT_ERROR(kInput, HasSubstr("runs must name a table"),
               parse("runs = \"001/figure3\"\nseries = [\"loss\"]\n"));
  for (const char* other : {"004/figure2", "004/figure4", "000/table1"}) {
    EXPECT_ERROR(kInput, HasSubstr("runs must name a table"),
                 parse(fmt::format("runs = \"{}\"\nseries = [\"loss\"]\n", other)));
  }
  EXPECT_ERROR(kInput, HasSubstr("the table has no such method"),
               parse("runs = \"001/table4\"\nseries = [\"loss\"]\n[methods.x]\n"));
}

TEST(ReproductionItem, ATableMayBeLikeAnotherButForItsModel) {
  const ReproductionItem table = find_reproduction_item("001/table2");
  const ReproductionItem other = find_reproduction_item("001/table2_four_convolutions");
  EXPECT_EQ(other.name(), "001/table2_four_convolutions");
  EXPECT_EQ(training_of(other).runs, other.name());
  EXPECT_EQ(make_reproduction_model(training_of(table).model, {}, 10)->num_parameters(), 97114U);
  EXPECT_EQ(make_reproduction_model(training_of(other).model, {}, 10)->num_parameters(), 80522U);
  EXPECT_EQ(other.data, table.data);
  EXPECT_EQ(training_of(other).reference, training_of(table).reference);
  ASSERT_EQ(other.methods.size(), table.methods.size());
  EXPECT_EQ(other.methods[1].published.size(), table.methods[1].published.size());
  EXPECT_EQ(other.claims.size(), table.claims.size());
  // Runs of both are others, by the model alone.
  std::map<std::string, std::string> settings = table.settings;
  settings["like"] = table.name();
  settings["model"] = training_of(other).model;
  EXPECT_NE(training_of(other).model, training_of(table).model);
  EXPECT_EQ(other.settings, settings);
  EXPECT_ERROR(kInput, HasSubstr("like must name a table"),
               parse_reproduction_item({"9/x",
                                        "schema = \"\"\nsummary = \"\"\n"
                                        "like = \"001/figure9\"\nmodel = \"mlp\"\n"}));
}

TEST(ReproductionSeries, NamesAreChecked) {
  EXPECT_ERROR(kUsage, HasSubstr("no series \"lost\""), position_of(SeriesChoice{{"lost"}}));
  EXPECT_ERROR(kUsage, HasSubstr("cannot be followed together"),
               position_of(SeriesChoice{{"loss", "clip gap"}}));
  EXPECT_ERROR(kUsage, HasSubstr("at least 2 directions"),
               position_of(SeriesChoice{{"noise risk"}, 5, 1}));
  EXPECT_ERROR(kUsage, HasSubstr("no series"), position_of(SeriesChoice{}));
  EXPECT_EQ(
      series_columns({{"clip gap", "rate times eigenvalue"}, 5}, {"a", "b"}),
      (std::vector<std::string>{"clip gap", "rate times eigenvalue a", "rate times eigenvalue b"}));
}

TEST(ReproductionItem, AnUnknownNameGetsAProposal) {
  EXPECT_ERROR(kUsage, HasSubstr("did you mean \"001/table4\"?"),
               find_reproduction_item("001/tabel4"));
  EXPECT_ERROR(kUsage, HasSubstr("--list"), find_reproduction_item("everything"));
}

TEST(ReproductionItem, ErrorsNameThePlace) {
  EXPECT_ERROR(kInput, HasSubstr("repro/9/x.toml:2"),
               parse_reproduction_item({"9/x", "schema = \"\"\nfoo = 1"}));
  EXPECT_ERROR(kInput, HasSubstr("repro/9/x.toml:1"), parse_reproduction_item({"9/x", "= 1"}));
}

TEST(ReproductionItem, TargetsKnowHowManyRunsTheyAreOf) {
  const ReproductionItem item = find_reproduction_item("003/rates");
  const auto dpsgd = std::ranges::find(item.methods, "dpsgd", &ReproductionMethod::name);
  ASSERT_NE(dpsgd, item.methods.end());
  EXPECT_EQ(dpsgd->target.at("excess at base").num_runs, 5);
  EXPECT_EQ(dpsgd->target.at("excess at base").text, "0.305");
  EXPECT_EQ(dpsgd->target.at("excess at p=5").num_runs, 3);
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
  // A bound is missed by more than two of our standard errors.
  const PrintedValue most = parse_printed_value("<= 0.05");
  EXPECT_EQ(compare_with_published(most, 0.05, 0.01), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(most, 0.069, 0.01), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(most, 0.071, 0.01), Verdict::kDiffers);
  EXPECT_EQ(compare_with_published(most, -1, 0.01), Verdict::kReproduces);
  const PrintedValue least = parse_printed_value(">= 0.60");
  EXPECT_EQ(compare_with_published(least, 0.581, 0.01), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(least, 0.579, 0.01), Verdict::kDiffers);
  EXPECT_EQ(compare_with_published(least, 0.6, 0.01), Verdict::kReproduces);
  EXPECT_EQ(compare_with_published(least, NAN, 0.01), Verdict::kDiffers);
}

/// The verdict on one figure of an item with five seeds, of values 1, 2, ... for so many seeds.
ReproductionRow row_of_seeds(const std::string& published, int64_t num_runs, int num_seeds) {
  ReproductionMethod method;
  method.name = "dpsgd";
  PrintedValue printed = parse_printed_value(published);
  printed.num_runs = num_runs;
  method.published.emplace("accuracy", printed);
  Figures figures;
  figures.metric = "accuracy";
  for (int s = 1; s <= num_seeds; ++s) figures.values.push_back(s);
  return rows_of(method, {figures}, false, 5).at(0);
}

TEST(Verdict, OfASinglePrintedRunCountsTheSpreadOfOneOfOurs) {
  // The mean of 1 to 5 is 3, its error .71; one run varies by 1.58.
  EXPECT_EQ(row_of_seeds("6.0", 0, 5).verdict, Verdict::kDiffers);
  EXPECT_EQ(row_of_seeds("6.0", 1, 5).verdict, Verdict::kReproduces);
  EXPECT_EQ(row_of_seeds("7.0", 1, 5).verdict, Verdict::kDiffers);
  EXPECT_EQ(row_of_seeds("6.0", 1, 5).published->standard_error, 0) << "none is printed";
}

TEST(Verdict, OfFewerSeedsThanTheItemsThereIsNone) {
  const ReproductionRow row = row_of_seeds("2.5", 0, 4);
  EXPECT_EQ(row.verdict, Verdict::kNotJudged);
  EXPECT_EQ(row.reason, "4 of the item's 5 seeds");
  EXPECT_EQ(row_of_seeds("3.0", 0, 6).verdict, Verdict::kReproduces);
}

TEST(Verdict, OfATargetCountsItsErrorOrThatOfSoManyRuns) {
  PrintedValue target = parse_printed_value("10.0 +- 0.3");
  EXPECT_EQ(error_of_printed(target, 0.1, 1000), 0.3);
  // 3 sqrt(0.3^2 + 0.4^2) + 0.05 = 1.55.
  EXPECT_TRUE(meets_target(target, 11.54, 0.4));
  EXPECT_FALSE(meets_target(target, 11.56, 0.4));
  target = parse_printed_value("10.0");
  EXPECT_EQ(error_of_printed(target, 0.1, 1000), 0) << "nothing is known of it";
  target.num_runs = 10;
  EXPECT_DOUBLE_EQ(error_of_printed(target, 0.1, 1000), 1);
}

TEST(Reproduce, DoesNotDependOnThreads) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  const auto one = without_time(reproduced(quick_request(folder, 1)));
  EXPECT_EQ(one, without_time(reproduced(quick_request(folder, 3))));
}

TEST(Reproduce, ToldFiguresFitTogether) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  const ReproductionReport report = reproduced(quick_request(folder, 2));
  const auto ours = [&](const std::string& name) { return row_of(report, name).ours; };
  EXPECT_NEAR(ours("dpsgd privacy cost M"), ours("sgd accuracy M") - ours("dpsgd accuracy M"),
              1e-9);
  EXPECT_NEAR(ours("dpsgd excessive risk F"), ours("dpsgd loss F") - ours("sgd loss F"), 1e-9);
  EXPECT_NEAR(ours("dpsgd privacy cost gap"),
              std::fabs(ours("dpsgd privacy cost M") - ours("dpsgd privacy cost F")), 1e-9);
  EXPECT_GT(ours("dpsgd_global_adapt epsilon"), ours("dpsgd epsilon"));
  EXPECT_LT(ours("dpsgd epsilon by pld"), ours("dpsgd epsilon"));
  EXPECT_GT(ours("sgd loss M"), std::log1p(std::exp(-1.0)));
  for (const ReproductionRow& row : report.rows) {
    EXPECT_TRUE(row.verdict == Verdict::kNotJudged || !row.published) << row.name();
    EXPECT_TRUE(row.verdict == Verdict::kNoPublishedNumber || !row.reason.empty()) << row.name();
  }
  EXPECT_TRUE(report.curves.empty());
}

/// Every figure of the Dutch census, on a small table.
TEST(Reproduce, FiguresFollowTheirSeries) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  ReproduceRequest request = quick_request(folder, 2);
  request.item = "001/figure3";
  const ReproductionReport training = reproduced(request);
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
  // 5 batches of about 208 records make an epoch.
  request.efforts.every = 10;
  EXPECT_ERROR(kUsage, HasSubstr("measuring every 10 steps covers only the first of 10 steps"),
               reproduced(request));
  request.efforts.every = 3;
  const ReproductionReport clipping = reproduced(request);
  EXPECT_THAT(clipping.notes, Contains(HasSubstr("about as many men as women are drawn")));
  EXPECT_EQ(clipping.position, "step");
  for (const ReproductionCurve& curve : clipping.curves) {
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
  // What is looked at less often than in the item is shown, not judged.
  for (const ReproductionTest& test : clipping.tests) {
    EXPECT_TRUE(std::isfinite(test.p_value));
    EXPECT_EQ(test.verdict, Verdict::kNotJudged);
  }

  request.item = "001/figure15";
  request.efforts.directions = 4;
  const ReproductionReport noise = reproduced(request);
  for (const ReproductionCurve& curve : noise.curves) {
    for (const ReproductionPoint& point : curve.points)
      EXPECT_EQ(point.values[0] != 0, curve.method != "sgd") << curve.method;
  }
}

ReproduceRequest quick_sweep(const TempFolder& folder, const std::string& item, int64_t num_steps) {
  ReproduceRequest request = quick_request(folder, 2);
  request.item = item;
  request.efforts.epochs.reset();
  request.efforts.steps = num_steps;
  return request;
}

/// Names with commas stay whole, and a method that obeys no constraint has no position.
void expect_curves_read_back(const ReproductionReport& report, const TempFolder& folder) {
  folder.write_file("curves.csv", reproduction_curves_to_csv(report));
  const std::unique_ptr<RecordReader> reader = open_table(folder.path() / "curves.csv");
  EXPECT_EQ(reader->header(),
            (std::vector<std::string>{"method", "seed", "slack", "error", "value"}));
  for (const ReproductionCurve& curve : report.curves) {
    for (const ReproductionPoint& point : curve.points) {
      ASSERT_TRUE(reader->next());
      EXPECT_EQ(reader->text(0), curve.method);
      EXPECT_EQ(reader->text(2), curve.method == "sgd" ? "" : fmt::format("{:g}", point.position));
      EXPECT_EQ(reader->text(3), fmt::format("{:.6g}", point.values[0]));
    }
  }
  EXPECT_FALSE(reader->next());
}

/// Constraints on made-up hearts: what binds is kept, at a cost, and rows and curves are the same
/// figures.
TEST(Reproduce, SweepsAConstraint) {
  const TempFolder folder;
  testing::write_heart_table(folder, 3000);
  ReproduceRequest request = quick_sweep(folder, "004/figure5_heart", 300);
  const ReproductionReport report = reproduced(request);
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
    EXPECT_EQ(row.verdict, row.published ? Verdict::kNotJudged : Verdict::kNoPublishedNumber);
    EXPECT_EQ(row.num_seeds, 2);
  }
  EXPECT_THAT(reproduction_to_html(report),
              HasSubstr("epsilon 9: error against value, means over seeds"));
  expect_curves_read_back(report, folder);

  request.threads = 1;
  EXPECT_EQ(without_time(report), without_time(reproduced(request)));
}

/// Two items as one: methods carry the name of their data.
TEST(Reproduce, APartThatCannotBeRunIsSkipped) {
  const TempFolder folder;
  testing::write_heart_table(folder, 1300);
  ReproduceRequest request = quick_sweep(folder, "004/figure5", 5);
  request.seeds = 1;
  request.runs_path = folder.path() / "runs";
  const ReproductionReport report = reproduced(request);
  EXPECT_EQ(report.item, "figure5");
  EXPECT_THAT(row_of(report, "adult: sgda error at 0.1").reason, HasSubstr("adult_train.csv.gz"));
  EXPECT_EQ(row_of(report, "adult: sgda error at 0.1").verdict, Verdict::kSkipped);
  // What no run can have is not missed.
  for (const ReproductionRow& row : report.rows) {
    EXPECT_FALSE(row.metric.find("above sgda") != std::string::npos && row.method.ends_with("sgda"))
        << row.name();
    EXPECT_EQ(row.metric.find(" at ") == std::string::npos, row.method == "heart: sgd")
        << row.name();
  }
  EXPECT_EQ(row_of(report, "heart: sgda value at 0.8").num_seeds, 1);
  ASSERT_FALSE(report.curves.empty());
  EXPECT_EQ(report.curves[0].method, "heart: sgda");
  EXPECT_EQ(report.charts.size(), 6U);
  // The title has the data, names beside lines do not; charts without a run are left out.
  const std::string page = reproduction_to_html(report);
  EXPECT_THAT(page, HasSubstr("heart, epsilon 1: error against value"));
  EXPECT_THAT(page, HasSubstr(">raco_dp, epsilon 1</text>"));
  EXPECT_EQ(page.find("adult, epsilon 1: error against value"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "runs.figure5_heart"));
  // Kept runs are of so many steps.
  EXPECT_EQ(without_time(report), without_time(reproduced(request)));
  request.efforts.steps = 6;
  EXPECT_ERROR(kInput, HasSubstr("\"steps\" of its runs is 5 instead of 6"), reproduced(request));
}

TEST(Reproduce, TheTimeOfAStepIsTold) {
  const TempFolder folder;
  testing::write_credit_table(folder, 1300);
  ReproduceRequest request = quick_sweep(folder, "004/table2_credit", 20);
  request.seeds = 1;
  const ReproductionReport report = reproduced(request);
  for (const char* name : {"sgd time", "dpsgd time", "raco_dp time at 0.05", "dp_fermi time"})
    EXPECT_GT(row_of(report, name).ours, 0) << name;
  EXPECT_NEAR(row_of(report, "raco_dp time over dpsgd at 0.05").ours,
              row_of(report, "raco_dp time at 0.05").ours / row_of(report, "dpsgd time").ours,
              1e-9);
  EXPECT_EQ(row_of(report, "raco_dp time over dpsgd at 0.05").published->text, "1.57 +- 0.20");
}

/// An item of made-up hearts, with the rest of its description.
ReproductionItem heart_item(const std::string& rest) {
  static std::string text;
  text =
      "schema = \"equinoise/1\"\nsummary = \"hearts\"\ndata = \"heart\"\nmodel = \"logistic\"\n"
      "seeds = 5\nbatch_size = 128\ndelta = 1e-5\n" +
      rest;
  return parse_reproduction_item({"9/hearts", text});
}

TEST(ReproductionItem, ASweepFillsInWhatRepeats) {
  const std::string sweep =
      "[sweep]\nparameter = \"slack\"\nvalues = [0.5, 0.15]\nconstraint = \"fnr:{}\"\n"
      "metrics = [\"value\"]\n";
  const ReproductionItem item = heart_item(
      sweep +
      "keeps_slack = \"value\"\n[methods.\"sgda, a\"]\nmethod = \"sgda\"\n"
      "[[claims]]\neach = [\"a\", \"b\"]\nbetter = \"sgda, {}\"\nthan = \"sgd\"\n"
      "metrics = [\"value\"]\n"
      "[[charts]]\neach = [\"a\", \"b\"]\ntitle = \"of {}\"\nacross = \"slack\"\nup = \"value\"\n"
      "methods = [\"sgda, {}\"]\n");
  EXPECT_EQ(item.methods[0].published.at("value at 0.15").text, "<= 0.15");
  ASSERT_EQ(item.claims.size(), 2U);
  EXPECT_EQ(item.claims[1].better, "sgda, b");
  EXPECT_EQ(item.claims[1].than, "sgd");
  ASSERT_EQ(item.charts.size(), 2U);
  EXPECT_EQ(item.charts[0].title, "of a");
  EXPECT_EQ(item.charts[1].methods, std::vector<std::string>{"sgda, b"});
  // The schema of the table is part of what runs follow.
  EXPECT_EQ(item.settings.at("table"), table_schema_digest("heart"));

  const std::string method = "[methods.sgda]\nmethod = \"sgda\"\n";
  EXPECT_ERROR(kInput, HasSubstr("room for three lines"),
               heart_item(sweep + method +
                          "[[charts]]\ntitle = \"x\"\nacross = \"slack\"\nup = \"value\"\n"
                          "methods = [\"a\", \"b\", \"c\"]\n"));
  for (const auto& [parameter, constraint] :
       {std::pair{"slack", "fnr:0"}, std::pair{"max_grad_norm", "fnr:{}"}}) {
    EXPECT_THAT(error_of(ErrorKind::kInput,
                         [&, parameter = parameter, constraint = constraint] {
                           heart_item(fmt::format("[sweep]\nparameter = \"{}\"\nvalues = [1]\n"
                                                  "constraint = \"{}\"\nmetrics = [\"value\"]\n",
                                                  parameter, constraint) +
                                      method);
                         }),
                HasSubstr("constraint must have {} where the parameter is slack"));
  }
}

/// With as many steps as its item has, a sweep is judged: its bounds and its claims.
TEST(Reproduce, ASweepIsJudged) {
  const TempFolder folder;
  testing::write_heart_table(folder, 1500);
  const ReproductionItem item = heart_item(
      "[sweep]\nparameter = \"slack\"\nvalues = [0.3]\nconstraint = \"fnr:{}\"\n"
      "metrics = [\"error\", \"training value\"]\n"
      "[methods.sgda]\nmethod = \"sgda\"\nsteps = 300\nreason = \"too strict\"\n"
      "[methods.sgda.published]\n\"training value at 0.3\" = \"<= 0.5\"\n"
      "\"error at 0.3\" = \"<= 0.0\"\n"
      "[methods.sgd]\nmethod = \"sgd\"\nsteps = 300\n"
      "[[claims]]\nbetter = \"sgda\"\nthan = \"sgd\"\nmetrics = [\"training value at 0.3\"]\n"
      "[[claims]]\nbetter = \"sgd\"\nthan = \"sgda\"\nmetrics = [\"error at 0.3\"]\n"
      "significant = false\nreason = \"costly\"\n");
  const ReproductionReport report = reproduced(item, {.data_directory = folder.path()});
  EXPECT_EQ(row_of(report, "sgda training value at 0.3").verdict, Verdict::kReproduces);
  EXPECT_EQ(row_of(report, "sgda error at 0.3").verdict, Verdict::kDiffers);
  EXPECT_EQ(row_of(report, "sgda error at 0.3").reason, "too strict");
  ASSERT_EQ(report.tests.size(), 2U);
  // The only value of a method without constraints is beside that at each slack. With 5 seeds, all
  // one way.
  EXPECT_EQ(report.tests[0].p_value, 1.0 / 32);
  EXPECT_EQ(report.tests[0].verdict, Verdict::kReproduces);
  EXPECT_EQ(report.tests[1].p_value, 1.0 / 32);
  EXPECT_EQ(report.tests[1].verdict, Verdict::kDiffers);
  EXPECT_EQ(report.tests[1].reason, "costly");
  EXPECT_EQ(reproduction_to_json(report)["rows"][1]["published_bound"], "<=");
  EXPECT_EQ(reproduction_to_json(report)["rows"][2]["published_bound"], nullptr);
  EXPECT_THAT(report.notes, Contains(HasSubstr("300 steps")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("training value: the largest")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("a bound reproduces")));
  for (const std::string& note : report.notes) {
    EXPECT_EQ(note.find("{}"), std::string::npos) << note;
    EXPECT_EQ(note.find("Python"), std::string::npos) << note;
    EXPECT_FALSE(note.starts_with("target") || note.starts_with("value")) << note;
  }
}

/// A clip that no gradient reaches is none.
TEST(Reproduce, AVeryLargeClipIsSgda) {
  const TempFolder folder;
  testing::write_heart_table(folder, 800);
  const ReproductionItem item = heart_item(
      "[sweep]\nparameter = \"slack\"\nvalues = [0.3]\nconstraint = \"fnr:{}\"\n"
      "metrics = [\"error\", \"value\", \"training value\", \"all value\"]\n"
      "[methods.sgda]\nmethod = \"sgda\"\nsteps = 100\n"
      "[methods.raco_clipping]\nmethod = \"raco_clipping\"\nsteps = 100\nmax_grad_norm = 1e5\n"
      "[methods.clipped]\nmethod = \"raco_clipping\"\nsteps = 100\nmax_grad_norm = 0.01\n"
      "clip_allowance = 0\n");
  const ReproductionReport report = reproduced(item, {.data_directory = folder.path()});
  for (const char* metric : {"error", "value", "training value", "all value"}) {
    const auto ours = [&](const char* method) {
      return row_of(report, fmt::format("{} {} at 0.3", method, metric)).ours;
    };
    EXPECT_EQ(ours("raco_clipping"), ours("sgda")) << metric;
  }
  EXPECT_NE(row_of(report, "clipped training value at 0.3").ours,
            row_of(report, "sgda training value at 0.3").ours);
}

/// Where all are predicted as they are, values are counts of the records: of each part, and without
/// a kind of diabetes that nobody has, whose rate of 0 would be the farthest from the others.
TEST(Reproduce, ValuesAreThoseOfTheirRecords) {
  const TempFolder folder;
  constexpr uint32_t kNumRecords = 300;
  const auto diabetes = [](uint32_t i) { return i % 2; };  // never 2
  const auto is_ill = [](uint32_t i) { return i / 2 % 7 < 2 + i % 2; };
  std::string text =
      "HeartDiseaseorAttack,HighBP,HighChol,CholCheck,BMI,Smoker,Stroke,Diabetes,PhysActivity,"
      "Fruits,Veggies,HvyAlcoholConsump,AnyHealthcare,NoDocbcCost,GenHlth,MentHlth,PhysHlth,"
      "DiffWalk,Sex,Age,Education,Income\n";
  for (uint32_t i = 0; i < kNumRecords; ++i) {
    text += fmt::format("{},{},0,1,28,0,0,{},1,0,1,0,1,0,3,0,0,0,0,7,3,5\n", int{is_ill(i)},
                        int{is_ill(i)}, diabetes(i));
  }
  folder.write_file("heart_brfss2015.csv.gz", text);
  const ReproductionItem item = heart_item(
      "[sweep]\nparameter = \"slack\"\nvalues = [0.9]\n"
      "constraint = \"demographic_parity:Diabetes:{}\"\n"
      "metrics = [\"error\", \"value\", \"training value\", \"all value\"]\n"
      "[methods.sgd]\nmethod = \"sgd\"\nsteps = 200\n");
  const ReproductionReport report = reproduced(item, {.data_directory = folder.path(), .seeds = 1});
  ASSERT_EQ(row_of(report, "sgd error").ours, 0);

  const auto gap = [&](const std::vector<uint32_t>& records) {
    std::array<double, 2> ill{};
    std::array<double, 2> people{};
    for (const uint32_t i : records) {
      ++people[diabetes(i)];
      ill[diabetes(i)] += is_ill(i) ? 1 : 0;
    }
    const double found = std::fabs(ill[0] / people[0] - ill[1] / people[1]);
    EXPECT_LT(found, (ill[0] + ill[1]) / (people[0] + people[1]));
    return found;
  };
  const Split split = split_records(kNumRecords, ReproductionSweep().test_fraction, 0);
  std::vector<uint32_t> all = split.train;
  append(all, split.test);
  EXPECT_NEAR(row_of(report, "sgd value").ours, gap(split.test), 1e-12);
  EXPECT_NEAR(row_of(report, "sgd training value").ours, gap(split.train), 1e-12);
  EXPECT_NEAR(row_of(report, "sgd all value").ours, gap(all), 1e-12);
}

TEST(Reproduce, EffortsAreForItemsThatHaveThem) {
  ReproduceRequest request;
  request.item = "001/table5";
  request.efforts.every = 10;
  EXPECT_ERROR(
      kUsage, HasSubstr("--every is only for items that measure single steps; 001/table5 does not"),
      reproduced(request));
  request.efforts.every.reset();
  request.item = "001/figure11";
  request.efforts.directions = 10;
  EXPECT_ERROR(kUsage, HasSubstr("--directions is only for items that estimate traces"),
               reproduced(request));
  request.efforts.directions.reset();
  request.efforts.steps = 10;
  EXPECT_ERROR(kUsage, HasSubstr("--steps is only for items that train under constraints"),
               reproduced(request));
  request.efforts.steps.reset();
  request.item = "004/figure2";
  request.efforts.epochs = 2;
  EXPECT_ERROR(kUsage, HasSubstr("--epochs is only for items that train by epochs"),
               reproduced(request));
  request.item = "000/table1";
  EXPECT_ERROR(kUsage, HasSubstr("--epochs is only for items that train by epochs"),
               reproduced(request));
  request.efforts.epochs.reset();
  request.methods = {"dpnose"};
  EXPECT_ERROR(kUsage, HasSubstr("000/table1 has no method dpnose"), reproduced(request));
}

/// The others and what is claimed of them are skipped; kept runs are of use to more methods later.
TEST(Reproduce, RunsOnlyTheMethodsThatAreNamed) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  ReproduceRequest request = quick_request(folder, 2);
  const ReproductionReport whole = reproduced(request);
  request.methods = {"dpsgd"};
  request.runs_path = folder.path() / "runs.json";
  const ReproductionReport report = reproduced(request);
  const std::vector<std::string> run = {"sgd", "dpsgd"};
  for (const ReproductionRow& row : report.rows) {
    SCOPED_TRACE(row.name());
    if (std::ranges::count(run, row.method) > 0) {
      EXPECT_EQ(row.ours, row_of(whole, row.name()).ours);
    } else {
      EXPECT_EQ(row.num_seeds, 0);
      EXPECT_EQ(row.reason, "is not among --methods");
    }
  }
  for (const ReproductionTest& test : report.tests)
    EXPECT_EQ(test.reason, "one of the methods was not run") << test.name();
  request.methods.clear();
  EXPECT_EQ(without_time(reproduced(request)), without_time(whole));

  request.methods = {"dpsgd", "dpsdg"};
  EXPECT_ERROR(kUsage, HasSubstr("001/table5 has no method dpsdg; choose among sgd, dpsgd,"),
               reproduced(request));
}

TEST(Reproduce, AWrongTableIsAnInputError) {
  const TempFolder folder;
  folder.write_file("dutch_census_2001.csv.gz", "sex,age\n1,4\n");
  EXPECT_ERROR(kInput, HasSubstr("no column 'prev_residence_place'"),
               reproduced(quick_request(folder, 1)));
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
  EXPECT_ERROR(kRuntime, HasSubstr("the same command resumes after the finished runs (--runs "),
               reproduce(request, stopped));
  Stopped free(1'000'000'000);
  const auto told = without_time(reproduce(request, free));
  // 10 steps each; two runs were done.
  EXPECT_EQ(free.planned, stopped.planned - 20);
  Stopped again(0);
  EXPECT_EQ(told, without_time(reproduce(request, again)));
  EXPECT_EQ(again.planned, 0);
  request.runs_path.clear();
  EXPECT_EQ(told, without_time(reproduced(request)));

  request.runs_path = folder.path() / "runs.json";
  {
    // Who only reads does not wait.
    const FileLock other(request.runs_path, "--runs");
    EXPECT_EQ(told, without_time(reproduced(request)));
    request.seeds = 3;
    EXPECT_ERROR(kUsage, HasSubstr("runs.json: is in use by another run"), reproduced(request));
    request.seeds = 2;
  }
  request.efforts.epochs = 3;
  EXPECT_ERROR(kInput, HasSubstr("\"epochs\" of its runs is 2 instead of 3; give another --runs"),
               reproduced(request));
  folder.write_file("runs.json", "[]");
  EXPECT_ERROR(kInput, HasSubstr("is not a file of kept runs"), reproduced(request));
  request.runs_path = folder.path();
  EXPECT_ERROR(kInput, HasSubstr("is not a file of kept runs"), reproduced(request));
  // What cannot be read may hold runs.
  request.runs_path = folder.path() / "runs.json" / "inside";
  EXPECT_ERROR(kInput, HasSubstr("inside: cannot be read: Not a directory; give another --runs"),
               reproduced(request));
}

/// One training serves a table and its figures, each as if it had been run alone.
TEST(Reproduce, FiguresShareTheRunsOfTheirTable) {
  class Planned final : public TrainProgress {
   public:
    void start_training(int64_t, int64_t num_steps,
                        const std::function<double(int64_t)>&) override {
      planned = num_steps;
    }
    int64_t planned = -1;
  };
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  const ReproduceRequest alone = quick_request(folder, 2);
  ReproduceRequest request = alone;
  request.methods = {"dpsgd"};
  request.efforts.every = 4;
  request.efforts.directions = 3;
  request.also = {"001/figure3", "001/figure11", "001/figure15"};
  Planned progress;
  EXPECT_ERROR(kUsage, HasSubstr("--also needs --runs"), reproduce(request, progress));
  request.runs_path = folder.path() / "runs.json";
  reproduce(request, progress);
  EXPECT_GT(progress.planned, 0);
  for (const auto& [name, every, directions] :
       std::vector<std::tuple<std::string, bool, bool>>{{"001/table5", false, false},
                                                        {"001/figure3", false, false},
                                                        {"001/figure11", true, false},
                                                        {"001/figure15", true, true}}) {
    SCOPED_TRACE(name);
    ReproduceRequest of_item = alone;
    of_item.item = name;
    of_item.methods = request.methods;
    if (every) of_item.efforts.every = request.efforts.every;
    if (directions) of_item.efforts.directions = request.efforts.directions;
    const auto told = without_time(reproduce(of_item, progress));
    // The runs without privacy that a table compares with are of no use to figures.
    constexpr int64_t kStepsOfRun = 10;
    const int64_t num_methods = name == "001/table5" ? 2 : 1;
    EXPECT_EQ(progress.planned, num_methods * *alone.seeds * kStepsOfRun);
    of_item.runs_path = request.runs_path;
    progress.planned = -1;
    EXPECT_EQ(told, without_time(reproduce(of_item, progress)));
    EXPECT_EQ(progress.planned, -1);
    if (!every) continue;
    // Another effort is another series.
    of_item.efforts.every = *request.efforts.every + 1;
    reproduce(of_item, progress);
    EXPECT_GT(progress.planned, 0);
  }
  request.also = {"001/figure3", "001/figure4"};
  EXPECT_ERROR(kUsage, HasSubstr("001/figure4 does not use the runs of 001/table5"),
               reproduce(request, progress));
  request.also = {"000/table1"};
  EXPECT_ERROR(kUsage, HasSubstr("000/table1 does not use the runs"), reproduce(request, progress));
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
  EXPECT_ERROR(kRuntime, HasSubstr("interrupted"), reproduce(request, progress));
  EXPECT_FALSE(std::filesystem::exists(request.out_path));
}

/// A look may take minutes: it is interrupted before the step is done.
TEST(Reproduce, ALookAtRisksIsInterrupted) {
  class InterruptedByQuestions final : public TrainProgress {
   public:
    bool interrupted() const override { return ++num_questions_ >= 3; }
    void step_done(int64_t num_done) override { num_steps_done = num_done; }
    int64_t num_steps_done = 0;

   private:
    mutable int num_questions_ = 0;
  };
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  ReproduceRequest request = quick_request(folder, 1);
  request.item = "001/figure11";
  request.efforts.every = 3;
  InterruptedByQuestions progress;
  EXPECT_ERROR(kRuntime,
               HasSubstr("nothing was written (--runs FILE would have kept finished runs)"),
               reproduce(request, progress));
  EXPECT_EQ(progress.num_steps_done, 0);
}

TEST(Reproduce, WritesItsFiles) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  ReproduceRequest request = quick_request(folder, 2);
  request.out_path = folder.path() / "out";
  const ReproductionReport report = reproduced(request);
  EXPECT_EQ(report.files.size(), 2U);
  for (const std::string& file : report.files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_THAT(reproduction_to_html(report), HasSubstr("chart-1"));
}

}  // namespace equinoise::reproduce_test

#include "equinoise/reproduction/reproduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/base/sha256.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/reproduction/data/datasets.h"
#include "equinoise/reproduction/data/models.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/figures.h"
#include "equinoise/reproduction/kept_runs.h"
#include "equinoise/reproduction/report_files.h"
#include "equinoise/reproduction/signed_rank.h"
#include "equinoise/reproduction/synthesis/synthesis_experiment.h"
#include "equinoise/reproduction/worst_group/worst_group_experiment.h"
#include "equinoise/synth/registry.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";
constexpr double kSignificance = 0.05;
constexpr double kNumErrors = 2;
/// The same for targets, which are many.
constexpr double kNumTargetErrors = 3;

constexpr const char* kOtherEffort = "epochs, steps or looks at them are not those of the item";
constexpr const char* kNoReason = "no reason is known; by chance some rows differ";

bool has_curves(const ReproductionItem& item) {
  return !item.is_table || item.sweep || !item.is_of_training() || !item.parts.empty();
}

std::vector<std::string> output_files(const ReproductionItem& item) {
  std::vector<std::string> files = {"report.json", "report.html"};
  if (has_curves(item)) files.emplace_back("curves.csv");
  return files;
}

bool is_built(const ReproductionMethod& method) {
  if (method.simulated || method.means || method.worst_group) return true;
  if (method.synthesis) {
    const auto rows = synthesizers();
    return method.method.empty() ||
           std::any_of(rows.begin(), rows.end(),
                       [&](const SynthesizerRow& row) { return row.name == method.method; });
  }
  const auto rows = training_methods();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const TrainingMethodRow& row) { return row.name == method.method; });
}

/// The method that this one is compared with, or "".
const std::string& reference_of(const ReproductionItem& item, const ReproductionMethod& method) {
  return item.simulation || item.synthesis ? method.reference : item.reference;
}

/// Whether the request names the method or one that is compared with it.
bool is_asked_for(const ReproductionItem& item, const ReproductionMethod& method,
                  const ReproduceRequest& request) {
  if (request.methods.empty()) return true;
  return std::any_of(item.methods.begin(), item.methods.end(), [&](const ReproductionMethod& one) {
    return std::count(request.methods.begin(), request.methods.end(), one.name) > 0 &&
           (one.name == method.name || reference_of(item, one) == method.name);
  });
}

/// Why a whole method is skipped, or "".
std::string why_skipped(const ReproductionItem& item, const ReproductionMethod& method,
                        const ReproduceRequest& request, const std::string& obstacle) {
  if (!obstacle.empty()) return obstacle;
  if (!is_built(method)) return fmt::format("the method {} is not built", method.method);
  if (!is_asked_for(item, method, request)) return "is not among --methods";
  return "";
}

ReproductionRow begin_row(const ReproductionMethod& method, const Figures& figures) {
  ReproductionRow row;
  row.method = method.name;
  row.metric = figures.metric;
  row.unit = figures.is_percentage ? "%" : "";
  if (const auto found = method.published.find(row.metric); found != method.published.end())
    row.published = found->second;
  if (const auto found = method.target.find(row.metric); found != method.target.end())
    row.target = found->second;
  return row;
}

/// The rows of a method that could not be run: of a table those with a published number.
std::vector<ReproductionRow> skipped_rows(const ReproductionItem& item,
                                          const ReproductionMethod& method,
                                          const std::string& reason) {
  std::vector<ReproductionRow> rows;
  const std::vector<ReproductionOutcome> none;
  const bool has_reference =
      !reference_of(item, method).empty() && reference_of(item, method) != method.name;
  for (const Figures& figures : figures_of(item, method, none, has_reference ? &none : nullptr)) {
    ReproductionRow row = begin_row(method, figures);
    row.reason = reason;
    if (row.published || has_curves(item)) rows.push_back(std::move(row));
  }
  return rows;
}

/// A bound is on one side, whatever the errors are.
bool agrees(const PrintedValue& printed, double ours, double standard_error, double num_errors) {
  if (printed.kind == PrintedValue::Kind::kAtMost) return ours <= printed.mean;
  if (printed.kind == PrintedValue::Kind::kAtLeast) return ours >= printed.mean;
  return std::fabs(ours - printed.mean) <=
         num_errors * std::hypot(printed.standard_error, standard_error) +
             std::pow(10.0, -printed.decimals) / 2;
}

void judge(const ReproductionMethod& method, bool shortened, ReproductionRow& row) {
  if (row.target && !shortened && row.num_seeds >= 2) {
    row.target->standard_error = error_of_target(*row.target, row.standard_error, row.num_seeds);
    row.meets_target = meets_target(*row.target, row.ours, row.standard_error);
  }
  if (!row.published) {
    row.verdict = Verdict::kNoPublishedNumber;
    if (row.metric == kEpsilonByPld) row.reason = "the paper accounts by RDP";
    return;
  }
  if (shortened) {
    row.reason = kOtherEffort;
    return;
  }
  if (row.num_seeds < 2) {
    row.reason = "a standard error needs at least two seeds";
    return;
  }
  row.verdict = compare_with_published(*row.published, row.ours, row.standard_error);
  if (row.verdict == Verdict::kReproduces) return;
  row.reason = row.metric.starts_with(kEpsilonByRdp) ? method.epsilon_reason : method.reason;
  if (row.reason.empty()) row.reason = kNoReason;
}

std::vector<ReproductionRow> rows_of(const ReproductionMethod& method,
                                     const std::vector<Figures>& all, bool shortened) {
  std::vector<ReproductionRow> rows;
  for (const Figures& figures : all) {
    ReproductionRow row = begin_row(method, figures);
    const SampleMean sample = sample_mean(figures.values);
    row.ours = figures.told_by_size ? std::fabs(sample.mean) : sample.mean;
    row.standard_error = sample.standard_error;
    row.num_seeds = static_cast<int64_t>(figures.values.size());
    judge(method, shortened, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// A metric that names no group and is no gap speaks of each group.
std::vector<std::string> tested_metrics(const std::vector<std::string>& groups,
                                        const std::string& metric) {
  const bool is_whole = groups.empty() || metric.ends_with("gap") ||
                        std::any_of(groups.begin(), groups.end(), [&](const std::string& group) {
                          return metric.ends_with(" " + group);
                        });
  if (is_whole) return {metric};
  std::vector<std::string> metrics;
  metrics.reserve(groups.size());
  for (const std::string& group : groups) metrics.push_back(fmt::format("{} {}", metric, group));
  return metrics;
}

/// The claims, metric by metric. The reason is that of a claim that does not hold.
std::vector<ReproductionTest> tests_of(const ReproductionItem& item) {
  std::vector<ReproductionTest> tests;
  for (const ReproductionClaim& claim : item.claims) {
    for (const std::string& metric : claim.metrics) {
      for (const std::string& each : tested_metrics(item.groups, metric)) {
        ReproductionTest& test = tests.emplace_back();
        test.better = claim.better;
        test.than = claim.than;
        test.metric = each;
        test.claimed = claim.significant;
        test.reason = claim.reason;
      }
    }
  }
  return tests;
}

/// By method's name, then by metric; empty where it was not run.
using AllFigures = std::map<std::string, std::vector<Figures>>;

/// What a method has of a metric; of "error at 0.1" its "error", where it obeys no constraint.
const Figures* find_figures(const AllFigures& all, const std::string& method,
                            const std::string& metric) {
  const auto found = all.find(method);
  if (found == all.end()) return nullptr;
  for (const std::string& name : {metric, metric.substr(0, metric.find(" at "))}) {
    for (const Figures& figures : found->second)
      if (figures.metric == name) return &figures;
  }
  return nullptr;
}

/// What is known of either method.
std::string why_differs(const ReproductionItem& item, const ReproductionTest& test) {
  for (const std::string& name : {test.than, test.better}) {
    for (const ReproductionMethod& method : item.methods)
      if (method.name == name && !method.reason.empty()) return method.reason;
  }
  return kNoReason;
}

void run_test(const ReproductionItem& item, const AllFigures& all, bool shortened,
              const std::string& why_none, ReproductionTest& test) {
  const std::string known = std::exchange(test.reason, "");
  const Figures* better = find_figures(all, test.better, test.metric);
  const Figures* than = find_figures(all, test.than, test.metric);
  if (better == nullptr || than == nullptr) {
    test.reason = why_none.empty() ? "one of the methods was not run" : why_none;
    return;
  }
  const bool more_is_better =
      test.metric.starts_with("accuracy") || test.metric.starts_with("demographic parity ratio");
  const double sign = more_is_better ? 1 : -1;
  std::vector<double> differences;
  const auto tested = [](const Figures& figures) -> const std::vector<double>& {
    return figures.tested.empty() ? figures.values : figures.tested;
  };
  for (size_t i = 0; i < better->values.size(); ++i)
    differences.push_back(sign * (tested(*better)[i] - tested(*than)[i]));
  test.num_seeds = static_cast<int64_t>(differences.size());
  if (!std::all_of(differences.begin(), differences.end(),
                   [](double difference) { return std::isfinite(difference); })) {
    test.reason = "a figure is not finite: a run diverged, or a group has no test records";
    return;
  }
  test.p_value = signed_rank_test(differences).p_value;
  const double least = std::ldexp(1.0, -static_cast<int>(test.num_seeds));
  if (shortened) {
    test.reason = kOtherEffort;
  } else if (!(least < kSignificance)) {
    test.reason = fmt::format("with {} seeds no p is below {:g}", test.num_seeds, least);
  } else {
    const bool significant = test.p_value < kSignificance;
    test.verdict = significant == test.claimed ? Verdict::kReproduces : Verdict::kDiffers;
    if (test.verdict == Verdict::kDiffers)
      test.reason = known.empty() ? why_differs(item, test) : known;
  }
}

/// What keeps the whole item from being run and what to do, or "".
std::string find_obstacle(const ReproductionItem& item, const std::filesystem::path& folder) {
  if (item.is_drawn()) return "";
  const bool has_table = item.sweep || !item.is_of_training();
  if (!has_table && !is_reproduction_model(item.model))
    return fmt::format("the model \"{}\" is not built", item.model);
  const ReproductionFiles& data = has_table ? find_reproduction_table(item.data).files
                                            : find_reproduction_data(item.data).files;
  for (const std::string_view name : data.files) {
    std::error_code error;
    if (std::filesystem::exists(folder / name, error)) continue;
    return fmt::format("{} is missing; it is {}; say where it is with --data-dir",
                       (folder / name).string(), data.origin);
  }
  return "";
}

/// Steps of many runs at once, told as one.
class RunsProgress {
 public:
  RunsProgress(TrainProgress& progress, int64_t num_steps, std::string when_interrupted)
      : progress_(progress), when_interrupted_(std::move(when_interrupted)) {
    progress_.start_training(0, num_steps, nullptr);
  }

  void step_done() {
    check_interruption();
    const std::lock_guard lock(mutex_);
    progress_.step_done(++num_done_);
  }
  void check_interruption() {
    const std::lock_guard lock(mutex_);
    if (progress_.interrupted())
      throw Error(ErrorKind::kRuntime, kWhere, "interrupted: " + when_interrupted_);
  }
  void stage(const std::string& text) {
    const std::lock_guard lock(mutex_);
    progress_.stage(text);
  }

 private:
  TrainProgress& progress_;
  std::string when_interrupted_;
  std::mutex mutex_;
  int64_t num_done_ = 0;
};

/// Whether `is_so` of a method's printed value, published or as a target.
template <typename Condition>
bool any_value(const ReproductionItem& item,
               std::map<std::string, PrintedValue> ReproductionMethod::*values,
               const Condition& is_so) {
  return std::any_of(item.methods.begin(), item.methods.end(),
                     [&](const ReproductionMethod& method) {
                       return std::any_of((method.*values).begin(), (method.*values).end(),
                                          [&](const auto& value) { return is_so(value.second); });
                     });
}

/// "3,000 steps", or "1,000 to 10,000 steps" where methods differ.
std::string steps_of(const ReproductionItem& item) {
  const auto [least, most] =
      std::minmax_element(item.methods.begin(), item.methods.end(),
                          [](const ReproductionMethod& a, const ReproductionMethod& b) {
                            return a.config.num_steps < b.config.num_steps;
                          });
  const std::string text = format_count(least->config.num_steps);
  return (least->config.num_steps == most->config.num_steps
              ? text
              : text + " to " + format_count(most->config.num_steps)) +
         " steps";
}

/// What the metrics of a sweep mean, where their names do not say it.
std::vector<std::string> metric_notes(const ReproductionSweep& sweep) {
  std::vector<std::string> notes;
  const auto note = [&](const char* metric, const std::string& meaning) {
    if (std::count(sweep.metrics.begin(), sweep.metrics.end(), metric) > 0)
      notes.push_back(fmt::format("{}: {}", metric, meaning));
  };
  note("error", "of predicted classes, of the held-out records");
  const std::string largest = fmt::format(
      "the largest of the rates or differences that {} bounds, of predicted classes, of the ",
      sweep.constraint.substr(0, sweep.constraint.rfind(':')));
  const std::string nobody = "; those with a rate of nobody do not count";
  note("value", largest + "held-out records" + nobody);
  note("training value", largest + "records that were trained on" + nobody);
  note("all value", largest + "held-out records and of those that were trained on" + nobody);
  return notes;
}

/// By which rules verdicts and tests are given.
void add_rules(const ReproductionItem& item, std::vector<std::string>& notes) {
  const auto is_bound = [](const PrintedValue& value) {
    return value.kind != PrintedValue::Kind::kFigure;
  };
  const auto& published = &ReproductionMethod::published;
  if (any_value(item, published, std::not_fn(is_bound))) {
    notes.push_back(
        fmt::format("reproduces: within {:g} standard errors, the published one and ours together, "
                    "and half a unit of the last printed digit",
                    kNumErrors));
  }
  if (any_value(item, published, is_bound)) {
    notes.emplace_back("a bound reproduces: the mean is on its side");
  }
  if (!item.claims.empty()) {
    notes.push_back(
        fmt::format("tests: one-sided signed-rank test of pairs with the same seed, exact; "
                    "significant is p < {:g}; {} for each seed",
                    kSignificance,
                    item.sweep || !item.is_of_training() ? "one value"
                    : item.series.every > 0              ? "means of sizes of risks"
                                                         : "gaps by their size"));
  }
  if (any_value(item, &ReproductionMethod::target, [](const PrintedValue&) { return true; })) {
    notes.emplace_back(
        item.sweep
            ? "target: a prototype of the same method, at other steps and another public scaling"
            : "target: an independent re-implementation with the same hyper-parameters");
    notes.push_back(fmt::format(
        "a target is met: within {:g} standard errors, its own and ours together, and half a unit "
        "of its last digit; where its error is not printed but its number of runs is known, each "
        "of them is taken to vary as ours do",
        kNumTargetErrors));
  }
}

/// What a simulation does, and what its metrics mean.
std::vector<std::string> simulation_notes(const ReproductionItem& item, int64_t num_seeds) {
  const ReproductionSimulation& simulation = *item.simulation;
  const SimulationSettings& settings = simulation.settings;
  const StageOneBounds& stage_one = settings.stage_one;
  std::vector<std::string> notes = {fmt::format(
      "NOT PRIVATE: {} seeds of an insecure random source and floating-point noise; each seed is "
      "{}, and noise. {} steps, gradients clipped to {:g}, parameters within {:g}, relation {}",
      num_seeds, item.is_drawn() ? "a table drawn anew" : "a split of the table",
      settings.descent.num_steps, settings.bounds.max_grad_norm, settings.descent.box,
      to_string(settings.bounds.relation))};
  const bool is_logistic = settings.model == RegressionModel::kLogistic;
  notes.push_back(fmt::format(
      "splits that look at errors pay for stage one with {:g} % of the budget, other methods have "
      "the whole budget; {}",
      100 * settings.stage_one_share,
      is_logistic
          ? fmt::format("stage one is {} steps of descent and Brier's score", kStageOneSteps)
          : fmt::format("rows clipped to norm {:g}, targets to {:g}, residuals to {:g}",
                        stage_one.feature_norm_bound, stage_one.target_bound,
                        stage_one.residual_clip)));
  if (is_logistic) return notes;
  notes.push_back(item.is_drawn()
                      ? "MSPE: mean squared prediction error of new records of the group"
                      : "MSPE: mean squared prediction error of the group's held-out records, in "
                        "units of the scaled target");
  return notes;
}

/// What is drawn, how it is trained and tuned, and what is told.
std::vector<std::string> worst_group_notes(const ReproductionItem& item, int64_t num_seeds) {
  const ReproductionWorstGroup& settings = *item.worst_group;
  const bool is_drawn = settings.group_columns.empty();
  std::vector<std::string> notes = {
      fmt::format("NOT PRIVATE: {} seeds of an insecure random source and floating-point noise; "
                  "each seed is {}, and noise. {} steps on Poisson batches at rate {:g}, gradients "
                  "clipped to {}, losses counted up to {:g}, delta {:g}, noise calibrated by pld",
                  num_seeds, is_drawn ? "a problem drawn anew" : "a split of the table",
                  settings.num_steps, settings.sample_rate,
                  settings.max_grad_norms.size() > 1
                      ? fmt::format("{}, as tuned", fmt::join(settings.max_grad_norms, " or "))
                      : fmt::format("{:g}", settings.max_grad_norms[0]),
                  settings.loss_bound, settings.delta),
      fmt::format("tuned for each method and problem over learning rates {} and, where groups have "
                  "weights, rates of these {}, by the mean excess on {} other {}",
                  fmt::join(settings.learning_rates, ", "),
                  fmt::join(settings.group_learning_rates, ", "), settings.num_tuning_draws,
                  is_drawn ? "draws of the problem" : "splits"),
      fmt::format(
          "{:g} of the budget is for losses, where a method has no loss_shares to tune over",
          WorstGroupMethod().loss_shares[0]),
      "excess: the largest mean loss of any group on the training records, less the least "
      "possible; "
      "test: on other records"};
  if (!settings.phase_steps.empty()) {
    notes.push_back(fmt::format(
        "phased_erm has no batches: a phase for each power of two in the smallest group, features "
        "of norm {:g}, tuned over values {} of phase_step",
        settings.feature_bound, fmt::join(settings.phase_steps, ", ")));
  }
  if (!settings.online_rates.empty()) {
    notes.push_back(fmt::format(
        "oco_exp3 reads records one by one until the group that was drawn has none "
        "left, tuned over learning rates {} and rates of groups {}, both over the root "
        "of half the number of records, these over the bound of losses as well",
        fmt::join(settings.online_rates, ", "), fmt::join(settings.online_group_rates, ", ")));
  }
  if (is_drawn) {
    notes.emplace_back(
        "exponents: least squares of log excess over all problems at once, for each seed; a bound "
        "of "
        "the paper has them for the regime in which noise is all that counts");
  }
  return notes;
}

/// The same of means.
std::vector<std::string> means_notes(const ReproductionItem& item, int64_t num_seeds) {
  const MeansRecordsConfig& records = item.means->records;
  if (item.means->is_published()) {
    return {
        fmt::format("NOT PRIVATE: {} seeds of an insecure random source; rho {:g}, sizes of strata "
                    "are taken to be public; replace_one",
                    num_seeds, item.means->rho),
        fmt::format("{} within {:g} to {:g}. Published figures are compared with the exact means "
                    "beside them, of other records than can be had. Ours are of records made for "
                    "every seed, as many in each stratum as there: {}, cut to the bounds, and are "
                    "compared with these records' own means",
                    records.column, records.lower, records.upper,
                    records.is_exponential
                        ? std::string("exponential with the published mean")
                        : fmt::format("normal about the published mean with deviation {:g}",
                                      records.stddev)),
        "at 12: over the stratifications into more strata than the number before, and at most 12. "
        "global error: of the overall mean, in percent; group error: the mean over strata of how "
        "far off is what each is told, typical error: the median; errors are "
        "divided by the mean or a 20th of the bounds' width at least; beyond "
        "bounds: strata, in percent, that are told a mean outside the bounds"};
  }
  if (!item.methods.front().means->curve.empty()) {
    return {
        fmt::format("E sum ln |G_i|, of which the noise of stratified means grows; {} groups "
                    "of {} records in all; drawn: {} seeds",
                    records.num_groups, records.num_records, num_seeds)};
  }
  std::vector<std::string> notes = {fmt::format(
      "NOT PRIVATE: {} seeds of an insecure random source, sizes of groups are taken to be public; "
      "replace_one; errors are relative to the means of the records, in percent",
      num_seeds)};
  notes.push_back(
      item.is_drawn()
          ? fmt::format("records: groups by Dirichlet shares, means of groups normal about {:g} "
                        "with deviation {:g}, numbers within {:g} of theirs, bounds {:g} to {:g}",
                        records.centre, records.spread, records.stddev, records.lower,
                        records.upper)
          : fmt::format("records: all of the table's; seeds are of noise alone; {} within {:g} to "
                        "{:g}",
                        records.column, records.lower, records.upper));
  notes.emplace_back(
      "group error: the mean over groups of how far off is what each is told; parity error: over "
      "groups and everybody; errors are divided by the mean or a 20th of the bounds' width at "
      "least");
  return notes;
}

std::vector<std::string> synthesis_notes(const ReproductionItem& item, int64_t num_seeds) {
  const ReproductionSynthesis& synthesis = *item.synthesis;
  std::string others;
  for (const auto& [name, degree] : synthesis.degree_of)
    others += fmt::format(" ({} of {})", degree, name);
  std::vector<std::string> notes = {
      fmt::format("NOT PRIVATE: {} seeds of an insecure random source; each seed is a split of the "
                  "table, noise and rows. Delta {:g}, zero_out; workloads of marginals of {} "
                  "columns{}, {} bins of numbers, models of at most {:g} MB; {:g} % of the records "
                  "test classifiers, rows are made of and compared with the others",
                  num_seeds, synthesis.delta, synthesis.degree, others, synthesis.num_bins,
                  synthesis.max_model_megabytes, 100 * synthesis.test_fraction),
      "means: of all columns, codes as numbers; a group's error is divided by the mean or a 20th "
      "of "
      "the column's width at least; parity is the mean over groups and everybody"};
  if (synthesis.min_stratum > 0) {
    notes.push_back(
        fmt::format("strata with fewer than {} records share one model and count as one group",
                    synthesis.min_stratum));
  }
  return notes;
}

std::vector<std::string> notes_of(const ReproductionItem& item, int64_t num_seeds,
                                  int64_t num_epochs) {
  if (!item.is_of_training()) {
    std::vector<std::string> notes = item.worst_group ? worst_group_notes(item, num_seeds)
                                     : item.means     ? means_notes(item, num_seeds)
                                     : item.synthesis ? synthesis_notes(item, num_seeds)
                                                      : simulation_notes(item, num_seeds);
    add_rules(item, notes);
    notes.insert(notes.end(), item.notes.begin(), item.notes.end());
    return notes;
  }
  std::vector<std::string> notes = {fmt::format(
      "NOT PRIVATE: {} seeds of an insecure random source, preprocessing and figures from the "
      "records; Poisson batches of {:g} on average, {}",
      num_seeds, item.batch_size,
      item.sweep ? fmt::format("{}, the mean of iterates that train takes; each seed is a split",
                               steps_of(item))
                 : fmt::format("{} epochs, the last iterate", num_epochs))};
  if (item.sweep) {
    const std::vector<std::string> of_metrics = metric_notes(*item.sweep);
    notes.insert(notes.end(), of_metrics.begin(), of_metrics.end());
  } else if (item.is_table) {
    notes.push_back(
        "accuracy is that of the test records; loss that of the training batches of the last "
        "epoch, each before its update, as in the published code" +
        (item.reference.empty()
             ? std::string()
             : fmt::format("; privacy cost and excessive risk compare with {} of the same seed; "
                           "gaps are sizes of mean differences",
                           item.reference)));
  } else if (item.series.every > 0) {
    notes.push_back(fmt::format(
        "every {} steps: what the next step's batch does to the groups; gradients and Hessians of "
        "groups are those of all their training records{}; figures are means over these steps",
        item.series.every,
        item.series.num_directions > 0
            ? fmt::format(", traces from {} random directions", item.series.num_directions)
            : ""));
  } else {
    notes.emplace_back(
        "curves are means over the batches of each epoch, before each update; a batch without a "
        "record of the group adds 0; figures are means over epochs, gaps of sizes of differences");
  }
  add_rules(item, notes);
  if (!item.sweep) {
    const std::string_view preparation = find_reproduction_data(item.data).files.preparation;
    if (!preparation.empty()) notes.push_back(fmt::format("{}: {}", item.data, preparation));
    notes.emplace_back(
        "the published code samples and shuffles by Python's random numbers, which is not "
        "repeated: seeds choose other records here");
  }
  notes.insert(notes.end(), item.notes.begin(), item.notes.end());
  return notes;
}

/// What makes two runs of an item the same, beside method and seed.
nlohmann::ordered_json identity_of(const ReproductionItem& item, const ReproduceRequest& request,
                                   int64_t num_epochs) {
  if (item.synthesis) {
    // Figures share runs, and another synthesizer leaves those of the first as they are.
    const ReproductionSynthesis& synthesis = *item.synthesis;
    return {{"item", synthesis.grid},
            {"version", EQUINOISE_VERSION},
            {"data", item.data},
            {"table", sha256_hex(find_table_schema(item.data).text)},
            {"epsilons", synthesis.epsilons},
            {"delta", synthesis.delta},
            {"degree", synthesis.degree},
            {"degree_of", synthesis.degree_of},
            {"bins", synthesis.num_bins},
            {"max_model_megabytes", synthesis.max_model_megabytes},
            {"min_stratum", synthesis.min_stratum},
            {"test_fraction", synthesis.test_fraction},
            {"positive", synthesis.positive},
            {"columns", synthesis_columns(synthesis)}};
  }
  nlohmann::ordered_json identity = {{"item", item.runs.empty() ? item.name() : item.runs},
                                     {"version", EQUINOISE_VERSION},
                                     {"description", sha256_hex(item.text)},
                                     {"epochs", num_epochs}};
  if (item.sweep) identity["steps"] = request.steps.value_or(0);
  return identity;
}

/// What the points of a training run tell of; "" of other runs.
std::string series_of(const ReproductionItem& item) {
  return item.runs.empty() ? "" : describe(item.series);
}

/// A kept run, if all that the item follows was kept of it.
std::optional<ReproductionOutcome> find_kept(const KeptRuns& kept, const ReproductionItem& item,
                                             const std::string& method, uint64_t seed) {
  for (const SeriesChoice& series : item.also)
    if (!kept.find(method, seed, describe(series))) return std::nullopt;
  return kept.find(method, seed, series_of(item));
}

/// Keeps what is new of a run.
void keep_run(const ReproductionItem& item, const std::string& method, uint64_t seed,
              ReproductionOutcome outcome, KeptRuns& kept) {
  const auto add = [&](const std::string& series) {
    if (!kept.find(method, seed, series)) kept.add(method, seed, series, outcome);
  };
  add(series_of(item));
  for (size_t i = 0; i < item.also.size(); ++i) {
    outcome.points = outcome.also[i];
    add(describe(item.also[i]));
  }
}

/// All runs of an item: those of method m with seed s at [m][s], empty for a method that is
/// skipped.
std::vector<std::vector<ReproductionOutcome>> run_all(const ReproductionItem& item,
                                                      const ReproduceRequest& request,
                                                      int64_t num_seeds, int64_t num_epochs,
                                                      TrainProgress& progress) {
  if (!item.is_drawn())
    progress.stage(fmt::format("reading {} from {}", item.data, request.data_directory.string()));
  const std::unique_ptr<Experiment> experiment =
      item.worst_group  ? open_worst_group_experiment(item, request.data_directory)
      : item.simulation ? open_simulation_experiment(item, request.data_directory)
      : item.means      ? open_means_experiment(item, request.data_directory)
      : item.synthesis  ? open_synthesis_experiment(item, request.data_directory)
      : item.sweep      ? open_sweep_experiment(item, request.data_directory)
                   : open_training_experiment(item, num_epochs, request.data_directory, progress);
  std::optional<KeptRuns> kept;
  if (!request.runs_path.empty())
    kept.emplace(request.runs_path, identity_of(item, request, num_epochs), item.is_drawn());
  std::mutex kept_mutex;
  std::vector<std::vector<ReproductionOutcome>> outcomes(item.methods.size());
  std::vector<std::pair<size_t, size_t>> runs;
  int64_t num_steps = 0;
  const auto find_left = [&] {
    runs.clear();
    for (size_t s = 0; s < static_cast<size_t>(num_seeds); ++s) {
      for (size_t m = 0; m < item.methods.size(); ++m) {
        if (!why_skipped(item, item.methods[m], request, "").empty()) continue;
        outcomes[m].resize(static_cast<size_t>(num_seeds));
        auto found = kept ? find_kept(*kept, item, item.methods[m].name, s) : std::nullopt;
        if (found) {
          outcomes[m][s] = std::move(*found);
        } else {
          runs.emplace_back(m, s);
        }
      }
    }
  };
  find_left();
  if (kept && !runs.empty()) {
    kept->hold();
    find_left();
  }
  if (runs.empty()) {
    if (kept) progress.stage(fmt::format("{} has all runs", request.runs_path.string()));
    return outcomes;
  }
  for (const auto& [m, s] : runs) num_steps += experiment->num_steps(item.methods[m], s);
  progress.hold_interruptions();
  if (kept) {
    progress.stage(fmt::format("{} runs are left; {} keeps those that are done", runs.size(),
                               request.runs_path.string()));
  }
  RunsProgress steps(
      progress, num_steps,
      kept ? fmt::format("the same command goes on with the runs that were done (--runs {})",
                         request.runs_path.string())
           : "nothing was written (--runs FILE would have kept finished runs)");
  const auto do_run = [&](size_t i) {
    const auto [m, s] = runs[i];
    const ReproductionMethod& method = item.methods[m];
    ReproductionOutcome& outcome = outcomes[m][s];
    outcome = experiment->run(method, s,
                              {[&] { steps.step_done(); }, [&] { steps.check_interruption(); }});
    if (kept) {
      const std::lock_guard lock(kept_mutex);
      keep_run(item, method.name, s, outcome, *kept);
    }
    if (const std::string told = experiment->describe(outcome); !told.empty())
      steps.stage(fmt::format("{}, seed {}: {}", method.name, s, told));
  };
  // One after another, so that what is kept is whole seeds.
  std::atomic<size_t> next = 0;
  const size_t num_workers = std::min(runs.size(), static_cast<size_t>(request.threads));
  const auto write_kept = [&] {
    if (kept) kept->write();
  };
  try {
    parallel_for(num_workers, request.threads, [&](size_t) {
      for (size_t i = next++; i < runs.size(); i = next++) do_run(i);
    });
  } catch (...) {
    write_kept();
    throw;
  }
  write_kept();
  progress.finish_training();
  return outcomes;
}

/// Rows, tests and curves of an item from its runs.
void add_results(const ReproductionItem& item, const ReproduceRequest& request,
                 const std::string& obstacle, bool shortened,
                 const std::vector<std::vector<ReproductionOutcome>>& outcomes,
                 ReproductionReport& report) {
  AllFigures all;
  for (size_t m = 0; m < item.methods.size(); ++m) {
    const ReproductionMethod& method = item.methods[m];
    if (outcomes.empty() || outcomes[m].empty()) {
      const std::vector<ReproductionRow> rows =
          skipped_rows(item, method, why_skipped(item, method, request, obstacle));
      report.rows.insert(report.rows.end(), rows.begin(), rows.end());
      continue;
    }
    const auto reference = std::find_if(
        item.methods.begin(), item.methods.end(),
        [&](const ReproductionMethod& one) { return one.name == reference_of(item, method); });
    const auto* beside = reference == item.methods.end() || &*reference == &method
                             ? nullptr
                             : &outcomes[static_cast<size_t>(reference - item.methods.begin())];
    const std::vector<Figures>& figures = all[method.name] =
        figures_of(item, method, outcomes[m], beside);
    const std::vector<ReproductionRow> rows = rows_of(method, figures, shortened);
    report.rows.insert(report.rows.end(), rows.begin(), rows.end());
    for (size_t s = 0; s < outcomes[m].size() && has_curves(item); ++s)
      report.curves.push_back({method.name, s, outcomes[m][s].points});
  }
  report.tests = tests_of(item);
  for (ReproductionTest& test : report.tests) run_test(item, all, shortened, obstacle, test);
}

void check_method(const ReproductionItem& item, const std::string& name) {
  std::vector<std::string_view> names;
  for (const ReproductionMethod& method : item.methods) names.emplace_back(method.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw Error(
      ErrorKind::kUsage, kWhere,
      fmt::format("{} has no method {}; it has {}", item.name(), name, fmt::join(names, ", ")));
}

/// What the figures that --also names show of the item's runs.
void add_shared_series(const ReproduceRequest& request, ReproductionItem& item) {
  if (request.also.empty()) return;
  if (request.runs_path.empty())
    throw Error(ErrorKind::kUsage, kWhere, "--also needs --runs, which keeps what is followed");
  for (const std::string& name : request.also) {
    const ReproductionItem figure = find_reproduction_item(name);
    if (figure.runs.empty() || figure.runs != item.runs) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("--also: {} does not tell of the runs of {}", name, item.name()));
    }
    item.also.push_back(figure.series);
  }
}

/// The item with the request's own efforts.
ReproductionItem item_as_asked(ReproductionItem item, const ReproduceRequest& request) {
  const auto refuse = [&](const char* option, const char* what) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{} is for items that {}; {} does not", option, what, item.name()));
  };
  if (!item.parts.empty()) return item;
  add_shared_series(request, item);
  const auto takes = [&](auto SeriesChoice::*effort, auto value) {
    bool taken = false;
    const auto take = [&](SeriesChoice& series) {
      if (series.*effort == 0) return;
      const auto asked = static_cast<std::decay_t<decltype(series.*effort)>>(value);
      if (series.*effort != asked) item.has_other_looks = true;
      series.*effort = asked;
      taken = true;
    };
    take(item.series);
    for (SeriesChoice& series : item.also) take(series);
    return taken;
  };
  if (request.every && !takes(&SeriesChoice::every, *request.every))
    refuse("--every", "look at single steps");
  if (request.directions && !takes(&SeriesChoice::num_directions, *request.directions))
    refuse("--directions", "estimate traces");
  if (request.epochs && (item.sweep || !item.is_of_training()))
    refuse("--epochs", "train by epochs");
  if (!request.methods.empty() && item.has_short_runs()) refuse("--methods", "take long");
  for (const std::string& name : request.methods) check_method(item, name);
  if (request.steps) {
    if (!item.sweep) refuse("--steps", "train under constraints");
    for (ReproductionMethod& method : item.methods) method.config.num_steps = *request.steps;
  }
  return item;
}

ReproductionReport reproduce_item(const ReproductionItem& item, const ReproduceRequest& request,
                                  TrainProgress& progress) {
  const int64_t num_seeds = request.seeds.value_or(item.seeds);
  const int64_t num_epochs = request.epochs.value_or(item.epochs);
  const std::string obstacle = find_obstacle(item, request.data_directory);
  ReproductionReport report;
  report.groups = item.groups;
  report.position = position_of(item);
  report.columns = columns_of(item);
  report.charts = item.charts;
  report.notes = notes_of(item, num_seeds, num_epochs);
  std::vector<std::vector<ReproductionOutcome>> outcomes;
  if (obstacle.empty()) outcomes = run_all(item, request, num_seeds, num_epochs, progress);
  const bool shortened =
      num_epochs != item.epochs || request.steps.has_value() || item.has_other_looks;
  add_results(item, request, obstacle, shortened, outcomes, report);
  return report;
}

/// One part after another; methods are named with the data of their part, or with its column.
ReproductionReport reproduce_parts(const ReproductionItem& item, const ReproduceRequest& request,
                                   TrainProgress& progress) {
  ReproductionReport report;
  for (const std::string& name : item.parts) {
    ReproduceRequest part_request = request;
    const ReproductionItem part = item_as_asked(find_reproduction_item(name), request);
    if (!request.runs_path.empty()) part_request.runs_path += "." + part.item;
    ReproductionReport one = reproduce_item(part, part_request, progress);
    const std::string label =
        part.means && !part.means->records.column.empty() ? part.means->records.column : part.data;
    const std::string prefix = label + ": ";
    const auto rename = [&](std::string& method) { method.insert(0, prefix); };
    for (ReproductionRow& row : one.rows) {
      rename(row.method);
      report.rows.push_back(std::move(row));
    }
    for (ReproductionTest& test : one.tests) {
      rename(test.better);
      rename(test.than);
      report.tests.push_back(std::move(test));
    }
    for (ReproductionCurve& curve : one.curves) {
      rename(curve.method);
      report.curves.push_back(std::move(curve));
    }
    for (ReproductionChart& chart : one.charts) {
      chart.title = label + ", " + chart.title;
      chart.prefix = prefix;
      report.charts.push_back(std::move(chart));
    }
    report.position = one.position;
    report.columns = one.columns;
    for (std::string& note : one.notes)
      if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end())
        report.notes.push_back(std::move(note));
  }
  return report;
}

}  // namespace

Verdict compare_with_published(const PrintedValue& published, double ours, double standard_error) {
  return agrees(published, ours, standard_error, kNumErrors) ? Verdict::kReproduces
                                                             : Verdict::kDiffers;
}

double error_of_target(const PrintedValue& target, double standard_error, int64_t num_seeds) {
  if (target.standard_error > 0 || target.num_runs == 0) return target.standard_error;
  return standard_error *
         std::sqrt(static_cast<double>(num_seeds) / static_cast<double>(target.num_runs));
}

bool meets_target(const PrintedValue& target, double ours, double standard_error) {
  return agrees(target, ours, standard_error, kNumTargetErrors);
}

ReproductionReport reproduce(const ReproduceRequest& request, TrainProgress& progress) {
  return reproduce(find_reproduction_item(request.item), request, progress);
}

ReproductionReport reproduce(ReproductionItem item, const ReproduceRequest& request,
                             TrainProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  item = item_as_asked(std::move(item), request);
  std::optional<OutputFolder> folder;
  if (!request.out_path.empty()) {
    constexpr int64_t kRoom = 1 << 20;
    folder.emplace(request.out_path, request.force, output_files(item), kRoom);
  }
  ReproductionReport report = item.parts.empty() ? reproduce_item(item, request, progress)
                                                 : reproduce_parts(item, request, progress);
  report.paper = item.paper;
  report.item = item.item;
  report.summary = item.summary;
  report.is_drawn = item.is_drawn();
  report.command = request.command;
  report.version = EQUINOISE_VERSION;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (folder) {
    for (const std::string& name : output_files(item))
      report.files.push_back(folder->final_path(name));
    folder->write("report.json", to_text(reproduction_to_json(report)), Audience::kOwner);
    folder->write("report.html", reproduction_to_html(report), Audience::kOwner);
    if (has_curves(item))
      folder->write("curves.csv", reproduction_curves_to_csv(report), Audience::kOwner);
    folder->commit();
  }
  return report;
}

}  // namespace equinoise

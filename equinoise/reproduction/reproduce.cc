#include "equinoise/reproduction/reproduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/reproduction/data/datasets.h"
#include "equinoise/reproduction/data/models.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/figures.h"
#include "equinoise/reproduction/report_files.h"
#include "equinoise/reproduction/runs.h"
#include "equinoise/reproduction/verdict.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";
bool has_curves(const ReproductionItem& item) {
  return !item.is_table || item.sweep || !item.is_of_training() || !item.parts.empty();
}

std::vector<std::string> output_files(const ReproductionItem& item) {
  std::vector<std::string> files = {"report.json", "report.html"};
  if (has_curves(item)) files.emplace_back("curves.csv");
  return files;
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
  std::vector<std::string> notes;
  const auto add = [&](const std::vector<std::string>& more) {
    notes.insert(notes.end(), more.begin(), more.end());
  };
  const std::string target =
      item.sweep ? "a prototype of the same method, at other steps and another public scaling"
                 : "an independent re-implementation with the same hyper-parameters";
  if (!item.is_of_training()) {
    notes = item.worst_group ? worst_group_notes(item, num_seeds)
            : item.means     ? means_notes(item, num_seeds)
            : item.synthesis ? synthesis_notes(item, num_seeds)
                             : simulation_notes(item, num_seeds);
    add(rules_of(item, "one value", target));
    notes.insert(notes.end(), item.notes.begin(), item.notes.end());
    return notes;
  }
  notes.push_back(fmt::format(
      "NOT PRIVATE: {} seeds of an insecure random source, preprocessing and figures from the "
      "records; Poisson batches of {:g} on average, {}",
      num_seeds, item.batch_size,
      item.sweep ? fmt::format("{}, the mean of iterates that train takes; each seed is a split",
                               steps_of(item))
                 : fmt::format("{} epochs, the last iterate", num_epochs)));
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
  add(rules_of(item,
               item.sweep              ? "one value"
               : item.series.every > 0 ? "means of sizes of risks"
                                       : "gaps by their size",
               target));
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

/// Rows, tests and curves of an item from its runs.
void add_results(const ReproductionItem& item, const ReproduceRequest& request,
                 const std::string& obstacle, bool shortened,
                 const std::vector<std::vector<ReproductionOutcome>>& outcomes,
                 ReproductionReport& report) {
  AllFigures all;
  const std::vector<ReproductionOutcome> none;
  for (size_t m = 0; m < item.methods.size(); ++m) {
    const ReproductionMethod& method = item.methods[m];
    std::vector<ReproductionRow> rows;
    if (outcomes.empty() || outcomes[m].empty()) {
      rows = skipped_rows(
          method, figures_of(item, method, none, method.reference.empty() ? nullptr : &none),
          why_skipped(item, method, request, obstacle), !has_curves(item));
    } else {
      const auto reference =
          std::find_if(item.methods.begin(), item.methods.end(),
                       [&](const ReproductionMethod& one) { return one.name == method.reference; });
      const auto* beside = reference == item.methods.end()
                               ? nullptr
                               : &outcomes[static_cast<size_t>(reference - item.methods.begin())];
      all[method.name] = figures_of(item, method, outcomes[m], beside);
      rows = rows_of(method, all[method.name], shortened);
      for (size_t s = 0; s < outcomes[m].size() && has_curves(item); ++s)
        report.curves.push_back({method.name, s, outcomes[m][s].points});
    }
    report.rows.insert(report.rows.end(), rows.begin(), rows.end());
  }
  report.tests = tests_of(item, all, shortened, obstacle);
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

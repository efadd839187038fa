// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "equinoise/audit/seed_mean.h"
#include "equinoise/base/error.h"
#include "equinoise/base/sha256.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/constraint_writer.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/report/compare/compare_csv.h"
#include "equinoise/report/compare/compare_json.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/compare/contenders.h"
#include "equinoise/tasks/compare/dominance.h"
#include "equinoise/tasks/compare/run_outcome.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/runs/kept_runs.h"
#include "equinoise/tasks/runs/many_runs.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kWhere = "tasks.compare";

/// Raised whenever the same run comes to have other figures: by a change of a method, of how plans
/// settle what was left open, of splits or of how models are judged. Runs that were kept before are
/// refused from then on.
constexpr int64_t kRunRevision = 1;

const std::vector<std::string> kCompareFiles = {"compare.json", "compare.csv"};

/// Of this thread, so that runs next to it and other programs do not count.
double thread_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The steps of one run, as a part of all.
class PartProgress final : public TrainProgress {
 public:
  PartProgress(RunsProgress& all, int64_t num_steps) : all_(all), num_left_(num_steps) {}
  bool interrupted() const override { return all_.interrupted(); }
  void step_done(int64_t) override {
    if (num_left_ <= 0) return;
    --num_left_;
    all_.steps_done();
  }
  /// Those that the run did not tell of.
  void finish() {
    if (num_left_ > 0) all_.steps_done(std::exchange(num_left_, 0));
  }

 private:
  RunsProgress& all_;
  int64_t num_left_;
};

Json options_json(std::span<const Setting> options) {
  Json json = Json::object();
  for (const Setting& option : options) json[option.name] = option_to_json(option.value);
  return json;
}

/// What makes runs the same, next to their keys.
Json identity_of_runs(const CompareRequest& request, const Schema& schema) {
  const TrainRequest& training = request.training;
  Json options = options_json(settings_of<TrainingConfig>(shared_options(), training.config));
  options.erase("epsilon");
  options.erase("noise_multiplier");
  for (const Setting& option : settings_of<TrainingConfig>(training_options(), training.config)) {
    const bool is_given =
        std::find(request.given.begin(), request.given.end(), option.name) != request.given.end();
    if (is_given) options[option.name] = option_to_json(option.value);
  }
  Json constraints;
  if (!training.constraints.empty() || !training.constraints_path.empty()) {
    const ConstraintDomain domain = constraint_domain(schema);
    constraints = Json::parse(constraints_to_json(
        gather_constraints(training.constraints_path, training.constraints, domain), domain));
  }
  return {{"task", "compare"},
          {"revision", kRunRevision},
          {"version", EQUINOISE_VERSION},
          {"records", hash_of_files({training.data_path, training.labels_path}, "")},
          {"schema", sha256_hex(schema.source_text)},
          {"target", schema.target},
          {"model", training.model},
          {"network", to_json(training.network)},
          {"init_seed", training.network.init_seed},
          {"groups", training.groupings},
          {"min_group_size", training.group_floor.min_size},
          {"small_groups", static_cast<int>(training.group_floor.policy)},
          {"constraints", constraints},
          {"test_fraction", training.test_fraction},
          {"options", options}};
}

Json key_of_row(const CompareRow& row, uint64_t seed) {
  return {{"method", row.method},
          {"options", options_json(row.options)},
          {"epsilon", row.epsilon ? Json(*row.epsilon) : Json(nullptr)},
          {"seed", seed}};
}

/// One comparison, act by act, in the order of the functions: what can fail for a reason that can
/// be checked fails before the first run.
class Comparison {
 public:
  Comparison(const CompareRequest& request, TrainProgress& progress)
      : request_(request), progress_(progress), contenders_(plan_all(request)) {}

  void read() {
    const TrainRequest& training = request_.training;
    table_ = read_table_files({training.data_path, training.labels_path}, schema(),
                              TableUse::kDescribed, progress_);
    for (int64_t s = 0; s < request_.num_seeds; ++s) {
      splits_.push_back(
          split_records(schema().num_records, training.test_fraction, static_cast<uint64_t>(s)));
      facts_.push_back(held_out_facts(table_, first().setup, training.group_floor, splits_.back()));
    }
    runs_.assign(contenders_.ready.size(), std::vector<std::optional<CompareRun>>(facts_.size()));
    failures_.resize(contenders_.ready.size());
  }

  void open_files() {
    if (!request_.runs_path.empty()) {
      kept_.emplace(
          request_.runs_path,
          KeptRunsHeader{"NOT PRIVATE, DO NOT PUBLISH: figures computed from held-out records "
                         "without noise",
                         identity_of_runs(request_, schema()),
                         [num_groups = first().row.group_privacy.size()](const Json& outcome) {
                           if (run_from_json(outcome).groups.size() != num_groups)
                             throw Error(ErrorKind::kInput, kWhere,
                                         "--runs holds a run of other groups; give another");
                         }});
      take_kept();
      if (num_left() > 0) {
        kept_->hold();
        take_kept();
      }
    }
    if (!request_.out_path.empty()) {
      const auto num_runs = static_cast<int64_t>(runs_.size() * facts_.size());
      const int64_t size = 262'144 + num_runs * 256 * (1 + std::ssize(first().row.group_privacy));
      folder_.emplace(request_.out_path, request_.force, kCompareFiles, size);
    }
  }

  /// In the order of seeds, so that what is kept of an interrupted comparison is whole seeds.
  void run() {
    struct Left {
      size_t row;
      size_t seed;
    };
    std::vector<Left> left;
    int64_t num_steps = 0;
    for (size_t s = 0; s < facts_.size(); ++s) {
      for (size_t i = 0; i < runs_.size(); ++i) {
        if (runs_[i][s]) continue;
        left.push_back({i, s});
        num_steps += steps_of(i);
      }
    }
    progress_.stage(fmt::format(
        "{} run{}: {} row{} of {} seed{}{}", format_count(num_all()), num_all() == 1 ? "" : "s",
        runs_.size(), runs_.size() == 1 ? "" : "s", facts_.size(), facts_.size() == 1 ? "" : "s",
        std::ssize(left) == num_all()
            ? ""
            : fmt::format("; {} of them are kept in {}", format_count(num_all() - std::ssize(left)),
                          request_.runs_path.string())));
    if (left.empty()) return;
    progress_.hold_interruptions();
    RunsProgress steps(
        progress_, num_steps, kWhere,
        kept_ ? fmt::format("the same command resumes after the finished runs (--runs {})",
                            request_.runs_path.string())
              : "nothing was written (--runs FILE would have kept finished runs)");
    try {
      run_side_by_side(left.size(), request_.threads,
                       [&](size_t k) { do_run(left[k].row, left[k].seed, steps); });
    } catch (...) {
      if (kept_) kept_->write();
      throw;
    }
    if (kept_) kept_->write();
    progress_.finish_training();
    // That each one failed is no comparison.
    if (std::all_of(failures_.begin(), failures_.end(),
                    [](const auto& failures) { return !failures.empty(); }))
      throw Error(ErrorKind::kRuntime, kWhere, "every method failed: " + problem_of(0));
  }

  CompareReport report() && {
    CompareReport report;
    report.version = EQUINOISE_VERSION;
    report.dataset = schema().dataset;
    report.target = schema().target;
    report.classes = schema().column(schema().target).values;
    report.num_records = schema().num_records;
    report.test_fraction = request_.training.test_fraction;
    report.num_seeds = request_.num_seeds;
    report.has_constraints = first().setup.judged_by != nullptr;
    report.is_public = request_.training.public_data;
    report.groups = groups();
    std::vector<double> constants;
    for (const HeldOutFacts& facts : facts_) constants.push_back(facts.constant_error);
    report.constant = mean_over_seeds(constants);
    // While the rows are still here.
    report.warnings = gather_warnings();
    for (size_t i = 0; i < runs_.size(); ++i) report.rows.push_back(row(i, report.groups));
    std::stable_sort(report.rows.begin(), report.rows.end(), is_before);
    report.skipped = std::move(contenders_.skipped);
    report.ingest_notes = ingest_notes(table_, schema().target);
    report.command = request_.training.command;
    mark_dominated(report);
    recommend(report);
    if (folder_) {
      for (const std::string& name : kCompareFiles)
        report.files.push_back(folder_->final_path(name));
      folder_->write("compare.json", to_text(compare_to_json(report)), Audience::kOwner);
      folder_->write("compare.csv", compare_to_csv(report), Audience::kOwner);
      folder_->commit();
    }
    return report;
  }

 private:
  static Contenders plan_all(const CompareRequest& request) {
    if (!request.out_path.empty())
      OutputFolder::check(request.out_path, request.force, kCompareFiles);
    return find_contenders(request);
  }

  const Contender& first() const { return contenders_.ready.front(); }
  const Schema& schema() const { return first().setup.schema; }
  int64_t num_all() const { return static_cast<int64_t>(runs_.size() * facts_.size()); }

  int64_t num_left() const {
    int64_t count = 0;
    for (const auto& runs : runs_) count += std::count(runs.begin(), runs.end(), std::nullopt);
    return count;
  }

  int64_t steps_of(size_t i) const {
    return std::max<int64_t>(contenders_.ready[i].setup.plan.config.num_steps, 1);
  }

  /// Why a contender has no figures, or "": of its first seed that failed, whichever ended first.
  std::string problem_of(size_t i) const {
    return failures_[i].empty() ? "" : failures_[i].begin()->second;
  }

  /// What plans warn of, each once, with the names of the rows that it is true of unless it is true
  /// of all, and with their epsilons where it is not true at all of these.
  std::vector<std::string> gather_warnings() const {
    using Epsilons = std::vector<double>;
    std::map<std::string, size_t> num_rows;  // by name
    std::vector<std::pair<std::string, std::map<std::string, Epsilons>>> found;
    for (const Contender& contender : contenders_.ready) {
      const std::string name = name_of_row(contender.row);
      ++num_rows[name];
      for (const std::string& text : contender.warnings) {
        auto place = std::find_if(found.begin(), found.end(),
                                  [&](const auto& other) { return other.first == text; });
        if (place == found.end()) place = found.insert(place, {text, {}});
        place->second[name].push_back(contender.row.epsilon.value_or(0));
      }
    }
    std::vector<std::string> warnings;
    if (!schema().reviewed) {
      warnings.emplace_back(
          "the schema is not reviewed: what its draft learnt from the table is in no row's "
          "privacy, and a paid run with it is NOT PRIVATE");
    }
    for (const auto& [text, rows] : found) {
      size_t num_true = 0;
      std::vector<std::string> names;
      for (const auto& [name, epsilons] : rows) {
        num_true += epsilons.size();
        names.push_back(epsilons.size() == num_rows[name]
                            ? name
                            : fmt::format("{} at epsilon {}", name, fmt::join(epsilons, " and ")));
      }
      warnings.push_back(num_true == contenders_.ready.size()
                             ? text
                             : fmt::format("{}: {}", fmt::join(names, ", "), text));
    }
    return warnings;
  }

  void take_kept() {
    for (size_t i = 0; i < runs_.size(); ++i) {
      for (size_t s = 0; s < facts_.size(); ++s) {
        if (const Json* kept = kept_->find(key_of_row(contenders_.ready[i].row, s)))
          runs_[i][s] = run_from_json(*kept);
      }
    }
  }

  void do_run(size_t i, size_t s, RunsProgress& steps) {
    steps.check_interruption();
    const Contender& contender = contenders_.ready[i];
    TrainRequest request = contender.request;
    request.insecure_seed = s;
    request.split_seed = s;
    TrainingSetup setup = contender.setup;
    setup.split = splits_[s];
    PartProgress progress(steps, steps_of(i));
    const double start = thread_seconds();
    try {
      const TrainingReport trained = train(request, std::move(setup), table_, progress);
      runs_[i][s] = figures_of_run(trained, facts_[s], thread_seconds() - start);
    } catch (const Error& error) {
      steps.check_interruption();
      const std::lock_guard lock(mutex_);
      failures_[i][s] = without_place(error.what());
    }
    progress.finish();
    if (!kept_ || !runs_[i][s]) return;
    const std::lock_guard lock(mutex_);
    kept_->add(key_of_row(contender.row, s), run_to_json(*runs_[i][s]));
  }

  std::vector<CompareGroup> groups() const {
    std::vector<CompareGroup> groups;
    for (const Grouping& grouping : first().setup.groupings)
      for (const GroupLabel& label : grouping.groups)
        groups.push_back({label, columns_of(label), 0, false});
    for (size_t k = 0; k < groups.size(); ++k) {
      groups[k].least_held_out = facts_.front().group_sizes[k];
      for (const HeldOutFacts& facts : facts_)
        groups[k].least_held_out = std::min(groups[k].least_held_out, facts.group_sizes[k]);
      groups[k].is_counted = groups[k].least_held_out >= kLeastHeldOut;
    }
    return groups;
  }

  CompareRow row(size_t i, const std::vector<CompareGroup>& groups) {
    CompareRow row = std::move(contenders_.ready[i].row);
    row.problem = problem_of(i);
    if (!row.problem.empty()) return row;
    for (size_t s = 0; s < facts_.size(); ++s) {
      CompareRun& run = row.runs.emplace_back(std::move(*runs_[i][s]));
      run.seed = s;
      set_group_figures(groups, run);
    }
    const auto mean_of = [&](double CompareRun::*figure) {
      std::vector<double> values;
      for (const CompareRun& run : row.runs) values.push_back(run.*figure);
      return mean_over_seeds(values);
    };
    // The mean of what cannot be below 0 (and, of classes, above 1) is not there either.
    const double most = schema().column(schema().target).values.empty()
                            ? std::numeric_limits<double>::infinity()
                            : 1;
    const auto error_of = [&](double CompareRun::*figure) {
      Estimate estimate = mean_of(figure);
      if (!std::isfinite(estimate.interval.low)) return estimate;
      estimate.interval.low = std::max(estimate.interval.low, 0.0);
      estimate.interval.high = std::min(estimate.interval.high, most);
      return estimate;
    };
    row.overall = error_of(&CompareRun::overall);
    row.worst_group = error_of(&CompareRun::worst_group);
    row.gap = error_of(&CompareRun::gap);
    row.violation = mean_of(&CompareRun::violation);
    row.seconds = mean_of(&CompareRun::seconds);
    return row;
  }

  /// By epsilon, references last; then by overall error, those without one last.
  static bool is_before(const CompareRow& a, const CompareRow& b) {
    if (a.epsilon != b.epsilon) return a.epsilon && (!b.epsilon || *a.epsilon < *b.epsilon);
    const double left = a.overall.value;
    const double right = b.overall.value;
    return std::isfinite(left) && (!std::isfinite(right) || left < right);
  }

  const CompareRequest& request_;
  TrainProgress& progress_;
  Contenders contenders_;
  Dataset table_;
  std::vector<Split> splits_;                                 // (seeds)
  std::vector<HeldOutFacts> facts_;                           // (seeds)
  std::vector<std::vector<std::optional<CompareRun>>> runs_;  // (contenders, seeds)
  std::vector<std::map<size_t, std::string>> failures_;       // (contenders) by seed
  std::optional<KeptRuns> kept_;
  std::optional<OutputFolder> folder_;
  std::mutex mutex_;  // of failures_ and kept_
};

}  // namespace

CompareReport compare(const CompareRequest& request, TrainProgress& progress) {
  Comparison comparison(request, progress);
  comparison.read();
  comparison.open_files();
  comparison.run();
  return std::move(comparison).report();
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "equinoise/audit/seed_mean.h"
#include "equinoise/base/error.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/compare/compare_subject.h"
#include "equinoise/tasks/compare/contenders.h"
#include "equinoise/tasks/compare/dominance.h"
#include "equinoise/tasks/compare/run_figures.h"
#include "equinoise/tasks/runs/kept_runs.h"
#include "equinoise/tasks/runs/many_runs.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kWhere = "tasks.compare";

/// Increased whenever the same run gets other figures, because a method, the settling of open
/// options, splits or the evaluation of models have changed. Runs kept under an earlier revision
/// are refused.
constexpr int64_t kRunRevision = 2;

constexpr int64_t kPageBytes = 2'000'000;  // of the report without the parts that grow with runs
constexpr int64_t kRunBytes = 1'024;       // of a run, overall and for each group

const std::vector<std::string> kCompareFiles = {"compare.json", "compare.csv", "report.html"};

/// The steps of one run, as a part of all runs.
class PartProgress final : public TrainProgress {
 public:
  PartProgress(RunsProgress& all, int64_t num_steps) : all_(all), num_left_(num_steps) {}
  bool interrupted() const override { return all_.interrupted(); }
  void step_done(int64_t) override {
    if (num_left_ <= 0) return;
    --num_left_;
    all_.steps_done();
  }
  /// Reports the steps that the run did not report.
  void finish() {
    if (num_left_ > 0) all_.steps_done(std::exchange(num_left_, 0));
  }

 private:
  RunsProgress& all_;
  int64_t num_left_;
};

/// The facts that identify runs, in addition to their keys.
Json identity_of_runs(const CompareSubject& subject) {
  Json identity = {{"task", "compare"}, {"revision", kRunRevision}, {"version", EQUINOISE_VERSION}};
  identity.update(subject.identity());
  return identity;
}

Json key_of_row(const CompareRow& row, uint64_t seed) {
  return {{"method", row.method},
          {"options", to_json(row.options)},
          {"epsilon", row.epsilon ? Json(*row.epsilon) : Json(nullptr)},
          {"seed", seed}};
}

/// One comparison, in stages, in the order of the functions. All failures that can be checked in
/// advance happen before the first run.
class Comparison {
 public:
  Comparison(const CompareRequest& request, CompareSubject& subject, TrainProgress& progress)
      : request_(request),
        subject_(subject),
        progress_(progress),
        contenders_(plan_all(request, subject)) {}

  void read() {
    subject_.read(request_.num_seeds, progress_);
    runs_.assign(contenders_.ready.size(), std::vector<std::optional<CompareRun>>(num_seeds()));
    failures_.resize(contenders_.ready.size());
  }

  void open_files() {
    if (!request_.runs_path.empty()) {
      kept_.emplace(
          request_.runs_path,
          KeptRunsHeader{
              "NOT PRIVATE, DO NOT PUBLISH: figures computed from records without "
              "noise",
              identity_of_runs(subject_),
              [num_groups = num_groups(), metric = subject_.metric()](const Json& outcome) {
                if (run_from_json(outcome, metric).groups.size() != num_groups)
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
      const int64_t size =
          kPageBytes + num_all() * kRunBytes * static_cast<int64_t>(1 + num_groups());
      folder_.emplace(request_.out_path, request_.force, kCompareFiles, size);
    }
  }

  /// Ordered by seed, so that an interrupted comparison keeps complete seeds.
  void run() {
    struct Left {
      size_t row;
      size_t seed;
    };
    std::vector<Left> left;
    int64_t num_steps = 0;
    for (size_t s = 0; s < num_seeds(); ++s) {
      for (size_t i = 0; i < runs_.size(); ++i) {
        if (runs_[i][s]) continue;
        left.push_back({i, s});
        num_steps += steps_of(i);
      }
    }
    progress_.stage(fmt::format(
        "{} run{}: {} row{} of {} seed{}{}", format_count(num_all()), num_all() == 1 ? "" : "s",
        runs_.size(), runs_.size() == 1 ? "" : "s", num_seeds(), num_seeds() == 1 ? "" : "s",
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
    // There is nothing to compare if every method failed.
    if (std::ranges::all_of(failures_, [](const auto& failures) { return !failures.empty(); }))
      throw Error(ErrorKind::kRuntime, kWhere, "every method failed: " + problem_of(0));
  }

  CompareReport report() && {
    CompareReport report;
    report.version = EQUINOISE_VERSION;
    report.dataset = subject_.schema().dataset;
    report.unit = ProtectedUnit::of(subject_.schema());
    report.num_records = subject_.schema().num_records;
    report.num_seeds = request_.num_seeds;
    subject_.describe(report);
    for (CompareGroup& group : report.groups)
      group.is_counted = group.num_records >= report.min_records;
    // Before the rows are moved.
    report.warnings = gather_warnings();
    for (size_t i = 0; i < runs_.size(); ++i) report.rows.push_back(row(i, report));
    std::ranges::stable_sort(report.rows, is_before);
    set_differences(report.rows, &CompareRow::overall, &CompareRun::overall,
                    &CompareRow::overall_above_best);
    set_differences(report.rows, &CompareRow::worst_group, &CompareRun::worst_group,
                    &CompareRow::worst_group_above_best);
    report.skipped = std::move(contenders_.skipped);
    mark_dominated(report);
    recommend(report);
    if (folder_) {
      for (const std::string& name : kCompareFiles)
        report.files.push_back(folder_->final_path(name));
      folder_->write("compare.json", to_text(compare_to_json(report)));
      folder_->write("compare.csv", compare_to_csv(report));
      folder_->write("report.html", to_page(compare_document(report)));
      folder_->commit();
    }
    return report;
  }

 private:
  static Contenders plan_all(const CompareRequest& request, CompareSubject& subject) {
    if (!request.out_path.empty())
      OutputFolder::check(request.out_path, request.force, kCompareFiles);
    return find_contenders(request, subject);
  }

  size_t num_seeds() const { return static_cast<size_t>(request_.num_seeds); }
  size_t num_groups() const { return contenders_.ready.front().row.group_privacy.size(); }
  int64_t num_all() const { return static_cast<int64_t>(runs_.size() * num_seeds()); }

  int64_t num_left() const {
    int64_t count = 0;
    for (const auto& runs : runs_)
      count += std::ranges::count_if(runs, [](const auto& run) { return !run; });
    return count;
  }

  int64_t steps_of(size_t i) const { return std::max<int64_t>(contenders_.ready[i].num_steps, 1); }

  /// The reason why a contender has no figures, or "". It is that of the first seed that failed,
  /// whichever run ended first.
  std::string problem_of(size_t i) const {
    return failures_[i].empty() ? "" : failures_[i].begin()->second;
  }

  /// The warnings of plans, each once. A warning names the rows that it applies to unless it
  /// applies to all, and their epsilons unless it applies at every epsilon of these.
  std::vector<std::string> gather_warnings() const {
    using Epsilons = std::vector<double>;
    std::map<std::string, size_t> num_rows;  // by name
    std::vector<std::pair<std::string, std::map<std::string, Epsilons>>> found;
    for (const Contender& contender : contenders_.ready) {
      const std::string name = name_of_row(contender.row);
      ++num_rows[name];
      const auto add = [&](const std::string& text) {
        auto place =
            std::ranges::find_if(found, [&](const auto& other) { return other.first == text; });
        if (place == found.end()) place = found.insert(place, {text, {}});
        place->second[name].push_back(contender.row.epsilon.value_or(0));
      };
      std::ranges::for_each(contender.row.warnings, add);
      std::ranges::for_each(contender.row.notes, add);
    }
    std::vector<std::string> warnings;
    if (!subject_.schema().reviewed) {
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
      for (size_t s = 0; s < num_seeds(); ++s) {
        if (const Json* kept = kept_->find(key_of_row(contenders_.ready[i].row, s)))
          runs_[i][s] = run_from_json(*kept, subject_.metric());
      }
    }
  }

  void do_run(size_t i, size_t s, RunsProgress& steps) {
    steps.check_interruption();
    const Contender& contender = contenders_.ready[i];
    PartProgress progress(steps, steps_of(i));
    const double start = thread_seconds();
    try {
      CompareRun run = contender.run(s, progress);
      run.seed = s;
      run.seconds = thread_seconds() - start;
      runs_[i][s] = std::move(run);
    } catch (const Error& error) {
      steps.check_interruption();
      const std::lock_guard lock(mutex_);
      failures_[i][s] = error.problem();
    }
    progress.finish();
    if (!kept_ || !runs_[i][s]) return;
    const std::lock_guard lock(mutex_);
    kept_->add(key_of_row(contender.row, s), run_to_json(*runs_[i][s]));
  }

  CompareRow row(size_t i, const CompareReport& report) {
    CompareRow row = std::move(contenders_.ready[i].row);
    row.problem = problem_of(i);
    if (!row.problem.empty()) return row;
    for (size_t s = 0; s < num_seeds(); ++s) {
      CompareRun& run = row.runs.emplace_back(std::move(*runs_[i][s]));
      run.seed = s;
      set_group_figures(report.groups, run);
    }
    const auto mean_of = [&](const auto& figure) {
      std::vector<double> values;
      for (const CompareRun& run : row.runs) values.push_back(std::invoke(figure, run));
      return mean_over_seeds(values);
    };
    // Nor can the mean of values that are at least 0 (and, for shares, at most 1) be outside this
    // range.
    const double most = report.is_share ? 1 : std::numeric_limits<double>::infinity();
    const auto error_of = [&](const auto& figure) {
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
    for (size_t k = 0; k < report.groups.size(); ++k)
      row.group_errors.push_back(error_of([k](const CompareRun& run) { return run.groups[k]; }));
    return row;
  }

  /// Sets how much larger a figure is than the least one with a guarantee at the same epsilon.
  static void set_differences(std::vector<CompareRow>& rows, Estimate CompareRow::*mean,
                              double CompareRun::*figure, Estimate CompareRow::*difference) {
    for (CompareRow& row : rows) {
      if (!row.epsilon || !std::isfinite((row.*mean).value)) continue;
      const CompareRow* best = &row;
      for (const CompareRow& other : rows)
        if (other.epsilon == row.epsilon && (other.*mean).value < (best->*mean).value)
          best = &other;
      std::vector<double> differences;
      for (size_t s = 0; s < row.runs.size(); ++s)
        differences.push_back(row.runs[s].*figure - best->runs[s].*figure);
      row.*difference = mean_over_seeds(differences);
    }
  }

  /// Orders by epsilon, references last; then by overall error, rows without one last.
  static bool is_before(const CompareRow& a, const CompareRow& b) {
    if (a.epsilon != b.epsilon) return a.epsilon && (!b.epsilon || *a.epsilon < *b.epsilon);
    const double left = a.overall.value;
    const double right = b.overall.value;
    return std::isfinite(left) && (!std::isfinite(right) || left < right);
  }

  const CompareRequest& request_;
  CompareSubject& subject_;
  TrainProgress& progress_;
  Contenders contenders_;
  std::vector<std::vector<std::optional<CompareRun>>> runs_;  // (contenders, seeds)
  std::vector<std::map<size_t, std::string>> failures_;       // (contenders) by seed
  std::optional<KeptRuns> kept_;
  std::optional<OutputFolder> folder_;
  std::mutex mutex_;  // for failures_ and kept_
};

}  // namespace

CompareReport compare(const CompareRequest& request, CompareSubject& subject,
                      TrainProgress& progress) {
  Comparison comparison(request, subject, progress);
  comparison.read();
  comparison.open_files();
  comparison.run();
  return std::move(comparison).report();
}

}  // namespace equinoise

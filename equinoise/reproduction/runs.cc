// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/reproduction/data/file_digest.h"
#include "equinoise/reproduction/kept_outcome.h"
#include "equinoise/tasks/runs/many_runs.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";

/// Returns whether the request names the method or one that is compared with it.
bool is_asked_for(const ReproductionItem& item, const ReproductionMethod& method,
                  const ReproduceRequest& request) {
  if (request.methods.empty()) return true;
  return std::ranges::any_of(item.methods, [&](const ReproductionMethod& one) {
    return std::ranges::any_of(request.methods,
                               [&](const std::string& name) { return is_named(one, name); }) &&
           (one.name == method.name || one.reference == method.name);
  });
}

/// The runs of an item that are kept in a file, if there is one.
class KeptOutcomes {
 public:
  KeptOutcomes(const ReproductionItem& item, const ReproduceRequest& request)
      : series_(item.experiment->series()) {
    if (request.runs_path.empty()) return;
    nlohmann::ordered_json identity = item.experiment->identity(item);
    if (const ReproductionFiles* files = item.experiment->files(item))
      identity["records"] = digest_of_files(*files, request.data_directory);
    kept_.emplace(request.runs_path, kept_outcomes(std::move(identity), item.is_drawn()));
  }

  bool has_file() const { return kept_.has_value(); }
  void hold() { kept_->hold(); }

  /// A run, if everything that the experiment follows was kept of it.
  std::optional<ReproductionOutcome> find(const std::string& method, uint64_t seed) const {
    if (!kept_) return std::nullopt;
    for (const std::string& one : series_)
      if (kept_->find(key_of_run(method, seed, one)) == nullptr) return std::nullopt;
    return outcome_from_json(*kept_->find(key_of_run(method, seed, series_.front())));
  }

  /// Keeps the new parts of a run. From any thread.
  void add(const std::string& method, uint64_t seed, ReproductionOutcome outcome) {
    if (!kept_) return;
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < series_.size(); ++i) {
      if (i > 0) outcome.points = outcome.also[i - 1];
      nlohmann::ordered_json key = key_of_run(method, seed, series_[i]);
      if (kept_->find(key) == nullptr) kept_->add(std::move(key), outcome_to_json(outcome));
    }
  }

  void write() {
    if (kept_) kept_->write();
  }

 private:
  std::vector<std::string> series_;
  std::optional<KeptRuns> kept_;
  std::mutex mutex_;
};

/// The indices of remaining runs, and the outcomes of the others.
struct Agenda {
  std::vector<Outcomes> outcomes;               ///< [method][seed]
  std::vector<std::pair<size_t, size_t>> left;  ///< method, seed
};

Agenda find_left(const ReproductionItem& item, const ReproduceRequest& request, int64_t num_seeds,
                 const KeptOutcomes& kept) {
  Agenda agenda{std::vector<Outcomes>(item.methods.size()), {}};
  for (size_t s = 0; s < static_cast<size_t>(num_seeds); ++s) {
    for (size_t m = 0; m < item.methods.size(); ++m) {
      if (!why_skipped(item, item.methods[m], request, "").empty()) continue;
      agenda.outcomes[m].resize(static_cast<size_t>(num_seeds));
      if (auto found = kept.find(item.methods[m].name, s)) {
        agenda.outcomes[m][s] = std::move(*found);
      } else {
        agenda.left.emplace_back(m, s);
      }
    }
  }
  return agenda;
}

/// Does the remaining runs in the order of the agenda, so that whole seeds are kept.
void do_runs(const ReproductionItem& item, const ExperimentRuns& runs, int num_threads,
             RunsProgress& steps, KeptOutcomes& kept, Agenda& agenda) {
  const RunCallbacks callbacks = {[&] {
                                    steps.check_interruption();
                                    steps.steps_done();
                                  },
                                  [&] { steps.check_interruption(); }};
  const auto do_run = [&](size_t m, size_t s) {
    const std::string& name = item.methods[m].name;
    ReproductionOutcome& outcome = agenda.outcomes[m][s];
    outcome = runs.run(m, s, callbacks);
    kept.add(name, s, outcome);
    if (const std::string told = runs.describe(outcome); !told.empty())
      steps.stage(fmt::format("{}, seed {}: {}", name, s, told));
  };
  run_side_by_side(agenda.left.size(), num_threads,
                   [&](size_t i) { do_run(agenda.left[i].first, agenda.left[i].second); });
}

}  // namespace

bool is_named(const ReproductionMethod& method, const std::string& name) {
  return method.name == name || method.name.ends_with(": " + name);
}

std::string why_skipped(const ReproductionItem& item, const ReproductionMethod& method,
                        const ReproduceRequest& request, const std::string& obstacle) {
  if (!obstacle.empty()) return obstacle;
  if (!is_asked_for(item, method, request)) return "is not among --methods";
  return "";
}

std::vector<Outcomes> run_all(const ReproductionItem& item, const ReproduceRequest& request,
                              int64_t num_seeds, TrainProgress& progress) {
  if (!item.is_drawn())
    progress.stage(fmt::format("reading {} from {}", item.data, request.data_directory.string()));
  const std::unique_ptr<ExperimentRuns> runs =
      item.experiment->open(item, request.data_directory, progress);
  KeptOutcomes kept(item, request);
  Agenda agenda = find_left(item, request, num_seeds, kept);
  if (kept.has_file() && !agenda.left.empty()) {
    kept.hold();
    agenda = find_left(item, request, num_seeds, kept);
  }
  if (agenda.left.empty()) {
    if (kept.has_file()) progress.stage(fmt::format("{} has all runs", request.runs_path.string()));
    return std::move(agenda.outcomes);
  }
  int64_t num_steps = 0;
  for (const auto& [m, s] : agenda.left) num_steps += runs->num_steps(m, s);
  progress.hold_interruptions();
  if (kept.has_file()) {
    progress.stage(fmt::format("{} runs are left; {} keeps finished runs", agenda.left.size(),
                               request.runs_path.string()));
  }
  RunsProgress steps(
      progress, num_steps, kWhere,
      kept.has_file() ? fmt::format("the same command resumes after the finished runs (--runs {})",
                                    request.runs_path.string())
      : request.quick ? "nothing was written"
                      : "nothing was written (--runs FILE would have kept finished runs)");
  try {
    do_runs(item, *runs, request.threads, steps, kept, agenda);
  } catch (...) {
    kept.write();
    throw;
  }
  kept.write();
  progress.finish_training();
  return std::move(agenda.outcomes);
}

}  // namespace equinoise

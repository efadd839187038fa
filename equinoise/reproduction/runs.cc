#include "equinoise/reproduction/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/base/sha256.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/kept_runs.h"
#include "equinoise/reproduction/synthesis/synthesis_experiment.h"
#include "equinoise/reproduction/worst_group/worst_group_experiment.h"
#include "equinoise/synth/registry.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";

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

/// Whether the request names the method or one that is compared with it.
bool is_asked_for(const ReproductionItem& item, const ReproductionMethod& method,
                  const ReproduceRequest& request) {
  if (request.methods.empty()) return true;
  return std::any_of(item.methods.begin(), item.methods.end(), [&](const ReproductionMethod& one) {
    return std::count(request.methods.begin(), request.methods.end(), one.name) > 0 &&
           (one.name == method.name || one.reference == method.name);
  });
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

}  // namespace

std::string why_skipped(const ReproductionItem& item, const ReproductionMethod& method,
                        const ReproduceRequest& request, const std::string& obstacle) {
  if (!obstacle.empty()) return obstacle;
  if (!is_built(method)) return fmt::format("the method {} is not built", method.method);
  if (!is_asked_for(item, method, request)) return "is not among --methods";
  return "";
}

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
    kept.emplace(request.runs_path, identity_of(item, request, num_epochs));
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

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>

#include "equinoise/audit/private_constraint_check.h"
#include "equinoise/audit/risk_watcher.h"
#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/sha256.h"
#include "equinoise/constraints/rate_contexts.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/models/bounded_prediction.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/report/format.h"
#include "equinoise/report/html.h"
#include "equinoise/report/json.h"
#include "equinoise/report/model_card.h"
#include "equinoise/report/tables.h"
#include "equinoise/report/text.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/predict/prediction_notes.h"
#include "equinoise/tasks/train/checkpoint.h"
#include "equinoise/tasks/train/constraint_outcome.h"
#include "equinoise/tasks/train/explained_step.h"
#include "equinoise/tasks/train/overlapping_groups.h"
#include "equinoise/tasks/train/training_curve.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.train";
constexpr size_t kMaxCurveRecords = 4096;
constexpr size_t kMaxCurveImages = 512;  // a network on images takes long for each
constexpr int64_t kMaxStates = 1000;

const std::vector<std::string> kOutputFiles = {"model.json", "model_card.md", "model_card.json",
                                               "report.json", "report.html"};

/// The table, encoded for its uses.
struct EncodedParts {
  EncodedTable train;
  EncodedTable test;
  EncodedTable curve;                             ///< the first of the held-out records
  std::vector<std::vector<GroupId>> test_groups;  ///< (groupings) of (held-out records)
  std::vector<GroupId> test_contexts;  ///< (held-out records), of the constraints if there are any
};

/// Group ids of `records`, one vector per grouping.
std::vector<std::vector<GroupId>> groups_of(const Dataset& dataset, const TrainingSetup& setup,
                                            const GroupFloor& floor,
                                            std::span<const uint32_t> records) {
  std::vector<std::vector<GroupId>> result;
  for (const Grouping& listed : setup.groupings) {
    const Grouping grouping = group_by(dataset, setup.schema, listed.columns, floor);
    std::vector<GroupId> ids;
    ids.reserve(records.size());
    for (uint32_t record : records) ids.push_back(grouping.group_of[record]);
    result.push_back(std::move(ids));
  }
  return result;
}

/// The classes or groups that no training record is of, if there are any; names the first ones.
void tell_missing(const char* what, const std::vector<std::string>& missing,
                  TrainingReport& report) {
  constexpr size_t kMaxNamed = 5;
  if (missing.empty()) return;
  const size_t num_named = std::min(missing.size(), kMaxNamed);
  std::string names = fmt::format("{}", fmt::join(std::span(missing).first(num_named), "; "));
  if (missing.size() > num_named) names += fmt::format(" and {} more", missing.size() - num_named);
  report.ingest_notes.push_back(
      fmt::format("no training record is of {} {}: the model learns nothing about {}", what, names,
                  missing.size() == 1 ? "it" : "them"));
}

/// Tells which classes and groups there is nothing to learn of.
void tell_missing_records(const EncodedTable& train,
                          const std::vector<std::vector<GroupId>>& train_groups,
                          const TrainingSetup& setup, TrainingReport& report) {
  std::vector<int64_t> sizes(train.classes.size(), 0);
  for (size_t i = 0; i < train.labels.size(); ++i) sizes[train.labels[i]] += train.contributes[i];
  std::vector<std::string> missing;
  for (size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] == 0) missing.push_back(train.classes[k]);
  tell_missing("class", missing, report);
  for (size_t g = 0; g < train_groups.size(); ++g) {
    const Grouping& grouping = setup.groupings[g];
    sizes.assign(grouping.groups.size(), 0);
    for (size_t i = 0; i < train_groups[g].size(); ++i)
      sizes[index_of(train_groups[g][i])] += train.contributes[i];
    missing.clear();
    for (size_t k = 0; k < sizes.size(); ++k) {
      // Of a group that is declared to be empty nobody expects a record.
      if (sizes[k] == 0 && grouping.public_sizes[k] != 0)
        missing.push_back(group_name(grouping.groups[k]));
    }
    tell_missing("group", missing, report);
  }
}

/// Reads the table; of it only the encoded parts are kept.
EncodedParts read_parts(const TrainingSetup& setup, const TrainRequest& request,
                        TrainProgress& progress, TrainingReport& report) {
  const Dataset dataset = read_table_files({request.data_path, request.labels_path}, setup.schema,
                                           TableUse::kDescribed, progress);
  report.ingest_notes = ingest_notes(dataset);
  const std::span<const uint32_t> test = setup.split.test;
  EncodedParts parts{
      encode(dataset, setup.schema, setup.split.train),
      encode(dataset, setup.schema, test),
      encode(dataset, setup.schema,
             test.first(
                 std::min(test.size(), setup.schema.image ? kMaxCurveImages : kMaxCurveRecords))),
      groups_of(dataset, setup, request.group_floor, test),
      {}};
  std::vector<std::vector<GroupId>> train_groups =
      groups_of(dataset, setup, request.group_floor, setup.split.train);
  tell_missing_records(parts.train, train_groups, setup, report);
  if (const RateProgram* program = setup.plan.config.constraints.get(); program != nullptr) {
    parts.train.groups = rate_contexts(dataset, setup.schema, *program, setup.split.train);
    parts.test_contexts = rate_contexts(dataset, setup.schema, *program, test);
  } else if (setup.plan.facts.num_groups > 0 || request.explain_every > 0) {
    parts.train.groups = std::move(train_groups[0]);
  }
  if (setup.method->has_model_per_group()) {
    parts.test.groups = parts.test_groups[0];
    parts.curve.groups = parts.test.groups;
    parts.curve.groups.resize(static_cast<size_t>(parts.curve.num_records));
  }
  progress.stage(fmt::format("{} records, {} features; {} to train, {} held out",
                             format_count(dataset.num_records), parts.train.num_features,
                             format_count(parts.train.num_records),
                             format_count(parts.test.num_records)));
  return parts;
}

/// Fills the metrics of the report from the held-out records.
void evaluate(const EncodedParts& parts, const TrainingSetup& setup, const TrainedModel& trained,
              const std::optional<TrainedModel>& reference, int threads, TrainingReport& report) {
  const EncodedTable& test = parts.test;
  if (test.num_records == 0) return;
  const Predictions released =
      predict_within_bounds(*setup.model, test, trained.parameters, threads);
  std::optional<Predictions> compared;
  if (reference)
    compared = predict_within_bounds(*setup.model, test, reference->parameters, threads);
  report.overall.metrics = overall_metrics(test, released);
  add_prediction_notes(test, released, "the model", report.ingest_notes);
  if (compared) {
    add_prediction_notes(test, *compared, "the reference", report.ingest_notes);
    report.overall.reference = overall_metrics(test, *compared);
    report.overall.cost = overall_cost(test, released, *compared);
  }
  if (const RateProgram* program = setup.plan.config.constraints.get(); program != nullptr) {
    const auto check = [&](const Predictions& predictions) {
      return check_constraints(*program, test, parts.test_contexts, predictions);
    };
    const std::vector<ConstraintCheck> checks = check(released);
    for (size_t j = 0; j < checks.size(); ++j) report.constraints[j].check = checks[j];
    if (compared) {
      const std::vector<ConstraintCheck> references = check(*compared);
      for (size_t j = 0; j < references.size(); ++j)
        report.constraints[j].reference = references[j];
    }
  }
  size_t next = 0;
  for (size_t g = 0; g < setup.groupings.size(); ++g) {
    const std::vector<GroupId>& group_of = parts.test_groups[g];
    const size_t num_groups = setup.groupings[g].groups.size();
    const std::vector<Metrics> metrics = group_metrics(test, released, group_of, num_groups);
    std::vector<Metrics> reference_metrics;
    std::vector<Cost> costs;
    if (compared) {
      reference_metrics = group_metrics(test, *compared, group_of, num_groups);
      costs = group_cost(test, released, *compared, group_of, num_groups);
    }
    for (size_t i = 0; i < num_groups; ++i, ++next) {
      report.groups[next].metrics = metrics[i];
      if (!compared) continue;
      report.groups[next].reference = reference_metrics[i];
      report.groups[next].cost = costs[i];
    }
  }
}

/// Releases how the held-out records keep the constraints and how often the model is right about
/// groups, with the noise that `charge` pays for.
void evaluate_privately(Charge charge, const EncodedParts& parts, const TrainingSetup& setup,
                        const TrainedModel& trained, RandomSource& source, int threads,
                        TrainingReport& report) {
  // A reproducible source has the numbers of steps for training.
  source.start_step(static_cast<uint64_t>(setup.plan.config.num_steps));
  const Predictions predictions = setup.model->predict(parts.test, trained.parameters, threads);
  const double noise_stddev = *setup.evaluation_noise;
  size_t next = 0;
  const auto count = [&](std::span<const GroupId> contexts) {
    const size_t i = next++;
    return noisy_cell_counts(charge.take(i), *setup.histograms[i], parts.test, contexts,
                             predictions, source);
  };
  if (const RateProgram* program = setup.plan.config.constraints.get(); program != nullptr) {
    const std::vector<ConstraintCheck> checks =
        check_counts(*program, count(parts.test_contexts), noise_stddev);
    for (size_t j = 0; j < checks.size(); ++j) report.constraints[j].private_check = checks[j];
  }
  if (!setup.evaluates_groups) return;
  const auto rates_of = [&](std::span<const GroupId> contexts) {
    const RateProgram& program = *setup.histograms[next];
    return read_group_rates(program, count(contexts), noise_stddev);
  };
  if (setup.groupings.empty()) {
    const std::vector<GroupId> everybody(parts.test.contributes.size(), GroupId{0});
    report.overall.private_rates = rates_of(everybody).back();
  }
  auto group = report.groups.begin();
  for (size_t g = 0; g < setup.groupings.size(); ++g) {
    const std::vector<PrivateRates> rates = rates_of(parts.test_groups[g]);
    for (size_t k = 0; k + 1 < rates.size(); ++k, ++group) {
      // Of nobody there are no rates, whatever the noise.
      group->private_rates = group->public_size == 0 ? PrivateRates{} : rates[k];
    }
    if (g == 0) report.overall.private_rates = rates.back();
  }
}

/// Passes steps on to the curve, the explanations, the checkpoint and the progress of the task;
/// stops the run when it is interrupted.
class StepWatcher final : public StepObserver {
 public:
  StepWatcher(TrainProgress& progress, TrainingCurve& curve, std::string when_interrupted)
      : progress_(progress), curve_(curve), when_interrupted_(std::move(when_interrupted)) {}

  void keep_states(Checkpoint& checkpoint, int64_t every) {
    checkpoint_ = &checkpoint;
    every_ = every;
  }

  void explain(RiskWatcher& risks) { risks_ = &risks; }

  /// Says which group is looked at where a look takes long.
  void tell_look(size_t group, const std::vector<GroupLabel>& groups) {
    constexpr std::chrono::seconds kPause(5);
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < kPause) return;
    told_ = now;
    progress_.stage(fmt::format("explaining step {}: {} ({} of {} groups)",
                                format_count(num_steps_done_), group_name(groups[group]), group + 1,
                                groups.size()));
  }

  void on_batch(const BatchView& view) override {
    if (risks_ == nullptr) return;
    num_steps_done_ = view.step;
    told_ = std::chrono::steady_clock::now();
    risks_->try_batch(view);
  }

  void on_step(const StepView& view) override {
    const TrainingState& state = view.state;
    const bool interrupted = progress_.interrupted();
    const bool is_last = state.num_steps_done == view.num_steps;
    // The last state is kept as well: what is released from here on is the state that was recorded.
    if (checkpoint_ != nullptr && (interrupted || is_last || state.num_steps_done % every_ == 0)) {
      checkpoint_->save(state);
    }
    if (interrupted) throw Error(ErrorKind::kRuntime, kWhere, "interrupted: " + when_interrupted_);
    if (view.is_trial) return;  // of which nobody learns how many there are
    curve_.on_state(state);
    progress_.step_done(state.num_steps_done);
  }

 private:
  TrainProgress& progress_;
  TrainingCurve& curve_;
  std::string when_interrupted_;
  RiskWatcher* risks_ = nullptr;
  Checkpoint* checkpoint_ = nullptr;
  int64_t every_ = 1;
  int64_t num_steps_done_ = 0;
  std::chrono::steady_clock::time_point told_;  // or when the look began
};

std::unique_ptr<RandomSource> make_source(const TrainRequest& request) {
  if (request.insecure_seed) return std::make_unique<SeededSource>(*request.insecure_seed);
  return std::make_unique<SecureSource>();
}

/// Whether the loss has run away from where a model of zeros would be, by what the model gives,
/// within the target's bounds or beyond.
bool has_diverged(const TrainedModel& trained, const EncodedParts& parts, const Model& model) {
  const auto loss = [&](std::span<const double> parameters) {
    return overall_metrics(parts.curve, model.predict(parts.curve, parameters)).loss.value;
  };
  const double start = loss(std::vector<double>(model.num_parameters(), 0.0));
  return !std::isnan(start) && !(loss(trained.parameters) <= 10 * start);
}

/// What a model costs beside a reference that is worse says nothing of privacy.
void tell_bad_reference(TrainingReport& report) {
  constexpr double kTolerance = 1.1;
  if (!report.overall.reference || !report.overall.metrics) return;
  const double loss = report.overall.metrics->loss.value;
  const double of_reference = report.overall.reference->loss.value;
  if (!(of_reference > kTolerance * loss)) return;
  report.ingest_notes.push_back(fmt::format(
      "the reference is worse than the model (held-out loss {:.3g} next to {:.3g}), so that what "
      "groups lose next to it is not what privacy costs",
      of_reference, loss));
}

/// The non-private reference beside: as many steps of plain SGD on a stream of its own. Nothing
/// bounds its gradients, so that it may diverge where the clipped run does not: then it is trained
/// again with a smaller learning rate.
TrainedModel train_reference(const EncodedParts& parts, const TrainingSetup& setup,
                             const TrainRequest& request, TrainProgress& progress,
                             TrainingReport& report) {
  constexpr int kMaxAttempts = 12;
  // Under constraints the reference obeys them, too.
  const std::string_view name = setup.plan.config.constraints != nullptr ? "sgda" : "sgd";
  progress.stage(fmt::format("training the non-private reference (method {})", name));
  const std::unique_ptr<TrainingMethod> method = find_training_method(name).make();
  TrainingConfig config = setup.plan.config;
  config.epsilon.reset();
  config.noise_multiplier.reset();
  config.clipping_penalty.reset();
  config.boundary_penalty.reset();
  config.group_weights.clear();
  config.group_clips.clear();
  config.group_epsilons.clear();
  config.tailoring = {};
  config = without_worst_group(std::move(config));
  for (int attempt = 1;; ++attempt) {
    const TrainingPlan plan = method->plan(config, setup.plan.facts);
    const std::unique_ptr<RandomSource> source = make_source(request);
    TrainingCurve curve(parts.curve, *setup.model, config);
    StepWatcher watcher(progress, curve,
                        request.resume ? "nothing was written; the checkpoint is as it was"
                                       : "nothing was written and nothing was spent");
    progress.start_training(0, config.num_steps, nullptr);
    TrainedModel trained =
        method->run(parts.train, *setup.model, plan,
                    TrainingState::start(setup.model->initial_parameters(request.init_seed)),
                    Charge::nothing(config.relation), *source, watcher);
    progress.finish_training();
    report.reference_curve = std::move(curve).points();
    if (attempt == kMaxAttempts || !has_diverged(trained, parts, *setup.model)) {
      if (attempt > 1) {
        report.ingest_notes.push_back(
            fmt::format("the reference diverged at learning rate {:g} and was trained at {:g}",
                        request.config.learning_rate, config.learning_rate));
      }
      return trained;
    }
    config.learning_rate /= 4;
    config.final_learning_rate /= 4;
    progress.stage(fmt::format("not private: the reference diverged; again at learning rate {:g}",
                               config.learning_rate));
  }
}

/// epsilon of the first k steps. Everything else in a plan is charged from the start.
std::function<double(int64_t)> epsilon_after(const TrainingPlan& plan) {
  return [plan](int64_t steps) {
    if (steps == 0) return 0.0;
    return smallest_guarantee(plan.config.relation, plan.events_after(steps), plan.privacy->delta)
        .epsilon.value();
  };
}

/// What makes two runs the same run, for a checkpoint.
nlohmann::ordered_json identity_of(const TrainingSetup& setup, const TrainRequest& request,
                                   const TrainingReport& report) {
  nlohmann::ordered_json run = {
      {"dataset", report.dataset},       {"method", report.method},
      {"model", report.model},           {"optimizer", report.optimizer},
      {"status", report.status},         {"test_fraction", request.test_fraction},
      {"split_seed", request.split_seed}};
  if (report.network) run["network"] = to_json(*report.network);
  for (const auto& [name, value] : report.settings) run[name] = value;
  if (!report.method_groups.empty()) run["groups"] = report.method_groups;
  for (const ConstraintReport& constraint : report.constraints)
    run["constraints"].push_back(constraint.text);
  if (request.insecure_seed) run["seed"] = *request.insecure_seed;
  for (const CostLine& cost : report.costs) run["costs"].push_back(cost.label);
  run["events"] = nlohmann::ordered_json::array();
  for (const Event& event : setup.events()) run["events"].emplace_back(event.to_json());
  run["schema"] = sha256_hex(report.schema_text);
  return run;
}

/// For the report. The model has been paid for: a ledger that is locked now must not lose it.
std::vector<LedgerEntry> entries_of(const Ledger& ledger, const std::string& dataset,
                                    TrainingReport& report) {
  try {
    return ledger.account(dataset).entries;
  } catch (const Error& error) {
    report.warnings.push_back(fmt::format("the ledger's entries are not shown: {}", error.what()));
    return {};
  }
}

/// What the run cost each group of the first grouping in the end, where that follows its outputs.
/// The model has been paid for: what cannot be computed is left out.
void tell_realised(const TrainingSetup& setup, const std::vector<RealisedCost>& realised,
                   TrainingReport& report) {
  if (realised.empty() || !report.privacy) return;
  std::vector<std::string> parts;
  std::vector<RealisedGuarantee> told;
  try {
    for (size_t k = 0; k < realised.size(); ++k) {
      const GroupReport& group = report.groups[k];
      Guarantee privacy =
          smallest_guarantee(report.privacy->relation, realised[k].events, report.privacy->delta);
      // What was reserved holds, too: roundings must not tell of more.
      privacy.epsilon = Epsilon(std::min(privacy.epsilon.value(), group.privacy->epsilon.value()));
      parts.push_back(fmt::format("{}: share {:.4g}, rho {:.4g}, epsilon {}",
                                  values_of(group.group), realised[k].share, realised[k].rho,
                                  format_epsilon(privacy.epsilon)));
      told.push_back({realised[k].share, realised[k].rho, std::move(privacy)});
    }
  } catch (const Error& error) {
    report.ingest_notes.push_back(fmt::format("realised costs are not told: {}", error.what()));
    return;
  }
  for (size_t k = 0; k < told.size(); ++k) report.groups[k].realised = std::move(told[k]);
  // Of groups that overlap what it cost the intersection that paid most.
  size_t next = told.size();
  for (size_t g = 1; setup.overlapping && g < setup.groupings.size(); ++g) {
    for (size_t k = 0; k < setup.groupings[g].groups.size(); ++k, ++next) {
      std::optional<RealisedGuarantee>& of_group = report.groups[next].realised;
      for (const size_t i : intersections_of(setup.groupings[g], k, setup.groupings[0])) {
        const std::optional<RealisedGuarantee>& inside = report.groups[i].realised;
        if (!of_group || of_group->rho < inside->rho) of_group = inside;
      }
    }
  }
  // Not a warning: those stand in the model card, where a reader would take it for a promise.
  report.ingest_notes.push_back(
      fmt::format("realised cost by {}, which follows what stage one gave out (output-dependent) "
                  "and is no promise; the promise is the epsilon in the table of groups: {}",
                  columns_of(report.groups[0].group), fmt::join(parts, "; ")));
}

/// The bounded rule of worst-group methods at work: how many held-out records have a loss beyond
/// their bound.
void tell_clamped_losses(const EncodedParts& parts, const TrainingSetup& setup,
                         const TrainedModel& trained, int threads, TrainingReport& report) {
  const auto& settings = setup.plan.settings;
  const auto used = std::find_if(settings.begin(), settings.end(),
                                 [](const auto& setting) { return setting.first == "loss_bound"; });
  if (used == settings.end() || parts.test.num_records == 0) return;
  const double bound = used->second;
  const Predictions predictions = setup.model->predict(parts.test, trained.parameters, threads);
  const auto beyond = std::count_if(predictions.loss.begin(), predictions.loss.end(),
                                    [&](double loss) { return !(loss <= bound); });
  report.ingest_notes.push_back(fmt::format(
      "{} of {} held-out records have a loss above loss_bound {:g}; the weights of groups "
      "follow losses of training records that are cut there",
      format_count(beyond), format_count(parts.test.num_records), bound));
}

/// Whether the model says anything of records that no table need hold: dense features half way from
/// 0 to 1, the first one-hot feature set; of separate models each one's.
bool predicts_somewhere(const EncodedTable& like, const TrainingSetup& setup,
                        const TrainedModel& trained) {
  const size_t num_points =
      setup.method->has_model_per_group() ? setup.groupings[0].groups.size() : 1;
  EncodedTable points;
  points.num_records = static_cast<int64_t>(num_points);
  points.num_dense = like.num_dense;
  points.num_active = like.num_active;
  points.num_features = like.num_features;
  points.classes = like.classes;
  points.dense.assign(num_points * like.num_dense, 0.5F);
  points.active.assign(num_points * like.num_active, like.num_dense);
  points.contributes.assign(num_points, 1);
  for (uint32_t k = 0; k < num_points; ++k) points.groups.push_back(GroupId{k});
  const Predictions predictions = setup.model->predict(points, trained.parameters);
  for (size_t k = 0; k < num_points; ++k)
    if (!predictions.has_prediction(k)) return false;
  return true;
}

/// A model that predicts nothing must not look like one. This follows from its parameters, which
/// are released: it is publishable as they are.
void tell_diverged(const EncodedParts& parts, const TrainingSetup& setup,
                   const TrainedModel& trained, TrainingReport& report) {
  const int64_t num_lost = num_lost_parameters(report);
  if (num_lost > 0) {
    report.warnings.push_back(fmt::format(
        "the training diverged: {} of {} parameters are not finite or beyond 3.4e38, so that the "
        "model predicts nothing of use and cannot be loaded; train again with a lower "
        "--learning-rate",
        format_count(num_lost), format_count(std::ssize(report.parameters))));
  } else if (!predicts_somewhere(parts.train, setup, trained)) {
    report.warnings.emplace_back(
        "the training diverged: what the model gives is not finite even in the middle of its "
        "features, so that it predicts nothing of use; train again with a lower --learning-rate");
  }
}

void write_files(OutputFolder& folder, const TrainRequest& request, TrainingReport& report) {
  for (const std::string& name : kOutputFiles) report.files.push_back(folder.final_path(name));
  if (!request.insecure_seed && report.ledger) report.files.push_back(report.ledger->path);
  folder.write("model.json", to_text(model_to_json(report)));
  folder.write("model_card.md", card_to_markdown(report));
  folder.write("model_card.json", to_text(card_to_json(report)));
  folder.write("report.json", to_text(training_to_json(report)), Audience::kOwner);
  folder.write("report.html", report_to_html(report), Audience::kOwner);
  folder.commit();
}

void check_explanations(const TrainRequest& request, const TrainingSetup& setup) {
  if (request.explain_every == 0) return;
  if (setup.method->takes_full_batches() || !setup.method->is_stepwise()) {
    throw Error(
        ErrorKind::kUsage, kWhere,
        fmt::format("--explain-every explains steps along one noisy sum of gradients; those "
                    "of {} follow answers about each group",
                    setup.row->name));
  }
  check_interval(kWhere, "explain_every", static_cast<double>(request.explain_every), 1,
                 static_cast<double>(setup.plan.config.num_steps));
  // All directions and their products stand in memory.
  constexpr size_t kMostValues = size_t{1} << 27;
  const size_t most = std::clamp<size_t>(kMostValues / setup.plan.facts.num_parameters, 2, 1000);
  check_interval(kWhere, "explain_directions", static_cast<double>(request.explain_directions), 2,
                 static_cast<double>(most));
  if (request.groupings.empty()) {
    throw Error(ErrorKind::kUsage, kWhere,
                "--explain-every compares groups: say which with --groups");
  }
}

/// Enough for what is told of every look, in both reports.
int64_t explanation_bytes(const TrainingSetup& setup, const TrainRequest& request) {
  if (request.explain_every == 0) return 0;
  const auto num_groups = std::ssize(setup.groupings[0].groups);
  return (setup.plan.config.num_steps / request.explain_every + 1) * (256 + 1024 * num_groups) +
         4096 * num_groups;
}

/// Refuses a checkpoint that the method has no use for.
void check_checkpoint(const TrainRequest& request, const TrainingSetup& setup) {
  if (request.checkpoint_path.empty()) {
    if (request.resume || request.checkpoint_every != 0) {
      throw Error(ErrorKind::kUsage, kWhere,
                  "--resume and --checkpoint-every need --checkpoint FILE");
    }
    return;
  }
  if (!setup.method->is_stepwise()) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("a run of {} is one release and cannot be taken up again; leave "
                            "--checkpoint out",
                            setup.row->name));
  }
  if (setup.plan.is_choice) {
    throw Error(ErrorKind::kUsage, kWhere,
                "a choice among runs cannot be taken up again: a state would tell how many there "
                "were; leave --checkpoint out");
  }
  // Each state is an entry of the ledger for good, and the ledger is read as a whole.
  const int64_t least = (setup.plan.config.num_steps + kMaxStates - 1) / kMaxStates;
  if (request.checkpoint_every != 0 && request.checkpoint_every < least) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("checkpoint_every must be at least {}, which keeps {} states, got {}",
                            least, kMaxStates, request.checkpoint_every));
  }
}

/// What of a request can be checked before anything is read: `plan` asks for none of it.
void check_request(const TrainRequest& request, const TrainingSetup& setup) {
  if (!request.data_path.empty())
    check_labels(request.labels_path, setup.schema, TableUse::kDescribed);
  check_explanations(request, setup);
  check_checkpoint(request, setup);
  if (!request.out_path.empty()) OutputFolder::check(request.out_path, request.force, kOutputFiles);
}

}  // namespace

TrainingReport plan_training(const TrainRequest& request) {
  if (request.resume) {
    throw Error(ErrorKind::kUsage, kWhere,
                "--resume goes on with a run that was paid for when it began, if it costs "
                "anything: there is no cost to tell; leave --dry-run out, or --resume");
  }
  const TrainingSetup setup = set_up_training(request);
  check_request(request, setup);
  TrainingReport report = begin_report(setup, request);
  std::error_code error;
  const bool no_ledger = std::filesystem::status(request.ledger_path, error).type() ==
                         std::filesystem::file_type::not_found;
  if (setup.private_run && !no_ledger) {
    const Ledger ledger(request.ledger_path);
    add_ledger_statement(ledger, setup, request, false, report);
    try {
      require_affordable(ledger, setup, request);
    } catch (const Error& refusal) {
      report.warnings.push_back(fmt::format("the ledger will refuse this run: {}", refusal.what()));
    }
  } else if (setup.private_run) {
    report.warnings.push_back(
        no_ledger_warning(request.ledger_path, setup.schema.dataset, request.config.relation));
  }
  return report;
}

TrainingReport train(const TrainRequest& request, TrainProgress& progress) {
  const TrainingSetup setup = set_up_training(request);
  check_request(request, setup);
  const TrainingPlan& plan = setup.plan;
  TrainingReport report = begin_report(setup, request);
  if (request.explain_every > 0) {
    for (std::string& warning :
         explanation_warnings("--explain-every", report.method, report.optimizer))
      report.warnings.push_back(std::move(warning));
  }
  // Said before anything is paid, not only in the report of what was.
  for (const std::string& note : plan.notes) progress.stage("note: " + note);
  for (const std::string& warning : setup.noise_warnings) progress.stage("warning: " + warning);
  std::optional<Ledger> ledger;
  if (setup.private_run) {
    ledger.emplace(request.ledger_path);
    add_ledger_statement(*ledger, setup, request, request.resume, report);
  }
  std::unique_ptr<Checkpoint> checkpoint;
  if (!request.checkpoint_path.empty()) {
    checkpoint =
        std::make_unique<Checkpoint>(request.checkpoint_path, identity_of(setup, request, report),
                                     ledger ? &*ledger : nullptr, report.dataset);
  }
  TrainingState state = TrainingState::start(setup.model->initial_parameters(request.init_seed));
  if (request.resume) state = checkpoint->load();
  // With a checkpoint that is later: one that exists says that the run has been paid for.
  if (ledger && !checkpoint) require_affordable(*ledger, setup, request);

  // Whom a group's part of the cost is about must not change within an entry: who is held out
  // depends on positions in the table, who is in a group on its cells.
  const TableFiles files{request.data_path, request.labels_path};
  const bool holds_table = checkpoint && groups_pay_apart(setup.events());
  if (holds_table) checkpoint->hold_to(files);
  const EncodedParts parts = read_parts(setup, request, progress, report);
  if (holds_table) checkpoint->require_unchanged(files);
  if (setup.private_run && request.out_path.empty()) {
    report.warnings.emplace_back("without --out the model that this run pays for is not kept");
    progress.stage("warning: " + report.warnings.back());
  }
  progress.hold_interruptions();
  const RateProgram* program = plan.config.constraints.get();
  const size_t num_kept_of_rates =
      program != nullptr ? 2 * program->num_cells + 3 * program->constraints.size() : 0;
  // A path of weights and losses has a hundred points or so.
  const size_t num_kept_of_groups =
      plan.facts.groups.names.size() * (setup.method->compares_groups() ? 250 : 1);
  const auto state_bytes = static_cast<int64_t>(
      (plan.facts.num_parameters + num_kept_of_rates + num_kept_of_groups) * 128 + 65536);
  if (checkpoint && !request.resume) checkpoint->require_new(state_bytes);
  std::optional<OutputFolder> folder;
  if (!request.out_path.empty()) {
    const auto size =
        static_cast<int64_t>(plan.facts.num_parameters * 256 + report.groups.size() * 8192 +
                             4 * setup.schema.source_text.size() + 262'144) +
        explanation_bytes(setup, request);
    folder.emplace(request.out_path, request.force, kOutputFiles, size);
  }

  // Before the reservation: whatever stops it there costs nothing.
  std::optional<TrainedModel> reference;
  if (request.reference) reference = train_reference(parts, setup, request, progress, report);

  const std::unique_ptr<RandomSource> source = make_source(request);
  Charge charge = Charge::nothing(plan.config.relation);
  if (request.insecure_seed) {
    charge = Charge::unpaid(setup.events(), plan.config.relation,
                            dynamic_cast<const SeededSource&>(*source));
  } else if (ledger && request.resume) {
    progress.stage(fmt::format("going on after step {} of a run that {} has paid for",
                               format_count(state.num_steps_done), request.ledger_path));
    charge = checkpoint->resume_charge();
    report.warnings.push_back(fmt::format(
        "this run went on after step {}: ledger entry {} had paid for it before, and time, "
        "training curve and explanations are those of the rest",
        format_count(state.num_steps_done), checkpoint->entry()));
  } else if (ledger) {
    progress.stage(fmt::format("reserving epsilon {} at delta {} in {}",
                               format_epsilon(report.privacy->epsilon),
                               report.privacy->delta.value(), request.ledger_path));
    if (report.evaluation_cost) progress.stage(evaluation_cost_line(report));
    // The last moment at which the run may be stopped for free.
    if (progress.interrupted()) {
      throw Error(ErrorKind::kRuntime, kWhere,
                  "interrupted: nothing was written and nothing was spent");
    }
    SecureSource names;
    Reservation reservation = ledger->reserve(
        setup.schema.dataset, setup.events(unique_split_name(names)), plan.config.relation,
        fmt::format("train {} for {}", plan.method, setup.schema.target), checkpoint != nullptr,
        request.ledger_key);
    charge = std::move(reservation.charge);
    if (checkpoint) checkpoint->begin(reservation);
    report.ledger->spent_after = reservation.spent;
  }
  std::optional<Charge> evaluation;
  if (setup.evaluation_noise) {
    std::vector<Charge> parts_of_split = charge.take_groups();
    charge = std::move(parts_of_split[0]);
    evaluation = std::move(parts_of_split[1]);
  }
  // From here on every moment has a state to go on from.
  if (checkpoint) checkpoint->save(state);

  TrainingCurve curve(parts.curve, *setup.model, plan.config);
  StepWatcher watcher(
      progress, curve,
      checkpoint ? fmt::format("go on with the same command and --resume ({} is kept)",
                               request.checkpoint_path)
      : ledger   ? "nothing was written; what the ledger reserved for this run stays spent "
                   "(--checkpoint would have kept it)"
                 : "nothing was written");
  if (checkpoint) {
    watcher.keep_states(*checkpoint, request.checkpoint_every > 0
                                         ? request.checkpoint_every
                                         : std::max<int64_t>(1, plan.config.num_steps / 10));
  }
  std::optional<RiskWatcher> risks;
  if (request.explain_every > 0) {
    report.explained_groups = setup.groupings[0].groups;
    RiskEffort effort;
    effort.num_directions = request.explain_directions;
    effort.eigenvalues = false;
    effort.threads = plan.config.threads;
    effort.before_group = [&](size_t group) { watcher.tell_look(group, report.explained_groups); };
    effort.check_interruption = [&] {
      if (progress.interrupted()) throw Error(ErrorKind::kRuntime, kWhere, "interrupted");
    };
    risks.emplace(parts.train, parts.train, report.explained_groups.size(), *setup.model, plan,
                  request.explain_every, std::move(effort));
    watcher.explain(*risks);
  }
  // How often a choice trains, and so how long, is not to be told.
  if (!plan.is_choice) {
    progress.start_training(state.num_steps_done, plan.config.num_steps,
                            setup.private_run ? epsilon_after(plan) : nullptr);
  }
  const auto start = std::chrono::steady_clock::now();
  const TrainedModel trained = setup.method->run(parts.train, *setup.model, plan, std::move(state),
                                                 std::move(charge), *source, watcher);
  if (!plan.is_choice) {
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.finish_training();
  }

  report.settings.insert(report.settings.end(), trained.chosen.begin(), trained.chosen.end());
  report.realised_shares = trained.realised_shares;
  tell_realised(setup, trained.realised, report);
  for (const GroupPathPoint& point : trained.group_path)
    report.group_path.push_back({point.step, point.weights, point.losses});
  report.curve = std::move(curve).points();
  if (risks) {
    report.explanations = risks->points();
    // Not a warning: those stand in the model card, which may be published.
    if (!risks->why_ended().empty()) report.ingest_notes.push_back(risks->why_ended());
  }
  tell_constraints(trained.constraints, plan, report);
  evaluate(parts, setup, trained, reference, request.config.threads, report);
  // With a checkpoint, the last state has been recorded: what is drawn now is not drawn again.
  if (evaluation && evaluation->is_used_up(0)) {
    report.warnings.push_back(fmt::format(
        "there is no private evaluation: this run went on from its last state, and what ledger "
        "entry {} paid for may have been drawn and seen before",
        checkpoint->entry()));
    report.why_not_evaluated =
        "this run went on from its last state, after which it may have been drawn";
  } else if (evaluation) {
    evaluate_privately(std::move(*evaluation), parts, setup, trained, *source,
                       request.config.threads, report);
  }
  tell_clamped_losses(parts, setup, trained, request.config.threads, report);
  if (has_diverged(trained, parts, *setup.model)) {
    report.ingest_notes.emplace_back(
        "the held-out loss, of a number without the bounds of the target, is not finite or more "
        "than ten times that of a model of zeros: the run diverged, or its noise drowns it");
  }
  tell_bad_reference(report);
  if (ledger) report.ledger_entries = entries_of(*ledger, setup.schema.dataset, report);
  const std::vector<std::string> names = setup.model->parameter_names();
  for (size_t i = 0; i < names.size(); ++i)
    report.parameters.emplace_back(names[i], trained.parameters[i]);
  tell_diverged(parts, setup, trained, report);
  if (folder) write_files(*folder, request, report);
  if (checkpoint) checkpoint->remove();
  return report;
}

}  // namespace equinoise

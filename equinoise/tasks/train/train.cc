// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "equinoise/audit/risk_watcher.h"
#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/sha256.h"
#include "equinoise/data/counted_rows.h"
#include "equinoise/data/encoder.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/models/additive.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/input/paid_run.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/train/checkpoint.h"
#include "equinoise/tasks/train/constraint_outcome.h"
#include "equinoise/tasks/train/other_methods.h"
#include "equinoise/tasks/train/planned_report.h"
#include "equinoise/tasks/train/reported_terms.h"
#include "equinoise/tasks/train/step_watcher.h"
#include "equinoise/tasks/train/training_evaluation.h"
#include "equinoise/tasks/train/training_output.h"
#include "equinoise/tasks/train/training_parts.h"
#include "equinoise/tasks/train/training_reference.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/train/explained_step.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.train";
constexpr int64_t kMaxStates = 1000;

std::vector<PairReport> pairs_of(const Model& model, const Schema& schema) {
  std::vector<PairReport> pairs;
  const auto* additive = dynamic_cast<const AdditiveModel*>(&model);
  if (additive == nullptr) return pairs;
  const std::vector<std::string> names = encoded_columns(schema).names;
  for (const AdditivePair& pair : additive->pairs())
    pairs.push_back({{names[pair.columns[0]], names[pair.columns[1]]},
                     {pair.parts[0].begin(), pair.parts[0].end()},
                     {pair.parts[1].begin(), pair.parts[1].end()}});
  return pairs;
}

void check_explanations(const TrainRequest& request, const TrainingSetup& setup) {
  if (request.explain_every == 0) return;
  check_interval(kWhere, "explain_every", static_cast<double>(request.explain_every), 1,
                 static_cast<double>(setup.plan.config.num_steps));
  // A limit because all directions and their products are in memory.
  constexpr size_t kMaxValues = size_t{1} << 27;
  const size_t most = std::clamp<size_t>(kMaxValues / setup.plan.facts.num_parameters, 2, 1000);
  check_interval(kWhere, "explain_directions", static_cast<double>(request.explain_directions), 2,
                 static_cast<double>(most));
  if (request.groupings.empty()) {
    throw Error(ErrorKind::kUsage, kWhere,
                "--explain-every compares groups; name them with --groups");
  }
}

/// Refuses a checkpoint that the method cannot use.
void check_checkpoint(const TrainRequest& request, const TrainingSetup& setup) {
  if (request.checkpoint_path.empty()) {
    if (request.resume || request.checkpoint_every != 0) {
      throw Error(ErrorKind::kUsage, kWhere,
                  "--resume and --checkpoint-every need --checkpoint FILE");
    }
    return;
  }
  if (setup.plan.is_choice) {
    throw Error(ErrorKind::kUsage, kWhere,
                "private selection cannot be checkpointed: a saved state would reveal how many "
                "candidates were run; drop --checkpoint");
  }
  // Each state is a permanent entry of the ledger, and the ledger is always read as a whole.
  const int64_t least = (setup.plan.config.num_steps + kMaxStates - 1) / kMaxStates;
  if (request.checkpoint_every != 0 && request.checkpoint_every < least) {
    throw Error(ErrorKind::kUsage, kWhere,
                "checkpoint_every must be at least {}, which saves {} states, got {}", least,
                kMaxStates, request.checkpoint_every);
  }
}

/// Checks all parts of a request that `plan` does not need and that require no data. Errors:
/// kUsage.
void check_request(const TrainRequest& request, const TrainingSetup& setup) {
  if (!request.data.empty()) check_labels(request.labels_path, setup.schema, TableUse::kDescribed);
  check_explanations(request, setup);
  check_checkpoint(request, setup);
  check_reference(request, setup);
  if (!request.out_path.empty())
    OutputFolder::check(request.out_path, request.force, training_output_files());
}

/// An upper limit for the text about all explained steps, in both reports.
int64_t explanation_bytes(const TrainingSetup& setup, const TrainRequest& request) {
  if (request.explain_every == 0) return 0;
  const auto num_groups = std::ssize(setup.groupings[0].groups);
  return (setup.plan.config.num_steps / request.explain_every + 1) * (256 + 1024 * num_groups) +
         4096 * num_groups;
}

/// Returns epsilon after the first k steps. All other parts of a plan are charged from the start.
std::function<double(int64_t)> epsilon_after(const TrainingPlan& plan) {
  return [plan](int64_t steps) {
    if (steps == 0) return 0.0;
    return smallest_guarantee(plan.config.relation, plan.events_after(steps), plan.privacy->delta)
        .epsilon.value();
  };
}

/// The settings that identify a run, for a checkpoint.
nlohmann::ordered_json identity_of(const TrainingSetup& setup, const TrainRequest& request,
                                   const TrainingReport& report) {
  nlohmann::ordered_json run = {{"dataset", report.dataset},
                                {"method", report.method},
                                {"model", report.model},
                                {"optimizer", report.optimizer},
                                {"status", to_string(report.status)},
                                {"test_fraction", request.test_fraction},
                                {"split_seed", request.split_seed}};
  if (report.network) run["network"] = to_json(*report.network);
  for (const auto& [name, value] : report.settings) run[name] = value;
  if (!report.method_groups.empty()) run["groups"] = report.method_groups;
  for (const ConstraintReport& constraint : report.constraints)
    run["constraints"].push_back(constraint.text);
  // The counts of a private evaluation, because other groups may have the same cost.
  for (const auto& program : setup.histograms)
    for (const RateProgram::CellRate& rate : program->rates) run["evaluation"].push_back(rate.text);
  if (request.insecure_seed) run["seed"] = *request.insecure_seed;
  for (const CostLine& cost : report.costs) run["costs"].push_back(cost.label);
  run["events"] = nlohmann::ordered_json::array();
  for (const Setting& option : report.options)
    run["options"][option.name] = option_to_json(option.value);
  for (const Event& event : setup.events()) run["events"].emplace_back(event.to_json());
  run["schema"] = sha256_hex(report.schema_text);
  if (report.drops_incomplete) run["drop_incomplete"] = true;
  return run;
}

/// Lists entries for the report. The model has been paid for, so a locked ledger must not lose it.
void list_entries(const Ledger& ledger, const std::string& dataset, TrainingReport& report) {
  try {
    std::vector<LedgerEntry> entries = ledger.account(dataset).entries;
    const auto num_listed = std::min(entries.size(), kMaxListedEntries);
    report.num_earlier_entries = std::ssize(entries) - static_cast<int64_t>(num_listed);
    entries.erase(entries.begin(), entries.begin() + report.num_earlier_entries);
    report.ledger_entries = std::move(entries);
  } catch (const Error& error) {
    report.owner_warnings.push_back(
        fmt::format("the ledger's entries cannot be shown: {}", error.what()));
  }
}

/// The number of models for this target that the account pays for, including this one. A user may
/// choose one of them by an unpaid look.
int64_t count_paid_fits(const Ledger& ledger, const TrainRequest& request,
                        const TrainingReport& report) {
  const std::vector<LedgerEntry> entries = ledger.account(report.dataset).entries;
  const std::string target = fmt::format(" for {}", report.target);
  const auto num_fits = std::ranges::count_if(entries, [&](const auto& entry) {
    return entry.purpose.starts_with("train ") && entry.purpose.ends_with(target);
  });
  return num_fits + (request.resume ? 0 : 1);
}

/// groups: those of the method, if it uses groups.
RegressionReport as_reported(const Coefficients& found, std::span<const GroupLabel> groups) {
  const auto figure = [](std::string name, const std::optional<NoisyEstimate>& estimate,
                         const std::string& why = "") {
    RegressionFigure made{std::move(name)};
    if (estimate) {
      made.estimate = estimate->value;
      made.standard_error = estimate->standard_error;
    }
    if (estimate && std::isfinite(estimate->low)) {
      made.interval = Interval{estimate->low, estimate->high};
    } else {
      made.why = why.empty() ? "not estimated" : why;
    }
    return made;
  };
  RegressionReport report;
  for (const Coefficient& row : found.rows)
    report.coefficients.push_back(figure(row.name, row.estimate, row.why));
  report.log_odds_of = found.log_odds_of;
  const auto fit = [&](const FitFigures& told) {
    RegressionFit made;
    made.residual_stddev = figure(made.residual_stddev.name, told.residual_stddev);
    made.r_squared = figure(made.r_squared.name, told.r_squared);
    return made;
  };
  if (report.log_odds_of.empty()) report.fit = fit(found.fit);
  for (size_t k = 0; k < found.groups.size(); ++k)
    report.groups.emplace_back(fit(found.groups[k])).group = groups[k];
  return report;
}

TrainingReport begin_checked(const TrainingSetup& setup, const TrainRequest& request) {
  check_request(request, setup);
  return begin_report(setup, request);
}

/// Refuses runs that have no guarantee on counted rows: one record more in one row and one less in
/// another would change the positions of all records between them. Errors: kUsage.
void require_no_places(const TrainingSetup& setup, const TrainRequest& request) {
  if (!setup.plan.privacy && !setup.private_run) return;
  if (request.test_fraction > 0) {
    throw Error(ErrorKind::kUsage, kWhere,
                "{}: counted rows say nothing of places in a table, by which records "
                "are held out; give --test-fraction 0, and audit the model on other "
                "records",
                request.data.name());
  }
  if (!setup.row->follows_places) return;
  throw Error(ErrorKind::kUsage, kWhere,
              "{} divides records by their places in a table, of which counted rows say "
              "nothing; give a file of the records, or another method",
              setup.row->name);
}

/// One run, in stages, in the order of the functions. All failures that can be checked in advance
/// happen before pay().
class TrainTask {
 public:
  TrainTask(const TrainRequest& request, TrainingSetup setup, TrainProgress& progress)
      : request_(request),
        progress_(progress),
        setup_(std::move(setup)),
        report_(begin_checked(setup_, request)) {
    if (request.explain_every > 0)
      append(report_.owner_warnings,
             explanation_warnings("--explain-every", report_.method, report_.optimizer));
    // Printed before anything is paid, in addition to the report afterwards.
    for (const std::string& note : report_.notes) progress.stage("note: " + note);
    for (const std::string& warning : setup_.noise_warnings) progress.stage("warning: " + warning);
  }

  /// Opens ledger and checkpoint, and sets the state from which the run starts.
  void open_accounts() {
    std::optional<Error> refusal;
    if (setup_.private_run) {
      ledger_.emplace(request_.ledger_path, setup_.schema.dataset,
                      Neighbours(plan().config.relation, setup_.schema.unit));
      refusal = add_ledger_statement(*ledger_, setup_, request_, request_.resume,
                                     report_.owner_warnings, report_);
      if (const int64_t num_fits = count_paid_fits(*ledger_, request_, report_); num_fits > 1) {
        report_.warnings.push_back(
            fmt::format("this model is one of {} paid fits for {} in the ledger's account; a "
                        "choice among them by exact figures is not covered by the guarantee",
                        num_fits, report_.target));
        report_.conditions.push_back(report_.warnings.back());
        progress_.stage("warning: " + report_.warnings.back());
      }
    }
    if (!request_.checkpoint_path.empty()) {
      checkpoint_ = std::make_unique<Checkpoint>(request_.checkpoint_path,
                                                 identity_of(setup_, request_, report_),
                                                 ledger_ ? &*ledger_ : nullptr, report_.dataset);
    }
    state_ =
        request_.resume
            ? checkpoint_->load()
            : TrainingState::start(setup_.model->initial_parameters(request_.network.init_seed));
    // A checkpoint defers this check: an existing one means that the run has been paid for.
    if (refusal && !checkpoint_) throw *refusal;
  }

  /// `table`: the table if it has already been read; else nullptr.
  void read(const Dataset* table) {
    // The members of groups must not change within an entry: the split depends on positions in the
    // table, and groups on its cells.
    const TableFiles files{request_.data, request_.labels_path};
    const bool holds_table = checkpoint_ && groups_pay_apart(setup_.events());
    if (holds_table) checkpoint_->hold_to(files);
    const auto encode = [&](const Dataset& dataset) {
      parts_ = encode_parts(dataset, setup_, request_, progress_, report_);
    };
    if (table != nullptr) {
      encode(*table);
    } else {
      if (request_.data.is_engine()) require_no_places(setup_, request_);
      const Dataset dataset = read_table_files(files, setup_.schema, TableUse::kDescribed,
                                               progress_, CountedRows::kKept);
      if (!dataset.row_counts.empty()) require_no_places(setup_, request_);
      // Without noise, sums follow the order of the records.
      const bool lists_records =
          !plan().privacy || request_.reference || request_.explain_every > 0;
      const int64_t bytes_of_batch = lists_records ? sizeof(uint32_t) : 0;
      require_records(dataset, request_.data.name(), "training",
                      request_.test_fraction > 0 ? kTrainingBytesOfRecord : bytes_of_batch);
      encode(dataset);
    }
    if (holds_table) checkpoint_->require_unchanged(files);
    if (setup_.private_run && request_.out_path.empty()) {
      report_.warnings.emplace_back("without --out the model that this run pays for is not saved");
      progress_.stage("warning: " + report_.warnings.back());
    }
  }

  /// Claims the files and their disk space, and trains the reference. A failure here has no cost.
  void claim_output() {
    progress_.hold_interruptions();
    if (checkpoint_ && !request_.resume) checkpoint_->require_new(state_bytes());
    if (!request_.out_path.empty()) {
      // Terms of an additive model are in the report and the cards as well.
      const size_t bytes_of_parameter = plan().facts.columns.empty() ? 256 : 1536;
      const auto size = static_cast<int64_t>(plan().facts.num_parameters * bytes_of_parameter +
                                             report_.groups.size() * 16384 +
                                             4 * setup_.schema.source_text.size() + 524'288);
      folder_.emplace(request_.out_path, request_.force, training_output_files(),
                      size + explanation_bytes(setup_, request_));
    }
    if (request_.reference)
      reference_ = train_reference(parts_, setup_, request_, progress_, report_);
  }

  void pay() {
    const Relation relation = plan().config.relation;
    if (request_.insecure_seed) {
      paid_.emplace(unpaid_run(*request_.insecure_seed, setup_.events(), relation));
    } else if (ledger_ && request_.resume) {
      progress_.stage(fmt::format("resuming after step {} of a run that {} has paid for",
                                  format_count(state_.num_steps_done), request_.ledger_path));
      paid_.emplace(resumed_run(checkpoint_->resume_charge()));
      report_.owner_warnings.push_back(
          fmt::format("this run was resumed after step {}: ledger entry {} had already paid for "
                      "it; the time, the training curve and the explanations cover only the rest",
                      format_count(state_.num_steps_done), checkpoint_->entry()));
    } else if (ledger_) {
      SecureSource names;
      Purchase purchase = purchase_of(setup_, request_);
      purchase.events = setup_.events(unique_split_name(names));
      purchase.resumable = checkpoint_ != nullptr;
      std::vector<std::string> more;
      if (report_.evaluation_cost) more.push_back(evaluation_cost_line(report_));
      paid_.emplace(pay_for_run(*ledger_, purchase, report_.privacy->epsilon, more, progress_));
      if (checkpoint_) checkpoint_->begin(paid_->entry, paid_->entry_hash);
      add_payment(*paid_, report_.ledger);
    } else {
      paid_.emplace(resumed_run(Charge::nothing(relation)));
    }
    if (setup_.evaluation_noise) {
      std::vector<Charge> parts_of_split = paid_->charge.take_groups();
      paid_->charge = std::move(parts_of_split[0]);
      evaluation_ = std::move(parts_of_split[1]);
    }
    // A state to resume from exists from here on.
    if (checkpoint_) checkpoint_->save(state_);
  }

  void run() {
    TrainingCurve curve(parts_.curve, *setup_.model, plan().config);
    StepWatcher watcher(
        progress_, curve,
        checkpoint_ ? fmt::format("resume with the same command and --resume ({} is kept)",
                                  request_.checkpoint_path)
        : ledger_   ? "nothing was written; what the ledger reserved for this run stays spent "
                      "(--checkpoint would have kept it)"
                    : "nothing was written");
    if (checkpoint_) {
      const int64_t tenth = std::max<int64_t>(1, plan().config.num_steps / 10);
      watcher.keep_states(*checkpoint_,
                          request_.checkpoint_every > 0 ? request_.checkpoint_every : tenth);
    }
    std::optional<RiskWatcher> risks;
    if (request_.explain_every > 0) {
      report_.explained_groups = setup_.pooled ? setup_.pooled->groups : setup_.groupings[0].groups;
      risks.emplace(parts_.train, parts_.train, report_.explained_groups.size(), *setup_.model,
                    plan(), request_.explain_every, risk_effort(watcher));
      watcher.explain(*risks);
    }
    // The number of runs of a choice, and hence the time, is confidential.
    if (!plan().is_choice) {
      progress_.start_training(state_.num_steps_done, plan().config.num_steps,
                               setup_.private_run ? epsilon_after(plan()) : nullptr);
    }
    const auto start = std::chrono::steady_clock::now();
    trained_ = setup_.method->run({parts_.train, *setup_.model, plan(), std::move(state_),
                                   std::move(paid_->charge), *paid_->source, watcher});
    if (!plan().is_choice) {
      report_.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      progress_.finish_training();
    }
    report_.curve = std::move(curve).points();
    if (watcher.num_cut() > 0) {
      report_.ingest_notes.push_back(fmt::format(
          "{} times {} weighed a gradient beyond what a record pays for, and the weight was cut; "
          "the guarantee holds, the method has a fault",
          format_count(watcher.num_cut()), setup_.row->name));
    }
    if (!risks) return;
    report_.explanations = risks->points();
    // Not a warning: warnings are on the model card, which may be published.
    if (!risks->why_ended().empty()) report_.ingest_notes.push_back(risks->why_ended());
  }

  void evaluate() {
    const int threads = request_.config.threads;
    for (auto& [name, value] : report_.settings)
      if (name == "num_parameters") value = static_cast<double>(trained_.parameters.size());
    append(report_.settings, trained_.chosen);
    report_.realised_shares = trained_.realised_shares;
    tell_realised(setup_, trained_.realised, report_);
    for (const GroupPathPoint& point : trained_.group_path)
      report_.group_path.push_back({point.step, point.weights, point.losses});
    if (trained_.coefficients) {
      report_.regression = as_reported(*trained_.coefficients, setup_.groupings.empty()
                                                                   ? std::span<const GroupLabel>()
                                                                   : setup_.groupings[0].groups);
    }
    report_.terms = reported_terms(trained_, setup_, parts_.train.target_divisor);
    tell_constraints(trained_.constraints, plan(), report_);
    equinoise::evaluate(parts_, setup_, trained_, reference_, threads, report_);
    // The last state is in the checkpoint, if there is one, so this noise is not drawn again.
    if (evaluation_ && evaluation_->is_used_up(0)) {
      report_.warnings.push_back(fmt::format(
          "there is no private evaluation: this run was resumed from its last state, and the "
          "evaluation that ledger entry {} paid for may already have been drawn and seen",
          checkpoint_->entry()));
      report_.why_not_evaluated =
          "this run was resumed from its last state, after which the evaluation may already have "
          "been drawn";
    } else if (evaluation_) {
      evaluate_privately(std::move(*evaluation_), parts_, setup_, trained_, *paid_->source, threads,
                         report_);
    }
    tell_largest_loss(parts_, setup_, trained_, reference_, report_);
    tell_clamped_losses(parts_, setup_, trained_, threads, report_);
    if (has_diverged(trained_, parts_, *setup_.model)) {
      report_.ingest_notes.emplace_back(
          "the held-out loss (of predictions that are not clamped to the bounds of the target) is "
          "not finite or more than ten times that of a model of zeros: the run diverged, or noise "
          "dominates it");
    }
    tell_bad_reference(report_);
    if (ledger_) list_entries(*ledger_, setup_.schema.dataset, report_);
    const Model& model = trained_.model_or(*setup_.model);
    report_.pairs = pairs_of(model, setup_.schema);
    const std::vector<std::string> names = model.parameter_names();
    for (size_t i = 0; i < names.size(); ++i)
      report_.parameters.emplace_back(names[i], trained_.parameters[i]);
    tell_diverged(parts_, setup_, trained_, report_);
  }

  TrainingReport write() && {
    if (folder_) write_files(*folder_, request_, setup_, report_);
    if (checkpoint_) checkpoint_->remove();
    return std::move(report_);
  }

 private:
  const TrainingPlan& plan() const { return setup_.plan; }

  /// The most bytes of a state.
  int64_t state_bytes() const {
    // Per parameter a state holds two iterates and up to two values of the optimizer, as text.
    return static_cast<int64_t>(
        (plan().facts.num_parameters + setup_.method->max_kept(plan())) * 128 + 65536);
  }

  RiskEffort risk_effort(StepWatcher& watcher) const {
    RiskEffort effort;
    effort.num_directions = request_.explain_directions;
    effort.eigenvalues = false;
    effort.threads = plan().config.threads;
    effort.before_group = [&](size_t group) { watcher.tell_look(group, report_.explained_groups); };
    effort.check_interruption = [&] {
      if (progress_.interrupted()) throw Error(ErrorKind::kRuntime, kWhere, "interrupted");
    };
    return effort;
  }

  const TrainRequest& request_;
  TrainProgress& progress_;
  TrainingSetup setup_;
  TrainingReport report_;
  std::optional<Ledger> ledger_;
  std::unique_ptr<Checkpoint> checkpoint_;
  TrainingState state_;
  EncodedParts parts_;
  std::optional<OutputFolder> folder_;
  std::optional<TrainedModel> reference_;
  std::optional<PaidRun> paid_;
  std::optional<Charge> evaluation_;  // for the private evaluation
  TrainedModel trained_;
};

TrainingReport run_acts(const TrainRequest& request, TrainingSetup setup, const Dataset* table,
                        TrainProgress& progress) {
  TrainTask task(request, std::move(setup), progress);
  task.open_accounts();
  task.read(table);
  task.claim_output();
  task.pay();
  task.run();
  task.evaluate();
  return std::move(task).write();
}

}  // namespace

TrainingReport plan_training(const TrainRequest& request) {
  if (request.resume) {
    throw Error(ErrorKind::kUsage, kWhere,
                "--resume continues a run whose cost, if any, was paid when it started, so there "
                "is no cost to predict; leave out --dry-run or --resume");
  }
  const TrainingSetup setup = set_up_training(request);
  if (request.data.is_engine()) require_no_places(setup, request);
  TrainingReport report = begin_checked(setup, request);
  report.other_methods = other_methods(request, setup);
  if (!setup.private_run) return report;
  if (const std::optional<Ledger> ledger = existing_ledger(request.ledger_path)) {
    const std::optional<Error> refusal =
        add_ledger_statement(*ledger, setup, request, false, report.warnings, report);
    if (refusal) report.warnings.push_back(refusal_warning(*refusal));
  } else {
    report.warnings.push_back(no_ledger_warning(request.ledger_path, setup.schema.dataset,
                                                {request.config.relation, setup.schema.unit}));
  }
  return report;
}

TrainingReport train(const TrainRequest& request, TrainProgress& progress) {
  return run_acts(request, set_up_training(request), nullptr, progress);
}

TrainingReport train(const TrainRequest& request, TrainingSetup setup, const Dataset& table,
                     TrainProgress& progress) {
  return run_acts(request, std::move(setup), &table, progress);
}

}  // namespace equinoise

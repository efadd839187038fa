#include "equinoise/tasks/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "equinoise/base/check.h"
#include "equinoise/data/split.h"
#include "equinoise/data/table.h"
#include "equinoise/models/logistic.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/report/json.h"
#include "equinoise/report/text.h"
#include "equinoise/tasks/ingest_notes.h"
#include "equinoise/tasks/output_folder.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.train";

const std::vector<std::string> kOutputFiles = {"model.json", "model_card.md", "model_card.json",
                                               "report.json"};

/// What planning settles before data is read.
struct Prepared {
  Schema schema;
  const TrainingMethodRow* row;
  std::unique_ptr<TrainingMethod> method;
  std::unique_ptr<Model> model;
  Split split;
  TrainingPlan plan;
  bool private_run;  ///< has a cost that the ledger must carry
};

Prepared prepare(const TrainRequest& request) {
  Prepared prepared{load_schema(request.schema_path),
                    &find_training_method(request.method),
                    {},
                    {},
                    {},
                    {},
                    false};
  const Schema& schema = prepared.schema;
  require_reviewed(schema);
  if (schema.target.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                request.schema_path + ": training needs a target; add target = \"COLUMN\"");
  }
  const auto& groupings = request.groupings;
  for (auto grouping = groupings.begin(); grouping != groupings.end(); ++grouping) {
    if (std::find(groupings.begin(), grouping, *grouping) != grouping) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("--groups {} is given twice", fmt::join(*grouping, ",")));
    }
  }
  prepared.method = prepared.row->make();
  prepared.model = std::make_unique<LogisticModel>(encoded_feature_names(schema),
                                                   schema.column(schema.target).values);
  prepared.split = split_records(schema.num_records, request.test_fraction, request.split_seed);
  prepared.plan = prepared.method->plan(
      request.config,
      {static_cast<int64_t>(prepared.split.train.size()), prepared.model->num_parameters()});
  prepared.private_run = prepared.plan.privacy.has_value() && !request.insecure_seed;
  return prepared;
}

std::string purpose_of(const Prepared& prepared) {
  return fmt::format("train {} for {}", prepared.plan.method, prepared.schema.target);
}

std::vector<std::pair<std::string, double>> settings_of(const Prepared& prepared,
                                                        const TrainRequest& request) {
  const TrainingPlan& plan = prepared.plan;
  const TrainingConfig& config = plan.config;
  std::vector<std::pair<std::string, double>> settings = {
      {"num_train_records", static_cast<double>(plan.facts.num_records)},
      {"num_test_records", static_cast<double>(prepared.split.test.size())},
      {"split_seed", static_cast<double>(request.split_seed)},
      {"num_parameters", static_cast<double>(plan.facts.num_parameters)},
      {"num_steps", static_cast<double>(config.num_steps)},
      {"batch_size", config.batch_size},
      {"sample_rate", plan.sample_rate},
      {"learning_rate", config.learning_rate},
      {"final_learning_rate", config.final_learning_rate},
      {"tail_average", config.tail_average},
  };
  if (plan.privacy) {
    settings.insert(settings.end(), {{"max_grad_norm", config.max_grad_norm},
                                     {"noise_multiplier", plan.noise_multiplier},
                                     {"noise_stddev", plan.noise_stddev}});
  }
  return settings;
}

/// The groups of all groupings with what is public about them.
std::vector<GroupReport> public_groups(const Prepared& prepared, const TrainRequest& request) {
  std::vector<GroupReport> reports;
  for (const std::vector<std::string>& columns : request.groupings) {
    const Grouping grouping = list_groups(prepared.schema, columns);
    for (size_t i = 0; i < grouping.groups.size(); ++i) {
      GroupReport report;
      report.group = grouping.groups[i];
      report.public_size = grouping.public_sizes[i];
      if (prepared.plan.privacy) {
        if (!request.insecure_seed) report.privacy = prepared.plan.privacy;
        report.noise_stddev = prepared.plan.noise_stddev;
        if (report.public_size && *report.public_size > 0) {
          const double share = static_cast<double>(*report.public_size) /
                               static_cast<double>(prepared.schema.num_records);
          report.relative_noise =
              prepared.plan.noise_stddev / (prepared.plan.config.batch_size * share);
        }
      }
      reports.push_back(std::move(report));
    }
  }
  return reports;
}

std::string status_of(const Prepared& prepared, const TrainRequest& request) {
  const bool insecure = request.insecure_seed && prepared.row->status == PrivacyStatus::kPrivate;
  return insecure ? "insecure rng" : std::string(to_string(prepared.row->status));
}

TrainingReport begin_report(const Prepared& prepared, const TrainRequest& request) {
  TrainingReport report;
  report.version = EQUINOISE_VERSION;
  report.dataset = prepared.schema.dataset;
  report.method = prepared.plan.method;
  report.source = prepared.row->source;
  report.maturity = to_string(prepared.row->maturity);
  report.status = status_of(prepared, request);
  report.model = prepared.model->name();
  report.target = prepared.schema.target;
  report.unit = prepared.schema.unit;
  report.classes = prepared.schema.column(prepared.schema.target).values;
  report.settings = settings_of(prepared, request);
  for (const PlanItem& item : prepared.plan.items) report.costs.push_back({item.label, item.event});
  if (!request.insecure_seed) report.privacy = prepared.plan.privacy;
  report.overall.privacy = report.privacy;
  report.overall.public_size = prepared.schema.num_records;
  report.groups = public_groups(prepared, request);
  report.command = request.command;
  report.schema_text = prepared.schema.source_text;
  const auto num_records = static_cast<double>(prepared.schema.num_records);
  if (prepared.plan.privacy && !(request.config.delta < 1 / num_records)) {
    report.warnings.push_back(
        fmt::format("delta {:g} is not below 1 / num_records = {:.3g}: the guarantee would allow "
                    "publishing a whole record",
                    request.config.delta, 1 / num_records));
  }
  return report;
}

/// The ledger's side of the report, and a warning where its delta is not that of the plan.
void add_statement(const Ledger& ledger, const Prepared& prepared, const TrainRequest& request,
                   TrainingReport& report) {
  const LedgerAccount account = ledger.account(prepared.schema.dataset);
  const Guarantee after = ledger.spent_with(prepared.schema.dataset, prepared.plan.events(),
                                            prepared.plan.config.relation);
  report.ledger = {request.ledger_path, prepared.schema.dataset, account.budget, account.spent,
                   after};
  if (account.budget.delta.value() != request.config.delta) {
    report.warnings.push_back(fmt::format(
        "the ledger keeps its account at delta {}, this run is planned at delta {}: its "
        "epsilon there is another one",
        account.budget.delta.value(), request.config.delta));
  }
}

/// Group ids of the held-out records, one vector per grouping.
std::vector<std::vector<GroupId>> held_out_groups(const Dataset& dataset, const Prepared& prepared,
                                                  const TrainRequest& request) {
  std::vector<std::vector<GroupId>> result;
  for (const std::vector<std::string>& columns : request.groupings) {
    const Grouping grouping = group_by(dataset, prepared.schema, columns);
    std::vector<GroupId> ids;
    ids.reserve(prepared.split.test.size());
    for (uint32_t record : prepared.split.test) ids.push_back(grouping.group_of[record]);
    result.push_back(std::move(ids));
  }
  return result;
}

/// Fills the metrics of the report from the held-out records.
void evaluate(const EncodedTable& test, const Prepared& prepared, const TrainRequest& request,
              const std::vector<std::vector<GroupId>>& group_of, const TrainedModel& trained,
              const std::optional<TrainedModel>& reference, TrainingReport& report) {
  const Predictions released = predict_all(*prepared.model, test, trained.parameters);
  std::optional<Predictions> compared;
  if (reference) compared = predict_all(*prepared.model, test, reference->parameters);
  report.overall.metrics = overall_metrics(test, released);
  if (compared) {
    report.overall.reference = overall_metrics(test, *compared);
    report.overall.accuracy_cost = overall_accuracy_cost(test, released, *compared);
  }
  size_t next = 0;
  for (size_t g = 0; g < request.groupings.size(); ++g) {
    const size_t num_groups = list_groups(prepared.schema, request.groupings[g]).groups.size();
    const std::vector<Metrics> metrics = group_metrics(test, released, group_of[g], num_groups);
    std::vector<Metrics> reference_metrics;
    std::vector<Estimate> costs;
    if (compared) {
      reference_metrics = group_metrics(test, *compared, group_of[g], num_groups);
      costs = group_accuracy_cost(test, released, *compared, group_of[g], num_groups);
    }
    for (size_t i = 0; i < num_groups; ++i, ++next) {
      report.groups[next].metrics = metrics[i];
      if (!compared) continue;
      report.groups[next].reference = reference_metrics[i];
      report.groups[next].accuracy_cost = costs[i];
    }
  }
}

/// Passes steps on to the progress of the task.
class StepReporter final : public StepObserver {
 public:
  explicit StepReporter(TrainProgress& progress) : progress_(progress) {}
  void on_step(const StepView& view) override { progress_.step_done(view.step + 1); }

 private:
  TrainProgress& progress_;
};

std::unique_ptr<RandomSource> make_source(const TrainRequest& request) {
  if (request.insecure_seed) return std::make_unique<SeededSource>(*request.insecure_seed);
  return std::make_unique<SecureSource>();
}

/// The non-private reference beside: as many steps of plain SGD on a stream of its own.
TrainedModel train_reference(const EncodedTable& table, const Prepared& prepared,
                             const TrainRequest& request, TrainProgress& progress) {
  progress.stage("training the non-private reference (sgd)");
  const std::unique_ptr<TrainingMethod> method = find_training_method("sgd").make();
  TrainingConfig config = request.config;
  config.epsilon.reset();
  config.noise_multiplier.reset();
  const TrainingPlan plan = method->plan(config, prepared.plan.facts);
  const std::unique_ptr<RandomSource> source = make_source(request);
  StepReporter reporter(progress);
  progress.start_training(config.num_steps, nullptr);
  TrainedModel trained = method->run(table, *prepared.model, plan, Charge::nothing(config.relation),
                                     *source, reporter);
  progress.finish_training();
  return trained;
}

/// epsilon of the first k steps. Everything else in a plan is charged from the start.
std::function<double(int64_t)> epsilon_after(const TrainingPlan& plan) {
  return [plan](int64_t steps) {
    std::vector<Event> events = plan.events();
    if (events[0].kind() == Event::Kind::kRepeat && steps > 0)
      events[0] = Event::repeat(steps, events[0].events()[0]);
    return steps > 0 ? rdp_epsilon(plan.config.relation, events, plan.privacy->delta).value() : 0;
  };
}

void write_files(const TrainRequest& request, OutputFolder& folder, TrainingReport& report) {
  for (const std::string& name : kOutputFiles) report.files.push_back(folder.final_path(name));
  if (!request.insecure_seed && report.ledger) report.files.push_back(report.ledger->path);
  folder.write("model.json", to_text(model_to_json(report)));
  folder.write("model_card.md", card_to_markdown(report));
  folder.write("model_card.json", to_text(card_to_json(report)));
  folder.write("report.json", to_text(training_to_json(report)), Audience::kOwner);
  folder.commit();
}

}  // namespace

TrainingReport plan_training(const TrainRequest& request) {
  const Prepared prepared = prepare(request);
  TrainingReport report = begin_report(prepared, request);
  std::error_code error;
  const bool no_ledger = std::filesystem::status(request.ledger_path, error).type() ==
                         std::filesystem::file_type::not_found;
  if (prepared.private_run && !no_ledger) {
    add_statement(Ledger(request.ledger_path), prepared, request, report);
    if (!(report.ledger->spent_after.epsilon.value() <= report.ledger->budget.epsilon.value())) {
      report.warnings.emplace_back("this run would exceed the budget: the ledger will refuse it");
    }
  } else if (prepared.private_run) {
    report.warnings.push_back(
        fmt::format("there is no ledger {} yet; create one with: equinoise ledger init --ledger {} "
                    "--dataset {} --epsilon E --delta D",
                    request.ledger_path, request.ledger_path, prepared.schema.dataset));
  }
  return report;
}

TrainingReport train(const TrainRequest& request, TrainProgress& progress) {
  const Prepared prepared = prepare(request);
  TrainingReport report = begin_report(prepared, request);
  std::optional<Ledger> ledger;
  if (prepared.private_run) {
    ledger.emplace(request.ledger_path);
    add_statement(*ledger, prepared, request, report);
  }

  progress.stage(fmt::format("reading {}", request.data_path));
  const Dataset dataset = read_table(request.data_path, prepared.schema);
  report.ingest_notes = ingest_notes(dataset);
  const std::vector<std::vector<GroupId>> group_of = held_out_groups(dataset, prepared, request);
  const EncodedTable table = encode(dataset, prepared.schema);
  const EncodedTable train_table = select(table, prepared.split.train);
  const EncodedTable test_table = select(table, prepared.split.test);
  progress.stage(fmt::format("{} records, {} features; {} to train, {} held out",
                             format_count(table.num_records), table.num_features,
                             format_count(train_table.num_records),
                             format_count(test_table.num_records)));

  if (prepared.private_run && request.out_path.empty()) {
    report.warnings.emplace_back("without --out the model that this run pays for is not kept");
    progress.stage("warning: " + report.warnings.back());
  }
  std::optional<OutputFolder> folder;
  if (!request.out_path.empty()) {
    const auto size =
        static_cast<int64_t>(prepared.model->num_parameters() * 256 + report.groups.size() * 4096 +
                             4 * prepared.schema.source_text.size() + 65536);
    folder.emplace(request.out_path, request.force, kOutputFiles, size);
  }

  // Before the reservation: whatever stops it there costs nothing.
  const std::optional<TrainedModel> reference =
      request.reference ? std::optional(train_reference(train_table, prepared, request, progress))
                        : std::nullopt;

  const std::unique_ptr<RandomSource> source = make_source(request);
  Charge charge = Charge::nothing(prepared.plan.config.relation);
  if (request.insecure_seed) {
    charge = Charge::unpaid(prepared.plan.events(), prepared.plan.config.relation,
                            dynamic_cast<const SeededSource&>(*source));
  } else if (ledger) {
    // The last moment at which the run may be stopped for free.
    progress.stage(fmt::format("reserving epsilon {} at delta {} in {}",
                               format_epsilon(report.privacy->epsilon),
                               report.privacy->delta.value(), request.ledger_path));
    charge = ledger->reserve(prepared.schema.dataset, prepared.plan.events(),
                             prepared.plan.config.relation, purpose_of(prepared));
    report.ledger->spent_after = ledger->account(prepared.schema.dataset).spent;
  }

  progress.start_training(prepared.plan.config.num_steps,
                          prepared.private_run ? epsilon_after(prepared.plan) : nullptr);
  StepReporter reporter(progress);
  const auto start = std::chrono::steady_clock::now();
  const TrainedModel trained = prepared.method->run(train_table, *prepared.model, prepared.plan,
                                                    std::move(charge), *source, reporter);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.finish_training();

  if (test_table.num_records > 0)
    evaluate(test_table, prepared, request, group_of, trained, reference, report);

  const std::vector<std::string> names = prepared.model->parameter_names();
  for (size_t i = 0; i < names.size(); ++i)
    report.parameters.emplace_back(names[i], trained.parameters[i]);
  if (folder) write_files(request, *folder, report);
  return report;
}

}  // namespace equinoise

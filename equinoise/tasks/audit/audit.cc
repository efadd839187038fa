// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string_view>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/rate_contexts.h"
#include "equinoise/data/counted_rows.h"
#include "equinoise/data/units.h"
#include "equinoise/models/bounded_prediction.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/tasks/audit/audit_output.h"
#include "equinoise/tasks/audit/judged.h"
#include "equinoise/tasks/audit/predictions_audit.h"
#include "equinoise/tasks/audit/private_audit.h"
#include "equinoise/tasks/audit/same_encoding.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/record_weights.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/predict/model_inputs.h"
#include "equinoise/tasks/predict/prediction_notes.h"
#include "equinoise/tasks/predict/saved_model.h"
#include "equinoise/train/explained_step.h"
#include "equinoise/train/group_weight_clip.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.audit";

[[noreturn]] void fail(ErrorKind kind, std::string_view message) {
  throw Error(kind, kWhere, message);
}

void check_request(const AuditRequest& request) {
  require_distinct(request.groupings);
  if (request.floor.min_size < 0) {
    fail(ErrorKind::kUsage,
         fmt::format("min_group_size must be >= 0, got {}", request.floor.min_size));
  }
  check_limits(request, !request.groupings.empty());
  if (request.explain && request.groupings.empty()) {
    fail(ErrorKind::kUsage, "--explain compares groups; name them with --groups");
  }
  if (request.explain && !request.weight_column.empty()) {
    fail(ErrorKind::kUsage,
         fmt::format("--explain is about a step of training, which knows no weights; leave out {}",
                     kWeightOption));
  }
  check_interval(kWhere, "explain_directions", static_cast<double>(request.explain_directions), 2,
                 1000);
}

/// Constraints to check.
struct ConstraintSet {
  std::string origin;  ///< "training" or "audit"
  RateProgram program;
};

/// The inputs of an evaluation that are known before records are read.
struct Prepared {
  SavedModel model;
  Schema schema;  ///< for the table
  std::optional<SavedModel> reference;
  Schema reference_schema;
  std::vector<ConstraintSet> constraints = {};
  std::vector<std::string> notes = {};  ///< about the constraints
};

/// Refuses a reference with another target.
void check_reference(const Schema& reference, const Schema& trained, const std::string& name) {
  if (reference.target != trained.target) {
    fail(ErrorKind::kInput, fmt::format("{}: predicts '{}', but the audited model predicts '{}'",
                                        name, reference.target, trained.target));
  }
  if (reference.image.has_value() != trained.image.has_value()) {
    fail(ErrorKind::kInput,
         fmt::format("{}: predicts from {}, but the audited model predicts from {}", name,
                     reference.image ? "images" : "columns", trained.image ? "images" : "columns"));
  }
  const std::string_view key =
      different_key(reference.column(trained.target), trained.column(trained.target));
  if (!key.empty()) {
    fail(ErrorKind::kInput, fmt::format("{}: its target '{}' differs in {} from that of the "
                                        "audited model; the two cannot be compared",
                                        name, trained.target, key));
  }
}

/// Refuses parts of an audit that units of several rows do not support.
void check_units(const AuditRequest& request, const Prepared& prepared) {
  const Schema& trained = prepared.model.schema;
  const auto require_unit = [](const Schema& schema, const std::string& wanted,
                               const std::string& origin) {
    if (schema.unit == wanted) return;
    fail(ErrorKind::kUsage,
         fmt::format("{} says unit = \"{}\", but the model was trained with unit = \"{}\": what "
                     "it was trained to protect is judged by the same unit",
                     origin, schema.unit, wanted));
  };
  require_unit(prepared.schema, trained.unit, request.schema_path.string());
  if (prepared.reference)
    require_unit(prepared.reference->schema, trained.unit, request.reference_path.string());
  if (!trained.has_unit_column()) return;
  const auto refuse_rows = [&](std::string_view what) {
    fail(ErrorKind::kUsage,
         fmt::format("{}, and a {} may have several rows (unit = \"{}\" in the schema)", what,
                     trained.unit, trained.unit));
  };
  if (!request.weight_column.empty()) refuse_rows(fmt::format("{} weighs rows", kWeightOption));
  if (request.explain) refuse_rows("--explain explains gradients of rows");
  if (!prepared.constraints.empty()) refuse_rows("constraints are on rates among rows");
}

void check_held_out(const SavedModel& model, const Schema& schema, const AuditRequest& request) {
  if (model.test_fraction == 0) {
    fail(ErrorKind::kUsage, fmt::format("{} was trained on all records of its table, with none "
                                        "held out; audit it on another table, without --held-out",
                                        request.model_path.string()));
  }
  if (schema.dataset != model.schema.dataset || schema.num_records != model.schema.num_records) {
    fail(ErrorKind::kInput,
         fmt::format("{}: --held-out needs the table that the model was trained on, dataset = "
                     "\"{}\" with {} = {}",
                     request.schema_path.string(), model.schema.dataset, model.schema.size_key(),
                     model.schema.num_records));
  }
}

/// Compiles the constraints of the training, as far as the table's schema has the names in them,
/// and those of the request.
void compile_sets(const AuditRequest& request, Prepared& prepared) {
  if (!prepared.model.constraints.empty()) {
    const ConstraintDomain domain = constraint_domain(prepared.schema);
    try {
      const std::vector<RateConstraint> constraints = parse_constraints_json(
          prepared.model.constraints, model_file(request.model_path).string(), domain);
      prepared.constraints.push_back(
          {"training", compile_constraints(domain, constraints, prepared.notes)});
    } catch (const Error& error) {
      prepared.notes.push_back(
          fmt::format("the constraints of training are not checked: {}", error.what()));
    }
  }
  if (!request.has_constraints()) return;
  const ConstraintDomain domain = constraint_domain(prepared.schema);
  const std::vector<RateConstraint> constraints =
      gather_constraints(request.constraints_path, request.constraints, domain);
  prepared.constraints.push_back(
      {"audit", compile_constraints(domain, constraints, prepared.notes)});
}

Prepared prepare(const AuditRequest& request) {
  Prepared prepared{load_model(request.model_path, request.table), {}, {}, {}};
  const Schema& trained = prepared.model.schema;
  check_limits_fit(request, trained.target, trained.column(trained.target).categories());
  prepared.schema = trained;
  if (!request.schema_path.empty()) {
    SchemaFile file;
    file.path = request.schema_path;
    file.table = request.table;
    if (trained.missing_use == MissingUse::kDrop) file.missing = MissingUse::kDrop;
    if (file.path.extension() == ".json") {
      // Facts missing from a domain of private-pgm are those of the model.
      file.num_records = trained.num_records;
      file.target = trained.target;
      file.dataset = trained.dataset;
    }
    prepared.schema = load_schema(file);
    require_same_encoding(trained, prepared.schema, request.schema_path.string());
  }
  if (!request.reference_path.empty()) {
    prepared.reference = load_model(request.reference_path, request.table);
    check_reference(prepared.reference->schema, trained, request.reference_path.string());
    prepared.reference_schema = schema_of_inputs(*prepared.reference, true);
    if (prepared.schema.has_unit_column()) {
      // The rows of a unit that are used depend on all cells that are read.
      require_same_encoding(prepared.reference->schema, prepared.schema,
                            fmt::format("what {} reads", request.reference_path.string()));
      prepared.reference_schema = prepared.schema;
    }
  }
  if (!request.weight_column.empty()) {
    weight_column(prepared.schema, request.weight_column);
    leave_out_unweighed(prepared.schema, request.weight_column);
    require_only_weights(prepared.schema, request.weight_column, {&prepared.schema.target, 1},
                         request.groupings);
  }
  compile_sets(request, prepared);
  check_units(request, prepared);
  check_labels(request.labels_path, prepared.schema, TableUse::kOther);
  if (request.held_out_only) check_held_out(prepared.model, prepared.schema, request);
  return prepared;
}

bool same_split(const SavedModel& a, const SavedModel& b) {
  return a.schema.dataset == b.schema.dataset && a.schema.num_records == b.schema.num_records &&
         a.test_fraction == b.test_fraction && a.split_seed == b.split_seed;
}

/// The evaluated records.
struct Records {
  EncodedTable table;
  std::vector<Grouping> groupings;             ///< group_of has one entry per record of `table`
  std::vector<std::vector<GroupId>> contexts;  ///< (constraint sets) of (records)
  std::optional<AuditWeights> weights;
  int64_t num_units = 0;  ///< of the file: rows, or units if these are not rows
  std::vector<std::string> notes;
};

/// Refuses options that need the positions of records in a table, for counted rows.
void refuse_places(const AuditRequest& request) {
  const bool has_reference = !request.reference_path.empty();
  if (!request.held_out_only && !has_reference) return;
  fail(ErrorKind::kUsage,
       fmt::format("{}: {} needs records in their places in a table, of which counted rows say "
                   "nothing; give a file of the records",
                   request.data.name(), has_reference ? "--reference" : "--held-out"));
}

/// The table read by this schema, with its rule for the rows of units.
Dataset read_by(const Schema& schema, const AuditRequest& request, TaskProgress& progress) {
  const TableUse other = schema.has_unit_column() ? TableUse::kPrivateSize : TableUse::kOther;
  Dataset dataset = read_table_files({request.data, request.labels_path}, schema,
                                     request.held_out_only ? TableUse::kDescribed : other, progress,
                                     CountedRows::kKept);
  constexpr int64_t kBytesOfRecord = 130;  // its row, target, group, predictions and figures
  require_records(dataset, request.data.name(), "an audit", kBytesOfRecord);
  if (!dataset.row_counts.empty()) refuse_places(request);
  if (dataset.num_records == 0)
    fail(ErrorKind::kInput, fmt::format("{}: has no rows that count", request.data.name()));
  return dataset;
}

/// The evaluated rows.
UnitRows judged(const SavedModel& model, const Dataset& dataset, bool held_out_only) {
  if (held_out_only) return split_units(dataset, model.test_fraction, model.split_seed).test;
  std::vector<uint32_t> all = numbers_below<uint32_t>(static_cast<size_t>(dataset.num_units()));
  return rows_of_units(dataset, std::move(all));
}

Records read_judged(const AuditRequest& request, const Prepared& prepared, TaskProgress& progress) {
  Dataset dataset = read_by(prepared.schema, request, progress);
  const UnitRows rows = judged(prepared.model, dataset, request.held_out_only);
  const std::vector<uint32_t>& records = rows.rows;
  Records result;
  result.num_units = dataset.num_units();
  result.notes = ingest_notes(dataset, prepared.schema.target);
  std::vector<double> weights;
  if (!request.weight_column.empty()) {
    Weighting weighting = weigh_records(*dataset.find_numeric(request.weight_column),
                                        dataset.contributes, dataset.row_counts);
    result.weights = AuditWeights{weighting.column, weighting.unit};
    for (std::string& note : weighting_notes(weighting)) result.notes.push_back(std::move(note));
    weights = std::move(weighting.weights);
  }
  result.table = encode(dataset, prepared.schema, rows);
  for (const uint32_t record : records)
    if (!weights.empty()) result.table.weights.push_back(weights[record]);
  weigh_by_units(result.table);
  result.table.groups = groups_of_model(prepared.model, dataset, prepared.schema, records);
  for (const std::vector<std::string>& columns : request.groupings) {
    Grouping grouping = group_units_by(dataset, prepared.schema, columns, request.floor);
    std::vector<GroupId> of_records;
    of_records.reserve(records.size());
    for (const uint32_t record : records) of_records.push_back(grouping.group_of[record]);
    grouping.group_of = std::move(of_records);
    result.groupings.push_back(std::move(grouping));
  }
  for (const ConstraintSet& set : prepared.constraints)
    result.contexts.push_back(rate_contexts(dataset, prepared.schema, set.program, records));
  return result;
}

/// The reference's predictions for the same records. Records that its schema's rules drop
/// contribute nothing any more; also returns their number.
std::pair<Predictions, int64_t> predict_by_reference(const AuditRequest& request,
                                                     const Prepared& prepared, Records& records,
                                                     TaskProgress& progress) {
  const Schema& schema = prepared.reference_schema;
  const Dataset dataset = read_by(schema, request, progress);
  const UnitRows rows = judged(prepared.model, dataset, request.held_out_only);
  EncodedTable table = encode(dataset, schema, rows);
  if (dataset.num_units() != records.num_units || table.num_records != records.table.num_records) {
    fail(ErrorKind::kInput, fmt::format("{}: changed while it was read", request.data.name()));
  }
  table.groups = groups_of_model(*prepared.reference, dataset, schema, rows.rows);
  int64_t num_dropped = 0;
  for (size_t i = 0; i < table.contributes.size(); ++i) {
    num_dropped += records.table.contributes[i] != 0 && table.contributes[i] == 0 ? 1 : 0;
    records.table.contributes[i] &= table.contributes[i];
  }
  return {predict_within_bounds(*prepared.reference->model, table, prepared.reference->parameters,
                                request.threads),
          num_dropped};
}

AuditReport begin_report(const AuditRequest& request, const Prepared& prepared) {
  AuditReport report;
  report.version = EQUINOISE_VERSION;
  const SavedModel& model = prepared.model;
  report.dataset = model.schema.dataset;
  report.model_path = request.model_path.string();
  report.model = model.model->name();
  report.method = model.method;
  report.status = model.status;
  report.privacy = model.privacy;
  if (model.status == PrivacyStatus::kPrivate && model.privacy)
    report.protection = Protection{model.privacy->relation, ProtectedUnit::of(model.schema),
                                   model.public_groups, model.attack};
  report.unit = ProtectedUnit::of(prepared.schema);
  report.target = model.schema.target;
  const ColumnSchema& target = model.schema.column(model.schema.target);
  report.classes = target.values;
  report.favourable = request.favourable.empty() ? prepared.schema.favourable
                                                 : find_favourable(request.favourable, target);
  report.data_path = request.data.name();
  report.held_out_only = request.held_out_only;
  if (prepared.reference) report.reference_path = request.reference_path.string();
  report.command = request.command;
  if (!prepared.schema.reviewed) {
    report.warnings.emplace_back(
        "the schema is not reviewed: its groups, bounds and categories may have been learnt from "
        "the data");
  }
  append(report.warnings, prepared.notes);
  if (prepared.reference && request.held_out_only && !same_split(model, *prepared.reference)) {
    report.warnings.emplace_back(
        "the reference held out other records than the model, so it may have been trained on some "
        "of the audited records");
  }
  return report;
}

/// The training's configuration, from the options in model.json.
TrainingConfig training_config(const SavedModel& model, const std::string& origin) {
  TrainingConfig config;
  const std::set<std::string> missing = [&] {
    std::set<std::string> names = {"learning_rate", "batch_size"};
    for (const Setting& option : model.options) names.erase(option.name);
    return names;
  }();
  if (!missing.empty()) {
    fail(ErrorKind::kInput,
         fmt::format("{}: does not give the {} of training, which --explain needs", origin,
                     fmt::join(missing, " and ")));
  }
  const TrainingOptions& options = find_training_method(model.method).options();
  apply_settings<TrainingConfig>(kWhere, options, model.options, config);
  check_options<TrainingConfig>(kWhere, options, config);
  return config;
}

/// Sets the thresholds of policies that choose them by counts: from exact counts of all records,
/// instead of the noisy counts of a batch in training.
void choose_thresholds(const EncodedTable& table, const SavedModel& model, ClipPolicy& clip) {
  if (!clip.counts_come_first()) return;
  std::vector<int64_t> counts(clip.num_counts(), 0);
  std::vector<uint32_t> records;
  PerSample samples;
  std::vector<GroupId> groups;
  const auto num_records = static_cast<uint32_t>(table.num_records);
  const auto tile = static_cast<uint32_t>(model.model->max_tile_records());
  for (uint32_t begin = 0; begin < num_records; begin += tile) {
    records.clear();
    groups.clear();
    for (uint32_t i = begin; i < std::min(num_records, begin + tile); ++i) {
      if (table.contributes[i] == 0) continue;
      records.push_back(i);
      groups.push_back(table.groups[i]);
    }
    model.model->per_sample({table, records}, model.parameters, samples);
    clip.add_counts({samples.squared_norm, groups}, counts);
  }
  clip.take_counts(std::vector<double>(counts.begin(), counts.end()));
}

/// The clip policy of the training, with its thresholds at the start; groups that paid separately
/// must be among `groups`.
std::unique_ptr<ClipPolicy> clip_of_training(const SavedModel& model, const TrainingConfig& config,
                                             const TrainingFacts& facts,
                                             const std::vector<std::string>& groups) {
  std::vector<double> weights;
  std::vector<double> clips;
  for (const std::string& group : groups) {
    const auto weight = model.settings.find("group_weight " + group);
    const auto clip = model.settings.find("group_clip " + group);
    if (weight == model.settings.end() || clip == model.settings.end()) continue;
    weights.push_back(weight->second);
    clips.push_back(clip->second);
  }
  const bool has_weights = std::ranges::any_of(model.settings, [](const auto& setting) {
    return setting.first.starts_with("group_weight ");
  });
  if (has_weights && (weights.size() != groups.size() || weights.empty())) {
    fail(ErrorKind::kUsage,
         "--explain needs the groups of training; give the same --groups, --min-group-size and "
         "--small-groups");
  }
  if (has_weights) return std::make_unique<GroupWeightClip>(weights, clips);
  return find_training_method(model.method).make()->make_clip(config, facts);
}

/// Explains why the groups of `judged` lose.
void explain(const AuditRequest& request, const SavedModel& model, const Grouping& grouping,
             EncodedTable& table, AuditGrouping& judged, TaskProgress& progress) {
  const TrainingConfig config = training_config(model, request.model_path.string());
  const size_t num_groups = grouping.groups.size();
  const std::vector<std::string> names = group_names(grouping);
  const std::unique_ptr<ClipPolicy> clip = clip_of_training(
      model, config, {table.num_records, model.parameters.size(), 0, num_groups}, names);
  table.groups = grouping.group_of;
  choose_thresholds(table, model, *clip);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < table.contributes.size(); ++i) {
    if (table.contributes[i] != 0) all.push_back(i);
  }
  const bool is_clipped = std::isfinite(clip->bound());
  const auto multiplier = model.settings.find("noise_multiplier");
  const double noise_stddev = is_clipped && multiplier != model.settings.end()
                                  ? multiplier->second * clip->bound() / config.batch_size
                                  : 0;
  const auto num_records = static_cast<double>(all.size());
  judged.risk = excessive_risk(
      table, num_groups, *model.model, model.parameters, *clip,
      {sum_gradients(table, num_groups, *model.model, model.parameters, *clip, all, num_records),
       num_records, config.learning_rate, noise_stddev * num_records},
      {request.explain_directions, 0, true, request.threads, [&](size_t group) {
         progress.stage(
             fmt::format("explaining {} ({} of {} groups)", names[group], group + 1, num_groups));
       }});
  // Bounds that changed during training are not saved.
  const TrainingMethodRow& row = find_training_method(model.method);
  const bool moves_clip = row.follows("strict_bound_learning_rate") || row.follows("max_threshold");
  judged.explained = {
      config.learning_rate,
      is_clipped ? fmt::format("gradients clipped as in {}, max_grad_norm {:.4g}{}", model.method,
                               config.max_grad_norm, moves_clip ? ", as in its first step" : "")
                 : "gradients not clipped",
      noise_stddev};
}

/// Checks, before records are read, that the model supports --explain.
void check_explainable(const AuditRequest& request, const SavedModel& model) {
  const std::string origin = request.model_path.string();
  const TrainingConfig config = training_config(model, origin);
  const auto rows = training_methods();
  const auto row =
      std::ranges::find_if(rows, [&](const auto& known) { return known.name == model.method; });
  if (row == rows.end()) {
    fail(ErrorKind::kInput,
         fmt::format("{}: --explain does not support the method \"{}\"", origin, model.method));
  }
  if (!row->is_explained) {
    fail(ErrorKind::kUsage, fmt::format("{}: --explain does not know the steps of {}; leave it out",
                                        origin, model.method));
  }
  std::vector<std::string> groups;
  if (!model.method_groups.empty())
    groups = group_names(list_groups(model.schema, model.method_groups, request.floor));
  if (model.model_per_group && request.floor.policy == SmallGroups::kMerge) {
    fail(ErrorKind::kUsage,
         "--explain is about each group's own model; leave out --small-groups merge");
  }
  const TrainingFacts one_group = {.num_groups = 1};
  if (!model.model_per_group &&
      clip_of_training(model, config, one_group, groups)->num_groups() == 0) {
    return;
  }
  for (const std::vector<std::string>& columns : request.groupings) {
    if (columns == model.method_groups) continue;
    fail(ErrorKind::kUsage,
         fmt::format("the model was trained with groups by {}; --explain needs exactly --groups {}",
                     fmt::join(model.method_groups, ","), fmt::join(model.method_groups, ",")));
  }
}

/// The release of a model's rates. Predictions of a model without a guarantee depend on each record
/// that it was trained on, so nothing protects these.
AuditReport audit_privately(const AuditRequest& request, const Prepared& prepared,
                            AuditReport report, TaskProgress& progress) {
  const SavedModel& model = prepared.model;
  if (model.status != PrivacyStatus::kPrivate) {
    if (request.held_out_only || prepared.schema.dataset == model.schema.dataset) {
      fail(ErrorKind::kUsage,
           fmt::format("{}: was trained on {} without a guarantee, so its predictions depend on "
                       "each of these records, and no noise on their counts protects them; audit "
                       "a private model, or this one on another table",
                       request.model_path.string(), model.schema.dataset));
    }
    report.warnings.emplace_back(
        "the model has no guarantee: this one is about the audited records, not about those that "
        "the model was trained on");
  }
  static_cast<void>(AuditOutput(request, prepared.schema, 0));  // not into the model's folder
  const auto num_records = static_cast<double>(prepared.schema.num_records) *
                           (request.held_out_only ? model.test_fraction : 1);
  PrivateAudit audit(request, prepared.schema, num_records, std::move(report));
  if (request.dry_run) return audit.plan();
  const Records records = read_judged(request, prepared, progress);
  progress.stage("predicting");
  const Predictions predictions =
      predict_within_bounds(*model.model, records.table, model.parameters, request.threads);
  return audit.release({records.table, predictions}, records.groupings, progress);
}

}  // namespace

AuditReport audit(const AuditRequest& request, TaskProgress& progress) {
  if (!request.predictions.empty()) return audit_predictions(request, progress);
  const auto start = std::chrono::steady_clock::now();
  check_request(request);
  progress.stage(fmt::format("loading {}", model_file(request.model_path).string()));
  const Prepared prepared = prepare(request);
  if (request.explain) check_explainable(request, prepared.model);
  AuditReport report = begin_report(request, prepared);
  if (request.is_private) return audit_privately(request, prepared, std::move(report), progress);
  if (request.explain) {
    for (std::string& warning :
         explanation_warnings("--explain", prepared.model.method, prepared.model.optimizer))
      report.warnings.push_back(std::move(warning));
  }
  size_t num_constraints = 0;
  for (const ConstraintSet& set : prepared.constraints)
    num_constraints += set.program.constraints.size();
  const AuditOutput output(request, prepared.schema, num_constraints);

  Records records = read_judged(request, prepared, progress);
  report.ingest_notes = records.notes;
  report.weights = records.weights;
  if (!request.held_out_only && records.num_units == prepared.model.schema.num_records) {
    report.warnings.push_back(fmt::format(
        "the table has as many {0} as the training table; if it is the training table, the figures "
        "include those of training and look too good{1}",
        prepared.schema.units_name(),
        prepared.model.test_fraction > 0
            ? fmt::format("; --held-out audits only the {} that were held out",
                          prepared.schema.units_name())
            : "; nothing was held out, so audit the model on another table"));
  }

  progress.stage(fmt::format("predicting {} for {} {}", report.target,
                             format_count(records.table.num_units()),
                             prepared.schema.units_name()));
  const Predictions predictions = predict_within_bounds(*prepared.model.model, records.table,
                                                        prepared.model.parameters, request.threads);
  std::optional<Predictions> reference;
  if (prepared.reference) {
    progress.stage(fmt::format("predicting with {}", *report.reference_path));
    auto [reference_predictions, num_dropped] =
        predict_by_reference(request, prepared, records, progress);
    reference = std::move(reference_predictions);
    if (num_dropped > 0) {
      report.ingest_notes.push_back(fmt::format(
          "{} records are left out by the rules of the reference's schema", num_dropped));
    }
  }
  add_prediction_notes(records.table, predictions, "the model", report.ingest_notes);
  if (reference)
    add_prediction_notes(records.table, *reference, "the reference", report.ingest_notes);

  progress.stage("computing metrics");
  const JudgedTable table{records.table, predictions, reference ? &*reference : nullptr};
  report.overall = judge_all(table);
  for (size_t s = 0; s < prepared.constraints.size(); ++s) {
    const ConstraintSet& set = prepared.constraints[s];
    append(report.constraints,
           judge_constraints(table, set.program, set.origin, records.contexts[s]));
  }
  for (const Grouping& grouping : records.groupings) {
    report.groupings.push_back(judge_groups(table, grouping, report.overall.metrics));
    if (request.explain) {
      progress.stage(fmt::format("explaining groups by {} (gradients and Hessians of {} records)",
                                 fmt::join(grouping.columns, ", "),
                                 format_count(records.table.num_records)));
      explain(request, prepared.model, grouping, records.table, report.groupings.back(), progress);
    }
    add_verdicts(request, report.groupings.back(), report);
  }
  add_class_warnings(request, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  output.write(progress, report);
  return report;
}

}  // namespace equinoise

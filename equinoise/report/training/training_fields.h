// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "equinoise/report/alarms.h"
#include "equinoise/report/deployment.h"
#include "equinoise/report/group_json.h"
#include "equinoise/report/ledger/ledger_json.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

// The documents of a training report: report.json, a plan, a model and its card.

/// Keys derived from several members: see the list below.
namespace training_keys {

using Report = TrainingReport;
using Json = nlohmann::ordered_json;
using Section = OrderedJsonSection;

void write_unit(const Report& report, const FieldScope& scope, Json& object);
void read_unit(const Section& root, const FieldScope& scope, Report& report);
void write_split(const Report& report, const FieldScope& scope, Json& object);
void read_split(const Section& root, const FieldScope& scope, Report& report);
void write_protection(const Report& report, const FieldScope& scope, Json& object);
void read_protection(const Section& root, const FieldScope& scope, Report& report);
std::vector<CostGapRow> cost_gaps(const Report& report);
void write_explanations(const Report& report, const FieldScope& scope, Json& object);
void read_explanations(const Section& root, const FieldScope& scope, Report& report);
void write_reference(const Report& report, const FieldScope& scope, Json& object);
void read_reference(const Section& root, const FieldScope& scope, Report& report);
void write_evaluation(const Report& report, const FieldScope& scope, Json& object);
void read_evaluation(const Section& root, const FieldScope& scope, Report& report);
void write_parameters(const Report& report, const FieldScope& scope, Json& object);
void write_constraint_file(const Report& report, const FieldScope& scope, Json& object);
Deployment deployment(const Report& report);

}  // namespace training_keys

template <>
inline constexpr auto fields_of<TrainingReport> = [] {
  using Report = TrainingReport;
  using Keys = Derived<Report>;
  namespace keys = training_keys;
  constexpr DocumentSet kAllButModel = Documents::kPlan | Documents::kReport | Documents::kCard;
  constexpr DocumentSet kAllButPlan = Documents::kReport | Documents::kCard | Documents::kModel;
  constexpr DocumentSet kReportAndCard = Documents::kReport | Documents::kCard;
  return std::tuple_cat(
      publishable(
          field("version", &Report::version, "Version of the program"),
          field("dataset", &Report::dataset, "Name under which the ledger keeps the account"),
          field("method", &Report::method, "Training method"),
          field("status", &Report::status, "Whether a guarantee holds"),
          field("source", &Report::source, "Bibliography key of the method"),
          field("model", &Report::model, "Kind of model"),
          field("network", &Report::network, "Layers of a network").or_nothing().write_only(),
          field("method_groups", &Report::method_groups, "Columns that define the method's groups")
              .or_nothing()
              .write_only(),
          field("model_per_group", &Report::model_per_group, "Whether each of these has a model")
              .or_nothing()
              .write_only(),
          field("optimizer", &Report::optimizer, "Of a method that has one").or_nothing(),
          field("schema_reviewed", &Report::schema_reviewed,
                "False: --public-data let a drafted schema pass"),
          field("drop_incomplete", &Report::drops_incomplete,
                "Whether records with a missing cell were left out")
              .or_nothing(),
          field("settings", &Report::settings, "Figures of the plan by name"),
          field("options", &Report::options, "Options of the method as the run used them")
              .or_nothing()
              .write_only()),
      std::tuple(computed<Report>("alarms", alarms_of, "What must be read first")),
      fields_in(
          Documents::kCard,
          computed("alarms", publishable_alarms, "The same without exact figures"),
          computed("intended_use", intended_use, "What the model is for"),
          computed(
              "num_parameters", +[](const Report& report) { return report.parameters.size(); },
              "Size of the model")),
      fields_in(kAllButPlan, field("target", &Report::target, "Column that is predicted"),
                field("classes", &Report::classes, "Empty for a number")),
      fields_in(Documents::kCard,
                field("features", &Report::features, "Columns that the model uses"),
                field("columns_left_out", &Report::columns_left_out, "Columns that are no features")
                    .or_nothing()),
      fields_in(kReportAndCard,
                Keys{"unit, unit_stated, max_records_per_unit?", "Whom the guarantee protects",
                     keys::write_unit, keys::read_unit}),
      fields_in(kAllButPlan,
                Keys{"split", "How records were held out", keys::write_split, keys::read_split}),
      publishable(field("privacy", &Report::privacy, "Guarantee; null: none"),
                  Keys{"public_groups?, privacy_in_words?, attack_bounds",
                       "What the guarantee means", keys::write_protection, keys::read_protection}),
      fields_in(kAllButModel,
                field("privacy_by_rdp", &Report::by_rdp, "The same releases by Renyi DP"),
                field("events", &Report::costs, "What was paid for")),
      std::tuple(field("overall", &Report::overall, "Figures of all held-out records")),
      fields_in(kAllButModel, field("groups", &Report::groups, "What each group gets and pays")),
      std::tuple(field("realised_shares_output_dependent", &Report::realised_shares,
                       "What the first stage gave groups that overlap")
                     .or_nothing()
                     .write_only(),
                 computed("cost_gaps", keys::cost_gaps, "How unequally groups lose"),
                 field("curve", &Report::curve, "Training curve")),
      fields_in(
          kReportAndCard,
          field("trained_groups", &Report::trained_groups,
                "Groups that the method weighs; small ones may be trained as one")
              .or_nothing(),
          field("group_path", &Report::group_path, "Their weights over training, by noisy answers")
              .or_nothing(),
          field("regression", &Report::regression, "What a regression estimated, with noise")
              .or_nothing(),
          field("terms", &Report::terms,
                "What each column adds, of an additive model; largest first")
              .or_nothing()),
      std::tuple(Keys{"explanations", "Why groups lose, by --explain-every",
                      keys::write_explanations, keys::read_explanations},
                 Keys{"reference", "The model without privacy", keys::write_reference,
                      keys::read_reference},
                 field("largest_training_loss", &Report::largest_loss,
                       "Largest mean loss of a group of training records, where minimax trained")),
      fields_in(kAllButModel, field("constraints", &Report::constraints,
                                    "Constraints of training and how they are kept")),
      publishable(Keys{"private_evaluation?, private_rates?, private_evaluation_cost?",
                       "Figures of held-out records that the run paid for", keys::write_evaluation,
                       keys::read_evaluation}),
      std::tuple(field("evaluates_groups", &Report::evaluates_groups,
                       "Whether the private evaluation covers groups"),
                 field("evaluation_noise_stddev", &Report::evaluation_noise_stddev,
                       "Standard deviation of the noise of the private evaluation")
                     .or_null(),
                 field("why_not_evaluated", &Report::why_not_evaluated,
                       "Why there is no private evaluation")
                     .or_null()),
      fields_in(kReportAndCard, field("ledger", &Report::ledger, "Account that paid")),
      fields_in(Documents::kPlan, field("ledger_after", &Report::ledger, "Account that would pay")),
      std::tuple(
          field("ledger_entries", &Report::ledger_entries, "Its newest entries"),
          field("num_earlier_entries", &Report::num_earlier_entries, "Entries before these")),
      fields_in(
          Documents::kModel,
          field("pairs", &Report::pairs, "Pairs of columns with a term of their own").or_nothing(),
          Keys{"diverged?, parameters", "The model", keys::write_parameters},
          Keys{"constraints?", "As constraint files have them", keys::write_constraint_file},
          field("table_schema", &Report::schema_text, "Schema of the table")),
      fields_in(Documents::kCard,
                computed("deployment", keys::deployment, "Entry for a registry of deployments"),
                computed("limitations", limitations_of, "What the card does not say")),
      fields_in(Documents::kPlan, field("other_methods", &Report::other_methods,
                                        "Methods that the plan does not rank")),
      fields_in(Documents::kPlan | Documents::kCard,
                field("notes", &Report::notes, "What the plan says").write_only()),
      fields_in(Documents::kReport,
                field("notes", &Report::notes, "What the plan says").or_nothing()),
      std::tuple(field("ingest", &Report::ingest_notes, "What the schema's rules did to records")),
      fields_in(kAllButModel, field("warnings", &Report::warnings, "What needs attention")),
      std::tuple(field("owner_warnings", &Report::owner_warnings,
                       "Warnings that only the owner can act on")
                     .or_nothing()),
      fields_in(kReportAndCard, field("command", &Report::command, "Command that was run")),
      std::tuple(field("seconds", &Report::seconds, "Training time").or_null(),
                 field("files", &Report::files, "Files that were written"),
                 field("run_file", &Report::run_file, "Run file that repeats the run").or_null()));
}();

}  // namespace equinoise

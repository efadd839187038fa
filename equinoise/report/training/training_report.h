// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/audit/excessive_risk.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/audit/private_group_rates.h"
#include "equinoise/base/method_status.h"
#include "equinoise/base/option_value.h"
#include "equinoise/models/network_options.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/report/constraint_report.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/protection.h"

namespace equinoise {

/// One line of the per-group table. `group` is empty for the overall row.
struct GroupReport {
  GroupLabel group;
  std::optional<int64_t> public_size;
  std::optional<Guarantee> privacy;
  std::optional<double> noise_stddev;
  std::optional<double> relative_noise;
  std::optional<RealisedGuarantee> realised;
  std::optional<PrivateRates> private_rates;  ///< paid for by the run; publishable
  std::optional<Metrics> metrics;             ///< not private
  std::optional<Metrics> reference;           ///< not private
  std::optional<Cost> cost;  ///< loss of the released model against the reference; not private
};

template <>
inline constexpr auto fields_of<RealisedGuarantee> =
    std::tuple(field("share", &RealisedGuarantee::share, "Share of the budget of groups"),
               field("rho", &RealisedGuarantee::rho, "Zero-concentrated DP"),
               field("privacy", &RealisedGuarantee::privacy, "The same as a guarantee"));

template <>
inline constexpr auto fields_of<GroupReport> = std::tuple_cat(
    publishable(field("group", &GroupReport::group, "Its values by column").or_nothing()),
    std::tuple(members(&GroupReport::metrics, "Figures of held-out records"),
               members(&GroupReport::cost, "What privacy costs the group")),
    publishable(
        field("public_size", &GroupReport::public_size, "Size that the schema declares"),
        field("privacy", &GroupReport::privacy, "Guarantee of its members"),
        field("noise_stddev", &GroupReport::noise_stddev,
              "Standard deviation of the noise on each entry of a gradient sum")
            .or_nothing(),
        field("noise_per_expected_member_in_clips", &GroupReport::relative_noise,
              "The same in clips, per member of the group expected in a batch, each as much as it "
              "counts")
            .or_nothing()),
    std::tuple(field("realised_output_dependent", &GroupReport::realised,
                     "Guarantee of a run whose cost follows noisy answers; no promise")
                   .or_nothing()
                   .write_only()));

/// The members of a row that the document lacks in the table of groups. Not private.
inline void complete(GroupReport& row) {
  if (row.cost && row.metrics) row.cost->num_records = row.metrics->num_records;
}

/// The cost of an account, or of a single run without an account, with and without the private
/// evaluation.
struct EvaluationCost {
  Epsilon with;
  Epsilon without;
  Epsilon before;  ///< before either; without an account: 0
};

/// One itemised cost.
struct CostLine {
  std::string label;
  Event event = Event::composed({});
};

template <>
inline constexpr auto fields_of<CostLine> = publishable(
    field("label", &CostLine::label, "What is paid for"),
    field("event", &CostLine::event, "How it is accounted for"),
    computed(
        "text", +[](const CostLine& cost) { return cost.event.to_text(); }, "The event in words"));

/// A point of the training curve, on held-out records. Not private.
struct CurvePoint {
  int64_t step = 0;
  double loss = 0;
};

template <>
inline constexpr auto fields_of<CurvePoint> =
    std::tuple(field("step", &CurvePoint::step, "Steps done"),
               field("loss", &CurvePoint::loss,
                     "Mean held-out loss of the model as it would be released then"));

/// The group weights of training: means over the steps since the point before.
struct GroupPathRow {
  int64_t step = 0;
  std::vector<double> weights;
  std::vector<double> losses;
};

template <>
inline constexpr auto fields_of<GroupPathRow> =
    publishable(field("step", &GroupPathRow::step, "Steps done"),
                field("weights", &GroupPathRow::weights, "Weight of each trained group"),
                field("noisy_losses", &GroupPathRow::losses,
                      "Loss of each trained group, with noise; none where none were released")
                    .or_nothing());

/// A pair of columns of an additive model (AdditivePair).
struct PairReport {
  std::vector<std::string> columns;  ///< two
  std::vector<int64_t> first_parts;
  std::vector<int64_t> second_parts;
};

template <>
inline constexpr auto fields_of<PairReport> = fields_in(
    Documents::kModel, field("columns", &PairReport::columns, "Names of the two columns"),
    field("first_parts", &PairReport::first_parts, "Part of each cell of the first column"),
    field("second_parts", &PairReport::second_parts, "Part of each cell of the second column"));

/// A regression figure that was released with noise, or the reason why it has no interval.
struct RegressionFigure {
  std::string name;  ///< "age", "race=Black (against White)"
  std::optional<double> estimate = {};
  std::optional<double> standard_error = {};
  std::optional<Interval> interval = {};
  std::string why = {};  ///< "nearly the same as age"; "" with an interval
};

template <>
inline constexpr auto fields_of<RegressionFigure> = publishable(
    field("name", &RegressionFigure::name, "Coefficient or figure of the fit"),
    field("estimate", &RegressionFigure::estimate, "Null if noise hides it").or_null(),
    field("standard_error", &RegressionFigure::standard_error, "Of a coefficient").or_null(),
    field("estimate_interval", &RegressionFigure::interval,
          "For the noise and for the draw of the records; null beside an estimate: unbounded"),
    field("why_none", &RegressionFigure::why, "Reason for no interval").or_nothing());

/// The fit of a regression to its records, or to those of a group.
struct RegressionFit {
  GroupLabel group = {};
  RegressionFigure residual_stddev = {"residual standard deviation"};
  RegressionFigure r_squared = {"R squared (adjusted)"};
};

template <>
inline constexpr auto fields_of<RegressionFit> = publishable(
    field("group", &RegressionFit::group, "Group; absent: overall").or_nothing(),
    field("residual_stddev", &RegressionFit::residual_stddev, "Residual standard deviation"),
    field("r_squared", &RegressionFit::r_squared, "R squared, adjusted"));

/// A method's estimates of a regression, in the units of the columns.
struct RegressionReport {
  std::vector<RegressionFigure> coefficients;
  std::string log_odds_of;
  std::optional<RegressionFit> fit;
  std::vector<RegressionFit> groups;
};

template <>
inline constexpr auto fields_of<RegressionReport> = publishable(
    field("coefficients", &RegressionReport::coefficients, "One for each column or category"),
    field("log_odds_of", &RegressionReport::log_odds_of,
          "Class of a logistic regression, which has no figures of the fit")
        .or_nothing(),
    members(&RegressionReport::fit, "How it fits all records"),
    field("groups", &RegressionReport::groups, "The same by group, where the method tells it")
        .or_nothing());

/// A part of an additive model's term: a category, or an interval of numbers. Contributions are
/// differences to the mean over the records: log odds of the second of two classes, units of a
/// numeric target, or scores of classes, which add up to 0.
struct TermPart {
  std::vector<std::string> values;    ///< (columns) "17 to 24", "Private"
  std::optional<double> from = {};    ///< of an interval of numbers, in the column's units
  std::optional<double> to = {};      ///< the first number beyond
  double share = 0;                   ///< of the records, by the released histogram
  std::vector<double> contributions;  ///< (scores) means over the part
  std::vector<double> at_start = {};  ///< (scores) where they follow a slope, else empty
  std::vector<double> at_end = {};
};

template <>
inline constexpr auto fields_of<TermPart> = publishable(
    field("values", &TermPart::values, "Category, or interval of numbers, of each column"),
    field("from", &TermPart::from, "Least number of an interval").or_nothing(),
    field("to", &TermPart::to, "First number beyond it; of the last one the upper bound")
        .or_nothing(),
    field(
        "share", &TermPart::share,
        "Share of records by the released histogram, spread evenly within its bins; of a pair the "
        "product of its columns' shares"),
    field("contributions", &TermPart::contributions,
          "Mean difference to the mean record: one for the log odds of the second of two classes "
          "or for a number, else one for the score of each class"),
    field("at_start", &TermPart::at_start, "The same at the start of an interval with a slope")
        .or_nothing(),
    field("at_end", &TermPart::at_end, "The same at its end").or_nothing());

/// A term of an additive model: what the values of its columns add to the scores.
struct TermReport {
  std::vector<std::string> columns;
  double mean_size = 0;  ///< mean absolute contribution over records and scores
  std::vector<TermPart> parts;
  std::string monotone = {};  ///< the schema's key; "": none
};

template <>
inline constexpr auto fields_of<TermReport> = publishable(
    field("columns", &TermReport::columns, "Column, or several that act together"),
    field("monotone", &TermReport::monotone,
          "\"increasing\" or \"decreasing\" as the schema asks: the contributions of larger values "
          "are never lower, or never higher")
        .or_nothing(),
    field("mean_size", &TermReport::mean_size, "Mean absolute contribution over records"),
    field("parts", &TermReport::parts, "Categories or intervals, in their order"));

/// The largest mean loss of any group of training records, and bounds on the smallest possible one
/// for parameters of norm at most `radius`. Not private.
struct LargestLoss {
  double loss = 0;
  double min_lower = 0;
  double min_upper = 0;
  double radius = 0;
};

template <>
inline constexpr auto fields_of<LargestLoss> = std::tuple(
    field("loss", &LargestLoss::loss, "Of the released model"),
    field("least_lower", &LargestLoss::min_lower, "Lower bound on the least possible"),
    field("least_upper", &LargestLoss::min_upper, "Upper bound on it, which is attained"),
    field("radius", &LargestLoss::radius, "Largest norm of the parameters that are compared"));

/// A method that a plan names without ranking it.
struct OtherMethod {
  std::string method;
  std::string purpose;
  std::vector<std::string> notes;
};

template <>
inline constexpr auto fields_of<OtherMethod> =
    publishable(field("method", &OtherMethod::method, "Its name"),
                field("purpose", &OtherMethod::purpose, "What to use it for"),
                field("notes", &OtherMethod::notes, "Its own plan at the same epsilon"));

/// A feature of the schema. Publishable.
struct FeatureReport {
  std::string column;
  std::string encoding;
};

template <>
inline constexpr auto fields_of<FeatureReport> = publishable(
    field("column", &FeatureReport::column, "Its name"),
    field("encoding", &FeatureReport::encoding, "\"numeric, within 17 to 90\", \"5 categories\""));

/// The most entries of its account that a report lists.
inline constexpr size_t kMaxListedEntries = 100;

/// The report of `plan` and `train`. Fields set by training are empty after planning.
struct TrainingReport {
  std::string version;
  std::string dataset;
  std::string method;
  std::string source;  ///< bibliography key of the method
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::string target;
  ProtectedUnit unit;
  std::vector<std::string> classes;        ///< empty for a numeric target
  std::string model;                       ///< "logistic"
  std::optional<NetworkOptions> network;   ///< for a model that is a network
  std::vector<std::string> method_groups;  ///< the columns that define the method's groups
  bool model_per_group = false;            ///< one model for each of these groups
  std::vector<FeatureReport> features;
  std::vector<std::string> columns_left_out;
  std::string optimizer;     ///< "sgd"; "" for a method without one
  double test_fraction = 0;  ///< of the split that held records out
  uint64_t split_seed = 0;
  NamedFigures settings;         ///< name, value; publishable
  std::vector<Setting> options;  ///< of its method, by name, as used in the run; publishable
  std::vector<CostLine> costs;
  std::vector<ConstraintReport> constraints;  ///< for a method that uses constraints
  std::string constraints_text;   ///< the same, as constraint_reader reads JSON; publishable
  bool evaluates_groups = false;  ///< its private evaluation also covers groups and all records
  std::optional<double> evaluation_noise_stddev;  ///< of the private evaluation
  std::optional<EvaluationCost> evaluation_cost;  ///< for a private run that has one
  std::string why_not_evaluated;                  ///< if it has none in spite of constraints
  std::optional<Guarantee> privacy;
  std::optional<Protection> protection;  ///< of the guarantee; empty: nothing is protected
  std::optional<Guarantee> by_rdp;       ///< the same releases by Renyi DP, for comparison
  std::optional<LedgerStatement> ledger;
  std::vector<std::string> notes;  ///< of the plan; publishable
  std::vector<std::string> warnings;
  std::vector<std::string> owner_warnings;  ///< see Document
  std::vector<std::string> conditions;      ///< warnings that are conditions of the guarantee
  GroupReport overall;
  std::vector<GroupReport> groups;
  std::vector<OtherMethod> other_methods;  ///< of a plan
  std::string command;

  std::vector<PairReport> pairs;      ///< of an additive model; released
  NamedFigures parameters;            ///< name, value; released
  bool keeps_parameter_names = true;  ///< in model.json; for pixels names follow from the shape
  /// Groups of a method that weighs groups. They differ from `groups` if small ones are trained as
  /// one.
  std::vector<GroupLabel> trained_groups;
  std::vector<GroupPathRow> group_path;  ///< for a method that weighs groups; released with noise
  std::optional<RegressionReport> regression;  ///< for a method that estimates one; publishable
  std::vector<TermReport> terms;  ///< of an additive model, the largest first; publishable
  std::string schema_text;
  bool schema_reviewed = true;  ///< false: --public-data accepted a drafted schema
  /// Records with missing cells were left out, even where cells may be missing.
  bool drops_incomplete = false;
  /// Shares from stage one, for overlapping groups. Confidential like GroupReport::realised, which
  /// follows from it.
  NamedFigures realised_shares;
  std::vector<CurvePoint> curve;             ///< of the released model; not private
  std::string reference_method;              ///< "sgd"; of --reference
  std::vector<CurvePoint> reference_curve;   ///< not private
  std::optional<LargestLoss> largest_loss;   ///< if minimax trained the model or the reference
  std::vector<GroupLabel> explained_groups;  ///< of the first grouping, as trained
  /// (explained steps) why they lose, over training; not private.
  std::vector<RiskPoint> explanations;
  std::vector<LedgerEntry> ledger_entries;  ///< of this dataset, including this run: the newest
  int64_t num_earlier_entries = 0;          ///< entries before them
  std::vector<std::string>
      ingest_notes;  ///< not private: effects of the schema's rules on the records
  std::optional<double>
      seconds;  ///< training time; not private, and not reported for a private choice
  std::vector<std::string> files;
  std::string
      run_file;  ///< the text of the run file that repeats the run, "" without files; publishable
};

/// The report of a run: page, screen and, for the publishable part, card.
Document training_document(const TrainingReport& report);

/// The report of a plan. Publishable.
Document plan_document(const TrainingReport& report);

/// model_card.html and model_card.md. Publishable.
Document training_card(const TrainingReport& report);

/// The purpose of the model, a sentence without its subject.
std::string intended_use(const TrainingReport& report);

/// The limits of card and guarantee, in sentences.
std::vector<std::string> limitations_of(const TrainingReport& report);

/// The output of `equinoise plan`: publishable facts only.
nlohmann::ordered_json plan_to_json(const TrainingReport& report);

/// The output of `equinoise train` and report.json: CONTAINS NON-PRIVATE STATISTICS.
nlohmann::ordered_json training_to_json(const TrainingReport& report);

/// The reverse, from which `equinoise report` rebuilds the page; fields that only a card has stay
/// empty. Errors: kInput, naming file and member.
TrainingReport training_report_from_json(std::string_view text, std::string_view origin);

/// model.json: parameters, their meaning and the schema that encodes records for them. Publishable.
nlohmann::ordered_json model_to_json(const TrainingReport& report);

/// model_card.json. Publishable.
nlohmann::ordered_json card_to_json(const TrainingReport& report);

/// Whether the run has a private evaluation, or constraints for one.
bool is_evaluation_told(const TrainingReport& report);

/// The meaning of these figures and whether they may be published. If the run has none: that the
/// quality of the model is unknown, and why. Publishable.
std::string private_evaluation_line(const TrainingReport& report);

/// The lowest by the highest selection rate of a grouping, in the private evaluation.
struct SelectionRatio {
  std::vector<std::string> by;
  double ratio = kNoFigure;  ///< NaN: fewer than two groups have a rate, or the highest is 0
  GroupLabel lowest;         ///< empty: no ratio, as `highest`
  GroupLabel highest;
  std::vector<GroupLabel> left_out;  ///< whose rate noise hides
};

template <>
inline constexpr auto fields_of<SelectionRatio> =
    publishable(field("by", &SelectionRatio::by, "Columns that make the groups"),
                field("ratio", &SelectionRatio::ratio, "Lowest by highest selection rate"),
                field("lowest", &SelectionRatio::lowest, "Group with the lowest").or_null(),
                field("highest", &SelectionRatio::highest, "Group with the highest").or_null(),
                field("left_out", &SelectionRatio::left_out, "Groups whose rate noise hides"));

/// One for each grouping of two or more groups; none without a private evaluation of two classes.
/// Publishable.
std::vector<SelectionRatio> selection_ratios(const TrainingReport& report);

/// Their cost in the account, or in the cost of a run without one; "" if there are none or they
/// have been paid for.
std::string evaluation_cost_line(const TrainingReport& report);

}  // namespace equinoise

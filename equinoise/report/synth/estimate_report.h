// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/method_status.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/document.h"
#include "equinoise/synth/released_counts.h"

namespace equinoise {

/// One figure. Without limits where nothing was released that says something; where noise hides how
/// many records it is of, they are what it can be, and there is no estimate.
struct EstimatedFigure {
  FigureKind kind = FigureKind::kShare;
  GroupLabel group;                ///< its cell or group; empty: all records
  std::optional<double> model;     ///< of the model: of rows but for their draw
  std::optional<double> estimate;  ///< of the records, from released counts
  std::optional<double> lower;     ///< of the interval for the records
  std::optional<double> upper;
  FigureBasis basis;   ///< where there is an estimate
  std::string reason;  ///< why there is none
};

/// The answer of `equinoise synth estimate`. Publishable.
struct SynthEstimateReport {
  std::string dataset;
  std::string method;
  std::string version;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::string question;                              ///< in words
  std::string interval_of = "records of the table";  ///< or rows of units that counted
  double level = 0.95;
  bool at_once = false;
  std::vector<std::string> notes;  ///< what figures and intervals are of
  std::vector<EstimatedFigure> figures;
  std::vector<std::string> files;
};

namespace estimate_keys {

std::optional<Interval> interval(const EstimatedFigure& figure);
void write_basis(const EstimatedFigure& figure, const FieldScope& scope,
                 nlohmann::ordered_json& object);
void write_level(const SynthEstimateReport& report, const FieldScope& scope,
                 nlohmann::ordered_json& object);

}  // namespace estimate_keys

template <>
inline constexpr auto fields_of<EstimatedFigure> = std::tuple(
    field("group", &EstimatedFigure::group, "Its cell or group; {}: all records"),
    field("figure", &EstimatedFigure::kind, "What is estimated"),
    field("model", &EstimatedFigure::model, "Of the model"),
    field("estimate", &EstimatedFigure::estimate, "Of the records"),
    computed("estimate_interval", estimate_keys::interval, "[low, high]; null: none"),
    Derived<EstimatedFigure>{"stands_on", "Released counts that it follows from; null: none",
                             estimate_keys::write_basis},
    field("not_answerable", &EstimatedFigure::reason, "Why there is no estimate").or_nothing());

template <>
inline constexpr auto fields_of<SynthEstimateReport> = std::tuple(
    field("dataset", &SynthEstimateReport::dataset, "Table behind the model"),
    field("method", &SynthEstimateReport::method, "Method that made the model"),
    field("version", &SynthEstimateReport::version, "Version that made it"),
    field("status", &SynthEstimateReport::status, "Whether a guarantee holds"),
    field("question", &SynthEstimateReport::question, "Question in words"),
    Derived<SynthEstimateReport>{"level, level_holds_for",
                                 "Probability with which an interval holds the figure",
                                 estimate_keys::write_level},
    field("interval_of", &SynthEstimateReport::interval_of, "Records that intervals are about"),
    field("notes", &SynthEstimateReport::notes, "How to read the figures"),
    field("figures", &SynthEstimateReport::figures, "Estimates"));

nlohmann::ordered_json synth_estimate_to_json(const SynthEstimateReport& report);
std::string synth_estimate_to_csv(const SynthEstimateReport& report);

/// A table for each kind of figure; a figure that there is not is "-", with the reason.
Document synth_estimate_document(const SynthEstimateReport& report);

}  // namespace equinoise

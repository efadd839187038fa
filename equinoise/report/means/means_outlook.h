// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/report/page/document.h"

namespace equinoise {

/// The predicted width of the 95 % interval of a stratum; not finite: not known.
struct MeansOutlookStratum {
  GroupLabel stratum;
  std::optional<int64_t> num_records;  ///< public, or expected; empty: not known
  double width = 0;
  double sampling = 0;  ///< as overall_sampling
};

template <>
inline constexpr auto fields_of<MeansOutlookStratum> = std::tuple(
    field("stratum", &MeansOutlookStratum::stratum, "Its values by column"),
    field("num_records", &MeansOutlookStratum::num_records, "Public, or expected; null: not known"),
    field("width", &MeansOutlookStratum::width, "Of its interval; null: not known"),
    field("sampling_width", &MeansOutlookStratum::sampling, "As overall; null: not known"));

/// A column, and which widths of its intervals are asked for.
struct MeansOutlookColumn {
  std::string name;
  Interval bounds;
  std::optional<double> wanted;
  std::optional<double> wanted_overall;
  std::optional<NumberRounding> rounding;  ///< which widths of noise do not count
};

/// The predicted figures of a method for a column.
struct MeansOutlookFigures {
  std::string column;
  std::string estimator;  ///< of auto the one that it takes
  std::optional<double> wanted;
  std::optional<double> wanted_overall;
  double overall = 0;
  double overall_sampling = 0;  ///< of the 95 % interval for the population, were there no noise
  std::vector<MeansOutlookStratum> strata;  ///< (num_strata)
};

template <>
inline constexpr auto fields_of<MeansOutlookFigures> = std::tuple(
    field("column", &MeansOutlookFigures::column, "Its name"),
    field("estimator", &MeansOutlookFigures::estimator, "Of auto the one that it takes"),
    field("wanted_width", &MeansOutlookFigures::wanted, "Asked for in each stratum"),
    field("wanted_overall_width", &MeansOutlookFigures::wanted_overall, "Asked for overall"),
    field("overall_width", &MeansOutlookFigures::overall, "Predicted overall"),
    field("overall_sampling_width", &MeansOutlookFigures::overall_sampling,
          "For the population's mean, were there no noise; null: not known"),
    field("strata", &MeansOutlookFigures::strata, "Predicted in each stratum"));

/// The predicted cost and figures of a method.
struct MeansOutlookMethod {
  std::string method;
  std::string problem;  ///< why it cannot be used; then what follows is empty
  std::optional<double> rho;
  std::optional<Guarantee> privacy;          ///< of members of every stratum
  std::optional<double> size_half_width;     ///< of the 95 % interval of noisy sizes
  std::vector<MeansOutlookFigures> columns;  ///< as in the outlook
};

template <>
inline constexpr auto fields_of<MeansOutlookMethod> = std::tuple(
    field("method", &MeansOutlookMethod::method, "Its name"),
    field("problem", &MeansOutlookMethod::problem, "Why it cannot be used").or_nothing(),
    field("rho", &MeansOutlookMethod::rho, "Zero-concentrated DP").or_nothing(),
    field("privacy", &MeansOutlookMethod::privacy, "Guarantee of members of every stratum")
        .or_nothing(),
    field("size_half_width", &MeansOutlookMethod::size_half_width,
          "Half of the 95 % interval of noisy sizes")
        .or_nothing(),
    field("columns", &MeansOutlookMethod::columns, "Its widths").or_nothing());

/// The predicted figures of releases of means, method by method, from public facts alone.
/// Publishable.
struct MeansOutlook {
  std::string version;
  std::string dataset;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::string unit = "row";
  std::optional<int64_t> max_records_per_unit;  ///< of a unit that is not a row
  std::vector<std::string> by;
  bool has_private_sizes = false;  ///< noisy sizes are a part of the cost
  std::string weights;             ///< what overall means weigh strata by
  std::optional<HeldOutRecords> held_out;
  std::optional<RecordWeights> record_weights;
  std::vector<MeansOutlookColumn> columns;
  std::vector<MeansOutlookMethod> methods;
};

template <>
inline constexpr auto fields_of<MeansOutlook> = std::tuple(
    field("version", &MeansOutlook::version, "Version of the program"),
    field("dataset", &MeansOutlook::dataset, "Name of the table in the schema"),
    field("status", &MeansOutlook::status, "Whether a guarantee would hold"),
    field("unit", &MeansOutlook::unit, "Whom it would protect"),
    field("by", &MeansOutlook::by, "Columns that make strata"),
    field("private_sizes", &MeansOutlook::has_private_sizes, "Whether noisy sizes are paid for"),
    field("weights", &MeansOutlook::weights, "What overall means weigh strata by"),
    field("record_weights", &MeansOutlook::record_weights, "What records count for"),
    field("methods", &MeansOutlook::methods, "Cost and widths of each"),
    field("max_records_per_unit", &MeansOutlook::max_records_per_unit, "Rows of a unit that count")
        .or_nothing(),
    field("held_out", &MeansOutlook::held_out, "Records whose shares are the weights")
        .or_nothing());

/// The cost of each method, then a table of widths for each column.
Document means_outlook_document(const MeansOutlook& outlook);

nlohmann::ordered_json means_outlook_to_json(const MeansOutlook& outlook);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/report/means/means_report.h"

namespace equinoise {

/// The predicted figures of a method for a column.
struct MeansOutlookColumn {
  std::string estimator;       ///< of auto the one that it takes
  std::vector<double> strata;  ///< (num_strata) widths of 95 % intervals; not finite: not known
  double overall = 0;
};

/// The predicted cost and figures of a method.
struct MeansOutlookMethod {
  std::string method;
  std::string problem;  ///< why it cannot be used; then what follows is empty
  double rho = 0;
  std::optional<Guarantee> privacy;         ///< of members of every stratum
  std::vector<MeansOutlookColumn> columns;  ///< as in the outlook
};

/// Which widths of a column are asked for.
struct WantedWidths {
  std::optional<double> strata;
  std::optional<double> overall;
};

/// The predicted figures of releases of means, method by method, from public facts alone.
/// Publishable.
struct MeansOutlook {
  struct Column {
    std::string name;
    double lower = 0;
    double upper = 0;
    WantedWidths wanted;
    std::optional<NumberRounding> rounding;  ///< which widths of noise do not count
  };

  std::string version;
  std::string dataset;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  ProtectedUnit unit;
  std::vector<std::string> by;
  std::vector<GroupLabel> strata;  ///< (num_strata); without --by one of no columns
  std::vector<double> sizes;       ///< (num_strata); empty where they are private
  std::string weights;             ///< what overall means weigh strata by
  std::optional<HeldOutRecords> held_out;
  std::optional<RecordWeights> record_weights;
  std::vector<Column> columns;
  std::vector<MeansOutlookMethod> methods;
};

/// For terminals: what each method costs, then a table of widths for each column.
std::string means_outlook_to_text(const MeansOutlook& outlook);

nlohmann::ordered_json means_outlook_to_json(const MeansOutlook& outlook);

}  // namespace equinoise

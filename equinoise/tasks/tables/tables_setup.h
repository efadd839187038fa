// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/report/tables/tables_report.h"
#include "equinoise/tables/table_figures.h"
#include "equinoise/tasks/means/means_setup.h"
#include "equinoise/tasks/tables/tables_request.h"

namespace equinoise {

/// A statistic that is asked for, and its row in the report.
struct PlannedStatistic {
  TableStatistic asked;
  TableStatisticReport report;
};

/// The choices about a release of tables before a record is read: by the schema and the request.
struct TablesSetup {
  MeansRequest release;  ///< what remains of the request for `means`
  MeansSetup means;
  std::vector<PlannedStatistic> statistics;
  std::vector<TableGroup> groups;
  std::vector<std::optional<double>> sizes;  ///< (groups) public or expected; empty: not known
  size_t num_figures = 0;
  double most_records = 0;  ///< that the table can have

  /// The noise of the plan's figures, and what these follow from.
  TableFigures figures() const {
    return TableFigures(means.plan, most_records,
                        means.record_weights ? means.record_weights->largest : 1);
  }
};

/// Sizes of strata are public if the schema declares all of them as exact; else they are released.
/// Errors: kInput (schema), kUsage (request), kLedger, as set_up_means.
TablesSetup set_up_tables(const TablesRequest& request, bool needs_ledger);

}  // namespace equinoise

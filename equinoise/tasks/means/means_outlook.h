// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "equinoise/report/means/means_outlook.h"
#include "equinoise/tasks/means/means.h"

namespace equinoise {

/// The request of `equinoise plan means`.
struct MeansOutlookRequest {
  MeansRequest means;  ///< its method is ignored: every method is planned
  /// The widths that 95 % intervals of noise may have, by column, of each stratum that is not empty
  /// and of the overall mean. With one of these the outlook finds the budget.
  std::map<std::string, double> interval_widths;
  std::map<std::string, double> overall_widths;
};

inline RequestOptions options_of(MeansOutlookRequest& request) {
  RequestOptions options =
      without(options_of(request.means),
              {"data", "no_shrink", "explain", "method", "clipped_share", "ledger_key", "out",
               "verbose", "force", "dry_run", "insecure_test_rng", "seed"});
  facts_in(options, "ledger").help = "Ledger whose account gives the neighbouring relation";
  return joined(
      {options,
       {{{.name = "interval_width",
          .help = "COLUMN=NUMBER: largest width of the 95 % interval of noise of each stratum, "
                  "instead of a budget"},
         &request.interval_widths},
        {{.name = "overall_width",
          .help = "COLUMN=NUMBER: largest width of the 95 % interval of noise of the overall mean, "
                  "instead of a budget"},
         &request.overall_widths}}});
}

/// The widths of intervals that every method leaves at a budget, or the smallest budget, to a
/// relative 1e-5, that leaves the wanted widths. By public facts: the schema, sizes, weights, the
/// ledger's relation. Of the table nothing is read and nothing is spent; a method that cannot be
/// used has the reason instead.
///
/// Errors: as plan_means_task; kUsage for both a budget and wanted widths or neither, for wanted
/// widths of strata of unknown size, or that are not above 0 and below that of the bounds.
MeansOutlook outlook_on_means(const MeansOutlookRequest& request);

}  // namespace equinoise

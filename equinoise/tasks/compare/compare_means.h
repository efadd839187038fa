// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/progress.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/comparison.h"
#include "equinoise/tasks/means/means.h"

namespace equinoise {

struct CompareMeansRequest : CompareRequest {
  /// Shared by all runs: schema, data, columns, strata, and in its configuration the options that
  /// were given. Method, budget, seed, threads and ledger are not used.
  MeansRequest means;
};

inline RequestOptions options_of(CompareMeansRequest& request) {
  RequestOptions options =
      without(options_of(request.means),
              {"rho", "epsilon", "explain", "method", "clipped_share", "ledger", "ledger_key",
               "out", "force", "verbose", "dry_run", "insecure_test_rng", "seed"});
  facts_in(options, "relation").help =
      "Neighbouring relation: replace_one or zero_out, that of the account which will pay";
  facts_in(options, "relation").derived = "replace_one";  // a comparison has no ledger
  facts_in(options, "public_data").help = kPublicDataHelp;
  OptionFacts& data = facts_in(options, "data");
  data.help = "Table of records, as for equinoise means, best a public one";
  data.required_without = {};
  data.is_required = true;
  return joined({options, comparison_options(request, "Methods of means")});
}

/// Releases the means by every method and compares their errors: see compare(). A run is
/// release_means_task() under a test seed. An error is the distance of a released mean from that of
/// all records, in standard deviations of the column over all records with a value, averaged over
/// columns. The overall error uses the overall mean, a group's error the mean of its stratum.
CompareReport compare_means(const CompareMeansRequest& request, TrainProgress& progress);

}  // namespace equinoise

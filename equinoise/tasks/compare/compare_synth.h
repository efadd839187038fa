// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/comparison.h"
#include "equinoise/tasks/synth/synth.h"

namespace equinoise {

struct CompareSynthRequest : CompareRequest {
  /// Shared by all runs: schema, data, bins, strata, and in its configuration the options that were
  /// given. Method, epsilon, seed, threads and ledger are not used.
  SynthRequest synth;
  std::vector<std::string> by;  ///< columns or group attributes that form groups; empty: none
  int degree = 2;               ///< number of columns of the compared marginals
};

inline RequestOptions options_of(CompareSynthRequest& request) {
  RequestOptions options =
      without(options_of(request.synth),
              {"out", "force", "format", "dry_run", "verbose", "epsilon", "ledger", "ledger_key",
               "max_table_size", "insecure_test_rng", "seed", "method"});
  facts_in(options, "public_data").help = kPublicDataHelp;
  OptionFacts& data = facts_in(options, "data");
  data.help = "Table of records, as for equinoise synth, best a public one";
  data.required_without = {};
  data.is_required = true;
  return joined({options,
                 {{{.name = "by",
                    .is_common = true,
                    .help = "Columns or group attributes whose groups are compared as well"},
                   RequestOption::Names{.names = &request.by, .is_one_question = true}},
                  {{.name = "error_degree",
                    .help = "Number of columns of the marginals whose errors are compared"},
                   &request.degree}},
                 comparison_options(request, "Methods of synthetic rows")});
}

/// Makes rows by every method and compares their errors: see compare(). A run is synthesize() under
/// a test seed. An error is that of evaluate_synthetic(): the total variation distance between rows
/// and records (half the L1 distance between the normalised counts), averaged over all marginals of
/// `degree` columns, overall or within a group.
CompareReport compare_synth(const CompareSynthRequest& request, TrainProgress& progress);

}  // namespace equinoise

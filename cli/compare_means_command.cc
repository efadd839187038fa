// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/commands.h"
#include "cli/compare_options.h"
#include "cli/means_options.h"
#include "cli/table_option.h"
#include "equinoise/means/registry.h"
#include "equinoise/tasks/compare/compare_means.h"

namespace equinoise::cli {

namespace {

struct CompareMeansOptions {
  CompareOptions compare;
  MeansOptions means;
};

void run_compare_means(const CLI::App& command, const CompareMeansOptions& options,
                       const CommonOptions& common) {
  CompareMeansRequest request{finish_compare_request(options.compare, common),
                              finish_means_request(options.means)};
  request.means.command = common.command_line;
  request.given = given_options(command, mean_options());
  const auto progress = common.make_progress();
  print_comparison(compare_means(request, *progress), common);
}

}  // namespace

void add_compare_means_command(CLI::App& compare, CommonOptions& common) {
  CLI::App* command = add_command(
      compare, "means",
      "Release means by several methods under the same guarantee and compare errors, strata and "
      "privacy; a study under known seeds that spends nothing and is NOT PRIVATE",
      "equinoise compare means --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --columns hours_per_week --by sex,race --epsilon 0.1,1 --public-data",
      common);
  const auto options = std::make_shared<CompareMeansOptions>();
  add_means_options(*command, options->means, common);
  // A ledger, which has a relation, has no part in this.
  command->get_option("--relation")
      ->description(
          "Neighbouring relation: replace_one or zero_out, that of the account which will "
          "pay [replace_one]");
  command->get_option("--public-data")
      ->description(
          "Recommend a method, because the table itself is public; also accepts an "
          "unreviewed schema");
  add_means_release_options(*command, options->means);
  add_table(*command, "--data", options->means.request.data,
            "Table of records, as for equinoise means, best a public one", common)
      ->required();
  add_compare_options(*command, options->compare, "Methods of means");
  add_mean_estimation_options(*command, options->means);
  add_compare_files(*command, options->compare);
  command->callback([command, options, &common] { run_compare_means(*command, *options, common); });
}

}  // namespace equinoise::cli

// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/commands.h"
#include "cli/compare_options.h"
#include "cli/name_options.h"
#include "cli/synth_options.h"
#include "cli/synthesis_options.h"
#include "cli/table_option.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/compare/compare_synth.h"

namespace equinoise::cli {

namespace {

struct CompareSynthOptions {
  CompareOptions compare;
  SynthesisOptions synthesis;
  std::vector<std::string> by;
  int degree = 2;
};

void run_compare_synth(const CLI::App& command, const CompareSynthOptions& options,
                       const CommonOptions& common) {
  CompareSynthRequest request{finish_compare_request(options.compare, common),
                              finish_synthesis(options.synthesis), options.by, options.degree};
  require_domain(request.synth.schema);
  request.synth.command = common.command_line;
  request.given = given_options(command, synth_options());
  const auto progress = common.make_progress();
  print_comparison(compare_synth(request, *progress), common);
}

}  // namespace

void add_compare_synth_command(CLI::App& compare, CommonOptions& common) {
  CLI::App* command = add_command(
      compare, "synth",
      "Make synthetic rows by several methods under the same guarantee and compare errors, groups "
      "and privacy; a study under known seeds that spends nothing and is NOT PRIVATE",
      "equinoise compare synth --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --by sex --methods aim,mst,swift --epsilon 1 --public-data",
      common);
  const auto options = std::make_shared<CompareSynthOptions>();
  SynthRequest& request = options->synthesis.request;
  add_domain_options(*command, request.schema);
  add_table(*command, "--data", request.data,
            "Table of records, as for equinoise synth, best a public one", common)
      ->required();
  command->add_flag("--public-data", request.public_data,
                    "Recommend a method, because the table itself is public; also accepts an "
                    "unreviewed schema");
  add_names(*command, "--by", options->by,
            "Columns or group attributes whose groups are compared as well")
      ->allow_extra_args(false);
  command
      ->add_option("--error-degree", options->degree,
                   "Number of columns of the marginals whose errors are compared")
      ->capture_default_str();
  add_compare_options(*command, options->compare, "Methods of synthetic rows");
  add_synthesis_options(*command, options->synthesis);
  add_compare_files(*command, options->compare);
  command->callback([command, options, &common] { run_compare_synth(*command, *options, common); });
}

}  // namespace equinoise::cli

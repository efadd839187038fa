// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/tasks/synth/infer.h"

namespace equinoise::cli {

namespace {

void run_infer(const CLI::App&, const InferRequest& request, const CommonOptions& common) {
  const auto progress = common.make_progress();
  const InferReport report = infer(request, *progress);
  print_report(report, infer_to_json, infer_document, common);
}

}  // namespace

void add_infer_command(CLI::App& app, CommonOptions& common) {
  add_request_command<InferRequest>(
      app,
      {"infer", "Fit a distribution of records to noisy marginals; reads no records",
       "equinoise infer --domain domain.json --measurements noisy.json --out model\n"
       "  where noisy.json holds, row-major in the order of each clique,\n"
       "  {\"measurements\": [{\"clique\": [\"sex\", \"race\"], \"sigma\": 10, \"y\": [12.5, "
       "...]}]}"},
      common, run_infer);
}

}  // namespace equinoise::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/tasks/synth/infer.h"

namespace equinoise::cli {

namespace {

nlohmann::ordered_json to_json(const InferReport& report) {
  nlohmann::ordered_json json;
  if (report.fit) {
    json["loss"] = report.fit->loss;
    json["gap_bound"] = report.fit->gap_bound;
    json["iterations"] = report.fit->iterations;
    json["interrupted"] = report.fit->interrupted;
  }
  json["seconds"] = report.seconds;
  json["total"] = report.total;
  json["model"] = {{"cells", report.num_cells},
                   {"megabytes", report.megabytes},
                   {"cliques", report.num_cliques},
                   {"largest_clique", report.largest_clique},
                   {"largest_clique_cells", report.largest_clique_cells}};
  json["files"] = report.files;
  return json;
}

void run_infer(const CLI::App&, const InferRequest& request, const CommonOptions& common) {
  const auto progress = common.make_progress();
  const InferReport report = infer(request, *progress);
  if (common.json) {
    print_json(to_json(report), common);
    return;
  }
  common.print("model: {:.0f} cells ({:.3g} MB) in {} cliques; the largest, ({}), has {:.0f}\n",
               report.num_cells, report.megabytes, report.num_cliques, report.largest_clique,
               report.largest_clique_cells);
  common.print("records in total: {:.8g}\n", report.total);
  if (report.fit) {
    common.print("loss: {:.8g} after {} iterations{}; no distribution has a loss below {:.8g}\n",
                 report.fit->loss, report.fit->iterations,
                 report.fit->interrupted ? " (interrupted)" : "",
                 report.fit->loss - report.fit->gap_bound);
  }
  for (const std::string& file : report.files) common.print("wrote {}\n", file);
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

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/synth/infer.h"

namespace equinoise::cli {

namespace {

nlohmann::ordered_json to_json(const InferReport& report) {
  nlohmann::ordered_json json = {{"schema", "equinoise/1"}};
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

void run_infer(const InferRequest& request, const CommonOptions& common) {
  const auto progress = common.make_progress();
  const InferReport report = infer(request, *progress);
  if (common.json) {
    common.print("{}", to_text(to_json(report)));
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
  CLI::App* command = add_command(
      app, "infer", "Fit a distribution of records to noisy marginals; reads no records",
      "equinoise infer --domain domain.json --measurements noisy.json --out model\n"
      "  where noisy.json holds, row-major in the order of each clique,\n"
      "  {\"measurements\": [{\"clique\": [\"sex\", \"race\"], \"sigma\": 10, \"y\": [12.5, "
      "...]}]}",
      common);
  auto request = std::make_shared<InferRequest>();
  // Paths go through strings: CLI11 would cut one at its first blank.
  const auto path_option = [command](const std::string& name, std::filesystem::path& path,
                                     const std::string& help) {
    return command->add_option_function<std::string>(
        name, [&path](const std::string& text) { path = text; }, help);
  };
  path_option("--domain", request->domain_path,
              "domain.json of private-pgm ({\"COLUMN\": NUMBER OF CODES}), or a schema (TOML), of "
              "which only the categorical columns are used")
      ->required();
  path_option("--measurements", request->measurements_path,
              "JSON file of noisy marginals; \"total\", the number of records, is optional")
      ->required();
  path_option(
      "--structural-zeros", request->zeros_path,
      "JSON file of impossible combinations: {\"zeros\": [{\"clique\": [\"age\", \"married\"], "
      "\"cells\": [[0, 1]]}]}");
  command->add_option_function<std::vector<std::string>>(
      "--marginals",
      [request](const std::vector<std::string>& paths) {
        request->marginal_paths.assign(paths.begin(), paths.end());
      },
      "JSON file that lists the marginals to write, possibly of columns that were not measured "
      "together: {\"marginals\": [{\"clique\": [\"age\", \"race\"]}]}");
  path_option("--out", request->out_path, "Folder for model.json and marginals.json");
  command->add_flag("--force", request->force, "Replace files in an existing --out");
  command->add_flag("--dry-run", request->dry_run, "Only print how large the model would be");
  command
      ->add_option("--max-megabytes", request->max_megabytes,
                   "Largest size of the model's tables, in MB; a larger model is refused [8,000]")
      ->check(CLI::Range(1e-6, 8000.0));
  command->add_option("--max-iterations", request->max_iterations, "Largest number of iterations")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  command
      ->add_option("--gap", request->gap_tolerance,
                   "Absolute accuracy: fitting ends once the loss is shown to be at most this far "
                   "above the least possible")
      ->check(CLI::Range(0.0, 1e300))
      ->capture_default_str();
  command
      ->add_option("--relative-gap", request->relative_gap_tolerance,
                   "Relative accuracy: the same, as a fraction of the loss")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      ->add_option("--stall", request->stall_tolerance,
                   "Stall limit: fitting ends once 50 iterations lower the loss by less than this "
                   "fraction; 0 turns it off")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->callback([request, &common] {
    request->threads = common.threads > 0
                           ? common.threads
                           : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    run_infer(*request, common);
  });
}

}  // namespace equinoise::cli

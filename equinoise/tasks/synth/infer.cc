// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "equinoise/base/error.h"
#include "equinoise/data/schema/json_section.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/synth/graph/measurement_file.h"
#include "equinoise/synth/graph/model_json.h"

namespace equinoise {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr std::string_view kWhere = "tasks.infer";
constexpr auto kPause = std::chrono::seconds(2);  // between two messages about progress

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string text_of(const std::filesystem::path& path) {
  return read_json_file(path, {.origin = path.string(),
                               .where = kWhere,
                               .kind = "a JSON file",
                               .hint = "see equinoise infer --help"});
}

/// The categorical columns of a schema, which need not say how many records there are: the
/// measurements do.
Domain read_domain(const std::filesystem::path& path) {
  const Schema schema = load_schema({.path = path, .sizes = SizesRule::kMayBePrivate});
  require_reviewed(schema, path.string());
  std::vector<Attribute> attributes;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type != ColumnType::kCategorical) continue;
    attributes.push_back({column.name, static_cast<int>(column.categories().size())});
  }
  if (attributes.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                "{}: has no categorical column; numbers need bins, so give a "
                "domain.json with the number of codes of each column",
                path.string());
  }
  return Domain(std::move(attributes));
}

Json marginals_json(const GraphicalModel& model, const std::vector<std::vector<int>>& asked,
                    int threads) {
  std::vector<AttributeSet> sets(asked.begin(), asked.end());
  for (AttributeSet& set : sets) std::ranges::sort(set);
  const std::vector<std::vector<double>> counts = model.marginals(sets, threads);
  Json marginals = Json::array();
  for (size_t i = 0; i < asked.size(); ++i) {
    marginals.push_back({{"clique", names_of(model.domain(), asked[i])},
                         {"mu", reordered_table(model.domain(), sets[i], asked[i], counts[i])}});
  }
  return {{"schema", "equinoise/1"}, {"total", model.total()}, {"marginals", marginals}};
}

InferSize size_of(const Domain& domain, const JunctionTree& tree) {
  InferSize size;
  size.num_cells = num_cells(domain, tree);
  size.megabytes = megabytes_of(size.num_cells);
  size.num_cliques = tree.cliques.size();
  for (const AttributeSet& clique : tree.cliques) {
    if (domain.num_cells(clique) <= size.largest_clique_cells) continue;
    size.largest_clique_cells = domain.num_cells(clique);
    size.largest_clique = domain.describe(clique);
  }
  return size;
}

std::vector<AttributeSet> cliques_of(const std::vector<NoisyMarginal>& measurements,
                                     const std::vector<Factor>& zeros) {
  std::vector<AttributeSet> cliques;
  cliques.reserve(measurements.size() + zeros.size());
  for (const NoisyMarginal& measurement : measurements) cliques.push_back(measurement.clique);
  for (const Factor& factor : zeros) cliques.push_back(factor.attributes);
  return cliques;
}

/// About as much as the files will take on the disk.
int64_t bytes_of(const Domain& domain, const MeasurementFile& file,
                 const EstimationOptions& options, const std::vector<std::vector<int>>& asked) {
  double cells = domain.num_attributes();
  for (const AttributeSet& clique : cliques_of(file.measurements, options.fixed_potentials)) {
    cells += domain.num_cells(clique);
  }
  for (const std::vector<int>& clique : asked) cells += domain.num_cells(clique);
  constexpr double kBytesPerCell = 24;
  constexpr double kBytesBeside = 4096;
  return static_cast<int64_t>(kBytesPerCell * cells + kBytesBeside);
}

}  // namespace

InferReport infer(const InferRequest& request, TaskProgress& progress) {
  const Clock::time_point start = Clock::now();
  if (!request.marginal_paths.empty() && request.out_path.empty()) {
    throw Error(ErrorKind::kUsage, kWhere, "--marginals needs --out, the folder to write them to");
  }
  const Domain domain = read_domain(request.domain_path);
  const MeasurementFile file = parse_measurements(text_of(request.measurements_path),
                                                  request.measurements_path.string(), domain);
  std::vector<std::vector<int>> asked;
  for (const std::filesystem::path& path : request.marginal_paths) {
    for (std::vector<int>& clique : parse_marginal_list(text_of(path), path.string(), domain)) {
      asked.push_back(std::move(clique));
    }
  }
  EstimationOptions options;
  options.total = file.total;
  options.gap_tolerance = request.gap_tolerance;
  options.relative_gap_tolerance = request.relative_gap_tolerance;
  options.stall_tolerance = request.stall_tolerance;
  options.max_iterations = request.max_iterations;
  options.threads = request.threads;
  if (request.max_megabytes > 0)
    options.max_cells = request.max_megabytes * 0x1p20 / sizeof(double);
  if (!request.zeros_path.empty()) {
    options.fixed_potentials =
        parse_structural_zeros(text_of(request.zeros_path), request.zeros_path.string(), domain);
  }

  InferReport report;
  const JunctionTree tree =
      build_junction_tree(domain, cliques_of(file.measurements, options.fixed_potentials));
  report.model = size_of(domain, tree);
  report.total = file.total ? *file.total : estimated_total(file.measurements);
  if (request.dry_run) {
    report.seconds = seconds_since(start);
    return report;
  }
  check_model_size(domain, tree, options.max_cells);

  progress.hold_interruptions();
  std::optional<OutputFolder> out;
  if (!request.out_path.empty()) {
    std::vector<std::string> names = {"model.json"};
    if (!asked.empty()) names.emplace_back("marginals.json");
    out.emplace(request.out_path, request.force, names, bytes_of(domain, file, options, asked));
  }
  progress.stage(fmt::format("fitting {:.0f} cells in {} cliques to {} measurements",
                             report.model.num_cells, report.model.num_cliques,
                             file.measurements.size()));
  Clock::time_point told = Clock::now();
  options.on_progress = [&](const EstimationProgress& at) {
    if (Clock::now() - told > kPause) {
      told = Clock::now();
      progress.stage(
          fmt::format("iteration {}: loss {:.6g}, at most {:.3g} above the least possible",
                      at.iterations, at.loss, at.gap_bound));
    }
    return !progress.interrupted();
  };
  const ModelEstimate estimate = estimate_model(domain, file.measurements, options);
  report.fit = InferFit{.loss = estimate.loss,
                        .gap_bound = estimate.gap_bound,
                        .iterations = estimate.iterations,
                        .interrupted = estimate.interrupted};
  if (out) {
    progress.stage(fmt::format("writing {}", request.out_path.string()));
    out->write("model.json", graphical_model_to_json(estimate.model).dump() + "\n");
    report.files.push_back(out->final_path("model.json"));
    if (!asked.empty()) {
      out->write("marginals.json",
                 marginals_json(estimate.model, asked, request.threads).dump() + "\n");
      report.files.push_back(out->final_path("marginals.json"));
    }
    out->commit();
  }
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace equinoise

#include "equinoise/tasks/synth_evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "equinoise/report/format.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/workload_error.h"
#include "equinoise/tasks/ingest_notes.h"
#include "equinoise/tasks/table_files.h"

namespace equinoise {

namespace {

CodedTable read_codes(const std::filesystem::path& path, const Schema& schema,
                      const std::vector<ColumnCodes>& columns, TaskProgress& progress,
                      SynthEvaluateReport& report) {
  const Dataset dataset = read_table_files({path, {}}, schema, TableUse::kOther, progress);
  for (const std::string& note : ingest_notes(dataset))
    report.ingest_notes.push_back(path.string() + ": " + note);
  return encode_table(dataset, columns);
}

}  // namespace

SynthEvaluateReport evaluate_synthetic(const SynthEvaluateRequest& request,
                                       TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  SchemaFile file = request.schema;
  // Of tables of any size; a domain must name one.
  if (file.path.extension() == ".json" && !file.num_records) file.num_records = 1;
  const Schema schema = load_schema(file);
  const std::vector<ColumnCodes> columns = column_codes(schema, request.bins);
  const auto sets = sets_of_degree(static_cast<int>(columns.size()), request.degree);

  SynthEvaluateReport report;
  const CodedTable real = read_codes(request.real_path, schema, columns, progress, report);
  const CodedTable synthetic =
      read_codes(request.synthetic_path, schema, columns, progress, report);
  report.num_real = static_cast<int64_t>(real.num_records);
  report.num_synthetic = static_cast<int64_t>(synthetic.num_records);
  progress.stage(fmt::format("comparing {} marginals of {} columns", format_count(std::ssize(sets)),
                             request.degree));
  const std::vector<double> distances = marginal_distances(real, synthetic, sets, request.threads);
  report.workload_error = workload_error(distances);
  report.num_marginals = std::ssize(sets);
  const auto worst = std::max_element(distances.begin(), distances.end());
  report.worst_error = *worst;
  for (const int column : sets[static_cast<size_t>(worst - distances.begin())])
    report.worst.push_back(columns[static_cast<size_t>(column)].name);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace equinoise

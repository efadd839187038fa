// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "equinoise/base/error.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/record_reader.h"
#include "equinoise/data/table.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/format.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/workload_error.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/table_files.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth_evaluate";

Dataset read(const std::filesystem::path& path, const Schema& schema, TaskProgress& progress,
             SynthEvaluateReport& report) {
  Dataset dataset = read_table_files({path, {}}, schema, TableUse::kOther, progress);
  for (const std::string& note : ingest_notes(dataset))
    report.ingest_notes.push_back(path.string() + ": " + note);
  return dataset;
}

/// Whether every record can be read in the layout of the schema, which has decimal points, and no
/// number has a comma.
bool has_decimal_points(const std::filesystem::path& path, const Schema& schema) {
  try {
    const std::unique_ptr<RecordReader> records = open_table(path, schema.layout);
    std::vector<size_t> numeric;
    for (size_t i = 0; i < records->header().size(); ++i) {
      const ColumnSchema* column = schema.find_column(records->header()[i]);
      if (column != nullptr && column->type == ColumnType::kNumeric) numeric.push_back(i);
    }
    const auto has_comma = [&](size_t i) {
      return records->cells()[i].find(',') != std::string::npos;
    };
    while (records->next())
      if (std::any_of(numeric.begin(), numeric.end(), has_comma)) return false;
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// The schema as synthetic rows are read with it: in the layout of the real table if their header
/// fits it, otherwise in the usual one, as `equinoise synth` writes them. If it fits both, how the
/// rows are written decides.
Schema schema_of_rows(const std::filesystem::path& path, const Schema& schema) {
  Schema usual = schema;
  usual.layout = {.delimiter = ','};
  if (!header_fits(path, usual)) return schema;
  const bool is_alike = header_fits(path, schema) && !has_decimal_points(path, usual);
  return is_alike ? schema : usual;
}

/// The schema with `target` as the one that is predicted.
Schema load(const SynthEvaluateRequest& request) {
  SchemaFile file = request.schema;
  file.target.clear();
  file.sizes = SizesRule::kMayBePrivate;  // of tables of any size
  Schema schema = load_schema(file);
  if (request.schema.target.empty()) {
    if (!request.positive.empty())
      throw Error(ErrorKind::kUsage, kWhere, "--positive needs --target");
    return schema;
  }
  const ColumnSchema& column = schema.column(request.schema.target);
  if (column.type != ColumnType::kCategorical) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("--target {} must be a categorical column: a classifier predicts it",
                            column.name));
  }
  schema.target = column.name;
  return schema;
}

/// The groups of the records that contribute.
std::vector<GroupId> groups_of_contributing(const Dataset& dataset, const Grouping& grouping) {
  std::vector<GroupId> groups;
  for (size_t record = 0; record < dataset.contributes.size(); ++record)
    if (dataset.contributes[record] != 0) groups.push_back(grouping.group_of[record]);
  return groups;
}

std::vector<int64_t> sizes_of(std::span<const GroupId> group_of, size_t num_groups) {
  std::vector<int64_t> sizes(num_groups);
  for (const GroupId group : group_of) ++sizes[index_of(group)];
  return sizes;
}

/// Which records have a number in the column.
std::vector<uint8_t> counts_in(const Dataset& dataset, const NumericColumn& column) {
  std::vector<uint8_t> counts = dataset.contributes;
  for (size_t record = 0; record < column.missing.size(); ++record)
    if (column.missing[record] != 0) counts[record] = 0;
  return counts;
}

/// A table and the groups of its records.
struct GroupedDataset {
  const Dataset& dataset;
  const Grouping& grouping;
};

std::optional<MeansParity> compare_means(const Schema& schema, const GroupedDataset& real,
                                         const GroupedDataset& synthetic) {
  std::vector<ColumnParity> columns;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type != ColumnType::kNumeric) continue;
    const NumericColumn& truth = *real.dataset.find_numeric(column.name);
    const NumericColumn& told = *synthetic.dataset.find_numeric(column.name);
    const std::vector<uint8_t> truth_counts = counts_in(real.dataset, truth);
    const std::vector<uint8_t> told_counts = counts_in(synthetic.dataset, told);
    columns.push_back(
        {column.name, column_parity({truth.values, real.grouping.group_of, truth_counts},
                                    {told.values, synthetic.grouping.group_of, told_counts},
                                    real.grouping.groups.size(), column.lower, column.upper)});
  }
  if (columns.empty()) return std::nullopt;
  return means_parity(std::move(columns));
}

SynthClassifier classify(const SynthEvaluateRequest& request, const Schema& schema,
                         const Dataset& real, const Dataset& synthetic, const Grouping* grouping) {
  EncodedTable train = encode(synthetic, schema);
  EncodedTable test = encode(real, schema);
  make_binary(train, request.positive);
  make_binary(test, request.positive);
  const std::vector<double> parameters = fit_logistic(train);
  return {schema.target, test.classes[1],
          grouping == nullptr
              ? test_classifier(parameters, test, {}, 0)
              : test_classifier(parameters, test, grouping->group_of, grouping->groups.size())};
}

}  // namespace

SynthEvaluateReport evaluate_synthetic(const SynthEvaluateRequest& request,
                                       TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const Schema schema = load(request);
  const std::vector<ColumnCodes> columns = column_codes(schema, request.bins);
  const auto sets = sets_of_degree(static_cast<int>(columns.size()), request.degree);
  if (!request.by.empty()) static_cast<void>(list_groups(schema, request.by));

  SynthEvaluateReport report;
  const Dataset real_dataset = read(request.real_path, schema, progress, report);
  const Dataset synthetic_dataset = read(
      request.synthetic_path, schema_of_rows(request.synthetic_path, schema), progress, report);
  const CodedTable real = encode_table(real_dataset, columns);
  const CodedTable synthetic = encode_table(synthetic_dataset, columns);
  report.num_real = static_cast<int64_t>(real.num_records);
  report.num_synthetic = static_cast<int64_t>(synthetic.num_records);
  progress.stage(fmt::format("comparing {} marginals of {} columns", format_count(std::ssize(sets)),
                             request.degree));
  const std::vector<double> distances = marginal_distances(real, synthetic, sets, request.threads);
  report.workload_error = workload_error(distances);
  report.num_marginals = std::ssize(sets);
  const auto worst = std::max_element(distances.begin(), distances.end());
  report.worst_error = *worst;
  if (std::isfinite(*worst)) {
    for (const int column : sets[static_cast<size_t>(worst - distances.begin())])
      report.worst.push_back(columns[static_cast<size_t>(column)].name);
  }

  std::optional<Grouping> real_groups;
  if (!request.by.empty()) {
    real_groups = group_by(real_dataset, schema, request.by);
    const Grouping synthetic_groups = group_by(synthetic_dataset, schema, request.by);
    const size_t num_groups = real_groups->groups.size();
    const std::vector<GroupId> of_real = groups_of_contributing(real_dataset, *real_groups);
    const std::vector<GroupId> of_synthetic =
        groups_of_contributing(synthetic_dataset, synthetic_groups);
    progress.stage(fmt::format("the same in {} groups", num_groups));
    report.parity = SynthParity{
        request.by,
        real_groups->groups,
        sizes_of(of_real, num_groups),
        sizes_of(of_synthetic, num_groups),
        compare_means(schema, {real_dataset, *real_groups}, {synthetic_dataset, synthetic_groups}),
        marginal_parity(real, of_real, synthetic, of_synthetic, num_groups, sets, request.threads)};
  }
  if (!request.schema.target.empty()) {
    progress.stage(fmt::format("training a classifier of {} on the synthetic rows", schema.target));
    report.classifier = classify(request, schema, real_dataset, synthetic_dataset,
                                 real_groups ? &*real_groups : nullptr);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace equinoise

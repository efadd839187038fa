// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/compare_synth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "equinoise/base/check.h"
#include "equinoise/base/sha256.h"
#include "equinoise/files/memory_file.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/registry.h"
#include "equinoise/synth/row_file.h"
#include "equinoise/synth/workload_error.h"
#include "equinoise/tasks/compare/compare_subject.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/synth/synth.h"
#include "equinoise/tasks/synth/synth_schema.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

/// The least records of a counted group. Errors of smaller groups are mostly due to their few rows.
constexpr int64_t kMinInGroup = 75;

GridScope synth_scope(const SynthConfig& config) {
  GridScope scope = grid_scope<SynthConfig>(synth_options(), synthesizers(), find_synthesizer,
                                            [config](std::string_view) { return config; });
  scope.shared = {"epsilon", "delta", "number_share", "shared_share", "bins", "max_model_size"};
  return scope;
}

/// Records as codes, overall and for each group.
struct CodedGroups {
  CodedTable all;
  std::vector<CodedTable> groups;
};

class SynthSubject final : public CompareSubject {
 public:
  explicit SynthSubject(const CompareSynthRequest& request)
      : CompareSubject({synth_scope(request.synth.config), request.grid, request.given}),
        request_(request),
        synth_(unpaid(request.synth)) {}

  void check() override {
    check_open_interval("tasks.compare", "delta", synth_.delta, 0, 1);
    read_ = synth_schema(synth_);
    schema_of_rows_ = in_usual_layout(schema_);
    columns_ = column_codes(schema_, synth_.bins);
    const auto num_columns = static_cast<int>(columns_.size());
    check_interval("tasks.compare", "error_degree", request_.degree, 1, 1000);
    degree_ = feasible_degree(num_columns, request_.degree);
    sets_ = sets_of_degree(num_columns, degree_);
    if (!request_.by.empty()) labels_ = list_groups(schema_, request_.by).groups;
  }

  Contender plan(CompareRow row) const override {
    Contender contender{std::move(row)};
    SynthRequest request = synth_;
    request.method = contender.row.method;
    request.epsilon = contender.row.epsilon.value();
    request.config = at_point<SynthConfig>(synth_options(), contender.row.options, synth_.config);
    tell_plan(set_up_synth(request, read_), request, contender);
    contender.run = [this, request = std::move(request)](uint64_t seed, TrainProgress& progress) {
      SynthRequest seeded = request;
      seeded.insecure_seed = seed;
      const MemoryFile rows(
          synthesize_unpaid(seeded, set_up_synth(seeded, read_), table_, progress));
      return figures_of(code(read_table(rows.path(), schema_of_rows_, TableUse::kOther)));
    };
    return contender;
  }

  const Schema& schema() const override { return schema_; }

  Json identity() const override {
    const BinOptions& bins = synth_.bins;
    return {{"what", "synth"},
            {"records", hash_of_files({synth_.data, synth_.zeros_path}, "")},
            {"schema", sha256_hex(schema_.source_text)},
            {"target", schema_.target},
            {"delta", synth_.delta},
            {"relation", to_string(synth_.relation)},
            {"bins", bins.num_bins ? Json(*bins.num_bins) : Json(nullptr)},
            {"bins_of", bins.num_bins_of},
            {"edges_of", bins.edges_of},
            {"missing", static_cast<int>(schema_.missing_use)},
            {"number_share", synth_.number_share ? Json(*synth_.number_share) : Json(nullptr)},
            {"quantile_columns", synth_.quantile_columns},
            {"rows", synth_.num_rows ? Json(*synth_.num_rows) : Json(nullptr)},
            {"draw", static_cast<int>(synth_.draw)},
            {"max_model_size",
             synth_.max_model_megabytes ? Json(*synth_.max_model_megabytes) : Json(nullptr)},
            {"stratify", synth_.stratify},
            {"min_stratum", synth_.min_stratum},
            {"strata", synth_.strata ? Json(word_of(kStrataForms, *synth_.strata)) : Json(nullptr)},
            {"shared_share", synth_.shared_share},
            {"stratum_weights", synth_.stratum_weights},
            {"by", request_.by},
            {"degree", degree_},
            {"workload", hash_of_files({synth_.config.workload_choice.file, {}}, "")},
            {"options", to_json(given_settings(synth_options(), synth_.config, request_.given))}};
  }

  void read(int64_t, TaskProgress& progress) override {
    const TableUse use =
        synth_.relation == Relation::kZeroOut ? TableUse::kDescribed : TableUse::kPrivateSize;
    table_ = read_table_files({synth_.data, {}}, schema_, use, progress, CountedRows::kKept);
    real_.emplace(code(table_));
  }

  void describe(CompareReport& report) const override {
    report.task = CompareTask::kSynth;
    report.is_public = synth_.public_data;
    report.command = synth_.command;
    report.is_share = true;
    if (synth_.relation == Relation::kAddRemove) report.num_records.reset();
    report.error = fmt::format(
        "total variation distance (0 identical, 1 disjoint) between synthetic rows and {}, "
        "averaged "
        "over {} {} of {} {}",
        rows_that_count(schema_), sets_.size(), sets_.size() == 1 ? "marginal" : "marginals",
        degree_, degree_ == 1 ? "column" : "columns");
    report.judged = rows_that_count(schema_);
    report.min_records = kMinInGroup;
    report.baseline = "a table in which all combinations are equally frequent";
    report.constant.value = even_error();
    for (size_t k = 0; k < labels_.size(); ++k) {
      CompareGroup& group =
          report.groups.emplace_back(CompareGroup{labels_[k], columns_of(labels_[k])});
      group.num_records = static_cast<int64_t>(real_->groups[k].total_records());
    }
    report.ingest_notes = ingest_notes(table_);
  }

 private:
  /// Without the fields that only a paid release uses.
  static SynthRequest unpaid(SynthRequest synth) {
    synth.ledger_path.clear();
    synth.out_path.clear();
    synth.format = RowFormat::kCsv;
    synth.config.threads = 1;
    synth.insecure_seed = 0;
    return synth;
  }

  /// Adds the warnings and notes of a paid release of the same plan.
  void tell_plan(SynthSetup setup, SynthRequest request, Contender& contender) const {
    request.insecure_seed.reset();
    setup.schema.reviewed = true;
    const SynthReport plan = begin_synth_report(setup, request);
    contender.row.warnings = plan.warnings;
    CompareRow& row = contender.row;
    row.weakest = plan.privacy;
    if (plan.protection) row.public_groups = plan.protection->public_groups;
    row.group_privacy.assign(labels_.size(), plan.privacy);
  }

  CodedGroups code(const Dataset& table) const {
    CodedGroups coded{encode_table(table, columns_), {}};
    if (labels_.empty()) return coded;
    const Grouping grouping = group_by(table, schema_, request_.by);
    for (size_t k = 0; k < labels_.size(); ++k) {
      std::vector<uint8_t> members = table.contributes;
      for (size_t i = 0; i < members.size(); ++i)
        if (index_of(grouping.group_of[i]) != k) members[i] = 0;
      coded.groups.push_back(encode_table(table, columns_, members));
    }
    return coded;
  }

  CompareRun figures_of(const CodedGroups& rows) const {
    const auto error = [&](const CodedTable& real, const CodedTable& synthetic) {
      return workload_error(marginal_distances(real, synthetic, sets_, 1));
    };
    CompareRun run;
    run.overall = error(real_->all, rows.all);
    for (size_t k = 0; k < labels_.size(); ++k)
      run.groups.push_back(error(real_->groups[k], rows.groups[k]));
    return run;
  }

  /// The error of a table in which all combinations are equally frequent.
  double even_error() const {
    const auto num_records = static_cast<double>(real_->all.total_records());
    std::vector<double> errors;
    for (const std::vector<int>& set : sets_) {
      const std::vector<uint32_t> counts = count_marginal(real_->all, set);
      const double even = 1 / static_cast<double>(counts.size());
      double distance = 0;
      for (const uint32_t count : counts) distance += std::fabs(count / num_records - even);
      errors.push_back(distance / 2);
    }
    return workload_error(errors);
  }

  const CompareSynthRequest& request_;
  SynthRequest synth_;
  SynthSchema read_;  // set by check(), like all up to table_
  const Schema& schema_ = read_.schema;
  Schema schema_of_rows_;
  std::vector<ColumnCodes> columns_;
  int degree_ = 0;
  std::vector<std::vector<int>> sets_;
  std::vector<GroupLabel> labels_;
  Dataset table_;
  std::optional<CodedGroups> real_;
};

}  // namespace

CompareReport compare_synth(const CompareSynthRequest& request, TrainProgress& progress) {
  SynthSubject subject(request);
  return compare(request, subject, progress);
}

}  // namespace equinoise

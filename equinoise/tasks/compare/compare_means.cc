// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/compare_means.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "equinoise/base/fixed_point.h"
#include "equinoise/base/sha256.h"
#include "equinoise/means/registry.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/compare/compare_subject.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/means/mean_records.h"
#include "equinoise/tasks/means/means_setup.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
constexpr double kNoMean = std::numeric_limits<double>::quiet_NaN();

GridScope means_scope(const MeanConfig& config) {
  GridScope scope = grid_scope<MeanConfig>(mean_options(), mean_estimators(), find_mean_estimator,
                                           [config](std::string_view) { return config; });
  scope.shared = {"epsilon", "delta", "overall_share", "size_share"};
  return scope;
}

/// Exact facts about a column. NOT PRIVATE.
struct ColumnFacts {
  ExactMeans means;
  double overall = kNoMean;  ///< weighted as the released overall mean is
  double stddev = 0;         ///< over all records with a value
};

/// The overall mean by public weights of strata, if any; NaN if a stratum with a weight above 0 has
/// no mean.
double weighed_overall(const ExactMeans& means, const std::vector<double>& weights) {
  if (weights.empty()) return means.overall;
  double sum = 0;
  for (size_t k = 0; k < weights.size(); ++k)
    if (weights[k] > 0) sum += weights[k] * means.strata[k];
  return sum;
}

/// The mean of `number` of the values of a column. The result does not depend on how records are
/// counted.
template <typename Number>
double mean_over(const MeanRecords& records, size_t column, const Number& number) {
  const std::span<const double> values = records.records.columns[column];
  const std::span<const uint32_t> strata = records.records.strata_for(column);
  double largest = 0;
  for (size_t i = 0; i < strata.size(); ++i)
    if (strata[i] < records.records.num_strata)
      largest = std::max(largest, std::fabs(number(values[i])));
  const FixedPoint scale(largest);
  Int128 sum = 0;
  int64_t num_records = 0;
  for (size_t i = 0; i < strata.size(); ++i) {
    if (strata[i] >= records.records.num_strata) continue;
    sum += scale.units(number(values[i]), records.records.count_of(i));
    num_records += records.records.count_of(i);
  }
  return num_records > 0 ? scale.value(sum) / static_cast<double>(num_records) : 0;
}

double stddev_of(const MeanRecords& records, size_t column) {
  const double mean = mean_over(records, column, [](double value) { return value; });
  return std::sqrt(
      mean_over(records, column, [&](double value) { return (value - mean) * (value - mean); }));
}

class MeansSubject final : public CompareSubject {
 public:
  explicit MeansSubject(const CompareMeansRequest& request)
      : CompareSubject({means_scope(request.means.config), request.grid, request.given}),
        request_(request),
        means_(unpaid(request.means)) {}

  void check() override { question_ = set_up_question(means_, false, false); }

  Contender plan(CompareRow row) const override {
    Contender contender{std::move(row)};
    MeansRequest request = request_of(contender.row);
    auto setup = std::make_shared<MeansSetup>(set_up_means(request, false));
    tell_plan(*setup, request, contender);
    contender.run = [this, request = std::move(request), setup = std::move(setup)](uint64_t seed,
                                                                                   TrainProgress&) {
      MeansRequest seeded = request;
      seeded.insecure_seed = seed;
      return figures_of(release_unpaid_means(seeded, *setup, records_));
    };
    return contender;
  }

  const Schema& schema() const override { return question_->schema; }

  Json identity() const override {
    const StratumWeightsRequest& weights = means_.weights;
    return {{"what", "means"},
            {"records", hash_of_files({means_.data, {}}, "")},
            {"schema", sha256_hex(schema().source_text)},
            {"missing", static_cast<int>(schema().missing_use)},
            {"columns", means_.columns},
            {"by", means_.by},
            {"weight_column", means_.weight_column},
            {"min_group_size", means_.group_floor.min_size},
            {"small_groups", static_cast<int>(means_.group_floor.policy)},
            {"relation", to_string(question_->plan.question.config.relation)},
            {"delta", means_.delta},
            {"bounds", means_.bounds},
            {"stddevs", means_.stddevs},
            {"stratum_sizes", means_.stratum_sizes},
            {"private_sizes", means_.private_sizes},
            {"size_share", means_.size_share},
            {"overall_share", means_.overall_share},
            {"weights", weights.given},
            {"weight_files", weights.table.is_engine()
                                 ? weights.table.name()
                                 : hash_of_files({weights.table, weights.json_path}, "")},
            {"shrink", means_.shrink},
            {"clipped_share", means_.config.clipped_share},
            {"options", to_json(given_settings(mean_options(), means_.config, request_.given))}};
  }

  void read(int64_t, TaskProgress& progress) override {
    table_ = read_table_files({means_.data, {}}, schema(), TableUse::kDescribed, progress,
                              CountedRows::kKept);
    records_ = read_mean_records(table_, *question_, means_);
    for (size_t j = 0; j < means_.columns.size(); ++j) {
      ColumnFacts& facts = facts_.emplace_back();
      facts.means = exact_means(records_, j);
      facts.overall = weighed_overall(facts.means, question_->weights.values);
      facts.stddev = stddev_of(records_, j);
    }
  }

  void describe(CompareReport& report) const override {
    report.task = CompareTask::kMeans;
    report.is_public = means_.public_data;
    report.command = means_.command;
    report.is_share = false;
    const std::string counted = rows_that_count(schema());
    report.error = fmt::format(
        "distance of the released mean of {} from that of the {}, in standard deviations of "
        "the {} among all {} a value{}",
        fmt::join(means_.columns, ", "), counted, means_.columns.size() == 1 ? "column" : "columns",
        schema().has_unit_column() ? "with" : "who have",
        means_.columns.size() == 1 ? "" : ", averaged over columns");
    report.judged = counted + " with a value";
    report.min_records = 1;
    report.baseline = "the middle of the bounds";
    std::vector<double> middles;
    for (const MeanColumn& column : question_->plan.question.columns)
      middles.push_back(column.lower + (column.upper - column.lower) / 2);
    report.constant.value = mean_distance([&](size_t j) { return middles[j]; },
                                          [&](size_t j) { return facts_[j].overall; });
    for (size_t k = 0; k < question_->names.size() && !means_.by.empty(); ++k) {
      const GroupLabel& label = question_->grouping.groups[k];
      CompareGroup& group = report.groups.emplace_back(CompareGroup{label, columns_of(label)});
      group.num_records = facts_.front().means.num_values[k];
      for (const ColumnFacts& facts : facts_)
        group.num_records = std::min(group.num_records, facts.means.num_values[k]);
    }
    report.ingest_notes = misfits(table_);
    for (std::string& note : ingest_notes(table_.counts))
      report.ingest_notes.push_back(std::move(note));
    add_undefined(report.ingest_notes);
  }

 private:
  /// Notes on facts that leave errors undefined for every method.
  void add_undefined(std::vector<std::string>& notes) const {
    for (size_t j = 0; j < facts_.size(); ++j) {
      const std::string& column = means_.columns[j];
      if (!(facts_[j].stddev > 0)) {
        notes.push_back(fmt::format(
            "column {}: all values are the same, so that errors in standard deviations are "
            "undefined; leave it out of --columns",
            column));
      }
      const std::vector<double>& weights = question_->weights.values;
      for (size_t k = 0; k < weights.size(); ++k) {
        if (weights[k] == 0 || facts_[j].means.num_values[k] > 0) continue;
        notes.push_back(fmt::format(
            "column {}: nobody has a value in stratum {}, which has a weight, so that there is no "
            "overall mean to compare with",
            column, question_->names[k]));
      }
    }
  }

  /// Without the fields that only a paid release uses.
  static MeansRequest unpaid(MeansRequest means) {
    means.ledger_path.clear();
    means.out_path.clear();
    means.rho.reset();
    means.threads = 1;
    means.insecure_seed = 0;
    return means;
  }

  MeansRequest request_of(const CompareRow& row) const {
    MeansRequest request = means_;
    request.method = row.method;
    request.epsilon = row.epsilon;
    request.config = at_point<MeanConfig>(mean_options(), row.options, means_.config);
    return request;
  }

  /// Adds the warnings and notes of a paid release of the same plan.
  void tell_plan(MeansSetup& setup, const MeansRequest& request, Contender& contender) const {
    const bool reviewed = std::exchange(setup.schema.reviewed, true);
    setup.is_private = true;
    const MeansReport plan = begin_means_report(setup, request);
    setup.is_private = false;
    setup.schema.reviewed = reviewed;
    contender.row.warnings = plan.warnings;
    CompareRow& row = contender.row;
    row.weakest = plan.privacy;
    if (plan.protection) row.public_groups = plan.protection->public_groups;
    for (size_t k = 0; k < setup.names.size() && !means_.by.empty(); ++k)
      row.group_privacy.push_back(plan.rows[k * plan.columns.size()].privacy);
  }

  /// The distance between a released and an exact mean, in standard deviations of the column,
  /// averaged over columns.
  template <typename Documents, typename Exact>
  double mean_distance(const Documents& told, const Exact& exact) const {
    double sum = 0;
    for (size_t j = 0; j < facts_.size(); ++j)
      sum += facts_[j].stddev > 0 ? std::fabs(told(j) - exact(j)) / facts_[j].stddev : kNoMean;
    return sum / static_cast<double>(facts_.size());
  }

  CompareRun figures_of(const MeansReport& report) const {
    CompareRun run;
    run.overall = mean_distance([&](size_t j) { return report.overall[j].mean; },
                                [&](size_t j) { return facts_[j].overall; });
    for (size_t k = 0; k < question_->names.size() && !means_.by.empty(); ++k) {
      run.groups.push_back(
          mean_distance([&](size_t j) { return report.rows[k * facts_.size() + j].mean; },
                        [&](size_t j) { return facts_[j].means.strata[k]; }));
    }
    return run;
  }

  const CompareMeansRequest& request_;
  MeansRequest means_;
  std::optional<MeansSetup> question_;  // after check()
  Dataset table_;
  MeanRecords records_;
  std::vector<ColumnFacts> facts_;  // (columns)
};

}  // namespace

CompareReport compare_means(const CompareMeansRequest& request, TrainProgress& progress) {
  MeansSubject subject(request);
  return compare(request, subject, progress);
}

}  // namespace equinoise

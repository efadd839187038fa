// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/synthesis/synthesis_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "equinoise/audit/downstream_classifier.h"
#include "equinoise/audit/marginal_parity.h"
#include "equinoise/audit/means_parity.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/split.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/synth/make_models.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/registry.h"
#include "equinoise/synth/synth_file.h"
#include "equinoise/synth/synth_setup.h"
#include "equinoise/synth/workload_error.h"

namespace equinoise {

namespace {

constexpr std::array<std::string_view, 3> kOfEverybody = {"accuracy", "TV3", "L1"};
constexpr std::array<std::string_view, 7> kMetricsOfGroups = {
    "means parity",
    "largest disparity",
    "demographic parity ratio",
    "demographic parity difference",
    "false negative rate difference",
    "TV3 parity",
    "L1 parity",
};
constexpr std::array<std::string_view, 2> kPrintedMetrics = {"printed means parity",
                                                             "printed L1 parity"};
/// The metrics of classifiers. For the records themselves the others are 0.
constexpr std::array<std::string_view, 4> kOfClassifiers = {"accuracy", "demographic parity ratio",
                                                            "demographic parity difference",
                                                            "false negative rate difference"};
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool is_of_groups(std::string_view metric) {
  return contains(kMetricsOfGroups, metric) || contains(kPrintedMetrics, metric);
}

/// The metrics that runs have for each division.
std::vector<std::string_view> metrics_of_groups(const ReproductionSynthesis& synthesis) {
  std::vector<std::string_view> metrics(kMetricsOfGroups.begin(), kMetricsOfGroups.end());
  if (synthesis.has_printed_parity) append(metrics, kPrintedMetrics);
  return metrics;
}

std::string column_of(std::string_view metric, const std::vector<std::string>& division) {
  return fmt::format("{} by {}", metric, fmt::join(division, ","));
}

/// The numbers of a column's codes; empty if they are no numbers.
std::vector<double> numbers_of(const ColumnSchema& column) {
  std::vector<double> numbers;
  for (const std::string& value : column.categories()) {
    const std::optional<double> number = parse_number(value);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

/// The tables that rows are compared with: the part of the table that they are made from, and the
/// other one.
struct Truth {
  Schema schema;                                  ///< with the sizes of the part as public ones
  Dataset part;                                   ///< the others are null records
  std::vector<Grouping> part_groups;              ///< (divisions)
  CodedTable coded;                               ///< the part's records
  EncodedTable test;                              ///< the others
  std::vector<std::vector<GroupId>> test_groups;  ///< (divisions)
};

class SynthesisRuns final : public ExperimentRuns {
 public:
  SynthesisRuns(const ItemHeader& item, const ReproductionSynthesis& synthesis,
                const std::filesystem::path& folder)
      : synthesis_(synthesis),
        table_(read_reproduction_table(item.data, folder, item.max_records)) {
    bins_.num_bins = synthesis_.num_bins;
    columns_ = column_codes(table_.schema, bins_);
    sets_ = sets_of_degree(static_cast<int>(columns_.size()), 3);
    floor_.min_size = synthesis_.min_stratum;
    floor_.policy = synthesis_.min_stratum > 0 ? SmallGroups::kMerge : SmallGroups::kKeep;
  }

  int64_t num_steps(size_t, uint64_t) const override { return std::ssize(synthesis_.epsilons); }

  ReproductionOutcome run(size_t method, uint64_t seed,
                          const RunCallbacks& callbacks) const override {
    const SynthesisMethod& made = synthesis_.methods[method];
    const Truth truth = truth_of(seed);
    ReproductionOutcome outcome;
    for (size_t i = 0; i < synthesis_.epsilons.size(); ++i) {
      ReproductionPoint& point = outcome.points.emplace_back();
      point.position = synthesis_.epsilons[i];
      const bool is_fitted = !made.synthesizer.empty();
      if (is_fitted || i == 0) {
        SeededSource source(seed);
        source.start_step(i);
        point.values = judge(made, truth, is_fitted ? rows_of(made, truth, i, source) : truth.part);
      } else {
        point.values = outcome.points.front().values;
      }
      callbacks.after_step();
    }
    return outcome;
  }

  std::string describe(const ReproductionOutcome& outcome) const override {
    return fmt::format("accuracy {:.4f} at epsilon {:g}", outcome.points.back().values[0],
                       outcome.points.back().position);
  }

 private:
  Truth truth_of(uint64_t seed) const {
    const Split split = split_records(table_.dataset.num_records, synthesis_.test_fraction, seed);
    Truth truth{table_.schema, table_.dataset, {}, CodedTable({}), {}, {}};
    for (const uint32_t record : split.test) truth.part.contributes[record] = 0;
    truth.schema.num_records = std::ssize(split.train);
    truth.schema.public_group_sizes.clear();
    for (const std::vector<std::string>& division : synthesis_.divisions)
      declare_sizes(division, truth);
    truth.coded = encode_table(truth.part, columns_);
    truth.test = encode(table_.dataset, truth.schema, split.test);
    make_binary(truth.test, synthesis_.positive);
    for (const std::vector<std::string>& division : synthesis_.divisions) {
      const Grouping& grouping =
          truth.part_groups.emplace_back(group_by(truth.part, truth.schema, division, floor_));
      std::vector<GroupId>& of_test = truth.test_groups.emplace_back();
      for (const uint32_t record : split.test) of_test.push_back(grouping.group_of[record]);
    }
    return truth;
  }

  static void declare_sizes(const std::vector<std::string>& division, Truth& truth) {
    const Grouping grouping = group_by(truth.part, truth.schema, division);
    std::vector<int64_t> sizes(grouping.groups.size());
    for (size_t record = 0; record < truth.part.contributes.size(); ++record)
      if (truth.part.contributes[record] != 0) ++sizes[index_of(grouping.group_of[record])];
    for (size_t group = 0; group < sizes.size(); ++group) {
      GroupLabel label = grouping.groups[group];
      std::ranges::sort(label);
      truth.schema.public_group_sizes[label] = sizes[group];
    }
  }

  /// Makes as many rows as there are records, as `equinoise synth` does, but without payment.
  Dataset rows_of(const SynthesisMethod& method, const Truth& truth, size_t place,
                  SeededSource& source) const {
    SynthChoices choices;
    choices.method = method.synthesizer;
    const auto spent = synthesis_.spent.find(method.synthesizer);
    choices.epsilon =
        (spent == synthesis_.spent.end() ? synthesis_.epsilons : spent->second)[place];
    choices.delta = synthesis_.delta;
    choices.config.workload_choice.degree = synthesis_.degree;
    if (const auto own = synthesis_.options_of.find(method.synthesizer);
        own != synthesis_.options_of.end())
      apply_settings<SynthConfig>("reproduction", synth_options(), own->second, choices.config);
    choices.max_model_megabytes = synthesis_.max_model_megabytes;
    // The published forms.
    choices.bins = bins_;
    choices.number_share = 0;
    choices.stratify = method.strata;
    if (!method.strata.empty()) choices.strata = StrataForm::kIndependent;
    choices.min_stratum = method.strata.empty() ? 0 : synthesis_.min_stratum;
    SynthSetup setup = set_up_synth(choices, {truth.schema});
    TaskProgress silent;
    SynthRecords records(truth.part, choices, setup, silent);
    const SynthFile file =
        make_models(choices, PrivacyStatus::kInsecureRng, records, setup,
                    Charge::unpaid(setup.events, setup.relation, source), source, silent)
            .file;
    const int64_t num_rows = truth.schema.num_records;
    const std::unique_ptr<RowStream> rows = draw_rows(file, num_rows, RowDraw::kRound, {}, source);
    return decode_rows(rows->next(static_cast<size_t>(num_rows)), columns_, source);
  }

  /// The figures in the order of synthesis_columns(); NaN if the method has none.
  std::vector<double> judge(const SynthesisMethod& method, const Truth& truth,
                            const Dataset& rows) const {
    const CodedTable coded = encode_table(rows, columns_);
    EncodedTable train = encode(rows, truth.schema);
    make_binary(train, synthesis_.positive);
    const std::vector<double> parameters = fit_logistic(train);
    std::vector<double> of_groups;
    double population = kNone;
    for (size_t d = 0; d < synthesis_.divisions.size(); ++d) {
      if (!method.strata.empty() && method.strata != synthesis_.divisions[d]) {
        of_groups.insert(of_groups.end(), metrics_of_groups(synthesis_).size(), kNone);
        continue;
      }
      const Grouping& real = truth.part_groups[d];
      const Grouping told = group_by(rows, truth.schema, synthesis_.divisions[d], floor_);
      const MeansParity means = compare_means(truth, real, rows, told);
      const MarginalParity marginals =
          marginal_parity(truth.coded, contributing(truth.part, real), coded,
                          contributing(rows, told), real.groups.size(), sets_, 1);
      population = marginals.population;
      const DownstreamClassifier classifier =
          test_classifier(parameters, truth.test, truth.test_groups[d], real.groups.size());
      // All groups are treated alike if no record is predicted positive.
      const double ratio = classifier.overall.selection_rate.value > 0
                               ? classifier.selection_rate.ratio_between_groups
                               : 1;
      of_groups.insert(of_groups.end(),
                       {means.parity_error, means.largest_disparity, ratio,
                        classifier.selection_rate.difference_between_groups.value,
                        classifier.false_negative_rate.difference_between_groups.value,
                        marginals.parity_error, 2 * marginals.parity_error});
      if (!synthesis_.has_printed_parity) continue;
      const auto num_groups = static_cast<double>(std::ranges::count_if(
          marginals.groups,
          [](const std::optional<double>& distance) { return distance.has_value(); }));
      of_groups.insert(of_groups.end(), {means.printed ? means.printed->at(1 / num_groups) : kNone,
                                         2 * marginals.printed.at(1 / num_groups)});
    }
    const double accuracy = test_classifier(parameters, truth.test, {}, 0).overall.accuracy.value;
    std::vector<double> values = {accuracy, population, 2 * population};
    append(values, of_groups);
    return values;
  }

  static std::vector<GroupId> contributing(const Dataset& dataset, const Grouping& grouping) {
    std::vector<GroupId> groups;
    for (size_t record = 0; record < dataset.contributes.size(); ++record)
      if (dataset.contributes[record] != 0) groups.push_back(grouping.group_of[record]);
    return groups;
  }

  MeansParity compare_means(const Truth& truth, const Grouping& real, const Dataset& rows,
                            const Grouping& told) const {
    const size_t num_groups = real.groups.size();
    const auto counts_of = [](const Dataset& dataset) {
      return std::vector<uint32_t>(dataset.contributes.begin(), dataset.contributes.end());
    };
    const std::vector<uint32_t> truth_counts = counts_of(truth.part);
    const std::vector<uint32_t> told_counts = counts_of(rows);
    std::vector<ColumnParity> columns;
    for (const ColumnCodes& codes : columns_) {
      const ColumnSchema& column = truth.schema.column(codes.name);
      const std::vector<double> numbers =
          codes.is_numeric() ? std::vector{column.lower, column.upper} : numbers_of(column);
      if (numbers.empty()) continue;
      const auto [least, most] = std::ranges::minmax(numbers);
      const auto values_in = [&](const Dataset& dataset) {
        if (codes.is_numeric()) return dataset.find_numeric(column.name)->values;
        std::vector<double> values;
        for (const uint16_t code : dataset.find_categorical(column.name)->codes)
          values.push_back(numbers[code]);
        return values;
      };
      const std::vector<double> truth_values = values_in(truth.part);
      const std::vector<double> told_values = values_in(rows);
      columns.push_back({column.name, column_parity({truth_values, real.group_of, truth_counts},
                                                    {told_values, told.group_of, told_counts},
                                                    num_groups, least, most)});
    }
    return means_parity(std::move(columns));
  }

  const ReproductionSynthesis& synthesis_;
  ReproductionTable table_;
  BinOptions bins_;
  GroupFloor floor_;
  std::vector<ColumnCodes> columns_;
  std::vector<std::vector<int>> sets_;
};

}  // namespace

bool is_synthesis_metric(std::string_view name, bool has_printed_parity) {
  return contains(kOfEverybody, name) || contains(kMetricsOfGroups, name) ||
         (has_printed_parity && contains(kPrintedMetrics, name));
}

std::vector<std::string> synthesis_columns(const ReproductionSynthesis& synthesis) {
  std::vector<std::string> columns(kOfEverybody.begin(), kOfEverybody.end());
  for (const std::vector<std::string>& division : synthesis.divisions)
    for (const std::string_view metric : metrics_of_groups(synthesis))
      columns.push_back(column_of(metric, division));
  return columns;
}

std::vector<std::string> columns_of_metric(const ReproductionSynthesis& synthesis,
                                           const SynthesisMethod& method,
                                           const std::string& metric) {
  if (method.synthesizer.empty() && !contains(kOfClassifiers, metric)) return {};
  if (!is_of_groups(metric)) return {metric};
  std::vector<std::string> columns;
  for (const std::vector<std::string>& division : synthesis.divisions)
    if (method.strata.empty() || method.strata == division)
      columns.push_back(column_of(metric, division));
  return columns;
}

std::unique_ptr<ExperimentRuns> open_synthesis_runs(const ItemHeader& item,
                                                    const ReproductionSynthesis& synthesis,
                                                    const std::filesystem::path& folder) {
  return std::make_unique<SynthesisRuns>(item, synthesis, folder);
}

}  // namespace equinoise

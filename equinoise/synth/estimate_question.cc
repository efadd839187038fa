// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/estimate_question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/quotes.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/synth/given_values.h"

namespace equinoise {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr Refusal refuse_question{ErrorKind::kUsage, "synth.estimate_question"};

/// Records with one code, or with any of them, in V and, where `counts_in_base`, in W.
ColumnFactor factor_of(std::vector<double> weights, bool counts_in_base) {
  std::vector<double> base(weights.size(), 0);
  if (counts_in_base) base = weights;
  return {weights, weights, weights, std::move(base)};
}

/// Records with what is given. Of a bin that a range cuts none or all may be meant.
ColumnFactor given_factor(const ColumnCodes& column, const Given& given) {
  if (!given.range) {
    std::vector<double> weights;
    for (size_t code = 0; code < column.num_codes(); ++code)
      weights.push_back(given.evidence.weight_of(static_cast<int>(code)));
    return factor_of(std::move(weights), false);
  }
  const auto [begin, end] = *given.range;
  ColumnFactor factor = factor_of(std::vector<double>(column.num_codes(), 0), false);
  for (size_t bin = 0; bin < column.num_bins(); ++bin) {
    const auto [low, high] = column.limits_of(bin);
    const bool is_within = begin <= low && high < end;
    const bool is_touched = low < end && begin <= high;
    factor.low[bin] = is_within ? 1 : 0;
    factor.high[bin] = is_touched ? 1 : 0;
    factor.middle[bin] = is_within    ? 1
                         : is_touched ? std::min(1.0, column.part_of(bin, begin, end))
                                      : 0;
  }
  return factor;
}

/// A number as it is known from its bin, and who has one.
ColumnFactor number_factor(const ColumnCodes& column) {
  ColumnFactor factor = factor_of(std::vector<double>(column.num_codes(), 0), false);
  for (size_t bin = 0; bin < column.num_bins(); ++bin) {
    const auto [low, high] = column.limits_of(bin);
    factor.low[bin] = low;
    factor.high[bin] = high;
    factor.middle[bin] = std::clamp(column.mean_number(static_cast<uint32_t>(bin)), low, high);
    factor.base[bin] = 1;
  }
  return factor;
}

/// Reads one question.
class QuestionReader {
 public:
  QuestionReader(const FigureQuestion& asked, const SynthFile& file) : asked_(asked), file_(file) {}

  EstimateQuestion read() {
    const int num_asked = (asked_.table.empty() ? 0 : 1) + (asked_.share.empty() ? 0 : 1) +
                          (asked_.mean.empty() ? 0 : 1);
    if (num_asked != 1) refuse_question("ask one question: --table, --share or --mean");
    if (!asked_.table.empty() && !asked_.by.empty())
      refuse_question("--by is for --share and --mean; list its columns in --table");
    add_columns("--table", asked_.table);
    add_columns("--by", asked_.by);
    if (!asked_.share.empty()) read_share();
    if (!asked_.mean.empty()) read_mean();
    for (const CodeGroups& cell : cells_) note_numbers(static_cast<int>(cell.column));
    for (const auto& [position, factor] : factors_) note_numbers(position);
    add_figures();
    describe();
    return std::move(question_);
  }

 private:
  const ColumnCodes& column(int position) const {
    return file_.columns[static_cast<size_t>(position)];
  }

  size_t find(std::string_view option, const std::string& name) const {
    return find_in_model(name, file_.columns, file_.groups, option, refuse_question);
  }

  bool has_cells_of(int position) const {
    return contains(cells_, static_cast<size_t>(position), &CodeGroups::column);
  }

  /// The columns and group attributes whose cells or groups are asked for.
  void add_columns(std::string_view option, const std::vector<std::string>& names) {
    double cells = 1;
    for (const std::string& name : names) {
      const size_t found = find(option, name);
      const size_t num_columns = file_.columns.size();
      CodeGroups groups = found < num_columns ? single_codes(file_.columns, found)
                                              : file_.groups[found - num_columns];
      if (has_cells_of(static_cast<int>(groups.column)))
        refuse_question("{} names column {} twice", option, file_.columns[groups.column].name);
      cells *= static_cast<double>(groups.groups.size());
      cells_.push_back(std::move(groups));
    }
    if (cells > kMaxAskedCells) {
      refuse_question(
          "{} asks for {:.0f} cells; the most are {:.0f}, so leave columns "
          "out",
          option, cells, kMaxAskedCells);
    }
  }

  void add_factor(std::string_view option, int position, ColumnFactor factor) {
    if (has_cells_of(position))
      refuse_question("{} and --by name the same column {}", option, column(position).name);
    factors_[position] = std::move(factor);
  }

  void read_share() {
    for (const Given& given : parse_given(asked_.share, file_.columns, file_.groups, "--share")) {
      const int position = given.evidence.attribute;
      ColumnFactor factor = given_factor(column(position), given);
      if (factor.low != factor.high) {
        question_.notes.push_back(fmt::format(
            "A bin of {} is cut by the range: the interval allows for none to all of its records.",
            column(position).name));
      }
      add_factor("--share", position, std::move(factor));
    }
  }

  void read_mean() {
    const size_t found = find("--mean", asked_.mean);
    if (found >= file_.columns.size())
      refuse_question("--mean {}: groups have no mean; ask for --table {}", asked_.mean,
                      with_quotes(asked_.mean));
    const auto position = static_cast<int>(found);
    const ColumnCodes& own = column(position);
    if (!own.is_numeric() || own.time) {
      refuse_question(
          "--mean {}: the column holds {}, of which there is no mean; ask "
          "for --table {}",
          own.name, own.time ? "dates" : "categories", with_quotes(own.name));
    }
    min_ = own.limits_of(0).first;
    max_ = own.limits_of(own.num_bins() - 1).second;
    add_factor("--mean", position, number_factor(own));
    question_.notes.emplace_back(
        "Of a number in a bin only the bin is counted, and the interval allows for all in it.");
    if (own.missing_text) question_.notes.emplace_back("Of the records that have a number.");
  }

  /// Notes what a number of a question may be that no cell of the table held.
  void note_numbers(int position) {
    const ColumnCodes& own = column(position);
    if (!own.is_numeric()) return;
    question_.notes.push_back(
        fmt::format("A number of {} beyond {} to {} counts as the nearest of these{}.", own.name,
                    own.text_of(own.edges.front()), own.text_of(own.largest()),
                    file_.released->gaps[static_cast<size_t>(position)] == "filled"
                        ? ", and a missing cell as the number that the schema fills in"
                        : ""));
  }

  /// The figures of one cell or group.
  void add_figures(const std::vector<size_t>& codes) {
    const std::optional<int64_t>& num_records = file_.released->num_records;
    const bool is_within_group = !asked_.by.empty();
    AskedFigure figure;
    std::map<int, ColumnFactor> factors = factors_;
    for (size_t i = 0; i < cells_.size(); ++i) {
      const CodeGroups& cell = cells_[i];
      factors[static_cast<int>(cell.column)] = factor_of(cell.weights(codes[i]), is_within_group);
      figure.group.emplace_back(cell.name, cell.groups[codes[i]]);
    }
    const auto set_base = [&](double value) {
      for (auto& [position, factor] : factors) factor.base.assign(factor.base.size(), value);
    };
    const auto add = [&](FigureKind kind) {
      figure.kind = kind;
      figure.factors.clear();
      for (auto& [position, factor] : factors) figure.factors.push_back(factor);
      question_.figures.push_back(figure);
    };
    if (!asked_.mean.empty()) {
      figure.least = min_;
      figure.most = max_;
      return add(FigureKind::kMean);
    }
    if (is_within_group) {
      for (auto& [position, factor] : factors_) {
        std::vector<double>& base = factors[position].base;
        base.assign(base.size(), 1);
      }
      return add(FigureKind::kShare);
    }
    figure.most = num_records ? static_cast<double>(*num_records) : kInfinity;
    figure.base = 1;
    add(FigureKind::kCount);
    figure.most = 1;
    figure.base = num_records ? figure.base * static_cast<double>(*num_records) : 0;
    if (!num_records) set_base(1);
    add(FigureKind::kShare);
  }

  void add_figures() {
    size_t num_groups = 1;
    for (const CodeGroups& cell : cells_) num_groups *= cell.groups.size();
    for (size_t group = 0; group < num_groups; ++group) {
      std::vector<size_t> codes(cells_.size());
      size_t rest = group;
      for (size_t i = codes.size(); i-- > 0; rest /= cells_[i].groups.size())
        codes[i] = rest % cells_[i].groups.size();
      add_figures(codes);
    }
    for (auto& [position, factor] : factors_) question_.columns.push_back(position);
    for (const CodeGroups& cell : cells_)
      question_.columns.push_back(static_cast<int>(cell.column));
    std::ranges::sort(question_.columns);
    // A count and its share miss together if the number of records is public.
    question_.num_events = file_.released->num_records ? num_groups : question_.figures.size();
    const Domain domain = domain_of(file_.columns, numbers_below(file_.columns.size()));
    if (domain.num_cells(question_.columns) > kMaxAskedCells) {
      refuse_question(
          "the columns of the question have {:.0f} cells together; the "
          "most are {:.0f}, so leave columns out",
          domain.num_cells(question_.columns), kMaxAskedCells);
    }
  }

  void describe() {
    if (!asked_.table.empty()) {
      question_.words = fmt::format("records by {}", fmt::join(asked_.table, ", "));
    } else if (!asked_.mean.empty()) {
      question_.words = "mean of " + asked_.mean;
    } else {
      question_.words = fmt::format("records with {}", fmt::join(asked_.share, ", "));
    }
    if (!asked_.by.empty()) question_.words += fmt::format(" by {}", fmt::join(asked_.by, ", "));
  }

  const FigureQuestion& asked_;
  const SynthFile& file_;
  std::vector<CodeGroups> cells_;        // whose cells or groups are asked for
  std::map<int, ColumnFactor> factors_;  // of the other columns
  double min_ = 0;
  double max_ = 1;
  EstimateQuestion question_;
};

}  // namespace

EstimateQuestion read_question(const FigureQuestion& asked, const SynthFile& file) {
  return QuestionReader(asked, file).read();
}

}  // namespace equinoise

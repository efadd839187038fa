// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/reported_terms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/data/encoder.h"
#include "equinoise/data/number_cells.h"
#include "equinoise/models/additive.h"

namespace equinoise {

namespace {

/// The feature columns of that type, in the schema's order.
void append_columns(const Schema& schema, ColumnType type,
                    std::vector<const ColumnSchema*>& columns) {
  for (const ColumnSchema& column : schema.columns) {
    if (column.feature && column.name != schema.target && column.type == type)
      columns.push_back(&column);
  }
}

/// The contribution of each cell of a term to each score.
class Contributions {
 public:
  Contributions(const TrainedModel& trained, const AdditiveTerm& term, size_t num_scores,
                double unit)
      : of_term_(std::span(trained.parameters).subspan(term.first_cell * num_scores)),
        num_scores_(num_scores),
        unit_(unit) {}

  /// (scores)
  std::vector<double> of_cell(size_t cell) const {
    std::vector<double> added;
    for (const double one : of_term_.subspan(cell * num_scores_, num_scores_))
      added.push_back(one * unit_);
    if (num_scores_ == 1) return added;
    const double mean = mean_of(added);
    for (double& one : added) one -= mean;
    return added;
  }

  static double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }

 private:
  std::span<const double> of_term_;
  size_t num_scores_;
  double unit_;
};

/// The cells [first, last] of a term.
TermPart part_of(const AdditiveTerm& term, const Contributions& contributions, size_t first,
                 size_t last) {
  TermPart part;
  const std::vector<double> start = contributions.of_cell(first);
  const std::vector<double> end = contributions.of_cell(last);
  part.contributions.resize(start.size());
  for (size_t cell = first; cell <= last; ++cell) {
    part.share += term.shares[cell];
    const std::vector<double> added = contributions.of_cell(cell);
    for (size_t s = 0; s < added.size(); ++s)
      part.contributions[s] += added[s] / static_cast<double>(last - first + 1);
  }
  if (start == end) {
    part.contributions = start;
  } else {
    part.at_start = start;
    part.at_end = end;
  }
  return part;
}

double mean_size_of(const AdditiveTerm& term, const Contributions& contributions) {
  double size = 0;
  for (size_t cell = 0; cell < term.shares.size(); ++cell) {
    std::vector<double> added = contributions.of_cell(cell);
    for (double& one : added) one = std::fabs(one);
    size += term.shares[cell] * Contributions::mean_of(added);
  }
  return size;
}

/// The categories, one part each.
std::vector<TermPart> parts_of_categories(const AdditiveTerm& term,
                                          const Contributions& contributions,
                                          const ColumnSchema& column) {
  std::vector<TermPart> parts;
  for (const std::string& category : column.categories()) {
    parts.push_back(part_of(term, contributions, parts.size(), parts.size()));
    parts.back().values = {category};
  }
  return parts;
}

/// The intervals; neighbours without a difference are one part.
std::vector<TermPart> parts_of_numbers(const AdditiveTerm& term, const Contributions& contributions,
                                       const ColumnSchema& column, const NumberCells& cells) {
  std::vector<TermPart> parts;
  size_t first = 0;
  for (size_t begin = 0, end = 0; begin < term.parts.size(); begin = end) {
    while (end < term.parts.size() && term.parts[end] == term.parts[begin]) ++end;
    TermPart part = part_of(term, contributions, begin, end - 1);
    if (!parts.empty() && parts.back().at_start.empty() && part.at_start.empty() &&
        parts.back().contributions == part.contributions) {
      part.share += parts.back().share;
      parts.pop_back();
    } else {
      first = begin;
    }
    NumberRange range = cells.range_of(first, end - 1);
    part.values = {std::move(range.text)};
    if (!column.time) {
      part.from = range.from;
      part.to = range.to;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// The parts that both values of a pair lie in, one part each.
std::vector<TermPart> parts_of_pair(const AdditiveTerm& term, const Contributions& contributions,
                                    const AdditiveModel& model, const AdditivePair& pair,
                                    const EncodedColumns& columns) {
  std::vector<TermPart> parts;
  const std::vector<std::string> second = model.part_names(pair, 1, columns.blocks);
  const auto value_of = [&](const std::string& name, size_t side) {
    return name.substr(columns.names[pair.columns[side]].size() + 1);
  };
  for (const std::string& name : model.part_names(pair, 0, columns.blocks)) {
    for (const std::string& other : second) {
      parts.push_back(part_of(term, contributions, parts.size(), parts.size()));
      parts.back().values = {value_of(name, 0), value_of(other, 1)};
    }
  }
  return parts;
}

}  // namespace

std::vector<TermReport> reported_terms(const TrainedModel& trained, const TrainingSetup& setup,
                                       double target_divisor) {
  std::vector<TermReport> reports;
  if (trained.terms.empty() ||
      !std::all_of(trained.parameters.begin(), trained.parameters.end(),
                   [](double parameter) { return std::isfinite(parameter); }))
    return reports;
  const std::vector<NumberCells> cells = number_cells(setup.schema);
  std::vector<const ColumnSchema*> columns;
  append_columns(setup.schema, ColumnType::kNumeric, columns);
  append_columns(setup.schema, ColumnType::kCategorical, columns);
  const double unit = setup.model->num_classes() == 0 ? target_divisor : 1;
  const EncodedColumns column_names = encoded_columns(setup.schema);
  const auto& model = dynamic_cast<const AdditiveModel&>(trained.model_or(*setup.model));
  for (const AdditiveTerm& term : trained.terms) {
    const Contributions contributions(trained, term, setup.model->num_outputs(), unit);
    const size_t place = term.columns.front();
    if (term.columns.size() > 1) {
      const AdditivePair& pair = model.pairs()[reports.size() - columns.size()];
      reports.push_back({{column_names.names[place], column_names.names[term.columns.back()]},
                         mean_size_of(term, contributions),
                         parts_of_pair(term, contributions, model, pair, column_names)});
      continue;
    }
    const ColumnSchema& column = *columns[place];
    reports.push_back({{column.name},
                       mean_size_of(term, contributions),
                       place < cells.size()
                           ? parts_of_numbers(term, contributions, column, cells[place])
                           : parts_of_categories(term, contributions, column)});
    if (column.direction != 0)
      reports.back().monotone = column.direction > 0 ? "increasing" : "decreasing";
  }
  std::stable_sort(reports.begin(), reports.end(), [](const TermReport& a, const TermReport& b) {
    return a.mean_size > b.mean_size;
  });
  return reports;
}

}  // namespace equinoise

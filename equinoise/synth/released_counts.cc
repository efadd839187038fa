// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/released_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

/// Factors of V and W from the common codes of some records.
struct CommonWeights {
  double low = 1, middle = 1, high = 1, base = 1;

  bool is_zero() const { return high == 0 && low == 0 && base == 0; }
};

CommonWeights common_weights(const AskedFigure& figure,
                             const std::vector<std::pair<size_t, uint32_t>>& fixed) {
  CommonWeights common;
  for (const auto& [column, code] : fixed) {
    const ColumnFactor& factor = figure.factors[column];
    common.low *= factor.low[code];
    common.middle *= factor.middle[code];
    common.high *= factor.high[code];
    common.base *= factor.base[code];
  }
  return common;
}

std::vector<const ColumnFactor*> open_factors(const AskedFigure& figure,
                                              const std::vector<size_t>& open) {
  std::vector<const ColumnFactor*> factors;
  for (const size_t column : open) factors.push_back(&figure.factors[column]);
  return factors;
}

/// The noise of a count in all parts together.
double noise_of(const CountedSource& source) {
  double variance = 0;
  for (const CountedPart& part : source.parts) variance += part.noise_stddev * part.noise_stddev;
  return std::sqrt(variance);
}

void scale(std::vector<double>& weights, double by) {
  for (double& weight : weights) weight *= by;
}

}  // namespace

ReleasedCounts::ReleasedCounts(const SynthFile& file, AttributeSet columns)
    : file_(file), columns_(std::move(columns)) {
  const ReleasedFacts& facts = *file.released;
  std::vector<size_t> all = numbers_below(file.columns.size());
  if (facts.strata.empty() || facts.strata_share) everybody_ = records_of(all, {}, facts.everybody);
  for (size_t s = 0; s < facts.strata.size(); ++s) {
    const SynthStratum& stratum = file.strata[s];
    strata_.push_back(records_of(stratum.columns, stratum.fixed, facts.strata[s].measured));
    strata_.back().public_size = facts.strata[s].public_size;
  }
  for (const SynthStratum& stratum : file.strata) {
    Records& model = models_.emplace_back(records_of(stratum.columns, stratum.fixed, {}));
    model.weight = stratum.weight;
    AttributeSet set;
    for (const size_t column : model.open) {
      const auto place = std::ranges::find(stratum.columns, static_cast<size_t>(columns_[column]));
      set.push_back(static_cast<int>(place - stratum.columns.begin()));
      model.shares.values.push_back(
          keep_all(file.columns[static_cast<size_t>(columns_[column])].num_codes()));
    }
    model.shares.counts = set.empty() ? std::vector<double>{1} : stratum.model->shares(set);
  }
}

ReleasedCounts::Records ReleasedCounts::records_of(const std::vector<size_t>& columns,
                                                   const std::map<size_t, uint32_t>& fixed,
                                                   const MeasuredFacts& measured) const {
  Records records;
  const Domain domain = domain_of(file_.columns, columns);
  AttributeSet set;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto column = static_cast<size_t>(columns_[i]);
    if (const auto common = fixed.find(column); common != fixed.end()) {
      records.fixed.emplace_back(i, common->second);
    } else {
      records.open.push_back(i);
      set.push_back(*domain.find(file_.columns[column].name));
    }
  }
  for (const MeasuredFacts::Marginal& marginal : measured.marginals) {
    SynthMeasurement measurement{
        {}, marginal.noise_stddev, marginal.counts, marginal.pooled, marginal.cell};
    for (const std::string& name : marginal.columns) {
      const std::optional<int> position = domain.find(name);
      if (!position) {
        throw Error(ErrorKind::kInput, "synth.released_counts",
                    "a measurement names a column that its model does not have; the file is "
                    "damaged, copy it again");
      }
      measurement.attributes.push_back(*position);
    }
    if (measurement.counts.empty() || marginal.parts > 0) continue;
    Counted counted{{}, measurement.cell, marginal.columns, marginal.noise_stddev};
    if (std::optional<CountTable> table = summed_onto(measurement, domain, set)) {
      counted.table = std::move(*table);
    } else if (!measurement.cell.empty() && measurement.attributes == set) {
      counted.table = {{}, measurement.counts, measurement.noise_stddev};
    } else {
      continue;
    }
    records.counted.push_back(std::move(counted));
  }
  return records;
}

std::optional<double> ReleasedCounts::model_figure(const AskedFigure& figure) const {
  double v = 0;
  double w = 0;
  double total = 0;
  for (size_t s = 0; s < models_.size(); ++s) {
    const Records& model = models_[s];
    total += file_.strata[s].model->total();
    const CommonWeights common = common_weights(figure, model.fixed);
    if (common.is_zero()) continue;
    const auto part = counted_part(model.shares, open_factors(figure, model.open));
    for (size_t cell = 0; cell < part->counts.size(); ++cell) {
      v += model.weight * common.middle * part->middle[cell] * part->counts[cell];
      w += model.weight * common.base * part->base[cell] * part->counts[cell];
    }
  }
  const std::optional<int64_t>& num_records = file_.released->num_records;
  if (num_records) total = static_cast<double>(*num_records);
  if (figure.base > 0) return v * total / figure.base;
  return w > 0 ? std::optional(v / w) : std::nullopt;
}

FigureSources ReleasedCounts::sources_of(const AskedFigure& figure) const {
  FigureSources result;
  if (is_impossible(figure)) {
    CountedSource& certain = result.sources.emplace_back();
    certain.base = figure.base > 0 ? figure.base : 1;
    result.bases.push_back({{"declared impossible combinations"}, {}, 0});
    return result;
  }
  FigureSources strata = sources_of_strata(figure);
  const bool is_certain = !strata.sources.empty() && strata.sources[0].parts.empty();
  if (is_certain || !everybody_) return strata;
  result = sources_of_everybody(figure);
  for (size_t i = 0; i < strata.sources.size(); ++i) {
    if (!result.sources.empty() && !(noise_of(strata.sources[i]) < noise_of(result.sources.back())))
      continue;
    result.sources.push_back(std::move(strata.sources[i]));
    result.bases.push_back(std::move(strata.bases[i]));
  }
  if (!result.sources.empty()) result.reason.clear();
  return result;
}

namespace {

/// A count that is released alone answers a question of its cell and no other.
bool is_its_cell(const AskedFigure& figure, const std::vector<size_t>& open,
                 const std::vector<uint32_t>& cell) {
  if (!(figure.base > 0)) return false;
  for (size_t i = 0; i < open.size(); ++i) {
    const ColumnFactor& factor = figure.factors[open[i]];
    for (size_t code = 0; code < factor.high.size(); ++code) {
      const double wanted = code == cell.at(i) ? 1 : 0;
      if (factor.low[code] != wanted || factor.high[code] != wanted) return false;
    }
  }
  return true;
}

}  // namespace

FigureSources ReleasedCounts::sources_of_everybody(const AskedFigure& figure) const {
  FigureSources result;
  for (const Counted& counted : everybody_->counted) {
    if (!result.sources.empty() &&
        !(counted.table.noise_stddev < result.sources.back().parts[0].noise_stddev))
      continue;
    std::optional<CountedPart> part = part_of(figure, *everybody_, counted);
    if (!part) continue;
    result.sources.push_back({{std::move(*part)}, 0, 0, 0, figure.base});
    result.bases.push_back({counted.measured, counted.noise_stddev, 0});
  }
  if (result.sources.empty()) result.reason = why_unanswered(*everybody_);
  return result;
}

FigureSources ReleasedCounts::sources_of_strata(const AskedFigure& figure) const {
  FigureSources result;
  if (strata_.empty()) return result;
  std::vector<std::vector<CountedPart>> parts;  // of each stratum that has to be counted
  std::vector<std::vector<const Counted*>> counts;
  size_t num_sources = SIZE_MAX;
  for (const Records& stratum : strata_) {
    const CommonWeights common = common_weights(figure, stratum.fixed);
    if (common.is_zero() || stratum.public_size == 0) continue;
    parts.emplace_back();
    counts.emplace_back();
    for (const Counted& counted : stratum.counted) {
      if (!parts.back().empty() && !(counted.table.noise_stddev < parts.back().back().noise_stddev))
        continue;
      std::optional<CountedPart> part = part_of(figure, stratum, counted);
      if (!part) continue;
      scale(part->low, common.low);
      scale(part->middle, common.middle);
      scale(part->high, common.high);
      scale(part->base, common.base);
      parts.back().push_back(std::move(*part));
      counts.back().push_back(&counted);
    }
    num_sources = std::min(num_sources, parts.back().size());
    if (parts.back().empty())
      result.reason = why_unanswered(stratum) + ", in some stratum that it is about";
  }
  if (parts.empty()) {  // strata that are declared to hold nobody
    if (!(figure.base > 0)) {
      result.reason = "nobody is in it, as declared";
      return result;
    }
    result.sources.push_back({{}, 0, 0, 0, figure.base});
    result.bases.push_back({{"declared sizes of strata"}, {}, 0});
    return result;
  }
  for (size_t k = 0; k < num_sources; ++k) {
    CountedSource& source = result.sources.emplace_back();
    source.base = figure.base;
    FigureBasis& basis = result.bases.emplace_back();
    basis.num_strata = parts.size();
    basis.columns = counts[0][k]->measured;
    for (size_t s = 0; s < parts.size(); ++s) {
      source.parts.push_back(parts[s][k]);
      basis.noise_stddev = std::max(basis.noise_stddev.value_or(0), counts[s][k]->noise_stddev);
      if (counts[s][k]->measured != basis.columns) basis.columns.clear();
    }
  }
  return result;
}

std::optional<CountedPart> ReleasedCounts::part_of(const AskedFigure& figure,
                                                   const Records& records, const Counted& counted) {
  if (counted.cell.empty()) return counted_part(counted.table, open_factors(figure, records.open));
  if (!is_its_cell(figure, records.open, counted.cell)) return std::nullopt;
  return CountedPart{counted.noise_stddev, counted.table.counts, {1}, {1}, {1}, {0}};
}

bool ReleasedCounts::is_impossible(const AskedFigure& figure) const {
  const ReleasedFacts& facts = *file_.released;
  if (figure.kind == FigureKind::kMean) return false;
  for (size_t z = 0; z < facts.impossible_cells.size(); ++z) {
    // The factor of each declared column, if the question has them all.
    std::vector<const ColumnFactor*> factors;
    for (const std::string& name : facts.impossible.at(z)) {
      for (size_t i = 0; i < columns_.size(); ++i) {
        if (file_.columns[static_cast<size_t>(columns_[i])].name == name)
          factors.push_back(&figure.factors[i]);
      }
    }
    if (factors.size() != facts.impossible[z].size()) continue;
    std::vector<double> asked = {1};
    std::vector<double> counted = {1};
    for (const ColumnFactor* factor : factors) {
      multiply_out(asked, factor->high);
      multiply_out(counted, factor->base);
    }
    for (const uint32_t cell : facts.impossible_cells[z]) {
      if (cell >= asked.size()) continue;
      asked[cell] = 0;
      counted[cell] = 0;
    }
    const auto is_zero = [](double weight) { return weight == 0; };
    // A share of a group that nobody can be in is none.
    const bool has_base = figure.base > 0 || !std::ranges::all_of(counted, is_zero);
    if (has_base && std::ranges::all_of(asked, is_zero)) return true;
  }
  return false;
}

std::string ReleasedCounts::why_unanswered(const Records& records) const {
  std::vector<std::string> names;
  for (const int column : columns_)
    names.push_back(file_.columns[static_cast<size_t>(column)].name);
  if (!records.counted.empty()) return "what was counted together cannot be told apart";
  return names.size() == 1 ? fmt::format("{} was never measured", names[0])
                           : fmt::format("{} were never measured together", fmt::join(names, ", "));
}

}  // namespace equinoise

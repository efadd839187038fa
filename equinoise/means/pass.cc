// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/pass.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

constexpr size_t kBlock = 1024;         // records that stay in the cache for all queries
constexpr size_t kPartRecords = 65536;  // fewer do not pay for a thread's sums

/// A number below 2^51 in size becomes the nearest integer when this is added and subtracted again.
constexpr double kRounder = 0x1.8p52;

double grid_for(double half_width, double max_units) {
  const double below = power_of_two_below(half_width / max_units);
  return below * max_units >= half_width ? below : 2 * below;
}

/// The sums of some queries, for one thread.
class Sums {
 public:
  virtual ~Sums() = default;
  virtual void add(const StratifiedRecords& records, size_t begin, size_t end) = 0;
  /// Adds its sums to the answers of these queries.
  virtual void add_to(std::vector<Answer>& answers) = 0;
};

/// Calls `add` with a function from a row to its number of records.
template <typename Add>
void for_counts(const StratifiedRecords& records, const Add& add) {
  if (records.counts.empty()) {
    add([](size_t /*row*/) { return int64_t{1}; });
  } else {
    add([counts = records.counts.data()](size_t row) { return int64_t{counts[row]}; });
  }
}

void add_values(const std::vector<int64_t>& values, std::vector<int64_t>& total) {
  total.resize(values.size());
  for (size_t j = 0; j < values.size(); ++j) total[j] += values[j];
}

template <typename Value, size_t kLanes>
struct Vector {
  typedef Value Type __attribute__((vector_size(sizeof(Value) * kLanes)));
};

/// Whether the ranges of a column's strata are equal or each stratum's own, and whether records
/// beyond them are counted.
enum class Ranges { kUniform, kOwn, kOwnCounted };

/// Sums of up to kLanes columns, side by side: a record's numbers are clipped at once and added to
/// the sums of its stratum, which lie next to each other.
template <size_t kLanes, Ranges kRanges>
class ClippedSums final : public Sums {
 public:
  /// `indices`: the queries that it handles, at most kLanes sums.
  ClippedSums(std::span<const Query> queries, std::vector<size_t> indices, size_t num_strata)
      : indices_(std::move(indices)),
        ranges_(num_strata + 1),  // the last one of null records
        sums_(num_strata + 1),
        num_clipped_(kCounts ? num_strata + 1 : 0) {
    for (size_t lane = 0; lane < indices_.size(); ++lane) {
      const auto& query = std::get<SumQuery>(queries[indices_[lane]]);
      columns_[lane] = query.column;
      for (size_t k = 0; k < num_strata; ++k) {
        const ClipRange& range = query.ranges[k];
        if (range.half_units == 0) continue;
        ranges_[k].centre[lane] = range.centre;
        ranges_[k].scale[lane] = 1 / range.grid;
        ranges_[k].half[lane] = static_cast<double>(range.half_units);
      }
    }
  }

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    // Lanes without a query have a half of 0, so that any column does.
    std::array<const double*, kLanes> columns;
    for (size_t lane = 0; lane < kLanes; ++lane)
      columns[lane] = records.columns[columns_[std::min(lane, indices_.size() - 1)]].data();
    const Numbers rounder = Numbers{} + kRounder;
    const Range first = ranges_[0];
    for_counts(records, [&](const auto& count_of) {
      for (size_t i = begin; i < end; ++i) {
        const uint32_t stratum = records.strata[i];
        const Range& range = kRanges == Ranges::kUniform ? first : ranges_[stratum];
        Numbers row;
        for (size_t lane = 0; lane < kLanes; ++lane) row[lane] = columns[lane][i];
        const Numbers scaled = (row - range.centre) * range.scale;
        const Numbers above = scaled > -range.half ? scaled : -range.half;
        const Numbers clipped = above < range.half ? above : range.half;
        sums_[stratum].value +=
            (std::bit_cast<Integers>(clipped + rounder) - std::bit_cast<Integers>(rounder)) *
            count_of(i);
        if constexpr (kCounts) {
          // Records beyond the requested end, which is less than a unit from that of the grid.
          const Numbers size = scaled < 0 ? -scaled : scaled;
          num_clipped_[stratum].value += ((size < range.half + 1) + 1) * count_of(i);  // true is -1
        }
      }
    });
  }

  void add_to(std::vector<Answer>& answers) override {
    for (size_t lane = 0; lane < indices_.size(); ++lane) {
      Answer& answer = answers[indices_[lane]];
      std::vector<int64_t> values(ranges_.size() - 1);
      std::vector<int64_t> num_clipped(values);
      for (size_t k = 0; k < values.size(); ++k) {
        if (ranges_[k].half[lane] == 0) continue;
        values[k] = sums_[k].value[lane];
        if constexpr (kCounts) num_clipped[k] = num_clipped_[k].value[lane];
      }
      add_values(values, answer.values);
      add_values(num_clipped, answer.num_clipped);
    }
  }

 private:
  static constexpr bool kCounts = kRanges == Ranges::kOwnCounted;
  using Numbers = typename Vector<double, kLanes>::Type;
  using Integers = typename Vector<int64_t, kLanes>::Type;

  struct Range {
    Numbers centre = {};
    Numbers scale = {};
    Numbers half = {};  // 0: contributes nothing
  };
  struct Lanes {
    Integers value = {};
  };

  std::vector<size_t> indices_;
  std::array<size_t, kLanes> columns_ = {};
  std::vector<Range> ranges_;       // (num_strata + 1)
  std::vector<Lanes> sums_;         // (num_strata + 1)
  std::vector<Lanes> num_clipped_;  // (num_strata + 1), where counted
};

/// Sums of one column with the same range for all strata.
class UniformSums final : public Sums {
 public:
  UniformSums(size_t column, const ClipRange& range, size_t index, size_t num_strata)
      : column_(column), range_(range), index_(index), sums_(2 * (num_strata + 1)) {}

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    const double* numbers = records.columns[column_].data() + begin;
    const uint32_t* strata = records.strata.data() + begin;
    const double scale = 1 / range_.grid;
    const auto half = static_cast<double>(range_.half_units);
    std::array<int64_t, kBlock> units;
    for (size_t i = 0; i < end - begin; ++i) {
      const double scaled = (numbers[i] - range_.centre) * scale;
      const double above = scaled > -half ? scaled : -half;
      units[i] = std::bit_cast<int64_t>((above < half ? above : half) + kRounder) -
                 std::bit_cast<int64_t>(kRounder);
    }
    // Two sums for each stratum: neighbours in the table are often in the same one.
    for_counts(records, [&](const auto& count_of) {
      for (size_t i = 0; i < end - begin; ++i)
        sums_[2 * size_t{strata[i]} + (i & 1)] += units[i] * count_of(begin + i);
    });
  }

  void add_to(std::vector<Answer>& answers) override {
    const size_t num_strata = sums_.size() / 2 - 1;
    std::vector<int64_t> values(num_strata);
    for (size_t k = 0; k < num_strata; ++k) values[k] = sums_[2 * k] + sums_[2 * k + 1];
    add_values(values, answers[index_].values);
    add_values(std::vector<int64_t>(num_strata), answers[index_].num_clipped);
  }

 private:
  size_t column_;
  ClipRange range_;
  size_t index_;
  std::vector<int64_t> sums_;  // (num_strata + 1, 2)
};

class WeightedSums final : public Sums {
 public:
  WeightedSums(const WeightedSumQuery& query, size_t index, size_t num_strata)
      : query_(query), index_(index), values_(num_strata), weights_(num_strata) {}

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    const double* numbers = records.columns[query_.column].data();
    for (size_t i = begin; i < end; ++i) {
      const size_t k = records.strata[i];
      if (k == values_.size() || query_.ranges[k].half_units == 0) continue;
      const ClipRange& range = query_.ranges[k];
      const auto half = static_cast<double>(range.half_units);
      const double scaled = (numbers[i] - range.centre) / range.grid;
      const double above = scaled > -half ? scaled : -half;
      const int64_t number = std::llrint(above < half ? above : half);
      const int64_t weight = records.weight_of(i, query_.units[k]);
      // Integers keep the pair in its triangle however numbers are rounded.
      values_[k] += number * weight / query_.units[k] * records.count_of(i);
      weights_[k] += weight * records.count_of(i);
    }
  }

  void add_to(std::vector<Answer>& answers) override {
    add_values(values_, answers[index_].values);
    add_values(weights_, answers[index_].weights);
  }

 private:
  const WeightedSumQuery& query_;
  size_t index_;
  std::vector<int64_t> values_;
  std::vector<int64_t> weights_;
};

class BallSums final : public Sums {
 public:
  BallSums(const BallQuery& query, size_t index, size_t num_strata) : query_(query), index_(index) {
    answer_.values.assign(num_strata * query.columns.size(), 0);
    answer_.num_clipped.assign(num_strata, 0);
  }

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    const size_t width = query_.columns.size();
    // A bound above the rounding of the length and of the products.
    const double shrink = 1 - 0x1p-52 * static_cast<double>(width + 16);
    std::vector<double> difference(width);
    for (size_t i = begin; i < end; ++i) {
      const size_t stratum = records.strata[i];
      if (stratum == query_.balls.size() || !(query_.balls[stratum].radius > 0)) continue;
      const ClipBall& ball = query_.balls[stratum];
      double squared = 0;
      for (size_t j = 0; j < width; ++j) {
        const size_t column = query_.columns[j];
        const bool has_value = records.strata_for(column)[i] == stratum;
        difference[j] =
            has_value ? (records.columns[column][i] - ball.centre[j]) / query_.stddevs[j] : 0;
        squared += difference[j] * difference[j];
      }
      const double length = std::sqrt(squared);
      if (!std::isfinite(length)) continue;
      const bool is_clipped = length > ball.radius * shrink;
      const double factor = (is_clipped ? ball.radius * shrink / length : 1) / ball.grid;
      for (size_t j = 0; j < width; ++j)
        answer_.values[stratum * width + j] +=
            static_cast<int64_t>(difference[j] * factor) * records.count_of(i);
      answer_.num_clipped[stratum] += is_clipped ? records.count_of(i) : 0;
    }
  }

  void add_to(std::vector<Answer>& answers) override {
    add_values(answer_.values, answers[index_].values);
    add_values(answer_.num_clipped, answers[index_].num_clipped);
  }

 private:
  const BallQuery& query_;
  size_t index_;
  Answer answer_;
};

class Histograms final : public Sums {
  /// Distance, in cells, at which a number is on an edge, as rounding may have it below.
  static constexpr double kOnEdge = 1e-9;

 public:
  Histograms(const HistogramQuery& query, size_t index, size_t num_strata)
      : query_(query), index_(index), width_(query.num_cells + (query.has_cell_of_gaps ? 1 : 0)) {
    counts_.assign(num_strata * width_, 0);
  }

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    const auto last = static_cast<double>(query_.num_cells - 1);
    const double scale = static_cast<double>(query_.num_cells) / (query_.upper - query_.lower);
    const double* numbers = records.columns[query_.column].data();
    const std::span<const uint32_t> strata_of_values = records.strata_for(query_.column);
    for (size_t i = begin; i < end; ++i) {
      const size_t stratum = records.strata[i];
      if (stratum == records.num_strata) continue;
      const double scaled = (numbers[i] - query_.lower) * scale + kOnEdge;
      auto cell = static_cast<size_t>(scaled > 0 ? std::min(scaled, last) : 0);
      if (strata_of_values[i] != stratum) {
        if (!query_.has_cell_of_gaps) continue;
        cell = query_.num_cells;
      }
      const int64_t added =
          query_.weight_units == 0 ? 1 : records.weight_of(i, query_.weight_units);
      counts_[stratum * width_ + cell] += added * records.count_of(i);
    }
  }

  void add_to(std::vector<Answer>& answers) override {
    add_values(counts_, answers[index_].values);
  }

 private:
  const HistogramQuery& query_;
  size_t index_;
  size_t width_;
  std::vector<int64_t> counts_;
};

class Counts final : public Sums {
 public:
  Counts(size_t index, size_t num_strata) : index_(index), counts_(num_strata + 1) {}

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    for (size_t i = begin; i < end; ++i) counts_[records.strata[i]] += records.count_of(i);
  }

  void add_to(std::vector<Answer>& answers) override {
    add_values({counts_.begin(), counts_.end() - 1}, answers[index_].values);
  }

 private:
  size_t index_;
  std::vector<int64_t> counts_;
};

constexpr size_t kMaxLanes = 4;

template <Ranges kRanges>
std::unique_ptr<Sums> make_clipped_sums(std::span<const Query> queries, std::vector<size_t> indices,
                                        size_t num_strata) {
  if (kRanges == Ranges::kUniform && indices.size() == 1) {
    const auto& query = std::get<SumQuery>(queries[indices[0]]);
    return std::make_unique<UniformSums>(query.column, query.ranges[0], indices[0], num_strata);
  }
  if (indices.size() <= 2)
    return std::make_unique<ClippedSums<2, kRanges>>(queries, std::move(indices), num_strata);
  return std::make_unique<ClippedSums<kMaxLanes, kRanges>>(queries, std::move(indices), num_strata);
}

std::unique_ptr<Sums> make_clipped_sums(Ranges ranges, std::span<const Query> queries,
                                        std::vector<size_t> indices, size_t num_strata) {
  if (ranges == Ranges::kUniform)
    return make_clipped_sums<Ranges::kUniform>(queries, std::move(indices), num_strata);
  if (ranges == Ranges::kOwn)
    return make_clipped_sums<Ranges::kOwn>(queries, std::move(indices), num_strata);
  return make_clipped_sums<Ranges::kOwnCounted>(queries, std::move(indices), num_strata);
}

Ranges ranges_of(const SumQuery& query) {
  if (query.counts_clipped) return Ranges::kOwnCounted;
  const bool is_uniform =
      query.ranges[0].half_units > 0 && std::equal(query.ranges.begin() + 1, query.ranges.end(),
                                                   query.ranges.begin(), query.ranges.end() - 1);
  return is_uniform ? Ranges::kUniform : Ranges::kOwn;
}

std::vector<std::unique_ptr<Sums>> make_sums(std::span<const Query> queries, size_t num_strata) {
  std::vector<std::unique_ptr<Sums>> result;
  std::map<Ranges, std::vector<size_t>> sums;
  for (size_t q = 0; q < queries.size(); ++q) {
    if (const auto* sum = std::get_if<SumQuery>(&queries[q])) {
      const Ranges ranges = ranges_of(*sum);
      std::vector<size_t>& indices = sums[ranges];
      indices.push_back(q);
      if (indices.size() == kMaxLanes)
        result.push_back(
            make_clipped_sums(ranges, queries, std::exchange(indices, {}), num_strata));
    } else if (const auto* weighted = std::get_if<WeightedSumQuery>(&queries[q])) {
      result.push_back(std::make_unique<WeightedSums>(*weighted, q, num_strata));
    } else if (const auto* ball = std::get_if<BallQuery>(&queries[q])) {
      result.push_back(std::make_unique<BallSums>(*ball, q, num_strata));
    } else if (const auto* histogram = std::get_if<HistogramQuery>(&queries[q])) {
      result.push_back(std::make_unique<Histograms>(*histogram, q, num_strata));
    } else {
      result.push_back(std::make_unique<Counts>(q, num_strata));
    }
  }
  for (auto& [ranges, indices] : sums) {
    if (!indices.empty())
      result.push_back(make_clipped_sums(ranges, queries, std::move(indices), num_strata));
  }
  return result;
}

}  // namespace

ClipRange ClipRange::within(double lower, double upper, double max_units) {
  const double half_width = (upper - lower) / 2;
  if (!(half_width > 0 && std::isfinite(half_width) && max_units >= 1 && max_units <= kMaxUnits)) {
    throw Error(ErrorKind::kUsage, "means.clip",
                "a clip must be finite and ascending, on a grid of 1 to {:.0f} units, "
                "got [{}, {}] on {}; give other bounds",
                kMaxUnits, lower, upper, max_units);
  }
  const double grid = grid_for(half_width, max_units);
  return {lower + half_width, grid, static_cast<int64_t>(half_width / grid)};
}

int64_t ClipRange::sensitivity(Relation relation) const {
  return std::max<int64_t>(1, relation == Relation::kReplaceOne ? 2 * half_units : half_units);
}

ClipBall ClipBall::around(std::vector<double> centre, double radius, double max_units) {
  return {std::move(centre), grid_for(radius, max_units), radius};
}

double ClipBall::sensitivity(Relation relation) const {
  return (relation == Relation::kReplaceOne ? 2 : 1) * (radius / grid);
}

std::vector<Answer> answer_queries(const StratifiedRecords& records, std::span<const Query> queries,
                                   int threads) {
  const size_t num_blocks = (records.num_records + kBlock - 1) / kBlock;
  const size_t num_parts =
      std::clamp<size_t>(records.num_records / kPartRecords, 1, static_cast<size_t>(threads));
  std::vector<std::vector<std::unique_ptr<Sums>>> parts(num_parts);
  parallel_for(num_parts, threads, [&](size_t part) {
    parts[part] = make_sums(queries, records.num_strata);
    for (size_t block = part * num_blocks / num_parts; block < (part + 1) * num_blocks / num_parts;
         ++block) {
      const size_t begin = block * kBlock;
      const size_t end = std::min(begin + kBlock, records.num_records);
      for (const std::unique_ptr<Sums>& sums : parts[part]) sums->add(records, begin, end);
    }
  });
  std::vector<Answer> answers(queries.size());
  for (const auto& part : parts) {
    for (const std::unique_ptr<Sums>& sums : part) sums->add_to(answers);
  }
  return answers;
}

Answer answer_about_values(const StratifiedRecords& records, const Query& query, int threads) {
  std::vector<size_t> columns;
  if (const auto* sum = std::get_if<SumQuery>(&query)) columns = {sum->column};
  if (const auto* weighted = std::get_if<WeightedSumQuery>(&query)) columns = {weighted->column};
  if (const auto* ball = std::get_if<BallQuery>(&query)) columns = ball->columns;
  if (const auto* histogram = std::get_if<HistogramQuery>(&query)) columns = {histogram->column};
  Answer answer;
  answer.num_values.resize(records.num_strata * columns.size());
  for (size_t j = 0; j < columns.size(); ++j) {
    StratifiedRecords values = records;
    values.strata = records.strata_for(columns[j]);
    values.strata_of_values.clear();
    std::vector<Query> queries = {CountQuery{}};
    if (columns.size() == 1) queries.push_back(query);
    std::vector<Answer> answers = answer_queries(values, queries, threads);
    if (columns.size() == 1) {
      answer.values = std::move(answers[1].values);
      answer.num_clipped = std::move(answers[1].num_clipped);
      answer.weights = std::move(answers[1].weights);
    }
    for (size_t k = 0; k < records.num_strata; ++k)
      answer.num_values[k * columns.size() + j] = answers[0].values[k];
  }
  if (columns.size() == 1) return answer;
  Answer of_all = std::move(answer_queries(records, {&query, 1}, threads)[0]);
  of_all.num_values = std::move(answer.num_values);
  return of_all;
}

}  // namespace equinoise

#include "equinoise/means/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

constexpr size_t kBlock = 4096;         // records whose strata stay in the cache for all queries
constexpr size_t kPartRecords = 65536;  // below that no thread is worth its sums

/// Added to a number below 2^51 in size, it leaves the nearest integer in the low bits.
constexpr double kRounder = 0x1.8p52;

int64_t nearest(double value) {
  return std::bit_cast<int64_t>(value + kRounder) - std::bit_cast<int64_t>(kRounder);
}

double grid_for(double half_width, double most_units) {
  const double below = power_of_two_below(half_width / most_units);
  return below * most_units >= half_width ? below : 2 * below;
}

/// What a query adds up, for one thread.
class Sums {
 public:
  virtual ~Sums() = default;
  virtual void add(const StratifiedRecords& records, size_t begin, size_t end) = 0;
  virtual Answer answer() const = 0;
};

class ClippedSums final : public Sums {
 public:
  explicit ClippedSums(const SumQuery& query)
      : column_(query.column), counts_clipped_(query.counts_clipped) {
    for (const ClipRange& range : query.ranges) {
      strata_.push_back({range.centre, 1 / range.grid, static_cast<double>(range.half_units)});
      if (range.half_units == 0) continue;
      if (!common_) common_ = strata_.back();
      is_common_ = is_common_ && strata_.back() == *common_;
    }
    strata_.push_back({});  // of null records
    sums_.assign(2 * strata_.size(), 0);
    num_clipped_.assign(strata_.size(), 0);
  }

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    const float* numbers = records.columns[column_].data() + begin;
    const uint32_t* strata = records.strata.data() + begin;
    const size_t count = end - begin;
    if (is_common_ && !counts_clipped_) {
      add_common(numbers, strata, count);
    } else if (counts_clipped_) {
      add_each<true>(numbers, strata, count);
    } else {
      add_each<false>(numbers, strata, count);
    }
  }

  Answer answer() const override {
    Answer answer;
    for (size_t k = 0; k + 1 < strata_.size(); ++k) {
      answer.values.push_back(strata_[k].half == 0 ? 0 : sums_[2 * k] + sums_[2 * k + 1]);
      answer.num_clipped.push_back(strata_[k].half == 0 ? 0 : num_clipped_[k]);
    }
    return answer;
  }

 private:
  struct Range {
    double centre = 0;
    double scale = 0;
    double half = 0;
    bool operator==(const Range&) const = default;
  };

  static double clip(float number, const Range& range) {
    const double scaled = (static_cast<double>(number) - range.centre) * range.scale;
    const double above = scaled > -range.half ? scaled : -range.half;
    return above < range.half ? above : range.half;
  }

  /// All strata have the same range: the integers are made several at once.
  void add_common(const float* numbers, const uint32_t* strata, size_t count) {
    const Range range = *common_;
    std::array<int64_t, kBlock> units;
    for (size_t i = 0; i < count; ++i) units[i] = nearest(clip(numbers[i], range));
    // Two sums for each stratum: neighbours in the table are often of the same one.
    for (size_t i = 0; i < count; ++i) sums_[2 * strata[i] + (i & 1)] += units[i];
  }

  template <bool kCounts>
  void add_each(const float* numbers, const uint32_t* strata, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const Range& range = strata_[strata[i]];
      const double clipped = clip(numbers[i], range);
      sums_[2 * strata[i] + (i & 1)] += nearest(clipped);
      if constexpr (kCounts) {
        const double scaled = (static_cast<double>(numbers[i]) - range.centre) * range.scale;
        // Beyond the end that was asked for, which is less than a unit from that of the grid.
        num_clipped_[strata[i]] += std::fabs(scaled) < range.half + 1 ? 0 : 1;
      }
    }
  }

  size_t column_;
  bool counts_clipped_;
  std::vector<Range> strata_;    // (num_strata + 1)
  std::optional<Range> common_;  // of the first stratum that is asked about
  bool is_common_ = true;        // whether all of these have that one
  std::vector<int64_t> sums_;    // (num_strata + 1, 2)
  std::vector<int64_t> num_clipped_;
};

class BallSums final : public Sums {
 public:
  BallSums(const BallQuery& query, size_t num_strata) : query_(query) {
    answer_.values.assign(num_strata * query.columns.size(), 0);
    answer_.num_clipped.assign(num_strata, 0);
  }

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    const size_t width = query_.columns.size();
    // More than the rounding of the length and of the products.
    const double shrink = 1 - 0x1p-52 * static_cast<double>(width + 16);
    std::vector<double> difference(width);
    for (size_t i = begin; i < end; ++i) {
      const size_t stratum = records.strata[i];
      if (stratum == query_.balls.size() || !(query_.balls[stratum].radius > 0)) continue;
      const ClipBall& ball = query_.balls[stratum];
      double squared = 0;
      for (size_t j = 0; j < width; ++j) {
        const double x = static_cast<double>(records.columns[query_.columns[j]][i]);
        difference[j] = x / query_.stddevs[j] - ball.centre[j];
        squared += difference[j] * difference[j];
      }
      const double length = std::sqrt(squared);
      if (!std::isfinite(length)) continue;
      const bool is_clipped = length > ball.radius * shrink;
      const double factor = (is_clipped ? ball.radius * shrink / length : 1) / ball.grid;
      for (size_t j = 0; j < width; ++j)
        answer_.values[stratum * width + j] += static_cast<int64_t>(difference[j] * factor);
      answer_.num_clipped[stratum] += is_clipped ? 1 : 0;
    }
  }

  Answer answer() const override { return answer_; }

 private:
  const BallQuery& query_;
  Answer answer_;
};

class Histograms final : public Sums {
 public:
  Histograms(const HistogramQuery& query, size_t num_strata) : query_(query) {
    answer_.values.assign(num_strata * query.num_cells, 0);
  }

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    const auto last = static_cast<double>(query_.num_cells - 1);
    const double scale = static_cast<double>(query_.num_cells) / (query_.upper - query_.lower);
    const float* numbers = records.columns[query_.column].data();
    for (size_t i = begin; i < end; ++i) {
      const size_t stratum = records.strata[i];
      if (stratum == records.num_strata) continue;
      const double scaled = (static_cast<double>(numbers[i]) - query_.lower) * scale;
      const double cell = scaled > 0 ? std::min(scaled, last) : 0;
      ++answer_.values[stratum * query_.num_cells + static_cast<size_t>(cell)];
    }
  }

  Answer answer() const override { return answer_; }

 private:
  const HistogramQuery& query_;
  Answer answer_;
};

class Counts final : public Sums {
 public:
  explicit Counts(size_t num_strata) : counts_(num_strata + 1) {}

  void add(const StratifiedRecords& records, size_t begin, size_t end) override {
    for (size_t i = begin; i < end; ++i) ++counts_[records.strata[i]];
  }

  Answer answer() const override { return {{counts_.begin(), counts_.end() - 1}, {}}; }

 private:
  std::vector<int64_t> counts_;
};

std::unique_ptr<Sums> make_sums(const Query& query, size_t num_strata) {
  if (const auto* sum = std::get_if<SumQuery>(&query)) return std::make_unique<ClippedSums>(*sum);
  if (const auto* ball = std::get_if<BallQuery>(&query))
    return std::make_unique<BallSums>(*ball, num_strata);
  if (const auto* histogram = std::get_if<HistogramQuery>(&query))
    return std::make_unique<Histograms>(*histogram, num_strata);
  return std::make_unique<Counts>(num_strata);
}

void add_to(std::vector<int64_t>& total, const std::vector<int64_t>& more) {
  total.resize(more.size());
  for (size_t j = 0; j < more.size(); ++j) total[j] += more[j];
}

}  // namespace

ClipRange ClipRange::within(double lower, double upper, double most_units) {
  const double half_width = (upper - lower) / 2;
  if (!(half_width > 0 && std::isfinite(half_width) && most_units >= 1 &&
        most_units <= kMostUnits)) {
    throw Error(ErrorKind::kUsage, "means.clip",
                fmt::format("a clip must be finite and ascending, on 1 to {:.0f} units, got [{}, "
                            "{}] on {}; give other bounds",
                            kMostUnits, lower, upper, most_units));
  }
  const double grid = grid_for(half_width, most_units);
  return {lower + half_width, grid, static_cast<int64_t>(half_width / grid)};
}

int64_t ClipRange::sensitivity(Relation relation) const {
  return std::max<int64_t>(1, relation == Relation::kReplaceOne ? 2 * half_units : half_units);
}

ClipBall ClipBall::around(std::vector<double> centre, double radius, double most_units) {
  return {std::move(centre), grid_for(radius, most_units), radius};
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
    for (const Query& query : queries) parts[part].push_back(make_sums(query, records.num_strata));
    for (size_t block = part; block < num_blocks; block += num_parts) {
      const size_t begin = block * kBlock;
      const size_t end = std::min(begin + kBlock, records.num_records);
      for (const std::unique_ptr<Sums>& sums : parts[part]) sums->add(records, begin, end);
    }
  });
  std::vector<Answer> answers(queries.size());
  for (const auto& part : parts) {
    for (size_t q = 0; q < queries.size(); ++q) {
      const Answer answer = part[q]->answer();
      add_to(answers[q].values, answer.values);
      add_to(answers[q].num_clipped, answer.num_clipped);
    }
  }
  return answers;
}

}  // namespace equinoise

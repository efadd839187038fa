// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/postprocessing/group_thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/lists.h"
#include "equinoise/constraints/rate_values.h"

namespace equinoise {

namespace {

/// A group with less than one record has no rates.
constexpr double kMinRecords = 1;

constexpr int kAscentRounds = 3000;
/// The first step of a multiplier; later ones are shorter by the root of the sum of squares so far.
constexpr double kFirstStep = 0.1;
/// Constraints that are missed by less count as kept.
constexpr double kExcessThatCounts = 5e-4;
/// The least cost of a prediction in a class, as part of an error.
constexpr double kMinCost = 1e-6;

/// The cost of predicting the second class instead of the first, for a record of each class.
struct PositiveCosts {
  double of_negative = 1;
  double of_positive = -1;

  /// Above this log odds the second class costs less.
  double threshold() const {
    return std::log(std::max(of_negative, kMinCost) / std::max(-of_positive, kMinCost));
  }
};

class ThresholdSearch {
 public:
  ThresholdSearch(const RateProgram& program, const ScoreHistogram& scores, double noise_stddev)
      : program_(program), scores_(scores), is_common_(scores.num_groups()) {
    const double noise = size_noise(noise_stddev, scores.num_labels());
    for (size_t c = 0; c < scores.num_groups(); ++c) {
      num_records_ += scores.size(c);
      is_common_[c] = scores.size(c) < kEnoughToTell * noise;
    }
    find_known(noise_stddev);
  }

  GroupThresholds run(std::span<const double> aims) {
    const size_t num_constraints = program_.constraints.size();
    std::vector<double> multipliers(num_constraints, 0.0);
    std::vector<double> squares(num_constraints, 0.0);
    std::vector<double> thresholds(scores_.num_groups(), 0.0);
    GroupThresholds best;
    double min_error = 0;
    for (int round = 0; round < kAscentRounds; ++round) {
      const std::vector<double> cells = cells_of(thresholds);
      const RateValues values = rate_values(program_, cells, kMinRecords);
      double excess = -std::numeric_limits<double>::infinity();
      for (size_t j = 0; j < num_constraints; ++j) {
        if (!is_known_[j]) continue;
        const double missed = values.constraints[j] - aims[j];
        excess = std::max(excess, missed);
        squares[j] += missed * missed;
        if (squares[j] > 0)
          multipliers[j] =
              std::max(multipliers[j] + kFirstStep * missed / std::sqrt(squares[j]), 0.0);
      }
      const double error = expected_error(thresholds);
      const double counts = std::max(excess, kExcessThatCounts);
      const double least = std::max(best.excess, kExcessThatCounts);
      if (round == 0 || counts < least || (counts == least && error < min_error)) {
        best = {thresholds, is_common_, excess};
        min_error = error;
      }
      thresholds = thresholds_for(multipliers, cells, values);
    }
    return best;
  }

 private:
  /// Finds the constraints whose rates have so many records that noise does not hide them.
  void find_known(double noise_stddev) {
    const std::vector<double> cells = cells_of(std::vector<double>(scores_.num_groups(), 0.0));
    for (const RateProgram::Constraint& constraint : program_.constraints) {
      is_known_.push_back(std::ranges::all_of(constraint.terms, [&](const RateProgram::Term& term) {
        const std::vector<uint32_t>& given = program_.rates[term.rate].denominator;
        double size = 0;
        for (const uint32_t cell : given) size += cells[cell];
        double num_counts = 0;
        for_each_count([&](size_t, size_t, size_t place) {
          for (size_t k = 0; k < 2; ++k)
            num_counts +=
                !contains(given, program_.cells[place + k]) ? 0 : ScoreHistogram::kBins / 2.0;
        });
        return size >= kEnoughToTell * noise_stddev * std::sqrt(num_counts);
      }));
    }
  }

  /// Calls use(context, label, the position where the cells of its predictions begin) for all
  /// counted scores.
  template <typename Use>
  void for_each_count(const Use& use) const {
    for (size_t c = 0; c < scores_.num_groups(); ++c)
      for (size_t label = 0; label < scores_.num_labels(); ++label)
        use(c, label, program_.place_of(c, label));
  }

  std::vector<double> cells_of(const std::vector<double>& thresholds) const {
    std::vector<double> cells(program_.num_cells, 0.0);
    for_each_count([&](size_t c, size_t label, size_t place) {
      const double positive = scores_.num_above(c, label, thresholds[c]);
      const double records[] = {scores_.size(c, label) - positive, positive};
      for (size_t k = 0; k < 2; ++k)
        if (const int32_t cell = program_.cells[place + k]; cell != RateProgram::kNoCell)
          cells[static_cast<size_t>(cell)] += records[k];
    });
    return cells;
  }

  /// The expected error per record, if scores are the log odds of the second class.
  double expected_error(const std::vector<double>& thresholds) const {
    double errors = 0;
    for (size_t c = 0; c < scores_.num_groups(); ++c) {
      for (size_t label = 0; label < scores_.num_labels(); ++label) {
        constexpr double kStep = 2 * ScoreHistogram::kReach / ScoreHistogram::kBins;
        for (size_t bin = 0; bin < ScoreHistogram::kBins; ++bin) {
          const double low = -ScoreHistogram::kReach + kStep * static_cast<double>(bin);
          const double positive = 1 / (1 + std::exp(-(low + kStep / 2)));
          const double split = std::clamp(thresholds[c], low, low + kStep);
          const double first = scores_.num_above(c, label, low);
          const double middle = scores_.num_above(c, label, split);
          const double last = scores_.num_above(c, label, low + kStep);
          errors += (first - middle) * positive + (middle - last) * (1 - positive);
        }
      }
    }
    return errors / std::max(num_records_, kMinRecords);
  }

  std::vector<double> thresholds_for(const std::vector<double>& multipliers,
                                     const std::vector<double>& cells,
                                     const RateValues& values) const {
    std::vector<double> weights(program_.num_cells, 0.0);
    add_cell_weights(program_, cells, multipliers, values, weights);
    const auto added = [&](size_t context, size_t label) {
      const std::span<const int32_t> own = program_.cells_of(context, label);
      const auto weight = [&](int32_t cell) {
        return cell == RateProgram::kNoCell ? 0 : weights[static_cast<size_t>(cell)];
      };
      return num_records_ * (weight(own[1]) - weight(own[0]));
    };
    std::vector<PositiveCosts> costs;
    PositiveCosts of_all;
    for (size_t c = 0; c < scores_.num_groups(); ++c) {
      const double negative = added(c, 0);
      const double positive = added(c, 1);
      const double share = scores_.size(c) / std::max(num_records_, kMinRecords);
      of_all.of_negative += share * negative;
      of_all.of_positive += share * positive;
      costs.push_back({1 + negative, -1 + positive});
    }
    std::vector<double> thresholds;
    for (size_t c = 0; c < scores_.num_groups(); ++c)
      thresholds.push_back((is_common_[c] ? of_all : costs[c]).threshold());
    return thresholds;
  }

  const RateProgram& program_;
  const ScoreHistogram& scores_;
  double num_records_ = 0;
  std::vector<bool> is_common_;  // (groups)
  std::vector<bool> is_known_;   // (constraints)
};

}  // namespace

double size_noise(double noise_stddev, size_t num_labels) {
  return noise_stddev * std::sqrt(static_cast<double>(num_labels * ScoreHistogram::kBins));
}

bool tells_labels(const RateProgram& program) {
  for (size_t c = 0; c < program.num_contexts; ++c)
    if (!std::ranges::equal(program.cells_of(c, 0), program.cells_of(c, 1))) return true;
  return false;
}

GroupThresholds choose_thresholds(const RateProgram& program, const ScoreHistogram& scores,
                                  std::span<const double> aims, double noise_stddev) {
  return ThresholdSearch(program, scores, noise_stddev).run(aims);
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// The number of records of each group by score, in bins of equal width that end at public scores;
/// the first and the last hold all scores beyond.
class ScoreHistogram {
 public:
  static constexpr size_t kBins = 24;
  static constexpr double kReach = 4.8;  ///< bins are within -kReach to kReach

  /// counts: (groups, labels, kBins), with any noise; labels is 1 if labels are not distinguished.
  /// Counts of a group become non-negative with the same sum, at the least distance, so that empty
  /// bins add no noise.
  ScoreHistogram(size_t num_groups, size_t num_labels, std::span<const double> counts);

  size_t num_groups() const { return sizes_.size(); }
  size_t num_labels() const { return num_labels_; }

  /// Records of the group, at least 0.
  double size(size_t group) const { return sizes_[group]; }
  /// The number of records with the label; the same for all labels if they are not distinguished.
  double size(size_t group, size_t label) const { return above_[begin_of(group, label)]; }
  /// The number of these with a score above the threshold, as if scores within a bin were spread
  /// evenly.
  double num_above(size_t group, size_t label, double threshold) const;

 private:
  size_t begin_of(size_t group, size_t label) const {
    return (group * num_labels_ + (num_labels_ == 1 ? 0 : label)) * (kBins + 1);
  }

  size_t num_labels_;
  std::vector<double> sizes_;  // (groups)
  std::vector<double> above_;  // (groups, labels, kBins + 1), records in this bin and those above
};

/// The counts of such a histogram for a model with one score, (groups, labels, kBins). groups:
/// those of the table. Null records and records without a finite score add nothing, so each record
/// raises at most one count by 1: sensitivity 1 in L1 and L2.
std::vector<int64_t> count_scores(const EncodedTable& table, const Model& model,
                                  std::span<const double> parameters, size_t num_groups,
                                  size_t num_labels);

}  // namespace equinoise

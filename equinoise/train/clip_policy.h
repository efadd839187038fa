// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/group_id.h"

namespace equinoise {

/// The rule by which dpsgd_f computes thresholds from r_k, the share of long gradients in group k.
enum class ThresholdRule {
  kPaper,  ///< C0 (1 + r_k / r), r the share among all records of the batch
  kCode,   ///< C0 (1 + r_k / mean of all r_k): the published code; groups weigh the same
};
inline constexpr EnumWords<ThresholdRule, 2> kThresholdRules = {
    {{ThresholdRule::kPaper, "paper"}, {ThresholdRule::kCode, "code"}}};

inline constexpr double kLargestStrictBound = 1e150;

class PredictionTerm;

/// The facts about records that a clip policy receives.
struct GradientNorms {
  std::span<const double> squared;       ///< (records); NaN or infinite: the record has no gradient
  std::span<const GroupId> groups = {};  ///< (records) where the policy has groups, else empty
  /// (records) the number of equal records that each one represents; empty: 1 each.
  std::span<const uint32_t> counts = {};

  int64_t count(size_t i) const { return counts.empty() ? 1 : counts[i]; }
};

/// Turns per-sample gradient norms into weights. weights() enforces bound(), whatever weight()
/// returns: no weighted gradient is longer. A record's weight depends on its own norm and group
/// only.
class ClipPolicy {
 public:
  virtual ~ClipPolicy() = default;

  /// The L2 norm that no weighted gradient exceeds and that noise is calibrated to. Public: a
  /// function of noisy counts at most.
  virtual double bound() const = 0;

  /// The number of groups; 0: the policy treats all records alike.
  virtual size_t num_groups() const { return 0; }

  /// (num_groups) the L2 norm that no weighted gradient of a record of the group exceeds, for
  /// policies that charge each group separately. Public and constant. Empty: one charge for all.
  virtual std::span<const double> group_bounds() const { return {}; }

  /// (num_groups) the factor on the loss of a record of the group. Empty: 1 for all.
  virtual std::span<const double> group_weights() const { return {}; }

  /// The weight of a gradient with this finite norm. bound: that of its record, at most bound().
  virtual double weight(double norm, GroupId /*group*/, double bound) const {
    return norm <= bound ? 1 : bound / norm;
  }

  /// Sets weights[i] for record i; 0 for a norm that is NaN or infinite. A weight() beyond the
  /// bound is lowered to it, with the rounding of bound / norm, which models allow for; a weight
  /// that is not finite becomes 0. Returns the number of records whose weight was beyond the bound
  /// by more than rounding, which is not private.
  int64_t weights(const GradientNorms& norms, std::span<double> weights) const;

  /// The number of noisy counts of each batch that the policy receives.
  virtual size_t num_counts() const { return 0; }

  /// Whether the counts arrive before the weights of the same batch are computed, or after.
  virtual bool counts_come_first() const { return false; }

  /// The index, below num_counts(), of the count that a record with this finite gradient norm
  /// raises by 1.
  virtual std::optional<size_t> count_of(double /*norm*/, GroupId /*group*/) const {
    return std::nullopt;
  }

  /// Adds the counts of these records. Each raises at most one by 1, so their L2 sensitivity is 1.
  void add_counts(const GradientNorms& norms, std::span<int64_t> counts) const;

  /// A term that gradients follow in addition to the loss. Its sums replace the counts and come
  /// first. nullptr: none.
  virtual PredictionTerm* term() { return nullptr; }
  virtual const PredictionTerm* term() const { return nullptr; }

  /// The state that the next weights depend on: the result of noisy counts, also kept for a resumed
  /// run.
  virtual void take_counts(std::span<const double> /*noisy_counts*/) {}
  virtual std::vector<double> state() const { return {}; }
  /// Errors: kRuntime for a state that does not belong to this policy.
  virtual void restore(std::span<const double> state);
};

/// min(1, max_grad_norm / norm); norm 0 has weight 1. [AbadiEtAl2016, Alg. 1]
class FlatClip final : public ClipPolicy {
 public:
  /// Errors: kUsage unless max_grad_norm is finite and > 0.
  explicit FlatClip(double max_grad_norm);
  double bound() const override { return max_grad_norm_; }

 private:
  double max_grad_norm_;
};

/// Scales every gradient of norm at most strict_bound by max_grad_norm / strict_bound and drops
/// longer ones. All kept gradients have the same factor, so directions are preserved. [BuEtAl2021]
class GlobalClip final : public ClipPolicy {
 public:
  /// Errors: kUsage unless 0 < max_grad_norm <= strict_bound, both finite.
  GlobalClip(double max_grad_norm, double strict_bound);
  double bound() const override { return max_grad_norm_; }
  double strict_bound() const { return strict_bound_; }
  double weight(double norm, GroupId group, double bound) const override;

 private:
  double max_grad_norm_;
  double strict_bound_;
};

/// Settings by which GlobalAdaptClip adapts; public.
struct StrictBoundConfig {
  double strict_bound = 10;        ///< of the first step
  double threshold = 1;            ///< gradients longer than threshold * strict_bound are counted
  double learning_rate = 0.1;      ///< for the logarithm of the strict bound
  double expected_batch_size = 1;  ///< divisor of the count
};

/// GlobalClip with two changes. A gradient longer than the strict bound is clipped to max_grad_norm
/// instead of dropped. The strict bound follows the noisy count of long gradients: Z becomes
/// max(max_grad_norm, Z exp(-learning_rate + count / expected_batch_size)). [EsipovaEtAl2023, Alg.
/// 1]
///
/// Deviation: the printed method divides the count by the size of the batch, which is private, and
/// has no lower bound on Z.
class GlobalAdaptClip final : public ClipPolicy {
 public:
  /// Errors: kUsage for a parameter that is not finite and > 0, or a strict bound below
  /// max_grad_norm.
  GlobalAdaptClip(double max_grad_norm, const StrictBoundConfig& config);
  double bound() const override { return max_grad_norm_; }
  double strict_bound() const { return strict_bound_; }
  double weight(double norm, GroupId group, double bound) const override;
  size_t num_counts() const override { return 1; }
  std::optional<size_t> count_of(double norm, GroupId group) const override;
  void take_counts(std::span<const double> noisy_counts) override;
  std::vector<double> state() const override { return {strict_bound_}; }
  void restore(std::span<const double> state) override;

 private:
  double max_grad_norm_;
  StrictBoundConfig config_;
  double strict_bound_;
};

/// min(1, C_k / norm) for a record of group k. Thresholds C_k follow from two noisy counts per
/// group in the same batch: gradients longer than C0 = max_grad_norm, and the others. Groups with
/// many long gradients are clipped less. [XuDuWu2021, Alg. 3; EsipovaEtAl2023, Alg. 3]
///
/// Deviation: bound() is the largest threshold of any group, present in the batch or not. The
/// printed method adds noise of scale C0, which does not cover larger thresholds. Noisy counts are
/// floored at 0, the quotient 0 / 0 is 1, and batch sizes are noisy as well.
class GroupClip final : public ClipPolicy {
 public:
  /// Errors: kUsage for num_groups 0, a bound that is not finite and > 0, or max_threshold below
  /// max_grad_norm.
  GroupClip(double max_grad_norm, size_t num_groups, ThresholdRule rule, double max_threshold);
  double bound() const override;
  size_t num_groups() const override { return thresholds_.size(); }
  double weight(double norm, GroupId group, double bound) const override;
  /// (2 num_groups): the long gradients of each group, then the others of each group.
  size_t num_counts() const override { return 2 * thresholds_.size(); }
  bool counts_come_first() const override { return true; }
  std::optional<size_t> count_of(double norm, GroupId group) const override;
  void take_counts(std::span<const double> noisy_counts) override;
  std::span<const double> thresholds() const { return thresholds_; }  ///< (num_groups)

 private:
  double max_grad_norm_;
  ThresholdRule rule_;
  double max_threshold_;
  std::vector<double> thresholds_;
};

/// Weight 1 for every finite gradient. For non-private training only, since there is no bound.
class NoClip final : public ClipPolicy {
 public:
  double bound() const override;
};

}  // namespace equinoise

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace equinoise {

/// Turns per-sample squared gradient norms into weights, such that every weighted gradient has norm
/// <= bound().
class ClipPolicy {
 public:
  virtual ~ClipPolicy() = default;

  /// The L2 norm that no weighted gradient exceeds; public, fixed before the batch is seen.
  virtual double bound() const = 0;

  /// weights[i] for squared_norms[i]. A norm that is NaN or infinite gets weight 0.
  virtual void weights(std::span<const double> squared_norms, std::span<double> weights) const = 0;

  /// How many counts of each batch the policy is told, with noise, after the step.
  virtual size_t num_counts() const { return 0; }

  /// Adds the counts of these records. Each record raises at most one count by 1, so their L2
  /// sensitivity is 1; one without a finite norm raises none.
  virtual void add_counts(std::span<const double> squared_norms, std::span<int64_t> counts) const {
    static_cast<void>(squared_norms);
    static_cast<void>(counts);
  }

  /// What the next steps depend on: after noisy counts, and in a run that is gone on with.
  virtual void take_counts(std::span<const double> noisy_counts) {
    static_cast<void>(noisy_counts);
  }
  virtual std::vector<double> state() const { return {}; }
  /// Errors: kRuntime for what is no state of this policy.
  virtual void restore(std::span<const double> state);
};

/// min(1, max_grad_norm / norm); norm 0 has weight 1. [AbadiEtAl2016, Alg. 1]
class FlatClip final : public ClipPolicy {
 public:
  /// Errors: kUsage unless max_grad_norm is finite and > 0.
  explicit FlatClip(double max_grad_norm);
  double bound() const override { return max_grad_norm_; }
  void weights(std::span<const double> squared_norms, std::span<double> weights) const override;

 private:
  double max_grad_norm_;
};

/// max_grad_norm / strict_bound for every gradient of at most norm strict_bound; what is longer is
/// dropped. All that is kept is scaled alike, so directions stay. [BuEtAl2021]
class GlobalClip final : public ClipPolicy {
 public:
  /// Errors: kUsage unless 0 < max_grad_norm <= strict_bound, both finite.
  GlobalClip(double max_grad_norm, double strict_bound);
  double bound() const override { return max_grad_norm_; }
  double strict_bound() const { return strict_bound_; }
  void weights(std::span<const double> squared_norms, std::span<double> weights) const override;

 private:
  double max_grad_norm_;
  double strict_bound_;
};

/// What GlobalAdaptClip adapts by; public.
struct StrictBoundConfig {
  double strict_bound = 10;        ///< of the first step
  double threshold = 1;            ///< counted is what is longer than threshold * strict_bound
  double learning_rate = 0.1;      ///< of the logarithm of the strict bound
  double expected_batch_size = 1;  ///< what the count is divided by
};

/// As GlobalClip, but what is longer than the strict bound is clipped to max_grad_norm, not
/// dropped; and the strict bound follows the noisy count of long gradients: Z becomes
/// max(max_grad_norm, Z exp(-learning_rate + count / expected_batch_size)). [EsipovaEtAl2023, Alg.
/// 1]
///
/// Deviation: the printed method divides the count by the size of the batch, which is private; and
/// Z has no lower bound there.
class GlobalAdaptClip final : public ClipPolicy {
 public:
  /// Errors: kUsage for a parameter that is not finite and > 0, or a strict bound below
  /// max_grad_norm.
  GlobalAdaptClip(double max_grad_norm, const StrictBoundConfig& config);
  double bound() const override { return max_grad_norm_; }
  double strict_bound() const { return strict_bound_; }
  void weights(std::span<const double> squared_norms, std::span<double> weights) const override;
  size_t num_counts() const override { return 1; }
  void add_counts(std::span<const double> squared_norms, std::span<int64_t> counts) const override;
  void take_counts(std::span<const double> noisy_counts) override;
  std::vector<double> state() const override { return {strict_bound_}; }
  void restore(std::span<const double> state) override;

 private:
  double max_grad_norm_;
  StrictBoundConfig config_;
  double strict_bound_;
};

/// Weight 1 for every finite gradient. For non-private training only: there is no bound.
class NoClip final : public ClipPolicy {
 public:
  double bound() const override;
  void weights(std::span<const double> squared_norms, std::span<double> weights) const override;
};

}  // namespace equinoise

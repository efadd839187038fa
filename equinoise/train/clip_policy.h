#pragma once

#include <span>

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

/// Weight 1 for every finite gradient. For non-private training only: there is no bound.
class NoClip final : public ClipPolicy {
 public:
  double bound() const override;
  void weights(std::span<const double> squared_norms, std::span<double> weights) const override;
};

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/train/worst_group/group_losses.h"
#include "equinoise/train/worst_group/regularised_maximum.h"

namespace equinoise {

/// Newton's method with conjugate gradients for a regularised maximum without constraint.
class MaximumDescent {
 public:
  /// Pre: losses and regularisation outlive this. Errors: as regularised_maximum.
  MaximumDescent(const GroupLosses& losses, const Regularisation& regularisation,
                 std::vector<double> start);

  void take_step();

  const std::vector<double>& parameters() const { return parameters_; }
  const MaximumAt& at() const { return at_; }

 private:
  std::vector<double> direction() const;

  const GroupLosses& losses_;
  const Regularisation& regularisation_;
  std::vector<double> parameters_;
  MaximumAt at_;
};

}  // namespace equinoise

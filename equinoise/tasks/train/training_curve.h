// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/state.h"

namespace equinoise {

/// Records the held-out loss of a run at about thirty steps. NOT PRIVATE: for the confidential
/// report.
class TrainingCurve {
 public:
  /// `held_out`: a few thousand records suffice; without any there is no curve.
  TrainingCurve(const EncodedTable& held_out, const Model& model, const TrainingConfig& config);

  /// Adds a point if one is due. The loss is that of the model if released after this step: the
  /// average once averaging has begun.
  void on_state(const TrainingState& state);

  std::vector<CurvePoint> points() && { return std::move(points_); }

 private:
  const EncodedTable& held_out_;
  const Model& model_;
  int64_t num_steps_;
  int64_t first_averaged_;
  int64_t interval_;
  int threads_;
  std::vector<CurvePoint> points_;
};

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/audit/excessive_risk.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/observer.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// Excessive risk over a run, every `every` steps. For momentum and adam it shows the effect of a
/// plain step. NOT PRIVATE: exact figures of the records.
class RiskWatcher {
 public:
  /// trained: the table that batches are drawn from, with groups. judged: the records that give the
  /// groups' gradients and Hessians, see excessive_risk(). Pre: all references outlive this.
  RiskWatcher(const EncodedTable& trained, const EncodedTable& judged, size_t num_groups,
              const Model& model, const TrainingPlan& plan, int64_t every, RiskEffort effort)
      : trained_(trained),
        judged_(judged),
        num_groups_(num_groups),
        model_(model),
        plan_(plan),
        every_(every),
        effort_(std::move(effort)) {}

  /// Errors: those of excessive_risk().
  void on_batch(const BatchView& view);

  /// on_batch() for a run that must continue even if it cannot be explained: an error only ends the
  /// watching.
  void try_batch(const BatchView& view);

  /// The reason why the watching ended early, or "". NOT PRIVATE: the presence of an error may
  /// depend on the records.
  const std::string& why_ended() const { return why_ended_; }

  const std::vector<RiskPoint>& points() const { return points_; }

 private:
  const EncodedTable& trained_;
  const EncodedTable& judged_;
  size_t num_groups_;
  const Model& model_;
  const TrainingPlan& plan_;
  int64_t every_;
  RiskEffort effort_;
  std::vector<RiskPoint> points_;
  std::string why_ended_;
};

}  // namespace equinoise

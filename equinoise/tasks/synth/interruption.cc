// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/interruption.h"

#include "equinoise/synth/fit.h"

namespace equinoise {

namespace {

class Interruption final : public SynthObserver {
 public:
  explicit Interruption(const TaskProgress& progress) : progress_(progress) {}
  bool interrupted() const override { return progress_.interrupted(); }

 private:
  const TaskProgress& progress_;
};

}  // namespace

void check_interrupted(const TaskProgress& progress) { check_interrupted(Interruption(progress)); }

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/synth/synth_file.h"
#include "equinoise/synth/synth_records.h"
#include "equinoise/synth/synth_setup.h"

namespace equinoise {

/// Models of strata and what each of them measured; attributes are those of the stratum's model.
struct SharedStrata {
  std::vector<SynthStratum> strata;
  std::vector<std::vector<SynthMeasurement>> measured;
};

/// The models of all strata from that of everybody and from what the strata measure with `charges`
/// (one for each, of its plan's events). Guarantee and sources:
/// shared_strata.h. Errors: kRuntime if interrupted.
SharedStrata make_shared_strata(SynthRecords& records, const SynthSetup& setup,
                                const SynthModel& everybody, std::vector<Charge> charges,
                                RandomSource& source, TaskProgress& progress);

}  // namespace equinoise

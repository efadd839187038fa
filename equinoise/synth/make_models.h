// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/base/progress.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/synth/synth_file.h"
#include "equinoise/synth/synth_records.h"
#include "equinoise/synth/synth_setup.h"

namespace equinoise {

/// The releases of a run.
struct MadeModels {
  SynthFile file;
  /// Those of the model of all records, or of each stratum in their order if there is none.
  std::vector<std::vector<SynthRound>> rounds;
};

/// Makes the draws of `setup` with `charge`, which has its events, and fits the models to them;
/// bins of the setup are cut by what was released. Everything is publishable under the guarantee of
/// the setup's events. Errors: kRuntime if interrupted, for a second reading that fails, and for a
/// charge of other events.
MadeModels make_models(const SynthChoices& choices, PrivacyStatus status, SynthRecords& records,
                       SynthSetup& setup, Charge charge, RandomSource& source,
                       TaskProgress& progress);

}  // namespace equinoise

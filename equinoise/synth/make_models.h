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

/// What a run releases.
struct MadeModels {
  SynthFile file;
  /// Of the model of everybody, or of each stratum without one, in their order.
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

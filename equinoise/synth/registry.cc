// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/registry.h"

#include <array>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/synth/synth_budget.h"
#include "equinoise/synth/synthesizers/synthesizers.h"

namespace equinoise {

namespace {

constexpr std::array kRows = {
    SynthesizerRow{"mst", PrivacyStatus::kPrivate, "McKennaMiklauSheldon2021",
                   "tree of the pairs of columns that depend most on each other", make_mst, true},
    SynthesizerRow{
        "aim", PrivacyStatus::kPrivate, "McKennaMullinsSheldonMiklau2022",
        "measurement, round by round, of the workload's marginal that the model misses most",
        make_aim, true, megabytes_for_records},
    SynthesizerRow{"swift", PrivacyStatus::kPrivate, "GoogleDpsynth2026",
                   "measurement, in a few stages, of all marginals at once that are worth their "
                   "noise; for wide and long tables",
                   make_swift, true, megabytes_for_records},
    SynthesizerRow{"gem", PrivacyStatus::kPrivate, "LiuVietriWu2021",
                   "neural network trained, round by round, on what it misses most", make_gem,
                   false},
};

}  // namespace

std::span<const SynthesizerRow> synthesizers() { return kRows; }

bool SynthesizerRow::follows(std::string_view option) const {
  return has_option<SynthConfig>(options(), option);
}

const SynthOptions& synth_options() {
  static const SynthOptions options = options_of_rows<SynthConfig>(kRows);
  return options;
}

const SynthesizerRow& find_synthesizer(std::string_view name) {
  return find_row(kRows, "synth.registry", "method", name);
}

}  // namespace equinoise

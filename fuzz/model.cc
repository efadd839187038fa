// SPDX-License-Identifier: Apache-2.0
// Saved models.

#include <cmath>

#include "equinoise/tasks/predict/saved_model.h"
#include "fuzz/contract.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  fuzz::error_of([&] {
    const SavedModel saved = parse_saved_model(fuzz::as_text(data, size), "model.json");
    fuzz::require(saved.parameters.size() == saved.model->num_parameters(),
                  "there is a value for every parameter");
    for (const double value : saved.parameters) {
      fuzz::require(std::isfinite(value), "parameters are finite");
    }
    fuzz::require(saved.test_fraction >= 0 && saved.test_fraction < 1,
                  "the fraction held out is one");
    fuzz::require(saved.status != PrivacyStatus::kPrivate || saved.privacy.has_value(),
                  "a private model has its guarantee");
  });
  return 0;
}

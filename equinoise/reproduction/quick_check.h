// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"

namespace equinoise {

/// The outcome of an item in its short form.
struct QuickCheck {
  enum class Outcome { kRan, kFailed, kSkipped };
  std::string item;  ///< "001/table4"
  Outcome outcome = Outcome::kRan;
  size_t num_figures = 0;  ///< that have a value
  double seconds = 0;
  std::string reason;  ///< the reason why it failed or was skipped
};

/// Runs one item after another in its short form (ReproduceRequest::quick), on `threads` threads. A
/// failing item does not stop the others; an item is skipped if no method can be run. Errors:
/// kRuntime when the progress reports an interruption.
std::vector<QuickCheck> check_items(const std::vector<std::string>& items,
                                    const std::filesystem::path& data_directory, int threads,
                                    TrainProgress& progress);

/// The number of failed checks.
size_t count_failed(const std::vector<QuickCheck>& checks);

nlohmann::ordered_json quick_checks_to_json(const std::vector<QuickCheck>& checks);
std::string quick_checks_to_text(const std::vector<QuickCheck>& checks);

}  // namespace equinoise

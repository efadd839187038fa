// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/method_status.h"
#include "equinoise/base/progress.h"
#include "equinoise/report/fields.h"

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

/// The checks of all items.
struct QuickChecks {
  std::vector<QuickCheck> checks;

  int64_t count(QuickCheck::Outcome outcome) const {
    return std::ranges::count(checks, outcome, &QuickCheck::outcome);
  }
  double seconds() const;
};

template <>
inline constexpr EnumWords<QuickCheck::Outcome, 3> words_for<QuickCheck::Outcome> = {
    {{QuickCheck::Outcome::kRan, "ran"},
     {QuickCheck::Outcome::kFailed, "failed"},
     {QuickCheck::Outcome::kSkipped, "skipped"}}};
template <>
inline constexpr auto fields_of<QuickCheck> = std::tuple(
    field("name", &QuickCheck::item, "Item"), field("outcome", &QuickCheck::outcome, "Outcome"),
    field("figures", &QuickCheck::num_figures, "Figures that have a value"),
    field("seconds", &QuickCheck::seconds, "Time"),
    field("reason", &QuickCheck::reason, "Why it failed or was skipped"));
template <>
inline constexpr auto fields_of<QuickChecks> = std::tuple(
    computed(
        "status", +[](const QuickChecks&) { return PrivacyStatus::kInsecureRng; },
        "Seeds are known"),
    field("rows", &QuickChecks::checks, "Items"),
    computed(
        "ran", +[](const QuickChecks& all) { return all.count(QuickCheck::Outcome::kRan); },
        "Items that ran"),
    computed(
        "failed", +[](const QuickChecks& all) { return all.count(QuickCheck::Outcome::kFailed); },
        "Items that failed"),
    computed(
        "skipped", +[](const QuickChecks& all) { return all.count(QuickCheck::Outcome::kSkipped); },
        "Items that were skipped"),
    computed(
        "seconds", +[](const QuickChecks& all) { return all.seconds(); }, "Time"));

/// Runs one item after another in its short form (ReproduceRequest::quick), on `threads` threads. A
/// failing item does not stop the others; an item is skipped if no method can be run. Errors:
/// kRuntime when the progress reports an interruption.
QuickChecks check_items(const std::vector<std::string>& items,
                        const std::filesystem::path& data_directory, int threads,
                        TrainProgress& progress);

std::string quick_checks_to_text(const QuickChecks& all);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/quick_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>
#include <string_view>

#include "equinoise/report/page/text_table.h"
#include "equinoise/reproduction/reproduce.h"
#include "equinoise/tasks/runs/many_runs.h"

namespace equinoise {

namespace {

/// Reports interruptions to an item, and forwards no steps.
class InterruptionsOnly final : public TrainProgress {
 public:
  explicit InterruptionsOnly(const TrainProgress& progress) : progress_(progress) {}
  bool interrupted() const override { return progress_.interrupted(); }

 private:
  const TrainProgress& progress_;
};

std::string_view name_of(QuickCheck::Outcome outcome) {
  return outcome == QuickCheck::Outcome::kRan      ? "ran"
         : outcome == QuickCheck::Outcome::kFailed ? "failed"
                                                   : "skipped";
}

void mark_failed(const std::string& reason, QuickCheck& check) {
  check.outcome = QuickCheck::Outcome::kFailed;
  check.reason = reason;
}

void judge_report(const ReproductionReport& report, QuickCheck& check) {
  const auto& rows = report.rows;
  if (std::ranges::all_of(
          rows, [](const ReproductionRow& row) { return row.verdict == Verdict::kSkipped; })) {
    check.outcome = QuickCheck::Outcome::kSkipped;
    if (!rows.empty()) check.reason = rows.front().reason;
    return;
  }
  check.num_figures = static_cast<size_t>(std::ranges::count_if(
      rows, [](const ReproductionRow& row) { return std::isfinite(row.ours); }));
  if (check.num_figures == 0) mark_failed("no figure has a value", check);
}

QuickCheck check_item(const ReproduceRequest& request, const TrainProgress& progress) {
  QuickCheck check;
  check.item = request.item;
  const auto start = std::chrono::steady_clock::now();
  InterruptionsOnly silent(progress);
  try {
    judge_report(reproduce(request, silent), check);
  } catch (const std::exception& error) {
    mark_failed(error.what(), check);
  }
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return check;
}

size_t count_with(const std::vector<QuickCheck>& checks, QuickCheck::Outcome outcome) {
  return static_cast<size_t>(std::ranges::count(checks, outcome, &QuickCheck::outcome));
}

double total_seconds(const std::vector<QuickCheck>& checks) {
  double seconds = 0;
  for (const QuickCheck& check : checks) seconds += check.seconds;
  return seconds;
}

}  // namespace

std::vector<QuickCheck> check_items(const std::vector<std::string>& items,
                                    const std::filesystem::path& data_directory, int threads,
                                    TrainProgress& progress) {
  progress.hold_interruptions();
  RunsProgress steps(progress, std::ssize(items), "tasks.reproduce", "nothing was written");
  ReproduceRequest request;
  request.data_directory = data_directory;
  request.quick = true;
  request.threads = threads;
  std::vector<QuickCheck> checks;
  for (const std::string& item : items) {
    request.item = item;
    const QuickCheck& check = checks.emplace_back(check_item(request, progress));
    steps.check_interruption();
    steps.stage(check.outcome == QuickCheck::Outcome::kRan
                    ? fmt::format("{} ran: {} figures in {:.1f} s", check.item, check.num_figures,
                                  check.seconds)
                    : fmt::format("{} {}: {}", check.item, name_of(check.outcome), check.reason));
    steps.steps_done();
  }
  progress.finish_training();
  return checks;
}

size_t count_failed(const std::vector<QuickCheck>& checks) {
  return count_with(checks, QuickCheck::Outcome::kFailed);
}

nlohmann::ordered_json quick_checks_to_json(const std::vector<QuickCheck>& checks) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const QuickCheck& check : checks) {
    rows.push_back({{"name", check.item},
                    {"outcome", name_of(check.outcome)},
                    {"figures", check.num_figures},
                    {"seconds", check.seconds},
                    {"reason", check.reason}});
  }
  return {{"schema", "equinoise/1"},
          {"kind", "reproduce --all --quick"},
          {"status", "insecure rng"},
          {"rows", rows},
          {"ran", count_with(checks, QuickCheck::Outcome::kRan)},
          {"failed", count_failed(checks)},
          {"skipped", count_with(checks, QuickCheck::Outcome::kSkipped)},
          {"seconds", total_seconds(checks)}};
}

std::string quick_checks_to_text(const std::vector<QuickCheck>& checks) {
  TextTable table{"", {"item", "outcome", "figures", "seconds"}, {}, 2};
  std::string reasons;
  for (const QuickCheck& check : checks) {
    table.rows.push_back({check.item, std::string(name_of(check.outcome)),
                          fmt::format("{}", check.num_figures),
                          fmt::format("{:.1f}", check.seconds)});
    if (!check.reason.empty()) reasons += fmt::format("{}: {}\n", check.item, check.reason);
  }
  return to_text(table) + "\n" + reasons +
         fmt::format(
             "\nEvery item in its short form, which shows that it runs: figures are not judged\n"
             "ran {}, failed {}, skipped {}; {:.0f} s\n",
             count_with(checks, QuickCheck::Outcome::kRan), count_failed(checks),
             count_with(checks, QuickCheck::Outcome::kSkipped), total_seconds(checks));
}

}  // namespace equinoise

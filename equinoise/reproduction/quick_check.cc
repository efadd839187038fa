// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/quick_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
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

}  // namespace

QuickChecks check_items(const std::vector<std::string>& items,
                        const std::filesystem::path& data_directory, int threads,
                        TrainProgress& progress) {
  progress.hold_interruptions();
  RunsProgress steps(progress, std::ssize(items), "tasks.reproduce", "nothing was written");
  ReproduceRequest request;
  request.data_directory = data_directory;
  request.quick = true;
  request.threads = threads;
  QuickChecks all;
  for (const std::string& item : items) {
    request.item = item;
    const QuickCheck& check = all.checks.emplace_back(check_item(request, progress));
    steps.check_interruption();
    steps.stage(check.outcome == QuickCheck::Outcome::kRan
                    ? fmt::format("{} ran: {} figures in {:.1f} s", check.item, check.num_figures,
                                  check.seconds)
                    : fmt::format("{} {}: {}", check.item,
                                  word_of(words_for<QuickCheck::Outcome>, check.outcome),
                                  check.reason));
    steps.steps_done();
  }
  progress.finish_training();
  return all;
}

double QuickChecks::seconds() const {
  double total = 0;
  for (const QuickCheck& check : checks) total += check.seconds;
  return total;
}

std::string quick_checks_to_text(const QuickChecks& all) {
  TextTable table{"", {"item", "outcome", "figures", "seconds"}, {}, 2};
  std::string reasons;
  for (const QuickCheck& check : all.checks) {
    table.rows.push_back(
        {check.item, std::string(word_of(words_for<QuickCheck::Outcome>, check.outcome)),
         fmt::format("{}", check.num_figures), fmt::format("{:.1f}", check.seconds)});
    if (!check.reason.empty()) reasons += fmt::format("{}: {}\n", check.item, check.reason);
  }
  return to_text(table) + "\n" + reasons +
         fmt::format(
             "\nEvery item in its short form, which shows that it runs: figures are not judged\n"
             "ran {}, failed {}, skipped {}; {:.0f} s\n",
             all.count(QuickCheck::Outcome::kRan), all.count(QuickCheck::Outcome::kFailed),
             all.count(QuickCheck::Outcome::kSkipped), all.seconds());
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
// Releases the mean working hours of two groups, with noise and intervals, from a small CSV table.
// The release is private: noise comes from a secure source and a ledger pays for it.
#include <cstdio>
#include <string>

#include "equinoise/privacy/ledger.h"
#include "equinoise/tasks/means/means.h"
#include "scratch_folder.h"

using namespace equinoise;

namespace {

// What is publicly known about the table: columns, bounds, groups and their sizes. Nothing that a
// private run needs is learnt from the records.
constexpr const char* kSchema = R"(schema = "equinoise/1"
dataset = "people"
reviewed = true
[public]
num_records = 3000
[[public.groups]]
group = { sex = "Female" }
num_records = 1000
[[public.groups]]
group = { sex = "Male" }
num_records = 2000
[columns.hours]
type = "numeric"
bounds = [0, 80]
missing = "none"
[columns.sex]
type = "categorical"
values = ["Female", "Male"]
)";

// Made-up records: hours from 20 to 50 for women (mean 35), from 31 to 50 for men (mean 40.5).
std::string made_up_table() {
  std::string text = "sex,hours\n";
  for (int i = 0; i < 3000; ++i) {
    const bool is_woman = i % 3 == 0;
    const int hours = is_woman ? 20 + i / 3 % 31 : 30 + i % 21;
    text += (is_woman ? "Female," : "Male,") + std::to_string(hours) + "\n";
  }
  return text;
}

}  // namespace

int main() {
  const ScratchFolder scratch;
  MeansRequest request;
  request.schema.path = scratch.write("people.toml", kSchema);
  request.data = scratch.write("people.csv", made_up_table());
  request.columns = {"hours"};
  request.by = {"sex"};
  request.rho = 0.05;
  request.ledger_path = scratch.path("people.ledger");
  Ledger::open_account(request.ledger_path, "people",
                       {Epsilon(2), Delta(request.delta), Relation::kReplaceOne});

  // The plan knows how wide the intervals will be, before anything is read or spent.
  const MeansReport plan = plan_means_task(request);
  for (const StratumMeanReport& row : plan.rows)
    std::printf("%s: expected noise stddev %.3f\n", row.stratum.front().second.c_str(),
                row.predicted_noise.value());

  TaskProgress silent;
  const MeansReport report = release_means_task(request, silent);
  for (const StratumMeanReport& row : report.rows)
    std::printf("%s: mean %.2f [%.2f, %.2f]\n", row.stratum.front().second.c_str(), row.mean,
                row.interval->low, row.interval->high);
  for (const OverallMeanReport& row : report.overall)
    std::printf("overall: mean %.2f [%.2f, %.2f]\n", row.mean, row.interval->low,
                row.interval->high);
  std::printf("status: %s, epsilon %.3f at delta %g\n",
              std::string(to_string(report.status)).c_str(), report.privacy->epsilon.value(),
              report.privacy->delta.value());
}

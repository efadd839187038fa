// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate_output.h"

#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/files/output_folder.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/synth/synth_evaluate_csv.h"
#include "equinoise/tasks/synth/synth_evaluate_html.h"
#include "equinoise/tasks/synth/synth_evaluate_report.h"

namespace equinoise {

namespace {

const std::vector<std::string> kEvaluationFiles = {"report.json", "report.html", "errors.csv"};

}  // namespace

void check_synth_evaluate_output(const SynthEvaluateRequest& request) {
  for (const std::string& name : kEvaluationFiles)
    for (const TableSource& table : {request.real, request.synthetic})
      require_not_input(request.out_path / name, {table, {}});
  constexpr int64_t kSomeBytes = 1 << 20;
  const OutputFolder probe(request.out_path, request.force, kEvaluationFiles, kSomeBytes);
}

void write_synth_evaluate_output(const SynthEvaluateRequest& request, SynthEvaluateReport& report) {
  for (const std::string& name : kEvaluationFiles)
    report.files.push_back((request.out_path / name).string());
  const std::vector<std::string> contents = {to_text(synth_evaluate_to_json(request, report)),
                                             synth_evaluate_to_html(request, report),
                                             synth_evaluate_to_csv(report)};
  size_t num_bytes = 0;
  for (const std::string& content : contents) num_bytes += content.size();
  OutputFolder folder(request.out_path, request.force, kEvaluationFiles,
                      static_cast<int64_t>(num_bytes));
  for (size_t i = 0; i < contents.size(); ++i)
    folder.write(kEvaluationFiles[i], contents[i], Audience::kOwner);
  folder.commit();
}

}  // namespace equinoise

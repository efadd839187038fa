// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/audit_output.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/predict/saved_model.h"

namespace equinoise {

namespace {

const std::vector<std::string> kOutputFiles = {"report.json", "report.html"};

/// An upper limit for the output.
int64_t bytes_of(const AuditRequest& request, const Schema& schema, size_t num_constraints) {
  constexpr size_t kBytesOfCurves = size_t{1} << 16;
  constexpr size_t kBytesOfClass = 2048;
  const size_t num_classes = schema.column(schema.target).categories().size();
  size_t num_groups = 1;
  for (const std::vector<std::string>& columns : request.groupings)
    num_groups += list_groups(schema, columns, request.floor).groups.size();
  size_t num_bytes = (size_t{1} << 20) + (num_groups + num_constraints) * 8192;
  if (num_classes == 2) num_bytes += std::min(num_groups, kMaxGroupsWithCurves) * kBytesOfCurves;
  if (num_classes > 2 && num_classes <= kMaxCountedClasses) {
    // The overall curves are always present.
    const size_t num_curves = std::min(num_groups * num_classes, kMaxGroupsWithCurves);
    num_bytes +=
        num_groups * num_classes * kBytesOfClass + (num_curves + num_classes) * kBytesOfCurves;
  }
  return static_cast<int64_t>(num_bytes);
}

}  // namespace

AuditOutput::AuditOutput(const AuditRequest& request, const Schema& schema, size_t num_constraints)
    : request_(request), num_bytes_(bytes_of(request, schema, num_constraints)) {
  if (request.out_path.empty()) return;
  for (const std::filesystem::path& model : {request.model_path, request.reference_path}) {
    std::error_code ignored;
    if (model.empty() ||
        !std::filesystem::equivalent(request.out_path / model_file(model).filename(),
                                     model_file(model), ignored)) {
      continue;
    }
    throw Error(ErrorKind::kUsage, "tasks.audit",
                "{} holds a model and its training report; give another --out",
                request.out_path.string());
  }
  const OutputFolder probe(request.out_path, request.force, kOutputFiles, num_bytes_);
}

void AuditOutput::write(TaskProgress& progress, AuditReport& report) const {
  if (request_.out_path.empty()) return;
  progress.hold_interruptions();
  OutputFolder folder(request_.out_path, request_.force, kOutputFiles, num_bytes_);
  for (const std::string& name : kOutputFiles) report.files.push_back(folder.final_path(name));
  folder.write("report.json", to_text(audit_to_json(report)));
  folder.write("report.html", to_page(audit_document(report)));
  folder.commit();
}

}  // namespace equinoise

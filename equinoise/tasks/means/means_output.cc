// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/means_output.h"

#include "equinoise/report/json.h"
#include "equinoise/report/means/means_report.h"

namespace equinoise {

namespace {

const std::vector<std::string> kMeansFiles = {"report.json", "report.html", "means_card.md",
                                              "means.csv"};

}  // namespace

MeansOutput::MeansOutput(const MeansRequest& request, size_t num_figures)
    : path_(request.out_path.string()) {
  const auto num_bytes = static_cast<int64_t>(num_figures * 4096 + 65536);
  if (path_.empty()) return;
  if (!request.out_path.has_extension()) {
    folder_ = std::make_unique<OutputFolder>(path_, request.force, kMeansFiles, 4 * num_bytes);
    return;
  }
  file_ = std::make_unique<OutputFile>(path_, request.force);
  file_->reserve(num_bytes);
}

void MeansOutput::write(MeansReport& report) {
  if (file_) {
    report.files.push_back(path_);
    MeansReport publishable = report;
    publishable.explanation.reset();
    file_->write(to_text(means_to_json(publishable)));
    file_->commit();
  }
  if (!folder_) return;
  for (const std::string& name : kMeansFiles) report.files.push_back(folder_->final_path(name));
  const Document document = means_document(report);
  const Audience figures = report.held_out || report.status != PrivacyStatus::kPrivate
                               ? Audience::kOwner
                               : Audience::kAnybody;
  const Audience audience = report.explanation ? Audience::kOwner : figures;
  folder_->write("report.json", to_text(means_to_json(report)), audience);
  folder_->write("report.html", to_page(document), audience);
  folder_->write("means_card.md", to_card(document), figures);
  folder_->write("means.csv", means_to_csv(report), figures);
  folder_->commit();
}

}  // namespace equinoise

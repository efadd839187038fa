// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/release_output.h"

#include <filesystem>
#include <utility>

#include "equinoise/report/json.h"

namespace equinoise {

ReleaseOutput::ReleaseOutput(const MeansRequest& request, const std::string& name,
                             size_t num_figures)
    : path_(request.out_path.string()),
      names_({"report.json", "report.html", name + "_card.md", name + ".csv"}) {
  const auto num_bytes = static_cast<int64_t>(num_figures * 4096 + 65536);
  if (path_.empty()) return;
  if (!request.out_path.has_extension()) {
    folder_ = std::make_unique<OutputFolder>(path_, request.force, names_, 4 * num_bytes);
    return;
  }
  file_ = std::make_unique<OutputFile>(path_, request.force);
  file_->reserve(num_bytes);
}

void ReleaseOutput::write(ReleaseReport& report, const Forms& forms, Audience page,
                          Audience figures) {
  // Files that anybody may read hold neither what only the owner can act on nor folders.
  std::vector<std::string> of_owner;
  if (page == Audience::kAnybody || file_) of_owner = std::exchange(report.owner_warnings, {});
  if (file_) {
    report.files = {std::filesystem::path(path_).filename().string()};
    const bool is_csv = std::filesystem::path(path_).extension() == ".csv";
    file_->write(is_csv ? forms.csv() : to_text(forms.published()));
    report.files = {path_};
    file_->commit();
  }
  if (folder_) {
    report.files = names_;
    const Document document = forms.document();
    folder_->write(names_[0], to_text(forms.report()), page);
    folder_->write(names_[1], to_page(document), page);
    folder_->write(names_[2], to_card(document), figures);
    folder_->write(names_[3], forms.csv(), figures);
    for (std::string& file : report.files) file = folder_->final_path(file);
    folder_->commit();
  }
  if (!of_owner.empty()) report.owner_warnings = std::move(of_owner);
}

void write_means(MeansReport& report, ReleaseOutput& output) {
  const Audience figures = report.held_out || report.status != PrivacyStatus::kPrivate
                               ? Audience::kOwner
                               : Audience::kAnybody;
  const auto published = [&report] {
    MeansReport publishable = report;
    publishable.explanation.reset();
    return means_to_json(publishable);
  };
  output.write(
      report,
      {[&report] { return means_document(report); }, [&report] { return means_to_json(report); },
       published, [&report] { return means_to_csv(report); }},
      report.explanation ? Audience::kOwner : figures, figures);
}

}  // namespace equinoise

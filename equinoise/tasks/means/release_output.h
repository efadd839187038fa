// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "equinoise/base/audience.h"
#include "equinoise/files/output_file.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/tasks/means/means_request.h"

namespace equinoise {

/// The files of a release, claimed before it is paid for: report.json, report.html, NAME_card.md
/// and NAME.csv in the folder --out; or one file of figures, where that has an
/// ending: CSV for .csv, else JSON.
class ReleaseOutput {
 public:
  /// name: of the command. Errors: as OutputFolder and OutputFile.
  ReleaseOutput(const MeansRequest& request, const std::string& name, size_t num_figures);

  /// Texts to be made once the report lists its files.
  struct Forms {
    std::function<Document()> document;
    std::function<nlohmann::ordered_json()> report;
    std::function<nlohmann::ordered_json()> published;  ///< for the file of figures
    std::function<std::string()> csv;
  };

  /// Writes all of them, or none, and lists them in the report. page: of the report and its JSON;
  /// figures: of card and CSV.
  void write(ReleaseReport& report, const Forms& forms, Audience page, Audience figures);

 private:
  std::string path_;
  std::vector<std::string> names_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<OutputFolder> folder_;
};

/// A file of figures has no explanation; card and CSV never do.
void write_means(MeansReport& report, ReleaseOutput& output);

}  // namespace equinoise

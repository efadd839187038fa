// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "equinoise/files/output_file.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/tasks/means/means_request.h"

namespace equinoise {

/// The files of a release, claimed before it is paid for: report.json, report.html, means_card.md
/// and means.csv in the folder --out; or one file of figures, where that has an ending.
class MeansOutput {
 public:
  /// Errors: as OutputFolder and OutputFile.
  MeansOutput(const MeansRequest& request, size_t num_figures);

  /// Writes all of them, or none, and lists them in the report. A file of figures has no
  /// explanation; card and CSV never do.
  void write(MeansReport& report);

 private:
  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<OutputFolder> folder_;
};

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "equinoise/report/page/document.h"

namespace equinoise {

/// The result of rebuilding a folder's page.
struct RebuiltPage {
  std::string command;  ///< the command that wrote the folder: "train", "synth evaluate"
  WrittenFile page;
};

/// Writes report.html of a folder that `equinoise train`, `compare`, `means`, `synth` or `synth
/// evaluate` wrote, from its JSON alone. The file is written completely or not at all, and readable
/// by its owner only. Errors: kInput if the folder has no report.json or compare.json, or one of
/// another command or version; as OutputFile.
RebuiltPage rebuild_page(const std::filesystem::path& folder);

}  // namespace equinoise

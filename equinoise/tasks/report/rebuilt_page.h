// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace equinoise {

/// What became of a folder.
struct RebuiltPage {
  std::string command;         ///< that wrote the folder: "train", "synth evaluate"
  std::filesystem::path path;  ///< of the page
};

/// Writes report.html of a folder that `equinoise train`, `compare`, `means`, `synth` or `synth
/// evaluate` wrote, from its JSON alone; whole or not at all, and for its owner only. Errors:
/// kInput where the folder has no report.json or compare.json, or one of another command or
/// version; as OutputFile.
RebuiltPage rebuild_page(const std::filesystem::path& folder);

}  // namespace equinoise

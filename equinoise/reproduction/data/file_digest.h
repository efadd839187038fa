// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "equinoise/reproduction/data/datasets.h"

namespace equinoise {

/// SHA-256 of what the files in `folder` hold and of their names; whether gzip has compressed them
/// makes no difference. Errors: kInput.
std::string digest_of_files(const ReproductionFiles& files, const std::filesystem::path& folder);

}  // namespace equinoise

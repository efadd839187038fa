// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "equinoise/reproduction/data/datasets.h"

namespace equinoise {

/// SHA-256 of the content and the names of the files in `folder`; compression with gzip makes no
/// difference. Errors: kInput.
std::string digest_of_files(const ReproductionFiles& files, const std::filesystem::path& folder);

}  // namespace equinoise

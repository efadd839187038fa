// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace equinoise {

/// Facts about the build and the machine for a bug report: names and values.
std::vector<std::pair<std::string, std::string>> machine_facts();

/// The processor features that the build requires and this processor lacks, e.g. "avx2 fma"; empty
/// if it has all.
std::string missing_cpu_features();

}  // namespace equinoise

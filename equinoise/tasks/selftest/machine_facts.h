// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace equinoise {

/// What a report of a fault should say about the build and the machine it ran on: names and values.
std::vector<std::pair<std::string, std::string>> machine_facts();

/// What the build takes for granted of a processor and this one does not have, e.g. "avx2 fma";
/// empty if it has all.
std::string missing_cpu_features();

}  // namespace equinoise

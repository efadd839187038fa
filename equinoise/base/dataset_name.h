// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace equinoise {

/// Returns whether a dataset may have this name, both in a schema and in a ledger.
bool is_dataset_name(std::string_view name);

/// The rule for names, to be printed after the subject: "dataset must ...".
inline constexpr std::string_view kDatasetNameRule =
    "must consist of letters, digits and the characters _ . -";

/// The name that a dataset gets from its file: "adult" for adult.csv.gz and for adult-domain.json.
std::string dataset_name_of(const std::filesystem::path& file);

}  // namespace equinoise

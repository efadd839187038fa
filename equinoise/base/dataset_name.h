// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace equinoise {

/// Whether a dataset may have that name, in a schema and in a ledger alike.
bool is_dataset_name(std::string_view name);

/// What to say of a name that is none, after what it is: "dataset must ...".
inline constexpr std::string_view kDatasetNameRule =
    "must consist of letters, digits and the characters _ . -";

/// The name that a dataset gets from its file: "adult" of adult.csv.gz and of adult-domain.json.
std::string dataset_name_of(const std::filesystem::path& file);

}  // namespace equinoise

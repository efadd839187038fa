// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace equinoise {

/// The published figures of [RosenblattStoyanovichMusco2024] for one stratification and one column:
/// means of the records themselves, and of their COINPRESS.
struct PublishedStratification {
  std::vector<double> sizes;          ///< (num_strata)
  std::vector<double> exact;          ///< (num_strata)
  std::vector<double> private_means;  ///< (num_strata)
  /// (num_strata, columns that make them), each column's categories from 0 on.
  std::vector<std::vector<size_t>> levels;
  double exact_overall = 0;
  double private_overall = 0;
};

/// The stratifications of their table of results that have that column, in its order; strata
/// without a record are left out. Errors: kInput for a table of another form, for a stratum or an
/// overall mean that lacks one of its two figures, or an unknown column.
std::vector<PublishedStratification> read_published_means(const std::filesystem::path& path,
                                                          std::string_view column);

}  // namespace equinoise

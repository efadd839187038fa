// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace equinoise {

/// Whose SQL a statement is in.
enum class Dialect { kPostgres, kDuckDb, kSpark, kTrino, kBigQuery, kSnowflake };

}  // namespace equinoise

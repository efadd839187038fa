// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// Numbers of single precision that are kept of a batch between a first look at it and the sum, at
/// most, but at least those of a tile for each thread: 16 MiB, or half as many as the records have,
/// so that memory stays near that of training without privacy. Tiles beyond are made twice.
size_t max_kept(const EncodedTable& table);

/// So many such numbers are kept of a tile: what all tiles have alike, the parameters, is not.
size_t kept_size(const PerSample& samples);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// The most single-precision numbers of a batch that are kept between the first look at it and the
/// sum: 16 MiB or, if that is more, half as many numbers as the records have. Memory then stays
/// near that of training without privacy. At least one tile per thread is kept; tiles beyond the
/// limit are computed twice.
size_t max_kept(const EncodedTable& table);

/// The number of single-precision numbers kept of a tile. Parameters, which all tiles share, are
/// not kept.
size_t kept_size(const PerSample& samples);

}  // namespace equinoise

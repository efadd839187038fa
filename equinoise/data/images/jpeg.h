// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The most pixels of a JPEG image that is read.
inline constexpr int64_t kMaxJpegPixels = int64_t{1} << 26;

/// Decodes a JPEG image and converts it to a shape: grey (the luminance of a colour image) for one
/// channel, RGB for three; the size by AreaAverage. Its orientation in EXIF is ignored.
///
/// pixels: (shape.channels, shape.height, shape.width). Errors: kInput that names `name`: no JPEG;
/// damaged or cut short, even if libjpeg only warns; other channels than grey or RGB (CMYK); a kind
/// that libjpeg does not read (lossless, 12 bits); more than kMaxJpegPixels, or absurdly many scans
/// of them.
void decode_jpeg(std::string_view file, std::string_view name, const ImageShape& shape,
                 std::span<uint8_t> pixels);

}  // namespace equinoise

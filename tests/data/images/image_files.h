// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>  // of which jpeglib.h needs FILE
#include <cstdlib>
#include <string>
#include <vector>

// Behind <cstdio>.
#include <jpeglib.h>

namespace equinoise::testing {

/// The bytes of an idx file: magic number, sizes, values.
inline std::string idx(uint32_t magic, const std::vector<uint32_t>& sizes,
                       const std::vector<uint8_t>& values) {
  std::string bytes;
  const auto add_word = [&](uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 255);
  };
  add_word(magic);
  for (const uint32_t size : sizes) add_word(size);
  return bytes.append(values.begin(), values.end());
}
inline std::string idx_images(const std::vector<uint32_t>& sizes,
                              const std::vector<uint8_t>& values) {
  return idx(0x803, sizes, values);
}
inline std::string idx_labels(const std::vector<uint8_t>& labels) {
  return idx(0x801, {static_cast<uint32_t>(labels.size())}, labels);
}

/// An image as a camera gives it.
struct Picture {
  int height = 0;
  int width = 0;
  int channels = 1;             ///< 1: grey, 3: RGB, 4: CMYK
  std::vector<uint8_t> values;  ///< (height, width, channels)
  bool progressive = false;
};

/// A picture of blocks of 8 x 8 equal pixels, which JPEG keeps exactly if it is grey.
inline Picture picture_of_blocks(int rows, int columns, int channels,
                                 const std::vector<uint8_t>& values) {
  Picture picture{rows * 8, columns * 8, channels, {}};
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      for (int c = 0; c < channels; ++c) {
        picture.values.push_back(
            values[static_cast<size_t>(((y / 8) * columns + x / 8) * channels + c)]);
      }
    }
  }
  return picture;
}

/// The bytes of a JPEG file of the best quality; `scans` instead of the usual ones.
inline std::string jpeg(const Picture& picture, const std::vector<jpeg_scan_info>& scans = {}) {
  jpeg_error_mgr errors = {};
  jpeg_compress_struct info = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.input_components = picture.channels;
  info.in_color_space = picture.channels == 1   ? JCS_GRAYSCALE
                        : picture.channels == 3 ? JCS_RGB
                                                : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  if (picture.progressive) jpeg_simple_progression(&info);
  if (!scans.empty()) {
    info.scan_info = scans.data();
    info.num_scans = static_cast<int>(scans.size());
  }
  jpeg_start_compress(&info, TRUE);
  const size_t row_size = static_cast<size_t>(picture.width * picture.channels);
  EXPECT_EQ(picture.values.size(), row_size * static_cast<size_t>(picture.height));
  std::vector<uint8_t> row(row_size);
  while (info.next_scanline < info.image_height) {
    const auto begin =
        picture.values.begin() + static_cast<std::ptrdiff_t>(info.next_scanline * row_size);
    row.assign(begin, begin + static_cast<std::ptrdiff_t>(row_size));
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return file;
}

}  // namespace equinoise::testing

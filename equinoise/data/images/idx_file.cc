// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/idx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "equinoise/base/lists.h"

namespace equinoise {
namespace {

// The type "unsigned bytes", then the number of dimensions.
constexpr uint32_t kMagicOfImages = 0x00000803;
constexpr uint32_t kMagicOfLabels = 0x00000801;
constexpr int64_t kMaxValues = int64_t{1} << 60;

/// The type of the values in a file with that magic number; empty if it is no idx file.
std::string_view type_of(uint32_t magic) {
  constexpr std::array<std::string_view, 7> kTypes = {
      "unsigned bytes",  "signed bytes", "",       "16-bit integers",
      "32-bit integers", "floats",       "doubles"};
  constexpr uint32_t kFirst = 0x08;
  const uint32_t type = magic >> 8;
  return type >= kFirst && type < kFirst + kTypes.size() ? kTypes[type - kFirst] : "";
}

/// The kind of file that an unexpected magic number shows.
std::string found_instead(uint32_t magic) {
  constexpr uint32_t kJpegMagic = 0xffd8ff;
  if (magic >> 8 == kJpegMagic) {
    return "but this is a JPEG image; give JPEG images as a folder, and their labels as an "
           "attribute file: --data FOLDER --labels FILE";
  }
  // The first bytes of a file of another kind may be data, so they are not shown.
  const std::string_view type = type_of(magic);
  if (type.empty()) return "but this is not an idx file";
  const bool is_the_other = magic == kMagicOfImages || magic == kMagicOfLabels;
  return fmt::format("got 0x{:08x} ({}){}", magic, type,
                     is_the_other ? "; are --data and --labels swapped?" : "");
}

}  // namespace

IdxFile::IdxFile(const std::filesystem::path& path, Content content) : bytes_(InputFile(path)) {
  const bool is_images = content == Content::kImages;
  const uint32_t expected = is_images ? kMagicOfImages : kMagicOfLabels;
  const uint32_t magic = read_word();
  if (magic != expected) {
    fail_at(0, fmt::format("the magic number must be 0x{:08x} ({} as unsigned bytes), {}", expected,
                           is_images ? "images" : "labels", found_instead(magic)));
  }
  const int num_dimensions = is_images ? 3 : 1;
  for (int i = 0; i < num_dimensions; ++i) {
    const int64_t size = read_word();
    if (size == 0) fail_damaged(header_bytes_ - 4, "the header gives a size of 0");
    if (size > kMaxValues / num_values_) {
      fail_damaged(header_bytes_ - 4, "the sizes in the header are implausibly large");
    }
    sizes_.push_back(size);
    num_values_ *= size;
  }
}

uint32_t IdxFile::read_word() {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const std::string_view block = bytes_.block();
    if (block.empty()) fail_damaged(header_bytes_, "the file ends in the header");
    word = word << 8 | static_cast<uint8_t>(block[0]);
    bytes_.skip(1);
    ++header_bytes_;
  }
  return word;
}

std::vector<uint8_t> IdxFile::read_values() {
  constexpr int64_t kMaxReserved = int64_t{1} << 26;
  std::vector<uint8_t> values;
  values.reserve(static_cast<size_t>(std::min(num_values_, kMaxReserved)));
  for (std::string_view block = bytes_.block(); !block.empty(); block = bytes_.block()) {
    const auto left = static_cast<size_t>(num_values_) - values.size();
    if (block.size() > left) {
      fail_damaged(
          header_bytes_ + num_values_,
          fmt::format("the file is longer than the {} values and the header, which take {} bytes",
                      num_values_, header_bytes_ + num_values_));
    }
    append(values, block);
    bytes_.skip(block.size());
  }
  if (static_cast<int64_t>(values.size()) != num_values_) {
    fail_damaged(
        header_bytes_ + static_cast<int64_t>(values.size()),
        fmt::format("the file is shorter than the {} values and the header, which take {} bytes",
                    num_values_, header_bytes_ + num_values_));
  }
  return values;
}

void IdxFile::fail_at(int64_t byte, std::string_view problem) const {
  fail_in_file(name(), fmt::format("byte {}: {}", byte, problem));
}

void IdxFile::fail_damaged(int64_t byte, std::string_view problem) const {
  fail_at(byte, fmt::format("{}; fetch or write the file again", problem));
}

}  // namespace equinoise

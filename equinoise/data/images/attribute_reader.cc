// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/attribute_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "equinoise/data/schema/schema.h"
#include "equinoise/data/values/blanks.h"

namespace equinoise {

AttributeReader::AttributeReader(ByteStream bytes)
    : RecordReader(bytes.name()), lines_(std::move(bytes)) {
  std::string_view line;
  lines_.next(line);
  const std::string_view count = take_word(line);
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), num_images_);
  const bool is_number = error == std::errc() && end == count.data() + count.size();
  if (!is_number || !take_word(line).empty() || num_images_ < 1 || num_images_ > kMaxRecords) {
    fail(fmt::format("line 1 must be the number of images, from 1 to {}, and nothing else",
                     kMaxRecords));
  }
  if (!lines_.next(line)) fail("ends after line 1; line 2 must name the attributes");
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    header_.emplace_back(word);
  }
  if (header_.empty()) fail("line 2 must name the attributes, separated by blanks");
}

bool AttributeReader::next() {
  std::string_view line;
  std::string_view image;
  while (image.empty()) {
    if (!lines_.next(line)) {
      if (row_ == num_images_) return false;
      fail(fmt::format("ends after {} images, but its first line says {}", row_, num_images_));
    }
    image = take_word(line);
  }
  ++row_;
  if (row_ > num_images_) {
    fail_here(
        fmt::format("the first line of the file says that there are only {} images", num_images_));
  }
  if (image.find('/') != image.npos || image == "." || image == "..") {
    fail_here("must begin with the name of a file in the image folder, without a path");
  }
  const auto [earlier, is_new] = line_of_.emplace(image, lines_.line_number());
  if (!is_new) fail_here(fmt::format("names the same image as line {}", earlier->second));
  images_.push_back({std::string(image), lines_.line_number()});
  cells_.clear();
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    cells_.emplace_back(word);
  }
  if (cells_.size() != header_.size()) {
    fail_here(
        fmt::format("has {} words instead of {}: the name of an image and a value for each of the "
                    "{} attributes in line 2",
                    cells_.size() + 1, header_.size() + 1, header_.size()));
  }
  return true;
}

std::string AttributeReader::place() const {
  return fmt::format("row {} (line {})", row_, lines_.line_number());
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "equinoise/data/formats/line_reader.h"
#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// An image named in an attribute file, and the line of the name.
struct ListedImage {
  std::string name;  ///< of a file in the folder of images
  int64_t line = 0;
};

/// The records of an attribute file in the form of CelebA, plain or gzip:
/// - a line with the number of images,
/// - a line with the names of the attributes,
/// - a line for every image: the name of its file and a value of each attribute.
///
/// Words are separated by blanks or tabs. Blank lines are skipped.
///
/// Errors (kInput, `data.table`) name file, row (images from 1) and line, never the content of a
/// line: a first line that is no number; a line with more or fewer words than the attributes need;
/// a name that leads out of the folder of images, or that another line has; more or fewer images
/// than the first line states; and those of LineReader.
class AttributeReader final : public RecordReader {
 public:
  /// Reads the header.
  explicit AttributeReader(ByteStream bytes);

  bool next() override;

  /// (row()) the images of the records so far.
  const std::vector<ListedImage>& images() const { return images_; }

 protected:
  std::string place() const override;

 private:
  LineReader lines_;
  int64_t num_images_ = 0;
  std::vector<ListedImage> images_;
  std::unordered_map<std::string, int64_t> line_of_;  ///< by name of the image
};

}  // namespace equinoise

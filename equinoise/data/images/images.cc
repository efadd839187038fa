// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/small_letters.h"
#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/images/attribute_reader.h"
#include "equinoise/data/images/idx_file.h"
#include "equinoise/data/images/jpeg.h"
#include "equinoise/data/schema/other_size.h"

namespace equinoise {
namespace {

/// The labels of an idx file as the cells of one column.
class LabelReader final : public RecordReader {
 public:
  LabelReader(std::string name, const std::string& column, std::vector<uint8_t> labels)
      : RecordReader(std::move(name)), labels_(std::move(labels)) {
    header_ = {column};
    cells_.resize(1);
  }

  bool next() override {
    if (static_cast<size_t>(row_) == labels_.size()) return false;
    cells_[0] = Cell::of(int64_t{labels_[static_cast<size_t>(row_)]});
    ++row_;
    return true;
  }

 private:
  std::vector<uint8_t> labels_;
};

/// Records of which nothing but the pixels is used.
Dataset without_columns(int64_t num_records) {
  Dataset dataset;
  dataset.num_records = num_records;
  dataset.contributes.assign(static_cast<size_t>(num_records), 1);
  return dataset;
}

std::string not_the_described(int64_t num_images, const Schema& schema) {
  return fmt::format("{} images, but the schema says num_records = {}; {}", num_images,
                     schema.num_records, kOtherSize);
}

/// The one column that an idx file of labels fills.
const ColumnSchema& label_column(const Schema& schema, const IdxFile& labels) {
  const auto is_read = [](const ColumnSchema& column) {
    return column.type != ColumnType::kIgnored;
  };
  const auto column = std::ranges::find_if(schema.columns, is_read);
  const auto count = std::ranges::count_if(schema.columns, is_read);
  if (count != 1 || column->type != ColumnType::kCategorical) {
    fail_in_file(labels.name(),
                 "idx labels are a single column, so the schema must have exactly one column that "
                 "is not ignored, and it must be categorical");
  }
  return *column;
}

Dataset read_idx_labels(const std::filesystem::path& path, const IdxFile& images,
                        const Schema& schema, TableUse use) {
  const int64_t num_images = images.sizes()[0];
  if (path.empty()) return without_columns(num_images);
  IdxFile labels(path, IdxFile::Content::kLabels);
  if (labels.sizes()[0] != num_images) {
    labels.fail_at(4, fmt::format("the header says {} labels, but {} holds {} images; give the "
                                  "labels of the same images (MNIST: train or t10k for both)",
                                  labels.sizes()[0], images.name(), num_images));
  }
  if (use == TableUse::kFeaturesOnly) {
    labels.read_values();
    return without_columns(num_images);
  }
  const ColumnSchema& column = label_column(schema, labels);
  LabelReader reader(labels.name(), column.name, labels.read_values());
  // The number of records has been checked; ignored columns are no part of these files.
  return read_records(reader, schema, TableUse::kOther);
}

Dataset read_idx(const std::filesystem::path& path, const std::filesystem::path& labels,
                 const Schema& schema, TableUse use) {
  const ImageShape& shape = *schema.image;
  IdxFile images(path, IdxFile::Content::kImages);
  const std::vector<int64_t>& sizes = images.sizes();
  if (shape.channels != 1 || sizes[1] != shape.height || sizes[2] != shape.width) {
    images.fail_at(8, fmt::format("the header says images of shape [1, {}, {}], but [image] of "
                                  "the schema says [{}, {}, {}]",
                                  sizes[1], sizes[2], shape.channels, shape.height, shape.width));
  }
  if (use == TableUse::kDescribed && sizes[0] != schema.num_records) {
    images.fail_at(4, "the header says " + not_the_described(sizes[0], schema));
  }
  if (sizes[0] > kMaxRecords) {
    images.fail_at(
        4, fmt::format("the header says {} images; at most {} can be read", sizes[0], kMaxRecords));
  }
  // First: memory for records is asked for only once they are there.
  std::vector<uint8_t> pixels = images.read_values();
  Dataset dataset = read_idx_labels(labels, images, schema, use);
  dataset.pixels = std::move(pixels);
  return dataset;
}

bool is_named_jpeg(const std::filesystem::path& path) {
  const std::string extension = in_small_letters(path.extension().string());
  return extension == ".jpg" || extension == ".jpeg";
}

/// The .jpg and .jpeg files of a folder, ordered by name.
std::vector<ListedImage> list_images(const std::filesystem::path& folder) {
  std::vector<ListedImage> images;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::filesystem::path& path = entries->path();
    if (is_named_jpeg(path)) images.push_back({path.filename().string(), 0});
  }
  if (error) fail_in_file(folder.string(), fmt::format("cannot be read: {}", error.message()));
  if (images.empty()) fail_in_file(folder.string(), "holds no .jpg or .jpeg files");
  std::ranges::sort(images, {}, &ListedImage::name);
  return images;
}

/// Reads a whole file into the buffer.
std::string_view read_file(InputFile file, std::vector<char>& buffer) {
  constexpr size_t kMaxBytes = size_t{1} << 28;
  constexpr size_t kFirstBytes = size_t{1} << 16;
  size_t size = 0;
  while (true) {
    if (size == buffer.size()) buffer.resize(std::max(kFirstBytes, 2 * size));
    size += file.read(std::span(buffer).subspan(size));
    if (size > kMaxBytes) fail_in_file(file.name(), "is larger than 256 MiB; is it an image?");
    if (size < buffer.size()) return {buffer.data(), size};
  }
}

std::vector<std::string> names_of(const std::vector<ListedImage>& images) {
  std::vector<std::string> names;
  names.reserve(images.size());
  for (const ListedImage& image : images) names.push_back(image.name);
  return names;
}

/// Decodes the images of a folder one after another.
std::vector<uint8_t> read_jpegs(const std::filesystem::path& folder,
                                const std::vector<ListedImage>& images,
                                const std::filesystem::path& labels, const ImageShape& shape,
                                const ImageProgress& progress) {
  constexpr size_t kMaxReserved = size_t{1} << 28;
  const size_t num_values = shape.num_values();
  std::vector<uint8_t> pixels;
  pixels.reserve(std::min(images.size() * num_values, kMaxReserved));
  std::vector<char> buffer;
  for (size_t i = 0; i < images.size(); ++i) {
    const std::filesystem::path path = folder / images[i].name;
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path, ignored);
    if (!labels.empty() && !std::filesystem::exists(status)) {
      // The line may hold something that is no name at all, so it is not quoted.
      fail_in_file(
          labels.string(),
          fmt::format(
              "line {} names an image that cannot be found in {}; put it back, or remove the line "
              "and lower the count in line 1, and num_records if the schema describes these images",
              images[i].line, folder.string()));
    }
    pixels.resize(pixels.size() + num_values);
    const std::span<uint8_t> image = std::span(pixels).last(num_values);
    // A name that is one in the folder may be told.
    const std::string name = labels.empty()
                                 ? path.string()
                                 : fmt::format("{}: the image of line {}, {}", labels.string(),
                                               images[i].line, path.string());
    if (std::filesystem::is_directory(status)) {
      fail_in_file(name, "is a directory; put the image itself in its place");
    }
    decode_jpeg(read_file(InputFile(path, name), buffer), name, shape, image);
    if (progress) progress(static_cast<int64_t>(i + 1), static_cast<int64_t>(images.size()));
  }
  return pixels;
}

Dataset read_folder(const std::filesystem::path& folder, const std::filesystem::path& labels,
                    const Schema& schema, TableUse use, const ImageProgress& progress) {
  if (labels.empty()) {
    const std::vector<ListedImage> images = list_images(folder);
    Dataset dataset = without_columns(static_cast<int64_t>(images.size()));
    dataset.pixels = read_jpegs(folder, images, labels, *schema.image, progress);
    dataset.image_names = names_of(images);
    return dataset;
  }
  AttributeReader records{ByteStream(InputFile(labels))};
  Dataset dataset;
  if (use == TableUse::kFeaturesOnly) {
    while (records.next()) {
    }
    dataset = without_columns(records.row());
  } else {
    // Attributes that the schema does not declare may be there.
    dataset = read_records(records, schema, TableUse::kOther);
  }
  if (use == TableUse::kDescribed && dataset.num_records != schema.num_records) {
    records.fail("has " + not_the_described(dataset.num_records, schema));
  }
  dataset.pixels = read_jpegs(folder, records.images(), labels, *schema.image, progress);
  dataset.image_names = names_of(records.images());
  return dataset;
}

}  // namespace

Dataset read_images(const std::filesystem::path& path, const std::filesystem::path& labels,
                    const Schema& schema, TableUse use, const ImageProgress& progress) {
  if (!schema.image || (labels.empty() && use != TableUse::kFeaturesOnly)) {
    throw Error(ErrorKind::kUsage, "data.images",
                "reading images needs a schema with [image], and labels");
  }
  std::error_code ignored;
  Dataset dataset = std::filesystem::is_directory(path, ignored)
                        ? read_folder(path, labels, schema, use, progress)
                        : read_idx(path, labels, schema, use);
  const size_t num_values = schema.image->num_values();
  for (size_t r = 0; r < dataset.contributes.size(); ++r) {
    if (dataset.contributes[r] != 0) continue;
    std::fill_n(dataset.pixels.begin() + static_cast<std::ptrdiff_t>(r * num_values), num_values,
                uint8_t{0});
  }
  return dataset;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
// Tables of images. An input that begins like JPEG is such an image; after "LIST" there is an
// attribute file; any other is an idx file, read as images and as labels.

#include "equinoise/data/encoder.h"
#include "equinoise/data/images/attribute_reader.h"
#include "equinoise/data/images/idx_file.h"
#include "equinoise/data/images/images.h"
#include "equinoise/data/images/jpeg.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

constexpr std::string_view kCanary = "c4n4ry";
constexpr std::string_view kList = "LIST";

void decode(std::string_view file) {
  for (const ImageShape& shape : {ImageShape{1, 7, 5}, ImageShape{3, 2, 9}}) {
    std::vector<uint8_t> pixels(shape.num_values());
    error_of([&] { decode_jpeg(file, "image.jpg", shape, pixels); });
  }
}

const Schema& digits_schema() {
  static const Schema schema = parse_schema(R"(
schema = "equinoise/1"
dataset = "digits"
reviewed = true
target = "digit"
[public]
num_records = 2
[image]
shape = [1, 2, 3]
[columns.digit]
type = "categorical"
values = ["0", "1"]
)",
                                            "schema.toml");
  return schema;
}

/// Reads and encodes.
void read_digits(const std::filesystem::path& images, const std::filesystem::path& labels,
                 TableUse use) {
  error_of([&] {
    const Dataset dataset = read_images(images, labels, digits_schema(), use);
    const bool with_target = use != TableUse::kFeaturesOnly;
    const EncodedTable table =
        encode(dataset, digits_schema(), with_target ? TargetUse::kRequired : TargetUse::kNone);
    require(table.num_records == dataset.num_records, "every record is encoded");
    require(use != TableUse::kDescribed || table.num_records == digits_schema().num_records,
            "the table has the public number of records");
    for (int64_t r = 0; r < table.num_records; ++r) {
      for (const float value : table.dense_row(r)) {
        require(value >= 0 && value <= 1, "a pixel lies within 0 to 1");
        require(value == 0 || table.contributes[static_cast<size_t>(r)] != 0,
                "a dropped record has zeros");
      }
    }
  });
}

void read_list(const std::filesystem::path& path) {
  const std::string message = error_of([&] {
    AttributeReader records{ByteStream(::equinoise::InputFile(path))};
    while (records.next()) {
      require(records.cells().size() == records.header().size(), "every attribute has a value");
    }
    require(static_cast<int64_t>(records.images().size()) == records.row(),
            "every record has an image");
    for (const ListedImage& image : records.images()) {
      require(!image.name.empty() && image.name.find('/') == image.name.npos && image.name != "..",
              "no image lies outside of the folder");
    }
  });
  require(message.find(kCanary) == message.npos, "a message does not hold what stands in a line");
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  const std::string_view content = fuzz::as_text(data, size);
  static const fuzz::InputFile images("images");
  static const fuzz::InputFile labels("labels");
  if (content.starts_with("\xff\xd8")) {
    fuzz::decode(content);
  } else if (content.starts_with(fuzz::kList)) {
    fuzz::read_list(images.write(content.substr(fuzz::kList.size())));
  } else {
    constexpr std::string_view kTwoLabels("\0\0\x08\x01\0\0\0\x02\0\x05", 10);
    constexpr std::string_view kTwoImages("\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03zzzzzzyyyyyy",
                                          28);
    for (const TableUse use : {TableUse::kDescribed, TableUse::kOther, TableUse::kFeaturesOnly}) {
      fuzz::read_digits(images.write(content), labels.write(kTwoLabels), use);
      fuzz::read_digits(images.write(kTwoImages), labels.write(content), use);
    }
  }
  return 0;
}

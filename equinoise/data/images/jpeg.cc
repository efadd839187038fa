// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/jpeg.h"

#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>  // FILE for jpeglib.h
#include <new>
#include <vector>

// Includes that need <cstdio> first.
#include <jerror.h>
#include <jpeglib.h>

#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/images/area_average.h"

namespace equinoise {
namespace {

/// The limit on pixels times scans: a progressive file of a few bytes can ask for hours of work.
constexpr int64_t kMaxScannedPixels = int64_t{1} << 30;

/// Error handling for libjpeg, which reports an error by a callback that must not return. longjmp
/// leaves the functions in between, so nothing with a destructor may lie between `guarded` and
/// libjpeg.
struct ErrorManager {
  jpeg_error_mgr base;  // first: libjpeg knows this part
  std::jmp_buf jump;
  bool has_many_scans;
};

[[noreturn]] void leave(j_common_ptr info) {
  std::longjmp(reinterpret_cast<ErrorManager*>(info->err)->jump, 1);
}

/// A warning means that data are damaged and that libjpeg would make up the rest.
void on_message(j_common_ptr info, int level) {
  if (level < 0) leave(info);
}

void print_nothing(j_common_ptr) {}

void limit_work(j_common_ptr info) {
  const auto* decompress = reinterpret_cast<j_decompress_ptr>(info);
  const int64_t num_pixels = int64_t{decompress->image_width} * decompress->image_height;
  if (decompress->input_scan_number <= kMaxScannedPixels / num_pixels) return;
  reinterpret_cast<ErrorManager*>(info->err)->has_many_scans = true;
  leave(info);
}

/// One image, row by row.
class Decompressor {
 public:
  Decompressor() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = leave;
    errors_.base.emit_message = on_message;
    errors_.base.output_message = print_nothing;
    if (!guarded([this] { jpeg_create_decompress(&info_); })) throw std::bad_alloc();
    progress_.progress_monitor = limit_work;
    info_.progress = &progress_;
  }
  ~Decompressor() { jpeg_destroy_decompress(&info_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  int64_t width() const { return info_.image_width; }
  int64_t height() const { return info_.image_height; }
  int channels() const { return info_.num_components; }

  /// The reason why a step failed.
  std::string_view problem() const {
    if (errors_.has_many_scans) return "has more scans of its pixels than any real image";
    switch (errors_.base.msg_code) {
      case JERR_SOF_UNSUPPORTED:
      case JERR_BAD_PRECISION:
      case JERR_ARITH_NOTIMPL:
        return "is a kind of JPEG image that cannot be read; convert it to a baseline JPEG image";
      default:
        return "is a damaged JPEG image or was cut short; replace it with an intact copy";
    }
  }

  // Each returns whether it succeeded; after a false nothing else may be called.
  bool read_header(std::string_view file) {
    return guarded([this, file] {
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
      jpeg_read_header(&info_, TRUE);
    });
  }
  bool start(J_COLOR_SPACE colors) {
    info_.out_color_space = colors;
    return guarded([this] { jpeg_start_decompress(&info_); });
  }
  /// row: (width, channels)
  bool read_row(uint8_t* row) {
    return guarded([this, row] {
      JSAMPROW rows[] = {row};
      jpeg_read_scanlines(&info_, rows, 1);
    });
  }
  /// Reads to the end of the image.
  bool finish() {
    return guarded([this] { jpeg_finish_decompress(&info_); });
  }

 private:
  template <typename Call>
  bool guarded(Call call) {
    if (setjmp(errors_.jump) != 0) return false;
    call();
    return true;
  }

  ErrorManager errors_ = {};
  jpeg_progress_mgr progress_ = {};
  jpeg_decompress_struct info_ = {};
};

}  // namespace

void decode_jpeg(std::string_view file, std::string_view name, const ImageShape& shape,
                 std::span<uint8_t> pixels) {
  if (!file.starts_with("\xff\xd8")) fail_in_file(name, "is not a JPEG image; convert it to one");
  Decompressor image;
  if (!image.read_header(file)) fail_in_file(name, image.problem());
  if (image.channels() != 1 && image.channels() != 3) {
    fail_in_file(
        name, fmt::format("has {} colour channels; convert it to RGB or grey", image.channels()));
  }
  if (image.width() * image.height() > kMaxJpegPixels) {
    fail_in_file(name, fmt::format("has {} x {} pixels; at most {} in total can be read",
                                   image.width(), image.height(), kMaxJpegPixels));
  }
  if (!image.start(shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB))
    fail_in_file(name, image.problem());
  AreaAverage average(shape, image.height(), image.width());
  std::vector<uint8_t> row(static_cast<size_t>(image.width() * shape.channels));
  for (int64_t y = 0; y < image.height(); ++y) {
    if (!image.read_row(row.data())) fail_in_file(name, image.problem());
    average.add_row(row);
  }
  if (!image.finish()) fail_in_file(name, image.problem());
  average.write(pixels);
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <new>
#include <vector>

#include "equinoise/data/formats/unpacker.h"

namespace equinoise {
namespace {

class Gzip : public Unpacker {
 public:
  Gzip() : compressed_(size_t{1} << 18) {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { ::inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  size_t read(InputFile& file, std::span<char> buffer) override {
    constexpr Bytef kFirstByte = 0x1f;
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        stream_.avail_in = static_cast<uInt>(file.read(compressed_));
        stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
      }
      if (stream_.avail_in == 0) {
        if (is_between_members_) break;
        fail_to_unpack(file, "ends in the middle of its gzip data: the file was cut short");
      }
      if (is_between_members_ && *stream_.next_in != kFirstByte) {
        fail_in_file(file.name(), "has other bytes after its gzip data; compress the table again");
      }
      const int outcome = ::inflate(&stream_, Z_NO_FLUSH);
      if (outcome == Z_MEM_ERROR) throw std::bad_alloc();
      if (outcome != Z_OK && outcome != Z_STREAM_END) {
        fail_to_unpack(file, "has damaged gzip data");
      }
      is_between_members_ = outcome == Z_STREAM_END;
      if (is_between_members_) ::inflateReset(&stream_);
    }
    return buffer.size() - stream_.avail_out;
  }

 private:
  std::vector<char> compressed_;
  z_stream stream_ = {};
  bool is_between_members_ = false;
};

}  // namespace

std::unique_ptr<Unpacker> unpack_gzip() { return std::make_unique<Gzip>(); }

}  // namespace equinoise

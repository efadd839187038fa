// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/byte_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <new>
#include <span>
#include <utility>

namespace equinoise {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

[[noreturn]] void fail_in_gzip(const InputFile& file, std::string_view problem) {
  fail_in_file(file.name(), fmt::format("{}; fetch or compress the file again", problem));
}

}  // namespace

/// Inflates the members of a gzip file one after another.
class ByteStream::Gzip {
 public:
  Gzip() : compressed_(kBlockBytes) {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() { ::inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// As InputFile::read, of the inflated content.
  size_t read(InputFile& file, std::span<char> buffer) {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        stream_.avail_in = static_cast<uInt>(file.read(compressed_));
        stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
      }
      if (stream_.avail_in == 0) {
        if (is_between_members_) break;
        fail_in_gzip(file, "ends in the middle of its gzip data: the file was cut short");
      }
      if (is_between_members_ && *stream_.next_in != static_cast<Bytef>(kGzipMagic[0])) {
        fail_in_file(file.name(), "has other bytes after its gzip data; compress the table again");
      }
      const int outcome = ::inflate(&stream_, Z_NO_FLUSH);
      if (outcome == Z_MEM_ERROR) throw std::bad_alloc();
      if (outcome != Z_OK && outcome != Z_STREAM_END) {
        fail_in_gzip(file, "has damaged gzip data");
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

ByteStream::ByteStream(InputFile file, size_t block_bytes)
    : file_(std::move(file)), buffer_(block_bytes) {
  if (file_.starts_with(kGzipMagic)) gzip_ = std::make_unique<Gzip>();
  if (block().starts_with(kByteOrderMark)) skip(kByteOrderMark.size());
  if (block().empty()) fail_in_file(name(), "is empty");
}

ByteStream::~ByteStream() = default;
ByteStream::ByteStream(ByteStream&& other) noexcept = default;

std::string_view ByteStream::block() {
  if (position_ == size_) {
    size_ = gzip_ ? gzip_->read(file_, buffer_) : file_.read(buffer_);
    position_ = 0;
  }
  return {buffer_.data() + position_, size_ - position_};
}

}  // namespace equinoise

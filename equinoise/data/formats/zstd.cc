// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include <new>
#include <vector>

#include "equinoise/data/formats/unpacker.h"

namespace equinoise {
namespace {

class Zstd : public Unpacker {
 public:
  Zstd() : packed_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  size_t read(InputFile& file, std::span<char> buffer) override {
    ZSTD_outBuffer out = {buffer.data(), buffer.size(), 0};
    while (out.pos < out.size) {
      if (in_.pos == in_.size) in_ = {packed_.data(), file.read(packed_), 0};
      const bool is_end = in_.size == 0;
      if (is_end && is_between_frames_) break;
      const size_t filled = out.pos;
      const size_t expected = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(expected) != 0) fail_to_unpack(file, "has damaged zstd data");
      is_between_frames_ = expected == 0;
      // The stream may still hold output of its input so far.
      if (is_end && !is_between_frames_ && out.pos == filled)
        fail_to_unpack(file, "ends in the middle of its zstd data: the file was cut short");
    }
    return out.pos;
  }

 private:
  std::vector<char> packed_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer in_ = {nullptr, 0, 0};
  bool is_between_frames_ = false;
};

}  // namespace

std::unique_ptr<Unpacker> unpack_zstd() { return std::make_unique<Zstd>(); }

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/byte_stream.h"

#include <utility>

#include "equinoise/data/formats/file_kind.h"

namespace equinoise {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

ByteStream::ByteStream(InputFile file, size_t block_bytes)
    : file_(std::move(file)), unpacker_(unpacker_of(file_)), buffer_(block_bytes) {
  // The end of a packed content is not known yet.
  for (const std::string_view problem :
       {problem_of_kind(file_.start(kKindBytes), file_.end(kKindEndBytes)),
        problem_of_kind(block(), "")}) {
    if (!problem.empty()) fail_in_file(name(), problem);
  }
  has_byte_order_mark_ = block().starts_with(kByteOrderMark);
  if (has_byte_order_mark_) skip(kByteOrderMark.size());
  if (block().empty()) fail_in_file(name(), "is empty");
}

ByteStream::~ByteStream() = default;
ByteStream::ByteStream(ByteStream&& other) noexcept = default;

std::string_view ByteStream::block() {
  if (position_ == size_) {
    size_ = unpacker_ ? unpacker_->read(file_, buffer_) : file_.read(buffer_);
    position_ = 0;
  }
  return {buffer_.data() + position_, size_ - position_};
}

}  // namespace equinoise

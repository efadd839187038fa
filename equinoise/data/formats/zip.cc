// SPDX-License-Identifier: Apache-2.0
// Source for the form of a zip archive: APPNOTE 6.3 by PKWARE, sections 4.3.7 to 4.3.12.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/formats/unpacker.h"

namespace equinoise {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kCentralHeader = 0x02014b50;
constexpr uint32_t kDescriptor = 0x08074b50;
constexpr uint16_t kEncrypted = 1;
constexpr uint16_t kHasDescriptor = 8;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;

/// The header before the data of a member.
struct MemberHeader {
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t checksum = 0;
  uint32_t packed_size = 0;
  uint32_t size = 0;
  std::string name;

  /// Whether a member counts: folders, hidden files (.DS_Store) and files that macOS adds do not.
  bool counts() const {
    const std::string_view file = std::string_view(name).substr(name.rfind('/') + 1);
    return !file.empty() && !file.starts_with('.') && !name.starts_with("__MACOSX/");
  }
};

class Zip : public Unpacker {
 public:
  Zip() : packed_(size_t{1} << 18) {
    if (::inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Zip() override { ::inflateEnd(&stream_); }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;

  size_t read(InputFile& file, std::span<char> buffer) override {
    if (is_before_member_) find_member(file);
    if (is_done_) return 0;
    const size_t size = read_data(file, buffer);
    if (size < buffer.size()) finish(file);
    return size;
  }

 private:
  [[noreturn]] void fail_damaged(const InputFile& file) {
    fail_in_file(file.name(),
                 "is a zip archive that is damaged or was cut short; fetch or pack the file again");
  }

  /// Moves to the next bytes of the file; false at its end.
  bool refill(InputFile& file) {
    if (stream_.avail_in > 0) return true;
    stream_.avail_in = static_cast<uInt>(file.read(packed_));
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    return stream_.avail_in > 0;
  }

  uint64_t take_number(InputFile& file, int num_bytes) {
    uint64_t number = 0;
    for (int i = 0; i < num_bytes; ++i) {
      if (!refill(file)) fail_damaged(file);
      number |= uint64_t{*stream_.next_in++} << (8 * i);
      --stream_.avail_in;
    }
    return number;
  }
  uint16_t take16(InputFile& file) { return static_cast<uint16_t>(take_number(file, 2)); }
  uint32_t take32(InputFile& file) { return static_cast<uint32_t>(take_number(file, 4)); }

  std::string take_text(InputFile& file, size_t size) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(take_number(file, 1));
    return text;
  }

  /// The header of a member, after its signature.
  MemberHeader take_header(InputFile& file) {
    MemberHeader header;
    take16(file);  // the version that is needed
    header.flags = take16(file);
    header.method = take16(file);
    take32(file);  // time and date
    header.checksum = take32(file);
    header.packed_size = take32(file);
    header.size = take32(file);
    const uint16_t name_size = take16(file);
    const uint16_t extra_size = take16(file);
    header.name = take_text(file, name_size);
    take_text(file, extra_size);
    return header;
  }

  /// Moves to the data of the first file.
  void find_member(InputFile& file) {
    uint32_t signature = take32(file);
    while (true) {
      if (signature != kLocalHeader)
        fail_in_file(file.name(), "is a zip archive without a file that can be read");
      begin_member(file);
      if (member_.counts()) break;
      signature = skip_member(file);
    }
    is_before_member_ = false;

    for (const std::string_view part : {"[Content_Types].xml", "_rels/", "docProps/", "xl/"}) {
      if (member_.name.starts_with(part))
        fail_in_file(file.name(), "is an Excel workbook; save the sheet as CSV UTF-8");
    }
    if (member_.name == "mimetype")
      fail_in_file(file.name(), "is an OpenDocument file; save the sheet as CSV");
    if (member_.name.ends_with(".npy"))
      fail_in_file(file.name(), "holds NumPy arrays; write the table as Parquet or CSV");
    check_form(file);
  }

  /// Reads the header of a member, after its signature.
  void begin_member(InputFile& file) {
    member_ = take_header(file);
    left_ = member_.packed_size;
    checksum_ = 0;
    is_inflated_ = false;
    ::inflateReset(&stream_);
  }

  /// Skips a member that does not count, and returns the signature after it.
  uint32_t skip_member(InputFile& file) {
    check_form(file);
    std::vector<char> ignored(size_t{1} << 12);
    while (read_data(file, ignored) == ignored.size()) {
    }
    return end_member(file);
  }

  void check_form(const InputFile& file) {
    if ((member_.flags & kEncrypted) != 0)
      fail_in_file(file.name(), "is an encrypted zip archive; unpack it with unzip");
    const bool is_known = member_.method == kDeflated ||
                          (member_.method == kStored && (member_.flags & kHasDescriptor) == 0);
    if (!is_known)
      fail_in_file(file.name(),
                   "is a zip archive of a form that is not read here; unpack it with unzip");
  }

  /// Returns less than the buffer holds at the end of the member.
  size_t read_data(InputFile& file, std::span<char> buffer) {
    const size_t size = member_.method == kStored ? copy(file, buffer) : inflate_into(file, buffer);
    checksum_ = ::crc32_z(checksum_, reinterpret_cast<const Bytef*>(buffer.data()), size);
    return size;
  }

  size_t copy(InputFile& file, std::span<char> buffer) {
    size_t filled = 0;
    while (filled < buffer.size() && left_ > 0) {
      if (!refill(file)) fail_damaged(file);
      const size_t size =
          std::min({buffer.size() - filled, size_t{left_}, size_t{stream_.avail_in}});
      std::copy_n(stream_.next_in, size, buffer.begin() + static_cast<std::ptrdiff_t>(filled));
      stream_.next_in += size;
      stream_.avail_in -= static_cast<uInt>(size);
      left_ -= static_cast<uint32_t>(size);
      filled += size;
    }
    return filled;
  }

  size_t inflate_into(InputFile& file, std::span<char> buffer) {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    while (stream_.avail_out > 0 && !is_inflated_) {
      if (!refill(file)) fail_damaged(file);
      const int outcome = ::inflate(&stream_, Z_NO_FLUSH);
      if (outcome == Z_MEM_ERROR) throw std::bad_alloc();
      if (outcome != Z_OK && outcome != Z_STREAM_END) fail_damaged(file);
      is_inflated_ = outcome == Z_STREAM_END;
    }
    return buffer.size() - stream_.avail_out;
  }

  /// Checks the data that were read of a member, and returns the signature after it.
  uint32_t end_member(InputFile& file) {
    uint32_t checksum = member_.checksum;
    uint32_t signature = take32(file);
    if ((member_.flags & kHasDescriptor) != 0) {
      checksum = signature == kDescriptor ? take32(file) : signature;
      take32(file);  // both sizes, of 32 bits or of 64
      take32(file);
      signature = take32(file);
      if (signature != kLocalHeader && signature != kCentralHeader) {
        take32(file);
        signature = take32(file);
      }
    }
    if (checksum != checksum_) fail_damaged(file);
    if (signature != kLocalHeader && signature != kCentralHeader) fail_damaged(file);
    return signature;
  }

  /// Checks the data that were read, and that no other file follows.
  void finish(InputFile& file) {
    is_done_ = true;
    uint32_t signature = end_member(file);
    while (signature == kLocalHeader) {
      begin_member(file);
      if (member_.counts()) {
        fail_in_file(
            file.name(),
            "is a zip archive of several files; unpack it with unzip and give one of them");
      }
      signature = skip_member(file);
    }
  }

  std::vector<char> packed_;
  z_stream stream_ = {};
  MemberHeader member_;
  uLong checksum_ = 0;
  uint32_t left_ = 0;  ///< bytes left of a stored member
  bool is_before_member_ = true;
  bool is_inflated_ = false;
  bool is_done_ = false;
};

}  // namespace

std::unique_ptr<Unpacker> unpack_zip() { return std::make_unique<Zip>(); }

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace equinoise {

/// Throws the input error (`data.table`) that names a file.
[[noreturn]] void fail_in_file(std::string_view file, std::string_view problem);

/// A regular file that is not empty, open for reading. The file that was checked is the file that
/// is read, whatever happens to its name meanwhile. Or standard input of any kind, which can be
/// read once.
class InputFile {
 public:
  /// `name`: for messages; "": the path. Errors (kInput): missing, unreadable, a directory, not a
  /// regular file, empty.
  explicit InputFile(const std::filesystem::path& path, std::string name = "");
  /// Standard input. Errors (kInput): unreadable, empty.
  static InputFile standard_input();
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  InputFile& operator=(InputFile&&) = delete;

  const std::string& name() const { return name_; }  ///< for messages

  bool is_standard_input() const { return is_standard_input_; }

  /// The first `size` bytes of the file, or the whole file; for standard input at most kHeadBytes.
  std::string start(size_t size) const;

  /// The last `size` bytes of the file, or the whole file; nothing for standard input.
  std::string end(size_t size) const;

  /// Whether the file begins with `magic`.
  bool starts_with(std::string_view magic) const;

  /// Reads on until the buffer is full or the file ends. Returns the number of bytes read.
  size_t read(std::span<char> buffer);

  /// A path of this very file that needs no escaping in SQL and has no wildcards.
  std::string alias() const;

 private:
  static constexpr size_t kHeadBytes = size_t{1} << 16;

  InputFile() = default;
  size_t read_on(std::span<char> buffer) const;

  std::string name_;
  int descriptor_ = -1;
  bool is_standard_input_ = false;
  std::string head_;     ///< the first bytes of standard input
  size_t num_read_ = 0;  ///< bytes of head_ already read
};

/// The size and time of a file when it was first seen.
class SeenFile {
 public:
  /// Errors: kInput for a file whose size or time cannot be read.
  explicit SeenFile(std::filesystem::path path);

  /// Whether its size and the time of its last change are unchanged.
  bool is_same() const;

 private:
  std::filesystem::path path_;
  uintmax_t size_ = 0;
  std::filesystem::file_time_type time_;
};

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace equinoise {

/// Who may read a file: anyone the umask allows, or only its owner.
enum class Audience { kAnybody, kOwner };

/// Writes a file and forces it to the disk, including its name in the folder. Errors: kRuntime,
/// naming the file.
void write_file(const std::filesystem::path& path, const std::string& content, Audience audience);

/// The same for text that `content` hands over piece by piece.
using PieceSink = std::function<void(std::string_view)>;
void write_file(const std::filesystem::path& path,
                const std::function<void(const PieceSink&)>& content, Audience audience);

/// Replaces a file by another one and forces that to the disk. Errors: kRuntime.
void move_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Claims `bytes` of disk for a file that the caller removes. Errors: kRuntime, e.g. a full disk.
void reserve_space(const std::filesystem::path& path, int64_t bytes);

/// Forces the names in the folder of `path` to the disk, as far as the file system can.
void sync_folder_of(const std::filesystem::path& path);

}  // namespace equinoise

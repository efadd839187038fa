// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/parquet_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "equinoise/base/small_letters.h"
#include "equinoise/data/formats/input_file.h"

namespace equinoise {

namespace {

namespace fs = std::filesystem;

bool is_hidden(std::string_view name) {
  return name.starts_with('.') || (name.starts_with('_') && name.find('=') == name.npos);
}

/// The name of the table format in a folder whose files may no longer be part of the table; "":
/// none.
std::string_view table_format_of(const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder / "_delta_log", ignored)) return "Delta";
  if (fs::is_directory(folder / ".hoodie", ignored)) return "Hudi";
  for (fs::directory_iterator entry(folder / "metadata", ignored), end; !ignored && entry != end;
       entry.increment(ignored))
    if (entry->path().string().ends_with(".metadata.json")) return "Iceberg";
  return "";
}

enum class Found {
  kParquet,      ///< a file of such a name
  kOtherFile,    ///< with another name
  kAgain,        ///< a file or folder that was there already
  kNoFile,       ///< such a name, but no file, e.g. a link to nothing
  kTableFormat,  ///< a folder of Delta, Iceberg or Hudi
  kUnreadable,   ///< a folder
};

/// Called for each path found; returns false to stop.
using Visit = std::function<bool(const fs::path& path, Found found)>;

/// Device and inode numbers of files and folders; a link has those of its target.
using SeenPaths = std::set<std::pair<dev_t, ino_t>>;

bool walk(const fs::path& folder, SeenPaths& seen, const Visit& visit) {
  if (!table_format_of(folder).empty() && !visit(folder, Found::kTableFormat)) return false;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (is_hidden(path.filename().string())) continue;
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored);
    Found found = has_parquet_name(path) ? Found::kParquet : Found::kOtherFile;
    if (is_folder || found == Found::kParquet) {
      struct stat status = {};
      if (::stat(path.c_str(), &status) != 0 || !(is_folder || S_ISREG(status.st_mode))) {
        found = Found::kNoFile;
      } else if (!seen.emplace(status.st_dev, status.st_ino).second) {
        found = Found::kAgain;
      } else if (is_folder) {
        if (!walk(path, seen, visit)) return false;
        continue;
      }
    }
    if (!visit(path, found)) return false;
  }
  return !error || visit(folder, Found::kUnreadable);
}

bool walk(const fs::path& folder, const Visit& visit) {
  SeenPaths seen;
  struct stat status = {};
  if (::stat(folder.c_str(), &status) == 0) seen.emplace(status.st_dev, status.st_ino);
  return walk(folder, seen, visit);
}

[[noreturn]] void refuse_table_format(const fs::path& folder, std::string_view format) {
  fail_in_file(folder.string(),
               fmt::format("is a table of {0}, which keeps files whose rows no longer count; have "
                           "Spark or another reader of {0} write its rows as Parquet files into a "
                           "folder elsewhere, and give that",
                           format));
}

void require_file_of_other_kind(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) return;
  if (!InputFile(path).starts_with("PAR1")) return;
  fail_in_file(path.string(),
               "is a Parquet file, but its name does not end in .parquet; rename it, or move it "
               "out of the folder");
}

}  // namespace

bool has_parquet_name(const fs::path& path) {
  const std::string ending = in_small_letters(path.extension().string());
  return ending == ".parquet" || ending == ".parq" || ending == ".pq";
}

bool is_below(const fs::path& path, const fs::path& folder) {
  std::error_code ignored;
  const fs::path relative =
      fs::weakly_canonical(path, ignored).lexically_relative(fs::weakly_canonical(folder, ignored));
  return !relative.empty() && *relative.begin() != "..";
}

std::vector<fs::path> parquet_files(const fs::path& folder) {
  std::error_code ignored;
  for (fs::path above = fs::weakly_canonical(folder, ignored).parent_path();
       above != above.parent_path(); above = above.parent_path()) {
    const std::string_view format = table_format_of(above);
    if (!format.empty()) refuse_table_format(above, format);
  }
  std::vector<fs::path> files;
  walk(folder, [&](const fs::path& path, Found found) {
    switch (found) {
      case Found::kParquet:
        files.push_back(path);
        break;
      case Found::kOtherFile:
        require_file_of_other_kind(path);
        break;
      case Found::kAgain:
        fail_in_file(path.string(),
                     "is in the folder twice, by a link, so that its rows would count twice; "
                     "remove the link");
      case Found::kNoFile:
        fail_in_file(path.string(), "is no file, or a link to nothing; remove it");
      case Found::kTableFormat:
        refuse_table_format(path, table_format_of(path));
      case Found::kUnreadable:
        fail_in_file(path.string(), "is a folder that cannot be read");
    }
    return true;
  });
  std::ranges::sort(files);
  return files;
}

bool holds_parquet(const fs::path& folder) {
  return !walk(folder, [](const fs::path& /*path*/, Found found) {
    return found != Found::kParquet && found != Found::kTableFormat;
  });
}

}  // namespace equinoise

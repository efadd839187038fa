// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace equinoise::testing {

using Lines = std::vector<std::string>;

inline std::filesystem::path source_folder() { return EQUINOISE_SOURCE_DIR; }

/// Whether tests write into the pages what they would otherwise compare with them.
inline bool updates_pages() { return ::getenv("EQUINOISE_UPDATE_DOCS") != nullptr; }

inline Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A Markdown page of the project.
struct Page {
  std::string name;  ///< below the project's folder: "docs/README.md"
  Lines lines;

  std::filesystem::path path() const { return source_folder() / name; }

  /// The lines that are in no code block and no comment, the others empty.
  Lines prose() const {
    Lines prose = lines;
    bool is_code = false;
    bool is_comment = false;
    for (std::string& line : prose) {
      if (line.starts_with("<!--")) is_comment = true;
      const bool is_in_comment = is_comment;
      if (line.ends_with("-->")) is_comment = false;
      const bool is_fence = line.find_first_not_of(' ') != std::string::npos &&
                            line.substr(line.find_first_not_of(' ')).starts_with("```");
      if (is_fence) is_code = !is_code;
      if (is_code || is_fence || is_in_comment) line.clear();
    }
    return prose;
  }

  /// Makes `content` of the lines between the one that begins with `start` and the one that begins
  /// with `end`, where pages are updated; else expects that it is there.
  void expect_between(const std::string& start, const std::string& end, const Lines& content) {
    const auto begins = [](const std::string& mark) {
      return [&mark](const std::string& line) { return line.starts_with(mark); };
    };
    const auto first = std::ranges::find_if(lines, begins(start));
    const auto last = std::find_if(first, lines.end(), begins(end));
    ASSERT_TRUE(first != lines.end() && last != lines.end()) << name << " has no " << start;
    replace(static_cast<size_t>(first - lines.begin()) + 1,
            static_cast<size_t>(last - lines.begin()), content);
  }

  /// The same for the lines from `begin` to `end`.
  void replace(size_t begin, size_t end, const Lines& content) {
    const auto at = [this](size_t line) { return lines.begin() + static_cast<ptrdiff_t>(line); };
    if (updates_pages()) {
      lines.insert(lines.erase(at(begin), at(end)), content.begin(), content.end());
      std::ofstream stream(path(), std::ios::binary);
      for (const std::string& line : lines) stream << line << "\n";
    } else {
      EXPECT_EQ(Lines(at(begin), at(end)), content)
          << name << ":" << begin + 1 << "; EQUINOISE_UPDATE_DOCS=1 writes it anew";
    }
  }
};

inline Page read_page(const std::string& name) {
  std::ifstream stream(source_folder() / name, std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  std::stringstream text;
  text << stream.rdbuf();
  return {name, lines_of(text.str())};
}

/// The pages in a folder of the project, or also below it, by name.
inline std::vector<std::string> names_of_pages(const std::string& folder, bool also_below) {
  std::vector<std::string> names;
  const auto add = [&](const std::filesystem::path& path) {
    if (path.extension() == ".md")
      names.push_back(std::filesystem::relative(path, source_folder()).generic_string());
  };
  const std::filesystem::path root = source_folder() / folder;
  if (also_below) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) add(entry.path());
  } else {
    for (const auto& entry : std::filesystem::directory_iterator(root)) add(entry.path());
  }
  std::ranges::sort(names);
  return names;
}

/// All pages of docs/ and those beside it in the project's folder.
inline std::vector<std::string> names_of_all_pages() {
  std::vector<std::string> names = names_of_pages("", false);
  for (const std::string& name : names_of_pages("docs", true)) names.push_back(name);
  return names;
}

/// What the name of a test may hold.
inline std::string test_name(std::string page) {
  for (char& c : page)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return page;
}

/// The headings of a page without their marks, by the anchors that links use.
inline std::map<std::string, std::string> headings_of(const Page& page) {
  std::map<std::string, std::string> headings;
  for (const std::string& line : page.prose()) {
    const size_t text = line.find_first_not_of('#');
    if (text == 0 || text == std::string::npos || line[text] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(text + 1)) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (c == ' ') anchor += '-';
    }
    std::string unique = anchor;
    for (int i = 1; headings.contains(unique); ++i) unique = anchor + "-" + std::to_string(i);
    headings[unique] = line;
  }
  return headings;
}

/// The lines of the section under that heading ("## Source"), up to the next one.
inline Lines section_of(const Page& page, const std::string& heading) {
  const auto first = std::ranges::find(page.lines, heading);
  if (first == page.lines.end()) return {};
  const auto last = std::find_if(first + 1, page.lines.end(),
                                 [](const std::string& line) { return line.starts_with("#"); });
  return {first + 1, last};
}

}  // namespace equinoise::testing

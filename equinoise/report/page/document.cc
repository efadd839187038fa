// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "equinoise/base/audience.h"
#include "equinoise/base/lists.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/markdown.h"
#include "equinoise/report/page/markup.h"

namespace equinoise {

namespace {

std::string_view mark_of(Fence fence) {
  switch (fence) {
    case Fence::kPublishable:
      return " (publishable)";
    case Fence::kUnprotected:
      return " (NO GUARANTEE)";
    case Fence::kNotPrivate:
      break;
  }
  return " (NOT PRIVATE)";
}

bool is_fenced(const Section& section) { return section.fence == Fence::kNotPrivate; }

/// The same block in one form; each overload returns "" for an empty block.
struct AsPage {
  std::string heading;

  std::string operator()(const Paragraph& block) const {
    return block.text.empty() ? "" : html_paragraph(block.text);
  }
  std::string operator()(const Items& block) const {
    return block.items.empty() ? "" : html_list(block.items);
  }
  std::string operator()(const Facts& block) const {
    std::string rows;
    for (const auto& [name, value] : block.facts)
      rows += element("div", {}, text_element("dt", name) + text_element("dd", value)) + "\n";
    return rows.empty() ? "" : element("dl", {{"class", "facts"}}, "\n" + rows) + "\n";
  }
  std::string operator()(const TextTable& block) const {
    return block.rows.empty() ? "" : html_table(block, block.caption != heading);
  }
  std::string operator()(const Sides& block) const {
    return element(
               "div", {{"class", "sides"}},
               element("div", {}, "<h3>Publishable</h3>" + html_list(block.publishable)) +
                   element("div", {{"class", "closed"}},
                           "<h3>Not private, do not publish</h3>" + html_list(block.not_private))) +
           "\n";
  }
  std::string operator()(const Code& block) const {
    return block.text.empty() ? "" : text_element("pre", block.text) + "\n";
  }
  std::string operator()(const Picture& block) const { return block.markup; }
};

struct AsCard {
  std::string heading;

  std::string operator()(const Paragraph& block) const {
    return block.text.empty() ? "" : "\n" + markdown_text(block.text) + "\n";
  }
  std::string operator()(const Items& block) const {
    std::string text;
    for (const std::string& item : block.items) text += "- " + markdown_text(item) + "\n";
    return text.empty() ? "" : "\n" + text;
  }
  std::string operator()(const Facts& block) const {
    TextTable table{"", {"fact", "value"}};
    for (const auto& [name, value] : block.facts) table.rows.push_back({name, value});
    return table.rows.empty() ? "" : markdown_table(table);
  }
  std::string operator()(const TextTable& block) const {
    if (block.rows.empty()) return "";
    const bool is_named = block.caption.empty() || block.caption == heading;
    return (is_named ? "" : "\n" + markdown_text(block.caption) + ":\n") + markdown_table(block);
  }
  std::string operator()(const Sides&) const { return ""; }
  std::string operator()(const Code& block) const {
    return block.text.empty() ? "" : "\n" + markdown_code(block.text);
  }
  std::string operator()(const Picture&) const { return ""; }
};

struct AsLines {
  std::string heading;
  bool is_verbose;

  std::string operator()(const Paragraph& block) const {
    return block.text.empty() || !is_verbose ? "" : wrapped(block.text) + "\n";
  }
  std::string operator()(const Items& block) const { return lines_of(block.items); }
  std::string operator()(const Facts& block) const {
    size_t width = 0;
    for (const auto& [name, value] : block.facts) width = std::max(width, name.size());
    std::string text;
    for (const auto& [name, value] : block.facts)
      text += wrapped(fmt::format("  {:<{}}  {}", name, width, value), width + 4) + "\n";
    return text;
  }
  std::string operator()(const TextTable& block) const {
    if (block.rows.empty()) return "";
    const bool is_named = block.caption.empty() || block.caption == heading;
    return (is_named ? "" : wrapped(block.caption) + "\n") + to_text(block);
  }
  std::string operator()(const Sides& block) const {
    return "Publishable:\n" + lines_of(block.publishable) + "Not private, do not publish:\n" +
           lines_of(block.not_private);
  }
  std::string operator()(const Code& block) const {
    return block.text.empty() ? "" : wrapped(block.text, 2, " \\") + "\n";
  }
  std::string operator()(const Picture&) const { return ""; }
};

template <typename Writer>
std::string blocks_of(const Section& section, const Writer& writer, std::string_view between = "") {
  std::string text;
  for (const Block& block : section.blocks) {
    const std::string part = std::visit(writer, block);
    if (!part.empty() && !text.empty()) text += between;
    text += part;
  }
  return text;
}

}  // namespace

std::vector<WrittenFile> marked(const std::vector<std::string>& files, Fence released) {
  std::vector<WrittenFile> result;
  for (const std::string& file : files) {
    const bool is_of_owner = audience_of(file) == Audience::kOwner;
    result.push_back({file, is_of_owner ? Fence::kNotPrivate : released});
  }
  return result;
}

std::string to_text(const std::vector<WrittenFile>& files) {
  struct FolderLine {
    std::filesystem::path folder;
    std::string mark;
    std::string text;
  };
  std::vector<FolderLine> lines;
  for (const WrittenFile& file : files) {
    const std::filesystem::path path(file.path);
    const std::string mark(file.fence ? mark_of(*file.fence) : "");
    const auto line = std::ranges::find_if(lines, [&](const FolderLine& other) {
      return other.folder == path.parent_path() && other.mark == mark;
    });
    if (line == lines.end())
      lines.push_back({path.parent_path(), mark, "wrote " + file.path});
    else
      line->text += ", " + path.filename().string();
  }
  std::string text;
  for (const FolderLine& line : lines) text += wrapped(line.text + line.mark) + "\n";
  return text;
}

Fence fence_of(const Document& document) {
  Fence whole = Fence::kPublishable;
  for (const Section& section : document.sections) whole = std::max(whole, section.fence);
  return whole;
}

std::vector<std::string> Document::all_warnings() const {
  std::vector<std::string> all = warnings;
  append(all, owner_warnings);
  return all;
}

std::string to_page(const Document& document) {
  const Fence whole = fence_of(document);
  const bool is_unprotected = contains(document.sections, Fence::kUnprotected, &Section::fence);
  std::string body = (whole == Fence::kNotPrivate ? html_banner(document.notice) : "") +
                     html_warnings(document.alarms, {});
  std::string lead;
  for (const std::string& sentence : document.lead) lead += html_paragraph(sentence);
  if (document.summary.empty()) {
    body += std::exchange(lead, "");
  } else {
    body += html_section("In short", whole, html_list(document.summary));
  }
  body +=
      html_warnings({}, whole == Fence::kNotPrivate ? document.all_warnings() : document.warnings);
  for (const Section& section : document.sections) {
    if ((section.forms & Form::kPage) == 0) continue;
    const std::string blocks = blocks_of(section, AsPage{section.heading});
    if (blocks.empty()) continue;
    body += html_section(section.heading, section.fence, blocks);
    if (!lead.empty())
      body += html_section("Guarantee", Fence::kPublishable, std::exchange(lead, ""));
  }
  std::vector<std::string> files;
  for (const WrittenFile& file : document.files)
    files.push_back(std::filesystem::path(file.path).filename().string() +
                    std::string(file.fence ? mark_of(*file.fence) : ""));
  if (!files.empty()) {
    const Fence listed = contains(document.files, Fence::kNotPrivate, &WrittenFile::fence)
                             ? Fence::kNotPrivate
                         : is_unprotected ? Fence::kUnprotected
                                          : Fence::kPublishable;
    body += html_section("Files written", listed, html_list(files));
  }
  return html_page(document.title, body);
}

std::string to_card(const Document& document) {
  std::string text = fmt::format("# {}\n\n", markdown_text(document.title));
  for (const std::string& alarm : document.alarms)
    text += fmt::format("> **{}.**\n>\n", markdown_text(alarm));
  for (size_t i = 0; i < document.lead.size(); ++i) {
    const std::string sentence = markdown_text(document.lead[i]);
    text += i == 0 ? fmt::format("> **{}**\n", sentence) : fmt::format("> {}\n", sentence);
  }
  for (const std::string& warning : document.warnings)
    text += fmt::format("\nWarning: {}\n", markdown_text(warning));
  for (const Section& section : document.sections) {
    if ((section.forms & Form::kCard) == 0 || is_fenced(section)) continue;
    if (const std::string blocks = blocks_of(section, AsCard{section.heading}); !blocks.empty())
      text += fmt::format("\n## {}\n{}", section.heading, blocks);
  }
  return text;
}

std::string to_screen(const Document& document, bool is_verbose) {
  std::string text;
  for (const std::string& alarm : document.alarms) text += wrapped(alarm) + "\n";
  if (!text.empty()) text += "\n";
  bool shows_fenced = false;
  const bool has_fenced = std::ranges::any_of(document.sections, is_fenced);
  for (const Section& section : document.sections) {
    if ((section.forms & (is_verbose ? Form::kPage : Form::kScreen)) == 0) continue;
    const std::string lines = blocks_of(section, AsLines{section.heading, is_verbose}, "\n");
    if (lines.empty()) continue;
    shows_fenced = shows_fenced || is_fenced(section);
    text += fmt::format("{}{}\n{}\n", wrapped(section.heading),
                        has_fenced ? mark_of(section.fence) : "", lines);
  }
  if (shows_fenced)
    text += wrapped(document.notice.empty() ? kFencedOnScreen : document.notice) + "\n";
  for (const std::string& sentence : document.lead) {
    text += wrapped(sentence) + "\n";
    if (!is_verbose) break;
  }
  if (!is_verbose) text += lines_of(document.account);
  text += warnings_to_text(document.all_warnings()) + to_text(document.files);
  return text;
}

}  // namespace equinoise

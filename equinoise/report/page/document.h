// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// The forms of a report in which a section appears: bits.
using Forms = unsigned;
struct Form {
  static constexpr Forms kPage = 1;    ///< the page, and the output of --verbose
  static constexpr Forms kScreen = 2;  ///< the output on a terminal, without paragraphs
  static constexpr Forms kShown = kPage | kScreen;
  static constexpr Forms kCard = 4;  ///< published with a release; contains nothing confidential
};

struct Paragraph {
  std::string text;
};

struct Items {
  std::vector<std::string> items;
};

/// Names and values, one line each.
struct Facts {
  std::vector<std::pair<std::string, std::string>> facts;
};

/// A preformatted text, such as a command.
struct Code {
  std::string text;
};

/// Two lists side by side: what may be published and what may not.
struct Sides {
  std::vector<std::string> publishable;
  std::vector<std::string> not_private;
};

/// Markup for pages only, such as a chart.
struct Picture {
  std::string markup;
};

/// Empty blocks are left out.
using Block = std::variant<Paragraph, Items, Facts, TextTable, Sides, Code, Picture>;

/// Left out if it has no blocks.
struct Section {
  std::string heading;
  Fence fence = Fence::kNotPrivate;
  Forms forms = Form::kPage;
  std::vector<Block> blocks = {};

  template <typename Content>
  Section& add(Content content) {
    blocks.emplace_back(std::move(content));
    return *this;
  }
};

/// A file that a command left. `fence`: whether it may be published; nothing: no matter of privacy.
struct WrittenFile {
  std::string path;
  std::optional<Fence> fence;
};

/// The files of a run, marked as what it released; those of audience_of() their owner alone are not
/// private.
std::vector<WrittenFile> marked(const std::vector<std::string>& files, Fence released);

/// "wrote model/model.json, model_card.md (publishable)", a line for each mark and folder.
std::string to_text(const std::vector<WrittenFile>& files);

/// Content of a report, from which each of its forms is written.
struct Document {
  std::string title;
  std::string notice;               ///< above confidential figures, instead of the general notice
  std::vector<std::string> alarms;  ///< to be read first
  /// A summary of the page in a few sentences, for decision makers. At the top, before the first
  /// section; `lead` then follows that section.
  std::vector<std::string> summary;
  std::vector<std::string> lead;     ///< the result in sentences; screens show the first
  std::deque<Section> sections;      ///< references to sections stay valid when others are added
  std::vector<std::string> account;  ///< of the ledger, for screens: pages have a section of it
  std::vector<std::string> warnings;
  /// Warnings that only the owner can act on: on screens, and on pages that are not private.
  std::vector<std::string> owner_warnings;
  std::vector<WrittenFile> files;

  /// All warnings, the owner's last.
  std::vector<std::string> all_warnings() const;

  /// The added section.
  Section& section(std::string heading, Fence fence, Forms forms) {
    return sections.emplace_back(Section{std::move(heading), fence, forms});
  }

  /// Adds the section on how to repeat a run.
  void add_repeat(std::string command, const std::string& version, Forms forms = Form::kPage) {
    section("How to repeat it", Fence::kPublishable, forms)
        .add(Code{std::move(command)})
        .add(Paragraph{"Equinoise " + version + "."});
  }
};

/// The fence of a page as a whole: NOT PRIVATE if a section is not.
Fence fence_of(const Document& document);

/// A page that loads nothing, marked as a whole.
std::string to_page(const Document& document);

/// A card in Markdown, without figures that are computed without noise.
std::string to_card(const Document& document);

/// Lines for a terminal: the sections for screens, or everything on the page except drawings.
std::string to_screen(const Document& document, bool is_verbose = false);

}  // namespace equinoise

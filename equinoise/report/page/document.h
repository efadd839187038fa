// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// The forms of a report that have a section: bits.
using Forms = unsigned;
struct Form {
  static constexpr Forms kPage = 1;    ///< the page, and what --verbose prints
  static constexpr Forms kScreen = 2;  ///< what a terminal shows, without paragraphs
  static constexpr Forms kShown = kPage | kScreen;
  static constexpr Forms kCard = 4;  ///< what goes with a release; nothing that is fenced
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

/// A text as it stands, such as a command.
struct Code {
  std::string text;
};

/// Lists of things that may be published and that may not, side by side.
struct Sides {
  std::vector<std::string> publishable;
  std::vector<std::string> not_private;
};

/// Markup that pages alone show, such as a chart.
struct Picture {
  std::string markup;
};

/// Empty blocks are left out.
using Block = std::variant<Paragraph, Items, Facts, TextTable, Sides, Code, Picture>;

/// One without blocks is left out.
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

/// Content of a report; each of its forms is written from this one.
struct Document {
  std::string title;
  std::string notice;               ///< above figures that are fenced, where it is of its own
  std::vector<std::string> alarms;  ///< what must be read first
  /// The page in a few sentences, for a reader who decides. On top of it, before the first section;
  /// `lead` then follows that section.
  std::vector<std::string> summary;
  std::vector<std::string> lead;  ///< the result in sentences, the first for screens
  std::deque<Section> sections;   ///< whose references stay when others are added
  std::vector<std::string> warnings;
  std::vector<std::string> files;

  /// A section that was added.
  Section& section(std::string heading, Fence fence, Forms forms) {
    return sections.emplace_back(Section{std::move(heading), fence, forms});
  }
};

/// A page that loads nothing. NOT PRIVATE where a section is not.
std::string to_page(const Document& document);

/// A card in Markdown, without what is computed without noise.
std::string to_card(const Document& document);

/// Lines for a terminal: what screens show, or all that the page has but for drawings.
std::string to_screen(const Document& document, bool is_verbose = false);

}  // namespace equinoise

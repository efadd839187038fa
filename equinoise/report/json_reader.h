// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/enum_words.h"
#include "equinoise/base/option_value.h"
#include "equinoise/data/schema/json_section.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/event.h"
#include "equinoise/privacy/guarantee.h"

namespace equinoise {

// The reverse of json.h and group_json.h: members of reports that this tool wrote. Errors: kInput,
// naming file and member.

/// A word of an enumeration.
template <typename Json, typename Enum, size_t num_words>
Enum read_word(const BasicJsonSection<Json>& section, const std::string& key,
               const EnumWords<Enum, num_words>& words) {
  const std::optional<Enum> value = value_of(words, section.text(key));
  if (!value) section.wrong(key, fmt::format("one of {}", fmt::join(words_of(words), ", ")));
  return *value;
}

/// The kind of a document, which earlier versions called "report".
template <typename Json>
std::string read_kind(const BasicJsonSection<Json>& root) {
  return root.text(root.has("kind") ? "kind" : "report");
}

/// The document of a command, which a file of its output folder holds.
struct DocumentFile {
  std::string_view command;  ///< its kind
  std::string_view origin;   ///< the file's name
  std::string_view where;    ///< "report.means"
  std::string_view name = "report.json";
};

/// The result of `read` on a document. Errors: kInput, naming file and member.
template <typename Read>
auto read_document(const DocumentFile& file, std::string_view text, const Read& read) {
  const std::string kind =
      fmt::format("a {}{} of this version", file.name,
                  file.name == "report.json" ? fmt::format(" of equinoise {}", file.command) : "");
  const std::string hint =
      fmt::format("give a folder that equinoise {} of this version wrote with --out", file.command);
  const JsonSource source = {std::string(file.origin), file.where, kind, hint};
  const auto json = parse_json<nlohmann::ordered_json>(text, source);
  const OrderedJsonSection root(json, "", source);
  if (read_kind(root) != file.command) root.wrong("kind", fmt::format("\"{}\"", file.command));
  return read(root);
}

/// A guarantee; null: none.
template <typename Json>
std::optional<Guarantee> read_guarantee(const BasicJsonSection<Json>& parent,
                                        const std::string& key);

/// The value of an option.
template <typename Json>
OptionValue read_option(const BasicJsonSection<Json>& options, const std::string& name);

/// Options by name, in their order.
std::vector<Setting> read_options(const OrderedJsonSection& section, const std::string& key);
NamedFigures read_figures(const OrderedJsonSection& section, const std::string& key);

/// An epsilon.
Epsilon read_epsilon(const OrderedJsonSection& section, const std::string& key);

/// A number; null: NaN.
double read_number(const OrderedJsonSection& section, const std::string& key);

/// A list of such numbers.
std::vector<double> read_numbers(const OrderedJsonSection& section, const std::string& key);

/// A count, of records or steps.
int64_t read_count(const OrderedJsonSection& section, const std::string& key);

/// [low, high]
Interval read_interval(const OrderedJsonSection& section, const std::string& key);

/// "KEY" and "KEY_interval"; earlier versions named some of these "interval"
Estimate read_estimate(const OrderedJsonSection& section, const std::string& key);

/// {"sex": "Female", "race": "White"}, in that order; by itself and as a member
GroupLabel read_label(const OrderedJsonSection& label);
GroupLabel read_group(const OrderedJsonSection& section, const std::string& key);

/// A privacy event, and a list of events.
Event read_event(const OrderedJsonSection& section, const std::string& key);
std::vector<Event> read_events(const OrderedJsonSection& section, const std::string& key);

}  // namespace equinoise

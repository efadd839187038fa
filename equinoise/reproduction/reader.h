// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/reproduction/item_header.h"
#include "equinoise/reproduction/report.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// The placeholder in a text that is filled in.
inline constexpr std::string_view kBlank = "{}";

/// The text with `value` in place of its first blank, if it has one.
std::string fill_in(std::string text, std::string_view value);

/// The value of a key. Errors: kInput if it is missing, and for a count below 1.
std::string required_text(const TomlSection& section, std::string_view key);
int64_t required_count(const TomlSection& section, std::string_view key);
double required_number(const TomlSection& section, std::string_view key);

/// The keys of a section, in the order of the file.
std::vector<std::string> keys_of(const TomlSection& section);

/// The list at `key`; empty if it is missing.
std::vector<std::string> texts_of(const TomlSection& section, std::string_view key);

/// The list at `key`. Errors: kInput, with the example, if it is missing or empty.
std::vector<double> required_numbers(const TomlSection& section, std::string_view key,
                                     std::string_view example);

/// The list "metrics". Errors: kInput if it is missing or empty, and for a name that is no metric.
std::vector<std::string> required_metrics(const TomlSection& section, std::string_view example,
                                          const std::function<bool(std::string_view)>& is_metric);

/// "69.9 +- 0.4", "3.41", or "<= 0.05" and ">= 0.6" for bounds. Errors: kInput.
PrintedValue parse_printed_value(std::string_view text);

/// The printed figures in the section `key`, which may be missing, by metric. The key "seeds" in it
/// is no figure, but the number of runs that the others are means of.
std::map<std::string, PrintedValue> read_values(const TomlSection& method, std::string_view key);

/// Sets the options of training methods in a section; `own` are its other keys. Errors: kInput for
/// a key that is neither, and for a value that an option does not take.
void read_training_options(const TomlSection& section, std::vector<std::string> own,
                           TrainingConfig& config);

/// Sets one option of training methods. Errors: kInput, naming `key`, for an unknown option and a
/// value that it does not take.
void set_training_option(const TomlSection& section, std::string_view key, const Setting& setting,
                         TrainingConfig& config);

/// Reads the printed figures of a method: published figures, targets, and the reasons why ours
/// differ from them.
void read_printed(const TomlSection& section, ReproductionMethod& method);

/// Adds a method to the item, with the printed figures of its section.
ReproductionMethod& add_method(const TomlSection& section, const std::string& name,
                               const std::string& method, ItemHeader& item);

/// Sets the reference of every method except the reference itself. Without a reference, "", none is
/// set.
void compare_with(const std::string& reference, std::vector<ReproductionMethod>& methods);

/// The list "divisions": each entry names columns, separated by commas. Errors: kInput if it is
/// missing or empty.
std::vector<std::vector<std::string>> read_divisions(const TomlSection& section);

/// Adds the settings in an item's file that affect runs, or replaces the present ones: values by
/// the names of their keys, "methods.dpsgd.learning_rate" or "sweep.values[2]". Keys for the report
/// and for comparisons are left out.
void read_settings(const toml::table& document, std::map<std::string, std::string>& settings);

/// The list of tables "claims", which may be missing.
std::vector<ReproductionClaim> read_claims(const TomlSection& root);

/// The list of tables "charts", which may be missing.
std::vector<ReproductionChart> read_charts(const TomlSection& root);

/// Calls read(section) for each table in the list `key`, which may be missing.
template <typename Read>
void for_each_table(const TomlSection& root, const std::string& key, const Read& read) {
  const toml::array* tables = root.array(key, "a list of tables");
  if (tables == nullptr) return;
  for (const toml::node& node : *tables) read(root.section(node, key, fmt::format("[[{}]]", key)));
}

/// Calls read(section, name) for each section of `parent`, in the order of the file.
template <typename Read>
void for_each_section(const TomlSection& parent, std::string_view example, const Read& read) {
  for (const auto& [key, node] : parent.in_file_order()) {
    const std::string name(key->str());
    read(parent.section(*node, parent.name_of(name), example), name);
  }
}

/// Calls read for the sections below `key`, which must be present.
template <typename Read>
void for_each_section(const TomlSection& root, std::string_view key, std::string_view example,
                      const Read& read) {
  for_each_section(root.section(key, example), example, read);
}

}  // namespace equinoise

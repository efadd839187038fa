// SPDX-License-Identifier: Apache-2.0
#include "cli/proposals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/command_tree.h"
#include "cli/method_options.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/means/registry.h"
#include "equinoise/models/registry.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/input/record_weights.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

/// The deepest command on the command line, e.g. sample for "synth sample".
CLI::App* innermost(CLI::App* app) {
  for (CLI::App* child : app->get_subcommands()) return innermost(child);
  return app;
}

template <typename Rows>
void add_owners(const Rows& rows, const std::string& option, std::vector<std::string>& owners) {
  for (const auto& row : rows)
    if (row.follows(option)) owners.emplace_back(row.name);
}

/// ", an option of dpse, group_weighted" if few methods or models of a command have the option,
/// else "".
std::string told_owners(const std::string& command, const std::string& option) {
  constexpr size_t kFew = 6;
  const std::vector<std::string> owners = owners_of(command, option);
  return owners.empty() || owners.size() > kFew
             ? ""
             : fmt::format(", an option of {}", fmt::join(owners, ", "));
}

/// The reason why a command has no --weight-column, if users look for one there, and an
/// alternative; else "".
std::string why_no_weights(const std::string& command) {
  if (command == "train" || command == "plan") {
    return fmt::format(
        "training has no survey weights: {0} is an option of means, tables, audit and synth "
        "evaluate. "
        "Train on the records as they are, and judge the model with equinoise audit {0}; do not "
        "copy records by their weights: the guarantee holds for one copy, and people have several",
        kWeightOption);
  }
  if (command == "synth") {
    return fmt::format(
        "synthetic rows have no survey weights: each stands for as much as any other. Declare the "
        "column of weights as numeric, so that rows have weights of their own, and compare them "
        "with equinoise synth evaluate {0}",
        kWeightOption);
  }
  return "";
}

/// "; did you mean --data people.csv?" for a file given without an option, else "".
std::string option_before(const std::string& file, const std::vector<std::string>& known) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return "";
  const std::string option = file.ends_with(".toml") ? "--schema" : "--data";
  if (!contains(known, option)) return "";
  return fmt::format("; did you mean {} {}?", option, file);
}

/// The command that plans another one, which is named after `plan`; else "".
std::string plan_of(const CLI::App& app, const CLI::App& command, const std::string& word) {
  if (command.get_name() != "plan") return "";
  const auto is_planned = [&](const CLI::App* other) {
    return other->get_name() == word && other->get_option_no_throw("--dry-run") != nullptr;
  };
  return app.get_subcommands(is_planned).empty()
             ? ""
             : fmt::format("equinoise {0} --dry-run plans {0}", word);
}

}  // namespace

std::vector<std::string> owners_of(const std::string& command, const std::string& option) {
  std::vector<std::string> owners;
  if (command == "train" || command == "plan" || command == "compare") {
    add_owners(training_methods(), option, owners);
    add_owners(model_kinds(), option, owners);
  } else if (command == "means") {
    add_owners(mean_estimators(), option, owners);
  } else if (command == "synth") {
    add_owners(synthesizers(), option, owners);
  }
  return owners;
}

std::vector<std::string> proposals_for(CLI::App& app, const std::vector<std::string>& unknown) {
  CLI::App* command = innermost(&app);
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options()) {
    const std::string flag = long_flag(*option);
    known.push_back(flag.empty() ? option->get_name() : flag);
  }
  for (const CLI::App* child : command->get_subcommands([](CLI::App*) { return true; })) {
    known.push_back(child->get_name());
  }
  std::vector<std::string> proposals;
  bool is_of_weights = false;
  for (const std::string& word : unknown) {
    // The word after --weight-column is its column and needs no message of its own.
    if (std::exchange(is_of_weights, false) && !word.starts_with("-")) continue;
    const std::string name = word.substr(0, word.find('='));
    if (const std::string plan = plan_of(app, *command, name); !plan.empty()) return {plan};
    std::string nearest = nearest_name(name, known);
    // One command forms groups by what another reports by.
    for (const auto& [one, other] : {std::pair("--by", "--groups"), std::pair("--groups", "--by")})
      if (nearest.empty() && name == one && contains(known, std::string(other))) nearest = other;
    const std::string why = name == kWeightOption ? why_no_weights(command->get_name()) : "";
    if (!why.empty()) {
      proposals.push_back(why);
      is_of_weights = word == name;
      continue;
    }
    if (nearest == name) {
      proposals.push_back(fmt::format("put {} after the command {}", name, command->get_name()));
      continue;
    }
    proposals.push_back(fmt::format(
        "unknown {} {}{}", name.starts_with("-") ? "option" : "argument", name,
        nearest.empty() ? option_before(word, known)
                        : fmt::format("; did you mean {}{}?", nearest,
                                      told_owners(command->get_name(), name_of(nearest)))));
    if (command == &app && !name.starts_with("-")) break;  // the rest is for the command it names
  }
  return proposals;
}

}  // namespace equinoise::cli

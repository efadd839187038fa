// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/answers.h"
#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/request_options.h"

namespace equinoise::cli {

namespace {

/// Text that troff prints as it is: no escapes, no requests at the beginning of a line.
std::string escaped(std::string_view text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    begins = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'') {
      result += "\\(aq";
    } else if (c == '"') {
      result += "\\(dq";
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fP", escaped(text)); }

/// Lines that stay as they are, such as examples.
std::string verbatim(const std::string& text) {
  const size_t begin = text.find_first_not_of('\n');
  if (begin == std::string::npos) return "";
  const size_t end = text.find_last_not_of('\n');
  return fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(text.substr(begin, end + 1 - begin)));
}

std::string option_text(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : spellings_of(option))
    names += (names.empty() ? "" : ", ") + bold(name);
  if (names.empty()) names = bold(option.get_name());
  // Long lists of words may be broken at their commas.
  const std::string breakable =
      CLI::detail::find_and_replace(escaped(facts_of(option)), ",", ",\\:");
  return fmt::format(".TP\n{}{}\n{}\n", names, breakable, escaped(option.get_description()));
}

std::string section_text(const std::string& title, const std::vector<const CLI::Option*>& options) {
  if (options.empty()) return "";
  std::string text = fmt::format(".PP\n{}\n", bold(title));
  for (const CLI::Option* option : options) text += option_text(*option);
  return text;
}

std::string command_text(const CLI::App& command) {
  std::string text = fmt::format(".SS \"{}\"\n{}\n", escaped(path_of(command)),
                                 escaped(command.get_description()));
  text += section_text("Arguments", positionals_of(command));
  std::vector<const CLI::Option*> unseen;
  for (const std::string& title : command.get_groups()) {
    std::vector<const CLI::Option*> options;
    for (const CLI::Option* option : flags_of(command))
      if (option->get_group() == title) options.push_back(option);
    if (title == kNotShown) {
      unseen = std::move(options);
    } else {
      text += section_text(title, options);
    }
  }
  // Options that help does not show.
  text += section_text(kNotShown, unseen);
  // CLI11 hands down the footer of a command to those below it.
  const std::string footer = command.get_footer();
  return footer == command.get_parent()->get_footer() ? text : text + verbatim(footer);
}

/// The manual page of the whole tool in troff's man macros, with a ragged margin and no hyphens of
/// troff's own, which would look like those of options.
std::string manual_of(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH EQUINOISE 1 \"\" \"equinoise {0}\" \"User Commands\"\n"
      ".ad l\n.nh\n.SH NAME\nequinoise \\- group\\-fair differential privacy\n"
      ".SH SYNOPSIS\n\\fBequinoise\\fP \\fICOMMAND\\fP [\\fIOPTIONS\\fP]\n"
      ".SH DESCRIPTION\n{1}\n",
      EQUINOISE_VERSION, escaped(app.get_description()));
  for (const CLI::App* command : subcommands_of(app))
    text +=
        fmt::format(".TP\n{}\n{}\n", bold(path_of(*command)), escaped(command->get_description()));
  text += ".SH OPTIONS\n";
  for (const CLI::Option* option : flags_of(app)) text += option_text(*option);
  text += verbatim(app.get_footer());
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : all_commands(app))
    if (command != &app) text += command_text(*command);
  return text;
}

}  // namespace

void add_manual_command(CLI::App& app, CommonOptions& common) {
  add_command(app,
              {"manual", "Write the manual page of all commands",
               "equinoise manual > equinoise.1 && man -l equinoise.1"},
              common, [&app, &common](const CLI::App&) {
                const std::string text = manual_of(app);
                print_report(ManualPage{text}, text, common);
              });
}

}  // namespace equinoise::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/answers.h"
#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/request_options.h"

namespace equinoise::cli {

namespace {

/// A word that may be typed and what is said of it.
struct Word {
  std::string text;
  std::string description;
};

/// A flag of a command and the words that may follow it.
struct Flag {
  Word word;
  bool takes_value;
  std::vector<std::string> values;  ///< empty: files
};

/// The words that can be typed after a command.
struct CommandWords {
  std::string path;
  std::vector<Word> words;  ///< commands below it, or what its arguments take
  std::vector<Flag> flags;
};

/// A description cut to what fits next to a word.
std::string brief(const std::string& description) {
  size_t end = description.size();
  for (const std::string_view stop : {"\n", "; ", ": ", ". ", " (", " ["})
    end = std::min(end, description.find(stop));
  return description.substr(0, end);
}

CommandWords words_of(const CLI::App& command) {
  CommandWords result{path_of(command), {}, {}};
  for (const CLI::App* child : subcommands_of(command))
    result.words.push_back({child->get_name(), brief(child->get_description())});
  for (const CLI::Option* option : positionals_of(command))
    for (const std::string& word : known_words(*option)) result.words.push_back({word, ""});
  for (const CLI::Option* option : flags_of(command)) {
    for (const std::string& name : option->get_lnames()) {
      result.flags.push_back({{"--" + name, brief(option->get_description())},
                              takes_value(*option),
                              known_words(*option)});
    }
  }
  return result;
}

std::vector<CommandWords> words_of_all(const CLI::App& app) {
  std::vector<CommandWords> all;
  for (const CLI::App* command : all_commands(app)) all.push_back(words_of(*command));
  return all;
}

/// 'a' 'b' 'c'; `format` makes each of a word.
template <typename Words, typename Format>
std::string list_of(const Words& words, Format format) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + shell_quoted(format(word));
  return text;
}

/// The names of the commands below the tool, as patterns of a case: 'equinoise train'|...
std::string paths_of(const std::vector<CommandWords>& all) {
  std::string text;
  for (const CommandWords& command : all)
    if (&command != &all.front()) text += (text.empty() ? "" : "|") + shell_quoted(command.path);
  return text;
}

/// Tables of what can be typed, common to bash and zsh. `format` makes an entry of a word and its
/// description.
std::string tables_of(const std::vector<CommandWords>& all, std::string (*format)(const Word&)) {
  std::string text = "  case \"$at\" in\n";
  std::string values;
  for (const CommandWords& command : all) {
    std::vector<Word> flags;
    std::vector<Word> switches;
    for (const Flag& flag : command.flags) {
      flags.push_back(flag.word);
      if (!flag.takes_value) switches.push_back(flag.word);
      if (flag.values.empty()) continue;
      values +=
          fmt::format("    {}) values=({}) ;;\n", shell_quoted(command.path + " " + flag.word.text),
                      list_of(flag.values, [](const std::string& word) { return word; }));
    }
    text += fmt::format(
        "    {})\n      words_here=({})\n      flags=({})\n      switches=({}) ;;\n",
        shell_quoted(command.path), list_of(command.words, format), list_of(flags, format),
        list_of(switches, [](const Word& word) { return word.text; }));
  }
  return text + "  esac\n  case \"$at $previous\" in\n" + values + "  esac\n";
}

std::string bash_script(const std::vector<CommandWords>& all) {
  return fmt::format(R"script(# bash completion for equinoise
_equinoise() {{
  local at=equinoise current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" i
  local -a words_here flags switches values
  # bash makes words of its own of the = in --flag=value.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous="${{COMP_WORDS[COMP_CWORD-2]}}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at ${{COMP_WORDS[i]}}" in
      {}) at="$at ${{COMP_WORDS[i]}}" ;;
    esac
  done
{}  COMPREPLY=()
  if ((${{#values[@]}} > 0)); then
    COMPREPLY=($(compgen -W "${{values[*]}}" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "${{flags[*]}}" -- "$current"))
  elif [[ $previous != -* || " ${{switches[*]}} " == *" $previous "* ]]; then
    COMPREPLY=($(compgen -W "${{words_here[*]}}" -- "$current"))
  fi
}}
complete -o bashdefault -o default -F _equinoise equinoise
)script",
                     paths_of(all), tables_of(all, [](const Word& word) { return word.text; }));
}

std::string zsh_script(const std::vector<CommandWords>& all) {
  return fmt::format(R"script(#compdef equinoise
_equinoise() {{
  local at=equinoise current="${{words[CURRENT]}}" previous="${{words[CURRENT-1]}}" word
  local -a words_here flags switches values
  if [[ $current == --*=* ]]; then
    previous="${{current%%=*}}"
    compset -P '*='
  fi
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$at $word" in
      {}) at="$at $word" ;;
    esac
  done
{}  if (($#values)); then
    compadd -a values
  elif [[ $current == --*=* ]]; then
    _files
  elif [[ $current == -* ]]; then
    _describe -o option flags
  elif [[ $previous == -* && ${{switches[(Ie)$previous]}} -eq 0 ]]; then
    _files
  elif (($#words_here)); then
    _describe word words_here
  else
    _files
  fi
}}
if [[ $funcstack[1] == _equinoise ]]; then
  _equinoise "$@"
else
  compdef _equinoise equinoise
fi
)script",
                     paths_of(all), tables_of(all, [](const Word& word) {
                       return word.description.empty() ? word.text
                                                       : word.text + ":" + word.description;
                     }));
}

/// 'text' as fish reads it.
std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_script(const std::vector<CommandWords>& all) {
  std::string paths;
  for (const CommandWords& command : all)
    if (&command != &all.front()) paths += " " + fish_quoted(command.path);
  std::string text = fmt::format(R"script(# fish completion for equinoise
function __equinoise_is_at
    set -l at equinoise
    set -l tokens (commandline -opc)
    set -e tokens[1]
    for token in $tokens
        switch "$at $token"
            case{}
                set at "$at $token"
        end
    end
    test "$at" = "$argv"
end
)script",
                                 paths);
  for (const CommandWords& command : all) {
    const std::string start =
        fmt::format("complete -c equinoise -n \"__equinoise_is_at {}\"", command.path);
    for (const Word& word : command.words)
      text += fmt::format("{} -f -a {} -d {}\n", start, word.text, fish_quoted(word.description));
    for (const Flag& flag : command.flags) {
      text += fmt::format("{} -l {}", start, flag.word.text.substr(2));
      if (!flag.values.empty()) {
        text +=
            fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(flag.values, " "))));
      } else if (flag.takes_value) {
        text += " -r";
      }
      text += fmt::format(" -d {}\n", fish_quoted(flag.word.description));
    }
  }
  return text;
}

struct Shell {
  const char* name;
  std::string (*script)(const std::vector<CommandWords>&);
};
constexpr Shell kShells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

}  // namespace

void add_completion_command(CLI::App& app, CommonOptions& common) {
  const auto shell = std::make_shared<std::string>();
  const auto run = [&app, shell, &common](const CLI::App&) {
    for (const Shell& row : kShells) {
      if (*shell != row.name) continue;
      const std::string script = row.script(words_of_all(app));
      print_report(CompletionScript{row.name, script}, script, common);
    }
  };
  add_command(app,
              {"completion", "Write the script by which a shell completes command lines",
               "source <(equinoise completion bash)"},
              common, run)
      ->add_option("shell", *shell, "Shell that reads the script")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"bash", "zsh", "fish"}));
}

}  // namespace equinoise::cli

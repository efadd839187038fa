// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/cli/run_tool.h"
#include "tests/schema_text.h"

namespace equinoise::testing {

inline constexpr int kNumPeople = 400;

/// Columns age (17 or 54, of 17..90), city (3 values), sex (2), note (ignored) and label (2); the
/// label depends on the age.
inline std::string people_csv(int num_records = kNumPeople) {
  std::string text = "age,city,sex,note,label\n";
  for (int i = 0; i < num_records; ++i) {
    const int age = 17 + i * 37 % 74;
    text += std::to_string(age);
    text += i % 5 == 0 ? ",north" : i % 5 < 3 ? ",south" : ",east";
    text += i % 3 == 0 ? ",Female" : ",Male";
    text += ",,";
    text += (age > 45) != (i % 11 == 0) ? "yes\n" : "no\n";
  }
  return text;
}

inline std::string people_schema(int num_records = kNumPeople) {
  return schema_head("people", "label", num_records) + numeric_section("age", 17, 90) +
         categorical_section("city", {"north", "south", "east"}) +
         categorical_section("sex", {"Female", "Male"}) + ignored_section("note") +
         categorical_section("label", {"no", "yes"});
}

/// `text` with its one occurrence of `old_part` replaced.
inline std::string replaced(std::string text, const std::string& old_part,
                            const std::string& new_part) {
  const size_t position = text.find(old_part);
  EXPECT_NE(position, std::string::npos) << old_part;
  if (position != std::string::npos) text.replace(position, old_part.size(), new_part);
  return text;
}

/// The schema of people with the public sizes of both sexes.
inline std::string people_schema_with_sizes(int num_women, int num_men) {
  return replaced(people_schema(), "[columns.age]",
                  group_sizes("sex", {{"Female", num_women}, {"Male", num_men}}) + "[columns.age]");
}

/// The same with the public sizes of sexes, cities and, if asked, their intersections.
inline std::string people_schema_with_overlapping_sizes(bool with_intersections) {
  std::string sizes;
  const auto add_city = [&](const std::string& city, int women, int men) {
    const std::string of_city = "city = \"" + city + "\"";
    sizes += group_size(of_city, women + men);
    if (!with_intersections) return;
    sizes += group_size("sex = \"Female\", " + of_city, women);
    sizes += group_size("sex = \"Male\", " + of_city, men);
  };
  add_city("north", 27, 53);
  add_city("south", 54, 106);
  add_city("east", 53, 107);
  return replaced(people_schema_with_sizes(134, 266), "[columns.age]", sizes + "[columns.age]");
}

/// The words with that value for an option, whether or not they had one.
inline Words with_option(Words words, const std::string& name, const std::string& value) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != name) continue;
    words[i + 1] = value;
    return words;
  }
  return join(std::move(words), {name, value});
}

/// A folder in which the tool runs: people.csv, people.toml and, once opened, people.ledger.
class Workspace {
 public:
  explicit Workspace(int num_records = kNumPeople) {
    write("people.csv", people_csv(num_records));
    write("people.toml", people_schema(num_records));
  }

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const std::string& content) const {
    folder_.write_file(name, content);
  }
  std::string text(const std::string& name) const { return read_bytes(path(name)); }
  Json json(const std::string& name) const { return Json::parse(text(name)); }
  bool has(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(path(name)));
  }
  /// Whether that file comes within a minute.
  bool wait_for_file(const std::string& name) const {
    for (int i = 0; i < 12'000 && !has(name); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return has(name);
  }
  /// Names in the folder that start so.
  Words names(const std::string& start) const {
    Words found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(start)) found.push_back(name);
    }
    return found;
  }

  ToolOptions here(ToolOptions options = {}) const {
    options.folder = folder_.path();
    return options;
  }
  ToolResult run(const Words& words, const ToolOptions& options = {}) const {
    return run_tool(words, here(options));
  }

  void open_ledger(const std::string& epsilon = "3", const Words& more = {}) const {
    const ToolResult result = run(join({"ledger", "init", "--ledger", "people.ledger", "--dataset",
                                        "people", "--epsilon", epsilon, "--delta", "1e-5"},
                                       more));
    ASSERT_EQ(result.exit_code, 0) << result;
  }
  std::string ledger_bytes() const { return read_bytes(path("people.ledger")); }
  Json ledger() const {
    return json_of(run({"ledger", "show", "--ledger", "people.ledger", "--json"}));
  }
  double spent() const { return ledger().at("spent").at("epsilon").get<double>(); }

  /// A plan, without what it costs.
  static Words plan_words() {
    return {"plan",         "--schema", "people.toml", "--ledger", "people.ledger",
            "--batch-size", "64",       "--delta",     "1e-5"};
  }
  /// A run of 50 steps, without what it costs.
  static Words train_words(const Words& more = {}) {
    return join({"train", "--schema", "people.toml", "--data", "people.csv", "--ledger",
                 "people.ledger", "--batch-size", "64", "--steps", "50", "--delta", "1e-5"},
                more);
  }
  ToolResult train(const Words& more, const ToolOptions& options = {}) const {
    return run(train_words(more), options);
  }

 private:
  TempFolder folder_;
};

/// That a refused or failed command changed nothing: created in front of it, checked after it.
class NothingChanges {
 public:
  explicit NothingChanges(const Workspace& workspace)
      : workspace_(workspace), ledger_(workspace.ledger_bytes()), names_(workspace.names("")) {}

  void check(const std::string& context) const {
    EXPECT_TRUE(workspace_.ledger_bytes() == ledger_) << "the ledger changed: " << context;
    EXPECT_THAT(workspace_.names(""), ::testing::UnorderedElementsAreArray(names_)) << context;
  }

 private:
  const Workspace& workspace_;
  std::string ledger_;
  Words names_;
};

/// That a command ends with that code and these texts on standard error, prints nothing else and
/// changes nothing.
inline void expect_refused(const Workspace& workspace, const Words& words, int exit_code,
                           const Texts& texts, const ToolOptions& options = {},
                           std::source_location where = std::source_location::current()) {
  const ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()),
                                     ::testing::PrintToString(words));
  const NothingChanges nothing(workspace);
  const ToolResult result = workspace.run(words, options);
  expect_error(result, exit_code, texts, where);
  // Behind the command it asks for the error as an object.
  const auto json = std::ranges::find(words, "--json");
  if (json != words.end() && json != words.begin()) {
    EXPECT_EQ(json_of(result).at("kind"), "error");
  } else {
    EXPECT_EQ(result.out, "");
  }
  nothing.check("refused");
}

/// What is wrong with a command, and how it ends.
struct Refusal {
  Words words;
  int exit_code;
  Texts texts;
};

/// The same of each row; `command` makes a whole command of its words.
template <typename Command>
void expect_refusals(const Workspace& workspace, const std::vector<Refusal>& refusals,
                     Command&& command,
                     std::source_location where = std::source_location::current()) {
  for (const Refusal& refusal : refusals)
    expect_refused(workspace, command(refusal.words), refusal.exit_code, refusal.texts, {}, where);
}

}  // namespace equinoise::testing

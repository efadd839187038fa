// SPDX-License-Identifier: Apache-2.0

#include <iterator>
#include <map>
#include <sstream>

#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::methods_test {
namespace {

TEST(Methods, JsonHasARowPerMethodWithItsTrueStatus) {
  const ToolResult result = ok(run_tool("methods --json"));
  EXPECT_THAT(result.err, IsEmpty());
  const Json json = json_of(result);
  std::map<std::string, std::string> status;
  for (const Json& row : json.at("rows")) {
    expect_keys(row, {"name", "task", "status", "source"});
    for (const auto& [key, value] : row.items()) EXPECT_NE(value, "") << key;
    EXPECT_THAT(row.at("status").get<std::string>(), AnyOf("private", "not private"));
    EXPECT_TRUE(status.emplace(row.at("name"), row.at("status")).second) << row;
  }
  Words models;
  for (const Json& model : json.at("models")) {
    models.push_back(model.at("name"));
    EXPECT_NE(model.at("summary"), "");
  }
  EXPECT_THAT(models, UnorderedElementsAre("logistic", "softmax", "linear", "hinge", "additive",
                                           "mlp", "cnn", "lenet"));
  EXPECT_EQ(status["dpsgd"], "private");
  EXPECT_EQ(status["fairlens"], "not private");
  EXPECT_EQ(status["sgd"], "not private");
}

TEST(Methods, TextNamesTheMethodsOfTheJson) {
  const ToolResult result = ok(run_tool({"methods"}));
  const Json json = json_of(run_tool("methods --json"));
  EXPECT_FALSE(json.at("rows").empty());
  for (const Json& row : json.at("rows")) {
    EXPECT_THAT(result.out, HasAll("\n" + row.at("name").get<std::string>() + " ",
                                   row.at("source").get<std::string>()));
  }
  EXPECT_THAT(result.out, HasSubstr("not private"));
}

TEST(Methods, OneIsShownWithItsOptions) {
  const Json all = json_of(run_tool("methods --json"));
  for (const Json& row : all.at("rows")) {
    const std::string name = row.at("name");
    const ToolResult result = ok(run_tool({"methods", name}));
    EXPECT_THAT(result.out,
                HasAll(row.at("summary").get<std::string>(), "--method " + name, "equinoise "));
    for (const Json& option : row.at("options")) {
      EXPECT_THAT(result.out, HasSubstr("\n" + option.at("option").get<std::string>() + " "));
      EXPECT_NE(option.at("help"), "") << name;
      EXPECT_NE(option.at("default"), "") << name;
    }
  }
  expect_error(run_tool({"methods", "dpsdg"}), 2, "did you mean \"dpsgd\"?");
}

TEST(Methods, AModelIsShownWithTheOptionsThatItFollows) {
  const Json all = json_of(run_tool("methods --json"));
  std::map<std::string, size_t> num_options;
  for (const Json& model : all.at("models")) {
    const std::string name = model.at("name");
    num_options[name] = model.at("options").size();
    const ToolResult result = ok(run_tool({"methods", name}));
    EXPECT_THAT(result.out, HasAll(model.at("summary").get<std::string>(), "--model " + name));
    for (const Json& option : model.at("options"))
      EXPECT_THAT(result.out, HasSubstr("\n" + option.at("option").get<std::string>() + " "));
  }
  EXPECT_EQ(num_options["logistic"], 0U);
  EXPECT_EQ(num_options["mlp"], 3U);
  EXPECT_EQ(num_options["cnn"], 6U);
}

/// As printed, with an account to pay from; hours.toml predicts a number.
TEST(Methods, ExamplesRun) {
  const Json all = json_of(run_tool("methods --json"));
  for (const Json& row : all.at("rows")) {
    const std::string text = run_tool({"methods", row.at("name")}).out;
    const size_t begin = text.find("\n  equinoise ");
    ASSERT_NE(begin, std::string::npos) << row;
    std::istringstream example(text.substr(begin, text.find('\n', begin + 1) - begin));
    Words words{std::istream_iterator<std::string>(example), {}};
    words.erase(words.begin());
    const Workspace workspace;
    std::string people = people_schema_with_sizes(134, 266);
    for (const char* key : {"bounds = [17, 90]\n", "\"east\"]\n", "\"Male\"]\n"})
      people = replaced(people, key, std::string(key) + "missing = \"none\"\n");
    workspace.write("people.toml", people);
    workspace.write("hours.toml", replaced(people, "target = \"label\"", "target = \"age\""));
    ok(workspace.run("ledger init --dataset people --epsilon 3 --delta 1e-5"));
    const ToolResult result = workspace.run(words);
    // A verdict on a constraint (code 5) is an answer: the noise decides it.
    EXPECT_THAT(result.exit_code, AnyOf(0, 5)) << row.at("name") << result;
  }
}

/// Options of other methods are taken, to be refused by name, but help does not show them.
TEST(Methods, HelpOfTrainShowsTheOptionsOfTheMethodThatIsNamed) {
  const std::string plain = run_tool("train --help").out;
  const std::string of_one = run_tool("train --method dpsgd_f --help").out;
  EXPECT_THAT(plain, AllOf(HasSubstr("--method"), HasSubstr("equinoise methods"),
                           Not(HasSubstr("--max-grad-norm")), Not(HasSubstr("--max-threshold"))));
  EXPECT_THAT(of_one, HasAll("--max-grad-norm", "--max-threshold"));
  EXPECT_THAT(run_tool("plan --method=dpsgd_f --help").out, HasSubstr("--max-threshold"));
}

}  // namespace
}  // namespace equinoise::testing::methods_test

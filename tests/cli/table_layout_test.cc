// SPDX-License-Identifier: Apache-2.0
// Tables as people have them: other separators, no header, names twice or none, packed files.

#include <sstream>

#include "tests/cli/people.h"
#include "tests/data/table_files.h"

namespace equinoise::testing::table_layout_test {
namespace {

/// The text with every comma replaced.
std::string with_separator(std::string text, const std::string& separator) {
  std::string result;
  for (const char c : text) result += c == ',' ? separator : std::string(1, c);
  return result;
}

/// The text without its first line.
std::string without_first_line(const std::string& text) { return text.substr(text.find('\n') + 1); }

/// A table of a number x of two decimals with this mark, a word g and a label y.
std::string prices(const std::string& separator, const std::string& mark) {
  std::string text = "x" + separator + "g" + separator + "y\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(i * 7 % 50) + mark + std::to_string(10 + i * 13 % 90) + separator +
            (i % 3 == 0 ? "a" : "b") + separator + (i % 2 == 0 ? "no" : "yes") + "\n";
  }
  return text;
}

class TableLayout : public ::testing::Test {
 protected:
  /// The draft of a table, which must fit it.
  std::string draft(const std::string& name, const Words& options = {}) {
    const ToolResult result =
        ok(workspace_.run(join({"schema", "draft", "--data", name, "--quiet"}, options)));
    workspace_.write("draft.toml", result.out);
    const ToolResult check =
        ok(workspace_.run({"schema", "check", "--schema", "draft.toml", "--data", name}));
    EXPECT_THAT(check.out, Not(HasSubstr("contribute nothing"))) << result;
    return result.out;
  }
  std::string refusal(const Words& words) {
    const ToolResult result = workspace_.run(words);
    EXPECT_EQ(result.exit_code, 3) << result;
    EXPECT_THAT(result.out, IsEmpty());
    return result.err;
  }
  /// The parameters of a seeded model of that table.
  std::string parameters(const std::string& table, const Words& more = {}) {
    const ToolResult result = ok(workspace_.run(join(
        with_option(Workspace::train_words(
                        "--noise-multiplier 2 --seed 1 --insecure-test-rng --out model --force"),
                    "--data", table),
        more)));
    if (result.exit_code != 0) return "";
    return workspace_.json("model/model.json").at("parameters").dump();
  }

  Workspace workspace_;
};

TEST_F(TableLayout, TheSamePeopleInEveryLayoutGiveTheSameModel) {
  const std::string expected = parameters("people.csv");
  const std::string csv = people_csv();
  for (const std::string separator : {";", "\t", "|", " , ", ";\t "}) {
    workspace_.write("t.csv", with_separator(csv, separator));
    EXPECT_EQ(parameters("t.csv"), expected) << separator;
  }
  workspace_.write("t.csv", "sep=;\r\n" + with_separator(csv, ";"));
  EXPECT_EQ(parameters("t.csv"), expected);
  workspace_.write("t.zip", zip({{"people.csv", csv}}));
  EXPECT_EQ(parameters("t.zip"), expected);
  workspace_.write("t.csv", without_first_line(csv));
  EXPECT_EQ(parameters("t.csv", "--no-header"), expected);
  // What was said once stays with the model.
  const ToolResult audit = ok(workspace_.run("audit --model model --data t.csv"));
  EXPECT_THAT(audit.out, Not(HasSubstr("contribute nothing")));
  expect_error(workspace_.run("audit --model model --data people.csv"), 3,
               "row 1 (line 1) column 'age' is not a number");
  ok(workspace_.run("audit --model model --data people.csv --header"));
}

TEST_F(TableLayout, ARecordCannotChangeHowOthersAreRead) {
  workspace_.open_ledger();
  // Whatever a record holds, the header says that commas separate.
  const std::string record = "\n17,north,Female,;;;;|\t,no\n";
  workspace_.write("t.csv", replaced(people_csv(), "\n17,north,Female,,no\n", record));
  EXPECT_EQ(parameters("t.csv"), parameters("people.csv"));
  // A schema that states another separator is not followed by halves.
  workspace_.write("people.toml", people_schema() + "[table]\ndelimiter = \";\"\n");
  expect_refused(workspace_, Workspace::train_words("--epsilon 1 --out private"), 3,
                 "has a comma between the names of its columns, not a semicolon");
}

TEST_F(TableLayout, SeparatorsAreRecognisedAndWritten) {
  const std::vector<std::pair<std::string, std::string>> separators = {
      {";", "a semicolon"}, {"\t", "a tab"}, {"|", "a vertical bar"}};
  for (const auto& [separator, name] : separators) {
    for (const std::string& first : {std::string(), "sep=" + separator + "\n"}) {
      workspace_.write("t.csv", first + with_separator(people_csv(), separator));
      const std::string text = draft("t.csv");
      EXPECT_THAT(text, HasAll("# Cells are separated by " + name + ".", "[table]\ndelimiter = ",
                               "[columns.age]", "values = [\"Female\", \"Male\"]"));
    }
  }
  workspace_.write("t.csv", "\"a\";\"b, c\"\n1;\"x;y\"\n1;\"x;y\"\n2;z\n");
  EXPECT_THAT(draft("t.csv"), HasAll("[columns.\"b, c\"]", "\"x;y\""));
  workspace_.write("t.csv", "sep=;\na,b\n1,2\n");
  EXPECT_THAT(refusal("schema draft --data t.csv --delimiter ,"),
              HasSubstr("says in its first line that its cells are separated by a semicolon"));
  workspace_.write("t.csv", "a b c\n1 2 3\n4 5 6\n");
  EXPECT_THAT(refusal("schema draft --data t.csv"), HasSubstr("blanks between"));
  expect_error(workspace_.run("schema draft --data t.csv --delimiter x"), 2);
}

TEST_F(TableLayout, DecimalCommasAreRecognisedAndKept) {
  workspace_.write("point.csv", prices(",", "."));
  const std::string plain = draft("point.csv");
  EXPECT_THAT(plain, AllOf(HasSubstr("# Numbers, "), Not(HasSubstr("[table]"))));
  const std::string column = plain.substr(plain.find("[columns.x]"), 100);
  for (const std::string separator : {";", "\t"}) {
    workspace_.write("t.csv", prices(separator, ","));
    EXPECT_THAT(draft("t.csv"),
                HasAll("# Numbers have a decimal comma.", "decimal_comma = true\n", column));
  }
  std::string quoted = "x,g\n";
  for (int i = 0; i < 60; ++i)
    quoted += "\"" + std::to_string(i) + "," + std::to_string(i % 10) + "\",a\n\"0,5\",b\n";
  workspace_.write("t.csv", quoted);
  EXPECT_THAT(draft("t.csv"), HasSubstr("[columns.x]\ntype = \"numeric\"\nbounds = [0, 60]"));
  // 1,234 may be either: what is taken is stated.
  std::string thousands = "x,g\n";
  for (int i = 0; i < 60; ++i)
    thousands += "\"" + std::to_string(1 + i) + ",500\",a\n\"7,500\",b\n";
  workspace_.write("t.csv", thousands);
  EXPECT_THAT(draft("t.csv"),
              AllOf(Not(HasSubstr("decimal_comma")), HasSubstr("thousands = \",\"\n"),
                    HasSubstr("if the comma stands before decimals, give --decimal-comma")));
  EXPECT_THAT(draft("t.csv", "--decimal-comma"), HasSubstr("bounds = [1, 61]"));
  // A point is no decimal mark then, but an error that says so.
  workspace_.write("t.csv", prices(";", ","));
  draft("t.csv");
  workspace_.write("t.csv", prices(";", "."));
  const Words check = "schema check --schema draft.toml --data t.csv";
  const ToolResult misread = workspace_.run(check);
  EXPECT_EQ(misread.exit_code, 3) << misread;
  EXPECT_THAT(misread.out, HasAll("column x: 60 of 60 cells (100 %) hold no number with a "
                                  "decimal comma",
                                  "--decimal-point"));
  const ToolResult point = ok(workspace_.run(join(check, "--decimal-point")));
  for (const Words& options :
       {Words("--decimal-comma=false"), Words("--decimal-comma --decimal-point")})
    EXPECT_EQ(workspace_.run(join(check, options)).exit_code, 2);
  expect_error(workspace_.run("schema check --schema draft.toml --delimiter ;"), 2,
               "need --data TABLE");
}

TEST_F(TableLayout, AFirstLineThatIsARecordIsNoHeader) {
  std::string numbers;
  for (int i = 0; i < 27; ++i)
    numbers += std::to_string(i) + "," + std::to_string(i % 3) + ",3.01\n";
  workspace_.write("numbers.csv", numbers);
  EXPECT_THAT(refusal("schema draft --data numbers.csv"),
              HasAll("has a number, a date or an address", "--no-header"));
  const std::string text = draft("numbers.csv", "--no-header");
  EXPECT_THAT(text, HasAll("num_records = 27\n", "header = false", "[columns.column_1]",
                           "[columns.column_3]"));
  EXPECT_THAT(draft("numbers.csv", "--header"), HasSubstr("num_records = 26\n"));

  std::string people;
  std::istringstream lines(without_first_line(people_csv()));
  int note = 0;
  for (std::string line; std::getline(lines, line);)
    people += replaced(line, ",,", ",n" + std::to_string(++note) + ",") + "\n";
  workspace_.write("t.csv", people);
  const std::string message = refusal("schema draft --data t.csv");
  EXPECT_THAT(message, AllOf(HasSubstr("as a cell below"), Not(HasSubstr("north"))));
  EXPECT_THAT(draft("t.csv", "--no-header --target column_5"),
              HasAll("num_records = 400\n", "target = \"column_5\""));
  EXPECT_THAT(refusal("schema check --schema people.toml --data t.csv"),
              HasAll("names no column of the schema", "--no-header"));
  EXPECT_THAT(refusal("schema check --schema people.toml --data people.csv --no-header"),
              HasSubstr("begins with the names of the columns"));
  workspace_.write("narrow.csv", "1,2\n3,4\n");
  EXPECT_THAT(refusal("schema check --schema people.toml --data narrow.csv --no-header"),
              HasSubstr("has 2 columns, but without a header it must have all 5"));
  workspace_.write("t.csv", people_csv() + people_csv());
  EXPECT_THAT(refusal("schema draft --data t.csv"),
              HasSubstr("row 401 (line 402) repeats the first line"));
}

TEST_F(TableLayout, ARepeatedNameGetsASuffix) {
  std::string csv = "age,score,sex,score,score_2\n";
  for (int i = 0; i < 60; ++i) {
    csv += std::to_string(i) + "," + std::to_string(i % 4) + (i % 2 == 0 ? ",f," : ",m,") +
           std::to_string(i % 5) + "," + std::to_string(i % 3) + "\n";
  }
  workspace_.write("t.csv", csv);
  EXPECT_THAT(draft("t.csv", "--target score_3"),
              HasAll("# Column 4 has the name of an earlier one, \"score\"; it is called "
                     "\"score_3\".",
                     "[columns.score]\n", "[columns.score_2]\n", "[columns.score_3]\n"));
  // A schema that knows one of them does not take the first for the second.
  workspace_.write("t.csv", replaced(people_csv(), "age,city,sex,note", "age,city,sex,sex"));
  EXPECT_THAT(refusal("schema check --schema people.toml --data t.csv"),
              HasSubstr("the header names column 'sex' twice; the second one is read as 'sex_2'"));
}

TEST_F(TableLayout, ColumnsWithoutANameAreLeftOut) {
  std::istringstream lines(people_csv());
  std::string index = ",";
  std::string trailing;
  int row = 0;
  for (std::string line; std::getline(lines, line); ++row) {
    index += (row == 0 ? "" : std::to_string(row) + ",") + line + "\n";
    trailing += line + ",,\n";
  }
  workspace_.write("index.csv", index);
  workspace_.write("trailing.csv", trailing);
  const std::string expected = parameters("people.csv");
  EXPECT_EQ(parameters("index.csv"), expected);
  EXPECT_EQ(parameters("trailing.csv"), expected);
  EXPECT_THAT(draft("index.csv"), HasSubstr("# Column 1 has no name and is left out; it may be an "
                                            "index."));
  EXPECT_THAT(draft("trailing.csv"), HasSubstr("# Columns 6 to 7 have no name and are left out."));
  workspace_.write("t.csv", "a,,b\n1,2,3\n2,3,4\n");
  EXPECT_THAT(refusal("schema draft --data t.csv"),
              HasSubstr("column 2 has no name in the header"));
}

TEST_F(TableLayout, LatinTextIsReadWhereItIsSaid) {
  workspace_.write("people.toml",
                   replaced(people_schema(), "\"north\"", "\"N\xc3\xb6rd \xe2\x82\xac\""));
  std::string utf8;
  std::string latin;
  std::istringstream lines(people_csv());
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find("north");
    utf8 += (at == line.npos ? line : replaced(line, "north", "N\xc3\xb6rd \xe2\x82\xac")) + "\n";
    latin += (at == line.npos ? line : replaced(line, "north", "N\xf6rd \x80")) + "\n";
  }
  workspace_.write("utf8.csv", utf8);
  workspace_.write("latin.csv", latin);
  EXPECT_EQ(parameters("latin.csv", "--encoding latin1"), parameters("utf8.csv"));
  EXPECT_THAT(refusal("schema draft --data latin.csv"),
              HasAll("line 2 is not UTF-8", "--encoding latin1"));
  EXPECT_THAT(draft("latin.csv", "--encoding latin1"),
              HasAll("encoding = \"latin1\"", "\"N\xc3\xb6rd \xe2\x82\xac\""));
}

TEST_F(TableLayout, Utf8ThatIsReadAsLatinTextIsSaid) {
  workspace_.write("t.csv", replaced(people_csv(), "city",
                                     "st\xc3\xa4"
                                     "dte"));
  workspace_.write("people.toml", replaced(people_schema(), "city",
                                           "\"st\xc3\xa4"
                                           "dte\""));
  const Words check = "schema check --schema people.toml --data t.csv";
  ok(workspace_.run(check));
  EXPECT_THAT(refusal(join(check, "--encoding latin1")),
              HasAll("the header lacks column 'st\xc3\xa4"
                     "dte'",
                     "the header seems to be in UTF-8: give --encoding utf8"));
  EXPECT_THAT(draft("t.csv", "--encoding latin1"), HasSubstr("seems to be in UTF-8"));
  std::string cells = people_csv();
  for (size_t at = 0; (at = cells.find("north", at)) != cells.npos;)
    cells.replace(at, 5, "n\xc3\xb6rd");
  workspace_.write("cells.csv", cells);
  EXPECT_THAT(draft("cells.csv", "--encoding latin1"), HasSubstr("seems to be in UTF-8"));
  EXPECT_THAT(draft("people.csv", "--encoding latin1"), Not(HasSubstr("seems to be")));
}

TEST_F(TableLayout, OtherMarksOfMissingCellsAreKeptWithTheModel) {
  workspace_.write("t.csv", replaced(people_csv(), "\n17,north", "\nN,north"));
  EXPECT_THAT(workspace_.run("schema check --schema people.toml --data t.csv").err,
              HasSubstr("column age: 1 of 400 cells (0.25 %) hold no number, the first in row 1"));
  parameters("t.csv", {"--na", "N", "--na", "n.a., or so"});
  const std::string model = workspace_.text("model/model.json");
  EXPECT_THAT(Json::parse(model).at("table_schema").get<std::string>(),
              HasSubstr("missing_values = [\"\", \"?\", \"N\", \"n.a., or so\"]"));
  const ToolResult audit = workspace_.run("audit --model model --data t.csv");
  EXPECT_THAT(audit.out, HasSubstr("missing cells: age 1"));
  EXPECT_THAT(workspace_.text("model/run.toml"), HasSubstr("na = [\"N\", \"n.a., or so\"]"));
  const ToolResult again = ok(workspace_.run("train --config model/run.toml --out again"));
  EXPECT_EQ(workspace_.text("again/model.json"), model);
  EXPECT_THAT(refusal("schema check --schema people.toml --data t.csv --na Female"),
              HasSubstr("holds \"Female\", which marks a missing cell"));
}

TEST_F(TableLayout, OptionsThatDoNothingForATableAreRefused) {
  workspace_.write("t.json", R"([{"age": 1, "sex": "f"}, {"age": 2, "sex": "m"}])");
  for (const Words& words :
       {Words("schema draft --data t.json --delimiter ;"),
        Words("schema check --schema people.toml --data t.json --header"),
        with_option(Workspace::train_words("--decimal-comma --epsilon 1"), "--data", "t.json")}) {
    expect_error(workspace_.run(words), 2, "t.json: is not CSV, so --delimiter");
  }
}

TEST_F(TableLayout, ColumnsOfParquetThatAreIgnoredMayHoldAnything) {
  write_parquet(workspace_.path("t.parquet"),
                "SELECT age::INTEGER AS age, city, sex, {'a': 1, 'b': [1, 2]} AS note, label, "
                "[1, 2] AS lst, TIMESTAMP '2020-01-02 03:04:05' AS at, 'x'::BLOB AS bytes "
                "FROM read_csv('" +
                    workspace_.path("people.csv").string() + "', header=true, all_varchar=true)");
  const std::string ignored =
      "[columns.lst]\ntype = \"ignored\"\n[columns.at]\ntype = \"ignored\"\n[columns.bytes]\ntype "
      "= "
      "\"ignored\"\n";
  workspace_.write("people.toml", people_schema() + ignored);
  EXPECT_NE(parameters("t.parquet"), "");
  EXPECT_THAT(draft("t.parquet"),
              AllOf(HasSubstr("# Ignored: it holds something other than text, numbers, dates or "
                              "booleans; write it as one of these.\n[columns.note]"),
                    HasSubstr("[columns.lst]\ntype = \"ignored\""), HasSubstr("[columns.age]\n"),
                    Not(HasSubstr("[columns.b]"))));
  workspace_.write("people.toml",
                   replaced(people_schema() + ignored, "[columns.lst]\ntype = \"ignored\"",
                            "[columns.lst]\ntype = \"categorical\"\nvalues = [\"a\"]"));
  EXPECT_THAT(refusal("schema check --schema people.toml --data t.parquet"),
              HasAll("column 'lst' holds something other", "ignored"));
}

TEST_F(TableLayout, NamesThatDifferInCapitalsAreTwoColumns) {
  std::string csv = "Age,age,y\n";
  for (int i = 0; i < 60; ++i)
    csv += std::to_string(i % 30) + "," + std::to_string(1000 + 3 * (i % 31)) +
           (i % 2 == 0 ? ",a\n" : ",b\n");
  workspace_.write("t.csv", csv);
  EXPECT_THAT(draft("t.csv"), HasAll("[columns.Age]\ntype = \"numeric\"\nbounds = [0, 29]",
                                     "[columns.age]\ntype = \"numeric\"\nbounds = [1000, 1090]"));
}

TEST_F(TableLayout, NamesWithCommasAndEqualSignsAreQuoted) {
  const auto renamed = [](std::string text, const std::string& sex, const std::string& city) {
    return replaced(replaced(text, "sex", sex), "city", city);
  };
  workspace_.write("t.csv", renamed(people_csv(), "\"sex, as said\"", "city=town"));
  workspace_.write("people.toml", renamed(people_schema(), "\"sex, as said\"", "\"city=town\""));
  parameters("t.csv", {"--groups", "\"sex, as said\",city=town"});
  const ToolResult audit = workspace_.run({"audit", "--model", "model", "--data", "t.csv",
                                           "--groups", "\"sex, as said\"", "--constraint",
                                           "fnr:\"sex, as said\"=Male,\"city=town\"=east:0.9"});
  EXPECT_NE(audit.exit_code, 2) << audit;
  EXPECT_THAT(audit.out, HasSubstr("Female"));
  expect_error(
      workspace_.run({"audit", "--model", "model", "--data", "t.csv", "--groups", "sex, as said"}),
      2,
      "did you mean 'sex, as said'? In a list it stands in quotes: "
      "'\"sex, as said\"'");

  const Words synth =
      "synth --drop-incomplete --schema people.toml --data t.csv --method mst --insecure-test-rng "
      "--seed 1 --epsilon 5 --delta 1e-5 --out";
  ToolResult result = workspace_.run(
      join(synth, {"rows", "--stratify", "\"sex, as said\"", "--bins-of", "\"age\"=5"}));
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(workspace_.text("rows/run.toml"), HasSubstr("stratify = [\"sex, as said\"]"));
  result = workspace_.run("synth --config rows/run.toml --out again");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(workspace_.text("again/rows.csv"), workspace_.text("rows/rows.csv"));
  result = workspace_.run({"synth", "sample", "--model", "rows", "--rows", "5", "--seed", "1",
                           "--given", "\"city=town\"=east", "--out", "five.csv"});
  EXPECT_EQ(result.exit_code, 0) << result;
}

TEST_F(TableLayout, SyntheticRowsMayBeLaidOutLikeTheRealTable) {
  std::string csv = "x,g,y\n";
  std::string points = csv;
  for (int i = 0; i < 60; ++i) {
    const std::string whole = std::to_string(i * 7 % 50);
    const std::string rest = std::to_string(10 + i * 13 % 90);
    const std::string others =
        std::string(i % 3 == 0 ? ",a" : ",b") + (i % 2 == 0 ? ",n\n" : ",j\n");
    csv += "\"" + whole + "," + rest + "\"" + others;
    points += whole + "." + rest + others;
  }
  workspace_.write("t.csv", csv);
  workspace_.write("points.csv", points);
  draft("t.csv");
  for (const char* synthetic : {"t.csv", "points.csv"}) {
    const ToolResult judged =
        ok(workspace_.run({"synth", "evaluate", "--schema", "draft.toml", "--real", "t.csv",
                           "--synthetic", synthetic, "--degree", "1"}));
    EXPECT_THAT(judged.out, Not(HasSubstr("contribute nothing")));
  }
}

TEST_F(TableLayout, ADraftDeclaresTheSizesOfGroups) {
  std::string csv = "sex,race,x\n";
  for (int i = 0; i < 90; ++i)
    csv += std::string(i % 3 == 0 ? " F" : "M") + (i % 2 == 0 ? ",a," : ",,") + std::to_string(i) +
           "\n";
  workspace_.write("t.csv", csv);
  EXPECT_THAT(draft("t.csv", "--groups sex,race --groups race"),
              HasAll("group = { sex = \"F\", race = \"a\" }\nnum_records = 15\n",
                     "group = { sex = \"M\", race = \"missing\" }\nnum_records = 30\n",
                     "group = { race = \"a\" }\nnum_records = 45\n"));
  // A target has no category of missing cells.
  EXPECT_THAT(draft("t.csv", "--groups sex,race --target sex"), HasSubstr("= \"missing\""));
  for (const auto& [columns, says] : {std::pair<std::string, std::string>{"x", "is drafted as"},
                                      {"rce", "did you mean 'race'?"}}) {
    expect_error(workspace_.run({"schema", "draft", "--data", "t.csv", "--groups", columns}), 2,
                 says);
  }
}

}  // namespace
}  // namespace equinoise::testing::table_layout_test

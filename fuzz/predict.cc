// SPDX-License-Identifier: Apache-2.0
// Tables to predict for, from a file and from standard input, with columns of every type.

#include "equinoise/tasks/predict/predict.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "equinoise/data/encoder.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/table.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

constexpr std::string_view kCanary = "c4n4ry";

constexpr const char* kSchema = R"(
schema = "equinoise/1"
dataset = "people"
reviewed = true
target = "income"
[public]
num_records = 3
[columns.pay]
type = "numeric"
bounds = [0, 100000]
thousands = ","
unit = "$"
malformed = "missing"
missing = "fill"
fill = 100
[columns.born]
type = "date"
bounds = ["1900-01-01", "2009-12-31"]
malformed = "drop"
[columns.seen]
type = "timestamp"
format = "YYYY-MM-DDThh:mm+02:00"
bounds = ["2020-01-01", "2029-12-31"]
malformed = "drop"
[columns.sex]
type = "categorical"
values = ["1", "2"]
labels = { "1" = "Male", "2" = "Female" }
unknown = "other"
missing = "category"
[columns.member]
type = "boolean"
missing_values = ["-"]
missing = "category"
[columns.income]
type = "categorical"
values = ["low", "high"]
)";

/// A model that predicts from these columns.
const std::filesystem::path& model() {
  static const InputFile file("model.json");
  static const std::filesystem::path path = [] {
    nlohmann::json parameters = nlohmann::json::array();
    for (const std::string& name : encoded_feature_names(parse_schema(kSchema, "schema.toml")))
      parameters.push_back({{"name", name}, {"value", 0.5}});
    parameters.push_back({{"name", "bias"}, {"value", -1}});
    const nlohmann::json json = {
        {"schema", "equinoise/1"},
        {"version", "0.1.0"},
        {"dataset", "people"},
        {"method", "dpsgd"},
        {"status", "private"},
        {"model", "logistic"},
        {"target", "income"},
        {"classes", {"low", "high"}},
        {"privacy",
         {{"epsilon", 3.0}, {"delta", 1e-6}, {"accountant", "rdp"}, {"relation", "zero_out"}}},
        {"split", {{"test_fraction", 0.25}, {"split_seed", 1}}},
        {"parameters", parameters},
        {"table_schema", kSchema}};
    return file.write(json.dump());
  }();
  return path;
}

struct Outcome {
  std::string lines;
  std::string error;
  int64_t num_rows = 0;
};

/// With `path` as standard input if that is to be read.
Outcome predict_for(const std::filesystem::path& path, bool from_standard_input, bool is_strict) {
  Outcome outcome;
  PredictRequest request;
  request.model_path = model();
  request.data = from_standard_input ? "-" : path;
  request.kept = {"id"};
  request.fail_if_missing = is_strict;
  request.write = [&](std::string_view lines) { outcome.lines += lines; };
  if (from_standard_input) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    require(descriptor >= 0 && ::dup2(descriptor, STDIN_FILENO) == STDIN_FILENO,
            "a file can become standard input");
    ::close(descriptor);
  }
  TaskProgress progress;
  outcome.error = error_of([&] { outcome.num_rows = predict(request, progress).num_rows; });
  const std::string name = from_standard_input ? "standard input" : path.string();
  const size_t at = outcome.error.find(name);
  if (at != outcome.error.npos) outcome.error.replace(at, name.size(), "FILE");
  return outcome;
}

/// Every record has a line, which begins with its row and its own cell of `id`.
void check_lines(const std::filesystem::path& table, const Outcome& outcome) {
  static const Schema schema = parse_schema(kSchema, "schema.toml");
  static const InputFile file("predictions.csv");
  const std::unique_ptr<RecordReader> lines = open_table(file.write(outcome.lines));
  const std::unique_ptr<RecordReader> records = open_described(table, schema);
  size_t id = 0;
  while (records->header()[id] != "id" && records->written_name(id) != "id") ++id;
  while (records->next()) {
    require(lines->next(), "every record has a line");
    require(lines->text(0) == std::to_string(records->row()), "a line names its row");
    require(lines->text(1) == records->text(id), "a kept cell stays as it is written");
    require(lines->text(2).empty() || lines->text(2) == "low" || lines->text(2) == "high",
            "a class is predicted");
  }
  require(!lines->next() && records->row() == outcome.num_rows, "all lines are of records");
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  const std::string_view content = fuzz::as_text(data, size);
  // Standard input cannot be Parquet.
  if (content.starts_with("PAR1")) return 0;
  static const fuzz::InputFile file("table");
  const std::filesystem::path& path = file.write(content);
  const bool must_not_tell = content.starts_with("id,pay,born,seen,sex,member\n");
  for (const bool is_strict : {false, true}) {
    const fuzz::Outcome outcome = fuzz::predict_for(path, false, is_strict);
    const fuzz::Outcome again = fuzz::predict_for(path, true, is_strict);
    fuzz::require(!must_not_tell || outcome.error.find(fuzz::kCanary) == std::string::npos,
                  "a message does not hold a cell");
    // An empty file is none, and says so in other words.
    if (size == 0) continue;
    fuzz::require(outcome.error == again.error, "standard input is read as a file is");
    fuzz::require(outcome.lines == again.lines, "standard input gives what a file gives");
    if (outcome.error.empty()) fuzz::check_lines(path, outcome);
  }
  return 0;
}

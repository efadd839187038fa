// SPDX-License-Identifier: Apache-2.0
// Tables of predictions that somebody made, with columns y, p, s and g.

#include <cmath>

#include "equinoise/tasks/audit/logged_table.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

constexpr std::string_view kCanary = "c4n4ry";

const std::string& schema_of_outcomes() {
  static const InputFile file("schema.toml");
  static const std::string path = file.write(R"(
schema = "equinoise/1"
dataset = "loans"
reviewed = true
target = "y"
[columns.y]
type = "categorical"
values = ["0", "1"]
labels = { "0" = "refused", "1" = "granted" }
[columns.g]
type = "date"
bounds = ["1940-01-01", "2009-12-31"]
[groups.born]
column = "g"
cuts = ["1970-01-01"]
)")
                                      .string();
  return path;
}

/// Whatever is asked of a table.
std::vector<AuditRequest> requests(const std::filesystem::path& path) {
  AuditRequest classes;
  classes.predictions = path;
  classes.target = "y";
  classes.prediction = "p";
  classes.groupings = {{"g"}};
  AuditRequest positive = classes;
  positive.positive = "1";
  positive.probability = "s";
  AuditRequest scores = classes;
  scores.prediction = "";
  scores.score = "s";
  scores.threshold = 0.5;
  AuditRequest several = classes;
  several.probabilities = {"{}", "1=s"};
  several.constraints = {"demographic_parity:g:0.1"};
  AuditRequest numbers = classes;
  numbers.target_kind = LoggedTarget::kNumber;
  AuditRequest described = classes;
  described.schema_path = schema_of_outcomes();
  described.target = "";
  described.groupings = {{"born"}};
  return {classes, positive, scores, several, numbers, described};
}

void read(const AuditRequest& request) {
  const AuditRequest whole = completed(request);
  const LoggedTable logged = read_logged_table(whole, describe_logged(whole));
  const auto num_records = static_cast<size_t>(logged.table.num_records);
  const Predictions& predictions = logged.predictions;
  require(logged.table.contributes.size() == num_records, "every record is judged or not");
  require(predictions.outputs.size() == num_records * predictions.num_outputs,
          "every record has its outputs");
  require(predictions.loss.size() == num_records, "every record has a loss");
  for (size_t i = 0; i < num_records; ++i) {
    if (logged.table.contributes[i] == 0 || !predictions.has_prediction(i)) continue;
    if (logged.table.classes.empty()) {
      require(std::isfinite(logged.table.targets[i]), "an outcome is finite");
      continue;
    }
    require(predictions.predicted[i] < logged.table.classes.size(), "a class is predicted");
    require(logged.table.labels[i] < logged.table.classes.size(), "a class happened");
    require(!(predictions.loss[i] < 0), "a loss is not negative");
  }
  for (const Grouping& grouping : logged.groupings)
    require(grouping.group_of.size() == num_records, "every record has its groups");
  TaskProgress progress;
  const Metrics metrics = audit(request, progress).overall.metrics;
  for (const Estimate& rate : {metrics.accuracy, metrics.selection_rate, metrics.auc}) {
    if (std::isnan(rate.value)) continue;
    require(rate.value >= 0 && rate.value <= 1, "a rate is a share");
    // Of a single record nothing is known about the spread.
    if (std::isnan(rate.interval.low)) continue;
    require(rate.interval.low <= rate.value && rate.value <= rate.interval.high,
            "an interval holds its estimate");
  }
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  const std::string_view content = fuzz::as_text(data, size);
  if (content.starts_with("PAR1")) return 0;
  static const fuzz::InputFile file("table");
  const std::filesystem::path& path = file.write(content);
  const bool must_not_tell = content.starts_with("y,p,s,g\n");
  for (const AuditRequest& request : fuzz::requests(path)) {
    const std::string message = fuzz::error_of([&] { fuzz::read(request); });
    fuzz::require(!must_not_tell || message.find(fuzz::kCanary) == message.npos,
                  "a message does not hold a cell");
  }
  return 0;
}

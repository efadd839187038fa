// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <thread>
#include <utility>

#include "cli/commands.h"
#include "cli/constraint_options.h"
#include "cli/group_options.h"
#include "cli/schema_options.h"
#include "cli/table_option.h"
#include "cli/weight_options.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_json.h"
#include "equinoise/report/audit/audit_page.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/tasks/audit/audit.h"
#include "equinoise/tasks/audit/predictions_audit.h"

namespace equinoise::cli {

namespace {

struct AuditOptions {
  AuditRequest request;
  LoggedTableRequest logged;  ///< its path is empty: a model is judged
  GroupOptions groups;
  std::vector<std::string> limits;
  std::vector<std::string> ratios;
  bool strict = false;
  bool is_verbose = false;
};

/// "accuracy=0.1", "selection_rate:gold=0.8"; a class may stand in quotes.
GroupLimit parse_limit(const std::string& text, const char* option, const char* example) {
  const size_t sign = rfind_outside_quotes(text, '=');
  const std::string name = text.substr(0, sign);
  const size_t colon = name.find(':');
  GroupLimit limit{name.substr(0, colon), 0};
  if (colon != std::string::npos) limit.of_class = without_quotes(name.substr(colon + 1));
  const char* begin = text.data() + (sign == std::string::npos ? text.size() : sign + 1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, limit.limit);
  const bool lacks_class = colon != std::string::npos && limit.of_class.empty();
  if (error != std::errc() || stop != end || lacks_class ||
      limit.metric.find('=') != std::string::npos) {
    throw Error(ErrorKind::kUsage, "cli.audit",
                fmt::format("{} takes METRIC=NUMBER, as in {}, or METRIC:CLASS=NUMBER for one of "
                            "several classes, got {}",
                            option, example, text));
  }
  return limit;
}

AuditLimits limits_of(const AuditOptions& options) {
  AuditLimits limits;
  for (const std::string& text : options.limits)
    limits.disparities.push_back(parse_limit(text, "--max-disparity", "accuracy=0.1"));
  for (const std::string& text : options.ratios)
    limits.ratios.push_back(parse_limit(text, "--min-ratio", "selection_rate=0.8"));
  return limits;
}

AuditReport audit_model(const AuditOptions& options, const CommonOptions& common,
                        TaskProgress& progress) {
  AuditRequest request = options.request;
  if (request.model_path.empty()) throw CLI::RequiredError("--model");
  if (request.data.empty()) throw CLI::RequiredError("--data");
  request.groupings = options.groups.groupings();
  request.floor = options.groups.floor();
  AuditLimits limits = limits_of(options);
  request.limits = std::move(limits.disparities);
  request.ratios = std::move(limits.ratios);
  request.command = common.command_line;
  request.threads = common.threads > 0
                        ? common.threads
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return audit(request, progress);
}

AuditReport audit_logged(const AuditOptions& options, const CommonOptions& common,
                         TaskProgress& progress) {
  PredictionsAuditRequest request{
      options.logged,           limits_of(options),    options.request.favourable,
      options.request.out_path, options.request.force, common.command_line};
  request.table.schema_path = options.request.schema_path;
  request.table.table = options.request.table;
  request.table.groupings = options.groups.groupings();
  request.table.floor = options.groups.floor();
  request.table.weight = options.request.weight_column;
  request.table.constraints = options.request.constraints;
  request.table.constraints_path = options.request.constraints_path;
  return audit_predictions(request, progress);
}

void run_audit(const AuditOptions& options, const CommonOptions& common) {
  const auto progress = common.make_progress();
  const AuditReport report = options.logged.data.empty() ? audit_model(options, common, *progress)
                                                         : audit_logged(options, common, *progress);
  if (common.json) {
    common.print("{}", to_text(audit_to_json(report)));
  } else {
    common.print("{}", to_screen(audit_document(report), options.is_verbose));
  }
  // A limit that fails ends the command, and must not hide that its output got lost.
  common.host.flush();
  require_limits(report, options.strict);
}

/// Options of --predictions, which excludes those of a model.
void add_logged_options(CLI::App& command, LoggedTableRequest& logged,
                        const std::vector<CLI::Option*>& of_model, const CommonOptions& common) {
  constexpr const char* kGroup = "Predictions";
  CLI::Option* predictions =
      add_table(command, "--predictions", logged.data,
                "Table of predictions or decisions by any model or person, with the outcomes and "
                "groups next to them (CSV, ARFF, JSON, Parquet), to audit in place of a model",
                common)
          ->group(kGroup);
  for (CLI::Option* option : of_model) predictions->excludes(option);
  const auto add = [&](const char* name, std::string& column, const char* help) {
    return command.add_option(name, column, help)->needs(predictions)->group(kGroup);
  };
  add("--target", logged.target, "Column with the outcomes [the target of --schema]");
  add("--prediction", logged.prediction,
      "Column with the predicted classes or numbers [prediction, unless --probability, "
      "--probabilities or --score is given]");
  add("--probability", logged.probability,
      "Column with the predicted probability of the positive class, 0 to 1");
  command
      .add_option("--probabilities", logged.probabilities,
                  "Columns with the predicted probability of each class: a name in which {} stands "
                  "for the class, '{}' for the classes alone, or CLASS=COLUMN for each; repeatable "
                  "['probability of {}' for more than two classes, if the table has them]")
      ->allow_extra_args(false)
      ->needs(predictions)
      ->group(kGroup);
  add("--score", logged.score,
      "Column with a score that is no probability: the higher, the more positive");
  command
      .add_option_function<double>(
          "--threshold", [&logged](const double& threshold) { logged.threshold = threshold; },
          "Probability or score from which on a record is predicted positive, of two classes [0.5 "
          "for probabilities]")
      ->needs(predictions)
      ->group(kGroup);
  add("--positive", logged.positive,
      "The positive one of two classes, as it stands in the table [the last of --schema; without "
      "one: true, yes or 1]");
  command
      .add_option_function<std::string>(
          "--target-type",
          [&logged](const std::string& word) {
            logged.target_kind = word == "number" ? LoggedTarget::kNumber : LoggedTarget::kClass;
          },
          "What the target is where there is no --schema: class or number [class]")
      ->check(CLI::IsMember({"class", "number"}))
      ->needs(predictions)
      ->group(kGroup);
}

}  // namespace

void add_audit_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "audit",
      "Measure a model or logged predictions on each group, with intervals (NOT PRIVATE)",
      "equinoise audit --model model --data data/adult/adult.csv.gz --held-out \\\n"
      "    --groups sex,race --groups sex --max-disparity accuracy=0.15\n"
      "  equinoise audit --predictions decisions.csv --target repaid --prediction approved \\\n"
      "    --groups sex --min-ratio selection_rate=0.8 --favourable yes\n"
      "  equinoise audit --predictions decisions.csv --target repaid --prediction approved \\\n"
      "    --groups sex --weight-column PWGTP",
      common);
  auto options = std::make_shared<AuditOptions>();
  AuditRequest& request = options->request;
  std::vector<CLI::Option*> of_model = {
      command->add_option("--model", request.model_path,
                          "Folder written by equinoise train, or the model.json in it; required "
                          "without --predictions"),
      add_table(*command, "--data", request.data,
                "Table with the model's columns and its target (CSV, ARFF, JSON, "
                "Parquet), or images (idx file, folder of JPEG files); required without "
                "--predictions",
                common)};
  add_table_options(*command, request.table);
  of_model.push_back(add_labels_option(*command, request.labels_path));
  add_group_options(*command, options->groups);
  add_weight_option(*command, request.weight_column, ": every figure and its interval is weighted");
  of_model.push_back(command->add_flag(
      "--held-out", request.held_out_only,
      "Audit only the records that the model's split held out of the training table"));
  of_model.push_back(
      command->add_option("--reference", request.reference_path,
                          "Model of the same target to compare with; the report shows what the "
                          "audited model loses against it"));
  command->add_option("--schema", request.schema_path,
                      "Schema to use in place of the model's own, for example with more "
                      "[groups.NAME]; it must encode records in the same way. With --predictions, "
                      "what the target and the groups are");
  command->add_option("--max-disparity", options->limits,
                      "METRIC=NUMBER: largest difference allowed between groups; repeatable");
  command->add_option("--min-ratio", options->ratios,
                      "RATE=NUMBER: smallest ratio allowed between the lowest and the highest rate "
                      "of groups, e.g. selection_rate=0.8 (four-fifths rule, see --favourable); "
                      "repeatable");
  command->add_option("--favourable", request.favourable,
                      "Class of the target that is good for a person: the four-fifths rule is "
                      "about it [favourable of the schema]");
  add_strict_flag(*command, options->strict);
  command->add_flag("--verbose", options->is_verbose, "Print all tables and sentences of the page");
  add_constraint_options(*command, request.constraints, request.constraints_path);
  CLI::Option* explain = command->add_flag(
      "--explain", request.explain,
      "Also show why groups lose: the effect of one training step on each group's loss through "
      "clipping (length and direction, in both orders) and noise, with gradients and curvature");
  command
      ->add_option("--explain-directions", request.explain_directions,
                   "Number of random directions for the estimates of curvature")
      ->needs(explain)
      ->capture_default_str();
  command->add_option("--out", request.out_path, "Folder for report.json and report.html");
  command->add_flag("--force", request.force, "Replace files in an existing --out");
  of_model.push_back(explain);
  add_logged_options(*command, options->logged, of_model, common);
  command->callback([options, &common] { run_audit(*options, common); });
}

}  // namespace equinoise::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/means/registry.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/train/chosen_options.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

template <typename Config>
std::vector<OptionText> texts_of(std::span<const MethodOption<Config>> options) {
  std::vector<OptionText> texts;
  for (const MethodOption<Config>& option : options) {
    const OptionFacts& facts = option.facts;
    texts.push_back({flag_of(facts.name), default_text(option),
                     facts.choices.empty() ? to_text(facts.range)
                                           : fmt::format("{}", fmt::join(facts.choices, ", ")),
                     std::string(facts.help)});
  }
  return texts;
}

constexpr std::string_view kPeople = "--schema people.toml --data people.csv";
constexpr std::string_view kNumericTarget = "--schema hours.toml --data people.csv";

std::string example_of(const TrainingMethodRow& row) {
  const std::unique_ptr<TrainingMethod> method = row.make();
  const bool is_of_numbers =
      method->traits().trains("linear") && !method->traits().trains("logistic");
  return fmt::format(
      "equinoise train {} --method {} --groups sex{}{} --out model",
      is_of_numbers ? kNumericTarget : kPeople, row.name,
      method->traits().uses_constraints ? " --constraint demographic_parity:sex:0.05" : "",
      row.status == PrivacyStatus::kPrivate ? " --epsilon 1" : "");
}

std::string example_of(const MeanEstimatorRow& row) {
  return fmt::format("equinoise means {} --columns age --by sex --rho 0.1 --method {}{}", kPeople,
                     row.name, row.make()->needs_stddev() ? " --stddev age=12" : "");
}

std::string example_of(const SynthesizerRow& row) {
  return fmt::format("equinoise synth {} --method {}{} --out synthetic", kPeople, row.name,
                     row.status == PrivacyStatus::kPrivate ? " --epsilon 1" : "");
}

std::string example_of(const ModelRow& row) {
  const std::string_view table = row.needs_image
                                     ? "--schema digits.toml --data images.gz --labels labels.gz"
                                 : row.facts.is_regression ? kNumericTarget
                                                           : kPeople;
  return fmt::format("equinoise train {} --model {} --epsilon 1 --out model", table, row.name);
}

template <typename Config, typename Rows>
void add_methods(const Rows& rows, const std::string& task, std::vector<MethodText>& methods) {
  for (const auto& row : rows) {
    methods.push_back({std::string(row.name), task, row.status, std::string(row.source),
                       std::string(row.summary), texts_of<Config>(row.options()), example_of(row)});
  }
}

std::vector<MethodText> all_methods() {
  std::vector<MethodText> methods;
  add_methods<TrainingConfig>(training_methods(), "train", methods);
  for (size_t i = 0; i < methods.size(); ++i)
    methods[i].supports_units = training_methods()[i].supports_units;
  add_methods<MeanConfig>(mean_estimators(), "means", methods);
  add_methods<SynthConfig>(synthesizers(), "synth", methods);
  return methods;
}

ModelText text_of(const ModelRow& row) {
  std::vector<NetworkOption> followed;  ///< options
  for (const NetworkOption& option : network_options())
    if (row.follows(option.facts.name)) followed.push_back(option);
  return {std::string(row.name), std::string(row.summary), texts_of<NetworkOptions>(followed)};
}

void print_options(const std::vector<OptionText>& options, const CommonOptions& common) {
  if (options.empty()) return;
  TextTable table{"", {"option", "default", "values", "meaning"}, {}, 4};
  for (const OptionText& option : options)
    table.rows.push_back({option.flag, option.usual, option.takes, option.help});
  common.print("\n{}", to_text(table));
}

void print_model(const ModelRow& row, const CommonOptions& common) {
  common.print("{}: {}\n\n  kind      model of train\n", row.name, row.summary);
  print_options(text_of(row).options, common);
  common.print("\nExample:\n  {}\nOther options: equinoise train --help\n", example_of(row));
}

void print_method(const MethodText& method, const CommonOptions& common) {
  common.print("{}: {}\n\n  task      {}\n  status    {}\n  source    {}\n", method.name,
               method.summary, method.task, to_string(method.status), method.source);
  if (method.supports_units)
    common.print("  units     {}\n", *method.supports_units
                                         ? "rows, or of several rows each (unit of the schema)"
                                         : "rows only (unit = \"row\" of the schema)");
  print_options(method.options, common);
  common.print("\nExample:\n  {}\nOther options: equinoise {} --help\n", method.example,
               method.task);
}

void print_one(const std::string& name, const CommonOptions& common) {
  std::vector<std::string> names;
  for (const MethodText& method : all_methods()) {
    names.push_back(method.name);
    if (method.name != name) continue;
    if (!common.json) return print_method(method, common);
    return print_json(method, common, "method");
  }
  for (const ModelRow& row : model_kinds()) {
    names.emplace_back(row.name);
    if (row.name != name) continue;
    if (!common.json) return print_model(row, common);
    return print_json(text_of(row), common, "model_of_train");
  }
  refuse_unknown("cli.methods", "method", name, names, "equinoise methods lists them");
}

void print_all(const CommonOptions& common) {
  if (common.json) {
    MethodList list{all_methods(), {}};
    for (const ModelRow& row : model_kinds()) list.models.push_back(text_of(row));
    print_json(list, common);
    return;
  }
  TextTable table{"", {"name", "task", "status", "source", "what it does"}, {}, 5};
  std::vector<std::string> of_units;
  for (const MethodText& method : all_methods()) {
    table.rows.push_back({method.name, method.task, std::string(to_string(method.status)),
                          method.source, method.summary});
    if (method.supports_units.value_or(false)) of_units.push_back(method.name);
  }
  common.print("{}", to_text(table));
  common.print("\nTraining where a unit of the schema has several rows: {}\n",
               fmt::join(of_units, ", "));
  common.print("{}\n", wrapped("train --method auto: " + rule_of_auto()));
  TextTable models{"", {"model", "what it learns"}, {}, 2};
  for (const ModelRow& row : model_kinds())
    models.rows.push_back({std::string(row.name), std::string(row.summary)});
  common.print("\n{}", to_text(models));
}

struct MethodsOptions {
  std::string name;
};

RequestOptions options_of(MethodsOptions& options) {
  std::vector<std::string_view> names = names_in(model_kinds());
  for (const std::vector<std::string_view>& more :
       {names_in(training_methods()), names_in(mean_estimators()), names_in(synthesizers())})
    append(names, more);
  return {
      {{.name = "name", .help = "Method or model to show", .choices = names}, &options.name, true}};
}

void run_methods(const CLI::App&, const MethodsOptions& options, const CommonOptions& common) {
  if (options.name.empty()) return print_all(common);
  print_one(options.name, common);
}

}  // namespace

void add_methods_command(CLI::App& app, CommonOptions& common) {
  add_request_command<MethodsOptions>(
      app,
      {"methods",
       "List all methods with their privacy status, and the models; or show one method or model "
       "with its options",
       "equinoise methods dpsgd_global_adapt"},
      common, run_methods);
}

}  // namespace equinoise::cli

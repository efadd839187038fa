// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/reproduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/quotes.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/reproduction/report_files.h"
#include "equinoise/reproduction/runs.h"
#include "equinoise/reproduction/verdict.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";

bool has_curves(const ReproductionItem& item) {
  return item.experiment == nullptr || item.experiment->has_curves();
}

std::vector<std::string> output_files(const ReproductionItem& item) {
  std::vector<std::string> files = {"report.json", "report.html"};
  if (has_curves(item)) files.emplace_back("curves.csv");
  return files;
}

/// The reason why the whole item cannot be run and the remedy, or "".
std::string find_obstacle(const ReproductionItem& item, const std::filesystem::path& folder) {
  const ReproductionFiles* data = item.experiment->files(item);
  if (data == nullptr) return "";
  for (const std::string_view name : data->files) {
    std::error_code error;
    if (std::filesystem::exists(folder / name, error)) continue;
    return fmt::format("{} is missing; it is {}; give its folder with --data-dir",
                       (folder / name).string(), data->origin);
  }
  return "";
}

std::vector<std::string> notes_of(const ReproductionItem& item, int64_t num_seeds) {
  const Experiment& experiment = *item.experiment;
  std::vector<std::string> notes = experiment.notes(item, num_seeds);
  for (const std::vector<std::string>& more :
       {rules_of(item, experiment.tested(), experiment.target()), experiment.closing_notes(item),
        item.notes})
    append(notes, more);
  return notes;
}

/// Rows, tests and curves of an item from its runs.
void add_results(const ReproductionItem& item, const ReproduceRequest& request,
                 const std::string& obstacle, const std::vector<Outcomes>& outcomes,
                 ReproductionReport& report) {
  const Experiment& experiment = *item.experiment;
  const bool is_shortened = experiment.is_shortened() || item.is_short();
  AllFigures all;
  const Outcomes none;
  for (size_t m = 0; m < item.methods.size(); ++m) {
    const ReproductionMethod& method = item.methods[m];
    std::vector<ReproductionRow> rows;
    if (outcomes.empty() || outcomes[m].empty()) {
      const Outcomes* beside = method.reference.empty() ? nullptr : &none;
      rows = skipped_rows(method, experiment.figures(item, m, none, beside),
                          why_skipped(item, method, request, obstacle), !has_curves(item));
    } else {
      const auto reference =
          std::ranges::find(item.methods, method.reference, &ReproductionMethod::name);
      const Outcomes* beside =
          reference == item.methods.end()
              ? nullptr
              : &outcomes[static_cast<size_t>(reference - item.methods.begin())];
      all[method.name] = experiment.figures(item, m, outcomes[m], beside);
      rows = rows_of(method, all[method.name], is_shortened, item.seeds);
      for (size_t s = 0; s < outcomes[m].size() && has_curves(item); ++s)
        report.curves.push_back({method.name, s, outcomes[m][s].points});
    }
    append(report.rows, rows);
  }
  report.tests = tests_of(item, all, is_shortened, obstacle);
}

void check_method(const ReproductionItem& item, const std::string& name) {
  std::vector<std::string> names;
  for (const ReproductionMethod& method : item.methods) {
    if (is_named(method, name)) return;
    names.push_back(with_quotes(method.name));
  }
  throw Error(ErrorKind::kUsage, kWhere, "{} has no method {}; choose among {}", item.name(), name,
              fmt::join(names, ", "));
}

/// Lets the runs of the item also record the values for the figures that --also names.
void follow_figures(const ReproduceRequest& request, ReproductionItem& item) {
  if (request.also.empty()) return;
  if (request.runs_path.empty())
    throw Error(ErrorKind::kUsage, kWhere, "--also needs --runs, the file that keeps the runs");
  for (const std::string& name : request.also) {
    const ReproductionItem figure = find_reproduction_item(name);
    std::shared_ptr<const Experiment> both;
    if (figure.experiment != nullptr) both = item.experiment->following(*figure.experiment);
    if (both == nullptr) {
      throw Error(ErrorKind::kUsage, kWhere, "--also: {} does not use the runs of {}", name,
                  item.name());
    }
    item.experiment = std::move(both);
  }
}

/// An effort as an option, and the items that have it.
struct EffortRow {
  std::optional<int64_t> Efforts::*effort;
  const char* option;
  const char* items;
};

constexpr std::array kEfforts = {
    EffortRow{&Efforts::every, "--every", "measure single steps"},
    EffortRow{&Efforts::directions, "--directions", "estimate traces"},
    EffortRow{&Efforts::epochs, "--epochs", "train by epochs"},
    EffortRow{&Efforts::steps, "--steps", "train under constraints"},
};

/// Cuts the item to one seed in the fewest steps, with the methods that the request names.
void shorten(const ReproduceRequest& request, ReproductionItem& item) {
  const ShortForm form;
  item.seeds = 1;
  item.max_records = form.num_records;
  const bool has_own_runs = item.experiment->identity(item).at("item") == item.name();
  if (!has_own_runs && request.methods.empty()) ShortForm::cut(item.methods, form.num_methods);
  item.experiment = item.experiment->shortened(form);
  item.notes.insert(
      item.notes.begin(),
      fmt::format("short form: one seed of at most {} records, and at most the first {} "
                  "values of what the item varies; it shows that the item runs, and "
                  "nothing is judged",
                  format_count(form.num_records), form.num_values));
}

/// The item with the request's own efforts.
ReproductionItem item_as_asked(ReproductionItem item, const ReproduceRequest& request) {
  const auto refuse = [&](const char* option, const char* items) {
    throw Error(ErrorKind::kUsage, kWhere, "{} is only for items that {}; {} does not", option,
                items, item.name());
  };
  if (!item.parts.empty()) return item;
  follow_figures(request, item);
  Efforts asked = request.efforts;
  if (auto changed = item.experiment->with_efforts(asked)) item.experiment = std::move(changed);
  for (const EffortRow& row : kEfforts)
    if (asked.*row.effort) refuse(row.option, row.items);
  for (const std::string& name : request.methods) check_method(item, name);
  if (request.quick) shorten(request, item);
  return item;
}

ReproductionReport reproduce_item(const ReproductionItem& item, const ReproduceRequest& request,
                                  TrainProgress& progress) {
  const int64_t num_seeds = request.seeds.value_or(item.seeds);
  const std::string obstacle = find_obstacle(item, request.data_directory);
  ReproductionReport report;
  report.groups = item.groups;
  report.position = item.experiment->position();
  report.columns = item.experiment->columns(item);
  report.charts = item.charts;
  report.notes = notes_of(item, num_seeds);
  std::vector<Outcomes> outcomes;
  if (obstacle.empty()) outcomes = run_all(item, request, num_seeds, progress);
  add_results(item, request, obstacle, outcomes, report);
  return report;
}

/// One part after another; names of methods begin with the label of their part.
ReproductionReport reproduce_parts(const ReproductionItem& item, const ReproduceRequest& request,
                                   TrainProgress& progress) {
  ReproductionReport report;
  for (const std::string& name : item.parts) {
    ReproduceRequest part_request = request;
    const ReproductionItem part = item_as_asked(find_reproduction_item(name), request);
    if (!request.runs_path.empty()) part_request.runs_path += "." + part.item;
    ReproductionReport one = reproduce_item(part, part_request, progress);
    const std::string& label = part.label.empty() ? part.data : part.label;
    const std::string prefix = label + ": ";
    const auto rename = [&](std::string& method) { method.insert(0, prefix); };
    for (ReproductionRow& row : one.rows) {
      rename(row.method);
      report.rows.push_back(std::move(row));
    }
    for (ReproductionTest& test : one.tests) {
      rename(test.better);
      rename(test.than);
      report.tests.push_back(std::move(test));
    }
    for (ReproductionCurve& curve : one.curves) {
      rename(curve.method);
      report.curves.push_back(std::move(curve));
    }
    for (ReproductionChart& chart : one.charts) {
      chart.title = label + ", " + chart.title;
      chart.prefix = prefix;
      report.charts.push_back(std::move(chart));
    }
    report.position = one.position;
    report.columns = one.columns;
    for (std::string& note : one.notes)
      if (!contains(report.notes, note)) report.notes.push_back(std::move(note));
  }
  return report;
}

}  // namespace

ReproductionReport reproduce(const ReproduceRequest& request, TrainProgress& progress) {
  return reproduce(find_reproduction_item(request.item), request, progress);
}

ReproductionReport reproduce(ReproductionItem item, const ReproduceRequest& request,
                             TrainProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  item = item_as_asked(std::move(item), request);
  std::optional<OutputFolder> folder;
  if (!request.out_path.empty()) {
    constexpr int64_t kRoom = 1 << 20;
    folder.emplace(request.out_path, request.force, output_files(item), kRoom);
  }
  ReproductionReport report = item.parts.empty() ? reproduce_item(item, request, progress)
                                                 : reproduce_parts(item, request, progress);
  report.paper = item.paper;
  report.item = item.item;
  report.summary = item.summary;
  report.is_drawn = item.is_drawn();
  report.command = request.command;
  report.version = EQUINOISE_VERSION;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (folder) {
    for (const std::string& name : output_files(item))
      report.files.push_back(folder->final_path(name));
    folder->write("report.json", to_text(reproduction_to_json(report)));
    folder->write("report.html", reproduction_to_html(report));
    if (has_curves(item)) folder->write("curves.csv", reproduction_curves_to_csv(report));
    folder->commit();
  }
  return report;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/files/output_file.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/predict/saved_model.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth_estimate";
/// Below, an interval says little, and record_interval() is not made for it.
constexpr double kMinLevel = 0.7;
constexpr double kMaxLevel = 1 - 1e-9;

EstimatedFigure estimate(const AskedFigure& asked, const ReleasedCounts& counts, double miss) {
  EstimatedFigure figure;
  figure.kind = asked.kind;
  figure.group = asked.group;
  figure.model = counts.model_figure(asked);
  FigureSources found = counts.sources_of(asked);
  figure.reason = std::move(found.reason);
  if (found.sources.empty()) return figure;
  const std::optional<RecordInterval> interval =
      record_interval(found.sources, miss, asked.least, asked.most);
  figure.estimate = interval->estimate;
  figure.lower = interval->lower;
  figure.upper = interval->upper;
  if (!figure.estimate) {
    figure.reason = "noise hides how many records it is of";
    return figure;
  }
  figure.basis = std::move(found.bases[interval->source]);
  figure.basis.is_split = interval->is_split;
  return figure;
}

/// The records that shares are of.
std::string base_of_shares(const SynthFile& file, const FigureQuestion& asked) {
  if (!asked.by.empty()) return "Shares are of the records of each group.";
  if (!file.released->num_records)
    return "Shares are of the records that were counted, whose number is private.";
  return fmt::format(
      "Shares are of the {} records of the table; one that a rule of the schema leaves out counts "
      "among these and is in no cell.",
      format_count(*file.released->num_records));
}

std::vector<std::string> notes_of(const SynthFile& file, const SynthEstimateReport& report,
                                  const FigureQuestion& asked,
                                  std::vector<std::string> of_question) {
  std::vector<std::string> notes;
  notes.push_back(
      fmt::format("Intervals are for figures of the {}, not of a population that they come from.",
                  report.interval_of));
  notes.push_back(
      fmt::format("{} in at least {:g} % of releases.",
                  report.at_once ? "All intervals at once hold" : "Each interval by itself holds",
                  100 * report.level));
  for (std::string& note : of_question) notes.push_back(std::move(note));
  if (asked.mean.empty()) notes.push_back(base_of_shares(file, asked));
  const bool has_split = std::ranges::any_of(
      report.figures, [](const EstimatedFigure& figure) { return figure.basis.is_split; });
  if (has_split) {
    notes.emplace_back(
        "Where measurements contradict each other beyond what their noise explains at this level, "
        "the interval is from the lowest to the highest limit of all.");
  }
  if (file.status != PrivacyStatus::kPrivate)
    notes.push_back(fmt::format("Status of the model: {}.", to_string(file.status)));
  return notes;
}

}  // namespace

SynthEstimateReport estimate_from_model(const SynthFile& file, const std::string& origin,
                                        const SynthEstimateRequest& request) {
  check_interval(kWhere, "level", request.level, kMinLevel, kMaxLevel);
  if (!file.released || !file.released->has_counts()) {
    throw Error(ErrorKind::kInput, kWhere,
                "{}: the model is of a version that kept no noisy counts to estimate "
                "from",
                origin);
  }
  const EstimateQuestion question = read_question(request.question, file);
  SynthEstimateReport report;
  report.dataset = file.dataset;
  report.method = file.method;
  report.version = file.released->version;
  report.status = file.status;
  report.question = question.words;
  if (file.released->has_units()) {
    report.interval_of =
        fmt::format("rows of the table that counted, at most {} of each {}",
                    format_count(file.released->max_records_per_unit), file.released->unit);
  }
  report.level = request.level;
  report.at_once = request.at_once;
  const double miss =
      (1 - request.level) / (request.at_once ? static_cast<double>(question.num_events) : 1);
  try {
    const ReleasedCounts counts(file, question.columns);
    for (const AskedFigure& asked : question.figures)
      report.figures.push_back(estimate(asked, counts, miss));
  } catch (const Error& error) {
    throw Error(ErrorKind::kInput, kWhere, "{}: {}", origin, error.what());
  }
  report.notes = notes_of(file, report, request.question, question.notes);
  return report;
}

SynthEstimateReport estimate_from_synthetic(const SynthEstimateRequest& request,
                                            TaskProgress& progress) {
  const std::string origin = model_file(request.model_path).string();
  progress.stage(fmt::format("loading {}", origin));
  const SynthFile file = load_synth_file(origin);
  const bool writes = !request.out_path.empty();
  if (writes) const OutputFile probe(request.out_path, request.force);
  progress.stage("estimating");
  SynthEstimateReport report = estimate_from_model(file, origin, request);
  if (!writes) return report;
  progress.hold_interruptions();
  OutputFile out(request.out_path, request.force);
  out.write(request.out_path.extension() == ".csv" ? synth_estimate_to_csv(report)
                                                   : to_text(synth_estimate_to_json(report)));
  out.commit();
  report.files.push_back(request.out_path.string());
  return report;
}

}  // namespace equinoise

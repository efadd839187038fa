// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/run_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "equinoise/report/json.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

Json json_of_errors(double overall, const std::vector<double>& of_groups) {
  Json groups = Json::array();
  for (const double error : of_groups) groups.push_back(number_or_null(error));
  return {{"overall", number_or_null(overall)}, {"groups", groups}};
}

double number_or_nan(const Json& json) { return json.is_null() ? kUndefined : json.get<double>(); }

}  // namespace

void set_group_figures(std::span<const CompareGroup> groups, CompareRun& run) {
  struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    int count = 0;
    bool is_open = false;  // some error is undefined
  };
  std::map<std::string, Range> ranges;  // by grouping
  for (size_t k = 0; k < groups.size(); ++k) {
    if (!groups[k].is_counted) continue;
    Range& range = ranges[groups[k].columns];
    range.least = std::min(range.least, run.groups[k]);
    range.most = std::max(range.most, run.groups[k]);
    range.is_open = range.is_open || std::isnan(run.groups[k]);
    ++range.count;
  }
  run.worst_group = kUndefined;
  run.gap = kUndefined;
  const bool is_open =
      std::ranges::any_of(ranges, [](const auto& range) { return range.second.is_open; });
  if (is_open) return;
  for (const auto& [columns, range] : ranges) {
    if (!(run.worst_group >= range.most)) run.worst_group = range.most;
    if (range.count > 1 && !(run.gap >= range.most - range.least))
      run.gap = range.most - range.least;
  }
}

Json run_to_json(const CompareRun& run) {
  Json json = Json::object();
  if (run.by_metric.empty()) json = json_of_errors(run.overall, run.groups);
  for (const auto& [metric, errors] : run.by_metric)
    json["by_metric"][metric] = json_of_errors(errors.overall, errors.groups);
  json.update({{"violation", number_or_null(run.violation)},
               {"violation_low", number_or_null(run.violation_low)},
               {"private_verdict", run.private_verdict},
               {"seconds", number_or_null(run.seconds)}});
  return json;
}

CompareRun run_from_json(const Json& json, const std::string& metric) {
  CompareRun run;
  const Json& errors = metric.empty() ? json : json.at("by_metric").at(metric);
  run.overall = number_or_nan(errors.at("overall"));
  for (const Json& error : errors.at("groups")) run.groups.push_back(number_or_nan(error));
  run.violation = number_or_nan(json.at("violation"));
  run.violation_low = number_or_nan(json.at("violation_low"));
  run.private_verdict = json.at("private_verdict").get<std::string>();
  run.seconds = number_or_nan(json.at("seconds"));
  return run;
}

}  // namespace equinoise

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
  Json groups = Json::array();
  for (const double error : run.groups) groups.push_back(number_or_null(error));
  return {{"overall", number_or_null(run.overall)},
          {"groups", groups},
          {"violation", number_or_null(run.violation)},
          {"violation_low", number_or_null(run.violation_low)},
          {"private_verdict", run.private_verdict},
          {"seconds", number_or_null(run.seconds)}};
}

CompareRun run_from_json(const Json& json) {
  CompareRun run;
  run.overall = number_or_nan(json.at("overall"));
  for (const Json& error : json.at("groups")) run.groups.push_back(number_or_nan(error));
  run.violation = number_or_nan(json.at("violation"));
  run.violation_low = number_or_nan(json.at("violation_low"));
  run.private_verdict = json.at("private_verdict").get<std::string>();
  run.seconds = number_or_nan(json.at("seconds"));
  return run;
}

}  // namespace equinoise

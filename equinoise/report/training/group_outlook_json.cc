// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/group_outlook_json.h"

#include <cmath>

#include "equinoise/report/json.h"
#include "equinoise/report/training/other_methods_report.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

Json range_of(const OutlookRanges::Range& range) { return Json::array({range.least, range.most}); }

}  // namespace

Json outlook_of(const TrainingReport& report) {
  const GroupOutlookReport& outlook = *report.group_outlook;
  Json json = {{"group_difference", outlook.group_difference},
               {"residual_variance", outlook.residual_variance},
               {"group_difference_is_stated", outlook.is_difference_given},
               {"seeks_epsilon", outlook.wants_epsilon},
               {"strategies", Json::array()},
               {"best", outlook.strategies[outlook.best].method},
               {"open_assumptions", outlook.open_assumptions},
               {"compared",
                {{"group_difference", range_of(outlook.ranges.group_difference)},
                 {"residual_variance", range_of(outlook.ranges.residual_variance)},
                 {"curvature", range_of(outlook.ranges.curvature)}}},
               {"first_by_group_difference", Json::array()}};
  for (const RankedRange& range : outlook.ranking) {
    json["first_by_group_difference"].push_back(
        {{"from", range.from}, {"to", range.to}, {"method", range.method}});
  }
  for (const GroupStrategy& strategy : outlook.strategies) {
    Json& row = json["strategies"].emplace_back();
    row = {
        {"method", strategy.method},
        {"options", strategy.options},
        {"enough", !strategy.privacy.empty()},
        {"noise_warning", strategy.noise_warning ? Json(*strategy.noise_warning) : Json(nullptr)},
        {"part_of_rate", strategy.part_of_rate ? Json(*strategy.part_of_rate) : Json(nullptr)},
        {"groups", Json::array()}};
    for (size_t k = 0; k < strategy.expected.size(); ++k) {
      const ExpectedError& error = strategy.expected[k];
      Json& group = row["groups"].emplace_back();
      group = {{"group", to_json(outlook.groups[k])},
               {"expected_error", error.total()},
               {"by_privacy", error.noise},
               {"by_chance", error.sampling},
               {"by_other_groups", error.difference}};
      if (!strategy.weights.empty()) group["group_weight"] = strategy.weights[k];
      if (!strategy.privacy.empty()) group["privacy"] = guarantee_or_null(strategy.privacy[k]);
    }
  }
  for (const StageOnePart& part : outlook.stage_one_parts) {
    json["stage1_sweep"].push_back(
        {{"stage1_fraction", part.fraction},
         {"largest_error", part.largest_error},
         {"largest_epsilon",
          std::isfinite(part.largest_epsilon) ? Json(part.largest_epsilon) : Json(nullptr)}});
  }
  return json;
}

nlohmann::ordered_json outlook_to_json(const TrainingReport& report) {
  return {{"schema", "equinoise/1"},
          {"group_outlook", outlook_of(report)},
          {"other_methods", other_methods_of(report)}};
}

}  // namespace equinoise

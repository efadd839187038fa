// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/means/means_outlook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/means/means_json.h"
#include "equinoise/report/means/means_text.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

Json optional_wanted(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

bool is_budget_sought(const MeansOutlook& outlook) {
  return std::any_of(outlook.columns.begin(), outlook.columns.end(), [](const auto& column) {
    return column.wanted.strata || column.wanted.overall;
  });
}

std::string wanted_text(const MeansOutlook::Column& column) {
  if (!column.wanted.strata && !column.wanted.overall) return "";
  std::string text = ": at most ";
  if (column.wanted.strata)
    text += format_amount(*column.wanted.strata) + " wanted for each stratum";
  if (column.wanted.strata && column.wanted.overall) text += ", ";
  if (column.wanted.overall) text += format_amount(*column.wanted.overall) + " wanted overall";
  return text;
}

std::string cost_table(const MeansOutlook& outlook) {
  std::vector<std::vector<std::string>> rows;
  std::string problems;
  for (const MeansOutlookMethod& method : outlook.methods) {
    if (!method.problem.empty()) {
      problems += fmt::format("{}: {}\n", method.method, method.problem);
      continue;
    }
    std::string takes;
    for (size_t j = 0; j < outlook.columns.size(); ++j) {
      const std::string& estimator = method.columns[j].estimator;
      if (estimator == method.method) continue;
      takes += fmt::format("{}{} for {}", takes.empty() ? "takes " : ", ", estimator,
                           outlook.columns[j].name);
    }
    rows.push_back({method.method, format_setting(method.rho),
                    method.privacy ? format_guarantee(*method.privacy) : "none", takes});
  }
  return format_table({"method", "rho", "guarantee", ""}, rows, 4) + problems;
}

std::string width_table(const MeansOutlook& outlook, size_t column) {
  std::vector<std::string> head = {"stratum", "records"};
  std::vector<const MeansOutlookColumn*> told;
  for (const MeansOutlookMethod& method : outlook.methods) {
    if (!method.problem.empty()) continue;
    head.push_back(method.method);
    told.push_back(&method.columns[column]);
  }
  const auto width = [](double value) {
    return std::isfinite(value) ? format_amount(value) : std::string("not known");
  };
  std::vector<std::vector<std::string>> rows;
  double total = 0;
  for (size_t k = 0; k < outlook.strata.size(); ++k) {
    total += outlook.sizes[k];
    if (outlook.by.empty()) break;
    std::vector<std::string>& row = rows.emplace_back();
    row = {values_of(outlook.strata[k]), format_count(static_cast<int64_t>(outlook.sizes[k]))};
    for (const MeansOutlookColumn* each : told)
      row.push_back(outlook.sizes[k] == 0 ? "empty" : width(each->strata[k]));
  }
  std::vector<std::string>& row = rows.emplace_back();
  row = {outlook.by.empty() ? "everybody" : fmt::format("overall, by {}", outlook.weights),
         format_count(static_cast<int64_t>(total))};
  for (const MeansOutlookColumn* each : told) row.push_back(width(each->overall));
  return format_table(head, rows);
}

}  // namespace

std::string means_outlook_to_text(const MeansOutlook& outlook) {
  std::string text = fmt::format(
      "Plan: means on {} ({}), from public facts alone; the table was not read and nothing was "
      "spent\n\n",
      outlook.dataset, to_string(outlook.status));
  text += record_weights_line(outlook.record_weights);
  if (outlook.record_weights) text += "\n";
  if (!outlook.unit.is_row()) {
    text += fmt::format("Cost to one {}, of whose rows at most {} count, in whichever strata:\n",
                        outlook.unit.name, format_count(outlook.unit.max_records));
    return text + cost_table(outlook) +
           "\nWidths depend on how many rows strata have, which is private: sizes are released "
           "with "
           "noise, and that is part of the cost.\n" +
           weights_line(outlook.held_out);
  }
  text += is_budget_sought(outlook)
              ? "Cost to the members of every stratum for the requested widths:\n"
              : "Cost to the members of every stratum:\n";
  text += cost_table(outlook);
  for (size_t j = 0; j < outlook.columns.size(); ++j) {
    const MeansOutlook::Column& column = outlook.columns[j];
    text += fmt::format("\nWidth of the 95 % interval of noise, {} within {} to {}{}\n",
                        column.name, column.lower, column.upper, wanted_text(column));
    text += width_table(outlook, j);
    if (column.rounding) {
      text += fmt::format("Not counted: {}, which makes intervals wider by twice that.\n",
                          rounding_text(*column.rounding));
    }
  }
  text +=
      "\nWidths are those of the figures as released, before shrinking, if every record has a "
      "value. For bounded and laplace\nthey are the actual widths if sizes and numbers of values "
      "are public, and otherwise those expected for a mean at the\nend of the bounds; strata of a "
      "few dozen records can come out wider. For the other methods they are those\nexpected if the "
      "given standard deviation is right, and they are about the means of numbers clipped to "
      "bounds that are\nchosen with noise: no interval covers how far these means are from those "
      "of the numbers as they are.\n";
  if (outlook.record_weights) {
    text +=
        "They are for the mean weight named above. A stratum whose noisy sum of weights is below 4 "
        "standard deviations of its noise,\nor below the largest weight, has no figure at all.\n";
  }
  return text + weights_line(outlook.held_out);
}

nlohmann::ordered_json means_outlook_to_json(const MeansOutlook& outlook) {
  Json json = {{"schema", "equinoise/1"},
               {"version", outlook.version},
               {"dataset", outlook.dataset},
               {"status", to_string(outlook.status)},
               {"unit", outlook.unit.name},
               {"by", outlook.by},
               {"weights", outlook.weights},
               {"record_weights", record_weights_to_json(outlook.record_weights)},
               {"methods", Json::array()}};
  if (!outlook.unit.is_row()) json["max_records_per_unit"] = outlook.unit.max_records;
  if (outlook.held_out) json["held_out"] = to_json(*outlook.held_out);
  for (const MeansOutlookMethod& method : outlook.methods) {
    Json& row = json["methods"].emplace_back(Json{{"method", method.method}});
    if (!method.problem.empty()) {
      row["problem"] = method.problem;
      continue;
    }
    row["rho"] = method.rho;
    row["privacy"] = method.privacy ? to_json(*method.privacy) : Json(nullptr);
    row["columns"] = Json::array();
    for (size_t j = 0; j < outlook.columns.size(); ++j) {
      const MeansOutlook::Column& column = outlook.columns[j];
      const MeansOutlookColumn& told = method.columns[j];
      Json strata = Json::array();
      for (size_t k = 0; k < outlook.strata.size(); ++k) {
        strata.push_back(
            {{"stratum", to_json(outlook.strata[k])},
             {"num_records",
              outlook.sizes.empty() ? Json(nullptr) : Json(static_cast<int64_t>(outlook.sizes[k]))},
             {"width", number_or_null(told.strata[k])}});
      }
      row["columns"].push_back({{"column", column.name},
                                {"estimator", told.estimator},
                                {"wanted_width", optional_wanted(column.wanted.strata)},
                                {"wanted_overall_width", optional_wanted(column.wanted.overall)},
                                {"overall_width", number_or_null(told.overall)},
                                {"strata", strata}});
    }
  }
  return json;
}

}  // namespace equinoise

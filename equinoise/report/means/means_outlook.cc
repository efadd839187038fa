// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/means/means_outlook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/report/release_page.h"

namespace equinoise {

namespace {

const std::vector<std::string> kWidthsAreOf = {
    "Widths are those of the figures as released, before shrinking, if every record has a value.",
    "For bounded and laplace they are exact if sizes and numbers of values are public, else those "
    "expected for a mean at the end of the bounds; strata of a few dozen records, or of fewer than "
    "four times \"95 % of a size\", can come out wider.",
    "For other methods they are those expected if the given standard deviation is right, without "
    "noise of sizes. They are about numbers clipped to bounds chosen with noise: no interval "
    "covers how far their means are from those of the numbers as they are."};

bool is_budget_sought(const MeansOutlook& outlook) {
  return std::ranges::any_of(
      outlook.columns, [](const auto& column) { return column.wanted || column.wanted_overall; });
}

bool are_sizes_known(const MeansOutlook& outlook) {
  return std::ranges::all_of(outlook.methods, [](const MeansOutlookMethod& method) {
    return method.columns.empty() || method.columns[0].strata[0].num_records;
  });
}

std::string wanted_text(const MeansOutlookColumn& column) {
  if (!column.wanted && !column.wanted_overall) return "";
  std::string text = ": at most ";
  if (column.wanted) text += format_amount(*column.wanted) + " wanted for each stratum";
  if (column.wanted && column.wanted_overall) text += ", ";
  if (column.wanted_overall) text += format_amount(*column.wanted_overall) + " wanted overall";
  return text;
}

void add_costs(const MeansOutlook& outlook, Section& section) {
  TextTable table{"", {"method", "rho", "guarantee", ""}, {}, 4};
  if (outlook.has_private_sizes) table.head.emplace_back("95 % of a size");
  Items problems;
  for (const MeansOutlookMethod& method : outlook.methods) {
    if (!method.problem.empty()) {
      problems.items.push_back(fmt::format("{}: {}", method.method, method.problem));
      continue;
    }
    std::string takes;
    for (const MeansOutlookFigures& column : method.columns) {
      if (column.estimator == method.method) continue;
      takes += fmt::format("{}{} for {}", takes.empty() ? "takes " : ", ", column.estimator,
                           column.column);
    }
    table.rows.push_back({method.method, format_setting(*method.rho),
                          method.privacy ? format_guarantee(*method.privacy) : "none", takes});
    if (method.size_half_width)
      table.rows.back().push_back(fmt::format("+-{:g}", *method.size_half_width));
  }
  section.add(std::move(table)).add(std::move(problems));
}

TextTable width_table(const MeansOutlook& outlook, size_t column) {
  TextTable table{"", {"stratum", outlook.has_private_sizes ? "expected" : "records"}};
  std::vector<const MeansOutlookFigures*> methods;
  for (const MeansOutlookMethod& method : outlook.methods) {
    if (!method.problem.empty()) continue;
    table.head.push_back(method.method);
    methods.push_back(&method.columns[column]);
  }
  if (methods.empty()) return table;
  const bool is_sampled = std::ranges::any_of(
      methods.front()->strata, [](const auto& stratum) { return std::isfinite(stratum.sampling); });
  if (is_sampled) table.head.insert(table.head.begin() + 2, "sampling without noise");
  const auto width = [](double value) {
    return std::isfinite(value) ? format_amount(value) : std::string("not known");
  };
  int64_t total = 0;
  for (size_t k = 0; k < methods.front()->strata.size(); ++k) {
    const MeansOutlookStratum& stratum = methods.front()->strata[k];
    const int64_t size = stratum.num_records.value_or(0);
    total += size;
    if (outlook.by.empty()) break;
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {values_of(stratum.stratum), format_count(size)};
    if (is_sampled) row.push_back(width(stratum.sampling));
    for (const MeansOutlookFigures* method : methods)
      row.push_back(size == 0 && !outlook.has_private_sizes ? "empty"
                                                            : width(method->strata[k].width));
  }
  std::vector<std::string>& row = table.rows.emplace_back();
  row = {outlook.by.empty() ? "overall" : fmt::format("overall, by {}", outlook.weights),
         format_count(total)};
  if (is_sampled) row.push_back(width(methods.front()->overall_sampling));
  for (const MeansOutlookFigures* method : methods) row.push_back(width(method->overall));
  return table;
}

void add_widths(const MeansOutlook& outlook, Document& document) {
  for (size_t j = 0; j < outlook.columns.size(); ++j) {
    const MeansOutlookColumn& column = outlook.columns[j];
    Section& section = document.section(
        fmt::format("Width of the 95 % interval of noise, {} within {} to {}{}", column.name,
                    column.bounds.low, column.bounds.high, wanted_text(column)),
        Fence::kPublishable, Form::kShown);
    section.add(width_table(outlook, j));
    if (!column.rounding) continue;
    section.add(Items{{fmt::format("Not counted: {}, which makes intervals wider by twice that.",
                                   rounding_text(*column.rounding))}});
  }
  Items notes{kWidthsAreOf};
  if (outlook.record_weights) {
    notes.items.emplace_back(
        "They are for the mean weight named above. A stratum whose noisy sum of weights is below 4 "
        "standard deviations of its noise, or below the largest weight, has no figure at all.");
  }
  if (std::string line = held_out_line(outlook.held_out); !line.empty())
    notes.items.push_back(std::move(line));
  document.section("What widths are of", Fence::kPublishable, Form::kShown).add(std::move(notes));
}

}  // namespace

Document means_outlook_document(const MeansOutlook& outlook) {
  Document document;
  document.title = fmt::format(
      "Plan: means on {} ({}), from public facts alone; the table was not read and "
      "nothing was spent",
      outlook.dataset, to_string(outlook.status));
  Section& section = document.section(document.title, Fence::kPublishable, Form::kShown);
  Items facts{record_weights_items(outlook.record_weights, kWeightedMeans)};
  const std::string of_widths = is_budget_sought(outlook) ? " for the requested widths" : "";
  facts.items.push_back(
      outlook.max_records_per_unit
          ? fmt::format("Cost to one {}{}, of whose rows at most {} count, in whichever strata:",
                        outlook.unit, of_widths, format_count(*outlook.max_records_per_unit))
          : fmt::format("Cost to the members of every stratum{}:", of_widths));
  add_costs(outlook, section.add(std::move(facts)));
  if (outlook.has_private_sizes)
    section.add(Items{{fmt::format("Sizes are released with noise, which is a part of the cost{}.",
                                   are_sizes_known(outlook)
                                       ? ""
                                       : "; for widths of intervals give the sizes that you "
                                         "expect: --stratum-size STRATUM=NUMBER, without --by "
                                         "overall=NUMBER")}});
  if (!are_sizes_known(outlook)) {
    if (std::string line = held_out_line(outlook.held_out); !line.empty())
      section.add(Items{{std::move(line)}});
    return document;
  }
  add_widths(outlook, document);
  return document;
}

nlohmann::ordered_json means_outlook_to_json(const MeansOutlook& outlook) {
  return document_of("plan means", outlook);
}

}  // namespace equinoise

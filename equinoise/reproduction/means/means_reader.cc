// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/means/means_reader.h"

#include <algorithm>
#include <string>

#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/means/means_runs.h"
#include "equinoise/reproduction/reader.h"

namespace equinoise {

namespace {

MeansLine read_line(const TomlSection& section, bool is_published) {
  section.check_keys({"estimator", "strata", "stddev", "shrinks", "overall_share", "curve",
                      "reason", "published", "target"});
  MeansLine line;
  line.estimator = section.text("estimator").value_or("");
  line.curve = section.choice<std::string>("curve", "",
                                           {{"theorem", "theorem"},
                                            {"floored", "floored"},
                                            {"upper", "upper"},
                                            {"lower", "lower"},
                                            {"drawn", "drawn"},
                                            {"published", std::string(kPublishedCurve)}});
  if (line.estimator.empty() == line.curve.empty())
    section.fail_missing("estimator", "estimator = \"coinpress\", or curve = \"theorem\"");
  line.strata = section.choice("strata", MeansStrata::kAll,
                               {{"none", MeansStrata::kNone},
                                {"all", MeansStrata::kAll},
                                {"held_out", MeansStrata::kHeldOut}});
  line.stddev = section.number("stddev");
  line.shrinks = section.boolean("shrinks").value_or(false);
  line.overall_share = section.number("overall_share").value_or(0);
  if (!is_published && (line.curve == kPublishedCurve || line.overall_share > 0))
    section.fail("curve", "published, and a share of one sum over all, need published_means");
  return line;
}

MeansRecordsConfig read_records(const TomlSection& section, bool is_table, bool is_published) {
  MeansRecordsConfig records;
  const auto number = [&](std::string_view key, double otherwise) {
    return section.number(key).value_or(otherwise);
  };
  records.num_records = section.integer("records").value_or(records.num_records);
  records.num_groups = section.integer("groups").value_or(records.num_groups);
  records.alpha = number("alpha", records.alpha);
  records.centre = number("centre", records.centre);
  records.spread = number("spread", records.spread);
  records.stddev = number("stddev", records.stddev);
  records.lower = number("lower", records.lower);
  records.upper = number("upper", records.upper);
  if (!is_table) return records;
  records.column = required_text(section, "column");
  if (is_published) {
    records.is_exponential =
        section.choice("law", false, {{"normal", false}, {"exponential", true}});
    return records;
  }
  records.divisions = read_divisions(section);
  return records;
}

/// The parameter, the metrics and the records.
ReproductionMeans read_settings(const TomlSection& section, const ItemHeader& item) {
  section.check_keys({"parameter", "values", "rho", "metrics", "records", "groups", "alpha",
                      "centre", "spread", "stddev", "lower", "upper", "column", "divisions",
                      "law"});
  ReproductionMeans means;
  means.parameter = section.choice<std::string>("parameter", "",
                                                {{"records", "records"},
                                                 {"groups", "groups"},
                                                 {"alpha", "alpha"},
                                                 {"rho", "rho"},
                                                 {"strata", "strata"}});
  if (means.parameter.empty()) section.fail_missing("parameter", "parameter = \"records\"");
  if (means.is_published() != (item.data == "published_means"))
    section.fail("parameter",
                 "the parameter must be strata for published_means, and only for those data");
  means.values = required_numbers(section, "values", "values = [0.5, 2]");
  means.rho = section.number("rho").value_or(means.rho);
  means.records = read_records(section, !item.is_drawn(), means.is_published());
  if (means.is_published() && !std::is_sorted(means.values.begin(), means.values.end()))
    section.fail("values", "numbers of strata must be ascending");
  means.metrics =
      required_metrics(section, "metrics = [\"parity error\"]",
                       means.is_published() ? is_published_means_metric : is_means_metric);
  if (!item.is_drawn() && means.parameter == "groups" &&
      means.values.size() != means.records.divisions.size())
    section.fail("divisions", "there must be one division for each value");
  return means;
}

}  // namespace

ReproductionMeans read_means_settings(const TomlSection& root, ItemHeader& item) {
  root.check_keys(
      {"schema", "summary", "data", "seeds", "means", "methods", "claims", "charts", "notes"});
  item.data = root.text("data").value_or("drawn");
  item.seeds = required_count(root, "seeds");
  ReproductionMeans means = read_settings(root.section("means", "[means]"), item);
  item.label = means.records.column;
  const auto read = [&](const TomlSection& section, const std::string& name) {
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = name;
    method.method = means.lines.emplace_back(read_line(section, means.is_published())).estimator;
    read_printed(section, method);
  };
  for_each_section(root, "methods", "[methods.bounded]", read);
  item.charts = read_charts(root);
  if (!item.is_drawn() && !means.is_published())
    item.settings["table"] = table_schema_digest(item.data);
  return means;
}

}  // namespace equinoise

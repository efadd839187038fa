// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/kinds.h"
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
  if (means.is_published() && !std::ranges::is_sorted(means.values))
    section.fail("values", "numbers of strata must be ascending");
  means.metrics =
      required_metrics(section, "metrics = [\"parity error\"]",
                       means.is_published() ? is_published_means_metric : is_means_metric);
  if (!item.is_drawn() && means.parameter == "groups" &&
      means.values.size() != means.records.divisions.size())
    section.fail("divisions", "there must be one division for each value");
  return means;
}

std::vector<std::string> published_notes(const ReproductionMeans& means, int64_t num_seeds) {
  const MeansRecordsConfig& records = means.records;
  return {
      fmt::format("NOT PRIVATE: {} seeds of an insecure random source; rho {:g}, sizes of strata "
                  "treated as public, replace_one",
                  num_seeds, means.rho),
      fmt::format(
          "{} within {:g} to {:g}. Published figures are compared with the exact means published "
          "next to them, which are those of records that cannot be obtained. Ours are for records "
          "simulated for every seed, as many in each stratum as in the paper: {}, cut to the "
          "bounds; they are compared with the means of these records",
          records.column, records.lower, records.upper,
          records.is_exponential
              ? std::string("exponential with the published mean")
              : fmt::format("normal around the published mean with standard deviation {:g}",
                            records.stddev)),
      "at 12: over the stratifications with at most 12 strata, and more than the previous number. "
      "global error: relative error of the overall mean, in percent; group error: the mean over "
      "strata of the relative error of each stratum's mean, typical error: their median; errors "
      "are divided by the mean, or by a 20th of the bounds' width if that is larger; beyond "
      "bounds: percentage of strata whose released mean lies outside the bounds"};
}

std::vector<std::string> notes_on_records(const MeansRecordsConfig& records, bool is_drawn,
                                          int64_t num_seeds) {
  return {fmt::format(
              "NOT PRIVATE: {} seeds of an insecure random source, sizes of groups treated as "
              "public, replace_one; errors are relative to the means of the records, in percent",
              num_seeds),
          is_drawn ? fmt::format("records: group sizes from Dirichlet shares, group means normal "
                                 "around {:g} with standard deviation {:g}, numbers with standard "
                                 "deviation {:g} around their group's mean, bounds {:g} to {:g}",
                                 records.centre, records.spread, records.stddev, records.lower,
                                 records.upper)
                   : fmt::format("records: all those of the table, so that seeds only change the "
                                 "noise; {} within {:g} to {:g}",
                                 records.column, records.lower, records.upper),
          "group error: the mean over groups of the relative error of each group's mean; parity "
          "error: the mean over the groups and the overall mean; errors are divided by the mean, "
          "or by a 20th of the bounds' width if that is larger"};
}

class MeansExperiment final : public ExperimentOf<ReproductionMeans> {
 public:
  using ExperimentOf::ExperimentOf;

  std::string position() const override { return settings_.parameter; }
  std::vector<std::string> columns(const ItemHeader&) const override { return settings_.metrics; }
  int64_t revision() const override { return 1; }

  /// Every metric at every value of the parameter.
  std::vector<Figures> figures(const ItemHeader&, size_t, const Outcomes& runs,
                               const Outcomes*) const override {
    std::vector<Figures> all;
    for (size_t c = 0; c < settings_.metrics.size(); ++c) {
      for (size_t point = 0; point < settings_.values.size(); ++point) {
        all.push_back(values_of(
            fmt::format("{} at {:g}", settings_.metrics[c], settings_.values[point]), runs,
            [&](const ReproductionOutcome& run) { return run.points[point].values[c]; }));
        all.back().is_percentage = settings_.metrics[c] != "sum of logarithms" &&
                                   settings_.metrics[c] != "global absolute error";
      }
    }
    return all;
  }

  std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const override {
    if (settings_.is_published()) return published_notes(settings_, num_seeds);
    if (settings_.lines.front().curve.empty())
      return notes_on_records(settings_.records, item.is_drawn(), num_seeds);
    return {
        fmt::format("E sum ln |G_i|, on which the noise of stratified means depends; {} groups of "
                    "{} records in total; simulated with {} seeds",
                    settings_.records.num_groups, settings_.records.num_records, num_seeds)};
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionMeans means = settings_;
    ShortForm::cut(means.values, form.num_values);
    return std::make_shared<MeansExperiment>(std::move(means));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return settings_.is_published() ? open_published_means_runs(item, settings_, folder)
                                    : open_means_runs(item, settings_, folder);
  }
};

}  // namespace

std::shared_ptr<const Experiment> read_means(const TomlSection& root, ItemHeader& item) {
  root.check_keys(
      {"schema", "summary", "data", "seeds", "means", "methods", "claims", "charts", "notes"});
  item.data = root.text("data").value_or("drawn");
  ReproductionMeans means = read_settings(root.section("means", "[means]"), item);
  item.label = means.records.column;
  const auto read = [&](const TomlSection& section, const std::string& name) {
    means.lines.push_back(read_line(section, means.is_published()));
    add_method(section, name, means.lines.back().estimator, item);
  };
  for_each_section(root, "methods", "[methods.bounded]", read);
  if (!item.is_drawn() && !means.is_published())
    item.settings["table"] = table_schema_digest(item.data);
  return std::make_shared<MeansExperiment>(std::move(means));
}

}  // namespace equinoise

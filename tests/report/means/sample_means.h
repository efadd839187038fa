// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/means/means_report.h"

namespace equinoise {

/// A private release of one column by sex, with a figure that noise hides nothing of and a stratum
/// that is empty.
inline MeansReport sample_means() {
  const Guarantee privacy = {Epsilon(1.25), Delta(1e-6), AccountantName::kPld,
                             Relation::kReplaceOne};
  MeansReport report;
  report.version = "0.1.0";
  report.dataset = "people";
  report.status = PrivacyStatus::kPrivate;
  report.strata = {"sex"};
  report.rho = 0.02;
  report.privacy = privacy;
  report.in_words = {"Protected: nobody can tell.", "Treated as public: the schema."};
  report.events = {Event::discrete_gaussian(5, 1)};
  report.weights = "public sizes";
  MeanColumnReport column;
  column.name = "hours";
  column.method = "bounded";
  column.bounds = {1, 99};
  column.weights = "public sizes";
  column.stratified_noise = 0.12;
  column.unstratified_noise = 0.1;
  report.columns = {column};
  StratumMeanReport row;
  row.stratum = {{"sex", "Female"}};
  row.column = "hours";
  row.interval_of = kMeanWithinBounds;
  row.num_records = 500;
  row.privacy = privacy;
  row.mean = 36.4112;
  row.raw_mean = 36.5;
  row.noise_stddev = 0.123;
  row.interval = {36.2, 36.8};
  row.clip = {1, 99};
  row.population = {35.1, 37.9};
  report.rows = {row};
  row.stratum = {{"sex", "Male"}};
  row.note = "the noise is wider than the bounds: the figure means little by itself";
  row.population.reset();
  report.rows.push_back(row);
  StratumMeanReport empty;
  empty.stratum = {{"sex", "Other"}};
  empty.column = "hours";
  empty.interval_of = kMeanWithinBounds;
  empty.num_records = 0;
  empty.is_empty = true;
  empty.privacy = privacy;
  report.rows.push_back(empty);
  OverallMeanReport overall;
  overall.column = "hours";
  overall.interval_of = kMeanWithinBounds;
  overall.mean = 36.4;
  overall.noise_stddev = 0.09;
  overall.interval = {36.2, 36.6};
  report.overall = {overall};
  report.is_shrunk = true;
  report.ledger =
      LedgerStatement{"people.ledger", "people",
                      Budget{Epsilon(5), Delta(1e-6), Relation::kReplaceOne}, privacy, privacy};
  report.warnings = {"delta is large"};
  report.command = "equinoise means --columns hours";
  return report;
}

/// The same with every figure that a report may have. NOT PRIVATE.
inline MeansReport sample_explained_means() {
  MeansReport report = sample_means();
  report.units = UnitRowsReport{"person_id", 3};
  report.has_private_sizes = true;
  report.record_weights = RecordWeights{"weight", 400, 40, NumberRounding{66, 0.57}};
  report.held_out = HeldOutRecords{"others.csv", 77};
  report.columns[0].mean_of = "those who have a value or a missing cell";
  report.columns[0].fill = 40;
  report.columns[0].rounding = NumberRounding{12, 1.25};
  report.columns[0].interval_of = kMeanWithinReleasedClip;
  report.rows.resize(2);
  for (StratumMeanReport& row : report.rows) {
    row.interval_of = kMeanWithinReleasedClip;
    row.num_records = 512.25;
    row.clipped_fraction = 0.02;
    row.weight = NoisyWeight{53'200, 4};
  }
  report.rows[1].interval.reset();
  report.rows[1].clip.reset();
  report.rows[1].mean = report.rows[1].raw_mean = report.rows[1].noise_stddev = kNoFigure;
  report.overall[0].num_values = 900;
  MeansExplanation& exact = report.explanation.emplace();
  exact.notice = "DO NOT PUBLISH";
  ExactColumn& column = exact.columns.emplace_back();
  column.name = "hours";
  column.overall = 36.3;
  column.strata = {36.6, kNoFigure};
  column.num_values = {480, 0};
  column.fill = 40;
  column.scale_floor = 4.9;
  exact.num_records = {500, 0};
  exact.sizes.alpha_moments = 1.5;
  exact.notes = {"3 missing cells"};
  exact.seconds = 0.5;
  return report;
}

}  // namespace equinoise

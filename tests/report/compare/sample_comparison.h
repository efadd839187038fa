// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/compare/compare_report.h"
#include "tests/report/sample_reports.h"

namespace equinoise {

inline CompareRow sample_row(const std::string& method, double overall, double women, double men) {
  const auto around = [](double value) { return Estimate{value, {value - 0.01, value + 0.015}}; };
  CompareRow row;
  row.method = method;
  row.overall = around(overall);
  row.worst_group = around(std::max(women, men));
  row.gap = around(std::abs(women - men));
  row.seconds.value = 1.5;
  row.group_errors = {around(women), around(men), {0.5, {0.25, 0.75}}};
  row.group_privacy.resize(3);
  row.runs.resize(2);
  return row;
}

/// Two epsilons, of which one has a recommendation, a reference, a row that failed, two methods
/// that were not run, and a group that does not count. The table is public.
inline CompareReport sample_comparison() {
  CompareReport report;
  report.version = "0.1.0";
  report.dataset = "people";
  report.target = "income";
  report.error = "share of held-out records with a wrong income";
  report.judged = "held-out records";
  report.num_records = 48842;
  report.test_fraction = 0.25;
  report.min_records = 75;
  report.num_seeds = 2;
  report.is_public = true;
  report.baseline = "the best constant prediction";
  report.constant = {0.24, {0.23, 0.25}};
  report.groups = {{{{"sex", "Female"}}, "sex", 4000, true},
                   {{{"sex", "Male"}}, "sex", 8000, true},
                   {{{"race", "Other"}}, "race", 60, false}};
  for (const double epsilon : {1.0, 3.0}) {
    for (CompareRow row :
         {sample_row("dpsgd", 0.16, 0.1, 0.2), sample_row("mgr_w", 0.18, 0.12, 0.21)}) {
      row.epsilon = epsilon;
      row.weakest =
          Guarantee{Epsilon(epsilon), Delta(1e-6), AccountantName::kRdp, Relation::kZeroOut};
      row.group_privacy.assign(3, row.weakest);
      row.dominated = row.method == "mgr_w";
      if (*row.dominated) {
        row.options = {{"max_grad_norm", 0.5}, {"optimizer", std::string("adam")}};
        row.dominated_by = "dpsgd";
        row.public_groups = {"sex"};
      }
      report.rows.push_back(row);
    }
    report.advice.push_back({epsilon, {}, "no method is clearly better"});
  }
  report.advice[1].row = 2;
  report.advice[1].sentence = "dpsgd is recommended";
  report.rows[1].dominated.reset();
  report.rows[1].dominated_by.clear();
  CompareRow failed;
  failed.method = "ags";
  failed.epsilon = 3;
  failed.group_privacy.resize(3);
  failed.problem = "its loss is not finite";
  report.rows.push_back(failed);
  report.rows.push_back(sample_row("sgd", 0.15, 0.09, 0.19));
  report.skipped = {{"mgr", "it needs two classes", {}}, {"fairlens", "its noise is ruinous", {1}}};
  report.num_comparisons = 4;
  report.ingest_notes = {"missing cells: age 3"};
  report.warnings = {"the schema is not reviewed", "dpsgd: the noise is large"};
  report.command = "equinoise compare --groups sex";
  report.files = {"compared/compare.json"};
  return report;
}

/// The same of a table that is not public, where nothing is recommended.
inline CompareReport sample_private_comparison() {
  CompareReport report = sample_comparison();
  report.is_public = false;
  report.advice.clear();
  return report;
}

}  // namespace equinoise

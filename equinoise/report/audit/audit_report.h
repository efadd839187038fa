// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/audit/disparity.h"
#include "equinoise/audit/excessive_risk.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/method_status.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/constraint_report.h"
#include "equinoise/report/protection.h"

namespace equinoise {

/// The step of training that an audit explains: from the model's parameters, along the mean
/// gradient of all judged records, with the clip policy and the noise of the model's training.
struct ExplainedStep {
  double learning_rate = 0;
  std::string clip;         ///< "gradients clipped as by dpsgd, max_grad_norm 0.5"
  double noise_stddev = 0;  ///< on each entry of the mean gradient
};

/// One grouping of an audit.
struct AuditGrouping {
  std::vector<std::string> columns;
  std::vector<GroupLabel> groups;          ///< (num_groups)
  std::vector<Metrics> metrics;            ///< (num_groups)
  std::vector<Metrics> reference_metrics;  ///< (num_groups), or empty
  std::vector<Cost> cost;                  ///< (num_groups) against the reference, or empty
  std::vector<Disparity> disparities;      ///< between these groups
  std::optional<ExcessiveRisk> risk;       ///< of the explained step
  ExplainedStep explained;
};

/// A limit that a disparity may not exceed.
struct AuditThreshold {
  std::string metric;
  std::vector<std::string> columns;  ///< of the grouping
  double max_disparity = 0;
  /// Difference between the groups that have the metric; NaN where fewer than two have it.
  double value = 0;
  LimitVerdict verdict = LimitVerdict::kNotAnswerable;
  std::vector<GroupLabel> left_out = {};  ///< the groups that do not have it
};

/// Everything that `audit` reports. Not private.
struct AuditReport {
  std::string version;
  std::string dataset;  ///< of the model's schema
  std::string model_path;
  std::string model;  ///< "logistic"
  std::string method;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;  ///< of the model
  std::optional<Guarantee> privacy;                   ///< of the model
  std::optional<Protection> protection;               ///< by it; empty: nothing is protected
  std::string target;
  std::vector<std::string> classes;  ///< empty for a numeric target
  std::string data_path;
  bool held_out_only = false;  ///< the records that the model's own split held out
  std::optional<std::string> reference_path;
  Metrics overall;
  std::optional<Metrics> overall_reference;
  std::optional<Cost> overall_cost;
  std::vector<AuditGrouping> groupings;
  std::vector<AuditThreshold> thresholds;
  std::vector<ConstraintReport> constraints;
  std::vector<std::string> ingest_notes;
  std::vector<std::string> warnings;
  std::string command;
  double seconds = 0;
  std::vector<std::string> files;
};

}  // namespace equinoise

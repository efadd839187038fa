// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "equinoise/reproduction/data/datasets.h"
#include "equinoise/reproduction/report.h"

namespace equinoise {

/// One line of a published table: a method. The kind of experiment has the settings of its runs.
struct ReproductionMethod {
  std::string name;                                    ///< in the report
  std::string method;                                  ///< the registered one, if any
  std::map<std::string, PrintedValue> published = {};  ///< by metric
  std::map<std::string, PrintedValue> target = {};
  std::string reason = {};  ///< the reason why figures differ from the published ones, if known
  std::string epsilon_reason = {};  ///< the reason why the guarantee differs
  std::string reference = {};       ///< the name of the method that it is compared with, or ""
};

/// A claim of the paper about two methods.
struct ReproductionClaim {
  std::string better;
  std::string than;
  std::vector<std::string> metrics;  ///< "accuracy" means that of each group
  bool significant = true;
  std::string reason;  ///< the reason why it does not hold, if known
};

/// The common part of all tables and figures of a paper, as a file below repro/ describes it.
struct ItemHeader {
  std::string paper;
  std::string item;
  std::string summary;
  std::string data;                 ///< the source of its records, or "drawn"
  std::string label;                ///< as a part of another item; "": that of its data
  std::vector<std::string> groups;  ///< the two that are compared, if metrics name groups
  int64_t seeds = 0;
  std::vector<ReproductionMethod> methods;
  std::vector<ReproductionClaim> claims;
  std::vector<ReproductionChart> charts;
  std::vector<std::string> notes;  ///< further remarks
  std::vector<std::string> parts;  ///< names of items that this one is made of; else empty
  std::map<std::string, std::string> settings;  ///< the settings of its runs: read_settings()
  int64_t max_records = kAllRecords;            ///< that are read of its data

  std::string name() const { return paper + "/" + item; }

  /// Returns whether its records are drawn instead of read.
  bool is_drawn() const { return data == "drawn"; }

  /// Returns whether it is in its short form, which is never compared.
  bool is_short() const { return max_records != kAllRecords; }
};

}  // namespace equinoise

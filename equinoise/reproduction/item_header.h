// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "equinoise/reproduction/data/datasets.h"
#include "equinoise/reproduction/report.h"

namespace equinoise {

/// One line of a published table: a method. How it is run stands with the kind of experiment.
struct ReproductionMethod {
  std::string name;                                    ///< in the report
  std::string method;                                  ///< what must be built to run it
  std::map<std::string, PrintedValue> published = {};  ///< by metric
  std::map<std::string, PrintedValue> target = {};
  std::string reason = {};          ///< why figures differ from the published ones, where known
  std::string epsilon_reason = {};  ///< why the guarantee does
  std::string reference = {};       ///< the name of the method that it is compared with, or ""
};

/// A claim of the paper about two methods.
struct ReproductionClaim {
  std::string better;
  std::string than;
  std::vector<std::string> metrics;  ///< "accuracy" stands for that of each group
  bool significant = true;
  std::string reason;  ///< why it does not hold, where it is known
};

/// What all tables and figures of a paper have, as a file below repro/ describes it.
struct ItemHeader {
  std::string paper;
  std::string item;
  std::string summary;
  std::string data;                 ///< where its records are from, or "drawn"
  std::string label;                ///< as a part of another item; "": that of its data
  std::vector<std::string> groups;  ///< the two that are compared, where metrics name groups
  int64_t seeds = 0;
  std::vector<ReproductionMethod> methods;
  std::vector<ReproductionClaim> claims;
  std::vector<ReproductionChart> charts;
  std::vector<std::string> notes;  ///< what else is to be known
  std::vector<std::string> parts;  ///< names of items that this one is made of; else empty
  std::map<std::string, std::string> settings;  ///< what its runs follow: read_settings()
  int64_t max_records = kAllRecords;            ///< that are read of its data

  std::string name() const { return paper + "/" + item; }

  /// Whether its records are drawn instead of read.
  bool is_drawn() const { return data == "drawn"; }

  /// Whether it is in its short form, of which nothing is compared.
  bool is_short() const { return max_records != kAllRecords; }
};

}  // namespace equinoise

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/report/reproduction_report.h"
#include "equinoise/tasks/embedded_items.h"
#include "equinoise/tasks/reproduction_series.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// One line of a published table: a method with its parameters.
struct ReproductionMethod {
  std::string name;    ///< in the report
  std::string method;  ///< in the registry
  TrainingConfig config;
  std::map<std::string, PrintedValue> published;  ///< by metric
  std::map<std::string, PrintedValue> target;
  std::string reason;          ///< why figures differ from the published ones, where it is known
  std::string epsilon_reason;  ///< why the guarantee does
};

/// A claim of the paper about two methods.
struct ReproductionClaim {
  std::string better;
  std::string than;
  std::vector<std::string> metrics;  ///< "accuracy" speaks of each group
  bool significant = true;
  std::string reason;  ///< why it does not hold, where it is known
};

/// How often one series is above another one, or above a number: of all positions of a run.
struct ReproductionShare {
  std::string metric;   ///< what it is called in the report
  std::string greater;  ///< the name of a column, or a number
  std::string smaller;  ///< the same
};

/// A table or a figure of a paper, as a file below repro/ describes it.
///
/// A table compares accuracies, losses of the last epoch and guarantees; a figure the series that
/// it shows, for runs of a table's methods.
struct ReproductionItem {
  std::string paper;
  std::string item;
  std::string summary;
  std::string data;                 ///< reproduction_data.h
  std::string model;                ///< reproduction_models.h
  std::vector<std::string> groups;  ///< the two that are compared
  std::string reference;            ///< the method without privacy; "": none is compared with
  int64_t seeds = 0;
  int64_t epochs = 0;
  double batch_size = 0;
  std::vector<ReproductionMethod> methods;
  std::vector<ReproductionClaim> claims;
  bool is_table = true;
  SeriesChoice series;
  std::vector<ReproductionShare> shares;  ///< of a figure
  std::string text;                       ///< of the files that describe it

  std::string name() const { return paper + "/" + item; }
};

/// "69.9 +- 0.4" or "3.41". Errors: kInput.
PrintedValue parse_printed_value(std::string_view text);

/// Errors: kInput, naming the place.
ReproductionItem parse_reproduction_item(const EmbeddedItem& embedded);

/// The item of that name. Errors: kUsage that proposes the nearest one.
ReproductionItem find_reproduction_item(std::string_view name);

}  // namespace equinoise

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/reproduction/embedded_items.h"
#include "equinoise/reproduction/means/means_experiment.h"
#include "equinoise/reproduction/report.h"
#include "equinoise/reproduction/simulation/simulated_regression.h"
#include "equinoise/reproduction/synthesis/synthesis_item.h"
#include "equinoise/reproduction/training/series.h"
#include "equinoise/reproduction/training/stage_one_weights.h"
#include "equinoise/reproduction/worst_group/worst_group_item.h"
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
  std::optional<StageOneChoice> stage_one = {};   ///< that chooses the weights of its groups
  std::optional<SimulatedMethod> simulated = {};  ///< of a simulation, instead of method and config
  std::optional<MeansLine> means = {};            ///< of means, instead of them
  size_t panel = 0;                               ///< the same: which records it runs on
  std::string reference = {};  ///< the same: what it is compared with on these records
  std::optional<WorstGroupMethod> worst_group = {};  ///< of such an item, instead of all that
  std::optional<SynthesisMethod> synthesis = {};     ///< the same
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

/// Runs under rate constraints, for one value of a parameter after another.
struct ReproductionSweep {
  std::string parameter;  ///< "slack" of the constraint, or "max_grad_norm"
  std::vector<double> values;
  std::string constraint;  ///< as on the command line; {} stands for the slack, where that is swept
  double test_fraction = 0.25;
  std::vector<std::string> metrics;  ///< sweep_experiment.h
};

/// Groups of records: drawn anew for every seed, or those of a table.
struct SimulationPanel {
  std::string name;
  std::vector<int64_t> sizes;  ///< (groups)
  /// (groups) y = slope x + noise, x standard normal. Of a logistic model there are as many
  /// features as groups, normal and scaled down into the unit ball, and the log odds are slopes[k]
  /// x_k.
  std::vector<double> slopes;
  std::vector<double> noise;        ///< (groups) its standard deviation
  std::string group_column;         ///< of a table, instead
  std::vector<std::string> groups;  ///< the categories of that column that are compared
};

/// Two-stage regression of groups, for one value of a parameter after another.
struct ReproductionSimulation {
  /// "rho", "size" of every group, "groups": the first so many, or "steps" of descent.
  std::string parameter;
  std::vector<double> values;
  double rho = 1;                    ///< where that is not the parameter
  std::vector<std::string> metrics;  ///< simulation_experiment.h
  SimulationSettings settings;
  std::vector<SimulationPanel> panels;
};

/// A table or a figure of a paper, as a file below repro/ describes it.
///
/// A table compares accuracies, losses of the last epoch and guarantees; a figure the series that
/// it shows, for runs of a table's methods; a sweep metrics of runs under constraints; a simulation
/// prediction errors of groups; worst_group largest losses of groups over many problems; means
/// errors of means of groups; synthesis errors of synthetic rows.
struct ReproductionItem {
  std::string paper;
  std::string item;
  std::string summary;
  std::string data;                 ///< reproduction_data.h; of a sweep, a simulation, means or
                                    ///< synthesis reproduction_tables.h, or "drawn"
  std::string model;                ///< reproduction_models.h; of a sweep models/registry.h
  std::vector<std::string> groups;  ///< the two that are compared
  std::string reference;            ///< the method without privacy; "": none is compared with
  int64_t seeds = 0;
  int64_t epochs = 0;  ///< of a sweep 0: methods say how many steps they take
  double batch_size = 0;
  std::vector<ReproductionMethod> methods;
  std::vector<ReproductionClaim> claims;
  bool is_table = true;
  std::string runs;  ///< of training: the table that says which runs these are
  SeriesChoice series;
  bool has_other_looks = false;           ///< than the item's own: --every, --directions
  std::vector<SeriesChoice> also;         ///< what runs follow beside, for items of the same runs
  std::vector<ReproductionShare> shares;  ///< of a figure
  std::optional<ReproductionSweep> sweep;
  std::optional<ReproductionSimulation> simulation;
  std::optional<ReproductionWorstGroup> worst_group;
  std::optional<ReproductionMeans> means;
  std::optional<ReproductionSynthesis> synthesis;
  std::vector<ReproductionChart> charts;  ///< of a sweep, a simulation, means or synthesis
  std::vector<std::string> notes;         ///< what else is to be known
  std::vector<std::string> parts;         ///< names of items that this one is made of; else empty
  std::string text;                       ///< of the files that describe its runs

  std::string name() const { return paper + "/" + item; }

  /// Whether its records are drawn instead of read.
  bool is_drawn() const { return data == "drawn"; }

  /// Whether its runs are so short and many that none is told or kept.
  bool has_short_runs() const { return simulation || worst_group || means; }

  /// Whether its runs are of training, by epochs or steps.
  bool is_of_training() const { return !has_short_runs() && !synthesis; }
};

/// What positions of a run's points are: "epoch", "step", or the parameter of a sweep.
std::string position_of(const ReproductionItem& item);

/// What values of a run's points are.
std::vector<std::string> columns_of(const ReproductionItem& item);

/// Errors: kInput, naming the place.
ReproductionItem parse_reproduction_item(const EmbeddedItem& embedded);

/// The files below repro/ that describe items.
std::vector<EmbeddedItem> reproduction_items();

/// The item of that name. Errors: kUsage that proposes the nearest one.
ReproductionItem find_reproduction_item(std::string_view name);

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/enum_words.h"
#include "equinoise/base/method_status.h"
#include "equinoise/base/option_value.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/protection.h"

namespace equinoise {

/// The compared task: training models, releasing means, or synthesizing rows.
enum class CompareTask { kTraining, kMeans, kSynth };
inline constexpr EnumWords<CompareTask, 3> kCompareTasks = {{{CompareTask::kTraining, "training"},
                                                             {CompareTask::kMeans, "means"},
                                                             {CompareTask::kSynth, "synth"}}};

template <>
inline constexpr auto words_for<CompareTask> = kCompareTasks;

/// Significance of all comparisons in a table together.
inline constexpr double kCompareSignificance = 0.05;

/// The errors of a run by one definition; NaN if undefined.
struct RunErrors {
  double overall = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> groups;  ///< (groups)
};

/// The figures of one run; NaN if undefined. CompareReport::error defines the error.
struct CompareRun {
  uint64_t seed = 0;
  double overall = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> groups;                                     ///< (groups) the error in each
  double worst_group = std::numeric_limits<double>::quiet_NaN();  ///< of the counted groups
  double gap = std::numeric_limits<double>::quiet_NaN();          ///< largest in any grouping
  double violation =
      std::numeric_limits<double>::quiet_NaN();  ///< largest constraint value minus its slack
  /// The same for the lower ends of the intervals of answerable values. Above 0 the 95 % interval
  /// of one constraint is beyond its slack, which happens to one constraint in 40 by chance.
  double violation_low = std::numeric_limits<double>::quiet_NaN();
  /// The worst verdict of a private evaluation of constraints, or "".
  std::string private_verdict = {};
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< on one core
  /// The errors by every metric of the task, if there are several, for the file of kept runs.
  std::map<std::string, RunErrors> by_metric = {};
};

/// A group of the table on which methods are compared.
struct CompareGroup {
  GroupLabel group;
  std::string columns;  ///< of its grouping, "sex, race"
  int64_t num_records = 0;
  bool is_counted = false;
};

template <>
inline constexpr auto fields_of<CompareGroup> = std::tuple(
    field("group", &CompareGroup::group, "Its values by column"),
    field("num_records", &CompareGroup::num_records,
          "Judged records in the split that has the fewest"),
    field("counted", &CompareGroup::is_counted, "Whether these are enough, see least_records"));

/// Sets the fields derived from the label.
void complete(CompareGroup& group);

/// A method with its point of the grid, at one epsilon.
struct CompareRow {
  std::string method;
  std::vector<Setting> options;      ///< its point of the grid
  std::optional<double> epsilon;     ///< as requested; empty: a reference without a guarantee
  std::optional<Guarantee> weakest;  ///< the guarantee of the members with the largest epsilon
  std::vector<std::string> public_groups = {};          ///< columns; Protection::public_groups
  std::vector<std::optional<Guarantee>> group_privacy;  ///< (groups)
  std::vector<std::string> warnings = {};               ///< from its plan; publishable
  std::vector<std::string> notes = {};                  ///< likewise
  std::vector<CompareRun> runs;                         ///< (seeds); empty if some failed
  std::string problem;                                  ///< the reason why there are none, or ""
  // Means over the runs, with intervals.
  Estimate overall = {};
  Estimate worst_group = {};
  Estimate gap = {};
  /// Differences to the row with the least mean at the same epsilon, paired by seeds.
  Estimate overall_above_best = {};
  Estimate worst_group_above_best = {};
  Estimate violation = {};
  Estimate seconds = {};
  std::vector<Estimate> group_errors = {};  ///< (groups); empty without runs
  /// Whether another row dominates it, and the name of the first such row. Empty if undefined: for
  /// references, and for rows with an undefined figure.
  std::optional<bool> dominated = {};
  std::string dominated_by = {};
};

namespace compare_keys {

using Json = nlohmann::ordered_json;
using Section = OrderedJsonSection;

void write_guarantee(const CompareRow& row, const FieldScope& scope, Json& object);
void read_guarantee(const Section& section, const FieldScope& scope, CompareRow& row);
void write_runs(const CompareRow& row, const FieldScope& scope, Json& object);
void read_runs(const Section& section, const FieldScope& scope, CompareRow& row);

}  // namespace compare_keys

template <>
inline constexpr auto fields_of<CompareRow> = std::tuple(
    field("method", &CompareRow::method, "Method that is compared"),
    field("options", &CompareRow::options, "Its point of the grid"),
    field("epsilon", &CompareRow::epsilon, "Asked for; null: a reference without a guarantee"),
    field("overall", &CompareRow::overall, "Mean error over the seeds"),
    field("worst_group", &CompareRow::worst_group, "The same of the worst counted group"),
    field("gap", &CompareRow::gap, "Largest difference within a grouping"),
    field("overall_above_best", &CompareRow::overall_above_best,
          "Overall error above the least at this epsilon, paired by seeds; null: a reference")
        .or_null(),
    field("worst_group_above_best", &CompareRow::worst_group_above_best,
          "Error of the worst group above the least at this epsilon, likewise")
        .or_null(),
    field("violation", &CompareRow::violation, "Largest value less slack of a constraint"),
    Derived<CompareRow>{"weakest_privacy, privacy, public_groups",
                        "What members who have the least get", compare_keys::write_guarantee,
                        compare_keys::read_guarantee},
    Derived<CompareRow>{"seconds, num_runs", "Time and number of runs", compare_keys::write_runs,
                        compare_keys::read_runs},
    field("dominated", &CompareRow::dominated,
          "Whether another row dominates it; null where nothing can be said"),
    field("dominated_by", &CompareRow::dominated_by, "First such row").or_null(),
    field("problem", &CompareRow::problem, "Why there are no runs").or_null(),
    field("warnings", &CompareRow::warnings, "What its plan warns of").write_only(),
    field("notes", &CompareRow::notes, "What its plan says").write_only());

/// A method that was not run, at these epsilons or at all.
struct CompareSkip {
  std::string method;
  std::string reason;
  std::vector<double> epsilons;
};

template <>
inline constexpr auto fields_of<CompareSkip> =
    std::tuple(field("method", &CompareSkip::method, "Method that was not run"),
               field("epsilons", &CompareSkip::epsilons, "At which; null: at any").or_null(),
               field("reason", &CompareSkip::reason, "Why not"));

/// The recommendation at one epsilon.
struct CompareAdvice {
  double epsilon = 0;
  std::optional<size_t> row;  ///< in rows; empty: no method is clearly better
  std::string sentence;
};

/// The report of `compare`. NOT PRIVATE.
struct CompareReport {
  std::string version;
  std::string dataset;
  CompareTask task = CompareTask::kTraining;
  std::string target;  ///< for models; else ""
  /// The definition of an error, "share of held-out records with a wrong income"; and whether it is
  /// a share, from 0 to 1 and printed in percent, or a multiple, from 0 up.
  std::string error;
  bool is_share = true;
  std::string judged = "records";       ///< the subjects of errors: "held-out records"
  ProtectedUnit unit;                   ///< of the table
  std::optional<int64_t> num_records;   ///< or units; public; empty if it is private
  std::optional<double> test_fraction;  ///< for models
  /// Groups with fewer evaluated records in any split count neither as the worst group nor in the
  /// gap.
  int64_t min_records = 1;
  int64_t num_seeds = 0;
  bool has_constraints = false;
  bool is_public = false;  ///< --public-data: the report has recommendations
  std::vector<CompareGroup> groups;
  std::string baseline;  ///< the least that a method should beat: "the best constant prediction"
  Estimate constant;     ///< its error; a method above it is not recommended
  std::vector<CompareRow> rows;
  std::vector<CompareSkip> skipped;
  /// Number of tested differences; the significance holds for all together.
  int64_t num_comparisons = 0;
  std::vector<CompareAdvice> advice;  ///< (epsilons) with is_public; else empty
  std::vector<std::string> ingest_notes;
  std::vector<std::string> warnings;
  std::string command;
  std::vector<std::string> files;
};

namespace compare_keys {

void write_rows(const CompareReport& report, const FieldScope& scope, Json& object);
void read_rows(const Section& root, const FieldScope& scope, CompareReport& report);
void write_advice(const CompareReport& report, const FieldScope& scope, Json& object);
void read_advice(const Section& root, const FieldScope& scope, CompareReport& report);

}  // namespace compare_keys

template <>
inline constexpr auto fields_of<CompareReport> = [] {
  using Report = CompareReport;
  using Keys = Derived<Report>;
  namespace keys = compare_keys;
  return std::tuple(
      field("public_data", &Report::is_public, "Whether the records are public"),
      field("version", &Report::version, "Version of the program"),
      field("dataset", &Report::dataset, "Name of the table in the schema"),
      field("task", &Report::task, "What the methods do"),
      field("target", &Report::target, "Column that models predict").or_null(),
      members(&Report::unit, "Whose rows count once"),
      field("test_fraction", &Report::test_fraction, "Share of records held out, for models"),
      field("num_records", &Report::num_records, "Records or units; null where that is private"),
      field("num_seeds", &Report::num_seeds, "Runs of each row"),
      field("error_definition", &Report::error, "What an error is").formerly("error"),
      field("is_share", &Report::is_share, "Whether errors are shares, from 0 to 1"),
      field("judged", &Report::judged, "What errors are of"),
      field("has_constraints", &Report::has_constraints, "Whether constraints are compared"),
      field("groups", &Report::groups, "Groups that are compared"),
      Keys{"rows", "Methods and their errors", keys::write_rows, keys::read_rows},
      Keys{"recommended, recommended_reason, recommendations", "What is recommended, and why",
           keys::write_advice, keys::read_advice},
      field("baseline", &Report::baseline, "What any method should beat"),
      field("constant", &Report::constant, "Its error"),
      field("num_comparisons", &Report::num_comparisons,
            "Tests of a difference, for all of which together the significance holds"),
      field("least_records", &Report::min_records, "Records that a counted group has at least"),
      field("skipped", &Report::skipped, "Methods that were not run"),
      field("ingest", &Report::ingest_notes, "What the schema's rules did to records"),
      field("warnings", &Report::warnings, "What needs attention"),
      field("command", &Report::command, "Command that was run"),
      field("files", &Report::files, "Files that were written"));
}();

/// Whether any group has enough records to count.
bool has_counted_group(const CompareReport& report);

/// "dpsgd", or "dpsgd max_grad_norm=0.5" for a point of a grid.
std::string name_of_row(const CompareRow& row);

/// The reason why a table that is not public gets no recommendation.
inline constexpr const char* kWhyNoAdvice =
    "no method is recommended: choosing by exact figures of private records is itself a "
    "release that no budget has paid for; compare on a public table (--public-data) or on one "
    "that stands in for yours";

/// The report of a comparison: page and screen. NOT PRIVATE.
Document compare_document(const CompareReport& report);

/// The output of `equinoise compare` and compare.json, with notices that it is not private unless
/// the table is public.
nlohmann::ordered_json compare_to_json(const CompareReport& report);

/// The reverse, for the fields that the page shows. Single runs are not read. `origin`: the file's
/// name. Errors: kInput, naming file and member.
CompareReport compare_report_from_json(std::string_view text, std::string_view origin);

/// A line for each run and group, and one with an empty group for all held-out records of each run.
/// Undefined values are empty cells. NOT PRIVATE.
std::string compare_to_csv(const CompareReport& report);

/// "max_grad_norm=0.5 optimizer=adam"; "" without options.
std::string options_in_words(const std::vector<Setting>& options);

/// The recommendation at each epsilon, or the reason why there is none, a sentence each.
std::vector<std::string> recommendation_lines(const CompareReport& report);

}  // namespace equinoise

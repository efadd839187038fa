// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "equinoise/base/check.h"
#include "equinoise/base/count_text.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/read_text.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/zcdp.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/privacy/unit_events.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/stratum_evidence.h"
#include "equinoise/synth/structural_zeros.h"
#include "equinoise/synth/synth_file.h"
#include "equinoise/synth/workload.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth";
/// Share of rho that it is worth to know how numbers are spread: for a column, and for all of them.
constexpr double kOfEachNumber = 0.02;
constexpr double kMaxOfNumbers = 0.1;
constexpr double kMaxNumberShare = 0.9;  // that may be asked for
/// A stratum alone that is put off by more than this loses against a model of everybody, whose
/// columns miss a group by about as much on public tables (docs/evidence/synthetic-data.md).
constexpr double kLosingNoise = 0.05;
/// A table that noise alone puts off by more than this has rows that say little.
constexpr double kDrowningNoise = 0.2;

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// The columns of a table that rows do not have.
std::vector<std::string> ignored_columns(const Schema& schema) {
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns)
    if (column.type == ColumnType::kIgnored) names.push_back(column.name);
  return names;
}

/// Warns where the workload has marginals of fewer columns than it should, "" where not. Public.
std::string wide_workload_warning(const SynthChoices& choices, const SynthSetup& setup) {
  const WorkloadChoice& choice = choices.config.workload_choice;
  const int degree = std::min(choice.degree, static_cast<int>(setup.columns.size()));
  if (setup.degree == degree || !setup.row->follows("degree") || !choice.file.empty()) return "";
  return fmt::format(
      "{} columns have more than a million marginals of {}, so the workload has those of {}; name "
      "marginals of more columns with --workload",
      setup.columns.size(), degree, setup.degree);
}

Workload workload_of(const SynthChoices& choices, const SynthSetup& setup, const Domain& domain) {
  const Schema& schema = setup.schema;
  std::optional<int> target;
  if (!choices.config.workload_choice.target.empty()) {
    target = domain.find(choices.config.workload_choice.target);
    if (!target) {
      refuse("--workload-target: " + unknown_column(choices.config.workload_choice.target,
                                                    names_of(domain, domain.all()),
                                                    ignored_columns(schema)));
    }
  }
  if (choices.config.workload_choice.file.empty())
    return all_marginals(domain, setup.degree, target);
  Workload workload = parse_workload(read_text(choices.config.workload_choice.file, kWhere), domain,
                                     choices.config.workload_choice.file, ignored_columns(schema));
  if (target) {
    std::erase_if(workload, [&](const WeightedMarginal& marginal) {
      return !contains(marginal.attributes, {*target});
    });
    if (workload.empty()) {
      refuse("{} has no marginal with --workload-target {}", choices.config.workload_choice.file,
             choices.config.workload_choice.target);
    }
  }
  return workload;
}

/// The workload of a stratum: without what is the same for all of its members.
Workload within(const Workload& workload, const std::vector<size_t>& columns) {
  std::map<AttributeSet, double> weights;
  for (const WeightedMarginal& marginal : workload) {
    AttributeSet kept;
    for (const int attribute : marginal.attributes) {
      const auto found = std::ranges::find(columns, static_cast<size_t>(attribute));
      if (found != columns.end()) kept.push_back(static_cast<int>(found - columns.begin()));
    }
    if (!kept.empty()) weights[kept] += marginal.weight;
  }
  Workload result;
  for (const auto& [attributes, weight] : weights) result.push_back({attributes, weight});
  return result;
}

/// The same of declared impossible combinations: the part that speaks of the stratum's members.
std::vector<Factor> zeros_within(const SynthSetup& setup, const PlannedStratum& stratum) {
  const Domain all = setup.domain();
  std::vector<Factor> result;
  for (const Factor& factor : setup.zeros) {
    Factor part = restrict_zeros(factor, all, stratum.columns, stratum.fixed);
    const bool says_something = contains(part.values, kLogZero);
    // A stratum that is impossible as a whole has no members, and only its noise is modelled.
    if (says_something && !part.attributes.empty()) result.push_back(std::move(part));
  }
  return result;
}

/// Warns of columns whose missing cells rows do not have, "" if there are none. Public.
std::string filled_warning(const Schema& schema) {
  std::vector<std::string> filled;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kNumeric && column.missing == MissingPolicy::kFill)
      filled.push_back(fmt::format("{} ({})", column.name, column.text_of(column.fill)));
  }
  if (filled.empty()) return "";
  return fmt::format(
      "rows hold values of the bin of the fill instead of gaps, in {}; --missing keep, the "
      "default, "
      "keeps gaps, but of columns that [groups.NAME] cuts into bands",
      fmt::join(filled, ", "));
}

/// Why strata cannot start from a shared model; "" if they can. Public.
std::string why_not_shared(const SynthChoices& choices, const SynthSetup& setup) {
  if (!setup.row->is_graphical) {
    return fmt::format("{} does not make the graphical models from which strata could start",
                       setup.row->name);
  }
  const Grouping grouping = list_groups(setup.schema, choices.stratify);
  for (size_t g = 0; g < grouping.groups.size(); ++g) {
    if (!grouping.public_sizes[g]) {
      return fmt::format("they need the public size of stratum {}, which is not declared; {}",
                         group_name(grouping.groups[g]), kHowToDeclareSizes);
    }
  }
  return "";
}

/// Whether strata start from a model of everybody. Says in a warning why they do not where nobody
/// chose.
bool decide_sharing(const SynthChoices& choices, SynthSetup& setup) {
  if (choices.stratify.empty()) {
    if (choices.strata) refuse("--strata needs --stratify");
    return false;
  }
  check_open_interval(kWhere, "shared_share", choices.shared_share, 0, 1);
  if (!setup.public_size() || choices.strata == StrataForm::kIndependent) return false;
  const std::string reason = why_not_shared(choices, setup);
  if (reason.empty()) return true;
  if (choices.strata) refuse("--strata shared: " + reason);
  setup.warnings.push_back(
      "strata are modelled independently, which small ones lose by, because to start from a shared "
      "model " +
      reason);
  return false;
}

/// The codes that all members of a stratum have, where strata share a model.
std::map<size_t, uint32_t> fixed_for_shared(const GroupLabel& label, const SynthSetup& setup) {
  std::map<size_t, uint32_t> fixed =
      fixed_codes(stratum_evidence(label, setup.schema, setup.columns));
  // The content of a bin is not known before its edges are.
  for (const PlannedDistribution& distribution : setup.distributions)
    if (distribution.cuts) fixed.erase(distribution.column);
  return fixed;
}

/// The categories that define a stratum with a model of its own.
std::map<size_t, uint32_t> fixed_categories(const GroupLabel& label, bool may_be_pooled,
                                            const SynthSetup& setup) {
  std::map<size_t, uint32_t> fixed;
  // The name for all small strata is no category, even of a column that has one of that name.
  if (may_be_pooled &&
      std::ranges::all_of(label, [](const auto& part) { return part.second == kSmallGroups; }))
    return fixed;
  for (const auto& [name, value] : label) {
    const std::optional<size_t> column = find_column(setup.columns, name);
    if (!column || setup.columns[*column].is_numeric()) continue;
    const std::vector<std::string>& values = setup.columns[*column].values;
    const auto code = std::ranges::find(values, value);
    // The members of pooled strata differ in it.
    if (code != values.end()) fixed[*column] = static_cast<uint32_t>(code - values.begin());
  }
  return fixed;
}

/// Warns of a table whose columns noise drowns, "" if it does not. Public.
std::string drowning_warning(const SynthSetup& setup) {
  if (setup.grouping || setup.strata[0].noise_error < kDrowningNoise) return "";
  return fmt::format(
      "noise alone would put columns off by {:.0f} % of the {} records even if nothing else were "
      "measured, so that rows say little of them; raise --epsilon, leave columns out, or give them "
      "fewer categories or --bins",
      100 * setup.strata[0].noise_error, format_count(*setup.strata[0].public_size));
}

/// Warns of columns whose bounds are so far from most numbers that noise there decides the mean of
/// rows, "" if there are none. Public.
std::string far_bounds_warning(const SynthSetup& setup) {
  constexpr double kFar = 3;             // times as far as the near bound
  constexpr double kOfDeviation = 0.25;  // a smaller move of the mean matters little
  const std::optional<int64_t> size = setup.public_size();
  if (!size) return "";
  std::vector<std::string> columns;
  for (const PlannedDistribution& distribution : setup.distributions) {
    const ColumnSchema& column = setup.schema.column(distribution.cells.name);
    if (column.scale != NumericScale::kStandard || column.time) continue;
    const auto [near, far] = std::minmax({column.mean - column.lower, column.upper - column.mean});
    const double worth = distribution.plan.noise_stddev * far / static_cast<double>(*size);
    if (near > 0 && far >= kFar * near && worth >= near && worth >= kOfDeviation * column.stddev)
      columns.push_back(fmt::format("{} by {:.2g} (mean {:g}, bounds {:g} to {:g})", column.name,
                                    worth, column.mean, column.lower, column.upper));
  }
  if (columns.empty()) return "";
  return fmt::format(
      "bounds are far from most numbers: one standard deviation of noise in the number of people "
      "at the far bound moves the mean of {}, so that means of rows may be far off; declare "
      "narrower bounds if public ones are, or raise --epsilon or --number-share",
      fmt::join(columns, ", "));
}

/// Warns of strata that noise hides, "" if there are none. Public.
std::string hidden_strata_warning(const SynthChoices& choices, const SynthSetup& setup) {
  if (!setup.grouping) return "";
  std::vector<StratumNoise> strata;
  bool is_forced = false;  // to measure in spite of the noise
  for (const PlannedStratum& stratum : setup.strata) {
    const int64_t size = stratum.public_size.value_or(0);
    if (size == 0) continue;
    strata.push_back({group_name(stratum.label), size, stratum.noise_error});
    is_forced = is_forced || (choices.min_stratum > 0 && !stratum.questions.empty() &&
                              stratum.noise_error >= kHidingNoise);
  }
  const std::string hidden = hidden_strata(strata, setup.shared.has_value());
  if (hidden.empty()) return "";
  return hidden + "; merge them by [groups.NAME] of the schema, or raise --epsilon" +
         (is_forced ? fmt::format(", and leave --min-stratum {} out", choices.min_stratum) : "");
}

/// Warns of strata that lose by models of their own, "" if there are none. Public.
std::string lossy_strata_warning(const SynthSetup& setup) {
  if (!setup.grouping || setup.shared) return "";
  const auto count = std::ranges::count_if(setup.strata, [](const PlannedStratum& stratum) {
    return stratum.noise_error >= kLosingNoise;
  });
  if (count == 0) return "";
  return fmt::format(
      "{} of {} strata are so small that noise alone would put their columns off by {:.2g} of the "
      "records or more even if columns were all that is measured, so that these rows are likely "
      "worse than those of one model of all records; {}",
      count, setup.strata.size(), kLosingNoise,
      setup.row->is_graphical
          ? "--strata shared is made for them"
          : "raise --min-stratum, or use aim, swift or mst, whose strata can share a model");
}

/// Before anything is paid for.
void check_stratum_weights(const SynthChoices& choices, const Grouping& grouping) {
  if (choices.stratum_weights.empty()) return;
  const std::vector<std::string> names = group_names(grouping);
  double sum = 0;
  for (const auto& [name, weight] : choices.stratum_weights) {
    if (!contains(names, name)) {
      refuse("--stratum-weight {} is not a stratum{}", name, did_you_mean(name, names));
    }
    check_non_negative(kWhere, "stratum_weight", weight);
    sum += weight;
  }
  if (!(sum > 0 && std::isfinite(sum)))
    refuse("--stratum-weight must have a finite sum above 0, got {}", sum);
  if (choices.stratum_weights.size() != names.size())
    refuse("--stratum-weight must be given for every stratum, or for none");
}

/// Strata from the schema alone. A column that a stratum fixes is not modelled in it.
std::vector<PlannedStratum> list_strata(const SynthChoices& choices, SynthSetup& setup) {
  if (choices.stratify.empty()) {
    if (choices.min_stratum > 0) refuse("--min-stratum needs --stratify");
    if (!choices.stratum_weights.empty()) refuse("--stratum-weight needs --stratify");
    std::vector<PlannedStratum> everybody(1);
    everybody[0].columns = numbers_below(setup.columns.size());
    everybody[0].public_size = setup.public_size();
    return everybody;
  }
  if (setup.schema.has_unit_column()) {
    refuse(
        "--stratify makes one model for each stratum, which needs public numbers of rows in each; "
        "they are private where each {} may have several: leave --stratify out, and have the "
        "columns of strata among those of the workload",
        setup.schema.unit);
  }
  if (setup.relation != Relation::kZeroOut) {
    refuse(
        "--stratify makes one model for each stratum, which needs --relation zero_out, because "
        "under add_remove the sizes of strata are private");
  }
  check_non_negative(kWhere, "min_stratum", static_cast<double>(choices.min_stratum));
  // Strata that share a model are never merged: the small ones follow it.
  if (!setup.shared && choices.min_stratum > 0)
    setup.floor = {choices.min_stratum, SmallGroups::kMerge};
  setup.grouping = list_groups(setup.schema, choices.stratify, setup.floor);
  const Grouping& grouping = *setup.grouping;
  check_stratum_weights(choices, grouping);
  std::vector<PlannedStratum> strata;
  for (size_t g = 0; g < grouping.groups.size(); ++g) {
    PlannedStratum stratum;
    stratum.label = grouping.groups[g];
    stratum.public_size = grouping.public_sizes[g];
    stratum.fixed = setup.shared ? fixed_for_shared(stratum.label, setup)
                                 : fixed_categories(stratum.label, choices.min_stratum > 0, setup);
    for (size_t i = 0; i < setup.columns.size(); ++i) {
      if (!stratum.fixed.contains(i)) stratum.columns.push_back(i);
    }
    if (stratum.columns.empty()) refuse("--stratify leaves no column to model; leave one out");
    if (!setup.shared && stratum.public_size == 0) {
      refuse(
          "stratum {} has no rows because its public size is 0; pool small strata with "
          "--min-stratum N, or leave the column out",
          group_name(stratum.label));
    }
    strata.push_back(std::move(stratum));
  }
  return strata;
}

void check_quantile_columns(const SynthChoices& choices, const SynthSetup& setup) {
  for (const std::string& name : choices.quantile_columns) {
    const auto distribution = std::ranges::find_if(
        setup.distributions,
        [&](const PlannedDistribution& planned) { return planned.cells.name == name; });
    if (distribution == setup.distributions.end()) {
      refuse(
          "--quantile-bins {}: the column is not numeric, or each of its numbers has a "
          "bin, or --number-share is 0; leave it out",
          name);
    }
    if (!distribution->cuts) {
      refuse(
          "--quantile-bins {}: edges of its bins are public, by --edges-of, the schema "
          "or --structural-zeros; leave one out",
          name);
    }
  }
}

/// The columns of which it pays to know how their numbers are spread: of which some bin holds
/// several numbers. Those whose edges nobody has fixed get as many bins as noise leaves, until
/// their distribution cuts them of equal width.
void plan_distributions(const SynthChoices& choices, double rho, SynthSetup& setup) {
  if (choices.number_share) {
    check_interval(kWhere, "number_share", *choices.number_share, 0, kMaxNumberShare);
    if (*choices.number_share == 0) return check_quantile_columns(choices, setup);
  }
  BinOptions bins = choices.bins;
  if (!bins.num_bins) bins.num_bins = distribution_bins(setup.public_size(), rho);
  const std::vector<ColumnCodes> fewer = column_codes(setup.schema, bins);
  for (size_t i = 0; i < setup.columns.size(); ++i) {
    ColumnCodes& column = setup.columns[i];
    if (!column.is_numeric()) continue;
    const ColumnSchema& described = setup.schema.column(column.name);
    PlannedDistribution distribution{.column = i, .cells = column};
    distribution.cells.edges = distribution_cells(described);
    if (column.num_bins() >= distribution.cells.num_bins())
      continue;  // such as a bin for each number
    const bool is_in_zeros = std::ranges::any_of(setup.zeros, [&](const Factor& factor) {
      return contains(factor.attributes, {static_cast<int>(i)});
    });
    distribution.cuts =
        !is_in_zeros && described.bin_edges.empty() && !choices.bins.edges_of.contains(column.name);
    distribution.is_asked = contains(choices.quantile_columns, column.name);
    if (distribution.cuts) column.edges = fewer[i].edges;
    setup.distributions.push_back(std::move(distribution));
  }
  setup.number_share = choices.number_share.value_or(
      std::min(kMaxOfNumbers, kOfEachNumber * static_cast<double>(setup.distributions.size())));
  check_quantile_columns(choices, setup);
}

/// Zeros that leave nothing possible in a stratum are found before anything is spent.
void check_zeros(const std::vector<Factor>& zeros, const SynthSetup& setup,
                 const PlannedStratum& stratum) {
  if (zeros.empty()) return;
  std::vector<Factor> potentials = zeros;
  for (const AttributeEvidence& own :
       stratum_evidence(stratum.label, setup.schema, setup.columns)) {
    const auto column = static_cast<size_t>(own.attribute);
    const auto place = std::ranges::find(stratum.columns, column);
    if (place == stratum.columns.end()) continue;
    Factor factor{{static_cast<int>(place - stratum.columns.begin())}, {}};
    for (const double weight : own.weights) factor.values.push_back(std::log(weight));
    potentials.push_back(std::move(factor));
  }
  static_cast<void>(GraphicalModel(domain_of(setup.columns, stratum.columns), potentials, 1));
}

/// Plans what a stratum measures next to the shared model, if anything, with the rho that is left
/// for that.
void plan_columns(const SynthChoices& choices, double rho, const SynthSetup& setup,
                  PlannedStratum& stratum) {
  stratum.plan = {};
  stratum.plan.facts.domain = domain_of(setup.columns, stratum.columns);
  const Domain& domain = stratum.plan.facts.domain;
  const int64_t size = *stratum.public_size;
  stratum.noise_error = stratum_noise_error(domain, rho, size);
  stratum.questions.clear();
  if (size == 0 || size < choices.min_stratum) return;
  std::vector<ColumnCodes> columns;
  for (const size_t i : stratum.columns) columns.push_back(setup.columns[i]);
  stratum.questions = stratum_questions(domain, num_ordered_of(columns), rho, size,
                                        choices.min_stratum > 0, kWhere);
  for (const StratumQuestion& question : stratum.questions)
    stratum.plan.events.push_back(Event::discrete_gaussian(question.noise_stddev, 1));
}

/// Plans all strata for one rho; each of them has all of it, since a record is in one.
void plan_strata(const SynthChoices& choices, double rho, SynthSetup& setup) {
  setup.rho = rho * rho_factor(setup.schema.max_records_per_unit);
  const double distributions_rho = setup.distributions.empty() ? 0 : setup.number_share * rho;
  std::vector<Event> distribution_events;
  for (PlannedDistribution& distribution : setup.distributions) {
    distribution.plan = plan_distribution(
        distribution.cells.num_bins(),
        distributions_rho / static_cast<double>(setup.distributions.size()), kWhere);
    distribution_events.push_back(distribution.plan.event());
  }
  const auto plan_one = [&](PlannedStratum& stratum, double own_rho) {
    SynthConfig config = choices.config;
    config.relation = setup.relation;
    config.rho = own_rho;
    config.workload = within(setup.workload, stratum.columns);
    config.workload_is_listed = !choices.config.workload_choice.file.empty();
    SynthFacts facts;
    facts.domain = domain_of(setup.columns, stratum.columns);
    for (const size_t i : stratum.columns) facts.ordered.push_back(setup.columns[i].is_numeric());
    facts.num_records = stratum.public_size;
    facts.structural_zeros = zeros_within(setup, stratum);
    // Zeros that leave nothing possible are found before anything is spent.
    if (!facts.structural_zeros.empty())
      static_cast<void>(GraphicalModel(facts.domain, facts.structural_zeros, 1));
    config.max_model_megabytes =
        choices.max_model_megabytes.value_or(setup.row->usual_megabytes(facts.num_records));
    stratum.plan = setup.method->plan(config, facts);
    if (!stratum.label.empty()) stratum.plan.stratum = group_name(stratum.label);
  };
  const double left = rho - distributions_rho;
  if (setup.shared) {
    std::vector<Event> own;
    bool measures = false;
    for (PlannedStratum& stratum : setup.strata) {
      plan_columns(choices, (1 - choices.shared_share) * left, setup, stratum);
      measures = measures || !stratum.questions.empty();
      own.push_back(Event::composed(stratum.plan.events));
      check_zeros(zeros_within(setup, stratum), setup, stratum);
    }
    plan_one(*setup.shared, measures ? choices.shared_share * left : left);
    std::vector<Event> shared = setup.shared->plan.events;
    append(shared, distribution_events);
    setup.events = {
        Event::composed(std::move(shared)),
        Event::parallel(setup.grouping->partition, group_names(*setup.grouping), std::move(own))};
    return;
  }
  for (PlannedStratum& stratum : setup.strata) {
    plan_one(stratum, left);
    if (stratum.public_size.value_or(0) == 0) continue;
    const Domain& domain = stratum.plan.facts.domain;
    stratum.noise_error = stratum_noise_error(domain, left, *stratum.public_size);
  }
  const auto all_events = [&](const PlannedStratum& stratum) {
    std::vector<Event> events = stratum.plan.events;
    append(events, distribution_events);
    return events;
  };
  if (!setup.grouping) {
    setup.events = all_events(setup.strata[0]);
  } else {
    std::vector<Event> events;
    for (const PlannedStratum& stratum : setup.strata)
      events.push_back(Event::composed(all_events(stratum)));
    setup.events = {Event::parallel(setup.grouping->partition, group_names(*setup.grouping),
                                    std::move(events))};
  }
}

}  // namespace

Domain SynthSetup::domain() const { return domain_of(columns, numbers_below(columns.size())); }

size_t PlannedStratum::num_measured() const {
  std::set<int> attributes;
  for (const StratumQuestion& question : questions) attributes.insert(question.attribute);
  return attributes.size();
}

SynthSetup set_up_synth(const SynthChoices& choices, SynthSchema schema) {
  check_positive(kWhere, "epsilon", choices.epsilon);
  check_open_interval(kWhere, "delta", choices.delta, 0, 1);
  if (choices.max_model_megabytes) {
    check_positive(kWhere, "max_model_size", *choices.max_model_megabytes);
    check_interval(kWhere, "max_model_size", *choices.max_model_megabytes, 0,
                   megabytes_of(GraphicalModel::kMaxCells));
  }
  check_positive(kWhere, "max_table_size", choices.max_table_megabytes);
  if (choices.relation == Relation::kReplaceOne)
    refuse("--relation must be zero_out or add_remove, for which the published methods are made");
  if (choices.num_rows) {
    check_interval(kWhere, "rows", static_cast<double>(*choices.num_rows), 1,
                   static_cast<double>(kMaxRecords));
  }
  SynthSetup setup;
  setup.relation = choices.relation;
  setup.schema = std::move(schema.schema);
  setup.kept_gaps = std::move(schema.kept_gaps);
  setup.row = &find_synthesizer(choices.method);
  setup.method = setup.row->make();
  setup.columns = column_codes(setup.schema, choices.bins);
  check_row_format(choices.format, setup.columns);
  const Delta delta(choices.delta);
  // The rho of one row, as the plan's.
  double rho = zcdp_rho_for(Epsilon(choices.epsilon), delta).value() /
               rho_factor(setup.schema.max_records_per_unit);
  if (!choices.zeros_path.empty()) {
    setup.zeros =
        parse_structural_zeros(read_text(choices.zeros_path, kWhere), setup.columns, setup.domain(),
                               choices.zeros_path.string(), ignored_columns(setup.schema));
  }
  plan_distributions(choices, rho, setup);
  if (decide_sharing(choices, setup)) {
    setup.shared.emplace();
    setup.shared->columns = numbers_below(setup.columns.size());
    setup.shared->public_size = setup.schema.num_records;
  }
  setup.strata = list_strata(choices, setup);
  setup.degree = feasible_degree(static_cast<int>(setup.columns.size()),
                                 choices.config.workload_choice.degree);
  setup.workload = workload_of(choices, setup, setup.domain());
  // The accountants' epsilon may differ in the last digits from the conversion that gave rho.
  for (int attempt = 0;; ++attempt) {
    if (!(rho > 0)) {
      refuse(
          "epsilon {:g} at delta {:g} is too small for a single round, because no zCDP "
          "rho is left; raise epsilon or delta",
          choices.epsilon, choices.delta);
    }
    plan_strata(choices, rho, setup);
    setup.events = for_unit(setup.schema.max_records_per_unit, std::move(setup.events));
    setup.privacy = smallest_guarantee(setup.relation, setup.events, delta);
    if (setup.privacy.epsilon.value() <= choices.epsilon) break;
    if (attempt == 40) refuse("no amount of noise meets epsilon and delta; raise one of them");
    rho *= 0.9995;
  }
  if (setup.relation == Relation::kZeroOut) {
    const std::string warning =
        large_delta_warning(choices.delta, setup.schema.num_records, setup.schema.size_key());
    if (!warning.empty()) setup.warnings.push_back(warning);
  } else if (setup.schema.num_records > 0) {
    setup.warnings.push_back(fmt::format(
        "the schema declares {}, which --relation add_remove keeps private, so this run does not "
        "use it; if it is private, leave it and the sizes of groups out of the schema; if it is "
        "public, --relation zero_out is enough",
        setup.schema.has_unit_column() ? "num_units" : "num_records"));
  }
  for (const std::string& warning :
       {hidden_strata_warning(choices, setup), lossy_strata_warning(setup), drowning_warning(setup),
        far_bounds_warning(setup), wide_workload_warning(choices, setup),
        filled_warning(setup.schema)})
    if (!warning.empty()) setup.warnings.push_back(warning);
  const auto add_warnings = [&](const PlannedStratum& stratum) {
    for (const std::string& warning : stratum.plan.warnings) {
      if (!contains(setup.warnings, warning)) setup.warnings.push_back(warning);
    }
  };
  if (setup.shared) add_warnings(*setup.shared);
  for (const PlannedStratum& stratum : setup.strata) add_warnings(stratum);
  if (!schema.warning.empty()) setup.warnings.push_back(schema.warning);
  return setup;
}

}  // namespace equinoise

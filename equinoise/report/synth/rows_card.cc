// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/synth/rows_card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"
#include "equinoise/report/protection.h"
#include "equinoise/synth/fit.h"
#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/shared_strata.h"

namespace equinoise {

namespace {

using Names = std::vector<std::string>;
using NamePair = std::pair<std::string, std::string>;

constexpr size_t kMaxNames = 8;  // in a cell of a table; JSON has all

/// Adds what a model measured of so many records, if their number is public. What was measured
/// several times is one mean of all, by precision, which has less noise.
void add_measured(const MeasuredFacts& measured, const GroupLabel& group,
                  const std::optional<int64_t>& records, double rho,
                  std::vector<CardMarginal>& all) {
  std::vector<CardMarginal> own;
  for (const MeasuredFacts::Marginal& marginal : measured.marginals) {
    CardMarginal added;
    added.group = group;
    added.columns = marginal.columns;
    added.num_counts = marginal.num_counts;
    added.is_cell = marginal.is_cell;
    added.noise_stddev = marginal.noise_stddev;
    if (marginal.parts > 0) added.parts = marginal.parts;
    const auto known = std::ranges::find_if(own, [&](const CardMarginal& earlier) {
      return !added.is_cell && !earlier.is_cell && earlier.columns == added.columns &&
             earlier.num_counts == added.num_counts && earlier.parts == added.parts;
    });
    if (known == own.end()) {
      own.push_back(std::move(added));
    } else {
      known->noise_stddev = 1 / std::hypot(1 / known->noise_stddev, 1 / added.noise_stddev);
    }
  }
  for (CardMarginal& marginal : own) {
    marginal.rho_share = 0.5 / (marginal.noise_stddev * marginal.noise_stddev) / rho;
    if (records.value_or(0) > 0 && !marginal.columns.empty())
      marginal.noise_error = noise_l1(marginal.noise_stddev, marginal.num_counts) /
                             (2 * static_cast<double>(*records));
    all.push_back(std::move(marginal));
  }
}

/// Names, or how many there are where a cell has no room for them.
std::string names_text(const Names& names) {
  if (names.empty()) return "-";
  return names.size() <= kMaxNames ? columns_of(names) : fmt::format("{} others", names.size());
}

// --- columns -------------------------------------------------------------------------------------

bool holds_one_number(const ColumnCodes& column, size_t bin) {
  const double first = column.whole ? std::ceil(column.edges[bin]) : column.edges[bin];
  const bool is_last = bin + 1 == column.num_bins();
  if (!column.whole) return !is_last && column.edges[bin + 1] <= next_up(first);
  return is_last ? column.largest() <= first : column.edges[bin + 1] <= first + 1;
}

size_t num_single_numbers(const ColumnCodes& column) {
  size_t count = 0;
  for (size_t bin = 0; bin < column.num_bins(); ++bin) count += holds_one_number(column, bin);
  return count;
}

CardColumn card_column(const ColumnCodes& column, const std::string& gaps) {
  CardColumn card{.name = column.name, .kind = "categories", .gaps = gaps};
  if (!column.is_numeric()) {
    card.num_categories = column.values.size();
    return card;
  }
  card.kind = column.time ? "dates" : column.whole ? "whole numbers" : "numbers";
  card.lower = column.text_of(column.edges.front());
  card.upper = column.text_of(column.largest());
  card.num_bins = column.num_bins();
  card.num_single = num_single_numbers(column);
  card.spread = column.distribution ? "by released counts" : "evenly";
  return card;
}

// --- what depends on what ------------------------------------------------------------------------

/// Pairs of columns by the number of strata, or of models, in which both were measured together.
struct KeptPairs {
  std::map<NamePair, size_t> measured;  ///< of all pairs that some model has
  size_t num_models = 0;
};

/// Both ways round. What says how a column is spread over parts of its bins says too little.
std::set<NamePair> measured_pairs(const MeasuredFacts& measured) {
  std::set<NamePair> together;
  for (const MeasuredFacts::Marginal& marginal : measured.marginals) {
    if (marginal.parts > 0) continue;
    for (const std::string& a : marginal.columns)
      for (const std::string& b : marginal.columns) together.emplace(a, b);
  }
  return together;
}

KeptPairs kept_pairs(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  KeptPairs kept;
  const auto add = [&](const std::vector<size_t>& columns, const std::set<NamePair>& together) {
    ++kept.num_models;
    for (size_t i = 0; i < columns.size(); ++i) {
      for (size_t j = i + 1; j < columns.size(); ++j) {
        const NamePair pair(file.columns[columns[i]].name, file.columns[columns[j]].name);
        kept.measured[pair] += together.contains(pair);
      }
    }
  };
  std::vector<size_t> all = numbers_below(file.columns.size());
  const std::set<NamePair> of_everybody = measured_pairs(facts.everybody);
  if (facts.strata.empty()) add(all, of_everybody);
  for (size_t s = 0; s < facts.strata.size(); ++s) {
    std::set<NamePair> own = measured_pairs(facts.strata[s].measured);
    if (!facts.strata_share) {
      add(file.strata[s].columns, own);
      continue;
    }
    // Columns that a stratum measures are measured together with what its members have in common.
    for (const auto& [fixed, code] : file.strata[s].fixed) {
      for (const auto& [other, own_code] : file.strata[s].fixed)
        own.emplace(file.columns[fixed].name, file.columns[other].name);
      for (const size_t column : file.strata[s].columns) {
        const std::string& name = file.columns[column].name;
        if (!own.contains({name, name})) continue;
        own.emplace(name, file.columns[fixed].name);
        own.emplace(file.columns[fixed].name, name);
      }
    }
    own.insert(of_everybody.begin(), of_everybody.end());
    add(all, own);
  }
  return kept;
}

/// (columns) For each its partners: in every model, in some, in none.
TextTable pairs_table(const SynthFile& file, const KeptPairs& kept) {
  TextTable table;
  const bool has_some = std::ranges::any_of(kept.measured, [&](const auto& pair) {
    return pair.second > 0 && pair.second < kept.num_models;
  });
  table.caption = "Columns that were measured together, whose relation rows keep with noise";
  table.head = {"column", "together with"};
  if (has_some) table.head.emplace_back("in some strata only with");
  table.head.emplace_back("never with");
  table.num_left = table.head.size();
  for (const ColumnCodes& column : file.columns) {
    Names always;
    Names sometimes;
    Names never;
    bool is_modelled = file.columns.size() == 1;
    for (const ColumnCodes& other : file.columns) {
      auto found = kept.measured.find({column.name, other.name});
      if (found == kept.measured.end()) found = kept.measured.find({other.name, column.name});
      if (found == kept.measured.end()) continue;
      is_modelled = true;
      Names& list = found->second == 0                 ? never
                    : found->second == kept.num_models ? always
                                                       : sometimes;
      list.push_back(other.name);
    }
    if (!is_modelled) continue;  // the same for all of every stratum
    std::vector<std::string> row = {column.name, names_text(always)};
    if (has_some) row.push_back(names_text(sometimes));
    row.push_back(never.size() + 1 == file.columns.size() ? "all others" : names_text(never));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The columns that no model measured together with the target, in a sentence; "" without any.
std::string apart_from_target(const std::string& target, const KeptPairs& kept) {
  Names apart;
  for (const auto& [pair, count] : kept.measured)
    if (count == 0 && (pair.first == target || pair.second == target))
      apart.push_back(pair.first == target ? pair.second : pair.first);
  if (apart.empty()) return "";
  return fmt::format(
      "The target {} was never measured together with {}: of such a relation rows show only "
      "what other columns explain.",
      target, names_text(apart));
}

/// Names the first groups that are no part of another: the others follow from these.
std::string far_off_in_words(const std::vector<GroupRows>& groups, const SynthFile& file,
                             int64_t num_rows) {
  constexpr size_t kMaxNamed = 3;
  const auto lies_in_another = [&](const GroupRows& part) {
    return std::ranges::any_of(groups, [&](const GroupRows& whole) {
      return whole.group.size() < part.group.size() &&
             std::ranges::includes(part.group, whole.group);
    });
  };
  const int64_t num_records = *file.released->num_records;
  const auto of = [&](int64_t number) {
    return num_rows == num_records ? "" : " of " + format_count(number);
  };
  const std::string of_rows = of(num_rows);
  const std::string of_records = of(num_records);
  Names named;
  for (const GroupRows& own : groups) {
    if (lies_in_another(own) || named.size() == kMaxNamed) continue;
    named.push_back(fmt::format("{} ({}) has about {}{}, declared {}{}", values_of(own.group),
                                columns_of(own.group), format_count(own.num_rows), of_rows,
                                format_count(own.num_records), of_records));
  }
  if (named.empty()) return "";
  const size_t num_more = groups.size() - named.size();
  return fmt::format(
      "Some groups have less than half or more than twice the rows of their declared size: {}{}.",
      fmt::join(named, "; "), num_more > 0 ? fmt::format("; and {} more", num_more) : "");
}

/// The number of marginals of the goal, and the number of them that the shared model measured as a
/// whole.
std::pair<size_t, size_t> measured_of_goal(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  std::vector<std::set<std::string>> measured;
  for (const MeasuredFacts::Marginal& marginal : facts.everybody.marginals)
    if (!marginal.is_cell) measured.emplace_back(marginal.columns.begin(), marginal.columns.end());
  const auto is_measured = [&](const Names& names) {
    return std::ranges::any_of(measured, [&](const std::set<std::string>& set) {
      return std::ranges::all_of(names,
                                 [&](const std::string& name) { return set.contains(name); });
    });
  };
  std::vector<size_t> all = numbers_below(file.columns.size());
  const Domain domain = domain_of(file.columns, all);
  std::vector<Names> goal = facts.goal.listed;
  if (goal.empty()) {
    const std::optional<int> target = domain.find(facts.goal.target);
    for (const WeightedMarginal& marginal : all_marginals(domain, facts.goal.degree, target))
      goal.push_back(names_of(domain, marginal.attributes));
  }
  return {goal.size(), static_cast<size_t>(std::ranges::count_if(goal, is_measured))};
}

bool has_goal(const ReleasedFacts& facts) {
  return facts.goal.degree > 0 || !facts.goal.listed.empty();
}

Names stratum_columns(const SynthFile& file) {
  Names names;
  for (const auto& [name, value] : file.strata.front().label) names.push_back(name);
  return names;
}

/// The columns of which some model pools rare values.
Names pooled_columns(const SynthFile& file) {
  std::set<size_t> pooled;
  for (const SynthStratum& stratum : file.strata) {
    const auto* model = dynamic_cast<const GraphSynthModel*>(stratum.model.get());
    for (size_t i = 0; model != nullptr && i < stratum.columns.size(); ++i)
      if (!model->values()[i].pooled.empty()) pooled.insert(stratum.columns[i]);
  }
  Names names;
  for (const size_t column : pooled) names.push_back(file.columns[column].name);
  return names;
}

/// Properties that rows keep and that they do not, a sentence each.
Names limits_of(const SynthFile& file, const KeptPairs& kept) {
  const ReleasedFacts& facts = *file.released;
  Names lines;
  size_t num_never = 0;
  for (const auto& [pair, count] : kept.measured) num_never += count == 0;
  if (!kept.measured.empty()) {
    lines.push_back(fmt::format(
        "Of {} pairs of columns {} were never measured together: rows hold them dependent only as "
        "far as other columns explain it, and independent where none does.",
        format_count(std::ssize(kept.measured)), format_count(static_cast<int64_t>(num_never))));
  }
  if (const std::string apart = apart_from_target(facts.target, kept); !apart.empty())
    lines.push_back(apart);
  // The first sentence says the same of all pairs.
  const bool is_told = facts.goal.degree == 2 && facts.goal.target.empty();
  if (has_goal(facts) && !is_told && (facts.strata.empty() || facts.strata_share)) {
    const auto [all, whole] = measured_of_goal(file);
    const std::string what =
        !facts.goal.listed.empty()
            ? "listed marginals"
            : fmt::format("marginals of {} columns{}", facts.goal.degree,
                          facts.goal.target.empty() ? "" : " with " + facts.goal.target);
    lines.push_back(fmt::format(
        "The model was made for {} {}, of which {} were measured as a whole, with noise; the "
        "others follow from what was measured.",
        format_count(static_cast<int64_t>(all)), what, format_count(static_cast<int64_t>(whole))));
  }
  if (!facts.strata.empty()) {
    const std::string by = columns_of(stratum_columns(file));
    const auto num_measuring =
        static_cast<size_t>(std::ranges::count_if(facts.strata, &ReleasedFacts::Stratum::measures));
    lines.push_back(
        facts.strata_share
            ? fmt::format("Strata by {} share one model of how columns depend on each other; {} of "
                          "{} measured single columns of their own, the others follow the shared "
                          "model.",
                          by, num_measuring, facts.strata.size())
            : fmt::format("Each of {} strata by {} has a model of its own.", facts.strata.size(),
                          by));
    std::vector<StratumNoise> noise;
    for (size_t s = 0; s < facts.strata.size(); ++s)
      if (const ReleasedFacts::Stratum& stratum = facts.strata[s]; stratum.noise_error)
        noise.push_back({group_name(file.strata[s].label), stratum.public_size.value_or(0),
                         *stratum.noise_error});
    if (const std::string hidden = hidden_strata(noise, facts.strata_share); !hidden.empty())
      lines.push_back(hidden + ".");
    const bool has_pool = std::ranges::any_of(file.strata, [](const SynthStratum& stratum) {
      return !stratum.label.empty() && std::ranges::all_of(stratum.label, [](const auto& part) {
        return part.second == kSmallGroups;
      });
    });
    if (has_pool)
      lines.push_back("Small strata were pooled into one, which says little of each of them.");
  }
  for (const Names& columns : facts.impossible) {
    lines.push_back(fmt::format("Combinations of {} that were declared impossible are in no row.",
                                columns_of(columns)));
  }
  if (const Names pooled = pooled_columns(file); !pooled.empty()) {
    lines.push_back(
        fmt::format("Rare values of {} were pooled where noise hides them, and are in rows equally "
                    "often.",
                    columns_of(pooled)));
  }
  if (!facts.ignored.empty()) {
    lines.push_back(fmt::format("Columns of the table that are not in the rows: {}.",
                                columns_of(facts.ignored)));
  }
  Names dropping;
  for (size_t i = 0; i < file.columns.size(); ++i)
    if (facts.gaps[i] == "dropped") dropping.push_back(file.columns[i].name);
  if (!dropping.empty()) {
    lines.push_back(fmt::format(
        "Records with a gap in {} are not in the rows; how many there are is private.",
        dropping.size() == file.columns.size() ? "any column" : "one of " + columns_of(dropping)));
  }
  lines.emplace_back(
      "Rows have no order, no links between each other and no identifiers: no row stands for a "
      "particular record, and several may be alike. A listed category that no record has gets "
      "noise as others "
      "do, so rows may hold it.");
  if (file.released->has_units()) {
    lines.push_back(fmt::format(
        "Rows stand for rows of the table, of which each {0} has several: what is counted for each "
        "{0} does not follow from them. At most {1} rows of one {0} counted, so that whoever has "
        "more is in the rows with those alone.",
        file.released->unit, format_count(file.released->max_records_per_unit)));
  }
  return lines;
}

// --- bounds --------------------------------------------------------------------------------------

std::string how_to_read_bounds(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  if (!facts.bounds.empty()) {
    return fmt::format(
        "With a confidence of {} % over the noise and the choices, for all of these marginals at "
        "once: half the L1 distance between the model's counts and the true ones of the records "
        "that were used is at most so many records. A bound is a worst case and mostly well above "
        "the error. It does not cover the draw of rows from the model, and it says nothing of "
        "marginals without a bound.",
        100 * (1 - kBoundMiss));
  }
  if (file.method != "aim") {
    return "None: a bound for marginals that were not measured follows from how aim chooses what "
           "to measure, and these rows are by " +
           file.method + ".";
  }
  return facts.strata.empty()
             ? "None: with so much noise no marginal has a bound below the number of records."
             : "None: a bound is derived for one model of all records, not for strata.";
}

// --- quotation -----------------------------------------------------------------------------------

std::string guarantee_sentence(const SynthFile& file) {
  if (file.status != PrivacyStatus::kPrivate || !file.privacy) return "without a privacy guarantee";
  return fmt::format("with differential privacy (epsilon {}, delta {}, {}, for one {})",
                     format_epsilon(file.privacy->epsilon), file.privacy->delta.value(),
                     to_string(file.privacy->relation), file.released->unit);
}

Names how_to_quote(const SynthFile& file, const DrawnRows& rows) {
  Names lines = {
      fmt::format("Source: \"{} synthetic rows made from {} by {} of Equinoise {}, {}\".",
                  format_count(rows.num_rows), file.dataset, file.method, file.released->version,
                  guarantee_sentence(file)),
      "Say that figures are of synthetic rows, and round them to what the noise below leaves of "
      "them.",
      "Quote a count only if it is several times the noise of a marginal that holds all of its "
      "columns; treat any other relation between columns as a hint to be checked on the records.",
      "Standard errors, p-values and intervals that software computes as if rows were records are "
      "too small: they leave out the noise, the model and the draw of rows, and more rows do not "
      "make them right.",
      "Small groups and rare values are the least reliable: a count that is not well above the "
      "noise of its marginal may be noise alone."};
  if (file.released->has_counts()) {
    lines.push_back(fmt::format(
        "Counts, shares and means of the {}, with intervals that cover the noise, follow from "
        "the noisy counts in model.json: equinoise synth estimate --model model.json with --table, "
        "--share or --mean. Quote these with their intervals rather than what rows give; where an "
        "interval is wide, quote no figure.",
        file.released->has_units() ? "rows that counted" : "records"));
  }
  return lines;
}

// --- measured ------------------------------------------------------------------------------------

/// The uses of noise.
Names mechanisms_of(const ReleasedFacts& facts, const std::vector<CardMarginal>& measured) {
  size_t num_whole = 0;
  size_t num_cells = 0;
  size_t num_spreads = 0;
  for (const CardMarginal& marginal : measured)
    ++(marginal.is_cell ? num_cells : marginal.parts ? num_spreads : num_whole);
  Names mechanisms;
  const auto add = [&](size_t count, const char* one, const char* several) {
    if (count == 0) return;
    mechanisms.push_back(
        fmt::format("{} {} with discrete Gaussian noise", count, count == 1 ? one : several));
  };
  add(num_whole, "marginal", "marginals");
  add(num_cells, "single count of a marginal", "single counts of marginals");
  add(num_spreads, "spread over parts of bins", "spreads over parts of bins");
  if (!facts.distributions.empty()) {
    mechanisms.push_back(
        fmt::format("counts of how numbers of {} columns are spread with discrete Gaussian noise",
                    facts.distributions.size()));
  }
  if (facts.everybody.rho_of_choices > 0 ||
      std::ranges::any_of(facts.strata,
                          [](const auto& stratum) { return stratum.measured.rho_of_choices > 0; }))
    mechanisms.emplace_back("private choices of what to measure");
  return mechanisms;
}

/// The marginals measured overall and those measured by stratum; "" without strata.
std::string composition_of_strata(const ReleasedFacts& facts) {
  if (facts.strata.empty()) return "";
  Names first;
  if (!facts.distributions.empty()) first.emplace_back("the spread of numbers");
  if (facts.strata_share) first.emplace_back("a shared model");
  return fmt::format(
      "{} in parallel: no record is in two of them.",
      first.empty() ? "Strata" : fmt::format("First {}, then strata", fmt::join(first, " and ")));
}

/// The protection of a file with a guarantee.
Protection protection_of(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  return {file.privacy->relation,
          {facts.unit, facts.max_records_per_unit, facts.unit_stated},
          {},
          facts.attack};
}

/// The counts of least noise of each column.
std::vector<ReleasedColumn> released_columns(const SynthFile& file) {
  std::vector<ReleasedColumn> released;
  for (const ColumnCodes& column : file.columns) {
    const MeasuredFacts::Marginal* best = nullptr;
    for (const MeasuredFacts::Marginal& marginal : file.released->everybody.marginals) {
      const bool is_whole = marginal.columns == Names{column.name} && marginal.parts == 0 &&
                            marginal.counts.size() == column.num_codes();
      if (is_whole && (best == nullptr || marginal.noise_stddev < best->noise_stddev))
        best = &marginal;
    }
    if (best == nullptr) continue;
    ReleasedColumn& own =
        released.emplace_back(ReleasedColumn{column.name, best->noise_stddev, {}});
    for (size_t code = 0; code < best->counts.size(); ++code)
      own.records.emplace_back(column.code_text(code), best->counts[code]);
  }
  return released;
}

Deployment deployment_of_rows(const SynthFile& file, const RowsCard& card) {
  Deployment deployment;
  deployment.product = DataProduct::kRows;
  deployment.dataset = file.dataset;
  deployment.description = fmt::format("{} synthetic rows.", format_count(card.rows.num_rows));
  deployment.version = card.version;
  deployment.method = file.method;
  deployment.status = file.status;
  deployment.privacy = file.privacy;
  if (file.privacy) deployment.protection = protection_of(file);
  deployment.rho = card.rho;
  deployment.num_records = card.num_records;
  deployment.ledger = card.ledger;
  deployment.mechanisms = mechanisms_of(*file.released, card.measured);
  deployment.composition = composition_of_strata(*file.released);
  deployment.post_processing =
      "A model is fitted to the noisy counts, and rows are drawn from the model.";
  return deployment;
}

}  // namespace

RowsCard rows_card(const SynthFile& file, const DrawnRows& rows,
                   const std::optional<LedgerStatement>& ledger) {
  const ReleasedFacts& facts = *file.released;
  RowsCard card;
  card.dataset = file.dataset;
  card.method = file.method;
  card.version = facts.version;
  card.status = file.status;
  card.rows = rows;
  card.num_records = facts.num_records;
  card.privacy_line = privacy_line(file.status, file.privacy);
  card.rho = facts.rho;
  if (file.status == PrivacyStatus::kPrivate && file.privacy) {
    card.privacy = RowsPrivacy{*file.privacy, facts.unit, facts.max_records_per_unit, facts.attack,
                               explain(protection_of(file))};
  }
  for (size_t i = 0; i < file.columns.size(); ++i)
    card.columns.push_back(card_column(file.columns[i], facts.gaps[i]));
  card.ignored = facts.ignored;
  add_measured(facts.everybody, {}, facts.num_records, facts.row_rho(), card.measured);
  card.rho_share_of_choices = facts.everybody.rho_of_choices / facts.row_rho();
  for (const ReleasedFacts::Distribution& distribution : facts.distributions)
    card.distributions.push_back({distribution.column, distribution.num_levels,
                                  distribution.noise_stddev, distribution.rho() / facts.row_rho()});
  for (size_t s = 0; s < facts.strata.size(); ++s) {
    const ReleasedFacts::Stratum& stratum = facts.strata[s];
    add_measured(stratum.measured, file.strata[s].label, stratum.public_size, facts.row_rho(),
                 card.measured);
    card.strata.push_back({file.strata[s].label, stratum.public_size, file.strata[s].weight,
                           stratum.measures, stratum.noise_error});
  }
  card.strata_share = facts.strata_share;
  const KeptPairs kept = kept_pairs(file);
  for (const auto& [pair, count] : kept.measured) {
    if (count == 0) card.never_measured.push_back({pair.first, pair.second});
    if (count > 0 && count < kept.num_models)
      card.sometimes_measured.push_back({pair.first, pair.second});
  }
  if (file.columns.size() > 1) card.pairs = pairs_table(file, kept);
  card.released = released_columns(file);
  card.impossible = facts.impossible;
  card.apart_from_target = apart_from_target(facts.target, kept);
  if (rows.given.empty()) card.far_off = groups_far_off(file, rows.num_rows);
  if (card.far_off) card.far_off_in_words = far_off_in_words(*card.far_off, file, rows.num_rows);
  card.limits = limits_of(file, kept);
  if (!card.far_off_in_words.empty()) card.limits.push_back(card.far_off_in_words);
  card.bounds = {1 - kBoundMiss, how_to_read_bounds(file), {}};
  for (const ReleasedFacts::Bound& bound : facts.bounds) {
    const double records = bound.records / 2;
    card.bounds.marginals.push_back({bound.columns, records, {}});
    if (facts.num_records.value_or(0) > 0)
      card.bounds.marginals.back().share = records / static_cast<double>(*facts.num_records);
  }
  card.how_to_quote = how_to_quote(file, rows);
  card.ledger = ledger;
  card.deployment = deployment_of_rows(file, card);
  return card;
}

nlohmann::ordered_json to_json(const RowsCard& card) { return document_of("rows_card", card); }

DrawnRows drawn_rows_from_json(std::string_view text, std::string_view origin) {
  const JsonSource source = {.origin = std::string(origin),
                             .where = "report.rows_card",
                             .kind = "a rows_card.json of equinoise synth",
                             .hint = "give a folder that equinoise synth wrote with --out"};
  const auto json = parse_json<nlohmann::ordered_json>(text, source);
  return read_fields<DrawnRows>(OrderedJsonSection(json, "", source).section("rows"), {});
}

}  // namespace equinoise

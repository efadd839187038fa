// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/rows_card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "equinoise/base/rounding.h"
#include "equinoise/report/deployment.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/markdown.h"
#include "equinoise/report/protection.h"
#include "equinoise/synth/fit.h"
#include "equinoise/synth/graph_synth_model.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;
using NamePair = std::pair<std::string, std::string>;

/// In the Markdown form: names in a cell, and bounds in the table. JSON has all.
constexpr size_t kMostNames = 8;
constexpr size_t kMostBounds = 20;

/// Half the L1 distance, as a share of `records`, by which noise alone is expected to put counts
/// off; none where their number is not public.
std::optional<double> noise_error(const MeasuredFacts::Marginal& marginal,
                                  const std::optional<int64_t>& records) {
  if (records.value_or(0) <= 0 || marginal.columns.empty()) return std::nullopt;
  return noise_l1(marginal.noise_stddev, marginal.num_counts) / (2 * static_cast<double>(*records));
}

/// What was measured several times as the mean of all, by precision, which has less noise.
std::vector<MeasuredFacts::Marginal> merged(const MeasuredFacts& measured) {
  std::vector<MeasuredFacts::Marginal> result;
  for (const MeasuredFacts::Marginal& marginal : measured.marginals) {
    const auto known =
        std::find_if(result.begin(), result.end(), [&](const MeasuredFacts::Marginal& earlier) {
          return !marginal.is_cell && !earlier.is_cell && earlier.columns == marginal.columns &&
                 earlier.num_counts == marginal.num_counts && earlier.parts == marginal.parts;
        });
    if (known == result.end()) {
      result.push_back(
          {marginal.columns, marginal.noise_stddev, marginal.num_counts, marginal.is_cell});
      result.back().parts = marginal.parts;
    } else {
      known->noise_stddev = 1 / std::hypot(1 / known->noise_stddev, 1 / marginal.noise_stddev);
    }
  }
  return result;
}

double rho_of_marginal(const MeasuredFacts::Marginal& marginal) {
  return 0.5 / (marginal.noise_stddev * marginal.noise_stddev);
}

/// Two digits; "-" where there is none.
std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.2g}", *share) : "-";
}

std::string percent_text(double share) { return fmt::format("{:.2g} %", 100 * share); }

/// Names, or how many there are where a cell has no room for them.
std::string names_text(const Names& names) {
  if (names.empty()) return "-";
  return names.size() <= kMostNames ? columns_of(names) : fmt::format("{} others", names.size());
}

std::string marginal_name(const MeasuredFacts::Marginal& marginal) {
  if (marginal.columns.empty()) return "number of records";
  return (marginal.is_cell ? "one count of " : "") + columns_of(marginal.columns);
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

Json column_to_json(const ColumnCodes& column, const std::string& gaps) {
  Json json = {{"name", column.name}};
  if (column.is_numeric()) {
    json.update({{"kind", column.time    ? "dates"
                          : column.whole ? "whole numbers"
                                         : "numbers"},
                 {"lower", column.text_of(column.edges.front())},
                 {"upper", column.text_of(column.largest())},
                 {"bins", column.num_bins()},
                 {"bins_of_one_number", num_single_numbers(column)},
                 {"spread_within_bins", column.law ? "by released counts" : "evenly"}});
  } else {
    json.update({{"kind", "categories"}, {"categories", column.values.size()}});
  }
  json["gaps"] = gaps;
  return json;
}

Names column_row(const ColumnCodes& column, const std::string& gaps) {
  if (!column.is_numeric())
    return {column.name, fmt::format("{} categories", column.values.size()), "-", gaps};
  const size_t singles = num_single_numbers(column);
  std::string coded =
      fmt::format("{} bins from {} to {}", column.num_bins(), column.text_of(column.edges.front()),
                  column.text_of(column.largest()));
  if (singles == column.num_bins()) {
    coded += ", each of one number";
  } else if (singles > 0) {
    coded += fmt::format(", {} of one number", singles);
  }
  const std::string spread = singles == column.num_bins() ? "-"
                             : column.law                 ? "by released counts"
                                                          : "evenly";
  return {column.name, coded, spread, gaps};
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
  std::vector<size_t> all;
  for (size_t i = 0; i < file.columns.size(); ++i) all.push_back(i);
  const std::set<NamePair> of_everybody = measured_pairs(facts.everybody);
  if (facts.strata.empty()) add(all, of_everybody);
  for (size_t s = 0; s < facts.strata.size(); ++s) {
    std::set<NamePair> own = measured_pairs(facts.strata[s].measured);
    if (!facts.strata_share) {
      add(file.strata[s].columns, own);
      continue;
    }
    // What a stratum measures is measured together with what its members have in common.
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
  const bool has_some = std::any_of(
      kept.measured.begin(), kept.measured.end(),
      [&](const auto& pair) { return pair.second > 0 && pair.second < kept.num_models; });
  table.head = {"column", "measured together with"};
  if (has_some) table.head.emplace_back("in some strata only with");
  table.head.emplace_back("never measured together with");
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

/// How many marginals of the goal there are, and how many of them were measured as a whole by the
/// model of everybody.
std::pair<size_t, size_t> measured_of_goal(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  std::vector<std::set<std::string>> measured;
  for (const MeasuredFacts::Marginal& marginal : facts.everybody.marginals)
    if (!marginal.is_cell) measured.emplace_back(marginal.columns.begin(), marginal.columns.end());
  const auto is_measured = [&](const Names& names) {
    return std::any_of(measured.begin(), measured.end(), [&](const std::set<std::string>& set) {
      return std::all_of(names.begin(), names.end(),
                         [&](const std::string& name) { return set.contains(name); });
    });
  };
  std::vector<size_t> all;
  for (size_t i = 0; i < file.columns.size(); ++i) all.push_back(i);
  const Domain domain = domain_of(file.columns, all);
  std::vector<Names> goal = facts.goal.listed;
  if (goal.empty()) {
    const std::optional<int> target = domain.find(facts.goal.target);
    for (const WeightedMarginal& marginal : all_marginals(domain, facts.goal.degree, target))
      goal.push_back(names_of(domain, marginal.attributes));
  }
  return {goal.size(), static_cast<size_t>(std::count_if(goal.begin(), goal.end(), is_measured))};
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

/// What rows keep and what they do not, a sentence each.
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
  // Of all pairs, the sentence before says the same.
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
    const auto num_measuring = static_cast<size_t>(
        std::count_if(facts.strata.begin(), facts.strata.end(),
                      [](const ReleasedFacts::Stratum& stratum) { return stratum.measures; }));
    lines.push_back(
        facts.strata_share
            ? fmt::format("Strata by {} share one model of how columns depend on each other; {} of "
                          "{} measured single columns of their own, the others follow the model of "
                          "everybody.",
                          by, num_measuring, facts.strata.size())
            : fmt::format("Each of {} strata by {} has a model of its own.", facts.strata.size(),
                          by));
    const bool has_pool =
        std::any_of(file.strata.begin(), file.strata.end(), [](const SynthStratum& stratum) {
          return !stratum.label.empty() &&
                 std::all_of(stratum.label.begin(), stratum.label.end(),
                             [](const auto& part) { return part.second == kSmallGroups; });
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
      "Rows have no order, no links between each other and no identifiers: no row is about one "
      "person, and several may be alike.");
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
             : "None: a bound is derived for one model of everybody, not for strata.";
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
      "Quote figures of single columns and of columns that were measured together; treat any other "
      "relation between columns as a hint to be checked on the records.",
      "Standard errors, p-values and intervals that software computes as if rows were records are "
      "too small: they leave out the noise, the model and the draw of rows, and more rows do not "
      "make them right.",
      "Small groups and rare values are the least reliable: a count that is not well above the "
      "noise of its marginal may be noise alone."};
  if (file.released->has_counts()) {
    lines.push_back(fmt::format(
        "Counts, shares and means of the {}, with intervals that cover the noise, follow from "
        "the noisy counts in model.json: equinoise synth estimate --model model.json with --table, "
        "--share or --mean. Quote these rather than what rows give, where there are such.",
        file.released->has_units() ? "rows that counted" : "records"));
  }
  return lines;
}

// --- measured ------------------------------------------------------------------------------------

/// Of all models: the stratum's place or none, what was measured and the public number of records.
struct MeasuredBy {
  std::optional<size_t> stratum;
  const MeasuredFacts& measured;
  std::optional<int64_t> records;
};

std::vector<MeasuredBy> all_measured(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  std::vector<MeasuredBy> all = {{{}, facts.everybody, facts.num_records}};
  for (size_t s = 0; s < facts.strata.size(); ++s)
    all.push_back({s, facts.strata[s].measured, facts.strata[s].public_size});
  return all;
}

Json measured_to_json(const SynthFile& file) {
  Json all = Json::array();
  for (const MeasuredBy& by : all_measured(file)) {
    for (const MeasuredFacts::Marginal& marginal : merged(by.measured)) {
      Json entry = Json::object();
      if (by.stratum) entry["group"] = to_json(file.strata[*by.stratum].label);
      entry.update({{"columns", marginal.columns},
                    {"counts", marginal.num_counts},
                    {"one_count_of_marginal", marginal.is_cell},
                    {"parts_of_bins", marginal.parts > 0 ? Json(marginal.parts) : Json(nullptr)},
                    {"noise_stddev", marginal.noise_stddev},
                    {"rho_share", rho_of_marginal(marginal) / file.released->row_rho()}});
      const std::optional<double> error = noise_error(marginal, by.records);
      entry["noise_error"] = error ? Json(*error) : Json(nullptr);
      all.push_back(std::move(entry));
    }
  }
  return all;
}

TextTable measured_table(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  TextTable table;
  table.head = {"marginal", "counts", "noise (standard deviation, records)", "share of rho",
                "noise alone (share of records)"};
  for (const MeasuredFacts::Marginal& marginal : merged(facts.everybody)) {
    table.rows.push_back({marginal_name(marginal),
                          format_count(static_cast<int64_t>(marginal.num_counts)),
                          format_amount(marginal.noise_stddev),
                          percent_text(rho_of_marginal(marginal) / facts.row_rho()),
                          share_text(noise_error(marginal, facts.num_records))});
  }
  return table;
}

TextTable laws_table(const ReleasedFacts& facts) {
  TextTable table;
  table.head = {"column", "levels of counts", "noise (standard deviation, records)",
                "share of rho"};
  for (const ReleasedFacts::Law& law : facts.laws) {
    table.rows.push_back({law.column, std::to_string(law.num_levels),
                          format_amount(law.noise_stddev),
                          percent_text(law.rho() / facts.row_rho())});
  }
  return table;
}

/// What models of strata measured, a line each.
TextTable strata_facts_table(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  TextTable table;
  table.head = {"stratum",
                "public size (records)",
                "share of rows",
                "marginals of its own",
                "noise (standard deviation, records)",
                "noise alone (share of its records)"};
  for (size_t s = 0; s < facts.strata.size(); ++s) {
    const ReleasedFacts::Stratum& stratum = facts.strata[s];
    const std::vector<MeasuredFacts::Marginal> marginals = merged(stratum.measured);
    std::string noise = "-";
    if (!marginals.empty()) {
      const auto [least, most] = std::minmax_element(
          marginals.begin(), marginals.end(),
          [](const auto& a, const auto& b) { return a.noise_stddev < b.noise_stddev; });
      noise = format_amount(least->noise_stddev);
      if (const std::string high = format_amount(most->noise_stddev); high != noise)
        noise += " to " + high;
    }
    table.rows.push_back({values_of(file.strata[s].label), format_size(stratum.public_size),
                          percent_text(file.strata[s].weight),
                          marginals.empty() ? "none" : std::to_string(marginals.size()), noise,
                          share_text(stratum.noise_error)});
  }
  return table;
}

/// Which parts of rho went where, in the model of everybody.
std::string rho_sentence(const ReleasedFacts& facts) {
  double laws = 0;
  for (const ReleasedFacts::Law& law : facts.laws) laws += law.rho();
  const double choices = facts.everybody.rho_of_choices;
  const auto part = [&](double rho) { return format_percent(rho / facts.row_rho()) + " %"; };
  std::string text = fmt::format(
      "Of rho {:.4g}, {} went to counts of marginals and {} to choices of what to measure",
      facts.rho, part(facts.everybody.rho() - choices), part(choices));
  if (laws > 0) text += fmt::format(", {} to how numbers are spread", part(laws));
  if (facts.strata_share) text += "; strata paid with the rest, in parallel";
  return text + ".";
}

constexpr const char* kHowToReadNoise =
    "Noise is exact discrete Gaussian noise on every count. Noise alone is half the L1 distance by "
    "which it is expected to put the counts off, as a share of the records: 0.4 x counts x noise / "
    "records. It is no error of the rows: a model that fits all counts together is mostly nearer, "
    "and its own simplifications come on top. Where noise alone is near 1 or above, single counts "
    "say nothing, only sums of many do.";

/// What noise was for. What was measured is counted as the card lists it.
Names mechanisms_of(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  size_t num_whole = 0;
  size_t num_cells = 0;
  size_t num_spreads = 0;
  bool chooses = false;
  for (const MeasuredBy& by : all_measured(file)) {
    for (const MeasuredFacts::Marginal& marginal : merged(by.measured))
      ++(marginal.is_cell ? num_cells : marginal.parts > 0 ? num_spreads : num_whole);
    chooses = chooses || by.measured.rho_of_choices > 0;
  }
  Names mechanisms;
  const auto add = [&](size_t count, const char* one, const char* several) {
    if (count == 0) return;
    mechanisms.push_back(
        fmt::format("{} {} with discrete Gaussian noise", count, count == 1 ? one : several));
  };
  add(num_whole, "marginal", "marginals");
  add(num_cells, "single count of a marginal", "single counts of marginals");
  add(num_spreads, "spread over parts of bins", "spreads over parts of bins");
  if (!facts.laws.empty()) {
    mechanisms.push_back(
        fmt::format("counts of how numbers of {} columns are spread with discrete Gaussian noise",
                    facts.laws.size()));
  }
  if (chooses) mechanisms.emplace_back("private choices of what to measure");
  return mechanisms;
}

/// What was measured of everybody and what of strata; "" without strata.
std::string composition_of_strata(const ReleasedFacts& facts) {
  if (facts.strata.empty()) return "";
  Names first;
  if (!facts.laws.empty()) first.emplace_back("the spread of numbers");
  if (facts.strata_share) first.emplace_back("a model of everybody");
  return fmt::format(
      "{} in parallel: no record is in two of them.",
      first.empty() ? "Strata" : fmt::format("First {}, then strata", fmt::join(first, " and ")));
}

/// Of a file with a guarantee.
Protection protection_of(const SynthFile& file) {
  const ReleasedFacts& facts = *file.released;
  return {file.privacy->relation,
          {facts.unit, facts.max_records_per_unit, facts.unit_stated},
          {},
          facts.attack};
}

Json deployment_of_rows(const SynthFile& file, const DrawnRows& rows) {
  const ReleasedFacts& facts = *file.released;
  Deployment deployment;
  deployment.product = DataProduct::kRows;
  deployment.dataset = file.dataset;
  deployment.description = fmt::format("{} synthetic rows.", format_count(rows.num_rows));
  deployment.version = facts.version;
  deployment.method = file.method;
  deployment.status = file.status;
  deployment.privacy = file.privacy;
  if (file.privacy) deployment.protection = protection_of(file);
  deployment.rho = facts.rho;
  deployment.num_records = facts.num_records;
  deployment.mechanisms = mechanisms_of(file);
  deployment.composition = composition_of_strata(facts);
  deployment.post_processing =
      "A model is fitted to the noisy counts, and rows are drawn from the model.";
  return deployment_to_json(deployment);
}

}  // namespace

Json rows_card_to_json(const SynthFile& file, const DrawnRows& rows) {
  const ReleasedFacts& facts = *file.released;
  const bool is_private = file.status == PrivacyStatus::kPrivate && file.privacy;
  const KeptPairs kept = kept_pairs(file);
  Json columns = Json::array();
  for (size_t i = 0; i < file.columns.size(); ++i)
    columns.push_back(column_to_json(file.columns[i], facts.gaps[i]));
  Json laws = Json::array();
  for (const ReleasedFacts::Law& law : facts.laws) {
    laws.push_back({{"column", law.column},
                    {"levels", law.num_levels},
                    {"noise_stddev", law.noise_stddev},
                    {"rho_share", law.rho() / facts.row_rho()}});
  }
  Json strata = Json::array();
  for (size_t s = 0; s < facts.strata.size(); ++s) {
    const ReleasedFacts::Stratum& stratum = facts.strata[s];
    strata.push_back({{"group", to_json(file.strata[s].label)},
                      {"num_records", stratum.public_size ? Json(*stratum.public_size) : Json()},
                      {"weight", file.strata[s].weight},
                      {"measures", stratum.measures},
                      {"noise_error", stratum.noise_error ? Json(*stratum.noise_error) : Json()}});
  }
  Json never = Json::array();
  Json in_some = Json::array();
  for (const auto& [pair, count] : kept.measured) {
    if (count == 0) never.push_back({pair.first, pair.second});
    if (count > 0 && count < kept.num_models) in_some.push_back({pair.first, pair.second});
  }
  Json bounds = Json::array();
  for (const ReleasedFacts::Bound& bound : facts.bounds) {
    bounds.push_back(
        {{"columns", bound.columns},
         {"records", bound.records / 2},
         {"share", facts.num_records.value_or(0) > 0
                       ? Json(bound.records / 2 / static_cast<double>(*facts.num_records))
                       : Json()}});
  }
  return {{"schema", kReportSchema},
          {"type", "rows_card"},
          {"dataset", file.dataset},
          {"method", file.method},
          {"version", facts.version},
          {"status", to_string(file.status)},
          {"rows",
           {{"count", rows.num_rows},
            {"drawn", rows.draw == RowDraw::kRound ? "round" : "sample"},
            {"given", rows.given}}},
          {"num_records", facts.num_records ? Json(*facts.num_records) : Json()},
          {"privacy", is_private
                          ? Json{{"guarantee", to_json(*file.privacy)},
                                 {"unit", facts.unit},
                                 {"max_records_per_unit", facts.max_records_per_unit},
                                 {"rho", facts.rho},
                                 {"attack_bounds", facts.attack ? to_json(*facts.attack) : Json()},
                                 {"in_words", explain(protection_of(file))}}
                          : Json()},
          {"columns", std::move(columns)},
          {"columns_left_out", facts.ignored},
          {"measured", measured_to_json(file)},
          {"rho_share_of_choices", facts.everybody.rho_of_choices / facts.row_rho()},
          {"number_laws", std::move(laws)},
          {"strata", std::move(strata)},
          {"strata_share_a_model", facts.strata_share},
          {"pairs_never_measured", std::move(never)},
          {"pairs_measured_in_some_strata", std::move(in_some)},
          {"declared_impossible", facts.impossible},
          {"what_is_kept", limits_of(file, kept)},
          {"bounds",
           {{"confidence", 1 - kBoundMiss},
            {"in_words", how_to_read_bounds(file)},
            {"marginals", std::move(bounds)}}},
          {"how_to_quote", how_to_quote(file, rows)},
          {"deployment", deployment_of_rows(file, rows)}};
}

std::string rows_card_to_markdown(const SynthFile& file, const DrawnRows& rows) {
  const ReleasedFacts& facts = *file.released;
  const bool is_private = file.status == PrivacyStatus::kPrivate && file.privacy;
  const auto list = [](const Names& lines) {
    std::string text = "\n";
    for (const std::string& line : lines) text += "- " + markdown_text(line) + "\n";
    return text;
  };
  std::string text = fmt::format("# Synthetic rows: {}\n\n", markdown_text(file.dataset));
  text +=
      fmt::format("> **Privacy: {}.**\n", markdown_text(privacy_line(file.status, file.privacy)));
  if (is_private) {
    for (const std::string& sentence : explain(protection_of(file)))
      text += fmt::format("> {}\n", markdown_text(sentence));
  }
  std::vector<Names> about = {
      {"rows", format_count(rows.num_rows)},
      {"records of the table", facts.num_records ? format_count(*facts.num_records) : "private"},
      {"method", file.method},
      {"drawn", rows.draw == RowDraw::kRound ? "to the model's counts, to about one row"
                                             : "independently from the model"}};
  if (!rows.given.empty())
    about.push_back({"rows have", fmt::format("{}", fmt::join(rows.given, ", "))});
  about.push_back({"made with", "Equinoise " + facts.version});
  if (is_private) {
    if (facts.has_units())
      about.push_back({fmt::format("rows of one {} that counted", facts.unit),
                       fmt::format("at most {}", format_count(facts.max_records_per_unit))});
    about.insert(about.end(), {{"protects one", facts.unit},
                               {"relation", std::string(to_string(file.privacy->relation))},
                               {"epsilon", format_epsilon(file.privacy->epsilon)},
                               {"delta", fmt::format("{}", file.privacy->delta.value())},
                               {"zCDP rho", fmt::format("{:.4g}", facts.rho)},
                               {"accountant", std::string(to_string(file.privacy->accountant))}});
  }
  text += markdown_table({"fact", "value"}, about);
  text += "\n## How to quote these rows\n" + list(how_to_quote(file, rows));

  const KeptPairs kept = kept_pairs(file);
  text += "\n## What is kept and what is not\n" + list(limits_of(file, kept));
  if (const TextTable pairs = pairs_table(file, kept); file.columns.size() > 1)
    text += markdown_table(pairs);

  std::vector<Names> columns;
  for (size_t i = 0; i < file.columns.size(); ++i)
    columns.push_back(column_row(file.columns[i], facts.gaps[i]));
  text +=
      "\n## Columns\n\nBounds and categories are the schema's; edges of bins between them follow "
      "it or released counts.\n" +
      markdown_table({"column", "coded as", "numbers within a bin are spread", "gaps"}, columns);

  text += "\n## What was measured\n\n";
  text += std::string(kHowToReadNoise) + "\n";
  if (!facts.everybody.marginals.empty())
    text += "\n" + rho_sentence(facts) + "\n" + markdown_table(measured_table(file));
  if (!facts.laws.empty()) {
    text += "\nHow numbers are spread, from noisy counts of halves, quarters and so on:\n" +
            markdown_table(laws_table(facts));
  }
  if (!facts.strata.empty()) {
    text +=
        "\nStrata; noise alone is of a stratum's single columns, on average, if they were all that "
        "it measures:\n" +
        markdown_table(strata_facts_table(file));
  }
  text += "\n## Bounds of errors\n\n" + how_to_read_bounds(file) + "\n";
  if (!facts.bounds.empty()) {
    std::vector<Names> bounds;
    for (const ReleasedFacts::Bound& bound : facts.bounds) {
      if (bounds.size() == kMostBounds) break;
      const std::optional<double> share =
          facts.num_records.value_or(0) > 0
              ? std::optional(bound.records / 2 / static_cast<double>(*facts.num_records))
              : std::nullopt;
      bounds.push_back(
          {columns_of(bound.columns), format_amount(bound.records / 2), share_text(share)});
    }
    text += fmt::format("\nThe {} lowest of {}:\n", bounds.size(), facts.bounds.size()) +
            markdown_table({"marginal", "at most (records)", "at most (share of records)"}, bounds);
  }
  return text;
}

}  // namespace equinoise

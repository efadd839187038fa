// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/make_models.h"

#include <algorithm>

#include "equinoise/base/enum_words.h"
#include "equinoise/synth/stratum_models.h"

namespace equinoise {

namespace {

/// Releases distributions, whose cells have `counts`, and cuts bins by them. `charges` are of the
/// strata, whose records are counted together.
void release_distributions(const std::vector<std::vector<int64_t>>& counts,
                           std::vector<Charge>& charges, RandomSource& source, SynthSetup& setup) {
  for (size_t l = 0; l < setup.distributions.size(); ++l) {
    const PlannedDistribution& planned = setup.distributions[l];
    ColumnCodes& column = setup.columns[planned.column];
    const ColumnSchema& described = setup.schema.column(column.name);
    // Their events follow whatever else a charge is for.
    column.distribution =
        release_distribution(planned.cells, described.point_masses, counts[l], planned.plan,
                             charges, setup.distributions.size() - l, setup.relation, source);
    column.edges.back() = column.distribution->knots.back();
    if (!planned.cuts) continue;
    // Edges that are public in any case stay, whatever was released.
    const std::vector<double> own = own_edges(setup.schema, described);
    const size_t num_own = with_edges({column.edges.front(), column.edges.back()}, own).size() - 2;
    const size_t num_others = column.num_bins() - num_own;
    if (!planned.is_asked && spreads_evenly(*column.distribution, column.edges, num_others))
      continue;
    column.edges = with_edges(even_shares(*column.distribution, num_others), own, column.whole,
                              column.num_bins());
  }
}

/// Shares of rows: what was asked for, public sizes, or the released totals. All of it is public or
/// released.
void set_weights(const SynthSetup& setup, const SynthChoices& choices, SynthFile& file) {
  const bool are_sizes_public = std::ranges::all_of(
      setup.strata, [](const PlannedStratum& stratum) { return stratum.public_size.has_value(); });
  double sum = 0;
  for (size_t s = 0; s < setup.strata.size(); ++s) {
    double& weight = file.strata[s].weight;
    if (!choices.stratum_weights.empty()) {
      weight = choices.stratum_weights.at(group_name(setup.strata[s].label));
    } else if (are_sizes_public) {
      weight = static_cast<double>(*setup.strata[s].public_size);
    } else {
      weight = file.strata[s].model->total();
    }
    sum += weight;
  }
  for (SynthStratum& stratum : file.strata) stratum.weight /= sum;
}

/// The treatment of gaps, as rows show it; the schema's rule. Public.
constexpr EnumWords<MissingPolicy, 4> kGapWords = {{{MissingPolicy::kDrop, "dropped"},
                                                    {MissingPolicy::kCategory, "kept"},
                                                    {MissingPolicy::kFill, "filled"},
                                                    {MissingPolicy::kNone, "none"}}};

/// The public facts, before a record is read.
ReleasedFacts public_facts(const SynthSetup& setup, const SynthChoices& choices,
                           PrivacyStatus status) {
  ReleasedFacts facts;
  facts.version = EQUINOISE_VERSION;
  facts.unit = setup.schema.unit;
  facts.unit_stated = setup.schema.unit_answer == UnitAnswer::kStated;
  facts.max_records_per_unit = setup.schema.max_records_per_unit;
  facts.rho = setup.rho;
  if (status != PrivacyStatus::kInsecureRng)
    facts.attack = attack_bounds(setup.relation, setup.events);
  facts.num_records = setup.public_size();
  if (facts.num_records && choices.stratum_weights.empty())
    facts.group_sizes = setup.schema.public_group_sizes;
  for (const ColumnSchema& column : setup.schema.columns) {
    if (column.type == ColumnType::kIgnored) {
      facts.ignored.push_back(column.name);
    } else {
      if (column.name == setup.schema.target) facts.target = column.name;
      facts.gaps.emplace_back(word_of(kGapWords, column.missing));
    }
  }
  for (const Factor& factor : setup.zeros) {
    facts.impossible.push_back(names_of(setup.domain(), factor.attributes));
    std::vector<uint32_t>& cells = facts.impossible_cells.emplace_back();
    for (size_t cell = 0; cell < factor.values.size(); ++cell)
      if (factor.values[cell] == kLogZero) cells.push_back(static_cast<uint32_t>(cell));
  }
  for (const PlannedDistribution& distribution : setup.distributions)
    facts.distributions.push_back(
        {distribution.cells.name, distribution.plan.num_levels, distribution.plan.noise_stddev});
  const PlannedStratum& first = setup.shared ? *setup.shared : setup.strata[0];
  const WorkloadChoice& choice = choices.config.workload_choice;
  if (setup.row->follows("degree") && (setup.shared || !setup.grouping)) {
    if (choice.file.empty()) {
      facts.goal.degree = setup.degree;
      facts.goal.target = choice.target;
    } else {
      for (const WeightedMarginal& marginal : first.plan.config.workload)
        facts.goal.listed.push_back(names_of(first.plan.facts.domain, marginal.attributes));
    }
  }
  facts.strata_share = setup.shared.has_value();
  if (!setup.grouping) return facts;
  for (const PlannedStratum& stratum : setup.strata) {
    ReleasedFacts::Stratum& told = facts.strata.emplace_back();
    told.public_size = stratum.public_size;
    told.measures = !setup.shared || !stratum.questions.empty();
    if (stratum.public_size.value_or(0) > 0) told.noise_error = stratum.noise_error;
  }
  return facts;
}

int64_t rows_to_draw(const SynthSetup& setup, const SynthChoices& choices, const SynthFile& file) {
  if (const std::optional<int64_t> known = setup.known_rows(choices)) return *known;
  double total = 0;
  for (const SynthStratum& stratum : file.strata) total += stratum.model->total();
  return static_cast<int64_t>(std::clamp(total, 1.0, static_cast<double>(kMaxRecords)));
}

}  // namespace

MadeModels make_models(const SynthChoices& choices, PrivacyStatus status, SynthRecords& records,
                       SynthSetup& setup, Charge charge, RandomSource& source,
                       TaskProgress& progress) {
  MadeModels made;
  SynthFile& file = made.file;
  file.dataset = setup.schema.dataset;
  file.method = setup.row->name;
  file.status = status;
  file.privacy = setup.privacy;
  ReleasedFacts& facts = file.released.emplace(public_facts(setup, choices, status));
  std::vector<Charge> charges;
  if (setup.shared) {
    charges.push_back(charge.take_part(0));
  } else if (setup.grouping) {
    charges = charge.take_groups();
  } else {
    charges.push_back(std::move(charge));
  }
  release_distributions(records.distribution_counts(), charges, source, setup);
  records.count_marginals();
  file.columns = setup.columns;
  file.groups = code_groups(setup.schema, file.columns);
  if (setup.shared) {
    SynthOutcome shared = setup.method->run(*records.take(std::nullopt), setup.shared->plan,
                                            std::move(charges[0]), source, progress);
    facts.everybody = measured_facts(setup.shared->plan.facts.domain, shared);
    made.rounds.push_back(std::move(shared.rounds));
    SharedStrata strata = make_shared_strata(records, setup, *shared.model,
                                             charge.take_part(1).take_groups(), source, progress);
    file.strata = std::move(strata.strata);
    for (size_t s = 0; s < setup.strata.size(); ++s) {
      facts.strata[s].measured =
          measured_facts(setup.strata[s].plan.facts.domain, {{}, {}, strata.measured[s]});
    }
  }
  for (size_t s = 0; s < setup.strata.size() && !setup.shared; ++s) {
    const PlannedStratum& stratum = setup.strata[s];
    SynthOutcome outcome =
        setup.method->run(*records.take(s), stratum.plan, std::move(charges[s]), source, progress);
    const Domain& domain = stratum.plan.facts.domain;
    (setup.grouping ? facts.strata[s].measured : facts.everybody) = measured_facts(domain, outcome);
    if (!setup.grouping) {
      for (const MarginalBound& bound : outcome.bounds)
        facts.bounds.push_back({names_of(domain, bound.attributes), bound.records});
    }
    file.strata.push_back(
        {stratum.label, stratum.columns, stratum.fixed, 1, std::move(outcome.model)});
    made.rounds.push_back(std::move(outcome.rounds));
  }
  set_weights(setup, choices, file);
  file.num_rows = rows_to_draw(setup, choices, file);
  return made;
}

}  // namespace equinoise

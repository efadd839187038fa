// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/measure.h"
#include "equinoise/synth/registry.h"
#include "equinoise/synth/synth_file.h"
#include "equinoise/tasks/synth/synth_estimate.h"

namespace equinoise::testing {

/// A made-up person; no age: missing.
struct Person {
  uint32_t sex = 0;
  uint32_t city = 0;
  std::optional<double> age;
  uint32_t rich = 0;
};

inline std::vector<Person> made_up_people(size_t count) {
  std::mt19937 random(11);
  std::vector<Person> people;
  for (size_t i = 0; i < count; ++i) {
    Person& person = people.emplace_back();
    person.sex = random() % 3 == 0 ? 1 : 0;
    person.city = random() % 5 == 0 ? 2 : random() % 2;
    if (random() % 10 != 0) person.age = static_cast<double>(random() % 60 + 20 * person.sex);
    person.rich = random() % 4 < 1 + 2 * person.sex ? 1 : 0;
  }
  return people;
}

/// Columns sex, city, age and rich.
inline std::vector<ColumnCodes> people_columns() {
  std::vector<ColumnCodes> columns(4);
  columns[0].name = "sex";
  columns[0].values = {"Female", "Male"};
  columns[1].name = "city";
  columns[1].values = {"north", "south", "east"};
  columns[2].name = "age";
  columns[2].edges = {0, 20, 30, 50, 100};
  columns[2].whole = true;
  columns[2].missing_text = "";
  columns[3].name = "rich";
  columns[3].values = {"no", "yes"};
  return columns;
}

inline CodedTable coded_people(const std::vector<Person>& people,
                               const std::vector<size_t>& columns) {
  const std::vector<ColumnCodes> all = people_columns();
  std::vector<size_t> sizes;
  for (const size_t column : columns) sizes.push_back(all[column].num_codes());
  CodedTable table(sizes);
  table.num_records = people.size();
  for (const Person& person : people) {
    const std::vector<uint32_t> codes = {
        person.sex, person.city,
        person.age ? all[2].bin_of(*person.age) : static_cast<uint32_t>(all[2].num_bins()),
        person.rich};
    for (size_t i = 0; i < columns.size(); ++i) table.columns[i].append(codes[columns[i]]);
  }
  return table;
}

/// What is asked of a release.
struct ReleaseSpec {
  std::string method = "aim";
  Relation relation = Relation::kZeroOut;
  bool has_strata = false;  ///< by sex
  bool are_shared = false;
  double rho = 0.2;
};

inline SynthOutcome run_method(const ReleaseSpec& spec, const CodedTable& table,
                               const Domain& domain, double rho, SeededSource& source) {
  SynthFacts facts;
  facts.domain = domain;
  for (int i = 0; i < domain.num_attributes(); ++i)
    facts.ordered.push_back(domain.attribute(i).name == "age");
  if (spec.relation == Relation::kZeroOut)
    facts.num_records = static_cast<int64_t>(table.num_records);
  SynthConfig config;
  config.rho = rho;
  config.relation = spec.relation;
  config.workload = all_marginals(domain, 2);
  const std::unique_ptr<Synthesizer> method = find_synthesizer(spec.method).make();
  const SynthPlan plan = method->plan(config, facts);
  TaskProgress silent;
  return method->run(TableMarginals(table), plan,
                     Charge::unpaid(plan.events, spec.relation, source), source, silent);
}

/// A release of `people` as `equinoise synth` makes it, without its files.
inline SynthFile release_of(const std::vector<Person>& people, const ReleaseSpec& spec,
                            uint64_t seed) {
  SeededSource source(seed);
  SynthFile file;
  file.dataset = "people";
  file.method = spec.method;
  file.columns = people_columns();
  file.num_rows = static_cast<int64_t>(people.size());
  ReleasedFacts& facts = file.released.emplace();
  facts.version = "1.2";
  facts.unit = "person";
  facts.rho = spec.rho;
  facts.gaps = {"none", "none", "kept", "none"};
  if (spec.relation == Relation::kZeroOut) facts.num_records = static_cast<int64_t>(people.size());
  const std::vector<size_t> all = {0, 1, 2, 3};
  const std::vector<size_t> open = {1, 2, 3};
  if (!spec.has_strata || spec.are_shared) {
    const Domain domain = domain_of(file.columns, all);
    SynthOutcome outcome = run_method(spec, coded_people(people, all), domain, spec.rho, source);
    facts.everybody = measured_facts(domain, outcome);
    if (!spec.has_strata) {
      file.strata.push_back({{}, all, {}, 1, std::move(outcome.model)});
      return file;
    }
  }
  facts.strata_share = spec.are_shared;
  const Domain domain = domain_of(file.columns, open);
  for (uint32_t sex = 0; sex < 2; ++sex) {
    std::vector<Person> members;
    for (const Person& person : people)
      if (person.sex == sex) members.push_back(person);
    ReleasedFacts::Stratum& stratum = facts.strata.emplace_back();
    stratum.public_size = static_cast<int64_t>(members.size());
    const CodedTable table = coded_people(members, open);
    SynthOutcome outcome;
    if (spec.are_shared) {
      const std::vector<Event> events = {Event::repeat(3, Event::discrete_gaussian(4, 1))};
      Charge charge = Charge::unpaid(events, spec.relation, source);
      for (int i = 0; i < 3; ++i) {
        const NoisyMarginal measured =
            measure_marginal(TableMarginals(table), {i}, charge.take(0), spec.relation, source);
        outcome.measurements.push_back({measured.clique, measured.noise_stddev, measured.values});
      }
      outcome.model = std::make_unique<GraphSynthModel>(
          domain, std::vector<RareValues>{keep_all(3), keep_all(5), keep_all(2)},
          GraphicalModel(domain, {}, static_cast<double>(members.size())));
    } else {
      outcome = run_method(spec, table, domain, spec.rho, source);
    }
    stratum.measured = measured_facts(domain, outcome);
    file.strata.push_back({{{"sex", file.columns[0].values[sex]}},
                           open,
                           {{0, sex}},
                           static_cast<double>(members.size()) / static_cast<double>(people.size()),
                           std::move(outcome.model)});
  }
  return file;
}

}  // namespace equinoise::testing

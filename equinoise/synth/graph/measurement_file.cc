// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/measurement_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/data/schema/json_section.h"

namespace equinoise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kWhere = "synth.measurements";

std::vector<int> read_clique(const Domain& domain, const JsonSection& section,
                             const JsonSource& source) {
  std::vector<int> clique;
  for (const std::string& name : section.texts("clique")) {
    const std::optional<int> position = domain.find(name);
    if (!position) {
      const std::string nearest = nearest_name(name, names_of(domain, domain.all()));
      source.fail(fmt::format("{}.clique names '{}', which is not in the domain{}", section.path(),
                              name, nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
    if (contains(clique, *position)) {
      source.fail(fmt::format("{}.clique names '{}' twice; remove one", section.path(), name));
    }
    clique.push_back(*position);
  }
  return clique;
}

AttributeSet sorted(std::vector<int> clique) {
  std::ranges::sort(clique);
  return clique;
}

NoisyMarginal read_measurement(const Domain& domain, const JsonSection& section,
                               const JsonSource& source) {
  const std::vector<int> clique = read_clique(domain, section, source);
  const double stddev = section.number("sigma");
  if (!(stddev > 0)) {
    source.fail(fmt::format("{}.sigma must be > 0, got {}", section.path(), stddev));
  }
  const AttributeSet set = sorted(clique);
  const Json& list = section.list("y");
  if (static_cast<double>(list.size()) != domain.num_cells(set)) {
    source.fail(fmt::format("{}.y must have {:.0f} values, one for each cell of ({}), got {}",
                            section.path(), domain.num_cells(set), domain.describe(clique),
                            list.size()));
  }
  NoisyMarginal measurement = {.clique = set,
                               .noise_stddev = stddev,
                               .values = reordered_table(domain, clique, set, section.numbers("y")),
                               .weights = {}};
  if (const std::string problem = problem_of(measurement); !problem.empty()) {
    source.fail(fmt::format("{} cannot be fitted: {}; leave it out or correct it", section.path(),
                            problem));
  }
  return measurement;
}

Factor read_zeros(const Domain& domain, const JsonSection& section, const JsonSource& source) {
  const std::vector<int> clique = read_clique(domain, section, source);
  Factor table = constant_factor(domain, sorted(clique), 0.0);
  for (const Json& codes : section.list("cells")) {
    if (!codes.is_array() || codes.size() != clique.size()) {
      section.wrong("cells", fmt::format("lists of {} codes, one for each of ({})", clique.size(),
                                         domain.describe(clique)));
    }
    size_t cell = 0;
    for (int attribute : table.attributes) {
      const Json& code = codes[std::ranges::find(clique, attribute) - clique.begin()];
      const auto num_codes = static_cast<uint64_t>(domain.num_codes(attribute));
      if (!code.is_number_unsigned() || code.get<uint64_t>() >= num_codes) {
        section.wrong("cells", fmt::format("codes below {} of '{}'", num_codes,
                                           domain.attribute(attribute).name));
      }
      cell = cell * num_codes + code.get<size_t>();
    }
    table.values[cell] = kLogZero;
  }
  return table;
}

}  // namespace

MeasurementFile parse_measurements(std::string_view text, std::string_view origin,
                                   const Domain& domain) {
  const JsonSource source = {
      .origin = std::string(origin),
      .where = kWhere,
      .kind = "a file of measurements",
      .hint = R"(write {"measurements": [{"clique": ["age", "sex"], "sigma": 10, "y": [...]}]})"};
  const Json json = parse_json(text, source);
  const JsonSection root(json, "", source);
  MeasurementFile file;
  if (root.has("total") && !root.member("total").is_null()) {
    file.total = root.number("total");
    if (!(*file.total > 0 && *file.total <= kMaxMeasured)) {
      source.fail(
          fmt::format("total must be > 0 and at most {:g}, got {:g}", kMaxMeasured, *file.total));
    }
  }
  for (const JsonSection& section : root.sections("measurements")) {
    file.measurements.push_back(read_measurement(domain, section, source));
  }
  if (file.measurements.empty()) source.fail("measurements is empty; give at least one");
  return file;
}

std::vector<Factor> parse_structural_zeros(std::string_view text, std::string_view origin,
                                           const Domain& domain) {
  const JsonSource source = {
      .origin = std::string(origin),
      .where = kWhere,
      .kind = "a file of structural zeros",
      .hint = R"(write {"zeros": [{"clique": ["age", "married"], "cells": [[0, 1]]}]})"};
  const Json json = parse_json(text, source);
  const JsonSection root(json, "", source);
  std::vector<Factor> zeros;
  for (const JsonSection& section : root.sections("zeros")) {
    zeros.push_back(read_zeros(domain, section, source));
  }
  return zeros;
}

std::vector<std::vector<int>> parse_marginal_list(std::string_view text, std::string_view origin,
                                                  const Domain& domain) {
  const JsonSource source = {.origin = std::string(origin),
                             .where = kWhere,
                             .kind = "a list of marginals",
                             .hint = R"(write {"marginals": [{"clique": ["age", "race"]}]})"};
  const Json json = parse_json(text, source);
  const JsonSection root(json, "", source);
  std::vector<std::vector<int>> cliques;
  for (const JsonSection& section : root.sections("marginals")) {
    cliques.push_back(read_clique(domain, section, source));
  }
  return cliques;
}

}  // namespace equinoise

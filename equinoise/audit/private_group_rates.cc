// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/private_group_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "equinoise/audit/constraint_check.h"

namespace equinoise {

namespace {

/// The property that the records of a cell share.
struct CellFact {
  bool is_right = false;
  bool is_positive = false;  ///< its label, of two classes

  bool is_selected() const { return is_right == is_positive; }
};

/// Adds the share of the records in cells that `counts_in` accepts among the records in cells that
/// `looks_at` accepts, over the cells of these contexts. It is a rate under a constraint without a
/// limit, from which it is read.
template <typename CountsIn, typename LooksAt>
void add_rate(std::string text, std::span<const CellFact> facts, std::span<const size_t> contexts,
              CountsIn counts_in, LooksAt looks_at, RateProgram& program) {
  RateProgram::CellRate rate;
  rate.text = std::move(text);
  for (const size_t context : contexts) {
    for (size_t k = 0; k < facts.size(); ++k) {
      if (!std::invoke(looks_at, facts[k])) continue;
      const auto cell = static_cast<uint32_t>(context * facts.size() + k);
      rate.denominator.push_back(cell);
      if (std::invoke(counts_in, facts[k])) rate.numerator.push_back(cell);
    }
  }
  constexpr double kNoLimit = 1;  // every rate is at most that
  program.constraints.push_back({rate.text, rate.text, {{program.rates.size(), 1}}, kNoLimit});
  program.rates.push_back(std::move(rate));
}

/// The places of the groups that have these values; of {} all, also without groups.
std::vector<size_t> groups_with(const GroupLabel& values, const std::vector<GroupLabel>& groups) {
  if (groups.empty()) return {0};
  std::vector<size_t> places;
  for (size_t k = 0; k < groups.size(); ++k) {
    const bool has_all = std::ranges::all_of(values, [&](const auto& value) {
      return std::ranges::find(groups[k], value) != groups[k].end();
    });
    if (has_all) places.push_back(k);
  }
  return places;
}

}  // namespace

std::span<const PrivateRate> private_rates(size_t num_classes) {
  static constexpr std::array kRates = {
      PrivateRate{"accuracy", &PrivateRates::accuracy},
      PrivateRate{"selection_rate", &PrivateRates::selection_rate},
      PrivateRate{"false_positive_rate", &PrivateRates::false_positive_rate},
      PrivateRate{"false_negative_rate", &PrivateRates::false_negative_rate},
      PrivateRate{"precision", &PrivateRates::precision}};
  return std::span(kRates).first(num_classes == 2 ? kRates.size() : 1);
}

Metrics metrics_of(const PrivateRates& rates, bool has_records) {
  const auto rest_of = [](const Estimate& rate) {
    return Estimate{1 - rate.value, {1 - rate.interval.high, 1 - rate.interval.low}};
  };
  Metrics metrics;
  metrics.num_records = has_records ? 1 : 0;
  metrics.accuracy = rates.accuracy;
  metrics.error = rest_of(rates.accuracy);
  metrics.selection_rate = rates.selection_rate;
  metrics.true_positive_rate = rest_of(rates.false_negative_rate);
  metrics.false_positive_rate = rates.false_positive_rate;
  metrics.false_negative_rate = rates.false_negative_rate;
  metrics.precision = rates.precision;
  return metrics;
}

RateProgram group_rate_program(const std::vector<GroupLabel>& groups, size_t num_classes,
                               const std::vector<GroupLabel>* read) {
  const bool is_binary = num_classes == 2;
  // (label, right or wrong) for two classes, else right or wrong.
  const std::vector<CellFact> facts =
      is_binary ? std::vector<CellFact>{{true, false}, {false, false}, {false, true}, {true, true}}
                : std::vector<CellFact>{{true, false}, {false, false}};
  RateProgram program;
  program.num_contexts = std::max<size_t>(1, groups.size());
  program.num_classes = num_classes;
  program.num_cells = program.num_contexts * facts.size();
  for (size_t context = 0; context < program.num_contexts; ++context) {
    for (size_t label = 0; label < num_classes; ++label) {
      for (size_t predicted = 0; predicted < num_classes; ++predicted) {
        const size_t fact = is_binary ? 2 * label + predicted : (label == predicted ? 0 : 1);
        program.cells.push_back(static_cast<int32_t>(context * facts.size() + fact));
      }
    }
  }
  const auto add_rates = [&](const GroupLabel& group) {
    const std::vector<size_t> contexts = groups_with(group, groups);
    const std::string of = group.empty() ? "everybody" : group_name(group);
    const auto add = [&](const char* name, auto counts_in, auto looks_at) {
      add_rate(fmt::format("{} of {}", name, of), facts, contexts, counts_in, looks_at, program);
    };
    const auto all = [](const CellFact&) { return true; };
    add(
        "accuracy", [](const CellFact& cell) { return cell.is_right; }, all);
    program.rates.back().group = group;
    if (!is_binary) return;
    add("selection rate", &CellFact::is_selected, all);
    program.rates.back().group = group;
    const auto is_wrong = [](const CellFact& cell) { return !cell.is_right; };
    for (const bool is_positive : {false, true}) {
      add(is_positive ? "false negative rate" : "false positive rate", is_wrong,
          [&](const CellFact& cell) { return cell.is_positive == is_positive; });
      program.rates.back().group = group;
      program.rates.back().labels = {is_positive ? size_t{1} : size_t{0}};
    }
    add("precision", &CellFact::is_positive, &CellFact::is_selected);
    program.rates.back().fixed_denominator = false;
  };
  for (const GroupLabel& group : read == nullptr ? groups : *read) add_rates(group);
  add_rates({});
  return program;
}

std::vector<PrivateRates> read_group_rates(const RateProgram& program,
                                           std::span<const int64_t> counts, double noise_stddev) {
  const std::vector<ConstraintCheck> checks = check_counts(program, counts, noise_stddev);
  std::vector<PrivateRates> rates;
  for (size_t i = 0; i < checks.size();) {
    PrivateRates& group = rates.emplace_back();
    for (const PrivateRate& rate : private_rates(program.num_classes))
      group.*rate.value = checks[i++].value;
  }
  return rates;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/event.h"
#include "tests/shared_vectors.h"

namespace equinoise::testing {

/// Every file of vectors/accounting that holds events.
inline const std::vector<std::string>& accounting_files() {
  static const std::vector<std::string> files = {"calibration",
                                                 "composition",
                                                 "discrete_gaussian",
                                                 "discrete_laplace",
                                                 "exponential_mechanism",
                                                 "gaussian",
                                                 "laplace",
                                                 "onehot_histogram",
                                                 "paper_esipova_2023",
                                                 "private_selection",
                                                 "raco_laplace_gaussian",
                                                 "randomised_response",
                                                 "replace_one_sampling",
                                                 "subsampled_gaussian_pld",
                                                 "subsampled_gaussian_rdp",
                                                 "tree_aggregation",
                                                 "two_subsampled_gaussians",
                                                 "zcdp_conversion"};
  return files;
}

/// The cases of all these files, or nothing.
inline std::vector<nlohmann::json> accounting_cases() {
  std::vector<nlohmann::json> all;
  for (const std::string& file : accounting_files()) {
    const auto cases = load_vectors("accounting/" + file + ".json");
    if (cases) all.insert(all.end(), cases->begin(), cases->end());
  }
  return all;
}

/// Whether a case names that accountant ("analytic|pld" names both).
inline bool names_accountant(const nlohmann::json& vector, const std::string& accountant) {
  const std::string names = "|" + vector.value("accountant", "") + "|";
  return names.find("|" + accountant + "|") != std::string::npos;
}

/// Whether events and delta are given and epsilon is asked for.
inline bool asks_for_epsilon(const nlohmann::json& vector) {
  return vector.value("solve_for", "epsilon") == "epsilon" && vector.contains("events") &&
         vector.contains("epsilon") && vector.contains("delta");
}

inline std::vector<Event> events_of(const nlohmann::json& list) {
  std::vector<Event> events;
  for (const auto& event : list) events.push_back(Event::from_json(event));
  return events;
}

inline Relation relation_of(const nlohmann::json& vector) {
  const std::string name = vector.value("neighbouring", "");
  if (name == "REPLACE_ONE") return Relation::kReplaceOne;
  if (name == "ADD_OR_REMOVE_ONE") return Relation::kAddRemove;
  return Relation::kZeroOut;
}

/// An event, and a relation under which it is bounded.
struct BoundedEvent {
  Event event;
  Relation relation = Relation::kZeroOut;
};

/// One event of every kind that both RDP and PLD bound.
inline std::vector<BoundedEvent> bounded_events() {
  const Event gaussian = Event::gaussian(3);
  return {
      {gaussian},
      {Event::laplace(4)},
      {Event::discrete_gaussian(5, 2)},
      {Event::discrete_laplace(0.1, 3)},
      {Event::exponential(0.4)},
      {Event::randomised_response(0.8, 3), Relation::kReplaceOne},
      {Event::tree_aggregation(6, 100)},
      {Event::pure(0.2)},
      {Event::approx_dp(0.2, 1e-9)},
      {Event::repeat(3, Event::laplace(9))},
      {Event::parallel("sex", {"f", "m"}, {gaussian, Event::laplace(5)})},
      {Event::poisson_sampled(0.1, {Event::gaussian(2)})},
      {Event::poisson_sampled(0.1, {Event::gaussian(2), Event::laplace(3)})},
      {Event::sampled_without_replacement(0.05, {Event::gaussian(4)})},
      {Event::sampled_without_replacement(0.05, {gaussian}), Relation::kReplaceOne},
      {Event::repeat_and_select(std::numeric_limits<double>::infinity(), 0.5, Event::pure(0.1))},
  };
}

/// expect_close, with room for the vectors' own rounding to 12 digits, which some tolerances
/// forget.
inline void expect_close_to_digits(double got, double want, nlohmann::json tolerance,
                                   const std::string& what) {
  tolerance["rel"] = tolerance.value("rel", 0.0) + 5e-12;
  expect_close(got, want, tolerance, what);
}

/// A guarantee may be lower than a vector of a coarser method, never higher by more than the
/// tolerance.
inline void expect_at_most(double got, double want, double relative, const std::string& what) {
  EXPECT_LE(got, want * (1 + relative)) << what;
}

}  // namespace equinoise::testing

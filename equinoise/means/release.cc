// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>

#include "equinoise/base/check.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/means/automatic.h"
#include "equinoise/means/estimators/estimators.h"
#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/means/registry.h"
#include "equinoise/privacy/accountants/calibration.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/random/discrete_gaussian.h"
#include "equinoise/privacy/random/discrete_laplace.h"
#include "equinoise/privacy/random/gaussian.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "means.release";
constexpr double kMinProbability = 1e-100;      // of failure; its logarithm with sizes is finite
constexpr size_t kMaxCounts = size_t{1} << 24;  // of all histograms, for each thread

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// Bounds may be narrower than those of the schema, but the same rule checks them.
void check_column(const MeanColumn& column) {
  const std::string problem = column.lower < column.upper
                                  ? problem_of_bounds(column.lower, column.upper)
                                  : "must be ascending";
  if (!problem.empty()) {
    refuse("the bounds of column '{}' {}, got [{}, {}]", column.name, problem, column.lower,
           column.upper);
  }
  if (column.stddev) {
    check_interval(kWhere, fmt::format("stddev of column '{}'", column.name), *column.stddev,
                   narrowest_bounds(column.lower, column.upper), kLargestBound);
  }
}

void check_weights(const MeansQuestion& question) {
  const bool is_weighted = std::ranges::any_of(
      question.columns, [](const MeanColumn& column) { return column.usual_weight.has_value(); });
  if (question.usual_weight) {
    check_interval(kWhere, "usual weight of a record", *question.usual_weight,
                   std::numeric_limits<double>::min(), 1);
    // Otherwise a bound of a size would be taken for the divisor of a mean.
    if (!question.columns.empty() && !is_weighted)
      refuse("records count by weights for all columns or for none");
    if (question.sizes.size() != question.num_strata)
      refuse("records that count by weights need a size of each stratum, or a bound of it");
  }
  if (!is_weighted) return;
  for (const MeanColumn& column : question.columns) {
    if (!column.usual_weight) refuse("records count by weights for all columns or for none");
    check_interval(kWhere, "usual weight of a record", *column.usual_weight,
                   std::numeric_limits<double>::min(), 1);
  }
  if (!find_mean_estimator(question.method).takes_weights) {
    std::string names;
    for (const MeanEstimatorRow& row : mean_estimators())
      if (row.takes_weights) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    refuse(
        "{} has no form for weighted records, since its clip follows numbers of records; "
        "use {} or auto",
        question.method, names);
  }
  if (question.config.clipped_share > 0)
    refuse("clipped_share counts records, but these count by weights; leave it out");
}

/// Whether nothing but sizes is released.
bool are_sizes_all(const MeansQuestion& question) {
  return question.columns.empty() && question.counted.empty();
}

void check_question(const MeansQuestion& question) {
  check_positive(kWhere, "rho", question.rho);
  check_interval(kWhere, "clipped_share", question.config.clipped_share, 0, 0.9);
  if (question.config.own.of<LaplaceOptions>().gamma != 0)
    check_open_interval(kWhere, "gamma", question.config.own.of<LaplaceOptions>().gamma,
                        kMinProbability, 1);
  check_open_interval(kWhere, "beta", question.config.own.of<CoinpressOptions>().beta,
                      kMinProbability, 1);
  check_interval(kWhere, "overall_share", question.overall_share, 0, 0.9);
  if (are_sizes_all(question) && !question.private_sizes) refuse("name at least one column");
  for (const MeanColumn& column : question.columns) check_column(column);
  check_weights(question);
  if (question.config.relation == Relation::kAddRemove) {
    refuse("means have no guarantee under add_remove; use replace_one or zero_out");
  }
  if (question.private_sizes) {
    if (!are_sizes_all(question))
      check_open_interval(kWhere, "size_share", question.size_share, 0, 1);
    if (question.config.relation != Relation::kZeroOut) {
      refuse(
          "under replace_one a record is replaced within its stratum, so sizes are public; private "
          "sizes need --relation zero_out");
    }
    if (question.config.own.of<LaplaceOptions>().gamma > 0) refuse("gamma needs public sizes");
    return;
  }
  if (question.sizes.size() != question.num_strata) refuse("every stratum needs a public size");
  for (const double size : question.sizes) check_non_negative(kWhere, "size of a stratum", size);
  if (std::ranges::all_of(question.sizes, [](double s) { return s == 0; }))
    refuse("every stratum has the public size 0, so there is nothing to release");
}

/// Refuses, before payment, events that no sampler can draw.
void check_drawable(const Event& event) {
  const auto require = [&](double value, double low, double high) {
    if (value >= low && value <= high) return;
    refuse(
        "no sampler can draw {}: its parameter must be within [{:.3g}, {:.3g}], got "
        "{:.3g}; choose another rho, or divide it into other shares",
        event.to_text(), low, high, value);
  };
  if (event.kind() == Event::Kind::kDiscreteGaussian) {
    require(event.noise_stddev(), kMinDiscreteGaussianStddev, kMaxDiscreteGaussianStddev);
  } else if (event.kind() == Event::Kind::kDiscreteLaplace) {
    require(event.decay(), kMinDiscreteLaplaceDecay, kMaxDiscreteLaplaceDecay);
  } else if (event.kind() == Event::Kind::kGaussian) {
    // Within these limits a clip has at least a few units, and the sampler can draw the noise on
    // them.
    require(event.noise_multiplier(), 0x1p-32, 0x1p-6 * kMaxGaussianStddev);
  }
}

/// The standard deviation of the noise of a size.
double size_noise_of(const Event& event) {
  if (event.kind() != Event::Kind::kDiscreteLaplace) return event.noise_stddev();
  return 1 / (std::sqrt(2.0) * std::sinh(event.decay() / 2));
}

std::unique_ptr<MeanEstimator> estimator_of(const MeansPart& part) {
  return find_mean_estimator(part.method).make();
}

/// Histograms of all strata are kept at once.
void check_histograms(const MeansPlan& plan) {
  const MeansQuestion& question = plan.question;
  size_t each = 0;
  for (const MeansPart& part : plan.parts)
    each += estimator_of(part)->num_counts(question.config) * part.columns.size();
  for (const CellColumn& counted : question.counted) each += counted.tree.num_entries();
  if (question.num_strata <= kMaxCounts / std::max<size_t>(each, 1)) return;
  refuse("{} strata x {} counts are more than {} counts; use fewer cells, columns or strata",
         question.num_strata, each, kMaxCounts);
}

std::vector<MeanColumn> columns_of(const MeansQuestion& question, const MeansPart& part) {
  std::vector<MeanColumn> columns;
  for (const size_t j : part.columns) columns.push_back(question.columns[j]);
  return columns;
}

/// The sizes that a choice by public facts uses: none if sizes are private.
std::vector<double> known_sizes(const MeansQuestion& question) {
  std::vector<double> sizes;
  for (const double size : question.sizes)
    if (size > 0) sizes.push_back(size);
  return sizes;
}

/// Takes the share for one sum over all strata out of the part's budget, if there is one.
void add_overall(const MeansQuestion& question, MeansPart& part) {
  if (question.overall_share == 0 || question.private_sizes || part.columns.size() > 1 ||
      known_sizes(question).size() < 2)
    return;
  const double left = part.rho * (1 - question.overall_share);
  part.overall = estimator_of(part)->shared_sum(question.columns[part.columns[0]], left,
                                                part.rho * question.overall_share, question.config);
  if (part.overall) part.rho = left;
}

/// Draws one sum for all strata with a size.
OverallEstimate release_overall(const MeansPlan& plan, const MeansPart& part, const Answer& exact,
                                std::span<Charge> charges, RandomSource& source) {
  const SharedSum& shared = *part.overall;
  const CountedSum sum{shared.sensitivity, shared.count_units};
  std::vector<Permit> permits;
  std::vector<int64_t> entries(sum.count_units > 0 ? 2 : 1);
  double size = 0;
  for (size_t k = 0; k < charges.size(); ++k) {
    if (plan.question.sizes[k] == 0) continue;
    permits.push_back(charges[k].take(part.overall_item));
    const std::vector<int64_t> of_stratum = entries_of(exact, k, sum);
    for (size_t i = 0; i < entries.size(); ++i) entries[i] += of_stratum[i];
    size += plan.question.sizes[k];
  }
  const Relation relation = plan.question.config.relation;
  if (sum.count_units > 0) {
    const std::vector<Sensitivity> sensitivities(permits.size(),
                                                 {shared.sensitivity, Norm::kL2, relation});
    add_shared_gaussian_noise(std::move(permits), sensitivities, entries, source);
  } else {
    add_shared_discrete_gaussian_noise(std::move(permits),
                                       {shared.sensitivity, Norm::kL1, relation}, entries, source);
  }
  const ClipRange& range = shared.range;
  const MeanEstimate read =
      read_entries(entries, range, sum, shared.noise_stddev / range.grid, size, kNormalQuantile);
  return {read.mean, read.sum_noise_stddev, read.size, read.size_noise};
}

/// Share of what sizes leave; `i` counts columns, then counted ones.
double share_of(const MeansQuestion& question, size_t i) {
  if (!question.shares.empty()) return question.shares[i];
  return 1 / static_cast<double>(question.columns.size() + question.counted.size());
}

std::vector<MeansPart> parts_of(const MeansQuestion& question, double rho) {
  std::vector<MeansPart> parts;
  if (find_mean_estimator(question.method).make()->is_joint()) {
    std::vector<size_t> all = numbers_below(question.columns.size());
    parts.push_back({question.method, "", std::move(all), rho, 0});
    return parts;
  }
  for (size_t j = 0; j < question.columns.size(); ++j) {
    MeansPart part{question.method, "", {j}, rho * share_of(question, j), 0};
    add_overall(question, part);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<double> release_sizes(const MeansPlan& plan, const StratifiedRecords& records,
                                  std::span<Charge> charges, RandomSource& source, int threads) {
  const std::array<Query, 1> queries = {CountQuery{}};
  std::vector<int64_t> counts = answer_queries(records, queries, threads)[0].values;
  std::vector<double> sizes;
  for (size_t k = 0; k < counts.size(); ++k) {
    add_noise(charges[k].take(0), {}, plan.question.config.relation, {&counts[k], 1}, source);
    sizes.push_back(static_cast<double>(counts[k]));
  }
  return sizes;
}

/// The answers to the parts' questions, in one pass over the records. A column with missing values
/// needs a pass of its own.
std::vector<Answer> answer_parts(const std::vector<const MeansPart*>& parts,
                                 const std::vector<Query>& queries, const MeansQuestion& question,
                                 const StratifiedRecords& records, int threads) {
  std::vector<Query> together;
  std::vector<size_t> places;
  std::vector<Answer> answers(queries.size());
  bool counts = false;
  for (size_t q = 0; q < queries.size(); ++q) {
    const std::vector<size_t>& columns = parts[q]->columns;
    const bool is_any_missing = std::ranges::any_of(
        columns, [&](size_t j) { return records.strata_for(j).data() != records.strata.data(); });
    if (is_any_missing) {
      answers[q] = answer_about_values(records, queries[q], threads);
      continue;
    }
    together.push_back(queries[q]);
    places.push_back(q);
    counts = counts ||
             std::ranges::any_of(columns, [&](size_t j) { return question.columns[j].has_gaps; });
  }
  if (together.empty()) return answers;
  if (counts) together.push_back(CountQuery{});
  std::vector<Answer> of_together = answer_queries(records, together, threads);
  for (size_t i = 0; i < places.size(); ++i) {
    Answer& answer = answers[places[i]] = std::move(of_together[i]);
    // Every record has a value of each column.
    for (size_t k = 0; k < records.num_strata && counts; ++k)
      answer.num_values.insert(answer.num_values.end(), parts[places[i]]->columns.size(),
                               of_together.back().values[k]);
  }
  return answers;
}

/// Adds the noise of sizes to means of columns without gaps, which are quotients by these.
void note_noisy_sizes(const MeansPlan& plan, const std::vector<double>& sizes,
                      MeansRelease& release) {
  for (size_t k = 0; k < sizes.size(); ++k) {
    for (size_t j = 0; j < release.num_columns; ++j) {
      if (plan.question.columns[j].has_noisy_divisor()) continue;
      MeanEstimate& estimate = release.estimates[k * release.num_columns + j];
      estimate.size = sizes[k];
      // Whole numbers can miss by half of one more than their standard deviation says.
      estimate.size_noise = *plan.size_noise + 0.5 / estimate.half_width_in_stddevs;
      settle_noise(estimate);
    }
  }
}

}  // namespace

std::vector<Event> MeansPlan::charged_events(const std::string& partition,
                                             const std::vector<std::string>& names) const {
  if (partition.empty()) return events[0];
  std::vector<Event> strata;
  strata.reserve(events.size());
  for (const std::vector<Event>& list : events) strata.push_back(Event::composed(list));
  return {Event::parallel(partition, names, std::move(strata))};
}

const MeansPart& MeansPlan::part_of(size_t column) const {
  for (const MeansPart& part : parts) {
    if (contains(part.columns, column)) return part;
  }
  throw Error(ErrorKind::kRuntime, kWhere, "there is no such column");
}

double MeansPlan::predicted_noise(size_t column, double size) const {
  const MeansPart& part = part_of(column);
  const auto place = std::ranges::find(part.columns, column);
  const std::unique_ptr<MeanEstimator> estimator = estimator_of(part);
  const double noise = estimator->predicted_noise(columns_of(question, part),
                                                  static_cast<size_t>(place - part.columns.begin()),
                                                  size, part.rho, question.config);
  const MeanColumn& facts = question.columns[column];
  // A clip chosen with noise has its middle near the mean, where the size matters little.
  if (!size_noise || facts.has_noisy_divisor() ||
      estimator->clip_kind(question.config) != ClipKind::kPublic)
    return noise;
  return std::hypot(noise, (facts.upper - facts.lower) / 2 * *size_noise / size);
}

double MeansPlan::size_half_width() const {
  return std::ceil(estimator_of(parts[0])->half_width_in_stddevs() * *size_noise);
}

MeansPlan plan_means(const MeansQuestion& question) {
  if (question.method == "auto") {
    return choose_plan(question, [&](const std::string&) { return question.rho; });
  }
  check_question(question);
  MeansPlan plan{question, {}, {}, std::vector<std::vector<Event>>(question.num_strata)};
  double rho = question.rho;
  std::vector<Event> of_sizes;
  if (question.draws_sizes()) {
    const double share = are_sizes_all(question) ? 1 : question.size_share;
    of_sizes = {find_mean_estimator(question.method).make()->size_event(rho * share)};
    plan.size_noise = size_noise_of(of_sizes[0]);
    rho *= 1 - share;
  }
  plan.parts = parts_of(question, rho);
  for (size_t i = 0; i < question.counted.size(); ++i) {
    const double part = rho * share_of(question, question.columns.size() + i);
    plan.counts.push_back(counts_part(question.counted[i].tree, part, question.config.relation,
                                      question.usual_weight.has_value()));
  }
  check_histograms(plan);
  for (size_t k = 0; k < question.num_strata; ++k) {
    if (!question.private_sizes && question.sizes[k] == 0) continue;
    const double size = question.private_sizes ? 1 : question.sizes[k];
    plan.events[k] = of_sizes;
    for (MeansPart& part : plan.parts) {
      part.first_item = plan.events[k].size();
      std::vector<Event> events =
          estimator_of(part)->events(columns_of(question, part), size, part.rho, question.config);
      for (Event& event : events) plan.events[k].push_back(std::move(event));
      if (!part.overall) continue;
      part.overall_item = plan.events[k].size();
      append(plan.events[k], part.overall->events);
    }
    for (size_t i = 0; i < plan.counts.size(); ++i) {
      plan.counts[i].first_item = plan.events[k].size();
      append(plan.events[k], counts_events(question.counted[i].tree, plan.counts[i].rho));
    }
    for (const Event& event : plan.events[k]) check_drawable(event);
  }
  return plan;
}

double affordable_rho(Relation relation, Epsilon epsilon, Delta delta,
                      const std::function<std::vector<Event>(double)>& events) {
  check_positive(kWhere, "epsilon", epsilon.value());
  const auto of_multiplier = [&](double multiplier) {
    return events(1 / (2 * multiplier * multiplier));
  };
  double best = std::numeric_limits<double>::infinity();
  std::string refusal;
  for (const std::string_view accountant : {"zcdp", "rdp", "pld"}) {
    try {
      best = std::min(
          best, smallest_noise_multiplier({relation, epsilon, delta, accountant}, of_multiplier));
    } catch (const Error& error) {
      refusal = error.what();
    }
  }
  if (!std::isfinite(best)) refuse("no noise is large enough: " + refusal);
  return 1 / (2 * best * best);
}

MeansRelease release_means(const MeansPlan& plan, const StratifiedRecords& records,
                           std::span<Charge> charges, RandomSource& source, int threads) {
  const MeansQuestion& question = plan.question;
  if (charges.size() != question.num_strata || records.num_strata != question.num_strata ||
      records.columns.size() != question.columns.size() + question.counted.size() ||
      (!records.strata_of_values.empty() &&
       records.strata_of_values.size() != records.columns.size()) ||
      (!records.weights.empty() && records.weights.size() != records.num_records) ||
      (!records.counts.empty() && records.counts.size() != records.num_records) ||
      records.strata.size() != records.num_records) {
    throw Error(ErrorKind::kRuntime, kWhere,
                "records, charges and plan belong to different strata");
  }
  for (size_t k = 0; k < charges.size(); ++k) {
    if (charges[k].events() != plan.events[k])
      throw Error(ErrorKind::kRuntime, kWhere, "the charge of a stratum is for other events");
  }
  MeansRelease release;
  release.num_columns = question.columns.size();
  release.estimates.resize(question.num_strata * release.num_columns);
  release.overall.resize(release.num_columns);
  release.sizes = question.sizes;
  if (question.draws_sizes()) {
    release.noisy_sizes = release_sizes(plan, records, charges, source, threads);
    for (const double size : release.noisy_sizes) release.sizes.push_back(std::max(size, 1.0));
  }
  std::vector<std::unique_ptr<MeanEstimation>> estimations;
  for (const MeansPart& part : plan.parts) {
    estimations.push_back(estimator_of(part)->start(
        {columns_of(question, part), part.columns, release.sizes, part.rho, question.config,
         part.first_item, plan.size_noise.value_or(0)}));
  }
  for (;;) {
    std::vector<Query> queries;
    std::vector<size_t> asking;
    std::vector<const MeansPart*> parts;
    for (size_t p = 0; p < estimations.size(); ++p) {
      std::optional<Query> query = estimations[p]->next();
      if (!query) continue;
      queries.push_back(std::move(*query));
      asking.push_back(p);
      parts.push_back(&plan.parts[p]);
    }
    if (queries.empty()) break;
    const std::vector<Answer> answers = answer_parts(parts, queries, question, records, threads);
    for (size_t q = 0; q < asking.size(); ++q) {
      const MeansPart& part = plan.parts[asking[q]];
      estimations[asking[q]]->answer(answers[q], charges, source);
      // The part has one question: the exact sums of strata add up to the one over all of them.
      if (part.overall) {
        release.overall[part.columns[0]] = release_overall(plan, part, answers[q], charges, source);
      }
    }
  }
  for (size_t p = 0; p < plan.parts.size(); ++p) {
    const std::vector<MeanEstimate> estimates = estimations[p]->estimates();
    const std::vector<size_t>& columns = plan.parts[p].columns;
    for (size_t k = 0; k < question.num_strata; ++k) {
      for (size_t j = 0; j < columns.size(); ++j) {
        release.estimates[k * release.num_columns + columns[j]] = estimates[k * columns.size() + j];
      }
    }
  }
  if (plan.size_noise) note_noisy_sizes(plan, release.noisy_sizes, release);
  std::vector<bool> is_asked;
  for (const std::vector<Event>& events : plan.events) is_asked.push_back(!events.empty());
  release.counts = release_counts(records, question.columns.size(), question.counted, plan.counts,
                                  is_asked, charges, question.config.relation, source, threads);
  return release;
}

}  // namespace equinoise

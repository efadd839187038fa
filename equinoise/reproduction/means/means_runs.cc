// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/means/means_runs.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/means/dirichlet.h"
#include "equinoise/means/parity.h"
#include "equinoise/means/release.h"
#include "equinoise/means/shrinkage.h"
#include "equinoise/means/stratified.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"

namespace equinoise {

namespace {

constexpr std::array<std::string_view, 3> kErrors = {"global error", "group error", "parity error"};
constexpr std::array<std::string_view, 2> kOfCurves = {"sum of logarithms", "gap closed"};
constexpr double kHeldOutShare = 0.1;

constexpr std::string_view kAbsoluteError = "global absolute error";

bool is_error(std::string_view name) { return contains(kErrors, name); }

/// Numbers and their groups.
struct GroupedNumbers {
  std::vector<double> values;
  std::vector<uint32_t> groups;  ///< below num_groups
  size_t num_groups = 0;

  std::vector<double> sizes(std::span<const uint32_t> of) const {
    std::vector<double> sizes(num_groups);
    for (const uint32_t group : of)
      if (group < num_groups) sizes[group] += 1;
    return sizes;
  }
};

/// Shares of a symmetric Dirichlet distribution: gamma numbers by inversion, scaled to 1.
std::vector<double> draw_shares(int64_t num_groups, double alpha, SimulationNoise& random) {
  std::vector<double> shares;
  for (int64_t k = 0; k < num_groups; ++k)
    shares.push_back(boost::math::gamma_p_inv(alpha, (random.uniform() + 1) / 2));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

GroupedNumbers draw_mixture(const MeansRecordsConfig& config, SimulationNoise& random) {
  const std::vector<double> shares = draw_shares(config.num_groups, config.alpha, random);
  GroupedNumbers numbers;
  numbers.num_groups = shares.size();
  std::vector<double> centres;
  for (size_t k = 0; k < shares.size(); ++k)
    centres.push_back(config.centre + config.spread * random.normal());
  for (int64_t i = 0; i < config.num_records; ++i) {
    double place = (random.uniform() + 1) / 2;
    size_t group = 0;
    while (group + 1 < shares.size() && place >= shares[group]) place -= shares[group++];
    numbers.groups.push_back(static_cast<uint32_t>(group));
    numbers.values.push_back(centres[group] + config.stddev * random.normal());
  }
  return numbers;
}

MeansRecordsConfig config_at(const ReproductionMeans& means, double value) {
  MeansRecordsConfig config = means.records;
  if (means.parameter == "records") config.num_records = static_cast<int64_t>(value);
  if (means.parameter == "groups") config.num_groups = static_cast<int64_t>(value);
  if (means.parameter == "alpha") config.alpha = value;
  return config;
}

/// The estimates of a run.
struct EstimatedMeans {
  double overall = 0;
  std::vector<double> groups;
};

EstimatedMeans estimate(const MeansLine& line, const MeansRecordsConfig& config, double rho,
                        const GroupedNumbers& numbers, uint64_t seed, uint64_t stream) {
  MeansQuestion question;
  question.columns = {{"x", config.lower, config.upper, line.stddev}};
  question.method = line.estimator;
  question.rho = rho;
  std::vector<uint32_t> strata = numbers.groups;
  std::vector<double> weights;
  if (line.strata == MeansStrata::kNone) {
    std::ranges::fill(strata, 0U);
  } else {
    question.num_strata = numbers.num_groups;
    if (line.strata == MeansStrata::kHeldOut) {
      SimulationNoise random(seed, stream + 1);
      std::vector<uint32_t> held_out(strata.size(), static_cast<uint32_t>(numbers.num_groups));
      for (size_t i = 0; i < strata.size(); ++i)
        if ((random.uniform() + 1) / 2 < kHeldOutShare) std::swap(strata[i], held_out[i]);
      weights = weights_of_sizes(numbers.sizes(held_out));
    }
  }
  if (line.strata == MeansStrata::kNone) {
    question.sizes = {static_cast<double>(strata.size())};
  } else {
    question.sizes = numbers.sizes(strata);
    if (weights.empty()) weights = weights_of_sizes(question.sizes);
  }
  SeededSource source(seed);
  source.start_step(stream);
  const MeansPlan plan = plan_means(question);
  const MeansRelease release = release_unpaid(plan, numbers.values, strata, source);
  EstimatedMeans estimated;
  if (line.strata == MeansStrata::kNone) {
    estimated.overall = release.at(0, 0).mean;
    estimated.groups.assign(numbers.num_groups, estimated.overall);
    return estimated;
  }
  std::vector<double> noise_stddevs;
  std::vector<double> raw;
  for (size_t k = 0; k < numbers.num_groups; ++k) {
    raw.push_back(release.at(k, 0).mean);
    noise_stddevs.push_back(release.at(k, 0).noise_stddev);
  }
  estimated.overall = combine_strata(raw, noise_stddevs, weights).mean;
  for (const double mean : raw)
    estimated.groups.push_back(std::clamp(mean, config.lower, config.upper));
  if (!line.shrinks) return estimated;
  std::vector<double> asked;
  std::vector<double> variances;
  for (size_t k = 0; k < raw.size(); ++k) {
    if (!(question.sizes[k] > 0)) continue;
    asked.push_back(raw[k]);
    variances.push_back(noise_stddevs[k] * noise_stddevs[k]);
  }
  const Shrinkage shrinkage = shrink_estimates(asked, variances, config.lower, config.upper);
  for (size_t k = 0, i = 0; k < raw.size(); ++k)
    if (question.sizes[k] > 0) estimated.groups[k] = shrinkage.shrunk[i++];
  return estimated;
}

/// The errors of estimates of the records' own means.
struct MeansErrors {
  ParityError relative;
  double global_absolute = 0;
};

MeansErrors errors_of(const EstimatedMeans& estimated, const GroupedNumbers& numbers,
                      const MeansRecordsConfig& config) {
  const std::vector<double> sizes = numbers.sizes(numbers.groups);
  std::vector<double> means(sizes.size());
  double overall = 0;
  for (size_t i = 0; i < numbers.values.size(); ++i) {
    means[numbers.groups[i]] += numbers.values[i];
    overall += numbers.values[i];
  }
  for (size_t k = 0; k < means.size(); ++k) means[k] /= std::max(sizes[k], 1.0);
  overall /= static_cast<double>(numbers.values.size());
  return {parity_error({sizes, means, estimated.groups, overall, estimated.overall, config.lower,
                        config.upper}),
          std::fabs(estimated.overall - overall)};
}

double value_of(std::string_view metric, const MeansErrors& errors) {
  const ParityError& error = errors.relative;
  if (metric == kAbsoluteError) return errors.global_absolute;
  if (metric == "global error") return 100 * error.population_relative_error;
  if (metric == "parity error") return 100 * error.parity_error;
  double sum = 0;
  double count = 0;
  for (const std::optional<double>& of_group : error.relative_errors) {
    if (!of_group) continue;
    sum += *of_group;
    ++count;
  }
  return 100 * sum / count;
}

/// E sum ln |G_i| by the curve; for drawn sizes the sum of one draw, with no group below one
/// record.
double sum_of_logarithms(const MeansLine& line, const MeansRecordsConfig& config, uint64_t seed,
                         uint64_t stream) {
  const auto num_records = static_cast<double>(config.num_records);
  const ExpectedSumLog expected =
      expected_sum_log(static_cast<int>(config.num_groups), num_records, config.alpha);
  if (line.curve == "theorem") return expected.expected;
  if (line.curve == "floored") return expected.expected_floored;
  if (line.curve == "upper") return expected.upper_bound;
  if (line.curve == "lower") return expected.lower_bound;
  SimulationNoise random(seed, stream);
  double sum = 0;
  for (const double share : draw_shares(config.num_groups, config.alpha, random))
    sum += std::log(std::max(1.0, share * num_records));
  return sum;
}

/// A column of a table, and the groups of its rows in each division.
class DividedColumn {
 public:
  DividedColumn(const ItemHeader& item, const MeansRecordsConfig& config,
                const std::filesystem::path& folder) {
    const ReproductionTable table = read_reproduction_table(item.data, folder, item.max_records);
    const std::vector<double>& values = table.dataset.find_numeric(config.column)->values;
    for (const std::vector<std::string>& columns : config.divisions) {
      const Grouping grouping = group_by(table.dataset, table.schema, columns);
      GroupedNumbers& numbers = divisions_.emplace_back();
      numbers.num_groups = grouping.groups.size();
      for (size_t record = 0; record < values.size(); ++record) {
        if (table.dataset.contributes[record] == 0) continue;
        numbers.values.push_back(values[record]);
        numbers.groups.push_back(static_cast<uint32_t>(index_of(grouping.group_of[record])));
      }
    }
  }

  const GroupedNumbers& division(size_t i) const { return divisions_[i]; }

 private:
  std::vector<GroupedNumbers> divisions_;
};

class MeansRuns final : public ExperimentRuns {
 public:
  MeansRuns(const ItemHeader& item, const ReproductionMeans& means,
            const std::filesystem::path& folder)
      : means_(means) {
    if (!item.is_drawn()) table_.emplace(item, means_.records, folder);
  }

  int64_t num_steps(size_t, uint64_t) const override { return std::ssize(means_.values); }

  ReproductionOutcome run(size_t method, uint64_t seed,
                          const RunCallbacks& callbacks) const override {
    const MeansLine& line = means_.lines[method];
    ReproductionOutcome outcome;
    for (size_t i = 0; i < means_.values.size(); ++i) {
      const MeansRecordsConfig config = config_at(means_, means_.values[i]);
      // The records and the noise of each value, and the choice of held-out records, have separate
      // streams.
      const uint64_t stream = 3 * i;
      ReproductionPoint& point = outcome.points.emplace_back();
      point.position = means_.values[i];
      if (line.curve.empty()) {
        const MeansErrors errors = errors_at(line, config, i, seed, stream);
        for (const std::string& metric : means_.metrics)
          point.values.push_back(value_of(metric, errors));
      } else {
        const double sum = sum_of_logarithms(line, config, seed, stream);
        const ExpectedSumLog ends =
            expected_sum_log(static_cast<int>(config.num_groups),
                             static_cast<double>(config.num_records), config.alpha);
        for (const std::string& metric : means_.metrics) {
          point.values.push_back(metric == "gap closed" ? 100 * (ends.upper_bound - sum) /
                                                              (ends.upper_bound - ends.lower_bound)
                                                        : sum);
        }
      }
      callbacks.after_step();
    }
    return outcome;
  }

 private:
  MeansErrors errors_at(const MeansLine& line, const MeansRecordsConfig& config, size_t i,
                        uint64_t seed, uint64_t stream) const {
    const double rho = means_.parameter == "rho" ? means_.values[i] : means_.rho;
    if (table_) {
      const GroupedNumbers& numbers = table_->division(means_.parameter == "groups" ? i : 0);
      return errors_of(estimate(line, config, rho, numbers, seed, stream + 1), numbers, config);
    }
    SimulationNoise random(seed, stream);
    const GroupedNumbers numbers = draw_mixture(config, random);
    return errors_of(estimate(line, config, rho, numbers, seed, stream + 1), numbers, config);
  }

  const ReproductionMeans& means_;
  std::optional<DividedColumn> table_;
};

}  // namespace

MeansRelease release_unpaid(const MeansPlan& plan, std::span<const double> numbers,
                            std::span<const uint32_t> strata, SeededSource& source) {
  std::vector<Charge> charges;
  for (const std::vector<Event>& events : plan.events)
    charges.push_back(Charge::unpaid(events, plan.question.config.relation, source));
  return release_means(plan, {numbers.size(), {numbers}, strata, plan.question.num_strata}, charges,
                       source, 1);
}

bool is_means_metric(std::string_view name) {
  return is_error(name) || name == kAbsoluteError || contains(kOfCurves, name);
}

bool is_published_means_metric(std::string_view name) {
  return is_error(name) || name == kTypicalError || name == kBeyondBounds;
}

std::unique_ptr<ExperimentRuns> open_means_runs(const ItemHeader& item,
                                                const ReproductionMeans& means,
                                                const std::filesystem::path& folder) {
  return std::make_unique<MeansRuns>(item, means, folder);
}

}  // namespace equinoise

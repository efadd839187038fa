// SPDX-License-Identifier: Apache-2.0
// The cases of the shared vectors about means, all kinds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "equinoise/means/coinpress.h"
#include "equinoise/means/dirichlet.h"
#include "equinoise/means/estimators/estimators.h"
#include "equinoise/means/parity.h"
#include "equinoise/means/pass.h"
#include "equinoise/means/shrinkage.h"
#include "equinoise/means/stratified.h"
#include "equinoise/privacy/accountants/zcdp.h"
#include "tests/shared_vectors.h"

namespace equinoise::means_vectors_test {

using testing::expect_close;
using Json = nlohmann::json;

/// Compares numbers one by one.
class Case {
 public:
  explicit Case(const Json& json) : json_(json) {}

  void expect(const char* key, double got) const { expect(key, got, json_.at("expected").at(key)); }
  void expect(const std::string& what, double got, const Json& want) const {
    ASSERT_FALSE(want.is_null()) << id() << " " << what;
    expect_close(got, want.get<double>(), json_.at("tolerance"), id() + " " + what);
  }
  void expect(const std::string& what, const std::vector<double>& got, const Json& want) const {
    ASSERT_EQ(got.size(), want.size()) << id() << " " << what;
    for (size_t i = 0; i < got.size(); ++i) expect(what + " " + std::to_string(i), got[i], want[i]);
  }
  std::string id() const { return json_.at("id").get<std::string>(); }

 private:
  const Json& json_;
};

/// Checks a case as its kind is checked.
void check(const Json& json, const std::map<std::string, void (*)(const Json&)>& checks) {
  const auto found = checks.find(json.at("kind").get<std::string>());
  ASSERT_NE(found, checks.end()) << json.at("kind");
  found->second(json);
}

/// One pass over numbers in one stratum.
Answer answer_one(const std::vector<double>& numbers, const Query& query) {
  const std::vector<uint32_t> strata(numbers.size(), 0);
  const StratifiedRecords records{numbers.size(), {numbers}, strata, 1};
  return answer_queries(records, {&query, 1}, 1)[0];
}

void check_bounded_mean(const Json& json) {
  const Case one(json);
  const double lower = json.at("lower");
  const double upper = json.at("upper");
  const double grid = json.at("grid");
  const Relation relation = parse_relation(json.at("relation").get<std::string>());
  const std::vector<double> numbers = json.at("x");
  ClipRange range = ClipRange::within(lower, upper, (upper - lower) / 2 / grid);
  EXPECT_EQ(range.grid, grid) << one.id();
  const Answer answer = answer_one(numbers, SumQuery{0, {range}, true});
  const auto sensitivity = static_cast<double>(range.sensitivity(relation)) * grid;
  one.expect("sum_sensitivity", sensitivity);
  EXPECT_EQ(answer.num_clipped[0], json.at("expected").at("num_clipped")) << one.id();
  const auto size = static_cast<double>(numbers.size());
  const int64_t units = answer.values[0] + json.at("noise_units").get<int64_t>();
  one.expect("mean", range.centre + static_cast<double>(units) * grid / size);
  // The estimator's own noise, of the same sensitivity on a finer grid.
  const bool is_gaussian = json.at("mechanism") == "gaussian";
  const double rho = is_gaussian ? json.at("rho").get<double>()
                                 : std::pow(json.at("epsilon").get<double>(), 2) / 2;
  MeanConfig config;
  config.relation = relation;
  const std::vector<MeanColumn> columns = {{"x", lower, upper}};
  const double noise =
      is_gaussian ? make_bounded()->predicted_noise(columns, 0, size, rho, config)
                  : make_laplace()->predicted_noise(columns, 0, size, rho, config) / std::sqrt(2.0);
  one.expect("noise_scale_of_mean", noise);
  one.expect("sum_noise_scale", noise * size);
}

void check_laplace_mean(const Json& json) {
  const Case one(json);
  const double bound = json.at("mean_bound");
  const double epsilon = json.at("epsilon");
  const std::vector<double> numbers = json.at("x");
  const auto size = static_cast<double>(numbers.size());
  const double clip = bound + laplace_margin(size, json.at("gamma"));
  one.expect("clip_bound", clip);
  double sum = 0;
  int num_clipped = 0;
  for (const double x : numbers) {
    sum += std::clamp(x, -clip, clip);
    num_clipped += std::fabs(x) > clip ? 1 : 0;
  }
  EXPECT_EQ(num_clipped, json.at("expected").at("num_clipped")) << one.id();
  MeanConfig config;
  config.relation = parse_relation(json.at("relation").get<std::string>());
  config.own.of<LaplaceOptions>().gamma = json.at("gamma");
  const double scale = make_laplace()->predicted_noise({{"x", -bound, bound, 1.0}}, 0, size,
                                                       epsilon * epsilon / 2, config) /
                       std::sqrt(2.0);
  // The grid takes less than 2^-29 of the range.
  EXPECT_NEAR(scale, json.at("expected").at("noise_scale"), 4e-9 * scale) << one.id();
  one.expect("clipped_mean", sum / size);
  const double noise = json.at("expected").at("noise_scale").get<double>();
  one.expect("mean", sum / size + noise * json.at("unit_laplace").get<double>());
}

void check_coinpress_1d(const Json& json) {
  const Case one(json);
  const std::vector<double> numbers = json.at("x");
  const std::vector<double> prior = json.at("prior");
  const std::vector<double> normals = json.at("standard_normal");
  const double stddev = json.at("data_stddev");
  const Relation relation = parse_relation(json.at("relation").get<std::string>());
  const int num_steps = json.at("num_steps");
  const std::vector<double> budgets = coinpress_budgets(json.at("rho"), num_steps);
  const std::vector<double> failures = coinpress_failures(json.at("beta"), num_steps);
  const Json& trace = json.at("expected").at("trace");
  const auto size = static_cast<double>(numbers.size());
  double mean = (prior[0] + prior[1]) / 2 / stddev;
  CoinpressInterval interval(prior[0] / stddev, prior[1] / stddev, std::max(size, 1.0));
  ASSERT_EQ(trace.size(), numbers.empty() ? 0U : static_cast<size_t>(num_steps)) << one.id();
  for (size_t t = 0; t < trace.size(); ++t) {
    const Json& want = trace[t];
    const std::string step = "step " + std::to_string(t) + " ";
    one.expect(step + "rho", budgets[t], want.at("rho"));
    one.expect(step + "beta", failures[t], want.at("beta"));
    one.expect(step + "before", {interval.lower(), interval.upper()}, want.at("interval_before"));
    const CoinpressInterval::Clip clip = interval.clip(failures[t]);
    one.expect(step + "tail", clip.tail, want.at("tail"));
    one.expect(step + "clip_lower", clip.lower, want.at("clip_lower"));
    one.expect(step + "clip_upper", clip.upper, want.at("clip_upper"));
    double sum = 0;
    int num_clipped = 0;
    for (const double x : numbers) {
      sum += std::clamp(x / stddev, clip.lower, clip.upper);
      num_clipped += x / stddev < clip.lower || x / stddev > clip.upper ? 1 : 0;
    }
    EXPECT_EQ(num_clipped, want.at("num_clipped")) << one.id();
    const double sensitivity = interval.sensitivity(clip, relation);
    one.expect(step + "sensitivity", sensitivity, want.at("sensitivity"));
    const double noise = sensitivity / std::sqrt(2 * budgets[t]);
    one.expect(step + "noise_stddev", noise, want.at("noise_stddev"));
    mean = sum / size + noise * normals[t];
    one.expect(step + "noisy_mean", mean, want.at("noisy_mean"));
    one.expect(step + "half_width", interval.half_width(noise, failures[t]), want.at("half_width"));
    interval.advance(mean, noise, failures[t]);
    one.expect(step + "after", {interval.lower(), interval.upper()}, want.at("interval_after"));
  }
  one.expect("mean", std::clamp(mean * stddev, prior[0], prior[1]));
}

void check_coinpress_multi(const Json& json) {
  const Case one(json);
  const std::vector<std::vector<double>> vectors = json.at("x");
  const std::vector<std::vector<double>> normals = json.at("standard_normal");
  const double stddev = json.at("data_stddev");
  const Relation relation = parse_relation(json.at("relation").get<std::string>());
  const int num_steps = json.at("num_steps");
  const std::vector<double> budgets = coinpress_budgets(json.at("rho"), num_steps);
  std::vector<double> prior = json.at("prior_center");
  for (double& entry : prior) entry /= stddev;
  const double prior_radius = json.at("prior_radius").get<double>() / stddev;
  const auto size = static_cast<double>(vectors.size());
  CoinpressBall ball(prior, prior_radius, size, CoinpressConstants::kCode);
  const Json& trace = json.at("expected").at("trace");
  for (size_t t = 0; t < trace.size(); ++t) {
    const Json& want = trace[t];
    const std::string step = "step " + std::to_string(t) + " ";
    one.expect(step + "rho", budgets[t], want.at("rho"));
    one.expect(step + "center_before", ball.centre(), want.at("center_before"));
    one.expect(step + "radius_before", ball.radius(), want.at("radius_before"));
    const double radius = ball.clip_radius(0.01);
    one.expect(step + "clip_radius", radius, want.at("clip_radius"));
    std::vector<double> mean = ball.centre();
    int num_clipped = 0;
    for (const std::vector<double>& vector : vectors) {
      double squared = 0;
      for (size_t j = 0; j < vector.size(); ++j)
        squared += std::pow(vector[j] / stddev - ball.centre()[j], 2);
      const double factor = std::min(1.0, radius / std::sqrt(squared));
      num_clipped += factor < 1 ? 1 : 0;
      for (size_t j = 0; j < vector.size(); ++j)
        mean[j] += factor * (vector[j] / stddev - ball.centre()[j]) / size;
    }
    EXPECT_EQ(num_clipped, want.at("num_clipped")) << one.id();
    const double noise = ball.sensitivity(radius, relation) / std::sqrt(2 * budgets[t]);
    one.expect(step + "noise_stddev", noise, want.at("noise_stddev"));
    for (size_t j = 0; j < mean.size(); ++j) mean[j] += noise * normals[t][j];
    one.expect(step + "radius_unguarded", ball.radius_after(noise, 0.01),
               want.at("radius_unguarded"));
    ball.advance(mean, noise, 0.01);
    one.expect(step + "center_after", ball.centre(), want.at("center_after"));
    one.expect(step + "radius_after", ball.radius(), want.at("radius_after"));
  }
  std::vector<double> mean = project_onto_ball(ball.centre(), prior, prior_radius);
  std::vector<double> before = ball.centre();
  for (double& entry : mean) entry *= stddev;
  for (double& entry : before) entry *= stddev;
  one.expect("mean_before_projection", before, json.at("expected").at("mean_before_projection"));
  one.expect("mean", mean, json.at("expected").at("mean"));
}

void check_stratified(const Json& json) {
  const Case one(json);
  const std::vector<double> estimates = json.at("estimates");
  const std::vector<double> noises = json.at("noise_stddev");
  const std::vector<double> weights = weights_of_sizes(std::vector<double>(json.at("group_sizes")));
  one.expect("weights", weights, json.at("expected").at("weights"));
  const WeightedMean by_size = combine_strata(estimates, noises, weights);
  one.expect("mean", by_size.mean);
  one.expect("noise_stddev", by_size.noise_stddev);
  const WeightedMean by_public =
      combine_strata(estimates, noises, std::vector<double>(json.at("public_weights")));
  one.expect("mean_public_weights", by_public.mean);
  one.expect("noise_stddev_public_weights", by_public.noise_stddev);
}

void check_paule_mandel(const Json& json) {
  const Case one(json);
  const Shrinkage result = shrink_estimates(std::vector<double>(json.at("estimates")),
                                            std::vector<double>(json.at("noise_variances")),
                                            json.at("lower"), json.at("upper"));
  one.expect("tau_squared", result.tau_squared);
  one.expect("center", result.centre);
  one.expect("shrunk", result.shrunk, json.at("expected").at("shrunk"));
}

/// Cells are the gaps between records here, each with its record at its end.
void check_quantile(const Json& json) {
  const Case one(json);
  std::vector<double> edges = json.at("x");
  const double lower = json.at("lower");
  const double upper = json.at("upper");
  const double epsilon = json.at("epsilon");
  for (double& x : edges) x = std::clamp(x, lower, upper);
  std::ranges::sort(edges);
  const double target = json.at("quantile").get<double>() * static_cast<double>(edges.size());
  edges.insert(edges.begin(), lower);
  edges.push_back(upper);
  one.expect("edges", edges, json.at("expected").at("edges"));
  // A gap holds no record; the record at its end is a cell of its own, whose score is not asked
  // for.
  std::vector<int64_t> counts;
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    counts.push_back(0);
    counts.push_back(1);
  }
  counts.pop_back();
  const std::vector<double> scores = quantile_scores(counts, target);
  std::vector<double> utilities;
  for (size_t i = 0; i < scores.size(); i += 2) utilities.push_back(scores[i]);
  one.expect("utilities", utilities, json.at("expected").at("utilities"));
  const double best = *std::ranges::max_element(utilities);
  std::vector<double> probabilities;
  for (size_t i = 0; i < utilities.size(); ++i) {
    probabilities.push_back((edges[i + 1] - edges[i]) *
                            std::exp(epsilon * (utilities[i] - best) / 2));
  }
  const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& probability : probabilities) probability /= total;
  one.expect("probabilities", probabilities, json.at("expected").at("probabilities"));
  double left = json.at("uniform_interval").get<double>();
  size_t interval = 0;
  while (interval + 1 < probabilities.size() && left >= probabilities[interval])
    left -= probabilities[interval++];
  EXPECT_EQ(interval, json.at("expected").at("interval").get<size_t>()) << one.id();
  one.expect("value", edges[interval] + json.at("uniform_position").get<double>() *
                                            (edges[interval + 1] - edges[interval]));
  ZcdpAccountant accountant(Relation::kReplaceOne);
  accountant.compose(Event::exponential(epsilon));
  EXPECT_NEAR(accountant.rho(), json.at("expected").at("rho").get<double>(),
              1e-9 * accountant.rho());
}

TEST(MeansVectors, AllCasesHold) {
  EQUINOISE_VECTORS(cases, "steps/means.json");
  for (const Json& json : cases) {
    check(json, {{"bounded_mean", check_bounded_mean},
                 {"laplace_mean", check_laplace_mean},
                 {"coinpress_1d", check_coinpress_1d},
                 {"coinpress_multi", check_coinpress_multi},
                 {"stratified", check_stratified},
                 {"paule_mandel", check_paule_mandel},
                 {"quantile_em", check_quantile}});
  }
}

void check_alpha(const Json& json) {
  const Case one(json);
  const DirichletFit fit = fit_dirichlet(std::vector<double>(json.at("group_sizes")));
  const Json& want = json.at("expected");
  one.expect("num_records", fit.num_records);
  one.expect("sum_of_squares", fit.sum_of_squares);
  one.expect("realised_sum_log", fit.realised_sum_log);
  const auto same = [&](const char* key, const std::optional<double>& got) {
    EXPECT_EQ(got.has_value(), !want.at(key).is_null()) << one.id() << " " << key;
    if (got) one.expect(key, *got);
  };
  same("alpha_moments", fit.alpha_moments);
  same("alpha_ml", fit.alpha_likelihood);
}

void check_theorem9(const Json& json) {
  const Case one(json);
  const ExpectedSumLog result =
      expected_sum_log(json.at("num_groups"), json.at("num_records"), json.at("alpha"));
  one.expect("expected_sum_log", result.expected);
  one.expect("expected_sum_log_floored", result.expected_floored);
  one.expect("upper_bound", result.upper_bound);
  one.expect("lower_bound", result.lower_bound);
}

void check_parity(const Json& json) {
  const Case one(json);
  const std::vector<double> sizes = json.at("group_sizes");
  const std::vector<double> truth = json.at("true_values");
  const std::vector<double> estimates = json.at("estimates");
  ParityFacts facts{sizes,
                    truth,
                    estimates,
                    json.at("true_population"),
                    json.at("estimate_population"),
                    json.at("lower"),
                    json.at("upper"),
                    {}};
  if (!json.at("scale_floor").is_null()) facts.scale_floor = json.at("scale_floor").get<double>();
  const ParityError result = parity_error(facts);
  const Json& want = json.at("expected");
  one.expect("scale_floor", result.scale_floor);
  EXPECT_EQ(Json(result.skipped_groups), want.at("skipped_groups")) << one.id();
  const auto same = [&](const std::string& key, const std::vector<std::optional<double>>& got) {
    ASSERT_EQ(got.size(), want.at(key).size());
    for (size_t k = 0; k < got.size(); ++k) {
      EXPECT_EQ(got[k].has_value(), !want.at(key)[k].is_null()) << one.id() << " " << key;
      if (got[k]) one.expect(key, *got[k], want.at(key)[k]);
    }
  };
  same("absolute_errors", result.absolute_errors);
  same("relative_errors", result.relative_errors);
  one.expect("population_relative_error", result.population_relative_error);
  one.expect("parity_error", result.parity_error);
  one.expect("max_group_error", result.max_group_error);
  one.expect("max_absolute_error", result.max_absolute_error);
  EXPECT_EQ(result.printed.has_value(), !want.at("printed_definition").is_null());
  const auto num_groups = static_cast<double>(sizes.size() - result.skipped_groups.size());
  if (result.printed) one.expect("printed_definition", result.printed->at(1 / num_groups));
}

TEST(DirichletAndParityVectors, AllCasesHold) {
  EQUINOISE_VECTORS(cases, "steps/dirichlet_parity.json");
  for (const Json& json : cases) {
    check(json, {{"alpha", check_alpha}, {"theorem9", check_theorem9}, {"parity", check_parity}});
  }
}

}  // namespace equinoise::means_vectors_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/excessive_risk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/models/mlp.h"
#include "equinoise/models/network/network.h"
#include "equinoise/models/network/table_dense.h"
#include "tests/shared_vectors.h"
#include "tests/small_tables.h"
#include "tests/vector_network.h"

namespace equinoise::excessive_risk_test {

using nlohmann::json;

TEST(ExcessiveRisk, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/excess_risk.json");
  for (const json& c : cases) {
    const testing::VectorNetwork given(c);
    const json& expected = c["expected"];
    const json& tolerance = c["tolerance"];
    const json& risk_tolerance = c["tolerance_risk"];
    const double max_grad_norm = c["max_grad_norm"];
    const FlatClip flat(max_grad_norm);
    const GlobalClip global(max_grad_norm, c.value("strict_bound", max_grad_norm));
    const ClipPolicy& clip = c["policy"] == "flat" ? static_cast<const ClipPolicy&>(flat) : global;
    const std::vector<uint32_t> batch = c["batch"];
    const StepSetting step{sum_gradients(given.table, c["num_groups"], *given.model, given.theta,
                                         clip, batch, c["batch_size"]),
                           c["batch_size"], c["learning_rate"],
                           c["noise_multiplier"].get<double>() * max_grad_norm};
    const ExcessiveRisk risk = excessive_risk(given.table, c["num_groups"], *given.model,
                                              given.theta, clip, step, {50, 1, true, 1});
    const std::string id = c["id"];
    testing::expect_close(risk.norm_ratio, expected["norm_ratio"], tolerance, id);
    EXPECT_EQ(risk.step_size_condition, expected["step_size_condition"]) << id;
    const size_t num_groups = risk.groups.size();
    for (const json& wanted : expected["groups"]) {
      const size_t a = wanted["group"];
      const std::string what = id + " group " + std::to_string(a);
      const GroupRisk& group = risk.groups[a];
      EXPECT_EQ(group.num_records, wanted["num_records"]) << what;
      testing::expect_close(group.loss, wanted["loss"], tolerance, what);
      testing::expect_close(group.cos_unclipped, wanted["cos_theta"], tolerance, what);
      testing::expect_close(group.cos_clipped, wanted["cos_theta_bar"], tolerance, what);
      testing::expect_close(group.magnitude, wanted["R_mag"], risk_tolerance, what + " magnitude");
      testing::expect_close(group.direction, wanted["R_dir"], risk_tolerance, what + " direction");
      testing::expect_close(group.clip, wanted["R_clip"], risk_tolerance, what + " clip");
      testing::expect_close(group.clip_over_all_records, wanted["R_clip_prop1"], risk_tolerance,
                            what + " clip over all");
      testing::expect_close(group.non_private_change, wanted["non_private_change"], risk_tolerance,
                            what + " change");
      testing::expect_close(group.eigenvalues.largest, wanted["hessian_max_eigenvalue"], tolerance,
                            what + " largest");
      testing::expect_close(group.eigenvalues.smallest, wanted["hessian_min_eigenvalue"], tolerance,
                            what + " smallest");

      // Traces and products with the directions of the file.
      const std::vector<uint32_t> members = given.members(a);
      const MeanHessian hessian(given.table, *given.model, members, given.theta, 1);
      std::vector<double> signs;
      for (const json& direction : c["rademacher"]) {
        const std::vector<double> one = given.flat(direction);
        append(signs, one);
      }
      testing::expect_close(estimate_trace(hessian, signs).value,
                            wanted["hessian_trace_hutchinson"], tolerance, what + " estimate");
      double trace = 0;
      for (size_t j = 0; j < hessian.size(); ++j) {
        std::vector<double> axis(hessian.size(), 0);
        axis[j] = 1;
        trace += hessian.products(axis)[j];
      }
      testing::expect_close(trace, wanted["hessian_trace"], tolerance, what + " trace");
      const double scale = step.learning_rate * step.noise_stddev / step.batch_size;
      testing::expect_close(trace * scale * scale / 2, wanted["R_noise"], risk_tolerance, what);
      EXPECT_DOUBLE_EQ(group.noise, group.hessian_trace.value * scale * scale / 2) << what;
      EXPECT_NEAR(group.hessian_trace.value, trace,
                  6 * group.hessian_trace.standard_error + 1e-4 * std::fabs(trace))
          << what;
      const std::vector<double> product = hessian.products(given.flat(c["direction"]));
      const std::vector<double> wanted_product = given.flat(wanted["hessian_vector_product"]);
      double largest = 0;
      for (double value : wanted_product) largest = std::max(largest, std::fabs(value));
      for (size_t j = 0; j < product.size(); ++j) {
        EXPECT_NEAR(product[j], wanted_product[j],
                    tolerance["abs"].get<double>() + tolerance["rel"].get<double>() * largest)
            << what << " product " << j;
      }
      for (size_t b = 0; b < num_groups; ++b) {
        testing::expect_close(risk.direction_gap_bound[a * num_groups + b],
                              expected["prop3_lower_bound"][a][b], risk_tolerance, what);
        testing::expect_close(risk.direction_gap_bound_by_eigenvalues[a * num_groups + b],
                              expected["prop3_lower_bound_eigenvalues"][a][b], risk_tolerance,
                              what);
      }
    }
  }
  EXPECT_FALSE(cases.empty());
}

EncodedTable grouped_table() {
  EncodedTable table = testing::mixed_table(200, 3);
  for (size_t i = 0; i < 200; ++i) table.groups.push_back(GroupId(i % 5 == 0 ? 1 : 0));
  return table;
}

/// To second order the risks are the change of the loss itself.
TEST(ExcessiveRisk, TellsWhatAStepDoes) {
  const EncodedTable table = grouped_table();
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{6}, ActivationKind::kTanh});
  const std::vector<double> theta = model->initial_parameters(2);
  std::vector<uint32_t> batch;
  for (uint32_t i = 0; i < 60; ++i) batch.push_back(3 * i);
  const FlatClip clip(0.4);
  const StepSetting step{sum_gradients(table, 2, *model, theta, clip, batch, 60), 60, 0.05, 0};
  const ExcessiveRisk risk = excessive_risk(table, 2, *model, theta, clip, step, {4, 1, false, 2});
  PerSample samples;
  model->per_sample({table, batch}, theta, samples);
  std::vector<double> weights(batch.size());
  clip.weights({samples.squared_norm}, weights);
  std::vector<double> plain(theta.size(), 0);
  std::vector<double> clipped(theta.size(), 0);
  model->add_weighted_sum({table, batch}, samples, std::vector<double>(batch.size(), 1), plain);
  model->add_weighted_sum({table, batch}, samples, weights, clipped);
  const auto loss_after = [&](const std::vector<double>& sum, size_t group) {
    std::vector<double> moved = theta;
    for (size_t j = 0; j < moved.size(); ++j) moved[j] -= 0.05 * sum[j] / 60;
    const std::vector<double> losses = model->predict(table, moved).loss;
    double total = 0;
    for (size_t i = 0; i < losses.size(); ++i) {
      if (index_of(table.groups[i]) == group)
        total += losses[i] / static_cast<double>(risk.groups[group].num_records);
    }
    return total;
  };
  for (size_t a = 0; a < 2; ++a) {
    const double change = loss_after(clipped, a) - loss_after(plain, a);
    EXPECT_NEAR(risk.groups[a].clip, change, 1e-6 + 0.02 * std::fabs(change));
    EXPECT_GT(std::fabs(change), 1e-4);
  }
}

/// Half the squared error of a linear model, of which the second order is all there is. At each of
/// the corners (+-2, +-1) stands a record of group 0, at each of (+-1, +-2) one of group 1:
/// Hessians are diagonal, (4, 1, 1) and (1, 4, 1), and any direction of signs gives their trace.
struct QuadraticGroups {
  explicit QuadraticGroups(std::vector<float> targets) {
    table.num_records = 8;
    table.num_dense = table.num_features = 2;
    table.feature_names = {"x", "y"};
    for (uint32_t i = 0; i < 8; ++i) {
      const bool is_first = i < 4;
      table.dense.push_back((is_first ? 2.0F : 1.0F) * (i % 2 == 0 ? 1.0F : -1.0F));
      table.dense.push_back((is_first ? 1.0F : 2.0F) * (i % 4 < 2 ? 1.0F : -1.0F));
      table.groups.push_back(GroupId(is_first ? 0 : 1));
    }
    table.contributes.assign(8, 1);
    table.targets = std::move(targets);
  }

  LinearModel model() const { return LinearModel(table.feature_names); }

  ExcessiveRisk risk_of(std::span<const double> theta, const StepSetting& step) const {
    return excessive_risk(table, 2, model(), theta, FlatClip(1), step, {2, 1, true, 1});
  }

  /// The mean loss of a group after a step along scale * v.
  double loss_after(size_t group, std::vector<double> theta, double eta, double scale,
                    std::span<const double> v) const {
    for (size_t j = 0; j < theta.size(); ++j) theta[j] -= eta * scale * v[j];
    const std::vector<double> losses = model().predict(table, theta).loss;
    return std::accumulate(losses.begin() + (group == 0 ? 0 : 4),
                           losses.begin() + (group == 0 ? 4 : 8), 0.0) /
           4;
  }

  EncodedTable table;
};

/// Where the loss has no third order, every term is what its step changes, and both ways to split
/// clipping add up with the others to the expected loss after the step.
TEST(ExcessiveRisk, TermsAddUpToTheLossAfterAStep) {
  const QuadraticGroups given({3, -5, 0.5, 1, 7, 0.25, -2, 4});
  const std::vector<double> theta = {0.5, -0.25, 0.125};
  const double eta = 0.25;
  const StepSetting step{sum_gradients(given.table, 2, given.model(), theta, FlatClip(1),
                                       testing::all_records(given.table), 8),
                         8, eta, 4};
  const ExcessiveRisk risk = given.risk_of(theta, step);
  const auto& [plain, clipped] = step.gradients;
  const double r = norm(clipped) / norm(plain);
  EXPECT_DOUBLE_EQ(risk.norm_ratio, r);
  for (size_t a = 0; a < 2; ++a) {
    const GroupRisk& group = risk.groups[a];
    const auto after = [&, a](double scale, std::span<const double> v) {
      return given.loss_after(a, theta, eta, scale, v);
    };
    const double start = after(0, plain);
    EXPECT_NEAR(group.loss, start, 1e-12);
    const auto expect_term = [](double term, double change) {
      EXPECT_NEAR(term, change, 1e-12);
      EXPECT_GT(std::fabs(term), 0.01);
    };
    expect_term(group.non_private_change, after(1, plain) - start);
    expect_term(group.clip, after(1, clipped) - after(1, plain));
    expect_term(group.magnitude, after(r, plain) - after(1, plain));
    expect_term(group.direction, after(1, clipped) - after(r, plain));
    expect_term(group.direction_first, after(1 / r, clipped) - after(1, plain));
    expect_term(group.magnitude_last, after(1, clipped) - after(1 / r, clipped));
    EXPECT_GT(std::fabs(group.direction_first - group.direction), 0.01);

    // Noise of the same covariance on six points: all of it along one axis, either way.
    double expected = 0;
    for (size_t j = 0; j < 3; ++j) {
      for (const double sign : {-1, 1}) {
        std::vector<double> noisy = clipped;
        noisy[j] += sign * std::sqrt(3) * step.noise_stddev / step.batch_size;
        expected += after(1, noisy) / 6;
      }
    }
    expect_term(group.noise, expected - after(1, clipped));
    for (const double clip :
         {group.magnitude + group.direction, group.direction_first + group.magnitude_last})
      EXPECT_NEAR(group.loss + group.non_private_change + clip + group.noise, expected, 1e-12);
  }
}

/// A vector of length 0 has no direction to keep: a step that is clipped to nothing has no
/// direction first, and one that clipping makes of nothing no length first.
TEST(ExcessiveRisk, IsUndefinedWhereAStepHasNoDirection) {
  const QuadraticGroups given({1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<double> theta(3, 0.0);
  const std::vector<double> none(3, 0.0);
  const std::vector<double> some = {1, -2, 0.5};
  const auto first_of = [&](const std::vector<double>& plain, const std::vector<double>& clipped) {
    return given.risk_of(theta, {{plain, clipped}, 8, 0.25, 0}).groups[0];
  };
  const GroupRisk to_nothing = first_of(some, none);
  EXPECT_TRUE(std::isnan(to_nothing.direction_first));
  EXPECT_TRUE(std::isnan(to_nothing.magnitude_last));
  EXPECT_NE(to_nothing.clip, 0);
  EXPECT_EQ(to_nothing.magnitude, to_nothing.clip);
  EXPECT_EQ(to_nothing.direction, 0);

  const GroupRisk of_nothing = first_of(none, some);
  EXPECT_TRUE(std::isnan(of_nothing.magnitude));
  EXPECT_TRUE(std::isnan(of_nothing.direction));
  EXPECT_NE(of_nothing.clip, 0);
  EXPECT_EQ(of_nothing.direction_first, 0);
  EXPECT_EQ(of_nothing.magnitude_last, of_nothing.clip);

  // An empty batch.
  const GroupRisk nothing = first_of(none, none);
  for (const double term : {nothing.clip, nothing.magnitude, nothing.direction,
                            nothing.direction_first, nothing.magnitude_last})
    EXPECT_EQ(term, 0);
}

/// A step from the axis of the largest eigenvalue of one Hessian to that of the other attains both
/// bounds; of this convex loss Eq. 18 of the paper as printed, with |g_B| for its square, says that
/// the gap of direction_first is positive.
TEST(ExcessiveRisk, BoundsBySpectrumAreAttained) {
  // The groups' gradients at 0 are (1, 0, 0) and (0, 0.5, 0).
  QuadraticGroups given(std::vector<float>(8));
  for (size_t i = 0; i < 8; ++i)
    given.table.targets[i] =
        i < 4 ? -given.table.dense[2 * i] / 4 : -given.table.dense[2 * i + 1] / 8;
  const double eta = 0.25;
  const std::vector<double> plain = {4, 0, 0};
  const std::vector<double> clipped = {0, 0.5, 0};
  const ExcessiveRisk risk =
      given.risk_of(std::vector<double>(3, 0.0), {{plain, clipped}, 8, eta, 0});
  const GroupRisk& a = risk.groups[0];
  const GroupRisk& b = risk.groups[1];
  EXPECT_NEAR(a.direction - b.direction, risk.direction_gap_bound_by_spectrum[1], 1e-6);
  EXPECT_NEAR(a.direction_first - b.direction_first, risk.direction_first_gap_bound_by_spectrum[1],
              1e-6);
  EXPECT_NEAR(a.direction_first - b.direction_first, -1.5, 1e-12);
  const auto turn = [](const GroupRisk& group) {
    return group.gradient_norm * (group.cos_unclipped - group.cos_clipped);
  };
  EXPECT_GT(norm(plain) * (turn(a) - turn(b)), norm(plain));  // Eq. 18, times |g_a|
  EXPECT_LE(eta * a.eigenvalues.largest, 1 + 1e-6);
}

/// Of one step of a small network.
ExcessiveRisk small_risk(const RiskEffort& effort) {
  const EncodedTable table = grouped_table();
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{6}, ActivationKind::kTanh});
  const std::vector<double> theta = model->initial_parameters(2);
  const std::vector<uint32_t> batch = {1, 5, 9};
  const StepSetting step{sum_gradients(table, 2, *model, theta, FlatClip(1), batch, 3), 3, 0.1, 1};
  return excessive_risk(table, 2, *model, theta, FlatClip(1), step, effort);
}

TEST(ExcessiveRisk, DoesNotDependOnThreads) {
  const ExcessiveRisk one = small_risk({20, 1, true, 1});
  const ExcessiveRisk many = small_risk({20, 1, true, 4});
  for (size_t a = 0; a < 2; ++a) {
    EXPECT_EQ(one.groups[a].hessian_trace.value, many.groups[a].hessian_trace.value);
    EXPECT_EQ(one.groups[a].eigenvalues.largest, many.groups[a].eigenvalues.largest);
    EXPECT_EQ(one.groups[a].clip, many.groups[a].clip);
  }
}

/// Records that a rule dropped, or without a finite loss, are nobody's; an empty group is all
/// zeros.
TEST(ExcessiveRisk, LeavesOutWhatHasNoLoss) {
  EncodedTable table = grouped_table();
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{6}, ActivationKind::kTanh});
  const std::vector<double> theta = model->initial_parameters(2);
  table.contributes[3] = 0;
  table.dense[3 * 7] = std::nanf("");
  const std::vector<uint32_t> batch = {1, 3, 7};
  const GradientSums sums = sum_gradients(table, 3, *model, theta, FlatClip(1), batch, 3);
  const ExcessiveRisk risk =
      excessive_risk(table, 3, *model, theta, FlatClip(1), {sums, 3, 0.1, 1}, {4, 1, true, 1});
  EXPECT_EQ(risk.groups[0].num_records, 158);
  // Of the batch only record 1 counts.
  const std::vector<uint32_t> one = {1};
  const GradientSums of_one = sum_gradients(table, 3, *model, theta, FlatClip(1), one, 3);
  EXPECT_EQ(sums.plain, of_one.plain);
  EXPECT_EQ(sums.clipped, of_one.clipped);
  EXPECT_EQ(risk.gradient_norm, norm(of_one.plain));
  EXPECT_TRUE(std::isfinite(risk.groups[0].clip));
  EXPECT_EQ(risk.groups[2].num_records, 0);
  EXPECT_EQ(risk.groups[2].clip, 0);
}

/// Convex losses, and steps as short as the bounds want them.
TEST(ExcessiveRisk, GapsAreAboveTheirBounds) {
  EncodedTable table = grouped_table();
  std::vector<std::unique_ptr<Layer>> none;
  const Network model("linear", std::make_unique<TableDense>(table.feature_names, 2),
                      std::move(none), make_softmax_loss(2));
  std::vector<uint32_t> all(200);
  std::iota(all.begin(), all.end(), 0U);
  int num_positive = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<double> theta = model.initial_parameters(seed);
    for (double& value : theta) value *= 10;
    // Groups that differ as much as they can: one of them is sorted by its label.
    for (size_t i = 0; i < 200; ++i)
      table.groups[i] = GroupId(seed % 2 == 0 ? table.labels[i] : (i % 5 == 0 ? 1 : 0));
    const FlatClip clip(0.05 * static_cast<double>(seed));
    const auto batch = std::span<const uint32_t>(all).first(10 * seed);
    const auto size = static_cast<double>(batch.size());
    const StepSetting step{sum_gradients(table, 2, model, theta, clip, batch, size), size, 0.05, 0};
    const ExcessiveRisk risk = excessive_risk(table, 2, model, theta, clip, step, {0, 1, true, 1});
    ASSERT_TRUE(risk.step_size_condition);
    EXPECT_TRUE(std::isnan(risk.groups[0].noise));
    for (const auto& [a, b] : {std::pair<size_t, size_t>(0, 1), {1, 0}}) {
      const GroupRisk& first = risk.groups[a];
      const GroupRisk& second = risk.groups[b];
      EXPECT_GE(first.clip_over_all_records - second.clip_over_all_records,
                risk.clip_gap_bound[a * 2 + b]);
      EXPECT_GE(first.direction - second.direction, risk.direction_gap_bound[a * 2 + b]);
      EXPECT_GE(first.direction_first - second.direction_first,
                risk.direction_first_gap_bound_by_spectrum[a * 2 + b]);
      num_positive += risk.clip_gap_bound[a * 2 + b] > 0 ? 1 : 0;
    }
  }
  // Some say something.
  EXPECT_GT(num_positive, 0);
}

TEST(ExcessiveRisk, NothingIsKnownOfAModelThatIsNotFinite) {
  const EncodedTable table = grouped_table();
  std::vector<std::unique_ptr<Layer>> none;
  const Network model("linear", std::make_unique<TableDense>(table.feature_names, 2),
                      std::move(none), make_softmax_loss(2));
  const std::vector<double> theta(model.num_parameters(), std::nan(""));
  const FlatClip clip(1);
  const std::vector<uint32_t> batch = {0, 1, 2};
  const StepSetting step{sum_gradients(table, 2, model, theta, clip, batch, 3), 3, 0.05, 0};
  EXPECT_FALSE(
      excessive_risk(table, 2, model, theta, clip, step, {0, 1, true, 1}).step_size_condition);
}

/// Whichever call it is that throws.
TEST(ExcessiveRisk, EndsWhereItIsInterrupted) {
  const auto calls_until = [&](int last) {
    int num_calls = 0;
    RiskEffort effort{20, 1, true, 1};
    effort.check_interruption = [&] {
      if (++num_calls == last) throw Error(ErrorKind::kRuntime, "tests", "stop");
    };
    if (last > 0) {
      EXPECT_THROW(small_risk(effort), Error);
    } else {
      small_risk(effort);
    }
    return num_calls;
  };
  // Of each group the gradients, the batch's curvature, blocks of directions, the eigenvalues.
  const int all = calls_until(0);
  EXPECT_GE(all, 2 * (1 + 1 + 3 + 2));
  for (int last = 1; last <= all; ++last) EXPECT_EQ(calls_until(last), last);
}

TEST(ExcessiveRisk, NeedsGroups) {
  const EncodedTable table = testing::mixed_table(10, 1);
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{6}, ActivationKind::kTanh});
  EXPECT_THROW(excessive_risk(table, 1, *model, model->initial_parameters(1), FlatClip(1), {}, {}),
               Error);
}

}  // namespace equinoise::excessive_risk_test

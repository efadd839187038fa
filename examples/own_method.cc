// SPDX-License-Identifier: Apache-2.0
// A training method of one's own: DP-SGD with a clip that treats all gradients smoothly. It is
// planned, charged and run like those of the library, which need not know it.
#include <cstdio>
#include <memory>
#include <string>

#include "equinoise/data/encoder.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/registry.h"

using namespace equinoise;

namespace {

/// Scales a gradient g to max_grad_norm * g / (|g| + offset): never longer than max_grad_norm, and
/// short gradients keep their order by length.
class SmoothClip final : public ClipPolicy {
 public:
  SmoothClip(double max_grad_norm, double offset)
      : max_grad_norm_(max_grad_norm), offset_(offset) {}

  // The noise is calibrated to this bound. A weight with which a gradient would be longer is cut.
  double bound() const override { return max_grad_norm_; }

  double weight(double norm, GroupId, double bound) const override {
    return bound / (norm + offset_);
  }

 private:
  double max_grad_norm_;
  double offset_;
};

/// Relation: zero_out. Sensitivity of a step: max_grad_norm in L2. Cost: num_steps Poisson-sampled
/// Gaussian releases.
class SmoothDpSgd final : public NoisyGradientMethod {
 public:
  const MethodTraits& traits() const override {
    static constexpr MethodTraits kTraits = {.name = "smooth_dpsgd",
                                             .status = PrivacyStatus::kPrivate};
    return kTraits;
  }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    return plan_noisy_gradients("smooth_dpsgd", config, facts);
  }
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts&) const override {
    return std::make_unique<SmoothClip>(config.max_grad_norm, 0.01);
  }
};

constexpr const char* kSchema = R"(schema = "equinoise/1"
dataset = "points"
reviewed = true
target = "side"
[public]
num_records = 4000
[columns.x]
type = "numeric"
bounds = [-1, 1]
scale = "symmetric"
[columns.y]
type = "numeric"
bounds = [-1, 1]
scale = "symmetric"
[columns.side]
type = "categorical"
values = ["below", "above"]
)";

/// Points of a lattice, labelled by the side of a line on which they lie.
Dataset made_up_points(const Schema& schema) {
  Dataset points;
  points.num_records = schema.num_records;
  points.numeric = {{"x", {}}, {"y", {}}};
  points.categorical = {{"side", schema.column("side").categories(), {}}};
  for (int64_t i = 0; i < points.num_records; ++i) {
    const double x = static_cast<double>(i % 63) / 31 - 1;
    const double y = static_cast<double>(i % 101) / 50 - 1;
    points.numeric[0].values.push_back(x);
    points.numeric[1].values.push_back(y);
    points.categorical[0].codes.push_back(y > 0.5 * x ? 1 : 0);
    points.contributes.push_back(1);
  }
  return points;
}

/// The share of records that a model trained by the method classifies correctly.
double accuracy_of(const TrainingMethod& method, const EncodedTable& table, const Model& model) {
  TrainingConfig config;
  config.epsilon = 1;
  config.num_steps = 200;
  config.batch_size = 200;
  const TrainingPlan plan =
      method.plan(config, {table.num_records, model.num_parameters(), model.sum_error(1)});

  // NOT PRIVATE: seeded noise and an unpaid charge, for a run that prints the same every time. A
  // private run has a SecureSource and the charge of Ledger::reserve(..., plan.events(), ...).
  SeededSource source(7);
  Charge charge = Charge::unpaid(plan.events(), config.relation, source);
  StepObserver nobody;
  const TrainedModel trained =
      method.run({table, model, plan, TrainingState::start(model.initial_parameters(0)),
                  std::move(charge), source, nobody});

  const Predictions predictions = model.predict(table, trained.parameters);
  int64_t right = 0;
  for (size_t i = 0; i < table.labels.size(); ++i)
    right += predictions.predicted[i] == table.labels[i] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(table.num_records);
}

}  // namespace

int main() {
  const Schema schema = parse_schema(kSchema, "points");
  const EncodedTable table = encode(made_up_points(schema), schema);
  const std::unique_ptr<Model> model = make_model("auto", schema);
  std::printf("NOT PRIVATE: the noise of these runs is seeded, and accuracy is measured exactly\n");
  std::printf("smooth_dpsgd: accuracy %.3f\n", accuracy_of(SmoothDpSgd(), table, *model));
  std::printf("dpsgd: accuracy %.3f\n",
              accuracy_of(*find_training_method("dpsgd").make(), table, *model));
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/models/losses/loss.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// A model whose scores are linear in the features: z = theta^T (x, 1).
///
/// Parameters: (num_features + 1, num_scores), the bias row last. The gradient of a record's loss
/// at its scores, the residuals, is the output gradient of PerSample. At the parameters it is (x,
/// 1) residuals^T, with squared norm |residuals|^2 (|x|^2 + 1). A kind of model is a loss and a
/// name.
class GeneralisedLinearModel : public Model {
 public:
  size_t num_features() const final { return feature_names_.size(); }

  size_t num_classes() const final { return loss_->num_classes(); }

  size_t num_parameters() const final { return (feature_names_.size() + 1) * loss_->num_scores(); }

  size_t num_outputs() const final { return loss_->num_scores(); }

  /// The features' names and "bias", for one score.
  std::vector<std::string> parameter_names() const override;

  void score(const TableRows& rows, std::span<const double> parameters, PerSample& out) const final;
  void losses(const TableRows& rows, const PerSample& scored, std::span<double> losses) const final;
  /// The squared norm of a record with a score that is not finite is NaN.
  void differentiate(const TableRows& rows, std::span<const double> added,
                     PerSample& out) const final;
  using Model::add_weighted_sum;
  void add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                       const PerSample& samples, std::span<const double> weights,
                       const SumScale& scale, std::span<int64_t> units) const final;
  void add_weighted_sum(const TableRows& rows, const PerSample& samples,
                        std::span<const double> weights, std::span<double> sum) const final;
  void sum_gradients(const TableRows& rows, const PerSample& samples, size_t place,
                     std::span<const double> weights, GradientSum& sum) const final;

  void add_hessian_products(const TableRows& rows, std::span<const double> parameters,
                            std::span<const double> weights, std::span<const double> directions,
                            std::span<double> products) const final;

  void directional_derivatives(const TableRows& rows, const PerSample& samples,
                               std::span<const double> direction,
                               std::span<double> derivatives) const final;
  void add_residual_gradient(const TableRows& rows, std::span<const double> parameters,
                             std::span<const double> coefficients,
                             std::span<double> sum) const final;

  Predictions predict(const EncodedTable& table, std::span<const double> parameters,
                      int threads = 1) const final;
  std::vector<ScorePart> parts(const EncodedTable& table, uint32_t record,
                               std::span<const double> parameters) const final;

 protected:
  GeneralisedLinearModel(std::vector<std::string> feature_names, std::unique_ptr<Loss> loss);

 private:
  std::vector<std::string> feature_names_;
  std::unique_ptr<Loss> loss_;
};

/// The parameters with the same scores whose mean over each one-hot block is 0, so that no category
/// is the one that others of its column are compared with. (features, bias) times `num_outputs`, of
/// a linear or additive model, or of one per group after another; `table`: of table_of_parts.
std::vector<double> centred(std::vector<double> parameters, size_t num_outputs,
                            const EncodedTable& table);

/// Logistic regression: two classes, one logit, the logistic loss.
class LogisticModel final : public GeneralisedLinearModel {
 public:
  /// Errors: kInput unless `classes` has exactly two entries.
  LogisticModel(std::vector<std::string> feature_names, const std::vector<std::string>& classes);

  std::string name() const override { return "logistic"; }
};

/// Multinomial logistic regression: K >= 2 classes, a score for each, the softmax loss.
class SoftmaxModel final : public GeneralisedLinearModel {
 public:
  /// Errors: kInput for fewer than two classes.
  SoftmaxModel(std::vector<std::string> feature_names, std::vector<std::string> classes);

  std::string name() const override { return "softmax"; }
  /// "age -> CLASS", the class varies fastest.
  std::vector<std::string> parameter_names() const override;

 private:
  std::vector<std::string> classes_;
};

/// Linear regression: a number, one score, half the squared error. Training starts with the public
/// guess `start` as the prediction for every record.
class LinearModel final : public GeneralisedLinearModel {
 public:
  explicit LinearModel(std::vector<std::string> feature_names, double start = 0)
      : GeneralisedLinearModel(std::move(feature_names), make_squared_loss()), start_(start) {}

  std::string name() const override { return "linear"; }
  std::vector<double> initial_parameters(uint64_t seed) const override {
    std::vector<double> parameters = Model::initial_parameters(seed);
    parameters.back() = start_;
    return parameters;
  }

 private:
  double start_;
};

/// A linear classifier of two classes by one score and the hinge loss. Its gradient is a
/// subgradient at the kink, and its Hessian is 0 elsewhere. [CortesVapnik1995]
class HingeModel final : public GeneralisedLinearModel {
 public:
  /// Errors: kInput unless `classes` has exactly two entries.
  HingeModel(std::vector<std::string> feature_names, const std::vector<std::string>& classes);

  std::string name() const override { return "hinge"; }
};

}  // namespace equinoise

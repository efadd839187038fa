// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/best_parameters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/train/worst_group/regularised_maximum.h"

namespace equinoise {

namespace {

/// The mean loss of all records as that of one group.
class EverybodyAlike final : public GroupLosses {
 public:
  explicit EverybodyAlike(const GroupedRecords& records) : records_(records) {
    for (const int64_t size : records.group_sizes()) {
      shares_.push_back(static_cast<double>(size) / static_cast<double>(records.num_records()));
    }
  }
  size_t num_parameters() const override { return records_.num_parameters(); }
  size_t num_groups() const override { return 1; }
  void evaluate(std::span<const double> parameters, std::span<double> losses,
                std::span<double> gradients) const override {
    std::vector<double> of_groups(shares_.size());
    std::vector<double> parts(shares_.size() * num_parameters());
    records_.evaluate(parameters, of_groups, parts);
    losses[0] = std::inner_product(shares_.begin(), shares_.end(), of_groups.begin(), 0.0);
    std::fill(gradients.begin(), gradients.end(), 0.0);
    for (size_t k = 0; k < shares_.size(); ++k)
      for (size_t j = 0; j < gradients.size(); ++j)
        gradients[j] += shares_[k] * parts[k * gradients.size() + j];
  }
  void hessian_product(std::span<const double> parameters, std::span<const double> weights,
                       std::span<const double> direction,
                       std::span<double> product) const override {
    std::vector<double> shares = shares_;
    for (double& share : shares) share *= weights[0];
    records_.hessian_product(parameters, shares, direction, product);
  }

 private:
  const GroupedRecords& records_;
  std::vector<double> shares_;
};

constexpr double kLittleCurvature = 1e-6;

}  // namespace

std::vector<double> best_on_average(const GroupedRecords& records) {
  const Regularisation terms = {std::vector<double>(records.num_parameters()), kLittleCurvature, 1};
  return minimise_maximum(EverybodyAlike(records), terms, 1e-3).parameters;
}

std::vector<double> best_for_worst_group(const GroupedRecords& records) {
  // Each stage starts at the end of the one before it; its curvature pulls it back there.
  Regularisation terms = {std::vector<double>(records.num_parameters()), kLittleCurvature, 0.1};
  const double last = 1e-4 / std::max(1.0, std::log(static_cast<double>(records.num_groups())));
  for (;;) {
    terms.center = minimise_maximum(records, terms, 1e-3).parameters;
    if (terms.mu_lambda <= last) return terms.center;
    terms.mu_lambda = std::max(terms.mu_lambda / 10, last);
  }
}

}  // namespace equinoise

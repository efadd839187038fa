// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tables/tree_fit.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>
#include <random>

namespace equinoise::tree_fit_test {

/// What each entry adds up: (entries, cells).
Eigen::MatrixXd design_of(const CellTree& tree) {
  Eigen::MatrixXd design(tree.num_entries(), tree.num_cells);
  for (size_t cell = 0; cell < tree.num_cells; ++cell) {
    std::vector<int64_t> one(tree.num_cells);
    one[cell] = 1;
    const std::vector<int64_t> entries = tree.entries_of(one);
    for (size_t i = 0; i < entries.size(); ++i) {
      design(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(cell)) =
          static_cast<double>(entries[i]);
    }
  }
  return design;
}

struct Case {
  CellTree tree;
  std::vector<int64_t> entries;
};

std::vector<Case> cases() {
  std::mt19937_64 random(7);
  std::vector<Case> all;
  for (const CellTree& tree : {CellTree{5, 0}, CellTree{8, 2}, CellTree{16, 4}, CellTree{4, 4}}) {
    Case one{tree, {}};
    for (size_t i = 0; i < tree.num_entries(); ++i)
      one.entries.push_back(std::uniform_int_distribution<int64_t>(-20, 200)(random));
    all.push_back(std::move(one));
  }
  return all;
}

/// The dense normal equations of one figure with variance 3 for each entry.
TEST(TreeFit, IsLeastSquares) {
  constexpr double kVariance = 3;
  for (const Case& one : cases()) {
    const TreeFit fit(one.tree, kVariance);
    const Eigen::MatrixXd design = design_of(one.tree);
    const Eigen::MatrixXd covariance = kVariance * (design.transpose() * design).inverse();
    Eigen::VectorXd entries(one.entries.size());
    for (size_t i = 0; i < one.entries.size(); ++i)
      entries[static_cast<Eigen::Index>(i)] = static_cast<double>(one.entries[i]);
    const Eigen::VectorXd expected = covariance * design.transpose() * entries / kVariance;
    const double total = fit.total(one.entries);
    EXPECT_NEAR(total, expected.sum(), 1e-8);
    EXPECT_NEAR(fit.total_variance(), covariance.sum(), 1e-8);
    const std::vector<double> cells = fit.cells(one.entries, total);
    for (size_t i = 0; i < cells.size(); ++i)
      EXPECT_NEAR(cells[i], expected[static_cast<Eigen::Index>(i)], 1e-8);
    // Of any sum the variance is that given the total, and that of the total by its slope.
    Eigen::VectorXd weights(cells.size());
    for (Eigen::Index i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i * i) - 3;
    const TreeFit::Sum sum = fit.sum_of({weights.data(), cells.size()});
    EXPECT_NEAR(sum.variance + sum.slope * sum.slope * fit.total_variance(),
                weights.dot(covariance * weights), 1e-6);
    EXPECT_NEAR(sum.slope * fit.total_variance(), (covariance * weights).sum(), 1e-6)
        << "the covariance with the total";
  }
}

TEST(TreeFit, CellsAddUpToTheTotalThatIsGiven) {
  for (const Case& one : cases()) {
    const TreeFit fit(one.tree, 2);
    const std::vector<double> cells = fit.cells(one.entries, 1234.5);
    EXPECT_NEAR(std::accumulate(cells.begin(), cells.end(), 0.0), 1234.5, 1e-9);
  }
}

}  // namespace equinoise::tree_fit_test

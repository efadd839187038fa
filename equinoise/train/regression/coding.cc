// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/coding.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace equinoise {

namespace {

std::string category_of(const std::string& feature) {
  return feature.substr(feature.find('=') + 1);
}

}  // namespace

Coding coding_of(const Eigen::VectorXd& sums, double stddev, const EncodedTable& table) {
  Coding coding;
  coding.references.assign(table.num_features, -1);
  const auto keep = [&](size_t feature, std::string name) {
    coding.kept.push_back(static_cast<Eigen::Index>(feature));
    coding.names.push_back(std::move(name));
  };
  const auto weight = [&](size_t feature) { return sums(static_cast<Eigen::Index>(feature)); };
  for (size_t j = 0; j < table.num_dense; ++j) keep(j, table.feature_names[j]);
  for (size_t b = 0; b < table.blocks.size(); ++b) {
    const size_t begin = table.blocks[b];
    const size_t end = b + 1 < table.blocks.size() ? table.blocks[b + 1] : table.num_features;
    size_t largest = begin;
    for (size_t j = begin; j < end; ++j)
      if (weight(j) > weight(largest)) largest = j;
    std::fill(coding.references.begin() + static_cast<std::ptrdiff_t>(begin),
              coding.references.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<Eigen::Index>(largest));
    for (size_t j = begin; j < end; ++j) {
      if (j == largest) continue;
      std::string name = fmt::format("{} (against {})", table.feature_names[j],
                                     category_of(table.feature_names[largest]));
      if (weight(j) < kHiddenBelow * stddev || weight(j) < 1) {
        coding.hidden.push_back(
            {std::move(name), static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(largest)});
      } else {
        keep(j, std::move(name));
      }
    }
  }
  return coding;
}

Coding without_collinear(const Coding& coding, const Eigen::MatrixXd& matrix,
                         const Eigen::MatrixXd& variances, double least_rest) {
  constexpr double kRoundingOfRest = 1e-10;  // of what a feature is about its mean
  constexpr double kLeastOwn = 0.05;         // of that, what others do not say
  const auto size = static_cast<Eigen::Index>(coding.kept.size()) + 1;
  Coding found{{}, {}, coding.hidden, coding.references};
  // A Cholesky factor that grows by a row for each feature that is kept.
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(size, size);
  std::vector<Eigen::Index> places;  // of the matrix: the constant, then the features kept
  for (Eigen::Index k = -1; k + 1 < size; ++k) {
    const Eigen::Index place = k < 0 ? size - 1 : k;
    const auto num_kept = static_cast<Eigen::Index>(places.size());
    const auto lower = factor.topLeftCorner(num_kept, num_kept).triangularView<Eigen::Lower>();
    const Eigen::VectorXd row = lower.solve(matrix(places, place));
    const Eigen::VectorXd as_others = lower.transpose().solve(row);
    const double rest = matrix(place, place) - row.squaredNorm();
    std::vector<Eigen::Index> all = places;
    all.push_back(place);
    Eigen::VectorXd squares(num_kept + 1);
    squares << as_others.cwiseAbs2(), 1;
    const Eigen::MatrixXd of_all = variances(all, all);
    // An entry beside the diagonal and its mirror image are one draw.
    const double variance =
        2 * squares.dot(of_all * squares) - squares.cwiseAbs2().dot(of_all.diagonal());
    const double stddev = std::sqrt(variance);
    const double own = k < 0 ? rest
                             : matrix(place, place) - matrix(size - 1, place) *
                                                          matrix(size - 1, place) /
                                                          matrix(size - 1, size - 1);
    const bool is_hidden = !(rest > kHiddenBelow * stddev) || !(rest > kRoundingOfRest * own);
    const bool is_collinear = is_hidden && rest + kHiddenBelow * stddev <= kLeastOwn * own;
    const bool is_weak =
        least_rest > 0 && (is_hidden || !(rest >= least_rest * std::sqrt(squares.sum())));
    if (k >= 0 && (is_collinear || is_weak)) {
      const Eigen::Index feature = coding.kept[static_cast<size_t>(k)];
      found.hidden.push_back({coding.names[static_cast<size_t>(k)], feature,
                              coding.references[static_cast<size_t>(feature)]});
      continue;
    }
    // Noise hides whether the others say it.
    if (!(rest > 0)) return coding;
    factor.row(num_kept).head(num_kept) = row.transpose();
    factor(num_kept, num_kept) = std::sqrt(rest);
    places.push_back(place);
    if (k < 0) continue;
    found.kept.push_back(coding.kept[static_cast<size_t>(k)]);
    found.names.push_back(coding.names[static_cast<size_t>(k)]);
  }
  return found;
}

std::vector<Coefficient> rows_of(const Coding& coding) {
  std::vector<Coefficient> rows;
  for (const std::string& name : coding.names) rows.push_back({name});
  rows.push_back({"intercept"});
  for (const Coding::Hidden& hidden : coding.hidden) rows.push_back({hidden.name});
  return rows;
}

Eigen::MatrixXd in_units_of_columns(const Coding& coding, const EncodedTable& table) {
  const auto p = static_cast<Eigen::Index>(coding.kept.size());
  Eigen::MatrixXd natural = Eigen::MatrixXd::Zero(p + 1, p + 1);
  for (Eigen::Index j = 0; j < p; ++j) {
    const NumberScale scale =
        table.scale_of(static_cast<size_t>(coding.kept[static_cast<size_t>(j)]));
    // A number is offset + width x.
    const double offset = scale.offset + scale.divisor * scale.middle;
    const double width = scale.divisor * scale.half_width;
    natural(j, j) = 1 / width;
    natural(p, j) = -offset / width;
  }
  natural(p, p) = 1;
  return natural;
}

}  // namespace equinoise

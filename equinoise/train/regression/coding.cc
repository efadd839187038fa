// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/coding.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/train/regression/matrix_noise.h"

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

Coding without_hidden(const Coding& coding, const Eigen::MatrixXd& matrix,
                      const Eigen::MatrixXd& variances, double least) {
  constexpr double kRoundingOfRest = 1e-10;  // relative to a feature's square about its mean
  const auto size = static_cast<Eigen::Index>(coding.kept.size()) + 1;
  Coding found{{}, {}, coding.hidden, coding.references};
  // A Cholesky factor that grows by a row for each kept feature.
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(size, size);
  std::vector<Eigen::Index> places;  // in the matrix: the constant, then the kept features
  const auto hide = [&](size_t k) {
    const Eigen::Index feature = coding.kept[k];
    found.hidden.push_back(
        {coding.names[k], feature, coding.references[static_cast<size_t>(feature)]});
  };
  for (Eigen::Index k = -1; k + 1 < size; ++k) {
    const Eigen::Index place = k < 0 ? size - 1 : k;
    const auto num_kept = static_cast<Eigen::Index>(places.size());
    const auto lower = factor.topLeftCorner(num_kept, num_kept).triangularView<Eigen::Lower>();
    const Eigen::VectorXd row = lower.solve(matrix(places, place));
    const double rest = matrix(place, place) - row.squaredNorm();
    std::vector<Eigen::Index> all = places;
    all.push_back(place);
    Eigen::VectorXd v(num_kept + 1);
    v << lower.transpose().solve(row), -1;
    const double stddev = std::sqrt(mean_of_products(variances(all, all), v, v, v, v));
    const double own = matrix(place, place) - (num_kept > 0 ? row(0) * row(0) : 0);
    if (!(rest > least * stddev) || !(rest > kRoundingOfRest * own)) {
      if (k >= 0) {
        hide(static_cast<size_t>(k));
        continue;
      }
      for (size_t j = 0; j < coding.kept.size(); ++j) hide(j);
      return found;
    }
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

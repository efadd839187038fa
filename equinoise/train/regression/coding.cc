// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/coding.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/train/regression/matrix_noise.h"

namespace equinoise {

namespace {

std::string category_of(const std::string& feature) {
  return feature.substr(feature.find('=') + 1);
}

/// "race=Black" of "race=Black (against White)".
std::string feature_of(const std::string& name) { return name.substr(0, name.find(" (against ")); }

double stddev_of_square(const MatrixNoise& noise, const Eigen::VectorXd& v) {
  return std::sqrt(mean_of_products(noise, v, v, v, v));
}

/// The reason why feature k of the coding has no coefficient next to others. v: (kept + 1) a
/// multiple of its regression on the others and the constant, with the opposite sign, and of 1.
/// least: the standard deviations of noise up to which it is hidden by itself.
std::string why_hidden(const Coding& coding, const NoisyMatrix& moments, size_t k,
                       const Eigen::VectorXd& v, double least) {
  constexpr double kAlike = 0.25;  // of its variation is what the others leave at most
  const Eigen::MatrixXd& matrix = moments.matrix;
  const Eigen::Index last = matrix.rows() - 1;
  const auto place = static_cast<Eigen::Index>(k);
  const auto about_mean = [&](Eigen::Index i, Eigen::Index j) {
    return matrix(i, j) - matrix(i, last) * matrix(j, last) / matrix(last, last);
  };
  const auto most_left = [&](const Eigen::VectorXd& w) {
    return w.dot(matrix * w) + kNormalQuantile * stddev_of_square(moments.noise, w);
  };
  Eigen::VectorXd w = Eigen::VectorXd::Zero(v.size());
  w(place) = 1;
  w(last) = -matrix(place, last) / matrix(last, last);
  const double own = about_mean(place, place);
  if (!(own > least * stddev_of_square(moments.noise, w))) return "noise hides how it varies";
  if (!(most_left(v) <= kAlike * own * v(place) * v(place)))
    return "noise hides what the other columns leave of it";
  Eigen::Index closest = last;
  double largest = 0;  // what one other column explains
  for (Eigen::Index j = 0; j < last; ++j) {
    const double explained = std::pow(about_mean(place, j), 2) / about_mean(j, j);
    if (j == place || v(j) == 0 || !(explained > largest)) continue;
    closest = j;
    largest = explained;
  }
  if (closest != last) {
    const double slope = about_mean(place, closest) / about_mean(closest, closest);
    w(closest) = -slope;
    w(last) += slope * matrix(closest, last) / matrix(last, last);
    if (most_left(w) <= kAlike * own)
      return fmt::format("nearly the same as {}",
                         feature_of(coding.names[static_cast<size_t>(closest)]));
  }
  return "other columns together are nearly the same";
}

/// Numbers in their order, then categories from the most frequent one.
std::vector<Eigen::Index> order_of(const Coding& coding, const Eigen::MatrixXd& matrix) {
  std::vector<Eigen::Index> order = numbers_below<Eigen::Index>(coding.kept.size());
  const auto count = [&](Eigen::Index k) {
    const bool is_number = coding.references[static_cast<size_t>(coding.kept[k])] < 0;
    return is_number ? std::numeric_limits<double>::infinity() : matrix(k, k);
  };
  std::ranges::stable_sort(order, std::greater<>(), count);
  return order;
}

using GiveUp = std::function<void(size_t k, const Eigen::VectorXd& v)>;

/// The places of features whose remainder next to the constant and those before is not hidden.
std::vector<Eigen::Index> kept_in_order(const Coding& coding, const NoisyMatrix& moments,
                                        double least, const GiveUp& give_up) {
  constexpr double kRoundingOfRest = 1e-10;  // relative to a feature's square about its mean
  const Eigen::MatrixXd& matrix = moments.matrix;
  const Eigen::Index last = matrix.rows() - 1;
  // A Cholesky factor that grows by a row for each kept feature.
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(last + 1, last + 1);
  std::vector<Eigen::Index> places;
  std::vector<Eigen::Index> order = order_of(coding, matrix);
  order.insert(order.begin(), last);
  for (const Eigen::Index place : order) {
    const auto num_kept = static_cast<Eigen::Index>(places.size());
    const auto lower = factor.topLeftCorner(num_kept, num_kept).triangularView<Eigen::Lower>();
    const Eigen::VectorXd row = lower.solve(matrix(places, place));
    const double rest = matrix(place, place) - row.squaredNorm();
    Eigen::VectorXd v = Eigen::VectorXd::Zero(last + 1);
    v(places) = Eigen::VectorXd(lower.transpose().solve(row));
    v(place) = -1;
    const double own = matrix(place, place) - (num_kept > 0 ? row(0) * row(0) : 0);
    if (!(rest > least * stddev_of_square(moments.noise, v)) || !(rest > kRoundingOfRest * own)) {
      if (place == last) return {};
      give_up(static_cast<size_t>(place), v);
      continue;
    }
    factor.row(num_kept).head(num_kept) = row.transpose();
    factor(num_kept, num_kept) = std::sqrt(rest);
    places.push_back(place);
  }
  places.erase(places.begin());
  return places;
}

/// Removes places until noise hides none of those left next to all the others: in each round the
/// weakest of them, whose noise also takes the most from the others.
void remove_weak(const NoisyMatrix& moments, double least, const GiveUp& give_up,
                 std::vector<Eigen::Index>& kept) {
  constexpr size_t kPartOfWeak = 8;  // removed at once, for many columns
  while (!kept.empty()) {
    const NoisyMatrix part = moments.part(kept);
    const std::optional<Eigen::MatrixXd> inverse = inverse_of_moments(part.matrix);
    if (!inverse) return;
    const Eigen::MatrixXd second_order = mean_of_second_order(part.noise, *inverse);
    const Eigen::VectorXd rest = inverse->diagonal().head(part.matrix.rows() - 1).cwiseInverse();
    const Eigen::VectorXd hidden = largest_hidden(
        part.noise, second_order, inverse->leftCols(rest.size()) * rest.asDiagonal(), least);
    std::vector<std::pair<double, size_t>> weak;
    for (size_t k = 0; k < kept.size(); ++k) {
      const auto place = static_cast<Eigen::Index>(k);
      if (!(rest(place) > hidden(place))) weak.emplace_back(rest(place) / hidden(place), k);
    }
    if (weak.empty()) return;
    std::ranges::sort(weak);
    weak.resize(1 + (weak.size() - 1) / kPartOfWeak);
    std::ranges::sort(weak, std::greater<>(), &std::pair<double, size_t>::second);
    std::vector<Eigen::Index> places = kept;
    places.push_back(moments.matrix.rows() - 1);
    for (const auto& [ratio, k] : weak) {
      Eigen::VectorXd v = Eigen::VectorXd::Zero(moments.matrix.rows());
      v(places) = Eigen::VectorXd(inverse->col(static_cast<Eigen::Index>(k)));
      give_up(static_cast<size_t>(kept[k]), v);
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
}

}  // namespace

NoisyMatrix with_known_categories(NoisyMatrix moments, const EncodedTable& table) {
  Eigen::MatrixXd& matrix = moments.matrix;
  Eigen::MatrixXd& variances = moments.noise.variances;
  const Eigen::Index last = matrix.rows() - 1;
  for (size_t b = 0; b < table.blocks.size(); ++b) {
    const auto begin = static_cast<Eigen::Index>(table.blocks[b]);
    const auto end =
        b + 1 < table.blocks.size() ? static_cast<Eigen::Index>(table.blocks[b + 1]) : last;
    const Eigen::Index size = end - begin;
    const Eigen::ArrayXd first = matrix.diagonal().segment(begin, size);
    const Eigen::ArrayXd second = matrix.col(last).segment(begin, size);
    const Eigen::ArrayXd of_first = variances.diagonal().segment(begin, size);
    const Eigen::ArrayXd of_second = variances.col(last).segment(begin, size);
    const Eigen::ArrayXd sum = of_first + of_second;
    const Eigen::ArrayXd part = (sum > 0).select(of_second / sum, 0.5);
    const Eigen::VectorXd counts = part * first + (1 - part) * second;
    matrix.block(begin, begin, size, size) = counts.asDiagonal();
    matrix.col(last).segment(begin, size) = counts;
    matrix.row(last).segment(begin, size) = counts.transpose();
    moments.noise.shared.segment(begin, size) = part * of_first;
    variances.block(begin, begin, size, size).setZero();
    variances.col(last).segment(begin, size).setZero();
    variances.row(last).segment(begin, size).setZero();
  }
  return moments;
}

Coding coding_of(const NoisyMatrix& moments, const EncodedTable& table, double least) {
  Coding coding;
  coding.references.assign(table.num_features, -1);
  const auto keep = [&](size_t feature, std::string name) {
    coding.kept.push_back(static_cast<Eigen::Index>(feature));
    coding.names.push_back(std::move(name));
  };
  const Eigen::VectorXd& shared = moments.noise.shared;
  const auto count = [&](size_t feature) {
    return moments.matrix(static_cast<Eigen::Index>(feature), static_cast<Eigen::Index>(feature));
  };
  for (size_t j = 0; j < table.num_dense; ++j) keep(j, table.feature_names[j]);
  for (size_t b = 0; b < table.blocks.size(); ++b) {
    const size_t begin = table.blocks[b];
    const size_t end = b + 1 < table.blocks.size() ? table.blocks[b + 1] : table.num_features;
    size_t largest = begin;
    for (size_t j = begin; j < end; ++j)
      if (count(j) > count(largest)) largest = j;
    std::fill(coding.references.begin() + static_cast<std::ptrdiff_t>(begin),
              coding.references.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<Eigen::Index>(largest));
    const std::string reference = category_of(table.feature_names[largest]);
    for (size_t j = begin; j < end; ++j) {
      if (j == largest) continue;
      std::string name = fmt::format("{} (against {})", table.feature_names[j], reference);
      if (count(j) < least * std::sqrt(shared(static_cast<Eigen::Index>(j))) || count(j) < 1) {
        coding.hidden.push_back({std::move(name), static_cast<Eigen::Index>(j),
                                 static_cast<Eigen::Index>(largest),
                                 fmt::format("noise hides it: joins {}", reference)});
      } else {
        keep(j, std::move(name));
      }
    }
  }
  return coding;
}

Coding without_hidden(const Coding& coding, const NoisyMatrix& moments, double least) {
  const size_t size = coding.kept.size();
  std::vector<std::string> why(size, "noise hides everything");
  const auto give_up = [&](size_t k, const Eigen::VectorXd& v) {
    why[k] = why_hidden(coding, moments, k, v, least);
  };
  std::vector<Eigen::Index> kept = kept_in_order(coding, moments, least, give_up);
  remove_weak(moments, least, give_up, kept);
  Coding found{{}, {}, coding.hidden, coding.references};
  for (size_t k = 0; k < size; ++k) {
    const Eigen::Index feature = coding.kept[k];
    if (std::ranges::find(kept, static_cast<Eigen::Index>(k)) != kept.end()) {
      found.kept.push_back(feature);
      found.names.push_back(coding.names[k]);
    } else {
      found.hidden.push_back({coding.names[k], feature,
                              coding.references[static_cast<size_t>(feature)], std::move(why[k])});
    }
  }
  return found;
}

std::vector<Coefficient> rows_of(const Coding& coding) {
  std::vector<Coefficient> rows;
  for (const std::string& name : coding.names) rows.push_back({name});
  rows.push_back({"intercept"});
  for (const Coding::Hidden& hidden : coding.hidden) rows.push_back({hidden.name, {}, hidden.why});
  return rows;
}

void explain_missing(const Coding& coding, const NoisyMatrix& moments,
                     const Eigen::MatrixXd& inverse, std::vector<Coefficient>& rows) {
  for (size_t k = 0; k <= coding.kept.size(); ++k) {
    Coefficient& row = rows[k];
    if (row.estimate && std::isfinite(row.estimate->low)) continue;
    row.why = k == coding.kept.size()
                  ? "noise hides it"
                  : why_hidden(coding, moments, k, inverse.col(static_cast<Eigen::Index>(k)), 0);
  }
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

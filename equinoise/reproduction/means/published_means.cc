// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/means/published_means.h"

#include <algorithm>
#include <map>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/reproduction/data/named_cells.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";
constexpr std::string_view kOverall = "overall";

/// The two figures of a stratum, or of the population.
struct StratumFigures {
  std::string stratum;
  double size = 0;
  std::optional<double> exact;
  std::optional<double> of_coinpress;
};

/// The categories of "SEX=2.0-DIS=1.0": {"SEX=2.0", "DIS=1.0"}.
std::vector<std::string> categories_of(const std::string& stratum) {
  std::vector<std::string> categories;
  for (size_t begin = 0; begin <= stratum.size();) {
    // A minus sign after "=" would belong to a number; codes of the survey have none.
    const size_t end = std::min(stratum.find('-', begin), stratum.size());
    categories.push_back(stratum.substr(begin, end - begin));
    begin = end + 1;
  }
  return categories;
}

PublishedStratification stratification_of(const std::vector<StratumFigures>& all,
                                          const std::filesystem::path& path) {
  PublishedStratification result;
  std::vector<std::map<std::string, size_t>> places;
  bool has_overall = false;
  for (const StratumFigures& figures : all) {
    if (!figures.exact || !figures.of_coinpress) {
      throw Error(ErrorKind::kInput, kWhere,
                  "{}: stratum {} lacks its exact mean or that of COINPRESS", path.string(),
                  figures.stratum);
    }
    if (figures.stratum == kOverall) {
      result.exact_overall = *figures.exact;
      result.private_overall = *figures.of_coinpress;
      has_overall = true;
      continue;
    }
    if (!(figures.size > 0)) continue;
    result.sizes.push_back(figures.size);
    result.exact.push_back(*figures.exact);
    result.private_means.push_back(*figures.of_coinpress);
    const std::vector<std::string> categories = categories_of(figures.stratum);
    places.resize(std::max(places.size(), categories.size()));
    std::vector<size_t>& levels = result.levels.emplace_back();
    for (size_t c = 0; c < categories.size(); ++c)
      levels.push_back(places[c].emplace(categories[c], places[c].size()).first->second);
  }
  if (!has_overall || result.sizes.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                "{}: a stratification lacks its overall mean or its strata", path.string());
  }
  return result;
}

}  // namespace

std::vector<PublishedStratification> read_published_means(const std::filesystem::path& path,
                                                          std::string_view column) {
  NamedCells cells(path);
  std::vector<std::string> combinations;
  std::vector<std::vector<StratumFigures>> figures;  // of each combination
  while (cells.next()) {
    if (cells.text("column_name") != column) continue;
    const std::string combination(cells.text("combination"));
    const auto known = std::ranges::find(combinations, combination);
    const auto place = static_cast<size_t>(known - combinations.begin());
    if (known == combinations.end()) {
      combinations.push_back(combination);
      figures.emplace_back();
    }
    std::vector<StratumFigures>& of_combination = figures[place];
    const std::string stratum(cells.text("stratum_id"));
    auto one = std::ranges::find(of_combination, stratum, &StratumFigures::stratum);
    if (one == of_combination.end()) {
      of_combination.push_back({stratum, cells.number("exact_data_size"), {}, {}});
      one = of_combination.end() - 1;
    }
    const size_t method = cells.choice("method", {"standard", "coinpress"});
    (method == 0 ? one->exact : one->of_coinpress) = cells.number("mean_value");
  }
  if (figures.empty()) {
    throw Error(ErrorKind::kInput, kWhere, "{}: there are no figures for column '{}'",
                path.string(), column);
  }
  std::vector<PublishedStratification> result;
  result.reserve(figures.size());
  for (const std::vector<StratumFigures>& of_combination : figures)
    result.push_back(stratification_of(of_combination, path));
  return result;
}

}  // namespace equinoise

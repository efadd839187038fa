// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/training/training_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {

namespace {

/// Adds a metric of both groups and, next to a reference, its cost for each group and the
/// difference of these costs. sign: 1 if a larger metric is worse.
void add_kind(const std::vector<std::string>& groups, const Outcomes& runs,
              const Outcomes* reference, const std::string& name, const std::string& cost,
              double sign, double (*value)(const ReproductionOutcome& run, size_t group),
              std::vector<Figures>& all) {
  const bool is_percentage = name == "accuracy";
  for (size_t g = 0; g < groups.size(); ++g) {
    all.push_back(values_of(fmt::format("{} {}", name, groups[g]), runs,
                            [&](const ReproductionOutcome& run) { return value(run, g); }));
    all.back().is_percentage = is_percentage;
  }
  if (reference == nullptr) return;
  const auto cost_of = [&](const ReproductionOutcome& run, const ReproductionOutcome& beside,
                           size_t g) { return sign * (value(run, g) - value(beside, g)); };
  for (size_t g = 0; g <= groups.size(); ++g) {
    const bool is_gap = g == groups.size();
    Figures figures =
        values_beside(fmt::format("{} {}", cost, is_gap ? "gap" : groups[g]), runs, *reference,
                      [&](const ReproductionOutcome& run, const ReproductionOutcome& beside) {
                        return is_gap ? cost_of(run, beside, 0) - cost_of(run, beside, 1)
                                      : cost_of(run, beside, g);
                      });
    figures.is_percentage = is_percentage;
    figures.told_by_size = is_gap;
    for (const double gap : is_gap ? figures.values : std::vector<double>())
      figures.tested.push_back(std::fabs(gap));
    all.push_back(std::move(figures));
  }
}

void add_epsilon(const Outcomes& runs, const char* name,
                 std::optional<double> ReproductionOutcome::*epsilon, std::vector<Figures>& all) {
  Figures figures{name, {}};
  for (const ReproductionOutcome& run : runs)
    if (run.*epsilon) figures.values.push_back(*(run.*epsilon));
  if (figures.values.size() == runs.size()) all.push_back(std::move(figures));
}

/// The mean over the positions of a run.
double mean_over(const ReproductionOutcome& run,
                 const std::function<double(const std::vector<double>& values)>& value) {
  double sum = 0;
  for (const ReproductionPoint& point : run.points) sum += value(point.values);
  return sum / static_cast<double>(run.points.size());
}

/// A number, or the values of a column.
std::function<double(const std::vector<double>& values)> side_of_share(
    const std::string& text, const std::vector<std::string>& columns) {
  const auto column = std::ranges::find(columns, text);
  if (column != columns.end()) {
    const auto place = static_cast<size_t>(column - columns.begin());
    return [place](const std::vector<double>& values) { return values[place]; };
  }
  const std::optional<double> number = parse_number(text);
  if (!number) {
    throw Error(ErrorKind::kInput, "tasks.reproduce",
                "\"{}\" is neither a number nor one of the columns {}", text,
                fmt::join(columns, ", "));
  }
  return [value = *number](const std::vector<double>&) { return value; };
}

/// The share of a run's positions in percent.
Figures values_of_share(const SeriesShare& share, const std::vector<std::string>& columns,
                        const Outcomes& runs) {
  const auto greater = side_of_share(share.greater, columns);
  const auto smaller = side_of_share(share.smaller, columns);
  Figures figures = values_of(share.metric, runs, [&](const ReproductionOutcome& run) {
    return 100 * mean_over(run, [&](const std::vector<double>& values) {
             return greater(values) > smaller(values) ? 1.0 : 0.0;
           });
  });
  figures.is_percentage = true;
  return figures;
}

}  // namespace

std::vector<Figures> figures_of_table(const std::vector<std::string>& groups, const Outcomes& runs,
                                      const Outcomes* reference,
                                      const std::string& private_reference) {
  std::vector<Figures> all;
  const bool is_beside_private = reference != nullptr && !private_reference.empty();
  const Outcomes* open_reference = is_beside_private ? nullptr : reference;
  add_kind(
      groups, runs, open_reference, "accuracy", "privacy cost", -1,
      [](const ReproductionOutcome& run, size_t group) { return run.accuracy[group]; }, all);
  for (size_t g = 0; g < groups.size() && is_beside_private; ++g) {
    all.push_back(values_beside(
        fmt::format("error {} below {}", groups[g], private_reference), runs, *reference,
        [&](const ReproductionOutcome& run, const ReproductionOutcome& beside) {
          return 100 * (1 - (100 - run.accuracy[g]) / (100 - beside.accuracy[g]));
        }));
    all.back().is_percentage = true;
  }
  add_kind(
      groups, runs, open_reference, "loss", "excessive risk", 1,
      [](const ReproductionOutcome& run, size_t group) { return run.points.back().values[group]; },
      all);
  add_epsilon(runs, kEpsilonByRdp, &ReproductionOutcome::epsilon_by_rdp, all);
  add_epsilon(runs, kEpsilonByPld, &ReproductionOutcome::epsilon_by_pld, all);
  return all;
}

std::vector<Figures> figures_of_series(const ReproductionTraining& training,
                                       const std::vector<std::string>& groups,
                                       const Outcomes& runs) {
  const std::vector<std::string> columns = series_columns(training.series, groups);
  const bool is_of_epochs = position_of(training.series) == "epoch";
  std::vector<Figures> all;
  for (size_t c = 0; c < columns.size(); ++c) {
    all.push_back(values_of(columns[c], runs, [&](const ReproductionOutcome& run) {
      return mean_over(run, [&](const std::vector<double>& values) { return values[c]; });
    }));
    for (const ReproductionOutcome& run : runs) {
      if (is_of_epochs) break;
      all.back().tested.push_back(
          mean_over(run, [&](const std::vector<double>& values) { return std::fabs(values[c]); }));
    }
  }
  // Series of epochs have one column for each group.
  for (size_t s = 0; s < training.series.names.size() && is_of_epochs; ++s) {
    all.push_back(
        values_of(training.series.names[s] + " gap", runs, [&](const ReproductionOutcome& run) {
          return mean_over(run, [&](const std::vector<double>& values) {
            return std::fabs(values[2 * s] - values[2 * s + 1]);
          });
        }));
  }
  for (const SeriesShare& share : training.shares)
    all.push_back(values_of_share(share, columns, runs));
  return all;
}

}  // namespace equinoise

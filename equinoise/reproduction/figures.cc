#include "equinoise/reproduction/figures.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>

#include "equinoise/base/error.h"
#include "equinoise/data/parse_number.h"
#include "equinoise/reproduction/simulation/simulation_experiment.h"
#include "equinoise/reproduction/sweep/sweep_experiment.h"
#include "equinoise/reproduction/synthesis/synthesis_experiment.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

using Runs = std::vector<ReproductionOutcome>;

/// The value of a run's figure.
using OfRun = std::function<double(const ReproductionOutcome& run)>;

Figures values_of(std::string metric, const Runs& runs, const OfRun& of_run) {
  Figures figures{std::move(metric), {}};
  for (const ReproductionOutcome& run : runs) figures.values.push_back(of_run(run));
  return figures;
}

/// A metric of both groups and, beside a reference, what it costs them and how much one more than
/// the other. sign: 1 where more of the metric is worse.
void add_kind(const std::vector<std::string>& groups, const Runs& runs, const Runs* reference,
              const std::string& name, const std::string& cost, double sign,
              double (*value)(const ReproductionOutcome& run, size_t group),
              std::vector<Figures>& all) {
  const bool is_percentage = name == "accuracy";
  for (size_t g = 0; g < groups.size(); ++g) {
    all.push_back(values_of(fmt::format("{} {}", name, groups[g]), runs,
                            [&](const ReproductionOutcome& run) { return value(run, g); }));
    all.back().is_percentage = is_percentage;
  }
  if (reference == nullptr) return;
  const auto cost_of = [&](size_t run, size_t g) {
    return sign * (value(runs[run], g) - value((*reference)[run], g));
  };
  for (size_t g = 0; g <= groups.size(); ++g) {
    Figures figures{fmt::format("{} {}", cost, g < groups.size() ? groups[g] : "gap"), {}};
    figures.is_percentage = is_percentage;
    figures.told_by_size = g == groups.size();
    for (size_t run = 0; run < runs.size(); ++run) {
      figures.values.push_back(g < groups.size() ? cost_of(run, g)
                                                 : cost_of(run, 0) - cost_of(run, 1));
      if (figures.told_by_size) figures.tested.push_back(std::fabs(figures.values.back()));
    }
    all.push_back(std::move(figures));
  }
}

void add_epsilon(const Runs& runs, const char* name,
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

/// A number, or what a column holds.
std::function<double(const std::vector<double>& values)> side_of_share(
    const std::string& text, const std::vector<std::string>& columns) {
  const auto column = std::find(columns.begin(), columns.end(), text);
  if (column != columns.end()) {
    const auto place = static_cast<size_t>(column - columns.begin());
    return [place](const std::vector<double>& values) { return values[place]; };
  }
  const std::optional<double> number = parse_number(text);
  if (!number) {
    throw Error(ErrorKind::kInput, "tasks.reproduce",
                fmt::format("\"{}\" is neither a number nor one of the columns {}", text,
                            fmt::join(columns, ", ")));
  }
  return [value = *number](const std::vector<double>&) { return value; };
}

std::vector<Figures> figures_of_series(const ReproductionItem& item, const Runs& runs) {
  const std::vector<std::string> columns = series_columns(item.series, item.groups);
  const bool is_of_epochs = position_of(item.series) == "epoch";
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
  for (size_t s = 0; s < item.series.names.size() && is_of_epochs; ++s) {
    all.push_back(
        values_of(item.series.names[s] + " gap", runs, [&](const ReproductionOutcome& run) {
          return mean_over(run, [&](const std::vector<double>& values) {
            return std::fabs(values[2 * s] - values[2 * s + 1]);
          });
        }));
  }
  for (const ReproductionShare& share : item.shares) {
    const auto greater = side_of_share(share.greater, columns);
    const auto smaller = side_of_share(share.smaller, columns);
    all.push_back(values_of(share.metric, runs, [&](const ReproductionOutcome& run) {
      return 100 * mean_over(run, [&](const std::vector<double>& values) {
               return greater(values) > smaller(values) ? 1.0 : 0.0;
             });
    }));
    all.back().is_percentage = true;
  }
  return all;
}

/// Every metric at every value of the parameter; beside a reference also how far errors are above
/// its own, and how many times its own a time is. Of a method that obeys no constraint, which has
/// one point, the metrics alone.
std::vector<Figures> figures_of_sweep(const ReproductionItem& item,
                                      const ReproductionMethod& method, const Runs& runs,
                                      const Runs* reference) {
  const ReproductionSweep& sweep = *item.sweep;
  const bool follows = follows_sweep(method);
  const size_t num_points = follows ? sweep.values.size() : 1;
  std::vector<Figures> all;
  for (size_t c = 0; c < sweep.metrics.size(); ++c) {
    const std::string& metric = sweep.metrics[c];
    const bool is_error = metric == "error";
    const bool is_time = metric == "time";
    const auto add = [&](const std::string& name, size_t point, const Runs* beside) {
      Figures figures{name, {}};
      figures.is_percentage = is_error;
      for (size_t run = 0; run < runs.size(); ++run) {
        double value = runs[run].points[point].values[c];
        if (beside != nullptr) {
          // A reference that obeys no constraint has one point for all.
          const auto& points = (*beside)[run].points;
          const double other = points[std::min(point, points.size() - 1)].values[c];
          value = is_time ? value / other : value - other;
        }
        figures.values.push_back(value);
      }
      all.push_back(std::move(figures));
    };
    for (size_t point = 0; point < num_points; ++point) {
      const std::string place = follows ? fmt::format(" at {:g}", sweep.values[point]) : "";
      add(metric + place, point, nullptr);
      if (reference != nullptr && follows && (is_error || is_time)) {
        add(fmt::format("{} {} {}{}", metric, is_time ? "over" : "above", item.reference, place),
            point, reference);
      }
    }
  }
  return all;
}

/// Every metric at every value of the parameter; beside a reference also by how much, in percent,
/// the smallest group's error is below its own.
std::vector<Figures> figures_of_simulation(const ReproductionItem& item,
                                           const ReproductionMethod& method, const Runs& runs,
                                           const Runs* reference) {
  constexpr std::string_view kSmallest = "MSPE smallest";
  const ReproductionSimulation& simulation = *item.simulation;
  const bool follows = follows_simulation(item, method);
  std::vector<Figures> all;
  for (size_t c = 0; c < simulation.metrics.size(); ++c) {
    for (size_t point = 0; point < (follows ? simulation.values.size() : 1); ++point) {
      const std::string place = follows ? fmt::format(" at {:g}", simulation.values[point]) : "";
      all.push_back(
          values_of(simulation.metrics[c] + place, runs,
                    [&](const ReproductionOutcome& run) { return run.points[point].values[c]; }));
      if (reference == nullptr || !follows || simulation.metrics[c] != kSmallest) continue;
      Figures below{fmt::format("{} below {}{}", kSmallest, item.reference, place), {}};
      below.is_percentage = true;
      for (size_t run = 0; run < runs.size(); ++run) {
        below.values.push_back(100 * (1 - runs[run].points[point].values[c] /
                                              (*reference)[run].points[point].values[c]));
      }
      all.push_back(std::move(below));
    }
  }
  return all;
}

/// Least squares by normal equations: coefficients of the columns of `rows`, for few columns.
std::vector<double> least_squares(const std::vector<std::vector<double>>& rows,
                                  const std::vector<double>& values) {
  const auto width = static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), width);
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < rows[i].size(); ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
  const Eigen::Map<const Eigen::VectorXd> target(values.data(), std::ssize(values));
  const Eigen::VectorXd solution = matrix.colPivHouseholderQr().solve(target);
  return {solution.begin(), solution.end()};
}

/// The exponents of a run: of all problems together, excess ~ p^a K^b d^c epsilon^e.
std::vector<double> exponents_of(const ReproductionWorstGroup& settings,
                                 const ReproductionOutcome& run) {
  constexpr double kLeast = 1e-5;  // an excess below is not told from the optimum's own accuracy
  std::vector<std::vector<double>> rows;
  std::vector<double> values;
  for (size_t c = 0; c < settings.cells.size(); ++c) {
    const WorstGroupCell& cell = settings.cells[c];
    rows.push_back({1, std::log(cell.num_groups), std::log(cell.num_records),
                    std::log(cell.num_features), std::log(cell.epsilon)});
    values.push_back(std::log(std::max(run.points[c].values[0], kLeast)));
  }
  return least_squares(rows, values);
}

/// Every metric in every cell; of drawn problems the first metric alone but for the base, and the
/// exponents of what is not the same in all of them.
std::vector<Figures> figures_of_worst_group(const ReproductionItem& item,
                                            const ReproductionMethod& method, const Runs& runs) {
  const ReproductionWorstGroup& settings = *item.worst_group;
  const WorstGroupMethod::Kind kind = method.worst_group->kind;
  const bool follows =
      kind == WorstGroupMethod::Kind::kTrained || kind == WorstGroupMethod::Kind::kPrinted;
  const bool is_drawn = settings.group_columns.empty();
  std::vector<Figures> all;
  for (size_t c = 0; c < settings.metrics.size(); ++c) {
    for (size_t cell = 0; cell < settings.cells.size(); ++cell) {
      if (is_drawn && c > 0 && cell > 0) continue;
      if (settings.metrics[c] == "epsilon" && !follows) continue;
      all.push_back(
          values_of(fmt::format("{} at {}", settings.metrics[c], settings.cells[cell].name), runs,
                    [&](const ReproductionOutcome& run) { return run.points[cell].values[c]; }));
    }
  }
  if (!is_drawn || !follows) return all;
  size_t column = 0;
  for (const auto& [quantity, value] :
       {std::pair("p", &WorstGroupCell::num_groups), std::pair("K", &WorstGroupCell::num_records),
        std::pair("d", &WorstGroupCell::num_features),
        std::pair("epsilon", &WorstGroupCell::epsilon)}) {
    ++column;
    if (std::all_of(settings.cells.begin(), settings.cells.end(),
                    [&, field = value](const WorstGroupCell& cell) {
                      return cell.*field == settings.cells[0].*field;
                    }))
      continue;
    all.push_back(values_of(
        fmt::format("exponent of {}", quantity), runs,
        [&](const ReproductionOutcome& run) { return exponents_of(settings, run)[column]; }));
  }
  return all;
}

/// Every metric at every value of the parameter.
std::vector<Figures> figures_of_means(const ReproductionMeans& means, const Runs& runs) {
  std::vector<Figures> all;
  for (size_t c = 0; c < means.metrics.size(); ++c) {
    for (size_t point = 0; point < means.values.size(); ++point) {
      all.push_back(
          values_of(fmt::format("{} at {:g}", means.metrics[c], means.values[point]), runs,
                    [&](const ReproductionOutcome& run) { return run.points[point].values[c]; }));
      all.back().is_percentage = means.metrics[c] != "sum of logarithms";
    }
  }
  return all;
}

/// Every metric at every epsilon, and how much more it is at the last than at the first; beside a
/// reference also how far accuracies are below its own.
std::vector<Figures> figures_of_synthesis(const ReproductionItem& item,
                                          const ReproductionMethod& method, const Runs& runs,
                                          const Runs* reference) {
  const ReproductionSynthesis& synthesis = *item.synthesis;
  const std::vector<std::string> columns = synthesis_columns(synthesis);
  std::vector<Figures> all;
  for (const std::string& metric : synthesis.metrics) {
    for (const std::string& name : told_columns(synthesis, *method.synthesis, metric)) {
      const auto column =
          static_cast<size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
      const bool follows = !method.synthesis->synthesizer.empty();
      for (size_t point = 0; point < (follows ? synthesis.epsilons.size() : 1); ++point) {
        const std::string place = follows ? fmt::format(" at {:g}", synthesis.epsilons[point]) : "";
        all.push_back(values_of(name + place, runs, [&](const ReproductionOutcome& run) {
          return run.points[point].values[column];
        }));
        if (reference == nullptr || metric != "accuracy") continue;
        Figures below{fmt::format("accuracy below {}{}", method.reference, place), {}};
        below.is_percentage = true;
        for (size_t run = 0; run < runs.size(); ++run) {
          below.values.push_back(100 * ((*reference)[run].points[point].values[column] -
                                        runs[run].points[point].values[column]));
        }
        all.push_back(std::move(below));
      }
      if (!follows) continue;
      all.push_back(values_of(name + " change", runs, [&](const ReproductionOutcome& run) {
        return run.points.back().values[column] - run.points.front().values[column];
      }));
    }
  }
  return all;
}

/// Whether the method of that name in the item has a guarantee.
bool is_private(const ReproductionItem& item, const std::string& name) {
  const auto method = std::find_if(item.methods.begin(), item.methods.end(),
                                   [&](const ReproductionMethod& one) { return one.name == name; });
  const auto rows = training_methods();
  return method != item.methods.end() &&
         std::any_of(rows.begin(), rows.end(), [&](const TrainingMethodRow& row) {
           return row.name == method->method && row.status == PrivacyStatus::kPrivate;
         });
}

}  // namespace

std::vector<Figures> figures_of(const ReproductionItem& item, const ReproductionMethod& method,
                                const Runs& runs, const Runs* reference) {
  if (item.worst_group) return figures_of_worst_group(item, method, runs);
  if (item.simulation) return figures_of_simulation(item, method, runs, reference);
  if (item.means) return figures_of_means(*item.means, runs);
  if (item.synthesis) return figures_of_synthesis(item, method, runs, reference);
  if (item.sweep) return figures_of_sweep(item, method, runs, reference);
  if (!item.is_table) return figures_of_series(item, runs);
  std::vector<Figures> all;
  const bool is_beside_private = reference != nullptr && is_private(item, item.reference);
  const Runs* open_reference = is_beside_private ? nullptr : reference;
  add_kind(
      item.groups, runs, open_reference, "accuracy", "privacy cost", -1,
      [](const ReproductionOutcome& run, size_t group) { return run.accuracy[group]; }, all);
  for (size_t g = 0; g < item.groups.size() && is_beside_private; ++g) {
    Figures below{fmt::format("error {} below {}", item.groups[g], item.reference), {}};
    below.is_percentage = true;
    for (size_t run = 0; run < runs.size(); ++run) {
      below.values.push_back(
          100 * (1 - (100 - runs[run].accuracy[g]) / (100 - (*reference)[run].accuracy[g])));
    }
    all.push_back(std::move(below));
  }
  add_kind(
      item.groups, runs, open_reference, "loss", "excessive risk", 1,
      [](const ReproductionOutcome& run, size_t group) { return run.points.back().values[group]; },
      all);
  add_epsilon(runs, kEpsilonByRdp, &ReproductionOutcome::epsilon_by_rdp, all);
  add_epsilon(runs, kEpsilonByPld, &ReproductionOutcome::epsilon_by_pld, all);
  return all;
}

}  // namespace equinoise

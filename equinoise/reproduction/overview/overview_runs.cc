// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/overview/overview_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/split.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/reproduction/data/tables.h"

namespace equinoise {

namespace {

constexpr uint64_t kPartSeed = 0;

/// The numbers of a column; for a categorical one the numbers in its categories' names.
std::vector<double> column_numbers(const Dataset& dataset, const std::string& name) {
  if (const NumericColumn* numeric = dataset.find_numeric(name)) return numeric->values;
  const CategoricalColumn* column = dataset.find_categorical(name);
  if (column == nullptr) {
    throw Error(ErrorKind::kInput, "tasks.reproduce",
                "the table has no column {} that is not ignored", name);
  }
  std::vector<double> of_categories;
  for (const std::string& category : column->categories) {
    const std::optional<double> number = parse_number(category);
    if (!number) {
      throw Error(ErrorKind::kInput, "tasks.reproduce",
                  "column {} has a category that is no number", name);
    }
    of_categories.push_back(*number);
  }
  std::vector<double> numbers;
  for (const uint16_t code : column->codes) numbers.push_back(of_categories[code]);
  return numbers;
}

std::vector<double> chosen_of(const std::vector<double>& numbers,
                              std::span<const uint32_t> records) {
  std::vector<double> chosen;
  for (const uint32_t record : records) chosen.push_back(numbers[record]);
  return chosen;
}

/// (bins): in percent; NaN without numbers.
std::vector<double> shares_in(const OverviewBins& bins, std::span<const double> numbers) {
  std::vector<double> shares(bins.count, 0.0);
  for (const double number : numbers) {
    const double place = std::floor((number - bins.low) / bins.width());
    shares[static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(bins.count - 1)))] +=
        100 / static_cast<double>(numbers.size());
  }
  if (numbers.empty()) std::ranges::fill(shares, std::numeric_limits<double>::quiet_NaN());
  return shares;
}

class OverviewRuns final : public ExperimentRuns {
 public:
  OverviewRuns(const ItemHeader& item, const ReproductionOverview& overview,
               const std::filesystem::path& folder)
      : overview_(overview), parts_(static_cast<size_t>(item.seeds)) {
    const ReproductionTable table = read_reproduction_table(item.data, folder, item.max_records);
    const Dataset& dataset = table.dataset;
    for (const OverviewLine& line : overview.lines)
      numbers_.push_back(column_numbers(dataset, line.column));
    const CategoricalColumn* groups = dataset.find_categorical(overview.group_column);
    if (groups == nullptr) {
      throw Error(ErrorKind::kInput, "tasks.reproduce", "the table has no groups by {}",
                  overview.group_column);
    }
    const std::vector<uint32_t> order = public_order(dataset.num_records, kPartSeed);
    for (size_t i = 0; i < order.size(); ++i) {
      const uint32_t record = order[i];
      if (dataset.contributes[record] == 0) continue;
      Part& part = parts_[i % parts_.size()];
      part.of[2].push_back(record);
      for (size_t g = 0; g < 2; ++g)
        if (groups->categories[groups->codes[record]] == overview.values[g])
          part.of[g].push_back(record);
    }
  }

  int64_t num_steps(size_t, uint64_t) const override { return 1; }

  ReproductionOutcome run(size_t method, uint64_t seed,
                          const RunCallbacks& callbacks) const override {
    const Part& part = parts_[seed % parts_.size()];
    const OverviewLine& line = overview_.lines[method];
    ReproductionOutcome outcome;
    const auto add_point = [&](size_t place) -> ReproductionPoint& {
      while (outcome.points.size() <= place) outcome.points.emplace_back();
      return outcome.points[place];
    };
    for (const std::vector<uint32_t>& records : part.of) {
      const std::vector<double> numbers = chosen_of(numbers_[method], records);
      std::vector<double> values;
      if (line.bins) {
        values = shares_in(*line.bins, numbers);
      } else {
        for (const size_t other : overview_.correlated())
          values.push_back(correlation_of(numbers, chosen_of(numbers_[other], records)));
      }
      for (size_t i = 0; i < values.size(); ++i) {
        ReproductionPoint& point = add_point(i);
        const auto place = static_cast<double>(i);
        point.position =
            line.bins ? line.bins->low + (place + 0.5) * line.bins->width() : place + 1;
        point.values.push_back(values[i]);
      }
    }
    callbacks.after_step();
    return outcome;
  }

 private:
  struct Part {
    std::vector<uint32_t> of[3];  ///< both groups, and all
  };

  const ReproductionOverview& overview_;
  std::vector<std::vector<double>> numbers_;  ///< (methods)
  std::vector<Part> parts_;                   ///< (seeds of the item)
};

}  // namespace

double correlation_of(std::span<const double> a, std::span<const double> b) {
  const auto count = static_cast<double>(a.size());
  double mean_a = 0;
  double mean_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / count;
    mean_b += b[i] / count;
  }
  double aa = 0;
  double ab = 0;
  double bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (!(aa > 0) || !(bb > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
}

std::unique_ptr<ExperimentRuns> open_overview_runs(const ItemHeader& item,
                                                   const ReproductionOverview& overview,
                                                   const std::filesystem::path& folder) {
  return std::make_unique<OverviewRuns>(item, overview, folder);
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/training/series.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/audit/risk_watcher.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/train/gradient_sums.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// A series that can be followed, one in each row.
struct SeriesRow {
  std::string_view name;
  /// The value of one group; nullptr for a series of the gap, or of epochs.
  double (*of_group)(const RiskPoint& point, const GroupRisk& group) = nullptr;
  /// The first group's value minus the second's, or a bound on it; nullptr otherwise.
  double (*of_gap)(const ExcessiveRisk& risk, size_t first, size_t second) = nullptr;
  bool needs_traces = false;
  bool needs_eigenvalues = false;
};

constexpr std::string_view kLoss = "loss";
constexpr std::string_view kGradientNorm = "gradient norm";

const std::vector<SeriesRow>& series_rows() {
  static const std::vector<SeriesRow> rows = {
      {kLoss},
      {kGradientNorm},
      {"direction risk", [](const RiskPoint&, const GroupRisk& group) { return group.direction; }},
      {"magnitude risk", [](const RiskPoint&, const GroupRisk& group) { return group.magnitude; }},
      {"noise risk", [](const RiskPoint&, const GroupRisk& group) { return group.noise; }, nullptr,
       true},
      {"rate times eigenvalue",
       [](const RiskPoint& point, const GroupRisk& group) {
         return point.learning_rate * group.eigenvalues.largest;
       },
       nullptr, false, true},
      {"clip gap", nullptr,
       [](const ExcessiveRisk& risk, size_t first, size_t second) {
         return risk.groups[first].clip_over_all_records -
                risk.groups[second].clip_over_all_records;
       }},
      {"clip gap bound", nullptr,
       [](const ExcessiveRisk& risk, size_t first, size_t second) {
         return risk.clip_gap_bound[first * risk.groups.size() + second];
       }},
      {"direction gap", nullptr,
       [](const ExcessiveRisk& risk, size_t first, size_t second) {
         return risk.groups[first].direction - risk.groups[second].direction;
       }},
      {"direction gap bound", nullptr,
       [](const ExcessiveRisk& risk, size_t first, size_t second) {
         return risk.direction_gap_bound[first * risk.groups.size() + second];
       }},
  };
  return rows;
}

bool is_of_epochs(const SeriesRow& row) { return row.of_group == nullptr && row.of_gap == nullptr; }

std::vector<const SeriesRow*> rows_of(const SeriesChoice& choice) {
  std::vector<const SeriesRow*> rows;
  for (const std::string& name : choice.names) {
    const auto found = std::ranges::find(series_rows(), name, &SeriesRow::name);
    if (found == series_rows().end()) refuse("there is no series \"{}\"", name);
    if (!rows.empty() && is_of_epochs(*rows.front()) != is_of_epochs(*found)) {
      refuse(
          "\"{}\" and \"{}\" cannot be followed together: one is a mean over "
          "epochs, the other of a step",
          choice.names.front(), name);
    }
    if (found->needs_traces && choice.num_directions < 2) {
      refuse("\"{}\" needs at least 2 directions", name);
    }
    rows.push_back(&*found);
  }
  if (rows.empty()) refuse("no series is named");
  return rows;
}

/// The records of `records` that are in one of the groups.
void gather(const EncodedTable& table, std::span<const uint32_t> records,
            std::span<const GroupId> groups, EncodedTable& gathered) {
  gathered.num_dense = table.num_dense;
  gathered.num_active = table.num_active;
  gathered.num_features = table.num_features;
  gathered.scales = table.scales;
  gathered.blocks = table.blocks;
  gathered.dense.clear();
  gathered.active.clear();
  gathered.labels.clear();
  gathered.contributes.clear();
  gathered.groups.clear();
  for (const uint32_t record : records) {
    const GroupId group = table.groups[record];
    if (!contains(groups, group)) continue;
    const std::span<const float> dense = table.dense_row(record);
    const std::span<const uint32_t> active = table.active_row(record);
    append(gathered.dense, dense);
    append(gathered.active, active);
    gathered.labels.push_back(table.labels[record]);
    gathered.contributes.push_back(table.contributes[record]);
    gathered.groups.push_back(group);
  }
  gathered.num_records = std::ssize(gathered.labels);
}

/// Means over the batches of each epoch.
class EpochRecorder final : public RunRecorder {
 public:
  EpochRecorder(const SeriesChoice& choice, const FollowedRun& run)
      : names_(choice.names),
        run_(run),
        first_step_(choice.last_epoch_only ? run.plan.config.num_steps - run.epoch_steps : 0) {}

  void on_batch(const BatchView& view) override {
    if (view.step < first_step_) return;
    const size_t num_groups = run_.groups.size();
    if (view.step % run_.epoch_steps == 0) {
      const int64_t epoch = view.step / run_.epoch_steps + 1;
      points_.push_back(
          {static_cast<double>(epoch), std::vector<double>(names_.size() * num_groups, 0.0)});
    }
    gather(run_.train, view.batch.records, run_.groups, batch_);
    if (batch_.num_records == 0) return;
    const double share = 1 / static_cast<double>(run_.epoch_steps);
    for (size_t s = 0; s < names_.size(); ++s) {
      const std::vector<double> values =
          names_[s] == kLoss ? losses(view.parameters) : gradient_norms(view.parameters);
      for (size_t g = 0; g < num_groups; ++g)
        points_.back().values[s * num_groups + g] += share * values[g];
    }
  }

  std::vector<ReproductionPoint> points() const override { return points_; }

 private:
  std::vector<uint32_t> members(GroupId group) const {
    std::vector<uint32_t> records;
    for (uint32_t i = 0; i < batch_.groups.size(); ++i)
      if (batch_.groups[i] == group) records.push_back(i);
    return records;
  }

  std::vector<double> losses(std::span<const double> parameters) const {
    const std::vector<double> loss = run_.model.predict(batch_, parameters).loss;
    std::vector<double> means(run_.groups.size(), 0.0);
    for (size_t g = 0; g < means.size(); ++g) {
      const std::vector<uint32_t> records = members(run_.groups[g]);
      for (const uint32_t i : records) means[g] += loss[i] / static_cast<double>(records.size());
    }
    return means;
  }

  std::vector<double> gradient_norms(std::span<const double> parameters) const {
    std::vector<double> norms;
    for (const GroupId group : run_.groups) {
      const std::vector<uint32_t> records = members(group);
      const double divisor = std::max(1.0, static_cast<double>(records.size()));
      norms.push_back(norm(
          sum_gradients(batch_, run_.num_groups, run_.model, parameters, NoClip(), records, divisor)
              .plain));
    }
    return norms;
  }

  std::vector<std::string> names_;
  FollowedRun run_;
  int64_t first_step_;
  EncodedTable batch_;
  std::vector<ReproductionPoint> points_;
};

/// Records the risks of a step, every `every` steps.
class RiskRecorder final : public RunRecorder {
 public:
  RiskRecorder(const SeriesChoice& choice, const FollowedRun& run)
      : rows_(rows_of(choice)),
        first_(index_of(run.groups[0])),
        second_(index_of(run.groups[1])),
        judged_(judged_records(run)),
        watcher_(make_watcher(choice, run)) {}

  void on_batch(const BatchView& view) override { watcher_.on_batch(view); }

  std::vector<ReproductionPoint> points() const override {
    std::vector<ReproductionPoint> points;
    for (const RiskPoint& point : watcher_.points()) {
      points.push_back({static_cast<double>(point.step), {}});
      for (const SeriesRow* row : rows_) {
        std::vector<double>& values = points.back().values;
        if (row->of_gap != nullptr) {
          values.push_back(row->of_gap(point.risk, first_, second_));
        } else {
          values.push_back(row->of_group(point, point.risk.groups[first_]));
          values.push_back(row->of_group(point, point.risk.groups[second_]));
        }
      }
    }
    return points;
  }

 private:
  static EncodedTable judged_records(const FollowedRun& run) {
    EncodedTable judged;
    gather(run.train, numbers_below<uint32_t>(static_cast<size_t>(run.train.num_records)),
           run.groups, judged);
    return judged;
  }

  RiskWatcher make_watcher(const SeriesChoice& choice, const FollowedRun& run) const {
    RiskEffort effort;
    effort.num_directions = 0;
    effort.eigenvalues = false;
    effort.check_interruption = run.check_interruption;
    for (const SeriesRow* row : rows_) {
      if (row->needs_traces) effort.num_directions = choice.num_directions;
      effort.eigenvalues |= row->needs_eigenvalues;
    }
    return {run.train, judged_, run.num_groups, run.model, run.plan, choice.every, effort};
  }

  std::vector<const SeriesRow*> rows_;
  size_t first_;  // of the compared groups
  size_t second_;
  EncodedTable judged_;
  RiskWatcher watcher_;
};

}  // namespace

std::string_view position_of(const SeriesChoice& choice) {
  return is_of_epochs(*rows_of(choice).front()) ? "epoch" : "step";
}

std::string describe(const SeriesChoice& choice) {
  std::string text = fmt::format("{}", fmt::join(choice.names, ", "));
  if (choice.every > 0) text += fmt::format(" every {} steps", choice.every);
  if (choice.num_directions > 0) text += fmt::format(" by {} directions", choice.num_directions);
  if (choice.last_epoch_only) text += " of the last epoch";
  return text;
}

std::vector<std::string> series_columns(const SeriesChoice& choice,
                                        const std::vector<std::string>& groups) {
  std::vector<std::string> columns;
  for (const SeriesRow* row : rows_of(choice)) {
    if (row->of_gap != nullptr) {
      columns.emplace_back(row->name);
      continue;
    }
    for (const std::string& group : groups)
      columns.push_back(fmt::format("{} {}", row->name, group));
  }
  return columns;
}

std::unique_ptr<RunRecorder> make_run_recorder(const SeriesChoice& choice, const FollowedRun& run) {
  if (position_of(choice) == "epoch") return std::make_unique<EpochRecorder>(choice, run);
  return std::make_unique<RiskRecorder>(choice, run);
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/training_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "equinoise/constraints/rate_contexts.h"
#include "equinoise/data/split.h"
#include "equinoise/data/units.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/train/quiet_plan.h"
#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

namespace {

constexpr size_t kMaxCurveRecords = 4096;
constexpr size_t kMaxCurveImages = 512;  // a network takes long per image

/// Group ids of `records`.
std::vector<GroupId> ids_of(const Grouping& grouping, std::span<const uint32_t> records) {
  std::vector<GroupId> ids;
  ids.reserve(records.size());
  for (const uint32_t record : records) ids.push_back(grouping.group_of[record]);
  return ids;
}

/// The groups of records, given as indices into `listed`, as indices into `trained`; one past its
/// end for a group that is not trained.
std::vector<GroupId> ids_in(const Grouping& trained, const Grouping& listed,
                            std::vector<GroupId> ids) {
  std::vector<GroupId> id_of;
  for (const GroupLabel& group : listed.groups) {
    const auto place = std::ranges::find(trained.groups, group);
    id_of.push_back(GroupId{static_cast<uint32_t>(place - trained.groups.begin())});
  }
  for (GroupId& id : ids) id = id_of[index_of(id)];
  return ids;
}

/// Warns of classes or groups without training records, if any; names the first ones.
void tell_missing(const char* what, const std::vector<std::string>& missing,
                  TrainingReport& report) {
  constexpr size_t kMaxNamed = 5;
  if (missing.empty()) return;
  const size_t num_named = std::min(missing.size(), kMaxNamed);
  std::string names = fmt::format("{}", fmt::join(std::span(missing).first(num_named), "; "));
  if (missing.size() > num_named) names += fmt::format(" and {} more", missing.size() - num_named);
  report.ingest_notes.push_back(
      fmt::format("there are no training records of {} {}, so the model learns nothing about {}",
                  what, names, missing.size() == 1 ? "it" : "them"));
}

/// Whether all contributing records have the same number as their target.
bool has_one_target(const EncodedTable& train) {
  std::optional<float> first;
  for (size_t i = 0; i < train.targets.size(); ++i) {
    if (train.contributes[i] == 0) continue;
    if (first && *first != train.targets[i]) return false;
    first = train.targets[i];
  }
  return first.has_value();
}

/// Warns of classes and groups without training records. rows: those of `train`.
void tell_missing_records(const EncodedTable& train, std::span<const uint32_t> rows,
                          std::span<const Grouping> groupings, const TrainingSetup& setup,
                          TrainingReport& report) {
  std::vector<int64_t> sizes(train.classes.size(), 0);
  for (size_t i = 0; i < train.labels.size(); ++i) sizes[train.labels[i]] += train.contributes[i];
  std::vector<std::string> missing;
  for (size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] == 0) missing.push_back(train.classes[k]);
  tell_missing("class", missing, report);
  if (has_one_target(train)) {
    report.ingest_notes.push_back(fmt::format(
        "all training records have the same {}, so that there is nothing to learn, and errors say "
        "nothing of how good the model is",
        setup.schema.target));
  }
  for (const Grouping& grouping : groupings) {
    sizes.assign(grouping.groups.size(), 0);
    for (size_t i = 0; i < rows.size(); ++i)
      sizes[index_of(grouping.group_of[rows[i]])] += train.contributes[i];
    missing.clear();
    for (size_t k = 0; k < sizes.size(); ++k) {
      // A group that is declared empty is expected to have no records.
      if (sizes[k] == 0 && grouping.public_sizes[k] != 0)
        missing.push_back(group_name(grouping.groups[k]));
    }
    tell_missing("group", missing, report);
  }
}

/// The first units with a few thousand rows in total, at least one unit.
std::span<const uint32_t> units_of_curve(const Dataset& dataset, std::span<const uint32_t> units,
                                         size_t max_rows) {
  if (dataset.unit_begin.empty()) return units.first(std::min(units.size(), max_rows));
  size_t num_units = 0;
  for (size_t num_rows = 0; num_units < units.size() && num_rows < max_rows; ++num_units) {
    const uint32_t unit = units[num_units];
    num_rows += dataset.unit_begin[unit + 1] - dataset.unit_begin[unit];
  }
  return units.first(num_units);
}

/// Removes duplicates from ascending rows, and returns the number of occurrences of each.
std::vector<uint32_t> count_rows(std::vector<uint32_t>& rows) {
  std::vector<uint32_t> counts;
  for (const uint32_t row : rows) {
    if (counts.empty() || rows[counts.size() - 1] != row) {
      rows[counts.size()] = row;
      counts.push_back(0);
    }
    ++counts.back();
  }
  rows.resize(counts.size());
  return counts;
}

}  // namespace

EncodedParts encode_parts(const Dataset& dataset, const TrainingSetup& setup,
                          const TrainRequest& request, TrainProgress& progress,
                          TrainingReport& report) {
  report.ingest_notes = ingest_notes(dataset, setup.schema.target);
  const bool is_counted = !dataset.row_counts.empty();
  const bool takes_all_rows = is_counted && request.test_fraction == 0;
  Split split;
  if (!takes_all_rows) {
    split = split_records(setup.schema.num_records, request.test_fraction, request.split_seed,
                          setup.schema.units_name());
  }
  const std::span<const uint32_t> of_curve =
      units_of_curve(dataset, split.test, setup.schema.image ? kMaxCurveImages : kMaxCurveRecords);
  const UnitRows curve_rows = rows_of_units(dataset, {of_curve.begin(), of_curve.end()});
  UnitRows train_rows = rows_of_units(dataset, std::move(split.train));
  std::vector<uint32_t> counts;
  if (takes_all_rows) {
    train_rows.rows.resize(dataset.row_counts.size());
    std::iota(train_rows.rows.begin(), train_rows.rows.end(), 0U);
    counts = dataset.row_counts;
  } else if (is_counted) {
    counts = count_rows(train_rows.rows);
  }
  const UnitRows test_rows = rows_of_units(dataset, std::move(split.test));
  const std::span<const uint32_t> train = train_rows.rows;
  const std::span<const uint32_t> test = test_rows.rows;
  EncodedParts parts{encode(dataset, setup.schema, train_rows),
                     encode(dataset, setup.schema, test_rows),
                     encode(dataset, setup.schema, curve_rows),
                     {},
                     {}};
  parts.train.row_counts = std::move(counts);
  weigh_by_units(parts.test);
  weigh_by_units(parts.curve);
  std::vector<Grouping> groupings;  // with the group of each record
  for (const Grouping& listed : setup.groupings) {
    groupings.push_back(group_units_by(dataset, setup.schema, listed.columns, request.group_floor));
    parts.test_groups.push_back(ids_of(groupings.back(), test));
  }
  tell_missing_records(parts.train, train, groupings, setup, report);
  if (setup.judged_by != nullptr)
    parts.test_contexts = rate_contexts(dataset, setup.schema, *setup.judged_by, test);
  if (const RateProgram* program = setup.plan.config.constraints.get(); program != nullptr) {
    parts.train.groups = rate_contexts(dataset, setup.schema, *program, train);
  } else if (setup.plan.facts.num_groups > 0 || request.explain_every > 0) {
    if (!setup.pooled) {
      parts.train.groups = ids_of(groupings[0], train);
    } else {
      const double below = setup.plan.config.own.of<WorstGroupOptions>().pool_below.value_or(0);
      const GroupFloor floor =
          below > 0 ? pooled_floor(request.group_floor, below) : request.group_floor;
      parts.train.groups = ids_in(
          *setup.pooled, list_groups(setup.schema, setup.pooled->columns, floor),
          ids_of(group_units_by(dataset, setup.schema, setup.pooled->columns, floor), train));
    }
  }
  if (setup.model_groups) {
    parts.test.groups = setup.row->uses_constraints ? parts.test_contexts : parts.test_groups[0];
    parts.curve.groups = parts.test.groups;
    parts.curve.groups.resize(static_cast<size_t>(parts.curve.num_records));
  }
  // The number of rows of units is private.
  progress.stage(fmt::format("{} {}, {} features; {} to train, {} held out",
                             format_count(dataset.num_units()), setup.schema.units_name(),
                             parts.train.num_features, format_count(parts.train.num_units()),
                             format_count(parts.test.num_units())));
  return parts;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "equinoise/base/count_text.h"
#include "equinoise/base/error.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/synth_progress.h"

namespace equinoise {

namespace {

constexpr std::string_view kRecords = "tasks.synth";
/// The most rows of a block: counting them takes longer than adding up what was counted.
constexpr int64_t kMaxBlockRows = int64_t{1} << 20;

/// The memory that a row takes, at most.
int64_t bytes_of_row(const Schema& schema) {
  int64_t bytes = sizeof(uint8_t) + sizeof(uint32_t);  // whether it contributes, and its count
  for (const ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kNumeric) bytes += sizeof(double) + 2 * sizeof(uint8_t);
    if (column.type == ColumnType::kCategorical) bytes += sizeof(uint16_t) + sizeof(uint8_t);
  }
  return bytes;
}

/// Adds up blocks as a counted table without values: a row for all records in which the same
/// columns drop them.
class BlockTotals {
 public:
  void add(const Dataset& block, const std::string& name) {
    num_records_ += block.total_records();
    if (num_records_ > kMaxRecords) {
      throw Error(ErrorKind::kInput, kRecords, "{}: has more than {} rows", name, kMaxRecords);
    }
    last_.counts = block.counts;
    last_.num_dropped = block.num_dropped;
    last_.num_counted_units = block.num_counted_units;
    std::vector<const std::vector<uint8_t>*> flags;
    for (const NumericColumn& column : block.numeric) flags.push_back(&column.dropped);
    for (const CategoricalColumn& column : block.categorical) flags.push_back(&column.dropped);
    std::vector<uint8_t> drops(flags.size());
    int64_t num_others = 0;
    for (size_t row = 0; row < block.contributes.size(); ++row) {
      if (block.contributes[row] != 0) {
        num_others += block.count_of(row);
        continue;
      }
      for (size_t i = 0; i < flags.size(); ++i) drops[i] = flags[i]->empty() ? 0 : (*flags[i])[row];
      counts_[drops] += block.count_of(row);
    }
    if (num_others > 0) counts_[std::vector<uint8_t>(flags.size(), 0)] += num_others;
    if (last_.numeric.empty() && last_.categorical.empty()) {
      for (const NumericColumn& column : block.numeric) last_.numeric.push_back({column.name, {}});
      for (const CategoricalColumn& column : block.categorical)
        last_.categorical.push_back({column.name, {}, {}});
    }
  }

  Dataset take() {
    for (const auto& [drops, count] : counts_) {
      ++last_.num_records;
      last_.row_counts.push_back(static_cast<uint32_t>(count));
      last_.contributes.push_back(
          std::ranges::all_of(drops, [](uint8_t flag) { return flag == 0; }) ? 1 : 0);
      for (size_t i = 0; i < last_.numeric.size(); ++i)
        last_.numeric[i].dropped.push_back(drops[i]);
      for (size_t i = 0; i < last_.categorical.size(); ++i)
        last_.categorical[i].dropped.push_back(drops[last_.numeric.size() + i]);
    }
    return std::move(last_);
  }

 private:
  Dataset last_;
  int64_t num_records_ = 0;
  std::map<std::vector<uint8_t>, int64_t> counts_;
};

std::vector<ColumnCodes> columns_of(const SynthSetup& setup, const std::vector<size_t>& places) {
  std::vector<ColumnCodes> columns;
  columns.reserve(places.size());
  for (const size_t place : places) columns.push_back(setup.columns[place]);
  return columns;
}

/// The columns with the cells of distributions where rows follow these.
std::vector<ColumnCodes> finest_codes(const SynthSetup& setup) {
  std::vector<ColumnCodes> columns = setup.columns;
  for (const PlannedDistribution& distribution : setup.distributions)
    columns[distribution.column] = distribution.cells;
  return columns;
}

}  // namespace

SynthRecords::SynthRecords(const TableSource& table, const SynthChoices& choices,
                           const SynthSetup& setup, TaskProgress& progress)
    : SynthRecords(&table, nullptr, choices, setup, progress) {
  try {
    read();
  } catch (const Error&) {
    stop_if_interrupted(&progress);
    throw;
  }
  stop_if_interrupted(&progress);
}

SynthRecords::SynthRecords(const Dataset& table, const SynthChoices& choices,
                           const SynthSetup& setup, TaskProgress& progress)
    : SynthRecords(nullptr, &table, choices, setup, progress) {
  count_distributions(table);
}

SynthRecords::SynthRecords(const TableSource* table, const Dataset* facts,
                           const SynthChoices& choices, const SynthSetup& setup,
                           TaskProgress& progress)
    : table_(table),
      choices_(choices),
      setup_(setup),
      progress_(progress),
      facts_(facts),
      finest_(finest_codes(setup)),
      survey_(setup.schema, finest_) {
  if (setup_.shared) {
    parts_.push_back({std::nullopt, setup_.shared->columns,
                      setup_.method->marginals(setup_.shared->plan),
                      setup_.shared->plan.config.threads});
  }
  for (size_t s = 0; s < setup_.strata.size(); ++s) {
    const PlannedStratum& stratum = setup_.strata[s];
    Part part{s, stratum.columns, {}, stratum.plan.config.threads};
    if (setup_.shared) {
      std::set<int> asked;
      for (const StratumQuestion& question : stratum.questions) asked.insert(question.attribute);
      for (const int attribute : asked) part.marginals.push_back({attribute});
    } else {
      part.marginals = setup_.method->marginals(stratum.plan);
    }
    parts_.push_back(std::move(part));
  }
  for (const PlannedDistribution& distribution : setup_.distributions)
    distribution_counts_.emplace_back(distribution.cells.num_bins());
}

bool SynthRecords::have_counts_room() const {
  double bytes = 0;
  for (const Part& part : parts_) bytes += KeptMarginals::bytes(sizes_of(part), part.marginals);
  return bytes <= choices_.max_table_megabytes * 0x1p20;
}

std::vector<size_t> SynthRecords::sizes_of(const Part& part) const {
  std::vector<size_t> sizes;
  for (const size_t place : part.columns) sizes.push_back(setup_.columns[place].num_codes());
  return sizes;
}

void SynthRecords::read() {
  progress_.stage(fmt::format("reading {}", table_->name()));
  auto passes = std::make_unique<TablePasses>(*table_, setup_.schema, &progress_);
  const std::unique_ptr<RecordReader> reader = passes->open();
  TableBlocks blocks(*reader, setup_.schema, setup_.table_use(), {.takes_counts = true});
  int64_t max_rows = kMaxRecords + 1;
  if (blocks.is_summable() && passes->can_repeat() && have_counts_room()) {
    const double room =
        choices_.max_table_megabytes * 0x1p20 / static_cast<double>(bytes_of_row(setup_.schema));
    max_rows = static_cast<int64_t>(std::clamp(room, 1.0, static_cast<double>(max_rows)));
  }
  held_ = blocks.next(max_rows);
  if (held_.num_records < max_rows) {
    blocks.finish(CountedRows::kKept, held_);
    return count_distributions(held_);
  }
  block_rows_ = std::min(kMaxBlockRows, max_rows);
  // Columns that no distribution cuts are what they will be.
  const bool counts_now = setup_.distributions.empty();
  if (counts_now) {
    begin_to_count();
  } else {
    passes_ = std::move(passes);
  }
  BlockTotals totals;
  for_each_block(blocks, std::exchange(held_, {}), [&](const Dataset& block) {
    totals.add(block, table_->name());
    survey_.add(block);
    count_distributions(block);
    if (counts_now) count(block);
  });
  totals_ = totals.take();
  blocks.finish(CountedRows::kKept, *totals_);
  facts_ = &*totals_;
}

std::vector<std::string> SynthRecords::point_masses() const {
  return are_in_memory() ? undeclared_point_masses(facts(), setup_.schema, finest_)
                         : survey_.sentences(*totals_);
}

void SynthRecords::for_each_block(TableBlocks& blocks, Dataset block,
                                  const std::function<void(const Dataset&)>& each) const {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPause(5);
  Clock::time_point told = Clock::now();
  int64_t num_records = 0;
  for (; block.num_records > 0; block = blocks.next(block_rows_)) {
    check_interrupted(progress_);
    each(block);
    num_records += block.total_records();
    if (Clock::now() - told < kPause) continue;
    told = Clock::now();
    // The number of records is not always public.
    if (const std::optional<int64_t> all = setup_.public_size()) {
      progress_.stage(fmt::format("reading {}: {} of {} records", table_->name(),
                                  format_count(num_records), format_count(*all)));
    }
  }
}

/// The records of each stratum: (num_strata) masks.
std::vector<std::vector<uint8_t>> SynthRecords::members_of(const Dataset& block) const {
  if (!setup_.grouping) return {block.contributes};
  const Grouping grouping = group_by(block, setup_.schema, choices_.stratify, setup_.floor);
  std::vector<std::vector<uint8_t>> members(setup_.strata.size(), block.contributes);
  for (size_t s = 0; s < members.size(); ++s) {
    for (size_t record = 0; record < members[s].size(); ++record)
      if (grouping.group_of[record] != static_cast<GroupId>(s)) members[s][record] = 0;
  }
  return members;
}

void SynthRecords::count_distributions(const Dataset& block) {
  if (setup_.distributions.empty()) return;
  std::vector<uint8_t> all(block.contributes.size());
  for (const std::vector<uint8_t>& members : members_of(block))
    for (size_t record = 0; record < all.size(); ++record) all[record] |= members[record];
  for (size_t l = 0; l < setup_.distributions.size(); ++l) {
    const std::vector<uint32_t> counts =
        count_marginal(encode_table(block, {setup_.distributions[l].cells}, all), {0});
    // Without missing cells.
    for (size_t cell = 0; cell < distribution_counts_[l].size(); ++cell)
      distribution_counts_[l][cell] += counts[cell];
  }
}

void SynthRecords::count_marginals() {
  if (!passes_) return;
  try {
    begin_to_count();
    const std::unique_ptr<RecordReader> reader = passes_->open();
    TableBlocks blocks(*reader, setup_.schema, setup_.table_use(), {.takes_counts = true});
    int64_t num_records = 0;
    for_each_block(blocks, blocks.next(block_rows_), [&](const Dataset& block) {
      num_records += block.total_records();
      count(block);
    });
    passes_->require_unchanged();
    if (num_records != totals_->total_records()) {
      throw Error(ErrorKind::kRuntime, kRecords, "{}: changed while it was read", table_->name());
    }
  } catch (const Error& error) {
    check_interrupted(progress_);
    throw Error(error.kind(), kRecords,
                fmt::format("the second reading failed, nothing was written, and what the ledger "
                            "reserved for this run stays spent: {}; with a larger "
                            "--max-table-size the table is read once",
                            error.what()));
  }
  passes_.reset();
}

void SynthRecords::begin_to_count() {
  for (Part& part : parts_)
    part.counts = std::make_unique<KeptMarginals>(sizes_of(part), part.marginals);
}

void SynthRecords::count(const Dataset& block) {
  const auto members = members_of(block);
  for (Part& part : parts_) {
    if (part.marginals.empty()) continue;
    part.counts->add(encode(block, part, members), part.threads, progress_);
  }
}

CodedTable SynthRecords::encode(const Dataset& block, const Part& part,
                                const std::vector<std::vector<uint8_t>>& members) const {
  return encode_table(block, columns_of(setup_, part.columns),
                      part.stratum ? members[*part.stratum] : block.contributes);
}

std::unique_ptr<MarginalSource> SynthRecords::take(std::optional<size_t> stratum) {
  Part& part = *std::ranges::find(parts_, stratum, &Part::stratum);
  if (part.counts) return std::move(part.counts);
  if (!are_in_memory()) {
    throw Error(ErrorKind::kRuntime, kRecords,
                "the counts of a model are taken once; please report this as a bug");
  }
  if (part.stratum && members_.empty()) members_ = members_of(facts());
  return marginals_of(encode(facts(), part, members_), part.marginals, part.threads, progress_);
}

}  // namespace equinoise

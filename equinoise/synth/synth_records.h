// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/table.h"
#include "equinoise/data/table_passes.h"
#include "equinoise/data/table_source.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/marginal_source.h"
#include "equinoise/synth/point_mass_survey.h"
#include "equinoise/synth/synth_setup.h"

namespace equinoise {

/// The records that rows are made from: in memory, or, where they would take more of it than
/// `max_table_megabytes` and the counts of all marginals that a run may ask for do not, read block
/// by block, before anything is paid for and, where private distributions cut columns first, once
/// more for these counts. Which of the two changes no release. Sensitive.
class SynthRecords {
 public:
  /// Reads the table. Keeps references to all. Errors: those of read_table and
  /// stop_if_interrupted().
  SynthRecords(const TableSource& table, const SynthChoices& choices, const SynthSetup& setup,
               TaskProgress& progress);

  /// A table in memory, which outlives this.
  SynthRecords(const Dataset& table, const SynthChoices& choices, const SynthSetup& setup,
               TaskProgress& progress);

  SynthRecords(const SynthRecords&) = delete;
  SynthRecords& operator=(const SynthRecords&) = delete;

  /// The records if they are in memory; else a counted table without values, of as many records, of
  /// which the same columns drop as many.
  const Dataset& facts() const { return facts_ == nullptr ? held_ : *facts_; }

  /// See undeclared_point_masses(); of blocks, of values that most of the first one have.
  std::vector<std::string> point_masses() const;

  bool are_in_memory() const { return !totals_; }

  /// The most rows of a block, where records are not in memory.
  int64_t block_rows() const { return block_rows_; }

  /// The counts of the cells of each distribution, without missing ones, of all strata together.
  const std::vector<std::vector<int64_t>>& distribution_counts() const {
    return distribution_counts_;
  }

  /// Counts what models ask for, by the columns of the setup as distributions have cut them, unless
  /// records are in memory or were counted before, as no distribution cuts a column. Errors: those
  /// of the constructor; kRuntime for a table that changed. They say that what was reserved is
  /// spent.
  void count_marginals();

  /// The source that the model, or the questions, of a stratum ask, once; or the model of everybody
  /// that strata share.
  std::unique_ptr<MarginalSource> take(std::optional<size_t> stratum);

 private:
  /// Those whom a model is about, and what it asks for.
  struct Part {
    std::optional<size_t> stratum;  ///< empty: everybody
    std::vector<size_t> columns;
    std::vector<AttributeSet> marginals;
    int threads = 1;
    std::unique_ptr<KeptMarginals> counts = {};
  };

  SynthRecords(const TableSource* table, const Dataset* facts, const SynthChoices& choices,
               const SynthSetup& setup, TaskProgress& progress);
  std::vector<size_t> sizes_of(const Part& part) const;
  bool have_counts_room() const;
  void read();
  void for_each_block(TableBlocks& blocks, Dataset block,
                      const std::function<void(const Dataset&)>& each) const;
  std::vector<std::vector<uint8_t>> members_of(const Dataset& block) const;
  void count_distributions(const Dataset& block);
  void begin_to_count();
  void count(const Dataset& block);
  CodedTable encode(const Dataset& block, const Part& part,
                    const std::vector<std::vector<uint8_t>>& members) const;

  const TableSource* table_;  ///< null: a table in memory
  const SynthChoices& choices_;
  const SynthSetup& setup_;
  TaskProgress& progress_;
  std::vector<Part> parts_;  ///< everybody where strata share a model, then strata in their order
  std::unique_ptr<TablePasses> passes_;  ///< null: there is no second one
  int64_t block_rows_ = 0;               ///< where they are not
  Dataset held_;
  std::vector<std::vector<uint8_t>> members_;  ///< of strata in memory, when they are asked for
  std::optional<Dataset> totals_;              ///< of records that are not
  const Dataset* facts_;                       ///< null: held_
  std::vector<ColumnCodes> finest_;
  PointMassSurvey survey_;  ///< of records that are not in memory
  std::vector<std::vector<int64_t>> distribution_counts_;
};

}  // namespace equinoise

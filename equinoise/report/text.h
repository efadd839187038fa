// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/audit_report.h"
#include "equinoise/report/format.h"
#include "equinoise/report/training_report.h"

namespace equinoise {

/// A text table: the first `num_left` columns left-aligned, the others right-aligned, a rule below
/// the head.
std::string format_table(const std::vector<std::string>& head,
                         const std::vector<std::vector<std::string>>& rows, size_t num_left = 1);

/// The account before and after, in one line.
std::string ledger_lines(const LedgerStatement& ledger);

/// A line for each.
std::string lines_of(const std::vector<std::string>& sentences);

/// A line for each.
std::string warnings_to_text(const std::vector<std::string>& warnings);

/// What a run will cost: items, guarantee, per-group noise, the ledger before and after. For
/// terminals.
std::string plan_to_text(const TrainingReport& report);

/// What `equinoise plan --per-group` adds.
std::string outlook_to_text(const TrainingReport& report);

/// The result of a run for terminals: guarantee, per-group table, what is not private, files. NOT
/// PUBLISHABLE.
std::string training_to_text(const TrainingReport& report);

/// The result of an audit for terminals: a table by group, overall last, how far apart the groups
/// are, thresholds. NOT PUBLISHABLE.
std::string audit_to_text(const AuditReport& report);

/// The answer of `equinoise ledger show` for terminals.
std::string ledger_to_text(const LedgerAccount& account, const std::string& path);

}  // namespace equinoise

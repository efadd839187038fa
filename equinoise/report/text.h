#pragma once

#include <string>

#include "equinoise/report/training_report.h"

namespace equinoise {

/// A text table: the first `num_left` columns left-aligned, the others right-aligned, a rule below
/// the head.
std::string format_table(const std::vector<std::string>& head,
                         const std::vector<std::vector<std::string>>& rows, size_t num_left = 1);

/// Four significant digits, rounded up.
std::string format_epsilon(const Epsilon& epsilon);

/// 48842 -> "48,842"
std::string format_count(int64_t count);

/// What a run will cost: items, guarantee, per-group noise, the ledger before and after. For
/// terminals.
std::string plan_to_text(const TrainingReport& report);

/// The result of a run for terminals: guarantee, per-group table, what is not private, files. NOT
/// PUBLISHABLE.
std::string training_to_text(const TrainingReport& report);

/// model_card.md. Publishable facts only.
std::string card_to_markdown(const TrainingReport& report);

/// The answer of `equinoise ledger show` for terminals.
std::string ledger_to_text(const LedgerAccount& account, const std::string& path);

}  // namespace equinoise

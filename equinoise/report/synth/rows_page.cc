// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/lists.h"
#include "equinoise/report/format.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/synth/rows_card.h"

namespace equinoise {

namespace {

constexpr Forms kPageAndCard = Form::kPage | Form::kCard;
constexpr size_t kMaxBounds = 20;   // in the table; JSON has all
constexpr size_t kMaxColumns = 12;  // that are drawn

constexpr const char* kHowToReadNoise =
    "Noise is exact discrete Gaussian noise on every count. Noise alone is the total variation "
    "distance by which it is expected to put the counts off, as a share of the records: 0.4 x "
    "counts x noise / records. It is no error of the rows: a model that fits all counts together "
    "is mostly nearer, and its own simplifications come on top. Where noise alone is near 1 or "
    "above, single counts say nothing, only sums of many do.";

/// Two digits; "-" where there is none.
std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.2g}", *share) : "-";
}

std::string percent_text(double share) { return fmt::format("{:.2g} %", 100 * share); }

Facts facts_of(const RowsCard& card) {
  Facts facts{
      {{"rows", format_count(card.rows.num_rows)},
       {"records of the table", card.num_records ? format_count(*card.num_records) : "private"},
       {"method", card.method},
       {"drawn", card.rows.draw == RowDraw::kRound
                     ? "with rounded counts, closer to the model's than independent draws"
                     : "independently from the model"}}};
  const auto add = [&](std::string name, std::string_view value) {
    facts.facts.emplace_back(std::move(name), value);
  };
  if (!card.rows.given.empty())
    add("rows have", fmt::format("{}", fmt::join(card.rows.given, ", ")));
  add("made with", "Equinoise " + card.version);
  if (!card.privacy) return facts;
  const RowsPrivacy& privacy = *card.privacy;
  if (privacy.unit != "row") {
    add(fmt::format("rows of one {} that counted", privacy.unit),
        fmt::format("at most {}", format_count(privacy.max_records_per_unit)));
  }
  add("protects one", privacy.unit);
  add("relation", to_string(privacy.guarantee.relation));
  add("epsilon", format_epsilon(privacy.guarantee.epsilon));
  add("delta", fmt::format("{}", privacy.guarantee.delta.value()));
  add("zCDP rho", fmt::format("{:.4g}", card.rho));
  add("accountant", to_string(privacy.guarantee.accountant));
  return facts;
}

TextTable columns_table(const RowsCard& card) {
  TextTable table{"", {"column", "coded as", "numbers within a bin are spread", "gaps"}, {}, 4};
  for (const CardColumn& column : card.columns) {
    if (column.num_categories) {
      table.rows.push_back(
          {column.name, fmt::format("{} categories", *column.num_categories), "-", column.gaps});
      continue;
    }
    std::string coded =
        fmt::format("{} bins from {} to {}", *column.num_bins, column.lower, column.upper);
    const bool are_single = column.num_single == column.num_bins;
    if (are_single) {
      coded += ", each of one number";
    } else if (*column.num_single > 0) {
      coded += fmt::format(", {} of one number", *column.num_single);
    }
    table.rows.push_back({column.name, coded, are_single ? "-" : column.spread, column.gaps});
  }
  return table;
}

/// A drawing for each of the first columns.
void add_released_counts(const RowsCard& card, Fence fence, Document& document) {
  Section& section = document.section("Released counts of single columns", fence, Form::kPage);
  if (card.released.empty()) return;
  const size_t num_drawn = std::min(card.released.size(), kMaxColumns);
  std::string what =
      "Counts of the records with noise, at least 0; an interval covers at least 95 % of the "
      "noise.";
  if (num_drawn < card.released.size()) {
    what += fmt::format(
        " Of {} columns the first {} are drawn; equinoise synth estimate --table COLUMN has the "
        "others.",
        card.released.size(), num_drawn);
  }
  section.add(Paragraph{std::move(what)});
  for (size_t i = 0; i < num_drawn; ++i) {
    const ReleasedColumn& column = card.released[i];
    DotChart chart{.id = fmt::format("counts-{}", i + 1),
                   .title = column.name,
                   .metric = "records",
                   .axis_label = "records, with noise",
                   .name_head = column.name,
                   .has_total = false,
                   .compares_with_zero = true,
                   .rows_are = "values"};
    std::vector<double> weights;
    const double half = 1.96 * column.noise_stddev;
    for (const auto& [value, count] : column.records) {
      weights.push_back(count);
      chart.rows.push_back(
          {value,
           "",
           {.value = std::max(0.0, count),
            .interval = {std::max(0.0, count - half), std::max(0.0, count) + half}}});
    }
    chart.total.estimate.interval = {-half, half};
    section.add(Picture{dot_chart(std::move(chart), weights, "the most records")});
  }
}

std::string marginal_name(const CardMarginal& marginal) {
  if (marginal.columns.empty()) return "number of records";
  return (marginal.is_cell ? "one count of " : "") + columns_of(marginal.columns);
}

/// The parts of rho for counts, choices and spreads in the shared model.
std::string rho_sentence(const RowsCard& card) {
  const auto part = [](double share) { return format_percent(share) + " %"; };
  double counts = 0;
  for (const CardMarginal& marginal : card.measured)
    if (marginal.group.empty()) counts += marginal.rho_share;
  double distributions = 0;
  for (const CardDistribution& distribution : card.distributions)
    distributions += distribution.rho_share;
  std::string text = fmt::format(
      "Of rho {:.4g}, {} went to counts of marginals and {} to choices of what to measure",
      card.rho, part(counts), part(card.rho_share_of_choices));
  if (distributions > 0) text += fmt::format(", {} to how numbers are spread", part(distributions));
  if (card.strata_share) text += "; strata paid with the rest, in parallel";
  return text + ".";
}

TextTable measured_table(const RowsCard& card) {
  TextTable table{"",
                  {"marginal", "counts", "noise (standard deviation, records)", "share of rho",
                   "noise alone (share of records)"}};
  for (const CardMarginal& marginal : card.measured) {
    if (!marginal.group.empty()) continue;
    table.rows.push_back({marginal_name(marginal),
                          format_count(static_cast<int64_t>(marginal.num_counts)),
                          format_amount(marginal.noise_stddev), percent_text(marginal.rho_share),
                          share_text(marginal.noise_error)});
  }
  return table;
}

TextTable distributions_table(const RowsCard& card) {
  TextTable table{
      "How numbers are spread, from noisy counts of halves, quarters and so on",
      {"column", "levels of counts", "noise (standard deviation, records)", "share of rho"}};
  for (const CardDistribution& distribution : card.distributions)
    table.rows.push_back({distribution.column, std::to_string(distribution.num_levels),
                          format_amount(distribution.noise_stddev),
                          percent_text(distribution.rho_share)});
  return table;
}

/// The measurements of each stratum in a line.
TextTable strata_table_of(const RowsCard& card) {
  TextTable table{
      "Strata; noise alone is of a stratum's single columns, on average, if they were all that it "
      "measures",
      {"stratum", "public size (records)", "share of rows", "marginals of its own",
       "noise (standard deviation, records)", "noise alone (share of its records)"}};
  for (const CardStratum& stratum : card.strata) {
    std::vector<double> noise;
    for (const CardMarginal& marginal : card.measured)
      if (marginal.group == stratum.group) noise.push_back(marginal.noise_stddev);
    std::string range = "-";
    if (!noise.empty()) {
      const auto [least, most] = std::ranges::minmax_element(noise);
      range = format_amount(*least);
      if (const std::string high = format_amount(*most); high != range) range += " to " + high;
    }
    table.rows.push_back({values_of(stratum.group), format_size(stratum.num_records),
                          percent_text(stratum.weight),
                          noise.empty() ? "none" : std::to_string(noise.size()), range,
                          share_text(stratum.noise_error)});
  }
  return table;
}

TextTable bounds_table(const RowsCard& card) {
  const std::vector<CardBound>& bounds = card.bounds.marginals;
  const size_t num_shown = std::min(bounds.size(), kMaxBounds);
  TextTable table{fmt::format("The {} lowest of {}", num_shown, bounds.size()),
                  {"marginal", "at most (records)", "at most (share of records)"}};
  for (size_t i = 0; i < num_shown; ++i)
    table.rows.push_back({columns_of(bounds[i].columns), format_amount(bounds[i].records),
                          share_text(bounds[i].share)});
  return table;
}

}  // namespace

Document rows_document(const RowsCard& card) {
  Document document;
  document.title = "Synthetic rows: " + card.dataset;
  document.lead = {"Privacy: " + card.privacy_line + "."};
  if (card.privacy) append(document.lead, card.privacy->in_words);
  const Fence fence = card.privacy ? Fence::kPublishable : Fence::kUnprotected;
  Section& rows = document.section("Rows", fence, kPageAndCard).add(facts_of(card));
  if (card.privacy) rows.add(Picture{html_guarantee(card.privacy->guarantee)});
  document.section("How to quote these rows", fence, kPageAndCard).add(Items{card.how_to_quote});
  document.section("What is kept and what is not", fence, kPageAndCard)
      .add(Items{card.limits})
      .add(card.pairs);
  document.section("Columns", fence, kPageAndCard)
      .add(Paragraph{"Bounds and categories are the schema's; edges of bins between them follow it "
                     "or released counts."})
      .add(columns_table(card));
  add_released_counts(card, fence, document);
  Section& measured =
      document.section("What was measured", fence, kPageAndCard).add(Paragraph{kHowToReadNoise});
  TextTable marginals = measured_table(card);
  if (!marginals.rows.empty()) measured.add(Paragraph{rho_sentence(card)});
  measured.add(std::move(marginals)).add(distributions_table(card)).add(strata_table_of(card));
  document.section("Bounds of errors", fence, kPageAndCard)
      .add(Paragraph{card.bounds.in_words})
      .add(bounds_table(card));
  add_account(card.ledger, document);
  return document;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/synth/synth_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/lists.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"
#include "equinoise/report/ledger/ledger_json.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/synth/rows_card.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

TextTable rounds_table(const SynthReport& report) {
  TextTable table;
  table.caption =
      "What was measured, and why: the error of the model before the round, from the noisy counts";
  table.head = {"round",      "marginal", "error (records)", "noise (records)",
                "candidates", "model MB", "rho spent"};
  table.num_left = 2;
  for (size_t i = 0; i < report.rounds.size(); ++i) {
    const SynthRoundReport& told = report.rounds[i];
    std::string name = fmt::format("{}", fmt::join(told.columns, ", "));
    if (!told.stratum.empty()) name = fmt::format("{}: {}", told.stratum, name);
    table.rows.push_back(
        {std::to_string(i + 1), name, format_amount(told.round.missed),
         format_amount(told.round.noise_stddev), std::to_string(told.round.num_candidates),
         format_amount(told.round.megabytes), format_amount(told.round.rho_spent)});
  }
  return table;
}

TextTable strata_table(const SynthReport& report) {
  TextTable table;
  const bool all_measure =
      std::ranges::none_of(report.strata, [](const SynthStratumReport& stratum) {
        return stratum.num_measured.value_or(stratum.num_columns) < stratum.num_columns;
      });
  table.caption = fmt::format(
      "Noise alone is the share of a stratum's records by which noise would put its columns off if "
      "nothing else were measured{}",
      all_measure ? "" : "; columns that a stratum does not measure follow the shared model");
  table.head = {"stratum", "public size",      "share of rows",
                "epsilon", "columns measured", "noise alone"};
  std::vector<std::string> names;
  for (const SynthStratumReport& stratum : report.strata) {
    for (const auto& [name, value] : stratum.settings) {
      if (!contains(names, name)) names.push_back(name);
    }
  }
  append(table.head, names);
  for (const SynthStratumReport& stratum : report.strata) {
    table.rows.push_back(
        {values_of(stratum.group), format_size(stratum.public_size),
         stratum.weight ? format_percent(*stratum.weight) : "-", format_epsilon(stratum.privacy),
         stratum.num_measured ? fmt::format("{} of {}", *stratum.num_measured, stratum.num_columns)
                              : "by the method",
         stratum.noise_error ? fmt::format("{:.2g}", *stratum.noise_error) : "-"});
    for (const std::string& name : names) {
      const auto found = std::ranges::find_if(
          stratum.settings, [&](const auto& setting) { return setting.first == name; });
      table.rows.back().push_back(found == stratum.settings.end() ? "-"
                                                                  : format_setting(found->second));
    }
  }
  return table;
}

/// Adds the guarantee, or that there is none.
void add_privacy(const SynthReport& report, Document& document) {
  const std::string line = privacy_line(report.status, report.privacy);
  if (report.status != PrivacyStatus::kPrivate) {
    document.alarms = {line};
    return;
  }
  document.lead = {"Guarantee: " + line};
  for (std::string& sentence : explain(report.protection))
    document.lead.push_back(std::move(sentence));
}

}  // namespace

Json synth_plan_to_json(const SynthReport& report) {
  return document_of("synth --dry-run", report, {.document = Documents::kPlan});
}

Json synth_to_json(const SynthReport& report) {
  const bool is_private = report.status == PrivacyStatus::kPrivate;
  Json notices = {{"notice", std::string(kDoNotPublish) + (is_private ? "what not_publishable lists"
                                                                      : "no budget protects it")}};
  if (is_private) notices[kNotPublishable] = {"ingest", "seconds", "owner_warnings", "files"};
  return document_of("synth", report, {.document = Documents::kReport}, std::move(notices));
}

SynthReport synth_report_from_json(std::string_view text, std::string_view origin) {
  return read_document({"synth", origin, "report.synth"}, text, [](const auto& root) {
    return read_fields<SynthReport>(root, {.document = Documents::kReport});
  });
}

Document synth_plan_document(const SynthReport& report) {
  Document document;
  add_privacy(report, document);
  document.warnings = report.warnings;
  Facts facts{
      {{"rho", fmt::format("{:.6g}", report.rho)},
       {"model", fmt::format("{} MB at first, at most {} MB", format_amount(report.min_megabytes),
                             format_amount(report.most_megabytes))}}};
  for (const auto& [name, value] : report.settings)
    facts.facts.emplace_back(name, format_setting(value));
  Items events;
  for (const Event& event : report.events) events.items.push_back(event.to_text());
  document
      .section(fmt::format("Plan: {} on {}", report.method, report.dataset),
               fence_of(report.status), Form::kShown)
      .add(std::move(facts));
  document.section("Strata", fence_of(report.status), Form::kShown).add(strata_table(report));
  document.section("Events", fence_of(report.status), Form::kPage).add(std::move(events));
  add_account(report.ledger, document);
  return document;
}

Document synth_document(const SynthReport& report) {
  Document document;
  add_privacy(report, document);
  document.warnings = report.warnings;
  document.owner_warnings = report.owner_warnings;
  document.files = marked(report.files, fence_of(report.status));
  for (WrittenFile& file : document.files)  // synth_page() has no figures without noise
    if (file.path.ends_with("report.html")) file.fence = fence_of(report.status);
  document
      .section(fmt::format("{} synthetic rows of {} by {}", format_count(report.num_rows),
                           report.dataset, report.method),
               fence_of(report.status), Form::kShown)
      .add(Facts{
          {{"model", fmt::format("{} MB after {} rounds", format_amount(report.model_megabytes),
                                 report.rounds.size())}}});
  document.section("Strata", fence_of(report.status), Form::kShown).add(strata_table(report));
  document.section("Rounds", fence_of(report.status), Form::kPage).add(rounds_table(report));
  add_account(report.ledger, document);
  document.section("Reading the table", Fence::kNotPrivate, Form::kShown)
      .add(Items{report.ingest_notes});
  return document;
}

Document synth_page(const SynthReport& report, const RowsCard& card) {
  Document document = rows_document(card);
  document.summary = {
      fmt::format("{} synthetic rows were drawn from a model of noisy counts of the "
                  "dataset {}, made by {}.",
                  format_count(card.rows.num_rows), card.dataset, card.method)};
  if (card.privacy) {
    document.summary.push_back(strength_in_words(
        card.privacy->guarantee, {card.privacy->unit, card.privacy->max_records_per_unit}));
    document.summary.emplace_back(
        "The rows, the model, the card and this page may leave the house; report.json may not.");
  } else {
    document.summary.emplace_back(
        "Privacy: none. Nothing here may leave the house, unless the table is public.");
  }
  if (!card.privacy) {
    document.alarms = {card.privacy_line};
    document.lead.clear();
  }
  document.warnings = report.warnings;
  document.owner_warnings = report.owner_warnings;
  const Fence fence = card.privacy ? Fence::kPublishable : Fence::kUnprotected;
  document.section("Rounds", fence, Form::kPage).add(rounds_table(report));
  document.add_repeat(report.command, report.version);
  return document;
}

}  // namespace equinoise

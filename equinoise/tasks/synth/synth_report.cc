// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/ledger/ledger_json.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

Json settings_to_json(const std::vector<std::pair<std::string, double>>& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings) json[name] = value;
  return json;
}

Json head_of(const SynthReport& report) {
  Json events = Json::array();
  for (const Event& event : report.events) events.emplace_back(event.to_json());
  Json json = {{"schema", "equinoise/1"},
               {"version", report.version},
               {"dataset", report.dataset},
               {"method", report.method},
               {"status", to_string(report.status)},
               {"events", events},
               {"rho", report.rho},
               {"settings", settings_to_json(report.settings)},
               {"least_megabytes", report.least_megabytes},
               {"most_megabytes", report.most_megabytes}};
  if (report.privacy) json["privacy"] = to_json(*report.privacy);
  json["privacy_in_words"] = explain(report.protection);
  json["attack_bounds"] = attack_or_null(report.protection);
  if (report.ledger) {
    json["ledger_before"] = to_json(report.ledger->spent_before);
    json["ledger_after"] = to_json(report.ledger->spent_after);
    json["ledger"] = to_json(*report.ledger);
  }
  if (!report.strata.empty()) {
    Json strata = Json::array();
    for (const SynthStratumReport& stratum : report.strata) {
      Json entry = {{"group", to_json(stratum.group)}};
      if (stratum.public_size) entry["num_records"] = *stratum.public_size;
      if (stratum.weight) entry["weight"] = *stratum.weight;
      if (stratum.privacy) entry["privacy"] = to_json(*stratum.privacy);
      entry["num_columns"] = stratum.num_columns;
      if (stratum.num_measured) entry["num_measured"] = *stratum.num_measured;
      if (stratum.noise_error) entry["noise_error"] = *stratum.noise_error;
      if (!stratum.settings.empty()) entry["settings"] = settings_to_json(stratum.settings);
      strata.push_back(std::move(entry));
    }
    json["groups"] = std::move(strata);
  }
  json["warnings"] = report.warnings;
  return json;
}

Json round_to_json(const SynthRoundReport& report) {
  const SynthRound& round = report.round;
  Json json = Json::object();
  if (!report.stratum.empty()) json["stratum"] = report.stratum;
  json["columns"] = report.columns;
  if (!round.codes.empty()) json["codes"] = round.codes;
  json["weight"] = round.weight;
  json["candidates"] = round.num_candidates;
  json["too_large"] = round.num_too_large;
  json["epsilon"] = round.epsilon;
  json["noise_stddev"] = round.noise_stddev;
  json["missed"] = round.missed;
  json["halves_noise"] = round.halves_noise;
  json["megabytes"] = round.megabytes;
  json["rho_spent"] = round.rho_spent;
  return json;
}

TextTable rounds_table(const SynthReport& report) {
  TextTable table;
  table.caption =
      "What was measured, and why: the number of records by which the model was off, from the "
      "noisy counts";
  table.head = {"round", "marginal", "off by", "noise", "candidates", "model MB", "rho spent"};
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
  const bool all_measure = std::none_of(
      report.strata.begin(), report.strata.end(), [](const SynthStratumReport& stratum) {
        return stratum.num_measured.value_or(stratum.num_columns) < stratum.num_columns;
      });
  table.caption = fmt::format(
      "Strata: own noise is how far noise alone puts the stratum's columns off if all of them are "
      "measured and nothing else, as a share of its records{}",
      all_measure ? "" : "; columns that a stratum does not measure follow the shared model");
  table.head = {"stratum", "public size",      "share of rows",
                "epsilon", "columns measured", "own noise"};
  std::vector<std::string> names;
  for (const SynthStratumReport& stratum : report.strata) {
    for (const auto& [name, value] : stratum.settings) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  table.head.insert(table.head.end(), names.begin(), names.end());
  for (const SynthStratumReport& stratum : report.strata) {
    table.rows.push_back(
        {values_of(stratum.group), format_size(stratum.public_size),
         stratum.weight ? format_percent(*stratum.weight) : "-", format_epsilon(stratum.privacy),
         stratum.num_measured ? fmt::format("{} of {}", *stratum.num_measured, stratum.num_columns)
                              : "by the method",
         stratum.noise_error ? format_setting(*stratum.noise_error) : "-"});
    for (const std::string& name : names) {
      const auto found = std::find_if(stratum.settings.begin(), stratum.settings.end(),
                                      [&](const auto& setting) { return setting.first == name; });
      table.rows.back().push_back(found == stratum.settings.end() ? "-"
                                                                  : format_setting(found->second));
    }
  }
  return table;
}

std::string status_line(const SynthReport& report) {
  const std::string line = privacy_line(report.status, report.privacy);
  return report.status == PrivacyStatus::kPrivate ? "guarantee: " + line : line;
}

/// With what that means.
std::string privacy_lines(const SynthReport& report) {
  return status_line(report) + "\n" + lines_of(explain(report.protection));
}

}  // namespace

Json synth_plan_to_json(const SynthReport& report) { return head_of(report); }

std::string synth_plan_to_text(const SynthReport& report) {
  std::string text =
      fmt::format("{} on {}: {}rho {:.6g}; a model takes {} MB at first and at most {} MB\n",
                  report.method, report.dataset, privacy_lines(report), report.rho,
                  format_amount(report.least_megabytes), format_amount(report.most_megabytes));
  for (const Event& event : report.events) text += "  " + event.to_text() + "\n";
  for (const auto& [name, value] : report.settings)
    text += fmt::format("{}: {}\n", name, format_setting(value));
  if (!report.strata.empty()) text += to_text(strata_table(report));
  if (report.ledger) text += ledger_lines(*report.ledger);
  for (const std::string& warning : report.warnings) text += "warning: " + warning + "\n";
  return text;
}

Json synth_to_json(const SynthReport& report) {
  Json json = {
      {"notice", std::string(kDoNotPublish) +
                     "not_private_ingest and seconds are computed from records without noise"}};
  json.update(head_of(report));
  json["report"] = "synth";
  json["rows"] = report.num_rows;
  json["rounds"] = report.rounds.size();
  Json rounds = Json::array();
  for (const SynthRoundReport& round : report.rounds) rounds.push_back(round_to_json(round));
  json["round_details"] = std::move(rounds);
  json["model_megabytes"] = report.model_megabytes;
  json["seconds"] = report.seconds;
  json["not_private_ingest"] = report.ingest_notes;
  json["files"] = report.files;
  json["command"] = report.command;
  return json;
}

std::string synth_to_text(const SynthReport& report) {
  std::string text =
      fmt::format("{} rows by {}, model of {} MB\n{}", format_count(report.num_rows), report.method,
                  format_amount(report.model_megabytes), privacy_lines(report));
  if (!report.strata.empty()) text += "\n" + to_text(strata_table(report));
  if (!report.rounds.empty()) text += "\n" + to_text(rounds_table(report));
  if (report.ledger) text += "\n" + ledger_lines(*report.ledger);
  for (const std::string& warning : report.warnings) text += "warning: " + warning + "\n";
  for (const std::string& note : report.ingest_notes) text += "not private: " + note + "\n";
  text +=
      "The reports contain figures without noise: do not publish report.json and report.html.\n";
  for (const std::string& file : report.files) text += "wrote " + file + "\n";
  return text;
}

std::string synth_to_html(const SynthReport& report) {
  const bool is_private = report.status == PrivacyStatus::kPrivate;
  const Fence fence = is_private ? Fence::kPublishable : Fence::kNotPrivate;
  std::vector<std::string> alarms;
  if (!is_private) alarms.push_back(status_line(report));
  std::string body = html_banner() + html_warnings(alarms, report.warnings);
  std::string what =
      html_paragraph(fmt::format("{} synthetic rows for the dataset {}, by {}.",
                                 format_count(report.num_rows), report.dataset, report.method));
  what += is_private ? html_guarantee(*report.privacy, explain(report.protection))
                     : html_paragraph(status_line(report));
  body += html_section("What was released", fence, what);
  if (!report.strata.empty())
    body += html_section("Strata", fence, html_table(strata_table(report)));
  if (!report.rounds.empty())
    body += html_section("Rounds", fence, html_table(rounds_table(report)));
  if (!report.ingest_notes.empty()) {
    body += html_section("What the schema's rules did to the records", Fence::kNotPrivate,
                         html_list(report.ingest_notes));
  }
  body += html_repeat(report.command, report.version, report.files);
  return html_page("Synthetic rows: " + report.dataset, body);
}

}  // namespace equinoise

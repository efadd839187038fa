// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/report/rebuilt_page.h"

#include <fmt/format.h>

#include <system_error>

#include "equinoise/base/error.h"
#include "equinoise/data/schema/json_section.h"
#include "equinoise/files/output_file.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/json_reader.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/report/synth/evaluation_report.h"
#include "equinoise/report/synth/synth_report.h"
#include "equinoise/report/tables/tables_report.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

namespace {

constexpr std::string_view kRebuildPlace = "tasks.report";
constexpr std::string_view kGiveFolder =
    "give a folder that equinoise train, compare, tables, means, synth or synth evaluate wrote";

JsonSource report_source(const std::filesystem::path& path) {
  return {.origin = path.string(),
          .where = kRebuildPlace,
          .kind = "a report of this tool",
          .hint = kGiveFolder};
}

/// The command that wrote a report.json.
std::string writer_of(const std::string& text, const JsonSource& source) {
  const nlohmann::json json = parse_json(text, source);
  const JsonSection root(json, "", source);
  if (!root.has("kind") && !root.has("report")) {
    throw Error(ErrorKind::kInput, kRebuildPlace,
                "{}: does not say which command wrote it; an earlier version did, or "
                "none of this tool",
                source.origin);
  }
  return read_kind(root);
}

/// The page of a folder of synth; `text` is its report.json.
Document synth_page_of(const std::filesystem::path& folder, const std::string& text,
                       const std::filesystem::path& report) {
  const std::filesystem::path model = folder / "model.json";
  const std::filesystem::path card = folder / "rows_card.json";
  const SynthFile file = load_synth_file(model);
  if (!file.released) {
    throw Error(ErrorKind::kInput, kRebuildPlace,
                model.string() + ": the model is of a version that kept nothing to make a page of");
  }
  const DrawnRows rows =
      drawn_rows_from_json(read_json_file(card, report_source(card)), card.string());
  return synth_page(synth_report_from_json(text, report.string()), rows_card(file, rows));
}

void write_page(const std::filesystem::path& path, const std::string& page) {
  OutputFile file(path, true);
  file.reserve(static_cast<int64_t>(page.size()));
  file.write(page);
  file.commit();
}

/// The page of a report.json written by that command; "" for other commands.
std::string page_of(std::string_view command, const std::string& text, const std::string& origin) {
  if (command == "train")
    return to_page(training_document(training_report_from_json(text, origin)));
  if (command == "tables") return to_page(tables_document(tables_report_from_json(text, origin)));
  if (command == "means") return to_page(means_document(means_report_from_json(text, origin)));
  if (command == "synth evaluate")
    return to_page(evaluation_document(evaluation_from_json(text, origin)));
  return "";
}

}  // namespace

RebuiltPage rebuild_page(const std::filesystem::path& folder) {
  const std::filesystem::path comparison = folder / "compare.json";
  const std::filesystem::path report = folder / "report.json";
  RebuiltPage rebuilt{"compare", folder / "report.html"};
  std::error_code ignored;
  if (std::filesystem::exists(comparison, ignored)) {
    const std::string text = read_json_file(comparison, report_source(comparison));
    write_page(rebuilt.path,
               to_page(compare_document(compare_report_from_json(text, comparison.string()))));
    return rebuilt;
  }
  if (!std::filesystem::exists(report, ignored)) {
    throw Error(ErrorKind::kInput, kRebuildPlace,
                "{}: no folder with a compare.json or report.json in it; {}", folder.string(),
                kGiveFolder);
  }
  const JsonSource source = report_source(report);
  const std::string text = read_json_file(report, source);
  rebuilt.command = writer_of(text, source);
  if (rebuilt.command == "synth") {
    write_page(rebuilt.path, to_page(synth_page_of(folder, text, report)));
    return rebuilt;
  }
  const std::string page = page_of(rebuilt.command, text, report.string());
  if (page.empty()) {
    throw Error(
        ErrorKind::kInput, kRebuildPlace,
        rebuilt.command == "compare"
            ? fmt::format("{}: that of a comparison must be named compare.json", report.string())
            : fmt::format("{}: its page is made by equinoise {} alone; run that again with "
                          "--force",
                          report.string(), rebuilt.command));
  }
  write_page(rebuilt.path, page);
  return rebuilt;
}

}  // namespace equinoise

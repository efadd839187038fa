// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/report/rebuilt_page.h"

#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <utility>

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
                       const std::string& origin) {
  const std::filesystem::path model = folder / "model.json";
  const std::filesystem::path card = folder / "rows_card.json";
  const SynthFile file = load_synth_file(model);
  if (!file.released) {
    throw Error(ErrorKind::kInput, kRebuildPlace,
                model.string() + ": the model is of a version that kept nothing to make a page of");
  }
  const DrawnRows rows =
      drawn_rows_from_json(read_json_file(card, report_source(card)), card.string());
  const SynthReport report = synth_report_from_json(text, origin);
  return synth_page(report, rows_card(file, rows, report.ledger));
}

/// Marked as when the command wrote it.
RebuiltPage write_page(std::string command, const std::filesystem::path& path,
                       const Document& document) {
  const std::string page = to_page(document);
  OutputFile file(path, true);
  file.reserve(static_cast<int64_t>(page.size()));
  file.write(page);
  file.commit();
  std::optional<Fence> fence = fence_of(document);
  for (const WrittenFile& written : document.files)
    if (std::filesystem::path(written.path).filename() == path.filename()) fence = written.fence;
  return {std::move(command), {path.string(), fence}};
}

/// The page of a report.json in that folder, written by that command; nothing for other commands.
std::optional<Document> page_of(std::string_view command, const std::filesystem::path& folder,
                                const std::string& text, const std::string& origin) {
  if (command == "train") return training_document(training_report_from_json(text, origin));
  if (command == "tables") return tables_document(tables_report_from_json(text, origin));
  if (command == "means") return means_document(means_report_from_json(text, origin));
  if (command == "synth") return synth_page_of(folder, text, origin);
  if (command == "synth evaluate") return evaluation_document(evaluation_from_json(text, origin));
  return std::nullopt;
}

}  // namespace

RebuiltPage rebuild_page(const std::filesystem::path& folder) {
  const std::filesystem::path comparison = folder / "compare.json";
  const std::filesystem::path report = folder / "report.json";
  const std::filesystem::path page = folder / "report.html";
  std::error_code ignored;
  if (std::filesystem::exists(comparison, ignored)) {
    const std::string text = read_json_file(comparison, report_source(comparison));
    return write_page("compare", page,
                      compare_document(compare_report_from_json(text, comparison.string())));
  }
  if (!std::filesystem::exists(report, ignored)) {
    throw Error(ErrorKind::kInput, kRebuildPlace,
                "{}: no folder with a compare.json or report.json in it; {}", folder.string(),
                kGiveFolder);
  }
  const JsonSource source = report_source(report);
  const std::string text = read_json_file(report, source);
  const std::string command = writer_of(text, source);
  const std::optional<Document> document = page_of(command, folder, text, report.string());
  if (!document) {
    throw Error(
        ErrorKind::kInput, kRebuildPlace,
        command == "compare"
            ? fmt::format("{}: that of a comparison must be named compare.json", report.string())
            : fmt::format("{}: its page is made by equinoise {} alone; run that again with "
                          "--force",
                          report.string(), command));
  }
  return write_page(command, page, *document);
}

}  // namespace equinoise

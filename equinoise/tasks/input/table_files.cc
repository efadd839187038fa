// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/table_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/sha256.h"
#include "equinoise/data/codes/column_sets.h"
#include "equinoise/data/engine_table.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/images/images.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/input/ingest_notes.h"

namespace equinoise {

namespace {

/// The hash of everything hashed so far and of a file's bytes, in pieces.
std::string hash_on(std::string hash, const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::vector<char> piece(size_t{1} << 20);
  while (stream.read(piece.data(), std::ssize(piece)) || stream.gcount() > 0)
    hash = sha256_hex(hash.append(piece.data(), static_cast<size_t>(stream.gcount())));
  if (!stream.eof()) {
    throw Error(ErrorKind::kRuntime, "tasks.table", "{}: cannot be read", path.string());
  }
  return hash;
}

/// The same for the names and the cells of records. Each text is preceded by its length, and a null
/// cell by a length that no text has, so that different tables have different inputs.
std::string hash_on(const std::string& hash, RecordReader& records) {
  constexpr size_t kPiece = size_t{1} << 16;
  Sha256 sum;
  sum.add(hash);
  std::string piece;
  const auto add_length = [&](uint64_t length) {
    piece.append(reinterpret_cast<const char*>(&length), sizeof length);
  };
  const auto add_cell = [&](std::string_view cell) {
    add_length(RecordReader::is_null(cell) ? ~uint64_t{0} : cell.size());
    piece.append(cell);
    if (piece.size() < kPiece) return;
    sum.add(piece);
    piece.clear();
  };
  add_length(records.header().size());
  for (const std::string& name : records.header()) add_cell(name);
  while (records.next())
    for (size_t i = 0; i < records.header().size(); ++i) add_cell(records.text(i));
  sum.add(piece);
  return sum.hex();
}

}  // namespace

void require_not_input(const std::filesystem::path& out, const TableFiles& files) {
  const auto is_out = [&](const std::filesystem::path& input) {
    std::error_code ignored;
    return !input.empty() && (input == out || std::filesystem::equivalent(input, out, ignored));
  };
  const EngineTable* engine = files.data.engine();
  if (!is_out(files.data.path()) && !is_out(files.labels) &&
      !(engine != nullptr && engine->has_file(out)))
    return;
  throw Error(ErrorKind::kUsage, "tasks.table", "{} is read by this command; give another --out",
              out.string());
}

std::string hash_of_files(const TableFiles& files, const std::string& salt) {
  std::string hash = sha256_hex(salt);
  if (!files.data.is_file()) hash = hash_on(hash, *files.data.open_records());
  for (const std::filesystem::path& path : {files.data.path(), files.labels}) {
    if (path.empty()) continue;
    if (!std::filesystem::is_directory(path)) {
      hash = hash_on(std::move(hash), path);
      continue;
    }
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      if (entry.is_regular_file()) paths.push_back(entry.path());
    std::ranges::sort(paths);
    for (const std::filesystem::path& file : paths)
      hash = hash_on(sha256_hex(hash.append(file.filename().string())), file);
  }
  return hash;
}

void check_labels(const std::filesystem::path& labels, const Schema& schema, TableUse use) {
  constexpr std::string_view kWhere = "tasks.table";
  if (!schema.image && !labels.empty()) {
    throw Error(ErrorKind::kUsage, kWhere, "--labels is for images, but the schema has no [image]");
  }
  if (schema.image && labels.empty() && use != TableUse::kFeaturesOnly) {
    throw Error(ErrorKind::kUsage, kWhere,
                "the schema has [image]; give the labels of the images with --labels FILE");
  }
}

void warn_of_many_rows(const TableSource& table, const Schema& schema, const ColumnSets& sets,
                       TaskProgress& progress) {
  if (!table.is_engine()) return;
  const std::string problem = why_rows_may_not_fit(schema, sets);
  if (!problem.empty()) progress.stage("warning: " + problem);
}

void warn_of_misfits(const Dataset& dataset, TableUse use, TaskProgress& progress) {
  const std::vector<std::string> sentences =
      misfits(dataset, use == TableUse::kFeaturesOnly ? kTellingCells : 1);
  if (!sentences.empty()) progress.stage("warning, not private: " + sentences.front());
}

Dataset read_table_files(const TableFiles& files, const Schema& schema, TableUse use,
                         TaskProgress& progress, CountedRows counted, const ColumnSets& sets) {
  using Clock = std::chrono::steady_clock;
  check_labels(files.labels, schema, use);
  if (schema.image && !files.data.is_file()) {
    throw Error(ErrorKind::kUsage, "tasks.table",
                "{}: the schema has [image], and images are read from files only",
                files.data.name());
  }
  progress.stage(fmt::format("reading {}", files.data.name()));
  Clock::time_point told = Clock::now();
  const auto tell = [&](int64_t done, int64_t all) {
    constexpr std::chrono::seconds kPause(5);
    if (Clock::now() - told < kPause) return;
    told = Clock::now();
    progress.stage(fmt::format("reading {}: {} of {} images", files.data.name(), format_count(done),
                               format_count(all)));
  };
  Dataset dataset;
  if (schema.image) {
    dataset = read_images(files.data.path(), files.labels, schema, use, tell);
  } else {
    warn_of_many_rows(files.data, schema, sets, progress);
    dataset = read_table(files.data, schema, use, counted, {sets, &progress});
  }
  stop_if_interrupted(&progress);
  // It is unknown which cells of two sets are in the same record.
  if (files.data.is_engine() && !sets.empty()) dataset.num_dropped = 0;
  warn_of_misfits(dataset, use, progress);
  return dataset;
}

bool is_same_table(const TableSource& a, const TableSource& b) {
  if (a.is_engine() && b.is_engine()) return a.engine()->is_same(*b.engine());
  if (a.is_engine()) return b.is_file() && a.engine()->has_file(b.path());
  if (b.is_engine()) return is_same_table(b, a);
  std::error_code ignored;
  return a.is_file() && b.is_file() && std::filesystem::equivalent(a.path(), b.path(), ignored);
}

}  // namespace equinoise

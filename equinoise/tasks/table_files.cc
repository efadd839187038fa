#include "equinoise/tasks/table_files.h"

#include <fmt/format.h>

#include <chrono>

#include "equinoise/base/error.h"
#include "equinoise/data/images.h"
#include "equinoise/report/text.h"

namespace equinoise {

void check_labels(const std::filesystem::path& labels, const Schema& schema, TableUse use) {
  constexpr std::string_view kWhere = "tasks.table";
  if (!schema.image && !labels.empty()) {
    throw Error(ErrorKind::kUsage, kWhere,
                "--labels belongs to a table of images, but the schema has no [image]");
  }
  if (schema.image && labels.empty() && use != TableUse::kFeaturesOnly) {
    throw Error(ErrorKind::kUsage, kWhere,
                "the schema has [image]: give the labels of the images with --labels FILE");
  }
}

Dataset read_table_files(const TableFiles& files, const Schema& schema, TableUse use,
                         TaskProgress& progress) {
  using Clock = std::chrono::steady_clock;
  check_labels(files.labels, schema, use);
  progress.stage(fmt::format("reading {}", files.data.string()));
  if (!schema.image) return read_table(files.data, schema, use);
  Clock::time_point told = Clock::now();
  return read_images(files.data, files.labels, schema, use, [&](int64_t done, int64_t all) {
    constexpr std::chrono::seconds kPause(5);
    if (Clock::now() - told < kPause) return;
    told = Clock::now();
    progress.stage(fmt::format("reading {}: {} of {} images", files.data.string(),
                               format_count(done), format_count(all)));
  });
}

}  // namespace equinoise

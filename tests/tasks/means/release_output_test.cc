// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/release_output.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/report/means/sample_means.h"
#include "tests/test_support.h"

namespace equinoise::release_output_test {

MeansRequest writing_to(const std::filesystem::path& path) {
  MeansRequest request;
  request.out_path = path;
  return request;
}

void write(const MeansRequest& request, MeansReport& report) {
  ReleaseOutput output(request, "means", 2);
  write_means(report, output);
}

bool has_exact_figures(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file).contains("not_private");
}

TEST(ReleaseOutput, AFolderHasReportCardAndCsv) {
  const TempFolder folder;
  const MeansRequest request = writing_to(folder.path() / "means");
  MeansReport report = sample_explained_means();
  write(request, report);
  ASSERT_EQ(report.files.size(), 4U);
  for (const std::string& file : report.files)
    EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
  EXPECT_TRUE(has_exact_figures(folder.path() / "means" / "report.json"));
  EXPECT_ERROR(kUsage, HasSubstr("means"), ReleaseOutput(request, "means", 2));
}

/// Marks and modes agree: exact figures are for their owner, as are exact shares of other records.
TEST(ReleaseOutput, FilesArePublishableWithoutExactFigures) {
  for (const bool has_exact : {false, true}) {
    for (const bool has_shares : {false, true}) {
      const TempFolder folder;
      MeansReport report = has_exact ? sample_explained_means() : sample_means();
      report.status = PrivacyStatus::kPrivate;
      if (has_shares) report.held_out = HeldOutRecords{"others.csv", 4};
      write(writing_to(folder.path() / "means"), report);
      const auto mode =
          std::filesystem::status(folder.path() / "means" / "report.html").permissions();
      using std::filesystem::perms;
      EXPECT_EQ((mode & perms::group_read) == perms::none, has_exact || has_shares);
      const std::string screen = to_screen(means_document(report), false);
      EXPECT_EQ(
          screen.find("report.html, means_card.md, means.csv (publishable)") != std::string::npos,
          !has_exact && !has_shares)
          << screen;
      EXPECT_EQ(screen.find("report.html (NOT PRIVATE)") != std::string::npos, has_exact) << screen;
    }
  }
}

TEST(ReleaseOutput, AFileHasWhatMayBePublished) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "means.json";
  MeansReport report = sample_explained_means();
  write(writing_to(path), report);
  EXPECT_EQ(report.files, std::vector<std::string>{path.string()});
  EXPECT_FALSE(has_exact_figures(path));
  EXPECT_TRUE(report.explanation) << "the screen still has it";
}

}  // namespace equinoise::release_output_test

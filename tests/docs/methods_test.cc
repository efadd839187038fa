// SPDX-License-Identifier: Apache-2.0
// The documentation and the registry must tell the same.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "equinoise/means/registry.h"
#include "equinoise/synth/registry.h"
#include "equinoise/train/registry.h"

namespace equinoise::methods_test {
namespace {

std::string read_document(const std::string& name) {
  std::ifstream stream(std::string(EQUINOISE_SOURCE_DIR) + "/docs/" + name);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(Documentation, EveryMethodHasASectionWithItsStatusAndASource) {
  const std::string methods = read_document("methods.md");
  const std::string references = read_document("references.bib");
  for (const TrainingMethodRow& row : training_methods()) {
    const std::string heading = "## " + std::string(row.name) + "\n";
    const size_t section = methods.find(heading);
    ASSERT_NE(section, std::string::npos) << row.name;
    const std::string text = methods.substr(section, methods.find("\n## ", section + 1) - section);
    EXPECT_NE(text.find("Status: " + std::string(to_string(row.status))), std::string::npos)
        << row.name;
    EXPECT_NE(text.find("[" + std::string(row.source) + "]"), std::string::npos) << row.name;
    EXPECT_NE(references.find("{" + std::string(row.source) + ","), std::string::npos)
        << row.source;
  }
}

TEST(Documentation, EveryEstimatorOfMeansStandsInItsTableAndHasASource) {
  const std::string means = read_document("means.md");
  const std::string references = read_document("references.bib");
  for (const MeanEstimatorRow& row : mean_estimators()) {
    EXPECT_NE(means.find("| `" + std::string(row.name) + "` |"), std::string::npos) << row.name;
    EXPECT_NE(references.find("{" + std::string(row.source) + ","), std::string::npos)
        << row.source;
  }
}

TEST(Documentation, EverySynthesizerHasASectionWithItsStatusAndASource) {
  const std::string methods = read_document("synthetic-data.md");
  const std::string references = read_document("references.bib");
  for (const SynthesizerRow& row : synthesizers()) {
    const size_t section = methods.find("### " + std::string(row.name) + "\n");
    ASSERT_NE(section, std::string::npos) << row.name;
    const std::string text = methods.substr(section, methods.find("\n## ", section + 1) - section);
    EXPECT_NE(text.find("Status: " + std::string(to_string(row.status))), std::string::npos)
        << row.name;
    EXPECT_NE(text.find("[" + std::string(row.source) + "]"), std::string::npos) << row.name;
    EXPECT_NE(references.find("{" + std::string(row.source) + ","), std::string::npos)
        << row.source;
  }
}

}  // namespace
}  // namespace equinoise::methods_test

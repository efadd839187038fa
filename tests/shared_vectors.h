// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace equinoise::testing {

/// The folder of shared material: EQUINOISE_SHARED, else ../shared beside the project, if it is
/// there.
inline std::optional<std::filesystem::path> shared_folder() {
  const char* given = std::getenv("EQUINOISE_SHARED");
  const std::filesystem::path folder =
      given != nullptr ? std::filesystem::path(given)
                       : std::filesystem::path(EQUINOISE_SOURCE_DIR) / "../shared";
  if (std::filesystem::is_directory(folder)) return folder;
  return std::nullopt;
}

/// The cases of a vector file. Without the file: nothing, and a failure where
/// EQUINOISE_REQUIRE_SHARED is set.
inline std::optional<nlohmann::json> load_vectors(const std::string& name) {
  const auto folder = shared_folder();
  if (folder && std::filesystem::exists(*folder / "vectors" / name)) {
    std::ifstream stream(*folder / "vectors" / name);
    return nlohmann::json::parse(stream);
  }
  if (std::getenv("EQUINOISE_REQUIRE_SHARED") != nullptr)
    ADD_FAILURE() << "missing shared vectors: " << name;
  return std::nullopt;
}

/// Those cases of a vector file in which `key` is `value`; without any the test fails.
inline std::optional<nlohmann::json> load_vectors(const std::string& name, const std::string& key,
                                                  const std::string& value) {
  const auto all = load_vectors(name);
  if (!all) return std::nullopt;
  auto cases = nlohmann::json::array();
  for (const nlohmann::json& one : *all)
    if (one[key] == value) cases.push_back(one);
  EXPECT_FALSE(cases.empty()) << name << " has no case whose " << key << " is " << value;
  return cases;
}

/// |got - want| <= abs + rel |want|, by the case's own tolerance.
inline void expect_close(double got, double want, const nlohmann::json& tolerance,
                         const std::string& what) {
  const double allowed = tolerance.value("abs", 0.0) + tolerance.value("rel", 0.0) * std::abs(want);
  EXPECT_LE(std::abs(got - want), allowed) << what << ": got " << got << ", want " << want;
}

}  // namespace equinoise::testing

/// Declares `cases`, those of load_vectors, or says that the test skips for want of the shared
/// material.
#define EQUINOISE_VECTORS(cases, ...)                                        \
  const auto cases##_loaded = equinoise::testing::load_vectors(__VA_ARGS__); \
  if (!cases##_loaded) GTEST_SKIP() << "no shared vectors";                  \
  const nlohmann::json& cases = *cases##_loaded

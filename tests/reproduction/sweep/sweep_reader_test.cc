// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/sweep/sweep_reader.h"

#include <gtest/gtest.h>

#include "equinoise/data/toml_section.h"
#include "equinoise/reproduction/item.h"
#include "equinoise/train/registry.h"

namespace equinoise::sweep_reader_test {
namespace {

/// Of the methods of sweeps, those that are private have a budget and the others have none.
TEST(SweepReader, PrivateMethodsHaveABudget) {
  int num_sweeps = 0;
  for (const EmbeddedItem& embedded : reproduction_items()) {
    const toml::table document = parse_toml(embedded.text, embedded.name, "tests");
    const TomlSection root(document, "", embedded.name);
    if (!root.has("sweep")) continue;
    ++num_sweeps;
    ItemHeader item;
    const ReproductionSweep sweep = read_sweep_settings(root, item);
    ASSERT_EQ(sweep.methods.size(), item.methods.size());
    for (size_t m = 0; m < item.methods.size(); ++m) {
      const std::string& method = item.methods[m].method;
      const bool is_private = find_training_method(method).status == PrivacyStatus::kPrivate;
      for (const TrainingConfig& config : sweep.methods[m].configs)
        EXPECT_EQ(config.epsilon.has_value(), is_private)
            << embedded.name << ": " << item.methods[m].name;
    }
  }
  EXPECT_GT(num_sweeps, 0);
}

}  // namespace
}  // namespace equinoise::sweep_reader_test

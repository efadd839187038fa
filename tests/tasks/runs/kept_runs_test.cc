// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/runs/kept_runs.h"

#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise::kept_runs_test {

using Json = nlohmann::ordered_json;

KeptRunsHeader header(const Json& identity) {
  return {"NOT PRIVATE", identity,
          [](const Json& outcome) { static_cast<void>(outcome.at("error").get<double>()); }};
}

const Json kIdentity = {{"network", {{"width", 8}, {"depth", 2}}},
                        {"records", "abc"},
                        {"options", {{"steps", 30}, {"own", {{"clip", 1}}}}}};

TEST(KeptRuns, AreFoundByTheirWholeKey) {
  const TempFolder folder;
  const auto path = folder.path() / "runs.json";
  KeptRuns runs(path, header(kIdentity));
  runs.hold();
  runs.add({{"method", "dpsgd"}, {"seed", 0}}, {{"error", 0.25}});
  runs.add({{"method", "dpsgd"}, {"seed", 1}}, {{"error", 0.5}});
  runs.write();
  const KeptRuns again(path, header(kIdentity));
  const Json* found = again.find({{"method", "dpsgd"}, {"seed", 1}});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, Json({{"error", 0.5}}));
  EXPECT_EQ(again.find({{"method", "dpsgd"}}), nullptr);
  EXPECT_EQ(again.find({{"method", "dpsgd"}, {"seed", 2}}), nullptr);
}

TEST(KeptRuns, OfAnotherIdentityOrShapeAreRefused) {
  const TempFolder folder;
  const auto path = folder.path() / "runs.json";
  {
    KeptRuns runs(path, header(kIdentity));
    runs.hold();
    runs.add({{"seed", 0}}, {{"error", 0.25}});
    runs.write();
  }
  Json other = kIdentity;
  other["options"]["steps"] = 31;
  EXPECT_ERROR(kInput, HasSubstr("\"options.steps\" of its runs is 30 instead of 31"),
               KeptRuns(path, header(other)));
  other = kIdentity;
  other["options"]["own"]["clip"] = 2;
  // Whose order differs alone, and what follows it does as well.
  other["network"] = {{"depth", 2}, {"width", 8}};
  EXPECT_ERROR(kInput, HasSubstr("\"options.own.clip\" of its runs is 1 instead of 2"),
               KeptRuns(path, header(other)));
  KeptRunsHeader strict = header(kIdentity);
  strict.check_outcome = [](const Json& outcome) { static_cast<void>(outcome.at("loss")); };
  EXPECT_ERROR(kInput, HasSubstr("is not a file of kept runs"), KeptRuns(path, strict));
  folder.write_file("runs.json", "{\"identity\": ");
  EXPECT_ERROR(kInput, AllOf(HasSubstr("is not a file of kept runs"), Not(HasSubstr("remove"))),
               KeptRuns(path, header(kIdentity)));
}

}  // namespace equinoise::kept_runs_test

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_schema.h"

#include "tests/matchers.h"

namespace equinoise::synth_schema_test {

const std::string kHead =
    "schema = \"equinoise/1\"\ndataset = \"d\"\ntarget = \"y\"\n[public]\nnum_records = 9\n"
    "[columns.g]\ntype = \"categorical\"\nvalues = [\"a\", \"b\"]\n[columns.y]\n";
const std::string kClasses = "type = \"categorical\"\nvalues = [\"0\", \"1\"]\n";
const std::string kNumber = "type = \"numeric\"\nbounds = [0, 9]\n";

struct Kept {
  std::string reason;
  MissingPolicy missing = MissingPolicy::kDrop;
};

Kept keep(const std::string& text, const std::vector<std::string>& strata = {}) {
  Schema schema = parse_schema(text, "s.toml");
  const std::string reason = keep_unlabelled(schema, strata);
  EXPECT_EQ(schema.column("g").missing, MissingPolicy::kDrop);
  return {reason, schema.column("y").missing};
}

TEST(KeepUnlabelled, ATargetIsAColumnLikeOthers) {
  for (const std::string& column : {kClasses, kNumber}) {
    EXPECT_EQ(keep(kHead + column).missing, MissingPolicy::kCategory);
    EXPECT_EQ(keep(kHead + column, {"g"}).missing, MissingPolicy::kCategory);
    EXPECT_EQ(keep(kHead + column).reason, "");
    const Kept none = keep(kHead + column + "missing = \"none\"\n");
    EXPECT_EQ(none.missing, MissingPolicy::kNone);
    EXPECT_EQ(none.reason, "");
  }
  const std::string without = kHead + kClasses;
  const size_t target = without.find("target = \"y\"\n");
  EXPECT_EQ(keep(std::string(without).erase(target, 13)).missing, MissingPolicy::kDrop);
}

/// So is one that may be missing, unless incomplete records are to be dropped.
TEST(KeepUnlabelled, ATargetThatMayBeMissingIsKeptLikeOneThatDrops) {
  for (const std::string& column : {kClasses, kNumber}) {
    for (const MissingUse use : {MissingUse::kFill, MissingUse::kKeep, MissingUse::kDrop}) {
      Schema schema = parse_schema(kHead + column + "missing = \"allowed\"\n", "s.toml");
      use_missing(schema, use);
      const MissingPolicy kept =
          use == MissingUse::kDrop ? MissingPolicy::kDrop : MissingPolicy::kCategory;
      EXPECT_EQ(keep_unlabelled(schema, {}), "");
      EXPECT_EQ(schema.column("y").missing, kept);
    }
    Schema strata = parse_schema(kHead + column + "missing = \"allowed\"\n", "s.toml");
    use_missing(strata, MissingUse::kKeep);
    EXPECT_THAT(keep_unlabelled(strata, {"y"}), HasSubstr("strata are made by it"));
    EXPECT_EQ(strata.column("y").missing, MissingPolicy::kDrop);
  }
}

TEST(KeepUnlabelled, WhereGapsHaveNoPlaceTheReasonIsSaid) {
  const std::string group = "[groups.top]\ncolumn = \"y\"\n";
  const auto expect_dropped = [](const Kept& kept, const std::string& reason) {
    EXPECT_EQ(kept.missing, MissingPolicy::kDrop) << reason;
    EXPECT_THAT(kept.reason, HasSubstr(reason));
  };
  expect_dropped(keep(kHead + kClasses, {"g", "y"}), "strata are made by it");
  expect_dropped(keep(kHead + kClasses + group + "values = [\"1\"]\n", {"top"}),
                 "strata are made by it");
  EXPECT_EQ(keep(kHead + kClasses + group + "values = [\"1\"]\n").missing,
            MissingPolicy::kCategory);
  expect_dropped(keep(kHead + kNumber + group + "cuts = [5]\n"), "bands");
  expect_dropped(keep(kHead + "type = \"categorical\"\nvalues = [\"0\", \"missing\"]\n"),
                 "\"missing\" is one of its values");
}

TEST(KeepGaps, WhatTheSchemaFillsStaysMissingButWherePeopleAreGroupedByIt) {
  const std::string text = kHead + kNumber + "[columns.x]\n" + kNumber +
                           "missing = \"fill\"\nfill = 3\n[columns.z]\n" + kNumber +
                           "missing = \"fill\"\nfill = 3\n[columns.n]\n" + kNumber +
                           "missing = \"none\"\n[groups.old]\ncolumn = \"z\"\ncuts = [5]\n";
  Schema schema = parse_schema(text, "s.toml");
  EXPECT_THAT(keep_gaps(schema), ElementsAre("x"));
  EXPECT_EQ(schema.column("x").missing, MissingPolicy::kCategory);
  EXPECT_EQ(schema.column("z").missing, MissingPolicy::kFill);
  EXPECT_EQ(schema.column("n").missing, MissingPolicy::kNone);
  EXPECT_EQ(schema.column("y").missing, MissingPolicy::kDrop);
}

}  // namespace equinoise::synth_schema_test

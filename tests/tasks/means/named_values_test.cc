// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/named_values.h"

#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise::named_values_test {

TEST(NamedValues, AnUnknownNameIsRefusedWithTheNearest) {
  const std::vector<std::string> names = {"Female", "Male"};
  EXPECT_NO_THROW(require_names("tests", "--weights", std::map<std::string, int>(), names));
  EXPECT_NO_THROW(
      require_names("tests", "size of", std::map<std::string, int>{{"Male", 1}}, names));
  EXPECT_ERROR(kUsage, HasAll("size of \"Mal\"", "did you mean \"Male\"?"),
               require_names("tests", "size of", std::map<std::string, int>{{"Mal", 1}}, names));
  EXPECT_ERROR(kUsage, HasSubstr("choose among Female; Male"),
               refuse_name("tests", "size of", "zzzzz", names));
}

TEST(NamedValues, AListNamesTheFirstFiveThatAreMeant) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g"};
  EXPECT_EQ(list_names(names, {true, false, true, false, false, false, false}), "a; c");
  EXPECT_EQ(list_names(names, {true, true, true, true, true, false, false}), "a; b; c; d; e");
  EXPECT_EQ(list_names(names, {true, true, true, true, true, true, true}),
            "a; b; c; d; e and 2 more");
}

}  // namespace equinoise::named_values_test

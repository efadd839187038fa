#include "equinoise/base/flag_list.h"

#include <gtest/gtest.h>

namespace equinoise {
namespace {

TEST(FlagList, HoldsWholeFlags) {
  EXPECT_TRUE(lists_flag("--beta1 --beta2", "--beta1"));
  EXPECT_TRUE(lists_flag("--beta1 --beta2", "--beta2"));
  for (const char* flag : {"--beta", "beta1", "--beta1 --beta2", " ", ""})
    EXPECT_FALSE(lists_flag("--beta1 --beta2", flag)) << flag;
  EXPECT_FALSE(lists_flag("", "--beta1"));
}

}  // namespace
}  // namespace equinoise

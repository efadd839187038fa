// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "equinoise/models/network/kernels.h"

namespace equinoise {

/// Tests of kernels run for every width that the machine has.
class EveryWidth : public ::testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    if (!can_run(*GetParam())) GTEST_SKIP() << "this machine lacks " << GetParam()->architecture;
  }
};

inline std::string width_name(const ::testing::TestParamInfo<const Kernels*>& width) {
  std::string name = width.param->architecture;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == ' '; }, '_');
  return name;
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/base/method_option.h"
#include "equinoise/means/estimator.h"

namespace equinoise {

/// An option of estimators of means. Each is declared where the code is that follows it.
using MeanOption = MethodOption<MeanConfig>;
using MeanOptions = std::vector<MeanOption>;

/// The field of a configuration of means.
template <auto Member>
constexpr auto kMeanField = &field_at<MeanConfig, Member>;

}  // namespace equinoise

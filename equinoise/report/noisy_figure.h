// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/base/interval.h"

namespace equinoise {

// Figures with the digits that suit their noise: two digits of its standard deviation.

/// "-" where there is no figure.
std::string decimal(double value, double noise);

/// An interval, rounded outwards so that the printed one contains it; "-" without one.
std::string interval(const std::optional<Interval>& given, double noise);

/// "38.70 [36.49, 40.91]", whose ends are rounded outwards; "-" without a figure.
std::string figure_text(double value, double noise, const std::optional<Interval>& given);

}  // namespace equinoise

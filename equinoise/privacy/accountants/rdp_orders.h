// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace equinoise {

/// Renyi orders lie in (1, kLargestRenyiOrder].
inline constexpr double kLargestRenyiOrder = 0x1p16;

/// 1.1, 1.2 .. 10.9, 11 .. 63, 128, 256, 512, 1024: the orders of most libraries. Accounts opened
/// by older versions use them.
const std::vector<double>& usual_rdp_orders();

/// The usual ones, and so many below, between and above them, from 1.005 to the largest, that no
/// order - 1 is more than 1.02 times the one before it; whole ones from 64 on. On the plans of
/// bench/accountants.py their best is within 1.02 of that of a grid twice as fine.
const std::vector<double>& dense_rdp_orders();

/// From 1.1 to the largest, no order - 1 more than 1.12 times the one before it: for accounts whose
/// entries are chosen in turn. These share delta among their orders, so that each order costs the
/// others something: with the dense orders an account gave up to 11 % more than with the usual
/// ones.
const std::vector<double>& account_rdp_orders();

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace equinoise {

/// Renyi orders lie in (1, kLargestRenyiOrder].
inline constexpr double kLargestRenyiOrder = 0x1p16;

/// 1.1, 1.2 .. 10.9, 11 .. 63, 128, 256, 512, 1024: the orders of most libraries. Accounts opened
/// by older versions use them.
const std::vector<double>& usual_rdp_orders();

/// The usual orders, and further ones below, between and above them, from 1.005 to the largest, so
/// that no order - 1 is more than 1.02 times the one before it; whole orders from 64 on. On the
/// plans of bench/accountants.py the best of them is within 1.02 of the best of a grid twice as
/// fine.
const std::vector<double>& dense_rdp_orders();

/// Orders from 1.1 to the largest, no order - 1 more than 1.12 times the one before it, for
/// accounts whose entries are chosen in turn. Such accounts share delta among their orders, so each
/// order costs the others something. With the dense orders an account gave up to 11 % more than
/// with the usual ones.
const std::vector<double>& account_rdp_orders();

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace equinoise::cli {

/// Flushes what was printed, so that lost output ends the command as well. Errors:
/// std::system_error, as fmt::print throws; EPIPE if the reader has closed it.
void flush_output();

}  // namespace equinoise::cli

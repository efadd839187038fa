#pragma once

#include <string_view>

namespace equinoise {

/// Whether `flag` is one of `flags`, which have blanks between: "--beta1 --beta2".
bool lists_flag(std::string_view flags, std::string_view flag);

}  // namespace equinoise

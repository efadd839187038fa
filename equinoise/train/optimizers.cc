#include "equinoise/train/optimizers.h"

#include <array>

#include "equinoise/base/flag_list.h"

namespace equinoise {

namespace {

constexpr std::array kRows = {
    OptimizerRow{"sgd", "", 0.7, 0},
    OptimizerRow{"momentum", "--momentum", 0.1, 1},
    OptimizerRow{"adam", "--beta1 --beta2 --adam-epsilon", 0.01, 2},
};

}  // namespace

bool OptimizerRow::follows(std::string_view flag) const { return lists_flag(options, flag); }

std::span<const OptimizerRow> optimizers() { return kRows; }

}  // namespace equinoise

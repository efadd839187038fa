// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/kernels.h"

namespace equinoise {

namespace {

bool has_v4() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
}

}  // namespace

bool can_run(const Kernels& kernels) {
  if (&kernels == &kKernelsV3) return true;
  return has_v4() && (&kernels == &kKernelsV4 || __builtin_cpu_supports("avx512vnni") != 0);
}

const Kernels& widest_kernels() {
  static const Kernels& widest = can_run(kKernelsV4Vnni) ? kKernelsV4Vnni
                                 : can_run(kKernelsV4)   ? kKernelsV4
                                                         : kKernelsV3;
  return widest;
}

}  // namespace equinoise

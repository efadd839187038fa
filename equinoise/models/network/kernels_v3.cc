// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/kernels.h"

// Twelve sums, three vectors and a weight fill the sixteen registers.
#define EQUINOISE_KERNELS kKernelsV3
#define EQUINOISE_ARCHITECTURE "x86-64-v3"
#define EQUINOISE_VECTOR_BYTES 32
#include "equinoise/models/network/kernel_loops.inc"

// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/kernels.h"

// 24 sums, three vectors and a weight use 28 of the 32 registers.
#define EQUINOISE_KERNELS kKernelsV4
#define EQUINOISE_ARCHITECTURE "x86-64-v4"
#define EQUINOISE_VECTOR_BYTES 64
#include "equinoise/models/network/kernel_loops.inc"

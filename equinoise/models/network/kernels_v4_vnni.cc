// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/kernels.h"

#define EQUINOISE_KERNELS kKernelsV4Vnni
#define EQUINOISE_ARCHITECTURE "x86-64-v4 with VNNI"
#define EQUINOISE_VECTOR_BYTES 64
#include "equinoise/models/network/kernel_loops.inc"

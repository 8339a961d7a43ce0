/* Bascule's kernel dialect: one C++20 source for every vendor. docs/kernel-guide.md is its manual.
 *
 *   #include <bascule/device.hpp>
 *   BASCULE_KERNEL void axpb(float a, float b, bsc::in<float> x, bsc::out<float> y) {
 *     for (auto i : bsc::grid_stride(y.size())) y[i] = a * x[i] + b;
 *   }
 *
 * Compiled by Clang 22 for PTX, AMD and SPIR-V, thin over LLVM's <gpuintrin.h>. Compiled for the host it offers what a
 * reference needs: views, numbers and maths.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_HPP
#define BASCULE_DEVICE_HPP

#include "device/target.hpp"

#include "device/kernel.hpp"
#include "device/math.hpp"
#include "device/math_f64.hpp"
#include "device/number.hpp"
#include "device/view.hpp"

#if !defined(BSC_TARGET_HOST)
#include "device/atomic.hpp"
#include "device/block.hpp"
#include "device/grid.hpp"
#include "device/matrix.hpp"
#include "device/print.hpp"
#include "device/shared.hpp"
#include "device/sub_group.hpp"
#endif

#endif

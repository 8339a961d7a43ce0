// The same for test executables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <random>

#include "core/third_party/precompiled.hpp"

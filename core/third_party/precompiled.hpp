// What nearly every file of ours includes, parsed once per target (bascule_precompile): more than half of the build was
// parsing these. Each file still includes what it uses; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows that it does.
// Not <filesystem>: it brings std::quoted, which calls of a `quoted` of ours would find as well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

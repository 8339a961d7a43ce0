// A kernel folder's hand-written PTX variants as a package of their own, whole or with one marked statement left out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "api.hpp"
#include "case_library.hpp"
#include "kernels/ptx/expander.hpp"
#include "tests/support/temporary_directory.hpp"

namespace bascule::test {

/// One source written by hand: kernels/<folder>/<image>.
struct HandWritten {
  std::string folder, image;
  std::vector<std::string> kernels;   // contracts with a variant of it
  std::vector<std::string> variants;  // the variant's name, for each of these
};

/// Found in the contracts' files: each variant of format ptx that names an image.
std::vector<HandWritten> hand_written();

/// How many blocks a plan launches where it goes by the device's compute units: one block then does all rounds of its loop.
enum class Grid { as_planned, one_block };

/// Packed in `directory`. Throws what is wrong with the source or the description.
std::string make_package(const HandWritten& source, const std::string& left_out, Grid grid, const TemporaryDirectory& directory);
std::vector<ptx::Mark> marks_of(const HandWritten& source);

/// The cpu device with the sanitizer, and warps in the order that `order` gives.
cli::InstanceHandle open_sanitized(std::uint64_t order);

/// The self-test's cases of the source's kernels, the cheapest first. What would cost the engine more than `max_bytes` of data or
/// 2^28 lane operations is left out and named in `left_out`.
std::vector<const bsc_case*> cases_of(const HandWritten& source, const cli::CaseLibrary& library, std::uint64_t max_bytes, std::vector<std::string>& left_out);

/// Empty if the case passes, else why not.
std::string run_case(bsc_device* device, bsc_package* package, const HandWritten& source, const bsc_case& description, std::uint64_t seed, std::uint64_t placement);

}  // namespace bascule::test

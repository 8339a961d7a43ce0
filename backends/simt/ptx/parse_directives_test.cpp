// Directives between the head of a function and its body.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "backends/simt/ptx/test_parsing.hpp"

namespace bascule::simt::ptx {
namespace {

Parsed with(std::string_view directives, std::string_view version = "9.0", std::string_view target = "sm_90",
            std::string_view head = ".entry k()") {
  return parse(".version " + std::string(version) + "\n.target " + std::string(target) + "\n.address_size 64\n" + std::string(head) + " " +
                   std::string(directives) + " { ret; }\n",
               "test.ptx");
}

void refused(const Parsed& parsed, std::string_view part) {
  const std::string errors = errors_of(parsed);
  CHECK_MESSAGE(errors.find(part) != std::string::npos, errors);
}

}  // namespace

TEST_CASE("directives of clusters are read into the typed form") {
  const Parsed extents = with(".reqnctapercluster 2, 3 .explicitcluster");
  REQUIRE(errors_of(extents) == "");
  const Function& kernel = kernel_of(extents);
  CHECK(kernel.required_cluster.x == 2);
  CHECK(kernel.required_cluster.y == 3);
  CHECK(kernel.required_cluster.z == 1);
  CHECK(kernel.explicit_cluster);
  CHECK(!kernel.blocks_are_clusters);
  const Parsed most = with(".maxclusterrank 8");
  REQUIRE(errors_of(most) == "");
  CHECK(kernel_of(most).max_cluster_rank == 8);
  const Parsed counted = with(".reqntid 32, 2 .blocksareclusters .reqnctapercluster 4");
  REQUIRE(errors_of(counted) == "");
  CHECK(kernel_of(counted).blocks_are_clusters);
  CHECK(kernel_of(counted).required_threads.y == 2);
}

TEST_CASE("directives of clusters need PTX 7.8 and sm_90, and exclude or need others") {
  refused(with(".reqnctapercluster 2", "7.7", "sm_80"), "needs PTX 7.8 and sm_90");
  refused(with(".explicitcluster", "7.8", "sm_80"), "sm_90");
  refused(with(".blocksareclusters", "8.8"), "PTX 9.0");
  refused(with(".reqnctapercluster 2 .maxclusterrank 4"), "exclude each other");
  refused(with(".maxclusterrank 4 .reqnctapercluster 2"), "exclude each other");
  refused(with(".reqnctapercluster 2 .blocksareclusters"), "'.reqntid'");
  refused(with(".reqntid 32 .blocksareclusters"), "'.reqnctapercluster'");
  refused(with(".reqnctapercluster 0"), "between 1 and");
}

TEST_CASE("a directive in the wrong place or misspelled is said") {
  refused(with(".maxntid 32", "9.0", "sm_90", ".func f()"), "belongs to kernels");
  refused(with(".noreturn"), "belongs to functions");
  refused(with(".reqnctaperclusters 2"), "did you mean '.reqnctapercluster'?");
  CHECK(errors_of(with(".abi_preserve 4 .noreturn", "9.0", "sm_90", ".func f()")) == "");
}

}  // namespace bascule::simt::ptx

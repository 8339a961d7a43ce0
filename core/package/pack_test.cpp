// Packing: sources and images become one package, and errors name file and place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/pack.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "core/package/test_packages.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace bascule::core;
using namespace bascule::core::testing;
using bascule::test::TemporaryDirectory;

namespace {

std::string source_text() { return replaced(std::string(kAxpb), R"("image": 0)", R"("image": "axpb.cl")"); }

std::string refusal(const std::vector<std::string>& files, bsc_status expected = BSC_INVALID_PACKAGE) {
  auto package = pack_files(files);
  REQUIRE_FALSE(package.ok());
  CHECK(package.error().status == expected);
  return package.error().message;
}

}  // namespace

TEST_CASE("a source and its image become a package that loads") {
  const TemporaryDirectory folder;
  const std::string source = folder.write("axpb.json", source_text());
  folder.write("axpb.cl", "kernel void axpb_f32() {}");
  auto data = pack_files({source});
  REQUIRE_MESSAGE(data.ok(), data.error().message);
  auto package = Package::load(*data, nullptr, "test");
  REQUIRE(package.ok());
  const Variant& variant = (*package)->kernels()[0].variants[1];
  REQUIRE(variant.image.has_value());
  CHECK((*package)->image(*variant.image).size() == 25);
}

TEST_CASE("the same content gives the same bytes, wherever it lies") {
  const TemporaryDirectory one;
  const TemporaryDirectory two;
  std::vector<std::vector<std::byte>> packages;
  for (const TemporaryDirectory* folder : {&one, &two}) {
    folder->write("axpb.cl", "image");
    auto data = pack_files({folder->write("axpb.json", source_text())});
    REQUIRE(data.ok());
    packages.push_back(*data);
  }
  CHECK(packages[0] == packages[1]);
}

TEST_CASE("several sources are merged, and equal images are stored once") {
  const TemporaryDirectory folder;
  folder.write("axpb.cl", "image");
  folder.write("same.cl", "image");
  const std::string one = folder.write("one.json", source_text());
  const std::string two = folder.write(
      "two.json", replaced(replaced(source_text(), "\"axpb_f32\", \"version\"", "\"other\", \"version\""), "axpb.cl", "same.cl"));
  auto data = pack_files({one, two});
  REQUIRE_MESSAGE(data.ok(), data.error().message);
  auto package = Package::load(*data, nullptr, "test");
  REQUIRE(package.ok());
  REQUIRE((*package)->kernels().size() == 2);
  CHECK((*package)->kernels()[0].variants[1].image == (*package)->kernels()[1].variants[1].image);
  CHECK(contains(refusal({one, one}), "is in another source file too"));
  const std::string three = folder.write("three.json", replaced(source_text(), "1.0.0", "2.0.0"));
  CHECK(contains(refusal({one, three}), "it is demo 2.0.0, but the first file's is demo 1.0.0"));
}

TEST_CASE("errors name the file and the JSON path") {
  const TemporaryDirectory folder;
  const std::string source = folder.write("axpb.json", source_text());
  const std::string missing = refusal({source}, BSC_NOT_FOUND);
  CHECK(contains(missing, source + ": kernels[0].variants[1].image: "));
  CHECK(contains(missing, "axpb.cl"));
  const std::string wrong = folder.write("wrong.json", replaced(source_text(), "\"length\": \"n\"", "\"length\": \"m\""));
  CHECK(contains(refusal({wrong}), wrong + ": kernels[0].parameters[2].length: "));
  CHECK(contains(refusal({folder / "none.json"}, BSC_NOT_FOUND), "none.json"));
  CHECK(contains(refusal({folder.path()}, BSC_IO_ERROR), "is a directory"));
  CHECK(contains(refusal({}, BSC_INVALID_ARGUMENT), "no source file"));
}

TEST_CASE("an image outside the source's folder is refused") {
  const TemporaryDirectory folder;
  for (const char* name : {"/etc/passwd", "../axpb.cl", "a/../../axpb.cl", ".."}) {
    CAPTURE(name);
    const std::string source = folder.write("axpb.json", replaced(source_text(), "axpb.cl", name));
    CHECK(contains(refusal({source}), "leaves the source file's folder"));
  }
  folder.write("below/..name.cl", "image");
  CHECK(pack_files({folder.write("axpb.json", replaced(source_text(), "axpb.cl", "below/..name.cl"))}).ok());
}

TEST_CASE("the output appears whole, or an error says why not") {
  const TemporaryDirectory folder;
  folder.write("axpb.cl", "image");
  const std::string source = folder.write("axpb.json", source_text());
  REQUIRE(pack_to_file({source}, folder / "axpb.bpkg").ok());
  CHECK(Package::load_file(folder / "axpb.bpkg").ok());
  CHECK_FALSE(pack_to_file({source}, folder / "missing/axpb.bpkg").ok());
  auto absent = Package::load_file(folder / "none.bpkg");
  REQUIRE_FALSE(absent.ok());
  CHECK(absent.error().status == BSC_NOT_FOUND);
  auto not_a_package = Package::load_file(source);
  REQUIRE_FALSE(not_a_package.ok());
  CHECK(not_a_package.error().status == BSC_INVALID_PACKAGE);
  CHECK(contains(not_a_package.error().message, source));
}

// Tests of reading, writing and checking files and directories.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/support/temporary_directory.hpp"

using namespace bascule::core;
using bascule::test::TemporaryDirectory;

TEST_CASE("a file is read whole up to the limit, and refused beyond it") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("f", std::string(100'000, 'x'));
  CHECK(read_file(path, 100'000).value().size() == 100'000);
  const auto refused = read_file(path, 99'999);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().status == BSC_IO_ERROR);
  CHECK(refused.error().message.find("99999") != std::string::npos);
  CHECK_FALSE(read_file("/dev/zero", 10).ok());
  CHECK_FALSE(read_file("/proc/self/maps", 10).ok());  // says it has 0 bytes, has more
}

TEST_CASE("a directory, a FIFO, a dangling link and a missing file each get their own message") {
  const TemporaryDirectory directory;
  REQUIRE(mkfifo((directory / "fifo").c_str(), 0600) == 0);
  std::filesystem::create_symlink("nowhere", directory / "dangling");
  CHECK(read_file(directory.path(), 10).error().message.find("is a directory") != std::string::npos);
  CHECK(read_file(directory / "fifo", 10).error().message.find("is a FIFO") != std::string::npos);
  CHECK(read_file(directory / "dangling", 10).error().status == BSC_NOT_FOUND);
  CHECK(read_file(directory / "absent", 10).error().message.find("ENOENT") != std::string::npos);
}

TEST_CASE("an atomic write replaces the file and leaves nothing beside it") {
  const TemporaryDirectory directory;
  CHECK(write_file_atomically(directory / "f", "one").ok());
  CHECK(write_file_atomically(directory / "f", "two").ok());
  CHECK(read_file(directory / "f", 10).value() == "two");
  CHECK(list_directory(directory.path()).value() == std::vector<std::string>{"f"});
  // A directory in the place of the file: refused, and the temporary file is gone.
  std::filesystem::create_directory(directory / "d");
  CHECK_FALSE(write_file_atomically(directory / "d", "x").ok());
  CHECK(list_directory(directory.path()).value() == std::vector<std::string>{"d", "f"});
  CHECK(write_file_atomically(directory / "absent/f", "x").error().status == BSC_NOT_FOUND);
}

TEST_CASE("readers never see a part of a file that is being replaced") {
  const TemporaryDirectory directory;
  const std::string path = directory / "f", a(50'000, 'a'), b(70'000, 'b');
  REQUIRE(write_file_atomically(path, a).ok());
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) (void)write_file_atomically(path, i % 2 == 0 ? b : a).ok();
  });
  bool whole = true;
  for (int i = 0; i < 500; ++i) {
    const auto content = read_file(path, 1 << 20);
    whole = whole && content.ok() && (*content == a || *content == b);
  }
  writer.join();
  CHECK(whole);
}

TEST_CASE("a file where a directory is wanted gets its own message") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("f", "");
  CHECK(list_directory(file).error().message.find("is a file, a directory is wanted") != std::string::npos);
  CHECK(make_directory(file).error().message.find("is a file, a directory is wanted") != std::string::npos);
  CHECK_FALSE(make_directory(file + "/below").ok());
  CHECK(check_private_directory(file).error().message.find("is a file") != std::string::npos);
  CHECK(list_directory(directory / "absent").error().status == BSC_NOT_FOUND);
}

TEST_CASE("directories are made with their parents, for the owner alone") {
  const TemporaryDirectory directory;
  CHECK(make_directory(directory / "a/b/c").ok());
  CHECK(make_directory(directory / "a/b/c").ok());
  CHECK(check_private_directory(directory / "a/b/c").ok());
  struct stat status {};
  REQUIRE(stat((directory / "a").c_str(), &status) == 0);
  CHECK((status.st_mode & 077) == 0);
}

TEST_CASE("a directory that others may write to, or that belongs to another user, is refused") {
  const TemporaryDirectory directory;
  for (const unsigned mode : {0770u, 0707u, 0777u, 01777u}) {
    CAPTURE(mode);
    REQUIRE(chmod(directory.path().c_str(), mode) == 0);
    const auto status = check_private_directory(directory.path());
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().status == BSC_NO_PERMISSION);
    CHECK(status.error().message.find("writable by other users") != std::string::npos);
  }
  REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
  CHECK(check_private_directory(directory.path()).ok());
  // Only root can give a directory away; for anybody else, root's own serve.
  const std::string foreign = geteuid() == 0 ? directory.path() : "/usr";
  if (geteuid() == 0) REQUIRE(chown(foreign.c_str(), 12345, 0) == 0);
  CHECK(check_private_directory(foreign).error().message.find("belongs to user") != std::string::npos);
}

TEST_CASE("a stamp changes with content and replacement, and is zero for nothing") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("f", "one");
  const FileStamp before = file_stamp(path);
  CHECK(before != FileStamp{});
  CHECK(file_stamp(path) == before);
  REQUIRE(write_file_atomically(path, "two").ok());
  CHECK(file_stamp(path) != before);
  CHECK(file_stamp(directory / "absent") == FileStamp{});
}

TEST_CASE("paths are anchored and their parents found lexically") {
  CHECK(anchored("a/b", "/x") == "/x/a/b");
  CHECK(anchored("/a", "/x") == "/a");
  CHECK(anchored("a", "/") == "/a");
  CHECK(parent_directory("/a/b") == "/a");
  CHECK(parent_directory("/a") == "/");
  CHECK(parent_directory("a") == "");
}

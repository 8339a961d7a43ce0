// The device's printf.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/device_format.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

namespace bascule::simt {
namespace {

/// Arguments packed as a caller of vprintf packs them.
class Packed {
 public:
  template <class T>
  Packed& add(T value) {
    while (bytes_.size() % sizeof(T) != 0) bytes_.push_back({});
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  Formatted print(const std::string& format) const {
    // Addresses are offsets here, so that alignment is that of the packed bytes.
    GuestReader guest;
    guest.read = [&](void* to, std::uint64_t address, std::size_t bytes) {
      REQUIRE(address + bytes <= bytes_.size());
      std::memcpy(to, bytes_.data() + address, bytes);
    };
    guest.string = [](std::uint64_t address) { return address == 77 ? std::string("text") : std::string("?"); };
    return format_for_device(format, 0, guest);
  }

 private:
  std::vector<std::byte> bytes_;
};

TEST_CASE("every conversion takes its argument at its natural alignment") {
  CHECK(Packed().add(-5).print("%d").text == "-5");
  CHECK(Packed().add(5).add(std::int64_t{-1} << 40).print("%i %lld").text == "5 -1099511627776");
  CHECK(Packed().add(1).add(2.5).add(7).print("%u %.2f %x").text == "1 2.50 7");
  CHECK(Packed().add(0xffffu).add(0x1ffu).print("%hd %hhu").text == "-1 255");
  CHECK(Packed().add(255u).add(255u).add(8u).print("%#x|%X|%#o").text == "0xff|FF|010");
  CHECK(Packed().add(std::uint64_t{77}).print("%s!").text == "text!");
  CHECK(Packed().add(std::uint64_t{0}).print("%s").text == "(null)");
  CHECK(Packed().add(std::uint64_t{77}).print("[%6.2s]").text == "[    te]");
  CHECK(Packed().add(int{'q'}).print("%c").text == "q");
  CHECK(Packed().add(1e-10).add(1e-10).add(0.5).print("%e %G %a").text == "1.000000e-10 1E-10 0x1p-1");
  CHECK(Packed().add(std::uint64_t{0xabc}).print("%p").text == "0xabc");
  CHECK(Packed().add(std::uint64_t{1} << 63).print("%lu").text == "9223372036854775808");
}

TEST_CASE("flags, widths and precisions work as in C, also from arguments") {
  CHECK(Packed().add(5).add(-5).add(5).print("%+d|%05d|%-4d|").text == "+5|-0005|5   |");
  CHECK(Packed().add(6).add(42).print("%*d").text == "    42");
  CHECK(Packed().add(-6).add(42).print("%*d|").text == "42    |");
  CHECK(Packed().add(3).add(3.14159).print("%.*f").text == "3.142");
  CHECK(Packed().add(6).add(42).print("%*d").arguments == 2);
  CHECK(Packed().print("100%%").text == "100%");
  CHECK(Packed().print("no arguments").arguments == 0);
}

TEST_CASE("what is no conversion is printed as it stands, and takes nothing") {
  CHECK(Packed().add(1).print("%n%d").text == "%n1");
  CHECK(Packed().print("50%").text == "50%");
  CHECK(Packed().print("%-").text == "%-");
  CHECK(Packed().add(1).print("%999999999d").text.size() == 4096);
}

}  // namespace
}  // namespace bascule::simt

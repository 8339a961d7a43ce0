// .npy files: see npy.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "failure.hpp"

namespace bascule::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kMaxHeaderBytes = 1 << 20;
constexpr std::size_t kMaxDimensions = 64;

[[noreturn]] void refuse(const std::string& path, const std::string& what, const std::string& remedy) {
  throw Failure(ExitCode::kUsage, path + ": " + what, remedy);
}

constexpr const char* kRewrite = "write it with numpy.save";

// The header is the text of a Python dict with exactly three keys; this reads that and nothing more.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  void parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        descr = quoted();
      } else if (key == "fortran_order") {
        fortran_order = boolean();
      } else if (key == "shape") {
        shape = tuple();
      } else {
        refuse(path_, "unknown key '" + key + "' in the .npy header", kRewrite);
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!descr || !fortran_order || !shape) {
      refuse(path_, "the .npy header lacks descr, fortran_order or shape", kRewrite);
    }
  }

  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;

 private:
  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
  }
  bool accept(char wanted) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) {
      refuse(path_, std::string("malformed .npy header: expected '") + wanted + "' at character " + std::to_string(position_),
             kRewrite);
    }
  }
  std::string quoted() {
    skip_space();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') {
      refuse(path_, "malformed .npy header: expected a quoted word at character " + std::to_string(position_) +
                        " (structured types are not read)", kRewrite);
    }
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) refuse(path_, "malformed .npy header: unterminated quote", kRewrite);
    std::string word(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return word;
  }
  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return value;
      }
    }
    refuse(path_, "malformed .npy header: fortran_order is neither True nor False", kRewrite);
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> dimensions;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::uint64_t size = 0;
      const char* begin = text_.data() + position_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
      if (error != std::errc{} || dimensions.size() == kMaxDimensions) {
        refuse(path_, "malformed .npy header: bad shape at character " + std::to_string(position_), kRewrite);
      }
      position_ += static_cast<std::size_t>(end - begin);
      dimensions.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return dimensions;
  }

  const std::string& path_;
  std::string_view text_;
  std::size_t position_ = 0;
};

// NumPy's name of an element type; bf16 has none and is written as its bits.
std::string_view numpy_name(ElementType type) {
  switch (type) {
    case ElementType::i8: return "|i1";
    case ElementType::u8: return "|u1";
    case ElementType::i16: return "<i2";
    case ElementType::u16: return "<u2";
    case ElementType::i32: return "<i4";
    case ElementType::u32: return "<u4";
    case ElementType::i64: return "<i8";
    case ElementType::u64: return "<u8";
    case ElementType::f16: return "<f2";
    case ElementType::bf16: return "<u2";
    case ElementType::f32: return "<f4";
    case ElementType::f64: return "<f8";
  }
  return {};
}

void check_type(const std::string& path, const std::string& descr, ElementType expected) {
  if (descr == numpy_name(expected)) return;
  if (expected == ElementType::bf16 && (descr == "|V2" || descr == "<V2")) return;
  if ((expected == ElementType::i8 || expected == ElementType::u8) && descr.substr(1) == numpy_name(expected).substr(1)) return;
  refuse(path, "holds elements of NumPy type '" + descr + "', but " + std::string(name_of(expected)) + " ('" +
                   std::string(numpy_name(expected)) + "') was asked for",
         "convert it with array.astype('" + std::string(numpy_name(expected)) + "'), or name its type in the argument");
}

std::uint64_t little_endian(const char* bytes, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

}  // namespace

NpyArray read_npy(const std::string& path, ElementType expected) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    refuse(path, error ? "cannot be read: " + error.message() : "is not a regular file", "give the path of a .npy file");
  }
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) refuse(path, "cannot be opened", "check its permissions");

  char prefix[12] = {};
  file.read(prefix, 8);
  if (file.gcount() != 8 || std::string_view(prefix, 6) != kMagic) {
    refuse(path, "is not a .npy file (wrong magic)", kRewrite);
  }
  const int major = prefix[6];
  if (major < 1 || major > 3) refuse(path, "has .npy format version " + std::to_string(major) + "; 1 to 3 are read", kRewrite);
  const int length_bytes = major == 1 ? 2 : 4;
  file.read(prefix + 8, length_bytes);
  const std::uint64_t header_bytes = little_endian(prefix + 8, length_bytes);
  const std::uint64_t data_begin = 8 + static_cast<std::uint64_t>(length_bytes) + header_bytes;
  if (!file || header_bytes > kMaxHeaderBytes || data_begin > file_bytes) refuse(path, "is truncated in its header", kRewrite);
  std::string header(header_bytes, '\0');
  file.read(header.data(), static_cast<std::streamsize>(header_bytes));

  HeaderParser parser(path, header);
  parser.parse();
  check_type(path, *parser.descr, expected);
  if (*parser.fortran_order && parser.shape->size() > 1) {
    refuse(path, "is in Fortran order", "write numpy.ascontiguousarray(array) instead");
  }

  NpyArray array{expected, *parser.shape, {}};
  std::uint64_t bytes = size_of(expected);
  for (const std::uint64_t size : array.shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) refuse(path, "its shape is beyond 2^64 bytes", kRewrite);
  }
  if (bytes != file_bytes - data_begin) {
    refuse(path, "its shape needs " + std::to_string(bytes) + " bytes of data, the file has " +
                     std::to_string(file_bytes - data_begin), kRewrite);
  }
  array.data.resize(bytes);
  file.read(reinterpret_cast<char*>(array.data.data()), static_cast<std::streamsize>(bytes));
  if (!file) refuse(path, "could not be read to its end", "check the disk");
  return array;
}

void write_npy(const std::string& path, const NpyArray& array) {
  std::string header = "{'descr': '" + std::string(numpy_name(array.type)) + "', 'fortran_order': False, 'shape': (";
  for (const std::uint64_t size : array.shape) header += std::to_string(size) + ",";
  header += "), }";
  // Data starts at a multiple of 64, the header ends with a newline: the format's own rule.
  const std::size_t unpadded = 10 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';

  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << kMagic << '\x01' << '\0' << static_cast<char>(header.size() & 0xff) << static_cast<char>(header.size() >> 8) << header;
    file.write(reinterpret_cast<const char*>(array.data.data()), static_cast<std::streamsize>(array.data.size()));
    file.close();
    if (!file) {
      std::remove(temporary.c_str());
      throw Failure(ExitCode::kFailed, path + ": cannot be written", "check the directory, its permissions and the free space");
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(temporary.c_str());
    throw Failure(ExitCode::kFailed, path + ": cannot be written: " + reason, "check the directory and its permissions");
  }
}

}  // namespace bascule::cli

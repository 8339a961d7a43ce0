// Reading a device's identity.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace bascule::gpu {
namespace {

// Lower-case, with a domain of four digits: "0000:65:00.0".
std::string normal_pci(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::count(text.begin(), text.end(), ':') == 1) text = "0000:" + text;
  while (text.find(':') > 4 && text.find(':') != std::string::npos && text.front() == '0') text.erase(0, 1);
  return text;
}

std::string uuid_text(const unsigned char (&bytes)[16]) {
  std::string text;
  for (int i = 0; i < 16; ++i) text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  return text;
}

}  // namespace

CallResult read_identity(const Api& api, int ordinal, DeviceProperties& properties) {
  int code = api.device_get(&properties.ordinal, ordinal);
  if (code != 0) return {code, api.device_get.name};
  char text[256] = {};
  code = api.device_name(text, sizeof text - 1, properties.ordinal);
  if (code != 0) return {code, api.device_name.name};
  properties.name = text;
  std::size_t bytes = 0;
  code = api.device_total_memory(&bytes, properties.ordinal);
  if (code != 0) return {code, api.device_total_memory.name};
  properties.memory_bytes = bytes;
  char pci[64] = {};
  if (api.device_pci(pci, sizeof pci - 1, properties.ordinal) == 0) properties.pci = normal_pci(pci);
  unsigned char uuid[16] = {};
  if (api.device_uuid && api.device_uuid(uuid, properties.ordinal) == 0) properties.uuid = uuid_text(uuid);
  return {};
}

}  // namespace bascule::gpu

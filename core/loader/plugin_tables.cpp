// Table checks: see plugin_tables.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/plugin_tables.hpp"

#include <cstddef>
#include <cstring>

namespace bascule::core {
namespace {

struct Entry {
  const char* name;
  std::size_t offset;
};

#define BSC_ENTRY(table, entry) \
  { #table "." #entry, offsetof(bsc_plugin_##table##_table, entry) }
constexpr Entry kInstance[] = {BSC_ENTRY(instance, open), BSC_ENTRY(instance, close), BSC_ENTRY(instance, enumerate)};
constexpr Entry kDevice[] = {BSC_ENTRY(device, info)};
constexpr Entry kMemory[] = {BSC_ENTRY(memory, allocate), BSC_ENTRY(memory, release)};
constexpr Entry kQueue[] = {BSC_ENTRY(queue, create), BSC_ENTRY(queue, release), BSC_ENTRY(queue, submit)};
constexpr Entry kEvent[] = {BSC_ENTRY(event, wait)};
constexpr Entry kModule[] = {BSC_ENTRY(module, load), BSC_ENTRY(module, unload), BSC_ENTRY(module, function)};
#undef BSC_ENTRY

Error broken(const std::string& who, const std::string& what) {
  return {BSC_BROKEN, who + " " + what, "Install a matching build of the plugin."};
}

// Whether `bytes` of a table cover an entry and the entry is not NULL.
bool has_entry(const void* table, std::uint64_t bytes, std::size_t offset) {
  if (bytes < offset + sizeof(void*)) return false;
  void* entry = nullptr;
  std::memcpy(&entry, static_cast<const char*>(table) + offset, sizeof entry);
  return entry != nullptr;
}

template <class Table, std::size_t Count>
Status check_table(const Table* table, const char* name, const Entry (&required)[Count], const std::string& who) {
  if (table == nullptr) return broken(who, "has no table \"" + std::string(name) + "\"");
  for (const Entry& entry : required) {
    if (!has_entry(table, table->size, entry.offset))
      return broken(who, "lacks the required entry " + std::string(entry.name));
  }
  return {};
}

}  // namespace

Status check_plugin_abi(const bsc_plugin_info& info, const std::string& who) {
  if (info.abi_major == BSC_PLUGIN_ABI_MAJOR && info.abi_minor == BSC_PLUGIN_ABI_MINOR &&
      info.abi_minor_needed <= BSC_PLUGIN_ABI_MINOR) {
    return {};
  }
  const auto version = [](std::uint32_t major, std::uint32_t minor) {
    return std::to_string(major) + "." + std::to_string(minor);
  };
  const bool plugin_is_newer = info.abi_major > BSC_PLUGIN_ABI_MAJOR ||
                               (info.abi_major == BSC_PLUGIN_ABI_MAJOR && info.abi_minor > BSC_PLUGIN_ABI_MINOR);
  return Error{
      BSC_ABI_MISMATCH,
      who + " was built against plugin ABI " + version(info.abi_major, info.abi_minor) + " (needs at least " +
          version(info.abi_major, info.abi_minor_needed) + "), this library speaks " +
          version(BSC_PLUGIN_ABI_MAJOR, BSC_PLUGIN_ABI_MINOR),
      plugin_is_newer ? "Upgrade Bascule to the plugin's version." : "Upgrade the plugin to Bascule's version."};
}

Status check_plugin_tables(const bsc_plugin_api* api, const std::string& who) {
  if (api == nullptr) return broken(who, "has no function tables");
  if (api->header.size < offsetof(bsc_plugin_api, module) + sizeof(void*) || api->header.type != BSC_STRUCT_API) {
    return broken(who, "has a malformed list of function tables");
  }
  BSC_RETURN_IF_ERROR(check_table(api->instance, "instance", kInstance, who));
  BSC_RETURN_IF_ERROR(check_table(api->device, "device", kDevice, who));
  BSC_RETURN_IF_ERROR(check_table(api->memory, "memory", kMemory, who));
  BSC_RETURN_IF_ERROR(check_table(api->queue, "queue", kQueue, who));
  BSC_RETURN_IF_ERROR(check_table(api->event, "event", kEvent, who));
  return check_table(api->module, "module", kModule, who);
}

}  // namespace bascule::core

// VerdictCache: see verdict_cache.hpp. A file holds one line with the driver's stamp, the time and a hash, then the
// verdict.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/verdict_cache.hpp"

#include <unistd.h>

#include <chrono>

#include "bascule/plugin.h"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/loader/known_backends.hpp"
#include "core/platform/file.hpp"
#include "core/platform/paths.hpp"

namespace bascule::core {
namespace {

constexpr std::string_view kMagic = "bascule-verdict-1";
// A failure may have been repaired in a way that no stamp shows (a device plugged in, a module loaded).
constexpr std::int64_t kFailureSeconds = 600;

void add_stamp(Hasher& hasher, const std::string& path) {
  const FileStamp stamp = file_stamp(path);
  hasher.add(path)
      .add(stamp.device)
      .add(stamp.inode)
      .add(stamp.bytes)
      .add(static_cast<std::uint64_t>(stamp.modified_ns));
}

std::string driver_stamp(const Verdict& verdict) {
  Hasher hasher;
  for (const DeviceSummary& device : verdict.devices) add_stamp(hasher, device.driver_path);
  return hasher.finish().hex();
}

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Looking for a library that is not there costs little, and its installation shows in no stamp.
bool worth_keeping(bsc_status state) { return state != BSC_DRIVER_MISSING && state != BSC_INVALID_CONFIG; }

}  // namespace

Hash128 verdict_key(const ProbeRequest& request, const Environment& environment) {
  Hasher hasher;
  hasher.add(kMagic).add(std::string_view(kVersion)).add(kernel_release()).add(boot_id()).add(std::uint64_t{geteuid()});
  add_stamp(hasher, request.manifest.path);
  add_stamp(hasher, request.manifest.plugin_path);
  add_stamp(hasher, request.driver);
  for (const BackendOption& option : request.options) hasher.add(option.name).add(option.value);
  const auto add_variables = [&](std::string_view prefix) {
    for (const auto& [name, value] : environment.with_prefix(prefix)) hasher.add(name).add(value);
  };
  add_variables("LD_");
  if (const KnownBackend* known = find_known_backend(request.manifest.name)) {
    for (const std::string& prefix : known->environment) add_variables(prefix);
    for (const std::string& path : known->watch) add_stamp(hasher, path);
  }
  return hasher.finish();
}

VerdictCache::VerdictCache(std::string directory, const Log& log) : log_(log) {
  if (directory.empty()) return;
  const std::string own = directory + "/verdicts";
  Status status = make_directory(own);
  if (status.ok()) status = check_private_directory(directory);
  if (status.ok()) status = check_private_directory(own);
  if (status.ok()) {
    directory_ = own;
  } else {
    log_.warning_once("cache directory " + directory,
                      "the cache directory cannot be used (" + status.error().message +
                          "); nothing is kept on disk. Name another in BASCULE_CACHE_DIR, or "
                          "set BASCULE_CACHE=off.");
  }
}

std::string VerdictCache::file(const Hash128& key) const { return directory_ + "/" + key.hex(); }

std::optional<Verdict> VerdictCache::get(const Hash128& key) const {
  if (directory_.empty()) return std::nullopt;
  const auto text = read_file(file(key), 1 << 20);
  if (!text.ok()) return std::nullopt;
  const std::size_t end = text->find('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::vector<std::string> head = split(std::string_view(*text).substr(0, end), ' ');
  const std::string_view body = std::string_view(*text).substr(end + 1);
  std::uint64_t written = 0;
  if (head.size() != 4 || head[0] != kMagic || !parse_u64(head[1], &written) || head[3] != hash128(body).hex()) {
    return std::nullopt;
  }
  auto verdict = verdict_from_json(body);
  if (!verdict.ok() || head[2] != driver_stamp(*verdict)) return std::nullopt;
  const std::int64_t age = seconds_now() - static_cast<std::int64_t>(written);
  if (verdict->state != BSC_OK && (age < 0 || age > kFailureSeconds)) return std::nullopt;
  return std::move(*verdict);
}

void VerdictCache::put(const Hash128& key, const Verdict& verdict) {
  if (directory_.empty() || !worth_keeping(verdict.state)) return;
  const std::string body = verdict_to_json(verdict);
  const std::string text = std::string(kMagic) + " " + std::to_string(seconds_now()) + " " + driver_stamp(verdict) +
                           " " + hash128(body).hex() + "\n" + body;
  if (Status status = write_file_atomically(file(key), text); !status.ok()) {
    log_.warning_once("cache directory " + directory_,
                      "the cache directory cannot be written (" + status.error().message +
                          "). Name another in BASCULE_CACHE_DIR, or set BASCULE_CACHE=off.");
    directory_.clear();
  }
}

std::uint64_t clear_verdicts(const std::string& cache_directory) {
  if (cache_directory.empty()) return 0;
  std::uint64_t removed = 0;
  const std::string directory = cache_directory + "/verdicts";
  const auto names = list_directory(directory);
  if (!names.ok()) return 0;
  for (const std::string& name : *names) removed += unlink(anchored(name, directory).c_str()) == 0;
  return removed;
}

}  // namespace bascule::core

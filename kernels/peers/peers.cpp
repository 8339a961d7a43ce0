// Compares our CPU kernels with their peers on this machine, in one process, interleaved: SGEMM with OpenBLAS, BLIS and
// oneDNN, the triad with a hand-written one that stores past the cache. Prints medians and bests of many repetitions.
//
//   bascule-peers [--size N]... [--threads N]... [--rounds N]
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "blas_peers.hpp"
#include "kernels/common/cache_size.hpp"
#include "kernels/common/host_entries.hpp"
#include "kernels/common/random_data.hpp"
#include "kernels/sgemm/sgemm_reference.hpp"
#include "kernels/stream/stream_arguments.hpp"
#include "spin_team.hpp"

namespace bascule::kernels::peers {
namespace {

using clock = std::chrono::steady_clock;

struct settings {
  std::vector<std::int64_t> sizes;
  std::vector<unsigned> threads;
  int rounds = 15;
};

// One competitor: what to run, and its times over all rounds.
struct competitor {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds;
};

double time_of(const std::function<void()>& run, int repetitions) {
  const auto start = clock::now();
  for (int i = 0; i < repetitions; ++i) run();
  return std::chrono::duration<double>(clock::now() - start).count() / repetitions;
}

// Each round runs every competitor once untimed and then timed. In between the threads of the one before get time to go
// to sleep: OpenBLAS and OpenMP spin for a while, which would slow the next one.
void interleave(std::vector<competitor>& field, int rounds, int repetitions, bool pause) {
  for (int round = 0; round < rounds; ++round)
    for (auto& one : field) {
      if (pause) std::this_thread::sleep_for(std::chrono::milliseconds(40));
      one.run();
      one.seconds.push_back(time_of(one.run, repetitions));
    }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double best(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

// `work` in units of 1e9 per run. The first competitor is ours; its ratio to the best other one ends the table.
void print(const std::vector<competitor>& field, double work, const char* unit) {
  double best_median = 1e300, best_best = 1e300;
  for (const auto& one : field) {
    std::printf("  %-28s median %8.1f %s   best %8.1f\n", one.name.c_str(), work / median(one.seconds), unit,
                work / best(one.seconds));
    if (&one == &field[0]) continue;
    best_median = std::min(best_median, median(one.seconds));
    best_best = std::min(best_best, best(one.seconds));
  }
  if (field.size() > 1)
    std::printf("  ours / best peer:            median %8.3f     best %8.3f\n", best_median / median(field[0].seconds),
                best_best / best(field[0].seconds));
}

const host_entries& level_table(const host_entries& v2, const host_entries& v3, const host_entries& v4) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return v4;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? v3 : v2;
}

const bsc_host_entry& entry(const host_entries& table, const char* name) {
  for (std::uint32_t i = 0; i < table.count; ++i)
    if (std::strncmp(table.entries[i].name, name, std::strlen(name)) == 0) return table.entries[i];
  std::fprintf(stderr, "no kernel %s\n", name);
  std::exit(1);
}

// No figure without a right result: a sample of elements against float64.
bool plausible(const sgemm_arguments& x) {
  const auto* c = static_cast<const float*>(x.c.data);
  for (std::uint64_t i = 0; i < 64; ++i) {
    const std::uint64_t row = i * 7919 % x.m, column = i * 104729 % x.n;
    const reference_value expected = sgemm_reference_element(x, row, column);
    if (!(std::abs(c[row * x.ldc + column] - expected.value) <= expected.allowed)) return false;
  }
  return true;
}

bool compare_sgemm(std::int64_t size, unsigned threads, const settings& how, std::vector<blas_peer>& peers) {
  const auto n = static_cast<std::uint64_t>(size);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  RandomData random(1);
  random.fill(a);
  random.fill(b);
  const std::uint64_t bytes = n * n * sizeof(float);
  const sgemm_arguments arguments{
      0, 0, n, n, n, 1.0f, {a.data(), bytes}, n, {b.data(), bytes}, n, 0.0f, {c.data(), bytes}, n};
  const bsc_host_entry& ours =
      entry(level_table(x86_64_v2::sgemm_entries, x86_64_v3::sgemm_entries, x86_64_v4::sgemm_entries), "sgemm_f32_v");
  SpinTeam team(threads);
  const HostMemory memory(ours, threads);

  std::vector<competitor> field;
  field.push_back({std::string("Bascule ") + ours.name, [&] { launch_team(ours, &arguments, team, memory); }, {}});
  for (auto& peer : peers)
    field.push_back({peer.name, [&] { peer.multiply({size, size, size, a.data(), b.data(), c.data()}); }, {}});
  for (auto& peer : peers) peer.set_threads(static_cast<int>(threads));
  for (auto& one : field) {
    std::fill(c.begin(), c.end(), 0.0f);
    one.run();
    if (!plausible(arguments)) {
      std::fprintf(stderr, "%s gives a wrong result\n", one.name.c_str());
      return false;
    }
  }
  const double operations = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const int repetitions = std::max(1, static_cast<int>(2e9 / operations));
  interleave(field, how.rounds, repetitions, threads > 1);
  std::printf("sgemm %lld x %lld x %lld, %u thread%s\n", static_cast<long long>(size), static_cast<long long>(size),
              static_cast<long long>(size), threads, threads == 1 ? "" : "s");
  print(field, operations / 1e9, "GFLOP/s");
  return true;
}

// The yardstick: what one would write by hand for large aligned arrays.
__attribute__((target("avx2"))) void hand_triad(float* a, const float* b, const float* c, float scalar,
                                                std::uint64_t begin, std::uint64_t end) {
  const __m256 s = _mm256_set1_ps(scalar);
  for (std::uint64_t i = begin; i < end; i += 16) {
    _mm256_stream_ps(a + i, _mm256_add_ps(_mm256_load_ps(b + i), _mm256_mul_ps(s, _mm256_load_ps(c + i))));
    _mm256_stream_ps(a + i + 8, _mm256_add_ps(_mm256_load_ps(b + i + 8), _mm256_mul_ps(s, _mm256_load_ps(c + i + 8))));
  }
  _mm_sfence();
}

void compare_triad(unsigned threads, const settings& how) {
  const std::uint64_t n = std::uint64_t{1} << 25, bytes = n * sizeof(float);
  std::vector<float> storage(3 * n + 64);
  RandomData random(2);
  random.fill(storage);
  auto* const aligned = storage.data() + (64 - reinterpret_cast<std::uintptr_t>(storage.data()) % 64) % 64 / 4;
  float *const a = aligned, *const b = aligned + n, *const c = aligned + 2 * n;
  const stream_triad_arguments arguments{n, 0.4f, {b, bytes}, {c, bytes}, {a, bytes}};
  const bsc_host_entry& ours = entry(
      level_table(x86_64_v2::stream_entries, x86_64_v3::stream_entries, x86_64_v4::stream_entries), "stream_triad_f32");
  SpinTeam team(threads);
  const HostMemory memory(ours, threads);
  std::vector<competitor> field;
  field.push_back({std::string("Bascule ") + ours.name,
                   [&] { launch_items(ours, &arguments, n, kStreamGrain, team, memory); },
                   {}});
  field.push_back(
      {"hand-written, non-temporal",
       [&] {
         team.run([&](unsigned rank) { hand_triad(a, b, c, 0.4f, n / threads * rank, n / threads * (rank + 1)); });
       },
       {}});
  interleave(field, how.rounds, 1, false);
  std::printf("triad of %llu floats, %u thread%s\n", static_cast<unsigned long long>(n), threads,
              threads == 1 ? "" : "s");
  print(field, 12.0 * static_cast<double>(n) / 1e9, "GB/s   ");
}

settings parse(int count, char** values) {
  settings result;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = values[i];
    const long value = std::strtol(values[i + 1], nullptr, 10);
    if (value > 0 && name == "--size") {
      result.sizes.push_back(value);
    } else if (value > 0 && name == "--threads") {
      result.threads.push_back(static_cast<unsigned>(value));
    } else if (value > 0 && name == "--rounds") {
      result.rounds = static_cast<int>(value);
    } else {
      std::fprintf(stderr, "usage: bascule-peers [--size N]... [--threads N]... [--rounds N]\n");
      std::exit(2);
    }
  }
  if (result.sizes.empty()) result.sizes = {512, 1024, 2048};
  if (result.threads.empty()) result.threads = {1, 2};
  return result;
}

}  // namespace
}  // namespace bascule::kernels::peers

int main(int count, char** values) {
  using namespace bascule::kernels::peers;
  const settings how = parse(count, values);
  auto peers = open_blas_peers();
  for (unsigned threads : how.threads) {
    for (std::int64_t size : how.sizes)
      if (!compare_sgemm(size, threads, how, peers)) return 1;
    if (how.sizes.size() > 1) compare_triad(threads, how);
  }
  return 0;
}

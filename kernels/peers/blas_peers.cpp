// Opens OpenBLAS, BLIS and oneDNN at run time and configures them fairly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas_peers.hpp"

#include <cpuid.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace bascule::kernels::peers {
namespace {

using cblas_sgemm_function = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                                      const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
using dnnl_sgemm_function = int (*)(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                                    float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
                                    float beta, float* c, std::int64_t ldc);

constexpr int kRowMajor = 101, kNoTranspose = 111;  // of CBLAS

template <typename F>
F symbol(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

std::function<void(const product&)> through_cblas(cblas_sgemm_function sgemm) {
  return [sgemm](const product& p) {
    sgemm(kRowMajor, kNoTranspose, kNoTranspose, int(p.m), int(p.n), int(p.k), 1.0f, p.a, int(p.k), p.b, int(p.n), 0.0f,
          p.c, int(p.n));
  };
}

bool is_recent_amd() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d) == 0 || b != signature_AMD_ebx) return false;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  return ((a >> 8) & 0xf) + ((a >> 20) & 0xff) >= 25;  // Zen 3 is family 25
}

void add_openblas(std::vector<blas_peer>& peers) {
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  const auto sgemm = symbol<cblas_sgemm_function>(library, "cblas_sgemm");
  const auto threads = symbol<void (*)(int)>(library, "openblas_set_num_threads");
  const auto core = symbol<char* (*)()>(library, "openblas_get_corename");
  if (sgemm == nullptr || threads == nullptr) return;
  peers.push_back({std::string("OpenBLAS ") + (core != nullptr ? core() : ""), through_cblas(sgemm), threads});
}

// BLIS 0.9 takes BLIS_ARCH_TYPE as a number (its documentation says a name), which may change between versions.
void choose_blis_kernels(const char* (*name)(int)) {
  if (name == nullptr || !is_recent_amd()) return;
  for (int id = 0; id < 16; ++id) {
    if (std::strcmp(name(id), "zen3") == 0) {
      setenv("BLIS_ARCH_TYPE", std::to_string(id).c_str(), 1);
      return;
    }
  }
}

void add_blis(std::vector<blas_peer>& peers) {
  void* const library = dlopen("libblis.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  const auto sgemm = symbol<cblas_sgemm_function>(library, "cblas_sgemm");
  const auto threads = symbol<void (*)(long)>(library, "bli_thread_set_num_threads");
  const auto initialise = symbol<void (*)()>(library, "bli_init");
  const auto query = symbol<int (*)()>(library, "bli_arch_query_id");
  const auto name = symbol<const char* (*)(int)>(library, "bli_arch_string");
  if (sgemm == nullptr || threads == nullptr || initialise == nullptr) return;
  choose_blis_kernels(name);
  initialise();
  peers.push_back({std::string("BLIS ") + (query != nullptr && name != nullptr ? name(query()) : ""),
                   through_cblas(sgemm), [threads](int count) { threads(count); }});
}

void add_onednn(std::vector<blas_peer>& peers) {
  void* const library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  const auto sgemm = symbol<dnnl_sgemm_function>(library, "dnnl_sgemm");
  void* const openmp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);  // oneDNN brought it
  const auto threads = openmp != nullptr ? symbol<void (*)(int)>(openmp, "omp_set_num_threads") : nullptr;
  if (sgemm == nullptr || threads == nullptr) return;
  peers.push_back(
      {"oneDNN",
       [sgemm](const product& p) { sgemm('N', 'N', p.m, p.n, p.k, 1.0f, p.a, p.k, p.b, p.n, 0.0f, p.c, p.n); },
       threads});
}

}  // namespace

std::vector<blas_peer> open_blas_peers() {
  unsetenv("OPENBLAS_CORETYPE");
  unsetenv("OPENBLAS_L2_SIZE");
  std::vector<blas_peer> peers;
  add_openblas(peers);
  add_blis(peers);
  add_onednn(peers);
  return peers;
}

}  // namespace bascule::kernels::peers

// The table of cases that bench and selftest open.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/cases.h>
#include <bascule/kernels.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>

#include "cases/case_list.hpp"

namespace bascule::kernels {
namespace {

constexpr const char* kSuites[] = {"quick", "llm", "stream", "selftest", "overhead"};
constexpr const char* kSuiteDescriptions[] = {
    "one or two shapes of each kernel, a minute", "shapes of Llama 3 8B and DeepSeek-V3 inference",
    "the BabelStream kernels at 2^20 and 2^25 elements", "small and awkward sizes, for correctness",
    "the smallest launch, for overheads"};

// A definition as the C interface shows it. Never freed: a case is valid until the library is unloaded.
struct PublishedCase {
  CaseDefinition definition;
  bsc_case interface;
};

bsc_status create(const bsc_case* description, std::uint64_t seed, bsc_case_data** out) {
  try {
    const auto* definition = static_cast<const CaseDefinition*>(description->context);
    *out = reinterpret_cast<bsc_case_data*>(definition->make(seed).release());
    return BSC_OK;
  } catch (const std::bad_alloc&) {
    return BSC_OUT_OF_MEMORY;
  } catch (...) {
    return BSC_INTERNAL;
  }
}

CaseData* data_of(bsc_case_data* data) { return reinterpret_cast<CaseData*>(data); }

void release(bsc_case_data* data) { delete data_of(data); }

std::uint64_t arguments(bsc_case_data* data, const bsc_case_argument** out) {
  *out = data_of(data)->arguments.data();
  return data_of(data)->arguments.size();
}

bsc_status check(bsc_case_data* data, const void* const* outputs, bsc_case_verdict* verdict) {
  if (verdict->size < sizeof(bsc_case_verdict)) return BSC_INVALID_ARGUMENT;
  try {
    data_of(data)->check(outputs, *verdict);
    return BSC_OK;
  } catch (const std::bad_alloc&) {
    return BSC_OUT_OF_MEMORY;
  } catch (...) {
    return BSC_INTERNAL;
  }
}

bsc_case interface_of(const CaseDefinition& definition) {
  bsc_case made = {};
  made.size = sizeof made;
  made.kernel = definition.kernel.c_str();
  made.label = definition.label.c_str();
  made.shape = definition.shape.c_str();
  made.shrunk = definition.shrunk.c_str();
  made.number_format = definition.number_format.c_str();
  made.math_mode = definition.math_mode.c_str();
  made.distribution = definition.distribution.c_str();
  made.bytes = definition.bytes;
  made.operations = definition.operations;
  made.operation_unit = definition.operation_unit.c_str();
  made.device_bytes = definition.device_bytes;
  made.context = &definition;
  made.create = create;
  made.release = release;
  made.arguments = arguments;
  made.check = check;
  return made;
}

bsc_status enumerate(const bsc_case_request* request, int (*visit)(void* user, const bsc_case*), void* user) {
  if (request->size < sizeof *request) return BSC_INVALID_ARGUMENT;
  const auto is_known = [&](const char* suite) { return std::strcmp(suite, request->suite) == 0; };
  if (std::none_of(std::begin(kSuites), std::end(kSuites), is_known)) return BSC_NOT_FOUND;
  try {
    CaseList list(*request);
    for (const auto add : {add_stream_cases, add_reduce_cases, add_softmax_cases, add_rms_norm_cases, add_philox_cases, add_sgemm_cases, add_gemm_cases, add_gemv_cases, add_attention_cases}) {
      add(list);
    }
    // Callers keep cases for as long as they like, from several threads.
    static std::mutex mutex;
    static auto* const published = new std::deque<PublishedCase>;
    const std::lock_guard lock(mutex);
    for (CaseDefinition& definition : list.definitions) {
      PublishedCase& kept = published->emplace_back(PublishedCase{std::move(definition), {}});
      kept.interface = interface_of(kept.definition);
      if (visit(user, &kept.interface) == 0) break;
    }
    return BSC_OK;
  } catch (const std::bad_alloc&) {
    return BSC_OUT_OF_MEMORY;
  } catch (...) {
    return BSC_INTERNAL;
  }
}

constexpr bsc_case_library kLibrary = {sizeof(bsc_case_library), BSC_CASES_ABI_VERSION, std::size(kSuites), kSuites,
                                       kSuiteDescriptions,       BASCULE_VERSION_STRING, bascule_kernels_package, enumerate};

}  // namespace

}  // namespace bascule::kernels

extern "C" __attribute__((visibility("default"))) const bsc_case_library* bascule_cases() { return &bascule::kernels::kLibrary; }

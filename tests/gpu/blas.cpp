// cuBLASLt and hipBLASLt: see blas.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/blas.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace bascule::gpu_run {

// What differs between the two.
struct BlasNumbers {
  const char* backend;
  const char* name;
  const char* prefix;
  std::vector<const char*> files;
  int compute_f32;
  int plain, transposed;
  int attribute_transpose_a, attribute_transpose_b;
  int attribute_workspace;
  std::size_t algorithm_bytes;
};

namespace {

const BlasNumbers kVendors[] = {
    {"cuda", "cuBLASLt", "cublasLt", {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}, 68, 0, 1, 3, 4, 1, 64},
    {"hip", "hipBLASLt", "hipblasLt", {"libhipblaslt.so.1", "libhipblaslt.so.0", "libhipblaslt.so"}, 2, 111, 112, 0, 1, 1, 24}};

// After the algorithm: workspace (8), status (4), waves (4), reserved (16).
constexpr std::size_t kResultTail = 32;
constexpr int kScaleF32 = 0;

}  // namespace

template <class Function>
void Blas::find(void* library, const char* stem, Function& function) {
  const std::string name = std::string(numbers_->prefix) + stem;
  function = reinterpret_cast<Function>(dlsym(library, name.c_str()));
  if (function == nullptr) missing_ += (missing_.empty() ? "" : ", ") + name;
}

bool Blas::open(const std::string& backend, const std::string& directory, std::string& tried) {
  for (const BlasNumbers& vendor : kVendors) {
    if (backend == vendor.backend) numbers_ = &vendor;
  }
  if (numbers_ == nullptr) {
    tried = "the backend " + backend + " has no matrix library that is known here";
    return false;
  }
  void* library = nullptr;
  for (const bool given : {true, false}) {
    if (given && directory.empty()) continue;
    for (const char* file : numbers_->files) {
      path_ = given ? directory + "/" + file : file;
      library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) break;
      tried += (tried.empty() ? "" : "; ") + std::string(dlerror());
    }
    if (library != nullptr) break;
  }
  if (library == nullptr) return false;
  find(library, "Create", create_);
  find(library, "Destroy", destroy_);
  find(library, "MatmulDescCreate", operation_create_);
  find(library, "MatmulDescSetAttribute", operation_set_);
  find(library, "MatmulDescDestroy", operation_destroy_);
  find(library, "MatrixLayoutCreate", layout_create_);
  find(library, "MatrixLayoutDestroy", layout_destroy_);
  find(library, "MatmulPreferenceCreate", preference_create_);
  find(library, "MatmulPreferenceSetAttribute", preference_set_);
  find(library, "MatmulPreferenceDestroy", preference_destroy_);
  find(library, "MatmulAlgoGetHeuristic", heuristic_);
  find(library, "Matmul", multiply_);
  if (!missing_.empty()) throw std::runtime_error(path_ + " lacks " + missing_);
  version_ = reinterpret_cast<std::size_t (*)()>(dlsym(library, "cublasLtGetVersion"));
  version_of_ = reinterpret_cast<int (*)(Handle, int*)>(dlsym(library, "hipblasLtGetVersion"));
  return true;
}

void Blas::check(int code, const char* call) const {
  if (code != 0) throw std::runtime_error(std::string(numbers_->prefix) + call + " gave " + std::to_string(code));
}

void Blas::start(Address workspace, std::size_t workspace_bytes) {
  workspace_ = workspace;
  workspace_bytes_ = workspace_bytes;
  check(create_(&library_), "Create");
}

void Blas::release_product() {
  if (operation_ != nullptr) operation_destroy_(operation_);
  for (Handle& layout : layouts_) {
    if (layout != nullptr) layout_destroy_(layout);
    layout = nullptr;
  }
  operation_ = nullptr;
}

Blas::~Blas() {
  release_product();
  if (library_ != nullptr) destroy_(library_);
}

// The libraries count columns first, so a row-major matrix is its own transpose to them: they are asked for C^T = B^T A^T.
void Blas::prepare(const Product& product) {
  release_product();
  product_ = product;
  const int type = static_cast<int>(product.element);
  const int first = product.transpose_b ? numbers_->transposed : numbers_->plain, second = product.transpose_a ? numbers_->transposed : numbers_->plain;
  check(operation_create_(&operation_, numbers_->compute_f32, kScaleF32), "MatmulDescCreate");
  check(operation_set_(operation_, numbers_->attribute_transpose_a, &first, sizeof first), "MatmulDescSetAttribute");
  check(operation_set_(operation_, numbers_->attribute_transpose_b, &second, sizeof second), "MatmulDescSetAttribute");
  const auto layout = [&](Handle& handle, std::uint64_t rows, std::uint64_t columns, std::uint64_t ld) {
    check(layout_create_(&handle, type, rows, columns, static_cast<std::int64_t>(ld)), "MatrixLayoutCreate");
  };
  layout(layouts_[0], product.transpose_b ? product.k : product.n, product.transpose_b ? product.n : product.k, product.ldb);
  layout(layouts_[1], product.transpose_a ? product.m : product.k, product.transpose_a ? product.k : product.m, product.lda);
  layout(layouts_[2], product.n, product.m, product.ldc);

  Handle preference = nullptr;
  check(preference_create_(&preference), "MatmulPreferenceCreate");
  const std::uint64_t bytes = workspace_bytes_;
  int code = preference_set_(preference, numbers_->attribute_workspace, &bytes, sizeof bytes);
  std::vector<unsigned char> result(numbers_->algorithm_bytes + kResultTail);
  int found = 0;
  if (code == 0) code = heuristic_(library_, operation_, layouts_[0], layouts_[1], layouts_[2], layouts_[2], preference, 1, result.data(), &found);
  preference_destroy_(preference);
  check(code, "MatmulAlgoGetHeuristic");
  if (found < 1) throw std::runtime_error(std::string(numbers_->name) + " offers no way to compute this product");
  algorithm_.assign(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(numbers_->algorithm_bytes));
}

void Blas::run(Handle stream) {
  const float one = 1, zero = 0;
  check(multiply_(library_, operation_, &one, product_.b, layouts_[0], product_.a, layouts_[1], &zero, product_.c, layouts_[2], product_.c, layouts_[2],
                  algorithm_.data(), workspace_, workspace_bytes_, stream),
        "Matmul");
}

std::string Blas::name() const {
  std::string text = numbers_->name;
  int number = 0;
  char version[48] = "";
  if (version_ != nullptr) {
    const std::size_t v = version_();  // 120304 or 130100: two digits each for minor and patch
    std::snprintf(version, sizeof version, " %zu.%zu.%zu", v / 10000, v / 100 % 100, v % 100);
  } else if (version_of_ != nullptr && version_of_(library_, &number) == 0) {
    std::snprintf(version, sizeof version, " %d.%d.%d", number / 100000, number / 100 % 1000, number % 100);
  }
  return text + version;
}

}  // namespace bascule::gpu_run

// How the kernel compiler's parts report what is wrong with a kernel: thrown, caught in main.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace bascule::compiler {

class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& message, std::string remedy = {}) : std::runtime_error(message), remedy_(std::move(remedy)) {}
  const std::string& remedy() const { return remedy_; }

 private:
  std::string remedy_;
};

}  // namespace bascule::compiler

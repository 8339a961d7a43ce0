// Machine code beside PTX, where ptxas is at hand: for each PTX variant one of the format "cubin" per architecture, before it, so that it
// is preferred where the driver is new enough for it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bascule::compiler {

// Makes the machine code of a PTX image for an architecture; gives its file in the output directory.
using Assemble = std::function<std::string(const std::string& image, const std::string& architecture)>;

// The description with such variants added. A cubin takes a driver of its ptxas' major version: `minimum_driver`.
// Architectures older than a variant's target are left out.
std::string add_cubins(const std::string& json, const std::vector<std::string>& architectures, const std::string& minimum_driver, const Assemble& assemble);

// "13.0" of what `ptxas --version` prints, if that is 13.1; throws Failure if it is no ptxas.
std::string driver_for(const std::string& version_text);

// Runs ptxas.
class Ptxas {
 public:
  explicit Ptxas(const std::string& program);
  const std::string& minimum_driver() const { return minimum_driver_; }
  void assemble(const std::string& ptx, const std::string& architecture, const std::string& cubin) const;

 private:
  std::string run(const std::vector<std::string>& arguments) const;

  std::string program_, minimum_driver_;
};

}  // namespace bascule::compiler

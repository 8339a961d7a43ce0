// Deriving a description from signatures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/description.hpp"

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "kernels/compiler/entries.hpp"
#include "kernels/compiler/failure.hpp"

namespace bascule::compiler {
namespace {

using Json = nlohmann::ordered_json;
using Form = KernelParameter::Form;

constexpr int kDefaultBlock = 256;

// What BASCULE_CONTRACT says, put where it belongs.
class ContractReader {
 public:
  explicit ContractReader(const KernelSignature& kernel)
      : where_(kernel.source + ": kernel " + kernel.name + ": BASCULE_CONTRACT: ") {
    json_ = {{"name", kernel.name}, {"version", "1.0"}, {"doc", ""}, {"parameters", Json::array()}};
    for (const KernelParameter& parameter : kernel.parameters) {
      Json entry = {{"name", parameter.name}, {"kind", parameter.form == Form::scalar ? "scalar" : "buffer"}, {"type", parameter.type}};
      if (parameter.form != Form::scalar) entry["access"] = parameter.access;
      json_["parameters"].push_back(entry);
    }
    for (const ContractItem& item : kernel.contract) read(item);
  }

  const Json& contract() const { return json_; }
  const Json& launch() const { return launch_; }
  const Json& constants() const { return constants_; }

 private:
  void read(const ContractItem& item) {
    static const std::map<std::string, void (ContractReader::*)(const ContractItem&)> kKeys = {
        {"doc", &ContractReader::text},           {"version", &ContractReader::text},     {"nan", &ContractReader::text},
        {"determinism", &ContractReader::text},   {"length", &ContractReader::length},    {"requires", &ContractReader::requirement},
        {"tolerance", &ContractReader::tolerance},{"values", &ContractReader::values},    {"block", &ContractReader::dimensions},
        {"grid", &ContractReader::dimensions},    {"shared", &ContractReader::shared},    {"constant", &ContractReader::constant},
        {"cooperative", &ContractReader::cooperative}};
    const auto found = kKeys.find(item.key);
    if (found == kKeys.end()) {
      std::string keys;
      for (const auto& [key, reader] : kKeys) keys += (keys.empty() ? "" : ", ") + key;
      throw Failure(where_ + "'" + item.key + "' is not known", "the keys are " + keys);
    }
    (this->*found->second)(item);
  }

  void expect(const ContractItem& item, std::size_t least, std::size_t most) const {
    if (item.arguments.size() >= least && item.arguments.size() <= most) return;
    throw Failure(where_ + item.key + " has " + std::to_string(item.arguments.size()) + " arguments, it takes " + std::to_string(least) +
                  (most == least ? "" : " to " + std::to_string(most)));
  }
  double number(const ContractItem& item, const std::string& text) const {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') throw Failure(where_ + item.key + ": '" + text + "' is no number");
    return value;
  }
  Json& parameter(const ContractItem& item, const std::string& name) {
    for (Json& entry : json_["parameters"]) {
      if (entry["name"] == name) return entry;
    }
    throw Failure(where_ + item.key + ": the kernel has no parameter '" + name + "'");
  }

  void text(const ContractItem& item) {
    expect(item, 1, 1);
    json_[item.key] = item.arguments[0];
  }
  void length(const ContractItem& item) {
    expect(item, 2, 2);
    Json& entry = parameter(item, item.arguments[0]);
    if (entry["kind"] != "buffer") throw Failure(where_ + "length: '" + item.arguments[0] + "' is no buffer");
    entry["length"] = item.arguments[1];
  }
  void requirement(const ContractItem& item) {
    expect(item, 2, 2);
    json_["requires"].push_back({{"expression", item.arguments[0]}, {"message", item.arguments[1]}});
  }
  void tolerance(const ContractItem& item) {
    expect(item, 1, 4);
    Json& entry = json_["tolerance"];
    entry["rule"] = item.arguments[0];
    for (std::size_t i = 1; i < item.arguments.size(); ++i) {
      for (const ContractItem& part : parse_contract_items(item.arguments[i], where_ + "tolerance")) {
        if ((part.key != "ulps" && part.key != "absolute" && part.key != "relative") || part.arguments.size() != 1) {
          throw Failure(where_ + "tolerance: '" + item.arguments[i] + "' is not known", "use ulps(N), absolute(X), relative(X)");
        }
        entry[part.key] = number(part, part.arguments[0]);
      }
    }
  }
  void values(const ContractItem& item) {
    expect(item, 3, 3);
    Json& entry = parameter(item, item.arguments[0]);
    entry["minimum"] = number(item, item.arguments[1]);
    entry["maximum"] = number(item, item.arguments[2]);
  }
  void dimensions(const ContractItem& item) {
    expect(item, 1, 3);
    launch_[item.key] = item.arguments;
  }
  void shared(const ContractItem& item) {
    expect(item, 1, 1);
    launch_["shared"] = item.arguments[0];
  }
  void constant(const ContractItem& item) {
    expect(item, 2, 2);
    constants_[item.arguments[0]] = static_cast<std::uint64_t>(number(item, item.arguments[1]));
  }
  void cooperative(const ContractItem& item) {
    expect(item, 0, 0);
    launch_["cooperative"] = true;
  }

  std::string where_;
  Json json_;
  Json launch_ = Json::object();
  Json constants_ = Json::object();
};

// The product of a block's dimensions, as an expression.
std::string threads_of(const Json& block) {
  std::string text;
  for (const Json& dimension : block) text += (text.empty() ? "(" : " * (") + dimension.get<std::string>() + ")";
  return text;
}

Json launch_of(const KernelSignature& kernel, const ContractReader& contract, bool host) {
  Json launch = {{"function", kernel.name}};
  if (host) {
    launch["grid"] = {1};
    launch["block"] = {1};
    return launch;
  }
  launch["block"] = contract.launch().value("block", Json{"BLOCK"});
  launch["grid"] = contract.launch().value("grid", Json{"ceildiv(work_items, " + threads_of(launch["block"]) + ")"});
  for (const char* key : {"shared", "cooperative"}) {
    if (contract.launch().contains(key)) launch[key] = contract.launch()[key];
  }
  for (const KernelParameter& parameter : kernel.parameters) {
    Json argument = {{"parameter", parameter.name}};
    if (parameter.form != Form::scalar) argument["as"] = "split";
    launch["arguments"].push_back(argument);
  }
  return launch;
}

}  // namespace

std::string derive_description(const Options& options, const std::vector<KernelSignature>& kernels, const std::vector<Image>& images,
                               const std::string& reference_image) {
  Json description = {{"package", {{"name", options.name}, {"version", options.version}}}, {"kernels", Json::array()}};
  for (const KernelSignature& kernel : kernels) {
    const ContractReader reader(kernel);
    Json entry = reader.contract();
    entry["math"] = {{"precision", "f32"}, {"contraction", "off"}, {"denormals", "keep"}};
    for (const Image& image : images) {
      if (image.source != kernel.source) continue;
      Json variant = {{"name", image.target.suffix()}, {"format", image.target.format()}, {"target", image.target.architecture},
                      {"class", "portable"}, {"image", image.file}, {"constants", {{"BLOCK", kDefaultBlock}}}};
      for (const auto& [name, value] : reader.constants().items()) variant["constants"][name] = value;
      variant["launches"] = {launch_of(kernel, reader, false)};
      entry["variants"].push_back(variant);
    }
    if (!reference_image.empty()) {
      entry["variants"].push_back({{"name", "reference"}, {"format", "host"}, {"class", "reference"}, {"image", reference_image},
                                   {"launches", {launch_of(kernel, reader, true)}}});
    }
    description["kernels"].push_back(entry);
  }
  return description.dump(1) + "\n";
}

}  // namespace bascule::compiler

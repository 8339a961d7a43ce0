// Expanding the dialect's variants of an author's own description: one variant for each image.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/compiler/description.hpp"
#include "kernels/compiler/failure.hpp"

namespace bascule::compiler {
namespace {

using Json = nlohmann::ordered_json;
using Form = KernelParameter::Form;

constexpr const char* kFormat = "dialect";

Json parse(const std::string& json, const std::string& file) {
  try {
    return Json::parse(json);
  } catch (const Json::exception& error) {
    throw Failure(file + ": " + error.what(), "see docs/package-format.md");
  }
}

// Calls visit(kernel, variant) for each. What is no valid description is left for `pack` to explain.
template <class Visit>
void for_each_variant(Json& description, Visit visit) {
  if (!description.is_object() || !description.contains("kernels") || !description["kernels"].is_array()) return;
  for (Json& kernel : description["kernels"]) {
    if (!kernel.is_object() || !kernel.contains("variants") || !kernel["variants"].is_array()) continue;
    for (Json& variant : kernel["variants"]) {
      if (variant.is_object()) visit(kernel, variant);
    }
  }
}

std::vector<std::string> images_of(const std::string& json, const std::string& file, bool dialect) {
  Json description = parse(json, file);
  std::vector<std::string> images;
  for_each_variant(description, [&](Json&, Json& variant) {
    if ((variant.value("format", "") == kFormat) != dialect || !variant.contains("image") || !variant["image"].is_string()) return;
    const std::string image = variant["image"];
    if (std::find(images.begin(), images.end(), image) == images.end()) images.push_back(image);
  });
  return images;
}

std::string names(const std::vector<KernelSignature>& kernels) {
  std::string text;
  for (const KernelSignature& kernel : kernels) text += (text.empty() ? "" : ", ") + kernel.name;
  return text.empty() ? "none" : text;
}

// What a launch's argument is to the function: "buffer", a number's type, or "" where only the packer can tell.
std::string argument_type(const Json& kernel, const Json& argument, bool& buffer) {
  buffer = false;
  if (argument.is_object() && argument.contains("value")) return argument.value("type", "");
  if (argument.is_object() && argument.contains("workspace")) {
    buffer = true;
    return argument["workspace"].value("type", "");
  }
  const std::string name = argument.is_string() ? argument.get<std::string>() : argument.is_object() ? argument.value("parameter", "") : "";
  for (const Json& parameter : kernel.value("parameters", Json::array())) {
    if (parameter.value("name", "") != name) continue;
    buffer = parameter.value("kind", "") == "buffer";
    return parameter.value("type", "");
  }
  return {};
}

class Expander {
 public:
  Expander(const std::string& file, const std::map<std::string, std::vector<KernelSignature>>& kernels, const std::vector<Image>& images)
      : file_(file), kernels_(kernels), images_(images) {}

  void expand(Json& kernel) const {
    Json variants = Json::array();
    for (Json& variant : kernel["variants"]) {
      if (!variant.is_object() || variant.value("format", "") != kFormat) {
        variants.push_back(variant);
        continue;
      }
      const std::string source = variant.value("image", "");
      for (const Image& image : images_) {
        if (image.source != source) continue;
        Json copy = variant;
        copy["name"] = variant.value("name", "") + "_" + image.target.suffix();
        copy["format"] = image.target.format();
        copy["target"] = image.target.architecture;
        copy["image"] = image.file;
        if (copy.contains("launches") && copy["launches"].is_array()) {
          for (Json& launch : copy["launches"]) fill_arguments(kernel, launch, source);
        }
        variants.push_back(copy);
      }
    }
    kernel["variants"] = variants;
  }

 private:
  // Every buffer is split, and what is passed is what the function takes.
  void fill_arguments(const Json& kernel, Json& launch, const std::string& source) const {
    if (!launch.is_object()) return;
    if (!launch.contains("arguments")) {
      for (const Json& parameter : kernel.value("parameters", Json::array())) launch["arguments"].push_back(parameter.value("name", ""));
    }
    const std::string function = launch.value("function", "");
    const std::string where = file_ + ": kernel " + kernel.value("name", "") + ": function " + function;
    const std::vector<KernelSignature>& known = kernels_.at(source);
    const auto found = std::find_if(known.begin(), known.end(), [&](const KernelSignature& signature) { return signature.name == function; });
    if (found == known.end()) throw Failure(where + " is not in " + source, "the kernels there are " + names(known));
    Json& arguments = launch["arguments"];
    if (arguments.size() != found->parameters.size()) {
      throw Failure(where + " takes " + std::to_string(found->parameters.size()) + " parameters, the plan passes " + std::to_string(arguments.size()));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) check_argument(kernel, arguments[i], found->parameters[i], where);
  }

  static void check_argument(const Json& kernel, Json& argument, const KernelParameter& parameter, const std::string& where) {
    bool buffer = false;
    const std::string type = argument_type(kernel, argument, buffer);
    const bool takes_buffer = parameter.form != Form::scalar;
    if (!type.empty() && (type != parameter.type || buffer != takes_buffer)) {
      throw Failure(where + ": parameter '" + parameter.name + "' is " + (takes_buffer ? "a buffer of " : "") + parameter.type + ", the plan passes " +
                    (buffer ? "a buffer of " : "") + type);
    }
    if (!buffer) return;
    if (argument.is_string()) argument = {{"parameter", argument}};
    argument["as"] = "split";
  }

  const std::string& file_;
  const std::map<std::string, std::vector<KernelSignature>>& kernels_;
  const std::vector<Image>& images_;
};

}  // namespace

std::vector<std::string> dialect_sources(const std::string& json, const std::string& file) { return images_of(json, file, true); }
std::vector<std::string> other_images(const std::string& json, const std::string& file) { return images_of(json, file, false); }

std::string expand_description(const std::string& json, const std::string& file, const std::map<std::string, std::vector<KernelSignature>>& kernels,
                               const std::vector<Image>& images) {
  Json description = parse(json, file);
  const Expander expander(file, kernels, images);
  if (description.is_object() && description.contains("kernels") && description["kernels"].is_array()) {
    for (Json& kernel : description["kernels"]) {
      if (kernel.is_object() && kernel.contains("variants") && kernel["variants"].is_array()) expander.expand(kernel);
    }
  }
  return description.dump(1) + "\n";
}

}  // namespace bascule::compiler

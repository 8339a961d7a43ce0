// Entries of the linker: texts are added one by one, checked as they come, and joined at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fstream>
#include <iterator>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/image.hpp"
#include "backends/emulated/cuda/jit_options.hpp"
#include "backends/emulated/cuda/module.hpp"
#include "backends/emulated/cuda/ptx_link.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace {

struct Link {
  std::shared_ptr<Context> context;
  JitOptions options;
  std::vector<PtxText> texts;
  std::string log;  // of errors
  std::string image;
};

std::shared_ptr<Link> link_of(CUlinkState handle) { return Registry<Link>::get().at(handle, "link"); }

[[noreturn]] void fail(Link& link, CUresult code, const std::string& message) {
  link.log += "error   : " + message + "\n";
  link.options.report("", link.log);
  refuse(code, "{}", message);
}

// Syntax now: what is wrong with one text should be said when it is added.
void check_text(Link& link, const PtxText& text) {
  const bsc_simt_api& engine = Driver::get().engine();
  char* json = nullptr;
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  if (engine.describe(text.text.data(), text.text.size(), text.name.c_str(), &json, &error) != BSC_OK) fail(link, CUDA_ERROR_INVALID_PTX, error.message);
  const std::string report = json;
  engine.release_text(json);
  if (report.find("\"severity\":\"error\"") == std::string::npos && report.find("\"severity\": \"error\"") == std::string::npos) return;
  // The whole text again, for messages as a compiler's.
  std::string log;
  try {
    Module(link.context, text.text, log);
  } catch (const Refusal& refusal) {
    link.log += log;
    link.options.report("", link.log);
    refuse(CUDA_ERROR_INVALID_PTX, "{}", refusal.what());
  }
}

void add(CUlinkState state, CUjitInputType type, const void* data, std::size_t bytes, const char* name) {
  const auto link = link_of(state);
  need(data, "the data");
  if (!link->image.empty()) refuse(CUDA_ERROR_INVALID_VALUE, "the link is complete");
  if (type == CU_JIT_INPUT_CUBIN) fail(*link, CUDA_ERROR_NO_BINARY_FOR_GPU, "machine code (a cubin) cannot run on an emulated GPU");
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) fail(*link, CUDA_ERROR_NOT_SUPPORTED, "only PTX and fat binaries with PTX can be linked here");
  PtxText text;
  text.name = name != nullptr && *name != '\0' ? name : "text " + std::to_string(link->texts.size() + 1);
  try {
    text.text = ptx_of_image(data, bytes, *link->context->device.gpu);
  } catch (const Refusal& refusal) {
    fail(*link, refusal.code(), refusal.what());
  }
  check_text(*link, text);
  link->texts.push_back(std::move(text));
}

}  // namespace

BASCULE_CUDA_ENTRY cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut) {
  return call("cuLinkCreate_v2", [&] {
    need(stateOut, "where the link goes");
    auto link = std::make_shared<Link>();
    link->context = current_context();
    link->options = JitOptions(numOptions, options, optionValues);
    link->options.report("", "");
    *stateOut = Registry<Link>::get().add<CUlinkState>(std::move(link));
  });
}

// Options of a single text would change how it is optimised: they are checked.
BASCULE_CUDA_ENTRY cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int numOptions,
    CUjit_option *options, void **optionValues) {
  return call("cuLinkAddData_v2", [&] {
    JitOptions(numOptions, options, optionValues);
    add(state, type, data, size, name);
  });
}

BASCULE_CUDA_ENTRY cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions, CUjit_option *options,
    void **optionValues) {
  return call("cuLinkAddFile_v2", [&] {
    need(path, "the file's name");
    JitOptions(numOptions, options, optionValues);
    std::ifstream stream(path, std::ios::binary);
    if (!stream) refuse(CUDA_ERROR_FILE_NOT_FOUND, "{} cannot be read", path);
    const std::string data{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    add(state, type, data.c_str(), data.size(), path);
  });
}

BASCULE_CUDA_ENTRY cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
  return call("cuLinkComplete", [&] {
    need(cubinOut, "where the image goes");
    const auto link = link_of(state);
    if (link->texts.empty()) fail(*link, CUDA_ERROR_INVALID_VALUE, "nothing was added to the link");
    if (link->image.empty()) {
      const LinkedPtx linked = link_ptx(link->texts);
      if (!linked.errors.empty()) {
        for (const std::string& error : linked.errors) link->log += "error   : " + error + "\n";
        link->options.report("", link->log);
        refuse(CUDA_ERROR_INVALID_IMAGE, "{}", linked.errors.front());
      }
      std::string log;
      try {
        const Module checked(link->context, linked.text, log);
      } catch (const Refusal& refusal) {
        link->log += log;
        link->options.report("", link->log);
        refuse(refusal.code(), "{}", refusal.what());
      }
      link->options.report(log, "");
      link->image = make_linked_image(linked.text);
    }
    *cubinOut = link->image.data();
    if (sizeOut != nullptr) *sizeOut = link->image.size() + 1;
  });
}

BASCULE_CUDA_ENTRY cuLinkDestroy(CUlinkState state) {
  return call("cuLinkDestroy", [&] { Registry<Link>::get().remove(link_of(state).get()); });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/sweep.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include "tests/ptx_models/bits.hpp"
#include "tests/ptx_models/engine.hpp"
#include "tests/ptx_models/inputs.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

constexpr char kInputs[] = {'a', 'b', 'c', 'f'};
constexpr char kOutputs[] = {'d', 'e'};
constexpr std::uint64_t kUntouched = 0x5a5a5a5a5a5a5a5au;
constexpr std::uint64_t kBlock = 256;

std::string register_type(int width) { return width == 1 ? ".pred" : ".b" + std::to_string(width); }

std::string hexadecimal(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

/// One instruction a line; `prefix` before each.
std::string instructions(const std::string& code, const std::string& prefix) {
  return prefix + replaced(replaced(code, "$", "%"), "; ", ";\n" + prefix) + ";\n";
}

std::string constant_text(Values values, std::uint64_t bits) {
  char text[32];
  switch (values) {
    case Values::f32:
    case Values::angle32:
    case Values::exponent32: std::snprintf(text, sizeof text, "0f%08llX", static_cast<unsigned long long>(bits)); return text;
    case Values::f64: std::snprintf(text, sizeof text, "0d%016llX", static_cast<unsigned long long>(bits)); return text;
    default: return "0x" + hexadecimal(bits);
  }
}

bool may_be_constant(Values values) {
  switch (values) {
    case Values::integer16:
    case Values::integer32:
    case Values::integer64:
    case Values::count32:
    case Values::nonzero32:
    case Values::f32:
    case Values::f64:
    case Values::angle32:
    case Values::exponent32: return true;
    default: return false;
  }
}

std::string store_outputs(const Form& form) {
  std::string text;
  for (std::size_t i = 0; i < form.outputs.size(); ++i) {
    const std::string name = std::string("%") + kOutputs[i];
    if (form.outputs[i].width == 1) {
      text += "selp.b32 %store, 1, 0, " + name + ";\nst.global.b32 [%out], %store;\n";
    } else {
      text += "st.global.b" + std::to_string(form.outputs[i].width) + " [%out], " + name + ";\n";
    }
    text += "add.u64 %out, %out, %stride;\n";
  }
  return text;
}

/// Scratch memory for forms on memory, see form.hpp.
std::string scratch(const Form& form) {
  const auto uses = [&](const char* name) { return form.code.find(name) != std::string::npos; };
  std::string text = uses("%v") ? ".reg .b128 %v<3>;\n" : "";
  if (uses("%base")) text += ".reg .b64 %base;\nld.param.u64 %base, [cells];\n";
  if (uses("%cell")) {
    text += ".reg .b64 %cell;\nld.param.u64 %cell, [cells];\nmul.wide.u32 %offset, %index, 32;\nadd.u64 %cell, %cell, %offset;\n";
  }
  if (uses("%shared") || uses("%generic_shared") || uses("shared_cells")) {
    text += ".shared .align 16 .b8 shared_cells[4096];\n.reg .b64 %shared, %generic_shared;\nmov.u64 %shared, shared_cells;\n"
            "mul.wide.u32 %offset, %y, 16;\nadd.u64 %shared, %shared, %offset;\ncvta.shared.u64 %generic_shared, %shared;\n";
  }
  if (uses("%local") || uses("%generic_local")) {
    text += ".local .align 16 .b8 local_cell[16];\n.reg .b64 %local, %generic_local;\nmov.u64 %local, local_cell;\n"
            "cvta.local.u64 %generic_local, %local;\n";
  }
  return text;
}

std::string declarations(const Form& form) {
  std::string text =
      ".reg .pred %past, %guard, %q<4>;\n.reg .b16 %h<4>;\n.reg .b32 %t<4>, %n, %index, %x, %y, %store;\n"
      ".reg .b64 %w<4>, %in, %out, %stride, %offset;\n";
  for (std::size_t i = 0; i < form.inputs.size(); ++i) text += ".reg " + register_type(width_of(form.inputs[i])) + " %" + kInputs[i] + ";\n";
  for (std::size_t i = 0; i < form.outputs.size(); ++i) text += ".reg " + register_type(form.outputs[i].width) + " %" + kOutputs[i] + ";\n";
  return text;
}

std::string load_inputs(const Form& form) {
  std::string text;
  for (std::size_t i = 0; i < form.inputs.size(); ++i) {
    const std::string name = std::string("%") + kInputs[i];
    if (width_of(form.inputs[i]) == 1) {
      text += "ld.global.b32 %store, [%in];\nsetp.ne.u32 " + name + ", %store, 0;\n";
    } else {
      text += "ld.global.b" + std::to_string(width_of(form.inputs[i])) + " " + name + ", [%in];\n";
    }
    text += "add.u64 %in, %in, %stride;\n";
  }
  return text;
}

/// Predicates hold the item's lowest bit before the guarded run, other outputs kUntouched.
std::string preset_outputs(const Form& form) {
  std::string text;
  for (std::size_t i = 0; i < form.outputs.size(); ++i) {
    const std::string name = std::string("%") + kOutputs[i];
    const int width = form.outputs[i].width;
    if (width == 1) {
      text += "and.b32 %store, %index, 1;\nsetp.ne.u32 " + name + ", %store, 0;\n";
    } else {
      text += "mov.b" + std::to_string(width) + " " + name + ", 0x" + hexadecimal(kUntouched & low_bits(width)) + ";\n";
    }
  }
  return text;
}

std::uint64_t element_of(std::uint64_t bits, int element, int width) { return bits >> (element * width) & low_bits(width); }

bool agrees(const Output& output, const Expected& expected, std::uint64_t got) {
  const int width = output.width / output.elements;
  for (int e = 0; e < output.elements; ++e) {
    const std::uint64_t value = element_of(got, e, width);
    const std::uint64_t wanted = element_of(expected.bits, e, width);
    if (value == wanted || value == element_of(expected.alternative, e, width)) continue;
    if (output.nan != nullptr && output.nan->is_nan(wanted) && output.nan->is_nan(value)) continue;
    return false;
  }
  return true;
}

/// Everything that a form's run needs: inputs, one of them constant in the last run, and room for the outputs.
class Case {
 public:
  Case(const Form& form, std::string name, std::size_t count, std::uint64_t seed)
      : form_(form), name_(std::move(name)), random_(seed), count_(count), inputs_(make_inputs(form, count, random_)) {
    std::uint64_t constant = 0;
    for (std::size_t i = 0; i < form.inputs.size(); ++i) {
      if (may_be_constant(form.inputs[i])) constant = inputs_[i][random_.below(count)];
    }
    constant_ = constant;
    kernel_ = kernel_of(form, name_, constant);
    guard_.resize(count);
    for (std::uint64_t& g : guard_) g = random_.below(2);
  }

  [[nodiscard]] const std::string& text() const { return kernel_.text; }
  [[nodiscard]] const Form& form() const { return form_; }
  void run(Module& module, std::vector<std::string>& failures);

 private:
  void compare(const std::vector<std::uint64_t>& out, std::vector<std::string>& failures) const;
  [[nodiscard]] std::size_t runs() const { return 1u + (kernel_.guarded ? 1 : 0) + (kernel_.constant_input >= 0 ? 1 : 0); }
  [[nodiscard]] bool item_agrees(std::size_t item, const std::uint64_t* in, const Expected* expected, std::size_t run, std::size_t output,
                                 std::uint64_t got) const;
  [[nodiscard]] std::string describe(std::size_t item, const std::uint64_t* in, const char* run, std::size_t output, std::uint64_t expected,
                                     std::uint64_t got) const;

  const Form& form_;
  std::string name_;
  Random random_;
  std::size_t count_;
  std::vector<std::vector<std::uint64_t>> inputs_;
  std::vector<std::uint64_t> guard_;
  std::uint64_t constant_ = 0;
  Kernel kernel_;
};

void Case::run(Module& module, std::vector<std::string>& failures) {
  std::vector<std::uint64_t> in;
  in.reserve(count_ * (inputs_.size() + 1));
  for (const auto& values : inputs_) in.insert(in.end(), values.begin(), values.end());
  in.insert(in.end(), guard_.begin(), guard_.end());
  std::vector<std::uint64_t> out(count_ * form_.outputs.size() * runs(), 0xa5a5a5a5a5a5a5a5u);
  struct alignas(32) Cell {
    std::uint64_t words[4];
  };
  std::vector<Cell> cells(count_ + 1);
  const auto address = [](auto& memory) { return reinterpret_cast<std::uint64_t>(memory.data()); };
  struct {
    std::uint64_t in, out, cells;
    std::uint32_t count;
  } arguments = {address(in), address(out), address(cells), static_cast<std::uint32_t>(count_)};
  Launch launch;
  launch.grid = (count_ + kBlock - 1) / kBlock;
  launch.block = kBlock;
  if (module.launch(name_, launch, &arguments, 28) != BSC_OK) {
    failures.push_back(form_.code + ": launch failed: " + module.error());
    return;
  }
  compare(out, failures);
}

bool Case::item_agrees(std::size_t item, const std::uint64_t* in, const Expected* expected, std::size_t run, std::size_t output,
                       std::uint64_t got) const {
  const Output& what = form_.outputs[output];
  if (kernel_.guarded && run == 1 && guard_[item] == 0) {
    return got == (what.width == 1 ? item & 1 : kUntouched & low_bits(what.width));
  }
  if (output == 0 && form_.accepts) return form_.accepts(in, got);
  return agrees(what, expected[output], got);
}

void Case::compare(const std::vector<std::uint64_t>& out, std::vector<std::string>& failures) const {
  constexpr std::size_t kShown = 3;
  std::size_t wrong = 0;
  for (std::size_t item = 0; item < count_; ++item) {
    for (std::size_t run = 0; run < runs(); ++run) {
      const bool constant = kernel_.constant_input >= 0 && run == runs() - 1;
      std::uint64_t in[4] = {};
      for (std::size_t k = 0; k < inputs_.size(); ++k) {
        in[k] = constant && static_cast<int>(k) == kernel_.constant_input ? constant_ : inputs_[k][item];
      }
      Expected expected[2];
      form_.model(in, expected);
      for (std::size_t o = 0; o < form_.outputs.size(); ++o) {
        const int stored = form_.outputs[o].width == 1 ? 32 : form_.outputs[o].width;
        const std::uint64_t got = out[(run * form_.outputs.size() + o) * count_ + item] & low_bits(stored);
        if (item_agrees(item, in, expected, run, o, got)) continue;
        const char* name = constant ? "with a constant" : run == 0 ? "plain" : guard_[item] != 0 ? "guarded" : "guarded off";
        if (wrong++ < kShown) failures.push_back(describe(item, in, name, o, expected[o].bits, got));
      }
    }
  }
  if (wrong > kShown) failures.push_back(form_.code + ": " + std::to_string(wrong) + " results differ in all");
}

std::string Case::describe(std::size_t item, const std::uint64_t* in, const char* run, std::size_t output, std::uint64_t expected,
                           std::uint64_t got) const {
  std::string text = form_.code + " (" + run + ", item " + std::to_string(item) + "):";
  for (std::size_t k = 0; k < inputs_.size(); ++k) text += std::string(" ") + kInputs[k] + "=" + hexadecimal(in[k]);
  return text + " gives " + kOutputs[output] + "=" + hexadecimal(got) + ", expected " + hexadecimal(expected);
}

/// Loads some forms as one module; where that fails, each alone, so that one refusal does not hide the others.
void run_together(std::vector<Case>& cases, unsigned target, std::uint32_t level, std::vector<std::string>& failures) {
  std::string text = module_header(target);
  for (const Case& one : cases) text += one.text();
  Module module(text, options_for_level(level));
  if (module.loaded()) {
    for (Case& one : cases) one.run(module, failures);
    return;
  }
  for (Case& one : cases) {
    Module alone(module_header(target) + one.text(), options_for_level(level));
    if (alone.loaded()) {
      one.run(alone, failures);
    } else {
      failures.push_back(one.form().code + ": refused: " + alone.error().substr(0, 400));
    }
  }
}

}  // namespace

Kernel kernel_of(const Form& form, const std::string& name, std::uint64_t constant) {
  Kernel kernel;
  const bool small = std::any_of(form.outputs.begin(), form.outputs.end(), [](const Output& o) { return o.width == 8; });
  kernel.guarded = !small;
  if (form.may_be_immediate) {
    for (std::size_t i = 0; i < form.inputs.size(); ++i) {
      if (may_be_constant(form.inputs[i])) kernel.constant_input = static_cast<int>(i);
    }
  }
  std::string text = ".visible .entry " + name + "(.param .u64 inputs, .param .u64 outputs, .param .u64 cells, .param .u32 count)\n{\n" + declarations(form) +
                     "ld.param.u64 %in, [inputs];\nld.param.u64 %out, [outputs];\nld.param.u32 %n, [count];\n"
                     "mov.u32 %x, %ctaid.x;\nmov.u32 %y, %tid.x;\nmad.lo.u32 %index, %x, " +
                     std::to_string(kBlock) +
                     ", %y;\nsetp.ge.u32 %past, %index, %n;\n@%past ret;\nmul.wide.u32 %offset, %index, 8;\n"
                     "add.u64 %in, %in, %offset;\nadd.u64 %out, %out, %offset;\nmul.wide.u32 %stride, %n, 8;\n" +
                     scratch(form) + load_inputs(form) + instructions(form.code, "") + store_outputs(form);
  if (kernel.guarded) {
    text += "ld.global.b32 %store, [%in];\nsetp.ne.u32 %guard, %store, 0;\n" + preset_outputs(form) + instructions(form.code, "@%guard ") +
            store_outputs(form);
  }
  if (kernel.constant_input >= 0) {
    const auto which = static_cast<std::size_t>(kernel.constant_input);
    const std::string constant_operand = constant_text(form.inputs[which], constant);
    text += instructions(replaced(form.code, std::string("$") + kInputs[which], constant_operand), "") + store_outputs(form);
  }
  kernel.text = text + "ret;\n}\n";
  return kernel;
}

std::string module_header(unsigned target) {
  std::string bytes;
  for (int i = 0; i < 64; ++i) bytes += (i == 0 ? "" : ", ") + std::to_string(known_byte(i));
  return std::string(target < 100 ? ".version 9.0" : ".version 9.1") + "\n.target sm_" + std::to_string(target) + (target >= 90 ? "a" : "") + "\n.address_size 64\n.global .align 32 .b8 known[64] = {" + bytes +
         "};\n.const .align 32 .b8 known_constants[64] = {" + bytes + "};\n";
}

std::size_t items_per_form() {
  const char* text = std::getenv("BASCULE_PTX_MODELS_ITEMS");
  const unsigned long long items = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  return items != 0 ? static_cast<std::size_t>(items) : 1536;
}

std::string SweepReport::summary() const {
  constexpr std::size_t kShown = 60;
  std::string text = std::to_string(forms) + " forms, " + std::to_string(failures.size()) + " lines of failures\n";
  for (std::size_t i = 0; i < failures.size() && i < kShown; ++i) text += failures[i] + "\n";
  return text;
}

SweepReport sweep(const Forms& forms, std::uint32_t cpu_level) {
  SweepReport report;
  report.forms = forms.size();
  std::map<unsigned, std::vector<const Form*>> by_target;
  for (const Form& form : forms) by_target[form.target].push_back(&form);
  for (const auto& [target, members] : by_target) {
    constexpr std::size_t kTogether = 64;
    for (std::size_t begin = 0; begin < members.size(); begin += kTogether) {
      std::vector<Case> cases;
      for (std::size_t i = begin; i < std::min(begin + kTogether, members.size()); ++i) {
        const Form& form = *members[i];
        // Not a multiple of the warp: the last one has lanes that have left.
        const std::size_t items = items_per_form() - 3;
        cases.emplace_back(form, "form" + std::to_string(i), form.exhaustive16 && items > 8192 ? 65536 : items,
                           test::seed() ^ std::hash<std::string>{}(form.code) ^ cpu_level);
      }
      run_together(cases, target, cpu_level, report.failures);
      // A mutation run asks whether anything fails, not what.
      if (!report.failures.empty() && std::getenv("BASCULE_PTX_MODELS_STOP") != nullptr) return report;
    }
  }
  return report;
}

}  // namespace bascule::ptx_models

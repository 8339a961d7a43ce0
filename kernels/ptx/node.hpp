// What the expander reads a source into: statements of PTX, and directives with what they enclose.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "kernels/ptx/source.hpp"

namespace bascule::ptx {

/// A piece of the source, with its place.
struct Words {
  std::string text;
  Place place;
};

struct Node;

struct Branch {
  Words condition;  // of .else: "1"
  std::vector<Node> body;
};

struct Node {
  enum class Kind {
    statement,  // words: up to and with its ';', a label with its ':', a line directive of PTX, or a function's head
    open,       // '{'
    close,      // '}'
    let,        // name = words
    loop,       // .for name in words .. end step `step`
    choice,     // branches
    macro,      // name, parameters, body; is_template: expanded without braces around it
    include,    // words: the file's name
    assertion,  // words: condition; message
  };
  Kind kind = Kind::statement;
  Place place;
  Words words;
  std::string name;     // let, loop, macro; statement: the mark given by .needed
  Words end, step;      // loop
  std::string message;  // assertion
  std::vector<std::string> parameters;
  bool is_template = false;
  std::vector<Node> body;
  std::vector<Branch> branches;
};

/// Throws compiler::Failure with the place of what is wrong.
std::vector<Node> read_nodes(const std::shared_ptr<const SourceFile>& file);

/// Whether the text's first directive is `.expand`: anything else is plain PTX, which is left as it is.
bool is_expandable(const std::string& text);

}  // namespace bascule::ptx

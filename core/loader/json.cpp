// The loader's only file that includes nlohmann's JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/json.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.hpp"

namespace bascule::core {
namespace {

using Json = nlohmann::json;

Error fault(const std::string& name, const std::string& what) { return {BSC_INVALID_CONFIG, name + ": " + what}; }

// Refuses what the parser would silently take: a name given twice, and nesting beyond what any document of ours has.
class Strictness {
 public:
  static constexpr int kMostDepth = 16;

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMostDepth) problem = "nested too deeply";
    if (event == Json::parse_event_t::object_start) names_.emplace_back();
    if (event == Json::parse_event_t::object_end && !names_.empty()) names_.pop_back();
    if (event == Json::parse_event_t::key && !names_.empty()) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!names_.back().insert(name).second) problem = core::quoted(name) + " is given twice";
    }
    return problem.empty();  // false drops the value; nothing of the document is used then
  }

  std::string problem;

 private:
  std::vector<std::set<std::string>> names_;
};

}  // namespace

struct JsonObject::State {
  Json value;
  std::string name;  // of the document
  std::string path;  // of this object in it, with a point at the end
  std::set<std::string> known;
  std::shared_ptr<std::string> problem;  // shared by all objects of a document

  const Json* find(const char* field) {
    known.insert(field);
    const auto found = value.find(field);
    return found == value.end() ? nullptr : &*found;
  }
  void fail(const std::string& message) {
    if (problem->empty()) *problem = message;
  }
  void expect(const char* field, const char* kind) { fail(core::quoted(path + field) + " must be " + kind); }
};

JsonObject::JsonObject(std::unique_ptr<State> state) : state_(std::move(state)) {}
JsonObject::~JsonObject() = default;
JsonObject::JsonObject(JsonObject&&) noexcept = default;
JsonObject& JsonObject::operator=(JsonObject&&) noexcept = default;

Result<JsonObject> JsonObject::parse(std::string_view text, const std::string& name) {
  if (text.size() > kMostJsonBytes) {
    return fault(name, std::to_string(text.size()) + " bytes; at most " + std::to_string(kMostJsonBytes) + " are read");
  }
  try {
    Strictness strictness;
    Json value = Json::parse(text, std::ref(strictness));
    if (!strictness.problem.empty()) return fault(name, strictness.problem);
    if (!value.is_object()) return fault(name, "a JSON object is wanted, this is " + std::string(value.type_name()));
    auto state = std::make_unique<State>();
    state->value = std::move(value);
    state->name = name;
    state->problem = std::make_shared<std::string>();
    return JsonObject(std::move(state));
  } catch (const Json::parse_error& error) {
    return fault(name, "no valid JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception&) {
    return fault(name, "no valid JSON");
  }
}

bool JsonObject::has(const char* field) const { return state_->value.contains(field); }

std::string JsonObject::text(const char* field) {
  const Json* value = state_->find(field);
  if (value == nullptr || !value->is_string()) {
    state_->expect(field, "a text");
    return "";
  }
  return value->get<std::string>();
}

std::string JsonObject::text_or(const char* field, std::string default_value) {
  return state_->find(field) == nullptr ? std::move(default_value) : text(field);
}

std::int64_t JsonObject::integer(const char* field) {
  const Json* value = state_->find(field);
  const bool fits = value != nullptr && value->is_number_integer() &&
                    (!value->is_number_unsigned() || value->get<std::uint64_t>() <= INT64_MAX);
  if (!fits) {
    state_->expect(field, "a whole number");
    return 0;
  }
  return value->get<std::int64_t>();
}

bool JsonObject::boolean_or(const char* field, bool default_value) {
  const Json* value = state_->find(field);
  if (value == nullptr) return default_value;
  if (!value->is_boolean()) state_->expect(field, "true or false");
  return value->is_boolean() && value->get<bool>();
}

std::vector<std::string> JsonObject::texts_or_none(const char* field) {
  std::vector<std::string> texts;
  const Json* value = state_->find(field);
  if (value == nullptr) return texts;
  if (!value->is_array()) {
    state_->expect(field, "a list of texts");
    return texts;
  }
  for (const Json& item : *value) {
    if (!item.is_string())
      state_->expect(field, "a list of texts");
    else
      texts.push_back(item.get<std::string>());
  }
  return texts;
}

JsonObject JsonObject::object(const char* field) {
  auto child = std::make_unique<State>();
  child->name = state_->name;
  child->path = state_->path + field + ".";
  child->problem = state_->problem;
  child->value = Json::object();
  const Json* value = state_->find(field);
  if (value == nullptr || !value->is_object())
    state_->expect(field, "an object");
  else
    child->value = *value;
  return JsonObject(std::move(child));
}

std::vector<JsonObject> JsonObject::objects_or_none(const char* field) {
  std::vector<JsonObject> objects;
  const Json* value = state_->find(field);
  if (value == nullptr) return objects;
  if (!value->is_array()) {
    state_->expect(field, "a list of objects");
    return objects;
  }
  for (const Json& item : *value) {
    auto child = std::make_unique<State>();
    child->name = state_->name;
    child->path = state_->path + field + "[" + std::to_string(objects.size()) + "].";
    child->problem = state_->problem;
    child->value = item.is_object() ? item : Json::object();
    if (!item.is_object()) state_->expect(field, "a list of objects");
    objects.push_back(JsonObject(std::move(child)));
  }
  return objects;
}

Status JsonObject::finish() {
  for (const auto& [field, value] : state_->value.items()) {
    if (state_->known.contains(field)) continue;
    const std::vector<std::string> known(state_->known.begin(), state_->known.end());
    state_->fail("unknown field " + core::quoted(state_->path + field) + suggestion(field, known));
  }
  if (!state_->problem->empty()) return fault(state_->name, *state_->problem);
  return {};
}

void JsonObject::fail(std::string message) { state_->fail(message); }

}  // namespace bascule::core

#include "serve/api_verb.h"

#include "base/embedded_file.h"
#include "base/lists.h"

namespace plimsoll {
namespace {

Json schema_of(const ApiField& field) {
  using enum ApiField::Kind;
  Json schema = Json::object();
  const char* type = field.kind == integer   ? "integer"
                     : field.kind == number  ? "number"
                     : field.kind == boolean ? "boolean"
                     : field.kind == texts   ? "object"
                                             : "string";
  schema["type"] = field.kind == document ? Json::array({"string", "object"}) : Json(type);
  if (field.kind == texts) schema["additionalProperties"] = Json{{"type", "string"}};
  if (!field.choices.empty()) schema["enum"] = field.choices;
  schema["description"] = field.help;
  return schema;
}

}  // namespace

Json schema_of(const ApiVerb& verb) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const ApiField& field : verb.fields) {
    properties[field.name] = schema_of(field);
    if (field.required) required.push_back(field.name);
  }
  Json schema{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

Json answer_schema_of(const ApiVerb& verb) {
  const EmbeddedFile* file = find_in(embedded_answers(), verb.name + ".json", &EmbeddedFile::path);
  return file == nullptr ? Json::object() : Json::parse(std::string(file->text));
}

}  // namespace plimsoll

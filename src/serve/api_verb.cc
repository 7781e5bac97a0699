#include "serve/api_verb.h"

#include "base/embedded_file.h"
#include "base/lists.h"

namespace plimsoll {
namespace {

Json schema_of(const ApiField& field) {
  using enum ApiField::Kind;
  Json schema = Json::object();
  switch (field.kind) {
    case text:
      schema["type"] = "string";
      break;
    case integer:
      schema["type"] = "integer";
      break;
    case number:
      schema["type"] = "number";
      break;
    case boolean:
      schema["type"] = "boolean";
      break;
    case document:
      schema["type"] = Json::array({"string", "object"});
      break;
    case texts:
      schema["type"] = "object";
      schema["additionalProperties"] = Json{{"type", "string"}};
      break;
  }
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

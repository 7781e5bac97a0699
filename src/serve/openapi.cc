#include "serve/openapi.h"

#include <utility>

namespace plimsoll {
namespace {

constexpr std::pair<const char*, const char*> kFailures[]{
    {"400", "wrong input: what, and how to mend it"},
    {"401", "the token is missing or wrong"},
    {"403", "asked under another name of this machine, or by a page of another site"},
    {"413", "the body is too long"},
    {"415", "the body is not declared as application/json"},
    {"422", "something that the question needs cannot be used, or there is not enough memory"},
    {"429", "too many questions wait"},
    {"503", "no answer in time, or the server is ending"}};

Json content(const Json& schema) { return Json{{"application/json", Json{{"schema", schema}}}}; }

Json reference(const std::string& name) { return Json{{"$ref", "#/components/schemas/" + name}}; }

Json query(const char* name, const char* help, const Json& schema) {
  return Json{{"name", name}, {"in", "query"}, {"description", help}, {"schema", schema}};
}

Json operation(const ApiVerb& verb) {
  Json responses{
      {"200", Json{{"description", "what `plimsoll " + verb.name + " --json` prints"},
                   {"content", content(Json{{"type", Json::array({"object", "array"})}})}}}};
  for (const auto& [status, meaning] : kFailures) {
    responses[status] = Json{{"description", meaning}, {"content", content(reference("Error"))}};
  }
  Json parameters = Json::array();
  parameters.push_back(query(
      "within", "Seconds of work, less where many ask at once; the answer is what is known by then",
      Json{{"type", "number"}, {"exclusiveMinimum", 0}}));
  parameters.push_back(
      query("form",
            "full: verdict, command and notes beside the answer; stream: lines of JSON with "
            "\"progress\", until the full form, or an error, is the last one",
            Json{{"type", "string"}, {"enum", Json::array({"full", "stream"})}}));
  return Json{{"operationId", verb.name},
              {"summary", verb.question},
              {"description", verb.guidance},
              {"parameters", parameters},
              {"requestBody", Json{{"required", true}, {"content", content(reference(verb.name))}}},
              {"responses", responses}};
}

Json error_schema() {
  const Json text{{"type", "string"}};
  const Json number{{"type", "integer"}};
  Json problem{
      {"message", text}, {"hint", text}, {"file", text}, {"line", number}, {"column", number}};
  Json first = problem;
  first["text"] = Json{{"type", "string"}, {"description", "as a terminal shows it"}};
  first["problems"] =
      Json{{"type", "array"}, {"items", Json{{"type", "object"}, {"properties", problem}}}};
  const Json error{
      {"type", "object"}, {"required", Json::array({"message"})}, {"properties", first}};
  return Json{{"type", "object"},
              {"required", Json::array({"error"})},
              {"properties", Json{{"error", error}}}};
}

}  // namespace

Json openapi(const std::vector<ApiVerb>& verbs, const std::string& version) {
  Json paths = Json::object();
  Json schemas{{"Error", error_schema()}};
  for (const ApiVerb& verb : verbs) {
    paths["/api/" + verb.name] = Json{{"post", operation(verb)}};
    schemas[verb.name] = schema_of(verb);
  }
  const Json info{{"title", "Plimsoll"},
                  {"version", version},
                  {"description", "Plans the capacity of LLM serving without a GPU"},
                  {"license", Json{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}}};
  const Json bearer{{"type", "http"}, {"scheme", "bearer"}};
  return Json{
      {"openapi", "3.1.0"},
      {"info", info},
      {"servers", Json::array({Json{{"url", "/"}}})},
      {"security", Json::array({Json::object(), Json{{"token", Json::array()}}})},
      {"paths", paths},
      {"components", Json{{"schemas", schemas}, {"securitySchemes", Json{{"token", bearer}}}}}};
}

}  // namespace plimsoll

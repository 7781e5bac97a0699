#include "serve/mcp.h"

#include <initializer_list>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::pair<const char*, const char*> kFailures[]{
    {"400", "wrong input: what is wrong, and how to fix it"},
    {"401", "the token is missing or wrong"},
    {"403", "asked under another name of this machine, or by a page of another site"},
    {"413", "the body is too long"},
    {"415", "the body is not declared as application/json"},
    {"422", "something that the question needs cannot be used, or there is not enough memory"},
    {"429", "too many questions wait"},
    {"503", "no answer in time, or the server is ending"}};

Json content(const Json& schema) { return Json{{"application/json", Json{{"schema", schema}}}}; }

// Numbers are null where nobody knows.
Json progress_schema() {
  const auto number = [](const char* help, const char* type = "number") {
    return Json{{"type", Json::array({type, "null"})}, {"description", help}};
  };
  const auto text = [](const char* help) {
    return Json{{"type", "string"}, {"description", help}};
  };
  const Json test{{"instances", number("deployed", "integer")},
                  {"rate_rps", number("of the requests that arrive")},
                  {"requests", number("of its longest run", "integer")},
                  {"answer", text("holds, fails or unclear")},
                  {"reason", text("what decided it")}};
  const Json best{{"config_id", number("number of the candidate", "integer")},
                  {"deployment", text("its GPUs")},
                  {"cost_per_hour", number("in dollars; 0 without a price")}};
  const Json properties{
      {"progress", text("all of it in a line")},
      {"phase", text("what is being done")},
      {"elapsed_s", number("since the work began")},
      {"share", number("of the work that is done, 0 to 1")},
      {"left_s", number("about how much longer it takes")},
      {"done", number("parts of the work, candidates or requests that are done", "integer")},
      {"of", number("how many of them there are", "integer")},
      {"tests", number("simulations so far", "integer")},
      {"lower", number("capacity: the answer lies above, or at it where it is a rate")},
      {"upper", number("capacity: the answer lies below, or at it where it is a number of "
                       "instances; both are of tests so far, not yet confirmed")},
      {"unit", text("of both: instances or req/s")},
      {"charts", text("capacity: latency against load, as markup of figures, where asked for")},
      {"simulated_s", number("run: time in the simulation")},
      {"test", Json{{"type", "object"}, {"description", "the last one"}, {"properties", test}}},
      {"best", Json{{"type", "object"}, {"description", "plan: so far"}, {"properties", best}}}};
  return Json{{"type", "object"},
              {"required",
               Json::array({"progress", "phase", "elapsed_s", "share", "left_s", "done", "of"})},
              {"properties", properties}};
}

Json reference(const std::string& name) { return Json{{"$ref", "#/components/schemas/" + name}}; }

std::string answer_name(const ApiVerb& verb) { return verb.name + "-answer"; }
std::string full_name(const ApiVerb& verb) { return verb.name + "-full"; }

Json any_of(std::initializer_list<Json> schemas) { return Json{{"anyOf", Json::array(schemas)}}; }

Json query(const char* name, const char* help, const Json& schema) {
  return Json{{"name", name}, {"in", "query"}, {"description", help}, {"schema", schema}};
}

Json operation(const ApiVerb& verb) {
  const Json alone = reference(answer_name(verb));
  const Json full = reference(full_name(verb));
  Json answered = content(any_of({alone, full}));
  answered["application/jsonl"] =
      Json{{"schema", any_of({reference("Progress"), full, reference("Error")})}};
  Json responses{{"200", Json{{"description", "what `plimsoll " + verb.name + " --json` prints"},
                              {"content", answered}}}};
  for (const auto& [status, meaning] : kFailures) {
    responses[status] = Json{{"description", meaning}, {"content", content(reference("Error"))}};
  }
  Json parameters = Json::array();
  parameters.push_back(query(
      "within", "Seconds of work, less where many ask at once; the answer is what is known by then",
      Json{{"type", "number"}, {"exclusiveMinimum", 0}}));
  parameters.push_back(
      query("form",
            "full: verdict, command and notes beside the answer; stream: lines of JSON as the "
            "schema Progress has them, until the full form, or an error, is the last one",
            Json{{"type", "string"}, {"enum", Json::array({"full", "stream"})}}));
  parameters.push_back(query("charts",
                             "true: full form and progress have charts, as markup of figures",
                             Json{{"type", "boolean"}}));
  parameters.push_back(query("report",
                             "true: the full form has the path of the answer's page, as --html "
                             "writes it, under which the server keeps it for a while",
                             Json{{"type", "boolean"}}));
  return Json{{"operationId", verb.name},
              {"summary", verb.question},
              {"description", verb.guidance},
              {"parameters", parameters},
              {"requestBody", Json{{"required", true}, {"content", content(reference(verb.name))}}},
              {"responses", responses}};
}

// The answer, and what stands beside it.
Json full_schema(const ApiVerb& verb) {
  const Json text{{"type", "string"}};
  Json properties{{"verdict", text}, {"command", text},
                  {"notes", text},   {"cut_short", Json{{"type", "boolean"}}},
                  {"charts", text},  {"report", text}};
  const Json required = Json::array({"verdict", "command", "notes", "cut_short", "answer"});
  properties["answer"] = reference(answer_name(verb));
  return Json{{"type", "object"}, {"required", required}, {"properties", properties}};
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
  Json schemas{{"Error", error_schema()}, {"Progress", progress_schema()}};
  for (const ApiVerb& verb : verbs) {
    paths["/api/" + verb.name] = Json{{"post", operation(verb)}};
    schemas[verb.name] = schema_of(verb);
    schemas[answer_name(verb)] = answer_schema_of(verb);
    schemas[full_name(verb)] = full_schema(verb);
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

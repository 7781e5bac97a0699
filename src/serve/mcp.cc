#include "serve/mcp.h"

#include <algorithm>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "serve/answer_stream.h"

namespace plimsoll {
namespace {

// The newest first.
constexpr const char* kRevisions[]{"2025-06-18", "2025-03-26"};

// Of JSON-RPC 2.0.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kUnknownMethod = -32601;
constexpr int kInvalidParameters = -32602;

bool is_known(const std::string& revision) {
  return std::ranges::any_of(kRevisions, [&](const char* known) { return revision == known; });
}

WebResponse reply(const Json& id, const char* member, Json content) {
  WebResponse response;
  response.body = Json{{"jsonrpc", "2.0"}, {"id", id}, {member, std::move(content)}}.dump() + "\n";
  return response;
}

WebResponse failure(const Json& id, int code, const std::string& message) {
  return reply(id, "error", Json{{"code", code}, {"message", message}});
}

Json initialized(const Json& parameters, const std::string& version) {
  const std::string& asked = parameters["protocolVersion"].as_string();
  return Json{
      {"protocolVersion", is_known(asked) ? asked : kRevisions[0]},
      {"capabilities", Json{{"tools", Json::object()}}},
      {"serverInfo", Json{{"name", "plimsoll"}, {"version", version}}},
      {"instructions",
       "Plans the capacity of LLM serving by simulation. capacity: how much a deployment "
       "takes, or how many instances a rate needs; plan: which deployment is cheapest; run: "
       "what happens under a load; forecast: when capacity runs out; explain: what a word "
       "or figure means."}};
}

// Agents read the list whole, so it has the names of keys down to so many levels: the tool explain
// tells what they mean, and /openapi.json has all.
constexpr int kLevels = 2;

Json outline(const Json& schema, int levels) {
  if (schema.is_array())
    return Json::array_of(schema, [&](const Json& one) { return outline(one, levels); });
  if (!schema.is_object()) return schema;
  Json out = Json::object();
  for (const auto& [key, value] : schema.items()) {
    if (key == "description" && value.is_string()) continue;
    const bool goes_down = key == "properties" || key == "items" || key == "additionalProperties";
    if (levels == 0 && (goes_down || key == "required")) continue;
    if (key == "properties") {
      Json own = Json::object();
      for (const auto& [name, property] : value.items()) own[name] = outline(property, levels - 1);
      out[key] = std::move(own);
    } else {
      out[key] = outline(value, goes_down ? levels - 1 : levels);
    }
  }
  return out;
}

Json tools(const Api& api) {
  Json list = Json::array_of(api.verbs(), [](const ApiVerb& verb) {
    Json tool{{"name", verb.name},
              {"description", verb.question + "\n" + verb.guidance},
              {"inputSchema", schema_of(verb)},
              {"annotations", Json{{"readOnlyHint", true}, {"openWorldHint", false}}}};
    const Json answer = answer_schema_of(verb);
    if (answer["type"] == Json("object")) tool["outputSchema"] = outline(answer, kLevels);
    return tool;
  });
  return Json{{"tools", list}};
}

Json text_block(const std::string& text) { return Json{{"type", "text"}, {"text", text}}; }

// What was no answer is the result of the tool, too: agents read it and ask otherwise.
Json called(const Answered& answered) {
  Json content = Json::array();
  if (answered.how != Answered::How::answered) {
    const Json body = Json::parse(response_of_failure(answered).body);
    const Json& error = body["error"];
    const std::string& text = error["text"].as_string();
    const std::string& hint = error["hint"].as_string();
    content.push_back(text_block(
        !text.empty() ? text : error["message"].as_string() + (hint.empty() ? "" : ": " + hint)));
    return Json{{"content", content}, {"isError", true}};
  }
  const std::string& verdict = answered.answer.verdict;
  if (!verdict.empty()) content.push_back(text_block(verdict));
  content.push_back(text_block(answered.answer.json));
  Json result{{"content", content}, {"isError", false}};
  Json structured = Json::parse(answered.answer.json);
  if (structured.is_object()) result["structuredContent"] = std::move(structured);
  return result;
}

// ---- streams of server-sent events

constexpr const char* kEvents = "text/event-stream";

// A message is one line: JSON has its line breaks escaped.
std::string event_of(std::string message) {
  if (message.ends_with('\n')) message.pop_back();
  return "event: message\ndata: " + message + "\n\n";
}

// Progress has to rise with each notification: it is the time, and the total is that of all of the
// work, as far as it can be told.
Json notification(const Json& token, const Json& told) {
  Json progress{
      {"progressToken", token}, {"progress", told["elapsed_s"]}, {"message", told["progress"]}};
  if (const double share = told["share"].as_double(); share > 0)
    progress["total"] = told["elapsed_s"].as_double() / share;
  return {{"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", progress}};
}

constexpr const char* kSession = "mcp-session-id";

std::string new_session() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

std::string call_name(const WebRequest& request, const Json& id) {
  return request.header(kSession) + " " + id.dump();
}

}  // namespace

std::string Mcp::reply_to_call(const Json& id, const ApiVerb& verb, const Json& arguments,
                               const std::string& name, const ApiListener& listener) {
  std::atomic<bool> is_cancelled = false;
  const auto entry = [&] {
    const std::lock_guard lock(mutex_);
    return cancelled_.emplace(name, is_cancelled);
  }();
  const auto stopped = [&] { return is_cancelled || listener.stopped(); };
  const Answered answered =
      api_.ask(verb, arguments, std::nullopt, {stopped, listener.on_progress});
  {
    const std::lock_guard lock(mutex_);
    cancelled_.erase(entry);
  }
  return reply(id, "result", called(answered)).body;
}

WebResponse Mcp::call(const Json& id, const Json& parameters, const WebRequest& request) {
  const std::string& name = parameters["name"].as_string();
  const ApiVerb* verb = api_.find(name);
  if (verb == nullptr) return failure(id, kInvalidParameters, "unknown tool \"" + name + "\"");
  const Json* given = parameters.find("arguments");
  if (given != nullptr && !given->is_object())
    return failure(id, kInvalidParameters, "arguments must be an object");
  const auto work = [this, id, verb, arguments = given == nullptr ? Json::object() : *given,
                     name = call_name(request, id)](const ApiListener& listener) {
    return reply_to_call(id, *verb, arguments, name, listener);
  };
  WebResponse response;
  const Json& token = parameters["_meta"]["progressToken"];
  const bool takes_events = to_lower(request.header("accept")).find(kEvents) != std::string::npos;
  if (!takes_events || (!token.is_string() && !token.is_number())) {
    response.body = work({request.is_gone});
    return response;
  }
  response.type = kEvents;
  response.stream = std::make_shared<AnswerStream>(
      [work](const ApiListener& listener) { return event_of(work(listener)); },
      [token](const Json& progress) { return event_of(notification(token, progress).dump()); },
      request.is_gone);
  return response;
}

void Mcp::cancel(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = cancelled_.equal_range(name);
  for (auto call = begin; call != end; ++call) call->second = true;
}

WebResponse Mcp::respond(const WebRequest& request) {
  const std::string revision = request.header("mcp-protocol-version");
  if (!revision.empty() && !is_known(revision))
    return http_error(400, "unknown revision of MCP: " + revision, "2025-06-18 or 2025-03-26");
  const Json message = Json::parse(request.body);
  if (const std::string problem = json_problem(request.body); !problem.empty())
    return failure({}, kParseError, "the body is not JSON: " + problem);
  const Json& method = message["method"];
  const Json* id = message.find("id");
  if (!message.is_object() || message["jsonrpc"] != Json("2.0") ||
      (id != nullptr && !id->is_string() && !id->is_number())) {
    return failure({}, kInvalidRequest,
                   "this is not a JSON-RPC 2.0 request (batches are not supported)");
  }
  const Json& parameters = message["params"];
  const std::string& name = method.as_string();
  if (id == nullptr || !method.is_string()) {  // notifications, and responses of the client
    if (name == "notifications/cancelled") cancel(call_name(request, parameters["requestId"]));
    WebResponse accepted;
    accepted.status = 202;
    accepted.type.clear();
    return accepted;
  }
  if (name == "initialize") {
    WebResponse begun = reply(*id, "result", initialized(parameters, version_));
    begun.headers.emplace_back(kSession, new_session());
    return begun;
  }
  if (name == "ping") return reply(*id, "result", Json::object());
  if (name == "tools/list") return reply(*id, "result", tools(api_));
  if (name == "tools/call") return call(*id, parameters, request);
  return failure(*id, kUnknownMethod, "unknown method \"" + name + "\"");
}

}  // namespace plimsoll

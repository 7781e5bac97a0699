#include "serve/site.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/embedded_file.h"
#include "base/json.h"
#include "base/lists.h"
#include "base/text.h"
#include "report/answer/load_charts.h"
#include "serve/mcp.h"

namespace plimsoll {
namespace {

constexpr std::string_view kApi = "/api/";
constexpr std::string_view kCompared = "/compared-charts";

// Nothing from elsewhere, nowhere within another page.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src "
    "'self'; "
    "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

// A report has its scripts within itself and asks nothing of anybody, the server included, for
// which it is a stranger's page.
constexpr const char* kPolicyOfReports =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts "
    "allow-downloads";

// Of every response: no guess at what something is, no trace of it elsewhere.
constexpr std::pair<const char*, const char*> kHeaders[]{
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

std::string type_of(std::string_view file) {
  const char* type = file.ends_with(".html") ? "text/html"
                     : file.ends_with(".js") ? "text/javascript"
                                             : "text/css";
  return std::string(type) + "; charset=utf-8";
}

// Those of the pages of reports that the page has, too.
constexpr std::string_view kOfReports[]{"chart.css", "chart.js"};

const EmbeddedFile* page_file(std::string_view path) {
  path.remove_prefix(std::min<std::size_t>(1, path.size()));
  if (path.empty()) path = "index.html";
  const bool is_of_reports = contains(kOfReports, path);
  return find_in(is_of_reports ? embedded_report() : embedded_page(), path, &EmbeddedFile::path);
}

WebResponse only(const char* method) {
  WebResponse response = http_error(405, std::string("only ") + method + " is answered here");
  response.headers.emplace_back("Allow", method);
  return response;
}

// Of a setting: one for each limit, and for each latency that none is about.
constexpr std::size_t kMostCurves = 30;

std::optional<std::vector<LoadCurve>> read_curves(const Json& json) {
  if (!json.is_array() || json.size() > kMostCurves) return std::nullopt;
  std::vector<LoadCurve> curves;
  for (const Json& element : json) {
    auto curve = read_curve(element);
    if (!curve) return std::nullopt;
    curves.push_back(std::move(*curve));
  }
  return curves;
}

// Charts of two settings in one picture each, for the page: it sends the curves of both, as the
// charts of their answers carry them, and gets figures as markup. Nothing is simulated. The body is
// {"a": [...], "b": [...]}, lists of curves (report/answer/load_charts.h).
WebResponse compared_charts(const WebRequest& request) {
  if (!json_problem(request.body).empty())
    return http_error(400, "the body is not a JSON object", R"(send {"a": [...], "b": [...]})");
  const Json body = Json::parse(request.body);
  const auto a = read_curves(body["a"]);
  const auto b = read_curves(body["b"]);
  if (!a || !b) {
    return http_error(400, "these are no curves of charts",
                      "send those that stand in data-curve of the charts of two answers");
  }
  WebResponse response;
  response.body = Json{{"charts", compared_figures(*a, *b)}}.dump() + "\n";
  return response;
}

bool is_own_name(const Guard& guard, const std::string& host) {
  constexpr std::string_view kNames[]{"localhost", "127.0.0.1", "[::1]"};
  constexpr int kUsualPort = 80;  // is left out
  const std::string port = ":" + std::to_string(guard.port);
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    return host == std::string(name) + port || (guard.port == kUsualPort && host == name);
  });
}

// Takes as long for each text of this length.
bool is_same(const std::string& a, const std::string& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace

WebResponse Site::posted(const WebRequest& request) {
  if (request.method != "POST") return only("POST");
  // A page of another site can send what it likes without asking the browser's leave, but not this.
  if (!to_lower(request.header("content-type")).starts_with("application/json")) {
    return http_error(415, "the body has to be JSON", "send Content-Type: application/json");
  }
  if (request.path == "/mcp") return mcp_.respond(request);
  if (request.path == kCompared) return compared_charts(request);
  const std::string name = request.path.substr(kApi.size());
  if (const ApiVerb* verb = api_.find(name)) return api_.respond(*verb, request);
  std::vector<std::string> names = mapped(api_.verbs(), &ApiVerb::name);
  return http_error(404, "unknown question \"" + name + "\"", suggestion(name, names));
}

WebResponse Site::kept_page(const WebRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD") return only("GET");
  const auto page = api_.pages().find(request.path);
  if (!page)
    return http_error(404, "this report is no longer kept", "ask again, or write it with --html");
  WebResponse response;
  response.type = "text/html; charset=utf-8";
  response.body = *page;
  return response;
}

WebResponse Site::routed(const WebRequest& request) {
  const EmbeddedFile* file = page_file(request.path);
  const bool is_kept = request.path.starts_with(KeptPages::kFolder);
  if (const auto refused = refusal(guard_, request, file == nullptr && !is_kept)) return *refused;
  if (is_kept) return kept_page(request);
  if (request.path == "/mcp" || request.path == kCompared || request.path.starts_with(kApi))
    return posted(request);
  if (file == nullptr && request.path != "/openapi.json")
    return http_error(404, "there is nothing at " + request.path, "the page is at /");
  if (request.method != "GET" && request.method != "HEAD") return only("GET");
  WebResponse response;
  response.type = file == nullptr ? "application/json" : type_of(file->path);
  response.body =
      file == nullptr ? openapi(api_.verbs(), version_).dump() + "\n" : std::string(file->text);
  return response;
}

WebResponse Site::respond(const WebRequest& request) {
  WebResponse response = routed(request);
  const bool is_report = request.path.starts_with(KeptPages::kFolder);
  response.headers.emplace_back("Content-Security-Policy", is_report ? kPolicyOfReports : kPolicy);
  response.headers.insert(response.headers.end(), std::begin(kHeaders), std::end(kHeaders));
  return response;
}

std::optional<WebResponse> refusal(const Guard& guard, const WebRequest& request,
                                   bool needs_token) {
  const std::string host = request.header("host");
  if (guard.token.empty() && !is_own_name(guard, host)) {
    return http_error(
        403, "this server answers to 127.0.0.1 and localhost alone, not to \"" + host + "\"",
        "open http://127.0.0.1:" + std::to_string(guard.port));
  }
  const std::string origin = request.header("origin");
  if (!origin.empty() && origin != "http://" + host && origin != "https://" + host) {
    return http_error(403, "a page of " + origin + " may not ask here",
                      "ask from the page of this server, or from a program");
  }
  if (!needs_token || guard.token.empty()) return std::nullopt;
  if (is_same(request.header("authorization"), "Bearer " + guard.token)) return std::nullopt;
  const bool has_one = !request.header("authorization").empty();
  WebResponse response = http_error(
      401, has_one ? "this is not the token of the server" : "this server asks for a token",
      "send the header Authorization: Bearer TOKEN");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace plimsoll

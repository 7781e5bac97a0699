#include "serve/compared_charts.h"

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/json_problem.h"
#include "report/answer/load_curve.h"

namespace plimsoll {
namespace {

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

}  // namespace

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

}  // namespace plimsoll

#include "report/run/describe.h"

#include "base/json.h"

namespace plimsoll {
namespace {

constexpr int kDescribeSchema = 1;

Json arrivals_json(const WorkloadShape& s) {
  Json windows = Json::array_of(s.windows, [](const ArrivalWindows& w) {
    return Json{
        {"width_s", w.width_s}, {"peak_rps", w.peak_rps}, {"index_of_dispersion", w.dispersion}};
  });
  return {{"mean_rps", s.mean_rps},
          {"gap_cv", s.gap_cv},
          {"windows", windows},
          {"over_time", {{"bucket_s", s.bucket_s}, {"requests", s.requests_over_time}}}};
}

Json length_json(const LengthShape& l) {
  Json bins = Json::array_of(l.histogram, [](const HistogramBin& bin) {
    return Json{{"low", bin.low}, {"high", bin.high}, {"requests", bin.count}};
  });
  return {{"total", l.total}, {"mean", l.mean}, {"min", l.min}, {"p50", l.p50},     {"p90", l.p90},
          {"p95", l.p95},     {"p99", l.p99},   {"max", l.max}, {"histogram", bins}};
}

Json groups_json(const std::vector<GroupShape>& groups) {
  return Json::array_of(groups, [](const GroupShape& g) {
    return Json{{"name", g.name},
                {"requests", g.requests},
                {"prompt_tokens", g.prompt_tokens},
                {"output_tokens", g.output_tokens}};
  });
}

Json reuse_json(const WorkloadShape& s, const ShapeNotes& notes) {
  if (!notes.prefixes_are_known) return nullptr;
  const auto total = static_cast<double>(s.prompt.total);
  return {{"block_tokens", notes.block_tokens},
          {"hit_tokens", s.reuse.hit_tokens},
          {"hit_share", total > 0 ? static_cast<double>(s.reuse.hit_tokens) / total : 0.0},
          {"requests_with_hits", s.reuse.requests},
          {"reused_tokens", s.reuse.reused_tokens}};
}

Json sessions_json(const std::optional<SessionShape>& s) {
  if (!s) return nullptr;
  return {{"sessions", s->sessions},
          {"mean_rounds", s->mean_rounds},
          {"most_rounds", s->most_rounds},
          {"mean_open", s->mean_open},
          {"most_open", s->most_open}};
}

}  // namespace

std::string shape_json(const WorkloadShape& shape, const ShapeNotes& notes) {
  const Json out = {{"schema_version", kDescribeSchema},
                    {"requests", shape.requests},
                    {"cut", shape.cut},
                    {"last_arrival_s", shape.last_arrival_s},
                    {"arrivals", arrivals_json(shape)},
                    {"prompt_tokens", length_json(shape.prompt)},
                    {"output_tokens", length_json(shape.output)},
                    {"media_tokens", shape.media_tokens},
                    {"mean_reason_ratio", shape.mean_reason_ratio},
                    {"prefix_reuse", reuse_json(shape, notes)},
                    {"sessions", sessions_json(shape.sessions)},
                    {"clients", groups_json(shape.clients)},
                    {"tenants", groups_json(shape.tenants)},
                    {"slo_classes", groups_json(shape.slo_classes)},
                    {"models", groups_json(shape.models)},
                    {"assumed", notes.assumed}};
  return out.dump(2) + "\n";
}

}  // namespace plimsoll

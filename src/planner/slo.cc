#include "planner/slo.h"

#include <algorithm>

#include "base/choice.h"
#include "base/duration_text.h"
#include "base/lists.h"
#include "base/text.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

Choices<Latency> slo_metrics() {
  static const std::vector<Choice<Latency>> rows = [] {
    std::vector<Choice<Latency>> all;
    for (const GroupFigure& row : kGroupFigures) {
      const Latency* latency = std::get_if<Latency>(&row.member);
      if (latency == nullptr || row.known_to == KnownTo::server) continue;
      all.push_back({row.key, *latency, {}});
    }
    all.push_back({"tbt", &GroupSummary::itl, {}});
    all.push_back({"latency", &GroupSummary::e2e, {}});
    return all;
  }();
  return rows;
}

/// What is read, as messages name it.
struct Asked {
  std::string_view where;
  SloScope scope;

  std::string example() const {
    const bool has_classes = scope == SloScope::of_classes;
    return std::string("for example ttft_p99<500ms or ") + (has_classes ? "critical:" : "") +
           "e2e_mean<2s";
  }
};

tl::unexpected<Error> refuse(const Asked& asked, const std::string& what, std::string hint) {
  return fail(ErrorKind::usage, std::string(asked.where) + ": " + what, std::move(hint));
}

tl::unexpected<Error> refuse(const Asked& asked, const std::string& what) {
  return refuse(asked, what, asked.example());
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

Result<void> read_statistic(const Asked& asked, std::string_view text, Slo* slo) {
  if (text == "mean") return {};
  double percentile = 0;
  const bool is_number = text.starts_with("p") && parse_double(text.substr(1), &percentile);
  if (!is_number || !(percentile > 0 && percentile < 100)) {
    return refuse(asked, quoted(text) + " is neither mean nor a percentile such as p99");
  }
  slo->percentile = percentile;
  return {};
}

Result<void> read_class(const Asked& asked, std::string_view name, Slo* slo) {
  const auto known = name == "default" ? SloClass::unset : value_of(slo_classes(), name);
  if (known) {
    slo->slo_class = *known;
    return {};
  }
  std::vector<std::string> names = names_of(slo_classes());
  names.emplace_back("default");
  return refuse(asked, "unknown SLO class " + quoted(name), suggestion(name, names));
}

// In small letters, and without the spaces that people and this program's own titles put in:
// "TTFT p99 <= 500 ms" is "ttft_p99<=500ms".
std::string normalised(std::string_view item) {
  std::string out;
  bool spaced = false;
  bool in_name = true;
  for (const char c : to_lower(item)) {
    if (c == ' ' || c == '\t') {
      spaced = true;
      continue;
    }
    const bool is_relation = c == '<' || c == '=' || c == '>';
    const bool is_sign = is_relation || c == ':' || c == '_';
    const bool after_sign = out.empty() || out.back() == ':' || out.back() == '_';
    if (is_relation) in_name = false;
    if (spaced && in_name && !is_sign && !after_sign) out += '_';
    spaced = false;
    out += c;
  }
  return out;
}

// "ttft_p95>=300ms" as it was meant: what promises a latency of at least so much?
Result<void> refuse_lower_bound(const Asked& asked, std::string_view item) {
  const std::size_t greater = item.find('>');
  if (greater == std::string_view::npos) return {};
  const std::string_view name = item.substr(0, greater);
  const std::string metric = usual_name(name.substr(name.find(':') + 1));
  if (!value_of(slo_metrics(), metric.substr(0, metric.rfind('_')))) {
    return refuse(asked, quoted(item) + " is no limit on a latency",
                  "the load to serve is --rate; " + asked.example());
  }
  std::string meant(item);
  const std::size_t end = std::min(item.find_first_not_of(">=", greater), item.size());
  meant.replace(greater, end - greater, "<");
  return refuse(asked, quoted(item) + " is a lower bound; a limit is an upper one",
                "write " + meant);
}

Result<Slo> parse_slo(const Asked& asked, std::string_view item) {
  Slo slo;
  TRY_TO(refuse_lower_bound(asked, item));
  const std::size_t less = std::min(item.find('<'), item.find('='));
  if (less == std::string_view::npos) {
    std::vector<std::string> presets = mapped(slo_presets(), &SloPreset::name);
    return refuse(asked, quoted(item) + " has no limit: a \"<\" and a time",
                  asked.example() + ", or a preset: " + join(presets, ", "));
  }
  std::string_view name = item.substr(0, less);
  std::string time(item.substr(less + 1));
  if (item[less] == '<' && time.starts_with("=")) time.erase(0, 1);
  // As results call it: "ttft_p99_ms".
  constexpr std::string_view kUnit = "_ms";
  if (name.ends_with(kUnit)) {
    name.remove_suffix(kUnit.size());
    if (double number = 0; parse_double(time, &number)) time += "ms";
  }
  if (!parse_duration(time, &slo.limit) || slo.limit <= Duration{}) {
    return refuse(asked, quoted(std::string_view(time)) + " is not " + std::string(kDurationForm) +
                             " above 0");
  }
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    TRY_TO(read_class(asked, name.substr(0, colon), &slo));
    name.remove_prefix(colon + 1);
  }
  const std::string usual = usual_name(name);
  const std::string_view what = usual;
  const std::size_t dash = what.rfind('_');
  const std::string_view metric = what.substr(0, dash);
  const auto known = value_of(slo_metrics(), metric);
  if (!known) {
    return refuse(asked, "unknown metric " + quoted(metric),
                  suggestion(metric, names_of(slo_metrics())));
  }
  slo.metric = *known;
  if (dash == std::string_view::npos) {
    return refuse(asked, quoted(what) + " does not say of which percentile, or of the mean");
  }
  TRY_TO(read_statistic(asked, what.substr(dash + 1), &slo));
  if (slo.metric == &GroupSummary::itl && slo.slo_class) {
    return refuse(asked, "gaps between tokens are not counted by class",
                  "tpot, the mean gap of a request, is");
  }
  return slo;
}

std::string statistic_of(const Slo& slo) {
  return slo.percentile ? "p" + shortest(*slo.percentile) : "mean";
}

// "critical:ttft_p99"
std::string figure_text(const Slo& slo) {
  const std::string of = slo.slo_class ? slo_class_name(*slo.slo_class, "default") + ":" : "";
  return of + std::string(row_of(slo.metric).key) + "_" + statistic_of(slo);
}

std::string limit_text(Duration limit) {
  const double ms = to_ms(limit);
  return ms < 1000 ? shortest(ms) + "ms" : shortest(ms / 1000) + "s";
}

}  // namespace

const std::vector<SloPreset>& slo_presets() {
  static const std::vector<SloPreset> all{
      {"chat", "ttft_p95<1s,itl_p99<100ms", "people who wait for each word"},
      {"documents", "ttft_p95<2s,itl_p99<200ms", "texts that are read once complete"},
      {"batch", "ttft_p95<5s,itl_p99<500ms", "nobody waits"}};
  return all;
}

Result<std::vector<Slo>> parse_slos(std::string_view where, std::string_view text, SloScope scope) {
  const Asked asked{where, scope};
  std::vector<Slo> slos;
  std::vector<Slo> usual;  // of presets
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string item = normalised(text.substr(0, comma));
    const auto preset = std::ranges::find(slo_presets(), item, &SloPreset::name);
    if (preset != slo_presets().end()) {
      if (!usual.empty()) return refuse(asked, "two presets", "one of them is enough");
      usual = *parse_slos(where, preset->limits);
    } else {
      TRY(slo, parse_slo(asked, item));
      const auto is_same = [&](const Slo& other) { return key_of(other) == key_of(slo); };
      if (std::ranges::any_of(slos, is_same)) {
        return refuse(asked, "two limits for " + name_of(slo), "the lower one is enough");
      }
      slos.push_back(slo);
    }
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  for (Slo& slo : usual) {
    const auto said = std::ranges::find(slos, key_of(slo), [](const Slo& s) { return key_of(s); });
    if (said == slos.end()) continue;
    slo = *said;
    slos.erase(said);
  }
  usual.insert(usual.end(), slos.begin(), slos.end());
  return usual;
}

std::string key_of(const Slo& slo) { return figure_text(slo) + "_ms"; }

std::string text_of(const Slo& slo) { return figure_text(slo) + "<" + limit_text(slo.limit); }

std::string name_of(const Slo& slo) {
  const std::string of_class =
      slo.slo_class ? " of " + slo_class_name(*slo.slo_class, "default") : "";
  return std::string(row_of(slo.metric).title) + " " + statistic_of(slo) + of_class;
}

std::string title_of(const Slo& slo) {
  const double ms = to_ms(slo.limit);
  return name_of(slo) + " < " + (ms < 1000 ? shortest(ms) + " ms" : shortest(ms / 1000) + " s");
}

}  // namespace plimsoll

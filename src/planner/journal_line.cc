#include "planner/journal_line.h"

#include <cmath>
#include <ranges>

#include "base/json.h"
#include "metrics/figures.h"
#include "planner/plan_journal.h"

namespace plimsoll {
namespace {

// ---- the fields of each struct, once: for writing and for reading. Each is taken apart by name,
// so that one with a new field does not compile until it is named here.

template <class Visitor>
void visit_fields(Visitor& v, LatencySummary& s) {
  for (const Statistic& statistic : kStatistics) v(statistic.name, s.*statistic.member);
}

template <class Visitor>
void visit_fields(Visitor& v, Efficiency& s) {
  for (const GroupFigure& row : kGroupFigures) {
    if (const auto* share = std::get_if<EfficiencyShare>(&row.member)) v(row.key, s.**share);
  }
}

template <class Visitor>
void visit_fields(Visitor& v, GroupSummary& s) {
  v("name", s.name);
  for (const GroupFigure& row : kGroupFigures) {
    std::visit(
        [&](auto member) {
          if constexpr (requires { s.*member; }) v(row.key, s.*member);
        },
        row.member);
  }
  v("efficiency", s.efficiency);
}

template <class Visitor, class Cause>
void visit_fields(Visitor& v, Because<Cause>& s) {
  auto& [cause, figures] = s;
  v("cause", cause)("figures", figures);
}

template <class Visitor>
void visit_fields(Visitor& v, Bottleneck& s) {
  auto& [limit, resource, reason, lever, by_deadline_alone, holds_anyway] = static_cast<Limit&>(s);
  v("limit", limit)("resource", resource)("reason", reason)("lever", lever);
  v("by_deadline_alone", by_deadline_alone)("holds_anyway", holds_anyway);
  v("gateway_share", s.gateway_share);
  v("queue_share", s.queue_share);
  v("prefill_share", s.prefill_share);
  v("decode_wait_share", s.decode_wait_share);
  v("transfer_share", s.transfer_share);
  v("decode_queue_share", s.decode_queue_share);
  v("prefill_stall_share", s.prefill_stall_share);
  v("decode_share", s.decode_share);
  v("preemption_share", s.preemption_share);
  // A struct with a base cannot be taken apart by name.
  static_assert(sizeof(Bottleneck) == sizeof(Limit) + 9 * sizeof(double));
}

template <class Visitor>
void visit_fields(Visitor& v, MetricInterval& s) {
  auto& [metric, low, high] = s;
  v("metric", metric)("low", low)("high", high);
}

template <class Visitor>
void visit_fields(Visitor& v, ProbeSummary& s) {
  auto& [cluster, bottleneck, intervals, pools, found_before] = s;
  v("cluster", cluster)("bottleneck", bottleneck)("intervals", intervals);
  v.leaves_out(pools, found_before);  // no plan shows them
}

template <class Visitor>
void visit_fields(Visitor& v, Interval& s) {
  auto& [low, high] = s;
  v("low", low)("high", high);
}

template <class Visitor>
void visit_fields(Visitor& v, SloFigure& s) {
  auto& [value_ms, interval_ms, exceeding, unserved, requests, answer, within_reach, over_seeds,
         limit_ms] = s;
  v("value_ms", value_ms)("limit_ms", limit_ms)("interval_ms", interval_ms);
  v("exceeding_share", exceeding)("unserved_share", unserved)("requests", requests);
  v("answer", answer)("within_reach", within_reach);
  v.leaves_out(over_seeds);  // a journal holds runs of one seed each
}

template <class Visitor>
void visit_fields(Visitor& v, SteadyState& s) {
  auto& [verdict, reason, warmup_s, backlog_growth_rps, enough_requests, lost_share] = s;
  v("verdict", verdict)("reason", reason)("warmup_s", warmup_s);
  v("backlog_growth_rps", backlog_growth_rps)("enough_requests", enough_requests);
  v("lost_share", lost_share);
}

template <class Visitor>
void visit_fields(Visitor& v, LoadProbe& s) {
  auto& [rate_rps, instances, requests, simulated, draw, seed, seeds, answer, state, slos, reason,
         lost_share, is_turned_away, summary, interrupted, is_refuting] = s;
  v("rate_rps", rate_rps)("instances", instances)("requests", requests)("draw", draw)("seed", seed);
  v("answer", answer)("state", state)("slos", slos)("reason", reason);
  v("lost_share", lost_share)("is_turned_away", is_turned_away)("summary", summary);
  v.leaves_out(seeds, interrupted, is_refuting);  // whole runs of one seed each
  v.leaves_out(simulated);                        // no plan shows it
}

template <class Visitor>
void visit_fields(Visitor& v, JournalEntry& s) {
  auto& [candidate, step_factor, probe, model] = s;
  v("model", model)("candidate", candidate)("step_factor", step_factor)("probe", probe);
}

template <class Visitor>
void visit_fields(Visitor& v, JournalHead& s) {
  auto& [digest, command] = s;
  v("digest", digest)("command", command);
}

// The last of each enumeration: what lies beyond is no value of it.
constexpr Answer last_of(Answer) { return Answer::unclear; }
constexpr SteadyVerdict last_of(SteadyVerdict) { return SteadyVerdict::no_load; }
constexpr SteadyCause last_of(SteadyCause) { return SteadyCause::sessions_begin; }
constexpr ProbeCause last_of(ProbeCause) { return ProbeCause::all_in_warmup; }
constexpr LimitKind last_of(LimitKind) { return LimitKind::transfer; }
constexpr ShortResource last_of(ShortResource) { return ShortResource::routing; }
constexpr LimitCause last_of(LimitCause) { return LimitCause::full_decode; }
constexpr Remedy last_of(Remedy) { return Remedy::default_memory; }

struct FieldVisitor {
  template <class... T>
  static void leaves_out(const T&...) {}
};

class Writer : public FieldVisitor {
 public:
  template <class T>
  Writer& operator()(std::string_view key, T& value) {
    out_[std::string(key)] = json_of(value);
    return *this;
  }
  Json& out() { return out_; }

 private:
  template <class T>
  static Json json_of(T& value) {
    if constexpr (std::is_same_v<T, double>) {
      // JSON has no words for these. Other numbers are written with all their digits.
      if (std::isnan(value)) return "nan";
      if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
      return value;
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<std::int64_t>(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      return json_of_parts(value);
    }
  }
  template <class T>
  static Json json_of_parts(std::optional<T>& value) {
    return value ? json_of(*value) : Json();
  }
  template <std::ranges::range T>
  static Json json_of_parts(T& values) {
    Json all = Json::array();
    for (auto& value : values) all.push_back(json_of(value));
    return all;
  }
  template <class T>
  static Json json_of_parts(T& value) {
    Writer parts;
    visit_fields(parts, value);
    return std::move(parts.out());
  }

  Json out_ = Json::object();
};

class Reader : public FieldVisitor {
 public:
  explicit Reader(const Json& from) : from_(from) {}

  template <class T>
  Reader& operator()(std::string_view key, T& value) {
    const Json* at = from_.find(key);
    ok_ = ok_ && at != nullptr && read(*at, value);
    return *this;
  }
  bool ok() const { return ok_; }

 private:
  template <class T>
  static bool read(const Json& from, T& value) {
    if constexpr (std::is_same_v<T, double>) {
      return read_number(from, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (from.is_boolean()) value = from.as_bool();
      return from.is_boolean();
    } else if constexpr (std::is_enum_v<T>) {
      const std::int64_t number = from.is_number_integer() ? from.as_integer() : -1;
      if (number >= 0) value = static_cast<T>(number);
      return number >= 0 && number <= static_cast<std::int64_t>(last_of(T{}));
    } else if constexpr (std::is_integral_v<T>) {
      if (from.is_number_integer()) value = static_cast<T>(from.as_integer());
      return from.is_number_integer();
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (from.is_string()) value = from.as_string();
      return from.is_string();
    } else {
      return read_parts(from, value);
    }
  }
  static bool read_number(const Json& from, double& value) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (from.is_number()) {
      value = from.as_double();
    } else if (from == "nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (from == "inf" || from == "-inf") {
      value = from == "inf" ? kInfinity : -kInfinity;
    } else {
      return false;
    }
    return true;
  }
  template <class T>
  static bool read_parts(const Json& from, std::optional<T>& value) {
    value.reset();
    return from.is_null() || read(from, value.emplace());
  }
  template <class T>
  static bool read_parts(const Json& from, std::vector<T>& values) {
    if (!from.is_array()) return false;
    for (const Json& element : from) {
      if (!read(element, values.emplace_back())) return false;
    }
    return true;
  }
  template <std::size_t N>
  static bool read_parts(const Json& from, std::array<double, N>& values) {
    if (!from.is_array() || from.size() != N) return false;
    auto value = values.begin();
    for (const Json& element : from) {
      if (!read(element, *value++)) return false;
    }
    return true;
  }
  template <class T>
  static bool read_parts(const Json& from, T& value) {
    if (!from.is_object()) return false;
    Reader parts(from);
    visit_fields(parts, value);
    return parts.ok();
  }

  const Json& from_;
  bool ok_ = true;
};

template <class T>
std::optional<T> read_struct(const Json& json) {
  T value;
  if (!json.is_object()) return {};
  Reader reader(json);
  visit_fields(reader, value);
  if (!reader.ok()) return {};
  return value;
}

Json parsed(std::string_view text) { return Json::parse(text); }

std::string line_of(const Json& json) { return journal_record(json.dump()); }

}  // namespace

std::string journal_line(const JournalEntry& entry) {
  JournalEntry copy = entry;  // fields are visited for writing as for reading
  Writer writer;
  visit_fields(writer, copy);
  return line_of(writer.out());
}

std::optional<JournalEntry> parse_journal_entry(std::string_view text) {
  return read_struct<JournalEntry>(parsed(text));
}

std::string journal_line(const JournalHead& head) {
  JournalHead copy = head;
  Writer writer;
  writer.out()[kJournalMark] = kJournalVersion;
  visit_fields(writer, copy);
  return line_of(writer.out());
}

std::optional<JournalHead> parse_journal_head(std::string_view text) {
  return read_struct<JournalHead>(parsed(text));
}

std::optional<int> journal_version(std::string_view text) {
  const Json json = parsed(text);
  if (!json.is_object()) return {};
  const Json& version = json[kJournalMark];
  if (!version.is_number_integer()) return {};
  return static_cast<int>(version.as_integer());
}

}  // namespace plimsoll

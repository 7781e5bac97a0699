#include "planner/journal_line.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "planner/journal_record.h"

namespace plimsoll {
namespace {

// ---- the fields of each struct, once: for writing and for reading

template <class Visitor>
void visit_fields(Visitor& v, LatencySummary& s) {
  v("mean", s.mean_ms);
  v("p50", s.p50_ms);
  v("p90", s.p90_ms);
  v("p95", s.p95_ms);
  v("p99", s.p99_ms);
}

template <class Visitor>
void visit_fields(Visitor& v, Efficiency& s) {
  v("mfu", s.mfu);
  v("mfu_of_run", s.mfu_of_run);
  v("mbu", s.mbu);
  v("mbu_of_run", s.mbu_of_run);
}

template <class Visitor>
void visit_fields(Visitor& v, GroupSummary& s) {
  v("name", s.name);
  v("completed", s.completed);
  v("still_queued", s.still_queued);
  v("still_running", s.still_running);
  v("injected", s.injected);
  v("total_input_tokens", s.total_input_tokens);
  v("total_output_tokens", s.total_output_tokens);
  v("duration_s", s.duration_s);
  v("responses_per_sec", s.responses_per_sec);
  v("tokens_per_sec", s.tokens_per_sec);
  v("e2e_ms", s.e2e);
  v("ttft_ms", s.ttft);
  v("itl_ms", s.itl);
  v("tpot_ms", s.tpot);
  v("scheduling_delay_ms", s.scheduling_delay);
  v("kv_allocation_failures", s.kv_allocation_failures);
  v("preemptions", s.preemptions);
  v("cache_hit_rate", s.cache_hit_rate);
  v("prefix_hit_rate", s.prefix_hit_rate);
  v("dropped_unservable", s.dropped_unservable);
  v("length_capped", s.length_capped);
  v("timed_out", s.timed_out);
  v("utilization", s.utilization);
  v("kv_utilization", s.kv_utilization);
  v("kv_peak_utilization", s.kv_peak_utilization);
  v("mean_batch_size", s.mean_batch_size);
  v("mean_queue_depth", s.mean_queue_depth);
  v("efficiency", s.efficiency);
}

template <class Visitor>
void visit_fields(Visitor& v, Bottleneck& s) {
  v("limit", s.limit);
  v("resource", s.resource);
  v("reason", s.reason);
  v("lever", s.lever);
  v("by_deadline_alone", s.by_deadline_alone);
  v("gateway_share", s.gateway_share);
  v("queue_share", s.queue_share);
  v("prefill_share", s.prefill_share);
  v("prefill_stall_share", s.prefill_stall_share);
  v("decode_share", s.decode_share);
  v("preemption_share", s.preemption_share);
}

template <class Visitor>
void visit_fields(Visitor& v, MetricInterval& s) {
  v("metric", s.metric);
  v("low", s.low);
  v("high", s.high);
}

template <class Visitor>
void visit_fields(Visitor& v, ProbeSummary& s) {
  v("cluster", s.cluster);
  v("bottleneck", s.bottleneck);
  v("intervals", s.intervals);
}

template <class Visitor>
void visit_fields(Visitor& v, Interval& s) {
  v("low", s.low);
  v("high", s.high);
}

template <class Visitor>
void visit_fields(Visitor& v, SloFigure& s) {
  v("value_ms", s.value_ms);
  v("interval_ms", s.interval_ms);
  v("exceeding_share", s.exceeding_share);
  v("unserved_share", s.unserved_share);
  v("answer", s.answer);
  v("within_reach", s.within_reach);
}

template <class Visitor>
void visit_fields(Visitor& v, SteadyState& s) {
  v("verdict", s.verdict);
  v("reason", s.reason);
  v("warmup_s", s.warmup_s);
  v("backlog_growth_rps", s.backlog_growth_rps);
  v("enough_requests", s.enough_requests);
  v("lost_share", s.lost_share);
}

template <class Visitor>
void visit_fields(Visitor& v, LoadProbe& s) {
  v("rate_rps", s.rate_rps);
  v("instances", s.instances);
  v("requests", s.requests);
  v("draw", s.draw);
  v("seed", s.seed);
  v("answer", s.answer);
  v("state", s.state);
  v("slos", s.slos);
  v("reason", s.reason);
  v("is_turned_away", s.is_turned_away);
  v("summary", s.summary);
}

template <class Visitor>
void visit_fields(Visitor& v, JournalEntry& s) {
  v("model", s.model);
  v("candidate", s.candidate);
  v("step_factor", s.step_factor);
  v("probe", s.probe);
}

template <class Visitor>
void visit_fields(Visitor& v, JournalHead& s) {
  v("digest", s.digest);
  v("command", s.command);
}

class Writer {
 public:
  template <class T>
  void operator()(const char* key, T& value) {
    out_[key] = json_of(value);
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
  template <class T>
  static Json json_of_parts(std::vector<T>& values) {
    Json all = Json::array();
    for (T& value : values) all.push_back(json_of(value));
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

class Reader {
 public:
  explicit Reader(const Json& from) : from_(from) {}

  template <class T>
  void operator()(const char* key, T& value) {
    const Json* at = from_.find(key);
    ok_ = ok_ && at != nullptr && read(*at, value);
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
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
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
  auto entry = read_struct<JournalEntry>(parsed(text));
  if (!entry) return {};
  const LoadProbe& probe = entry->probe;
  const auto is_answer = [](Answer a) { return a >= Answer::holds && a <= Answer::unclear; };
  bool sound = is_answer(probe.answer) && probe.state.verdict >= SteadyVerdict::steady &&
               probe.state.verdict <= SteadyVerdict::no_load;
  for (const SloFigure& figure : probe.slos) sound = sound && is_answer(figure.answer);
  return sound ? entry : std::nullopt;
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

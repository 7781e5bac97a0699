#include "profile/telemetry.h"

#include <algorithm>
#include <map>

#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "spec/spec_file.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

// Wide, but no sum over a batch leaves 63 bits.
constexpr IntRange kPrompt{1, 10'000'000};
constexpr IntRange kAnswer{0, 10'000'000};
constexpr IntRange kBytes{0, 1'000'000'000'000'000};
constexpr NumberRange kOperatorMs{0, 3.6e6};
constexpr NumberRange kShare{0, 1};
constexpr NumberRange kTimestamp{};
constexpr std::size_t kMostRequests = 10'000;
// Counters are not all read at the same moment.
constexpr double kApart = 2;

enum class Phase { prefill, decode, both };

struct Sample {
  std::string key;  ///< the batch, its requests and their tokens
  TelemetryStep step;
};

Phase read_phase(SpecMap map) {
  const std::string name = map.choice("phase", {"prefill", "decode", "both"});
  return name == "prefill" ? Phase::prefill : name == "decode" ? Phase::decode : Phase::both;
}

// `decode_len` counts the tokens a request was given so far: the newest of them is what the step
// computes, all before it lie in the cache.
void add_request(SpecMap map, Phase phase, Sample* sample) {
  const std::string id = map.text("request_id");
  const std::int64_t prompt = map.integer("prefill_len", kPrompt);
  const std::int64_t answer = map.optional_integer("decode_len", kAnswer).value_or(0);
  const auto bytes = static_cast<double>(map.integer("kv_bytes", kBytes));
  if (phase == Phase::prefill && answer > 0) {
    map.error("decode_len", "a sample of prefill has a request that decodes",
              "a batch of both has phase: both");
  }
  TelemetryStep& step = sample->step;
  if (phase == Phase::decode || (phase == Phase::both && answer > 0)) {
    ++step.measured.batch.decode_requests;
    step.measured.batch.decode_context += prompt + std::max<std::int64_t>(answer - 1, 0);
  } else {
    step.measured.batch.add_prefill(prompt, 0, prompt);
  }
  step.kv_bytes += bytes;
  step.kv_tokens += prompt + answer;
  sample->key += "\n" + id + " " + std::to_string(prompt) + " " + std::to_string(answer);
}

Sample read_sample(SpecMap map) {
  map.accept_foreign_keys();  // its schema allows more of them
  Sample sample;
  map.text("request_id");
  const Phase phase = read_phase(map);
  const std::string batch = map.text("batch_id");
  sample.key = batch;
  sample.step.measured.name = "batch " + batch;
  const std::vector<SpecMap> requests = map.maps("batch_composition");
  if (requests.size() > kMostRequests) {
    map.error("batch_composition", "more than 10,000 requests in one batch");
    return sample;
  }
  for (const SpecMap& request : requests) add_request(request, phase, &sample);
  for (SpecMap timing : map.maps("operator_timings")) {
    timing.text("name");
    sample.step.measured.ms += timing.number("time_ms", kOperatorMs);
  }
  sample.step.mfu = map.number("gpu_mfu", kShare);
  map.number("timestamp", kTimestamp);
  return sample;
}

bool is_usable(const TelemetryStep& step) {
  return step.measured.ms > 0 && step.measured.batch.requests() > 0;
}

Telemetry steps_of(std::vector<Sample> samples) {
  Telemetry out;
  std::map<std::string, std::size_t> places;
  std::vector<std::vector<double>> readings;
  for (Sample& sample : samples) {
    if (!is_usable(sample.step)) {
      ++out.unusable;
      continue;
    }
    const auto [at, is_new] = places.emplace(std::move(sample.key), out.steps.size());
    if (is_new) {
      out.steps.push_back(sample.step);
      readings.emplace_back();
    }
    readings[at->second].push_back(sample.step.measured.ms);
  }
  for (std::size_t i = 0; i < out.steps.size(); ++i) {
    out.steps[i].measured.ms = median_of(std::move(readings[i]));
  }
  return out;
}

// The median of what each step says of stated / expected, if it is far from 1.
void add_if_apart(std::vector<double> ratios, const std::string& what, std::vector<Finding>* out) {
  if (ratios.empty()) return;
  const double middle = median_of(std::move(ratios));
  if (middle < kApart && middle > 1 / kApart) return;
  out->push_back({Severity::doubtful, what + " is " + three_digits(middle) +
                                          " times the sum over its batch (median over the steps)"});
}

}  // namespace

Result<Telemetry> parse_telemetry(const std::string& text, const std::string& file) {
  TRY(spec, SpecFile::parse(text, file, SpecFile::Top::map_or_list));
  std::vector<Sample> samples;
  const std::vector<SpecMap> maps = spec.is_list() ? spec.top_maps() : spec.top().maps("samples");
  for (const SpecMap& map : maps) samples.push_back(read_sample(map));
  TRY(read, spec.finish(std::move(samples)));
  Telemetry out = steps_of(std::move(read));
  if (!out.steps.empty()) return out;
  return fail_in(ErrorKind::spec, file, "no sample has both requests and operator times",
                 "batch_composition and operator_timings say what a step "
                 "computed and how long it took");
}

Result<Telemetry> read_telemetry(const std::string& path) {
  TRY(text, read_file(path));
  return parse_telemetry(text, path);
}

std::vector<Finding> telemetry_findings(const Telemetry& telemetry, const InstanceWork& work) {
  std::vector<MeasuredSteps> steps;
  std::vector<double> mfu;
  std::vector<double> kv;
  const double kv_per_token = total_of(work.contexts, &ContextWork::bytes_per_kv_token);
  for (const TelemetryStep& step : telemetry.steps) {
    steps.push_back(step.measured);
    const double flops = flops_of(work, work_of(step.measured));
    const double computed = flops / (step.measured.ms / 1000) / work.peak_flops;
    if (step.mfu > 0) mfu.push_back(step.mfu / computed);
    const double kept = kv_per_token * static_cast<double>(step.kv_tokens);
    if (step.kv_bytes > 0 && kept > 0) kv.push_back(step.kv_bytes / kept);
  }
  std::vector<Finding> out = step_findings(steps, work);
  add_if_apart(std::move(mfu), "gpu_mfu", &out);
  add_if_apart(std::move(kv), "kv_bytes", &out);
  return out;
}

}  // namespace plimsoll

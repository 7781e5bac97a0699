#include "workload/synthetic.h"

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "random/stream.h"
#include "workload/workload.h"

namespace plimsoll {
namespace {

tl::unexpected<Error> invalid(std::string message, std::string hint = {}) {
  return fail(ErrorKind::usage, std::move(message), std::move(hint));
}

}  // namespace

// The rules are those of the reference's command line; its keys are prefixed to the messages.
Result<void> validate(const GaussianLength& s, const std::string& name) {
  const std::string range = "[" + std::to_string(s.min) + ", " + std::to_string(s.max) + "]";
  if (s.min < 1) return invalid(name + ": the minimum must be at least 1");
  if (s.max < s.min) return invalid(name + ": the minimum exceeds the maximum, " + range);
  if (s.max > kMaxTokens) {
    return invalid(name + ": the maximum must be at most " + std::to_string(kMaxTokens));
  }
  if (!std::isfinite(s.mean) || !std::isfinite(s.stdev)) {
    return invalid(name + ": mean and standard deviation must be finite");
  }
  if (s.mean < static_cast<double>(s.min) || s.mean > static_cast<double>(s.max)) {
    return invalid(name + ": the mean " + shortest(s.mean) + " lies outside " + range,
                   name + "-min and " + name + "-max set the range");
  }
  if (s.stdev < 0) return invalid(name + ": the standard deviation must not be negative");
  if (s.stdev > static_cast<double>(s.max) ||
      (s.stdev > 0 && s.stdev < static_cast<double>(s.min))) {
    return invalid(
        name + ": the standard deviation " + shortest(s.stdev) + " lies outside " + range,
        "it must be 0 or lie between the minimum and the maximum");
  }
  return {};
}

Result<void> validate(const SyntheticSpec& spec) {
  if (!(spec.rate_rps >= kMinRate && spec.rate_rps <= kMaxRate)) {
    return invalid("the rate must lie in [" + shortest(kMinRate) + ", " + shortest(kMaxRate) +
                   "] requests per second, got " + shortest(spec.rate_rps));
  }
  TRY_TO(validate(spec.arrival));
  TRY_TO(validate(spec.prompt, "--prompt-tokens"));
  TRY_TO(validate(spec.output, "--output-tokens"));
  if (spec.num_requests < 0) return invalid("the number of requests must not be negative");
  if (spec.num_requests == kUnlimited && spec.horizon == kNever) {
    return invalid("nothing ends this run", "give --num-requests or --horizon");
  }
  if (spec.prefix_tokens < 0 || spec.prefix_tokens > kMaxTokens - spec.prompt.max) {
    return invalid("prefix tokens must lie in [0, " + std::to_string(kMaxTokens) +
                   " minus the longest prompt]");
  }
  return {};
}

SyntheticSource::SyntheticSource(const SyntheticSpec& spec)
    : spec_(spec),
      // Two divisions in this order, as in the reference: 1e6 / rate would give 50,000 us at 20
      // requests per second where it has 49,999.
      mean_gap_us_(1 / (spec.rate_rps / 1e6)),
      gaps_(spec.arrival),
      prompt_(spec.prompt),
      output_(spec.output),
      prefix_{shared_content(spec.prefix_number), spec.prefix_tokens} {}

void SyntheticSource::share(std::shared_ptr<KeptDraws> draws) {
  if (spec_.num_requests <= KeptDraws::kMostRequests) draws_ = std::move(draws);
}

double SyntheticSource::draw_gap(std::uint64_t index) const {
  const RandomStream stream(spec_.seed, Purpose::arrival, index);
  const bool residual = spec_.arrivals_start_in_mid_gap && index == 0;
  return residual ? gaps_.draw_first(stream, FirstGap::residual) : gaps_.draw(stream);
}

std::int32_t SyntheticSource::draw_prompt(std::uint64_t index) const {
  return prompt_.draw(RandomStream(spec_.seed, Purpose::prompt_length, index));
}

std::int32_t SyntheticSource::draw_output(std::uint64_t index) const {
  return output_.draw(RandomStream(spec_.seed, Purpose::output_length, index));
}

const Draw& SyntheticSource::kept(std::uint64_t index) {
  const std::size_t at = index % KeptDraws::kAtATime;
  const std::size_t chunk = index / KeptDraws::kAtATime;
  if (chunk_ == nullptr || chunk != chunk_number_) {
    chunk_number_ = chunk;
    chunk_ = &draws_->of(chunk, [this](std::uint64_t i) {
      return Draw{draw_gap(i), draw_prompt(i), draw_output(i)};
    });
  }
  return (*chunk_)[at];
}

bool SyntheticSource::advance() {
  if (generated_ >= spec_.num_requests) return false;
  const auto index = static_cast<std::uint64_t>(generated_);
  const double gap = draws_ ? kept(index).gap : draw_gap(index);
  const Time arrival = clock_ + std::max(microseconds(1), duration_from_us(gap * mean_gap_us_));
  if (arrival > std::min(spec_.horizon, kEndOfClock)) return false;
  clock_ = arrival;
  ++generated_;
  return true;
}

// Lengths are drawn from streams of their own.
std::int64_t SyntheticSource::skip(std::int64_t requests) {
  std::int64_t n = 0;
  while (n < requests && advance()) ++n;
  return n;
}

bool SyntheticSource::next(Request* request) {
  if (!advance()) return false;
  request->id = generated_ - 1;
  request->arrival = clock_;
  const auto index = static_cast<std::uint64_t>(request->id);
  request->input_tokens = (draws_ ? kept(index).prompt : draw_prompt(index)) +
                          static_cast<std::int32_t>(spec_.prefix_tokens);
  request->output_tokens = draws_ ? kept(index).output : draw_output(index);
  request->max_output_tokens = request->output_tokens;
  request->slo_class = SloClass::unset;
  request->deadline = spec_.timeout == kNoDuration ? kNever : clock_ + spec_.timeout;
  request->other_model = false;
  request->prefix = {};
  if (prefix_.tokens > 0) request->prefix = {&prefix_, 1};
  request->own_content = unique_content(index);
  return true;
}

const std::vector<Preset>& presets() {
  // Each row: mean, standard deviation, minimum, maximum of prompt and output tokens.
  static const std::vector<Preset> table{
      {"chatbot", "short questions, short answers", {256, 100, 2, 800}, {256, 100, 1, 1024}},
      {"contentgen", "a brief becomes a text", {1024, 150, 10, 2048}, {1024, 200, 10, 2048}},
      {"summarization", "long text, short answer", {4096, 500, 100, 8192}, {512, 150, 10, 2048}},
      {"multidoc", "many documents, long answer", {10240, 1200, 500, 20480}, {1536, 300, 50, 4096}},
  };
  return table;
}

Result<Preset> find_preset(const std::string& name) {
  if (const Preset* preset = find_in(presets(), name, &Preset::name)) return *preset;
  return fail(ErrorKind::usage, "unknown workload \"" + name + "\"",
              suggestion(name, mapped(presets(), &Preset::name)));
}

}  // namespace plimsoll

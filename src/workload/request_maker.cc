#include "workload/request_maker.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::int32_t kMaxItems = 10'000;  // of one kind in a prompt

}  // namespace

void SessionContexts::append(SessionContext* context, PrefixSegment segment) {
  if (segment.tokens == 0) return;
  if (context->count == context->capacity) {
    // Requests still point at the old array: it stays.
    context->capacity = std::max<std::size_t>(4, 2 * context->capacity);
    arrays_.push_back(std::make_unique<PrefixSegment[]>(context->capacity));
    std::copy_n(context->segments, context->count, arrays_.back().get());
    context->segments = arrays_.back().get();
  }
  context->segments[context->count++] = segment;
  context->tokens += segment.tokens;
}

void SessionContexts::append_round(SessionContext* context, const Request& request,
                                   std::int64_t answer_tokens) {
  const std::int64_t new_input = request.input_tokens - context->tokens;
  append(context, {request.own_content, new_input + answer_tokens});
}

RequestMaker::RequestMaker(const ClientSpec& spec, const Settings& settings)
    : slo_class_(spec.slo_class), settings_(settings) {
  gaps_.emplace_back(spec.arrival);
  input_.emplace_back(spec.input);
  output_.emplace_back(spec.output);
  for (const WindowSpec& window : spec.windows) {
    gaps_.emplace_back(window.arrival.value_or(spec.arrival));
    input_.emplace_back(window.input.value_or(spec.input));
    output_.emplace_back(window.output.value_or(spec.output));
  }
  if (spec.multimodal) {
    multimodal_ = true;
    if (spec.multimodal->text) text_.emplace(*spec.multimodal->text);
    if (spec.multimodal->image) image_.emplace(*spec.multimodal->image);
    if (spec.multimodal->audio) audio_.emplace(*spec.multimodal->audio);
    if (spec.multimodal->video) video_.emplace(*spec.multimodal->video);
  }
  if (spec.reasoning && spec.reasoning->reason_ratio) {
    reason_percent_.emplace(*spec.reasoning->reason_ratio, 0);
  }
}

std::int32_t RequestMaker::draw_items(const std::optional<Modality>& modality,
                                      RandomStream stream) {
  if (!modality) return 0;
  std::int64_t tokens = 0;
  const std::int32_t count = std::min(kMaxItems, modality->count.draw_from(stream));
  for (std::int32_t i = 0; i < count; ++i) tokens += modality->tokens.draw_from(stream);
  return at_most_max(tokens);
}

// All tokens of a multimodal prompt.
std::int64_t RequestMaker::draw_parts(const Sender& sender, std::uint64_t index,
                                      RequestTags* tags) const {
  const auto stream = [&](Purpose purpose) { return RandomStream(sender.seed, purpose, index); };
  const std::int64_t text = text_ ? text_->draw(stream(Purpose::prompt_length)) : 0;
  tags->image_tokens = draw_items(image_, stream(Purpose::image_tokens));
  tags->audio_tokens = draw_items(audio_, stream(Purpose::audio_tokens));
  tags->video_tokens = draw_items(video_, stream(Purpose::video_tokens));
  const std::int64_t sum =
      text + tags->image_tokens + tags->audio_tokens + std::int64_t{tags->video_tokens};
  return std::max<std::int64_t>(1, sum);
}

void RequestMaker::make(const Sender& sender, std::int64_t session, std::int32_t round,
                        std::size_t shape, std::int64_t context_tokens, Time arrival,
                        Request* request) const {
  const std::uint64_t index = draw_index(session, round);
  *request = {};
  request->arrival = arrival;
  request->tags.client = sender.label;
  request->tags.tenant = settings_.tenant;
  const std::int64_t input =
      multimodal_ ? draw_parts(sender, index, &request->tags)
                  : input_[shape].draw(RandomStream(sender.seed, Purpose::prompt_length, index));
  request->input_tokens = at_most_max(context_tokens + input);
  request->output_tokens =
      output_[shape].draw(RandomStream(sender.seed, Purpose::output_length, index));
  request->max_output_tokens = request->output_tokens;
  request->slo_class = slo_class_;
  if (settings_.timeout != kNoDuration) request->deadline = arrival + settings_.timeout;
  request->other_model = settings_.other_model;
  if (reason_percent_) {
    const RandomStream stream(sender.seed, Purpose::reason_ratio, index);
    request->tags.reason_ratio =
        std::min(1.0f, static_cast<float>(reason_percent_->draw(stream)) / 100);
  }
}

}  // namespace plimsoll

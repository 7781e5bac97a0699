#include "net/prompt_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/lists.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{1} << 30;

// Short and common: one token each in most vocabularies.
constexpr std::array<std::string_view, 64> kWords{
    "water", "house", "light", "green", "paper", "music", "river", "stone", "table", "glass",
    "north", "south", "horse", "bread", "chair", "plant", "cloud", "field", "train", "metal",
    "black", "white", "small", "large", "early", "later", "first", "seven", "eight", "three",
    "world", "earth", "money", "child", "woman", "heart", "night", "month", "point", "power",
    "story", "right", "left",  "under", "above", "after", "again", "never", "often", "learn",
    "write", "speak", "think", "build", "carry", "bring", "watch", "stand", "start", "reach",
    "clear", "quick", "quiet", "fresh"};

}  // namespace

std::string content_words(std::uint64_t content, std::int64_t begin, std::int64_t words,
                          std::uint64_t salt) {
  std::string text;
  const std::uint64_t key = mix64(content, salt);
  for (std::int64_t i = begin; i < begin + words; ++i) {
    text += ' ';
    text += kWords[mix64(key, static_cast<std::uint64_t>(i)) % kWords.size()];
  }
  return text;
}

std::int64_t PromptWriter::words_up_to(std::int64_t tokens) const {
  const double words = (static_cast<double>(tokens) - scale_.overhead) / scale_.per_word;
  return std::max<std::int64_t>(0, std::llround(words));
}

std::int64_t PromptWriter::own_words(const Request& request) const {
  const std::int64_t prefix = total_of(request.prefix, &PrefixSegment::tokens);
  const std::int64_t words = words_up_to(request.input_tokens) - words_up_to(prefix);
  return prefix == 0 ? std::max<std::int64_t>(1, words) : words;
}

std::string PromptWriter::prompt_of(const Request& request) const {
  std::string prompt;
  std::int64_t tokens = 0;
  for (const PrefixSegment& segment : request.prefix) {
    const std::int64_t words = words_up_to(tokens + segment.tokens) - words_up_to(tokens);
    const auto answered = answered_.find(segment.content);
    if (answered == answered_.end()) {
      prompt += content_words(segment.content, 0, words, salt_);
    } else {
      prompt += content_words(segment.content, 0, answered->second.own_words, salt_);
      prompt += answered->second.answer;
    }
    tokens += segment.tokens;
  }
  prompt += content_words(request.own_content, 0, own_words(request), salt_);
  return prompt;
}

void PromptWriter::keep_answer(const Request& request, std::string answer) {
  if (!request.reusable || kept_bytes_ + answer.size() > kMostKeptBytes) return;
  kept_bytes_ += answer.size();
  answered_[request.own_content] = {own_words(request), std::move(answer)};
}

}  // namespace plimsoll

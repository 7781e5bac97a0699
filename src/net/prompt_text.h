// Prompts of a wanted number of tokens, made of common words: shared contents of requests become
// shared text.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "workload/request.h"

namespace plimsoll {

/// How a server counts the words of prompt_text: tokens = overhead + per_word * words.
struct TokenScale {
  double overhead = 0;  ///< of every prompt: its begin, the template of a chat
  double per_word = 1;
};

/// `words` words of a content, from its `begin`-th on, each after a space. Equal contents have
/// equal words; another salt gives others.
std::string content_words(std::uint64_t content, std::int64_t begin, std::int64_t words,
                          std::uint64_t salt);

class PromptWriter {
 public:
  /// The salt keeps a server from knowing the prompts of an earlier run by its prefix cache.
  PromptWriter(TokenScale scale, std::uint64_t salt) : scale_(scale), salt_(salt) {}

  std::string prompt_of(const Request& request) const;

  /// Takes the answer to a reusable request: the next prompt of its session goes on from it. Until
  /// then, and beyond a GiB of answers, words stand in.
  void keep_answer(const Request& request, std::string answer);

 private:
  struct Answered {
    std::int64_t own_words = 0;  ///< of the prompt that was answered
    std::string answer;
  };

  std::int64_t words_up_to(std::int64_t tokens) const;
  std::int64_t own_words(const Request& request) const;

  TokenScale scale_;
  std::uint64_t salt_;
  std::unordered_map<std::uint64_t, Answered> answered_;  ///< by own_content
  std::size_t kept_bytes_ = 0;
};

}  // namespace plimsoll

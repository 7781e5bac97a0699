// How an instance forms the batch of a step: which running sequences get tokens, and who enters
// from the wait queue. A batching rule is a file in batching/, which ends with its row, and
// its line in the table of batching_rule.cc (base/policy.h says what follows from a row).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine_config.h"

namespace plimsoll {

class BatchDraft;

class BatchingRule {
 public:
  virtual ~BatchingRule() = default;
  /// Called once per batch, when it is decided: for the next step, or for the one after the step
  /// that runs. Who is not served gets no token.
  virtual void form(BatchDraft& batch) = 0;

  // So that many steps can be run at once. While sequences decode:
  /// how many batches to come serve all of them and nobody else, whoever waits;
  virtual std::int64_t sure_decodes() const { return 0; }
  /// so many batches like that, or in which nobody could enter, were run without form(), and all
  /// the while somebody waited, or nobody.
  virtual void skip(std::int64_t /*batches*/, bool /*somebody_waits*/) {}
};

/// KV blocks that an admission sets aside beyond those of the prompt, so that decodes need no
/// others.
enum class SetsAside : std::uint8_t {
  nothing,
  own_answer,      ///< as long as the client allows
  longest_request  ///< that the instance allows
};

struct BatchingRuleRow {
  std::string name;
  std::string help;  ///< one line
  std::vector<PolicyParameter> parameters = {};
  std::unique_ptr<BatchingRule> (*make)(const Parameters& parameters) = nullptr;
  // The limits where the user does not say otherwise.
  std::int64_t max_num_seqs = 128;
  std::int64_t max_num_batched_tokens = 0;  ///< 0: the rule has no limit of tokens
  std::int64_t block_size = 16;

  bool any_block_size = true;   ///< else it has to be that one
  bool chunks_prompts = false;  ///< a prompt may take several steps
  SetsAside sets_aside = SetsAside::nothing;
};

/// The first one is the default.
const std::vector<BatchingRuleRow>& batching_rules();

/// `name` is that of a row.
const BatchingRuleRow& batching_rule(std::string_view name);

}  // namespace plimsoll

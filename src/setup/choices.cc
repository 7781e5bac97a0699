#include "setup/choices.h"

namespace plimsoll {

Choices<Sampling> sampling_choices() {
  static constexpr Choice<Sampling> kChoices[]{
      {"greedy", Sampling::greedy, "the likeliest token, as with temperature 0"},
      {"top-p", Sampling::top_p, "top-p or top-k, which sort all logits of the vocabulary"},
  };
  return kChoices;
}

Choices<Engine> engine_choices() {
  static constexpr Choice<Engine> kChoices[]{
      {"vllm", Engine::vllm, "vLLM's kernels and overheads"},
      {"sglang", Engine::sglang, "those of SGLang"},
      {"trtllm", Engine::trtllm, "those of TensorRT-LLM"},
  };
  return kChoices;
}

Choices<SemanticsMode> semantics_choices() {
  static constexpr Choice<SemanticsMode> kChoices[]{
      {"vllm", SemanticsMode::vllm, "the engine as it behaves"},
      {"blis", SemanticsMode::blis, "the reference simulator BLIS, its defaults included"},
  };
  return kChoices;
}

Choices<SessionMode> session_choices() {
  static constexpr Choice<SessionMode> kChoices[]{
      {"fixed", SessionMode::fixed, "rounds arrive as recorded"},
      {"closed-loop", SessionMode::closed_loop, "each round after the answer to the one before"},
  };
  return kChoices;
}

}  // namespace plimsoll

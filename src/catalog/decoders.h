// Which models can be asked to continue a text: causal decoders. Encoders embed or rank texts in
// one pass, encoder-decoders read them with another half: neither has the steps that are simulated.
// Called by the reader of config.json and by perf/engine_rules.h.
#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

/// "XLMRobertaModel is an encoder, which embeds or ranks texts": why this is none, by the first of
/// `architectures` (empty: not named) and by `model_type`; empty: it may be one.
std::string why_no_decoder(std::string_view architecture, std::string_view model_type);

}  // namespace plimsoll

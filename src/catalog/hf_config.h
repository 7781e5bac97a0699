// Reads the `config.json` of a HuggingFace model: the few numbers that set memory use and step
// time, out of the many keys of such a file. Keys that are not needed are ignored.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/model.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// `text` is the content of a config.json, `file` its name for messages; `id` becomes the model's
/// id (lower-cased) and may carry the quantisation ("...-fp8", "...-quantized.w4a16").
Result<ModelConfig> parse_model_config(const std::string& text, std::string file,
                                       const std::string& id);

/// The same from a file, or from a folder that holds a `config.json`. An empty id is taken from the
/// folder's name.
Result<ModelConfig> read_model_config(const std::string& path, std::string id = {});

/// The same from an open map; errors are noted in its file.
ModelConfig model_config_from(SpecMap config, const std::string& id);

/// Which models can be asked to continue a text: causal decoders. Encoders embed or rank texts in
/// one pass, encoder-decoders read them with another half: neither has the steps that are
/// simulated. "XLMRobertaModel is an encoder, which embeds or ranks texts": why this is none, by
/// the first of `architectures` (empty: not named) and by `model_type`; empty: it may be one.
std::string why_no_decoder(std::string_view architecture, std::string_view model_type);

}  // namespace plimsoll

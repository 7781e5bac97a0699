// Models whose name says that they are another one of the catalog in another dress: a base or an
// instruct checkpoint, a later training of the same shapes, weights that somebody quantised.
//
// A name is taken apart at its dashes. What says how a model was trained or packed ("instruct",
// "it", "hf", "0528", "fp8", "awq", "w4a16") is set aside; all the rest, with sizes and versions,
// has to be the same (but for the size of what a token takes, "a3b", and a version, "v0.3", of
// which the newest is meant), a month that is named may not be later than that of the catalog's
// model, and the owner has to be the model's own or one that is known to repackage. A name with a
// word that is not known names no model of the catalog.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// A name without its dress: "qwen/qwen3-30b-a3b-fp8" is {"qwen", "qwen3-30b-a3b", {}, "fp8"}.
struct ModelName {
  std::string owner;                  ///< empty: none is named
  std::string model;                  ///< what has to be the same, in small letters
  std::vector<std::string> training;  ///< "instruct", "0528": the shapes stay
  std::string weights;                ///< of catalog/served_as.h, or "bf16"; empty: none is named
};

/// "fp8 and int4" of a name that claims both; empty: it does not contradict itself.
std::string contradiction_in(std::string_view id);

/// None where the weights are of a kind that is not known ("gguf", "int8"), or of two. `maker`: who
/// made the model, for names without an owner and copies of the maker's files.
std::optional<ModelName> model_name(std::string_view id, std::string_view maker = "");

struct Repackaged {
  std::string of;       ///< an id of the catalog
  std::string weights;  ///< of catalog/served_as.h, where the name says so and `of` has others
};

/// Reads a name that the catalog does not have; none: it is no model of the catalog for certain.
std::optional<Repackaged> repackaged_from(std::string_view id);

}  // namespace plimsoll

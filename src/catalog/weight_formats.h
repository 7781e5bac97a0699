// How weights are stored in the usual quantised checkpoints: bytes per weight with the scales, and
// what they are multiplied in.
#pragma once

#include "catalog/layers.h"

namespace plimsoll {

inline constexpr WeightFormat kFp8{1, MatrixFormat::fp8};
inline constexpr WeightFormat kFp8Blocks{1, MatrixFormat::fp8_blocks};
// 4-bit values, an 8-bit scale for 16 (NVFP4) or 32 (OCP microscaling) of them.
inline constexpr WeightFormat kNvfp4{(4 + 8.0 / 16) / 8, MatrixFormat::fp4};
inline constexpr WeightFormat kNvfp4Weights{(4 + 8.0 / 16) / 8, MatrixFormat::bf16};
inline constexpr WeightFormat kMxfp4{(4 + 8.0 / 32) / 8, MatrixFormat::mxfp4};

/// Whole-number weights with a 16-bit scale per group, multiplied in 16 bits; no group, no scales.
constexpr WeightFormat integer_weights(double bits, double group) {
  return {(bits + (group > 0 ? 16 / group : 0)) / 8, MatrixFormat::bf16};
}

}  // namespace plimsoll

// The batching rules, one file each; listed in the table of engine/batching_rule.cc.
#pragma once

#include <memory>

#include "engine/batching_rule.h"

namespace plimsoll {

std::unique_ptr<BatchingRule> make_vllm();
std::unique_ptr<BatchingRule> make_vllm_v0();
std::unique_ptr<BatchingRule> make_sarathi();
std::unique_ptr<BatchingRule> make_orca();
std::unique_ptr<BatchingRule> make_fastertransformer();
std::unique_ptr<BatchingRule> make_lightllm();

}  // namespace plimsoll

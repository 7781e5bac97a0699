#include "cli/unset_of_pools.h"

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {
namespace {

// Which release of vLLM takes blocks of a wider instance is not known here.
void add_unset_of_widths(const Candidate& c, std::vector<UnsetFlag>* unset) {
  if (c.layout_of_other().tp <= c.layout().tp) return;
  unset->push_back(
      {fmt::format("--prefill-tp {} beside --decode-tp {}", c.layout_of_other().tp, c.layout().tp),
       "NixlConnector of vLLM 0.11 refuses a TP for decode that is smaller than that "
       "for prefill: try it with your release first."});
}

// In place of what was said of the router before; nothing: it is set.
void set_remedy(const std::string& router, std::string remedy, std::vector<UnsetFlag>* unset) {
  std::erase_if(*unset,
                [](const UnsetFlag& one) { return one.flag.starts_with("--routing-policy"); });
  if (!remedy.empty()) unset->push_back({"--routing-policy " + router, std::move(remedy)});
}

}  // namespace

void add_unset_of_mix(const Setup& setup, const std::string& router,
                      std::vector<UnsetFlag>* unset) {
  const std::vector<Pool>& pools = setup.deployment.pools;
  const double ratio = pools.front().speed / pools.back().speed;
  set_remedy(router,
             fmt::format("Your balancer in front of both kinds of instances has to route so: by "
                         "arithmetic an instance on {} has {} times the weight of one on {}.",
                         pools.front().gpu, three_digits(ratio), pools.back().gpu),
             unset);
}

void add_unset_router(const std::string& router, const std::string& form,
                      std::vector<UnsetFlag>* unset) {
  std::string remedy = "Your balancer (nginx, HAProxy, Envoy) has to route so.";
  if (form == "kubernetes") {
    remedy =
        "The Service picks a pod for each connection: a proxy in front of the pods, such as "
        "Envoy, has to route each request so.";
  } else if (form == "llm-d") {
    remedy = "The inference scheduler in front of the pods has to be set so.";
  } else if (form == "dynamo") {
    remedy = router == "round-robin"
                 ? ""  // the Frontend's default
                 : "The Frontend routes round-robin unless DYN_ROUTER_MODE says otherwise.";
  }
  set_remedy(router, std::move(remedy), unset);
}

void add_unset_of_split(const Candidate& c, const SplitSpec& split, const std::string& form,
                        std::vector<UnsetFlag>* unset) {
  if (!c.splits()) return;
  const auto add = [&](const std::string& flag, const char* why) { unset->push_back({flag, why}); };
  if (c.pd_decider != "always") {
    add("--pd-decider " + c.pd_decider,
        "What stands in front sends every prompt to an instance for prefill.");
  }
  if (!split.link.empty()) {
    add("--pd-transfer-link " + split.link,
        "UCX_NET_DEVICES says which network devices the servers take.");
  }
  if (split.transfer_gb_per_s.is_asked()) {
    add("--pd-transfer-bandwidth " + plain(split.transfer_gb_per_s),
        "The network devices that the servers take (UCX_NET_DEVICES) have to reach it.");
  }
  if (split.mode == "layerwise") {
    add("--pd-transfer-mode layerwise", "NixlConnector sends blocks after the prefill.");
  }
  if (split.first_token == "prefill" && form != "dynamo") {
    add("--pd-first-token prefill",
        "What stands in front answers with the tokens of the instance for decode.");
  }
  add_unset_of_widths(c, unset);
}

}  // namespace plimsoll

#include "metrics/summary_record.h"

#include <string>
#include <vector>

#include "base/lists.h"
#include "metrics/summary_fields.h"

namespace plimsoll {

template <class Visitor>
void visit_fields(Visitor& v, TrafficGroup& s) {  // the rest of it is of no comparison
  v("name", s.name)("arrived", s.arrived);
}

template <class Visitor>
void visit_fields(Visitor& v, Duration& s) {
  auto& [ns] = s;
  v("ns", ns);
}

template <class Visitor>
void visit_fields(Visitor& v, SloLimits& s) {
  auto& [ttft, itl, e2e] = s;
  v("ttft", ttft)("itl", itl)("e2e", e2e);
}

template <class Visitor>
void visit_fields(Visitor& v, GoodputFigures& s) {
  auto& [arrived, completed, good, attainment, goodput_rps] = s;
  v("arrived", arrived)("completed", completed)("good", good);
  v("attainment", attainment)("goodput_rps", goodput_rps);
}

template <class Visitor>
void visit_fields(Visitor& v, ClassGoodput& s) {
  auto& [name, limits, figures, ttft_attainment, itl_attainment, e2e_attainment] = s;
  v("name", name)("limits", limits)("figures", figures)("ttft_attainment", ttft_attainment);
  v("itl_attainment", itl_attainment)("e2e_attainment", e2e_attainment);
}

template <class Visitor>
void visit_fields(Visitor& v, Goodput& s) {
  auto& [all, classes] = s;
  v("all", all)("classes", classes);
}

template <class Visitor>
void visit_fields(Visitor& v, Fitness& s) {
  auto& [score, components] = s;
  v("score", score);
  v.leaves_out(components);
}

template <class Visitor>
void visit_fields(Visitor& v, Balance& s) {
  auto& [routed, busiest, busiest_share, max_over_mean, jain, concentrated] = s;
  v("routed", routed)("busiest", busiest)("busiest_share", busiest_share);
  v("max_over_mean", max_over_mean)("jain", jain)("concentrated", concentrated);
}

template <class Visitor>
void visit_fields(Visitor& v, Summary& s) {
  auto& [definitions, warmup, cluster, instances, classes, tenants, sessions, users,
         tenant_fairness, priority_inversions, blocked_instances, goodput, saturation, fitness,
         arrived, first_tokens_alone, still_arriving, rejected_admission, rejected_routing, shed,
         gateway, offered_rps, asked_rps, arriving_work, steady_state, intervals, model_band,
         model_error_untested, interrupted, balance, bottleneck, pools, decisions, over_time] = s;
  std::vector<std::string> names = mapped(instances, &GroupSummary::name);
  v("instances", names);  // their figures are not compared
  instances.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) instances[i].name = names[i];
  v("cluster", cluster)("classes", classes)("tenants", tenants)("goodput", goodput);
  v("fitness", fitness)("arrived", arrived)("steady_state", steady_state)("balance", balance);
  v("bottleneck", bottleneck);
  v.leaves_out(definitions, warmup, sessions, users, tenant_fairness, priority_inversions);
  v.leaves_out(blocked_instances, saturation, first_tokens_alone, still_arriving);
  v.leaves_out(rejected_admission, rejected_routing, shed, gateway, offered_rps, asked_rps);
  v.leaves_out(arriving_work, intervals, model_band, model_error_untested, interrupted, pools);
  v.leaves_out(decisions, over_time);
}

Json json_of_summary(const Summary& summary) { return json_of_fields(summary); }

std::optional<Summary> read_summary(const Json& json) { return read_fields<Summary>(json); }

bool is_summary(const Json& json) { return read_summary(json).has_value(); }

}  // namespace plimsoll

// Does a journal carry every field? Each struct is taken apart by name here: one with a new field
// does not compile until the field stands here, and this test then fails until the journal has it.
#include "planner/probe_record.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "metrics/figures.h"
#include "planner/plan_tests.h"

namespace plimsoll {
namespace {

// Gives each figure another value, in order.
struct Filler {
  static constexpr bool kFills = true;
  int count = 0;
  template <class T>
  void leaf(T& value) {
    count += 1;
    if constexpr (std::is_same_v<T, std::string>) {
      value = fmt::format("text {}", count);
    } else if constexpr (std::is_same_v<T, bool>) {
      value = !value;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(1);
    } else {
      value = static_cast<T>(count + 0.5);
    }
  }
};

struct Teller {
  static constexpr bool kFills = false;
  std::vector<std::string> figures;
  template <class T>
  void leaf(T& value) {
    if constexpr (std::is_enum_v<T>) {
      figures.push_back(fmt::format("{}", static_cast<int>(value)));
    } else {
      figures.push_back(fmt::format("{}", value));
    }
  }
};

template <class V, class T>
void visit(V& v, T& value);
template <class V, class... T>
void visit_all(V& v, T&... values) {
  (visit(v, values), ...);
}

template <class V>
void visit_parts(V& v, LatencySummary& s) {
  auto& [a, b, c, d, e] = s;
  visit_all(v, a, b, c, d, e);
}
template <class V>
void visit_parts(V& v, Efficiency& s) {
  auto& [a, b, c, d, e, f] = s;
  visit_all(v, a, b, c, d, e, f);
}
// By the table, which does not compile without all of them.
template <class V>
void visit_parts(V& v, GroupSummary& s) {
  visit_all(v, s.name, s.efficiency);
  for (const GroupFigure& row : kGroupFigures) {
    std::visit(
        [&](auto member) {
          if constexpr (requires { s.*member; }) visit(v, s.*member);
        },
        row.member);
  }
}
template <class V, class Cause>
void visit_parts(V& v, Because<Cause>& s) {
  auto& [cause, figures] = s;
  visit(v, cause);
  for (double& figure : figures) visit(v, figure);
}
template <class V>
void visit_parts(V& v, Bottleneck& s) {
  auto& [a, b, c, d, e, f] = static_cast<Limit&>(s);
  visit_all(v, a, b, c, d, e, f, s.gateway_share, s.queue_share, s.prefill_share,
            s.decode_wait_share, s.transfer_share, s.decode_queue_share, s.prefill_stall_share,
            s.decode_share, s.preemption_share);
  // A struct with a base cannot be taken apart by name.
  static_assert(sizeof(Bottleneck) == sizeof(Limit) + 9 * sizeof(double));
}
template <class V>
void visit_parts(V& v, MetricInterval& s) {
  auto& [a, b, c] = s;
  visit_all(v, a, b, c);
}
template <class V>
void visit_parts(V& v, ProbeSummary& s) {
  auto& [a, b, c, pools, found_before] = s;
  visit_all(v, a, b, c);
}
template <class V>
void visit_parts(V& v, Interval& s) {
  auto& [a, b] = s;
  visit_all(v, a, b);
}
template <class V>
void visit_parts(V& v, SloFigure& s) {
  auto& [a, b, c, d, e, f, g, over_seeds, h] = s;  // a journal holds runs of one seed each
  visit_all(v, a, b, c, d, e, f, g, h);
}
template <class V>
void visit_parts(V& v, SteadyState& s) {
  auto& [a, b, c, d, e, f] = s;
  visit_all(v, a, b, c, d, e, f);
}
template <class V>
void visit_parts(V& v, LoadProbe& s) {
  // A journal holds whole runs of one seed each, and no plan shows which part was simulated.
  auto& [a, b, c, simulated, d, e, seeds, f, g, h, i, j, k, l, interrupted, is_refuting] = s;
  visit_all(v, a, b, c, d, e, f, g, h, i, j, k, l);
}
template <class V, class T>
void visit_parts(V& v, std::optional<T>& value) {
  if constexpr (V::kFills) value.emplace();
  if (value) visit(v, *value);
}
template <class V, class T>
void visit_parts(V& v, std::vector<T>& values) {
  if constexpr (V::kFills) values.resize(2);
  for (T& value : values) visit(v, value);
}

template <class V, class T>
void visit(V& v, T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>) {
    v.leaf(value);
  } else {
    visit_parts(v, value);
  }
}

std::vector<std::string> figures_of(LoadProbe probe) {
  Teller teller;
  visit(teller, probe);
  return teller.figures;
}

TEST(ProbeRecord, carries_every_field_of_a_test) {
  LoadProbe probe;
  Filler filler;
  visit(filler, probe);
  ASSERT_GT(filler.count, 80);
  const auto again = read_probe(Json::parse(json_of_probe(probe).dump()));
  ASSERT_TRUE(again);
  EXPECT_EQ(figures_of(*again), figures_of(probe));
}

// The last of an enumeration: one behind it would be no value for the reader.
TEST(ProbeRecord, reads_the_remedy_of_a_split) {
  LoadProbe probe;
  probe.summary.bottleneck.lever = {Remedy::divided_instances, 5, 3};
  const auto read = read_probe(json_of_probe(probe));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->summary.bottleneck.lever, probe.summary.bottleneck.lever);
}

}  // namespace
}  // namespace plimsoll

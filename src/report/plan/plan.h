// A plan for people and for programs: verdict, the recommended deployment, alternatives, why others
// lost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/plan.h"
#include "planner/shared_fleet.h"
#include "planner/turning_points.h"
#include "report/answer/decision.h"
#include "report/run/terminal.h"
#include "setup/run_config.h"

namespace plimsoll {

// The inputs of a plan beyond its request: traffic and deployments as the command line settled
// them, and what the files hold that it names. Filled by cli/plan_candidates.cc.

struct FileDigest {
  std::string path;
  std::string digest;  ///< of its contents; another one, other contents
};

struct PlanInputs {
  std::vector<ConfigEntry> traffic;  ///< what arrives, at any rate
  std::vector<ConfigEntry> flags;    ///< others that all candidates have in common
  std::vector<FileDigest> files;
  std::int64_t seed = 0;
};

/// Whether to split, or to mix, for loads around the one that was asked about.
struct DivisionTurns {
  std::string key;   ///< of what is varied: "rate_rps"
  std::string unit;  ///< "req/s"
  double asked = 0;  ///< in that unit
  std::vector<DivisionPoint> points;
  DivisionKind of = DivisionKind::split;
};

struct PlanReport {
  PlanRequest request;
  PlanInputs inputs;
  Plan plan;
  FiniteTraffic traffic;                ///< where it ends
  std::string model;                    ///< id
  std::vector<std::string> assumed;     ///< what was not said, and what stood in
  std::vector<std::string> provenance;  ///< of the step times: "measured: ...", one line each
  /// The part of each candidate that was not measured, where steps were; empty texts where all was.
  std::vector<std::string> extrapolations;
  /// Short tests of the best (planner/load_curve.h), where a page is asked for.
  std::vector<LoadProbe> brief;
  std::vector<DivisionTurns> turns;  ///< empty: not asked
  std::string command;               ///< that repeats the plan
  std::string timestamp;             ///< empty: left out
  double elapsed_s = 0;              ///< shown with the timestamp alone

  /// What the other models of a plan of several leave of the limits that they share; none: it is of
  /// one model.
  std::optional<FleetCaps> others;

  const CandidateResult* best() const { return plan.best ? &plan.candidates[*plan.best] : nullptr; }
};

/// The part of this candidate's steps that was not measured, where something was; empty: nothing.
std::string extrapolation_of(const PlanReport& report, const CandidateResult& candidate);

Decision decision_of(const PlanReport& report);
/// The rate that the decision says this candidate serves, and what its money is divided by. A yes
/// to a range of rates promises of its pick what is served even if steps are slow; else it is the
/// rate as simulated.
double promised_rps(const PlanReport& report, const CandidateResult& result);
/// The decision as a text, with a line break at its end.
std::string plan_verdict(const PlanReport& report);
/// What weights that the server narrows may do, and what keeps those that are stored, as a part of
/// a sentence; empty: the pick keeps them, or nobody asked for both.
std::string weights_text(const PlanReport& report);
std::string plan_text(const PlanReport& report, const Style& style);
/// In the sections of capacity planners' summaries: hardware, software, performance, cost, limits,
/// a cheaper and a larger option.
std::string plan_summary(const PlanReport& report);
std::string plan_json(const PlanReport& report);
/// A page that stands alone (report/form/page.h).
std::string plan_html(const PlanReport& report);

}  // namespace plimsoll

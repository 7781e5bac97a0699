// Traffic at any rate, for the searches of planner/: made by flags at that rate, or what a
// specification or a trace says, faster or slower.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "planner/finite_traffic.h"
#include "planner/load_probe.h"
#include "planner/load_unit.h"
#include "setup/run_config.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// Users who wait for their answers, each with one request at a time.
struct WaitingUsers {
  std::int64_t asked = 0;  ///< how many; 0: requests come at a rate
  double think_s = 0;      ///< half of the times are longer
};

struct ScalableTraffic {
  /// Made for a rate; where `users` wait, until count_in(), for how many they are.
  LoadMaker load;
  std::vector<LoadMaker> other_loads;  ///< as ProbedSystem has them
  WaitingUsers users;
  std::uint64_t seed = 42;
  double natural_rps = 0;           ///< of a specification or trace; 0: has none
  std::int64_t whole_requests = 0;  ///< of a specification or trace; 0: as many as are asked for
  FiniteTraffic finite;             ///< where `whole_requests` are all
  /// goodput_slo_targets, each for as large a share of the requests as a run asks for.
  std::vector<Slo> stated_limits;
  std::vector<ConfigEntry> config;
  std::vector<std::string> notes;  ///< for stderr
};

/// Those that are asked for, else those that the traffic states; a note where these are left out.
std::vector<Slo> limits_of(const ScalableTraffic& traffic, std::vector<Slo> asked,
                           std::vector<std::string>* notes);

/// Where a specification makes fewer requests than these limits take to be told: how many are
/// enough for all of them. 0: nothing is lacking, or no number would be enough.
std::int64_t requests_wanted(const RunSpec& run, const std::string& model,
                             const ScalableTraffic& traffic, const std::vector<Slo>& slos);
/// The same for stderr; empty where it is 0.
std::vector<std::string> notes_on_length(const RunSpec& run, const ScalableTraffic& traffic,
                                         std::int64_t wanted);

/// Makes the loads of users for rates in that unit.
void count_in(const LoadUnit& unit, ScalableTraffic* traffic);

/// An error where conversations wait for their answers: then there is no rate to choose.
Result<ScalableTraffic> scalable_traffic(const RunSpec& run, const std::string& model);

}  // namespace plimsoll

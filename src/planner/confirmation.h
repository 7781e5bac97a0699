// What held in a search is asked again with other requests. A search keeps the highest of several
// rates that held with the same requests; where these were lucky, it is too high (the winner's
// curse), and no interval of that one run says so. Only runs that the search did not choose can.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "planner/capacity.h"

namespace plimsoll {

/// The tests that confirm `held`, which `asked` was answered by: one with each of
/// ProbedSystem::other_loads, none shorter than that one.
std::vector<ProbeJob> confirming_jobs(const ProbeJob& asked, const LoadProbe& held);

/// One test for all: `held` and those that were to confirm it. It holds if all do; then it is the
/// first of the others, which nothing has chosen. Else it is the one that speaks against it, and
/// nobody can tell.
LoadProbe with_others(const LoadProbe& held, std::vector<LoadProbe> others);

/// The next tests of a search (RateSearch, MinimumSearch), given those that it has asked for:
/// `job_of(asked)` makes one of a rate or of a number of instances. Empty when it is over.
template <class Search, class JobOf>
std::vector<ProbeJob> next_jobs(const Search& search, const std::vector<LoadProbe>& tests,
                                const JobOf& job_of) {
  std::vector<ProbeJob> jobs;
  for (const auto asked : search.next()) jobs.push_back(job_of(asked));
  if (const auto asked = search.unconfirmed()) {
    jobs = confirming_jobs(job_of(*asked), *std::ranges::find(tests, *asked, Search::asked_by));
  }
  return jobs;
}

/// Tells the search of the tests that next_jobs() asked for, so many, and keeps one for each rate
/// or number. Of confirming tests that were interrupted nothing is kept.
template <class Search>
void take_tests(std::vector<LoadProbe> more, std::size_t asked_for, Search* search,
                std::vector<LoadProbe>* tests) {
  if (const auto asked = search->unconfirmed()) {
    if (more.size() < asked_for) return;
    LoadProbe& held = *std::ranges::find(*tests, *asked, Search::asked_by);
    held = with_others(held, std::move(more));
    search->confirm(*asked, held.answer);
    return;
  }
  for (LoadProbe& test : more) {
    search->tell(test);
    tests->push_back(std::move(test));
  }
}

}  // namespace plimsoll

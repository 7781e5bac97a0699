// How long something takes, for tests that ask whether time grows with the square of a number: they
// compare two runs of one process, and leave room for a small factor.
#pragma once

#include <ctime>

namespace plimsoll::test {

/// In seconds of processor time, so that a busy machine does not count.
template <class Work>
double cpu_seconds(const Work& work) {
  const std::clock_t before = std::clock();
  work();
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

}  // namespace plimsoll::test

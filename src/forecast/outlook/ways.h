// The ways that a series may go on, each with the errors of its own back-test, and the sample paths
// drawn of them. There are two where it is doubtful whether growth has changed: each path then goes
// one of them. Called by forecast/outlook/outlook.cc; all is in logarithms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "forecast/outlook/error_bands.h"
#include "forecast/outlook/event_paths.h"
#include "forecast/outlook/log_scale.h"
#include "forecast/outlook/outlook.h"

namespace plimsoll {

/// The ways that are expected: growth that fades where it was not tested, and how much more it is
/// if it goes on. Any share of that is as likely.
struct Expected {
  std::vector<double> logs;
  std::vector<double> more;

  double at(std::size_t step, double share) const { return logs[step] + share * more[step]; }
  /// Multiplies by what is known of the steps ahead, the last ones of it.
  void multiply(const KnownDemand& known);
};

struct Continued {
  Expected expected;
  ErrorBands bands;
  double spread = 1;       ///< unit of the bands
  std::size_t tested = 0;  ///< steps that the back-test looked ahead
  double most = 0;         ///< error above what is expected

  double error_of(double in_spreads) const { return std::min(most, spread * in_spreads); }
};

struct Way {
  Continued ahead;
  EventPaths events;
};

/// Sets `point`, `bands` and `paths` of an outlook whose `usual` and `season` are known. `chance`:
/// of the first of two ways.
void draw_paths(const std::vector<Way>& ways, double chance, const LogScale& scale,
                const OutlookOptions& options, Outlook* outlook);

/// How many paths there are: fewer where they are long.
std::size_t paths_of(std::size_t horizon, const OutlookOptions& options);

/// The bands of each step as its paths have them.
void set_bands_of_paths(Outlook* outlook);

/// Sets `bands` and `paths` of one whose `point`, `usual` and `season` are known, by values that
/// came. `events`: what may change besides; null: nothing, and clear growth goes on.
void draw_again(const EventPaths* events, const OutlookOptions& options, Outlook* outlook);

}  // namespace plimsoll

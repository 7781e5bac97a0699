// The ways that a series may go on, each with the errors of its own back-test, and the sample paths
// drawn of them. There are two where it is doubtful whether growth has changed: each path then goes
// one of them. Called by forecast/outlook/outlook.cc; all is in logarithms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forecast/outlook/error_law.h"
#include "forecast/outlook/events.h"
#include "forecast/outlook/methods.h"
#include "forecast/outlook/outlook.h"

namespace plimsoll {

// The events that no back-test of a usual past can know, on the sample paths of what comes: odd
// days come again as often as they did, a level of a few days stays on some paths only, and growth
// is known by a standard error. Called where paths are drawn, on logarithms.

/// How much growth may be another one, and since when that counts.
struct GrowthDoubt {
  double per_step = 0;  ///< standard error
  double from = 0;      ///< steps ahead; below 0 in the past
};

class EventPaths {
 public:
  /// The events of a history of so many values.
  /// `once`: by step ahead, what comes with even chances (Past::once); may be empty.
  EventPaths(const Events& events, std::size_t values, const GrowthDoubt& growth,
             std::vector<double> once = {});

  void add_to(std::vector<double>* logs, std::uint64_t seed, std::size_t path) const;

  /// True where paths are no longer distributed as the bands around what is expected, for so many
  /// steps.
  bool differ(std::size_t horizon) const;

 private:
  void find_sizes(std::span<const double> sizes);
  bool is_again(const Event& odd, std::size_t step) const;

  std::size_t day_;                // steps
  std::vector<Event> every_week_;  // odd days that may come every week
  double odd_days_ = 0;            // above the level, once
  double mean_size_ = 0;           // of their logarithms
  double spread_ = 0;
  std::vector<double> once_;
  std::size_t values_;
  GrowthDoubt growth_;
  double young_ = 0;        // log size of a level that may end
  std::size_t age_ = 0;     // of it, in days; 0: there is none
  double level_error_ = 0;  // of a young one
};

/// The chance that odd days that were seen in each of so many weeks, at least one, come every week:
/// before, that was as likely as an event on any day of the week.
double chance_of_every_week(std::size_t weeks);

/// The chance that a level so many days old, of fewer than kLongestStretch, is there to stay.
/// Before it began an event was as likely as a new level, and of any length alike.
double chance_to_stay(std::size_t age);

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

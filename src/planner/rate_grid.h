// The rates that searches try: multiples of 1, 2 or 5 x 10^k req/s, as far apart as the precision
// allows: 39.8, 40 and 40.2 for 1 %. Searches of one precision end at the same rates wherever they
// begin, and most rates that people ask for are among them, so that two answers about a deployment
// rest on the same tests. Rates and precisions are positive.
#pragma once

namespace plimsoll {

/// The nearest one.
double on_rate_grid(double rate_rps, double precision);
/// The next one above, and below.
double next_rate_above(double rate_rps, double precision);
double next_rate_below(double rate_rps, double precision);

}  // namespace plimsoll

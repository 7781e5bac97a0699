// The words of a planner's answer about itself: on how many seeds it rests, what binds, and what is
// to spare. The same words for `capacity` and `plan`.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/because.h"
#include "base/json.h"
#include "catalog/price.h"
#include "metrics/bottleneck.h"
#include "planner/load_probe.h"
#include "planner/load_unit.h"
#include "planner/purchase.h"
#include "planner/slo.h"

namespace plimsoll {

/// A sentence about figures, as its form says: each {} of the form takes the next figure.
/// {n} a whole number with its thousands apart, {i} one without, {n replica} "3 replicas", {%} a
/// share, {s} seconds, {d} three digits, {$} dollars, {-} nothing, {?words} the words if it is
/// above 0.
std::string sentence(std::string_view form, const decltype(Because<int>::figures)& figures);

template <class Cause>
struct SentenceForm {
  Cause cause;
  std::string_view form;
};

/// The sentence of a cause by its row; empty without one.
template <class Row, std::size_t N, class Cause>
std::string sentence(const Row (&rows)[N], const Because<Cause>& reason) {
  const auto row = std::ranges::find(rows, reason.cause, &Row::cause);
  return row == std::end(rows) ? "" : sentence(row->form, reason.figures);
}

/// Requests per second: the rates of a search are close to each other.
std::string four_digits(double rps);
/// The same without zeros at its end, with the unit: "47.4 req/s", "6 req/s".
std::string rate_text(double rps);
/// The same, or in a unit of users "64 users".
std::string load_text(double rps, const LoadUnit& unit);
/// Likewise with three digits, where no other rate is near.
std::string rough_load_text(double rps, const LoadUnit& unit);
/// What step times rest on: "measured kernels", "unmeasured kernels".
std::string kernels_text(Regime regime);
/// How well a model is known that judged these limits: "steps +-5.65 %, beside them TTFT p99
/// +-49.2 %".
std::string error_text(const ModelError& error, const std::vector<Slo>& slos);
/// The text of the error of a logarithm: "5.65 %" after a sign, or "a factor of 1.49" where as much
/// more and as much less are no longer the same in percent.
std::string spread_text(double log_error, std::string_view sign = "");

std::string dollars(double usd);         ///< "$2.69"
std::string hourly_dollars(double usd);  ///< "$2.69/h"
std::string whole_dollars(double usd);   ///< "$1,964"

/// ", while 1.43 % of the requests are not served"; empty below one in a thousand.
std::string unserved_text(double share);

/// "held with 3 seeds, TTFT p95 1.21 s to 1.90 s"; of one seed, what that means.
std::string seeds_text(const std::vector<Slo>& slos, const LoadProbe& held);

/// "decode bandwidth, queue where it fails": what binds at the answer and, if it is something else,
/// in the test that fails beside it (null: none did). `where` names that test.
std::string binding_text(const LoadProbe& held, const LoadProbe* failing,
                         const std::vector<Slo>& slos, std::string_view where = "where it fails");

/// The text of the headroom of a rate that was asked for: what was shown to hold and what fails
/// beside it (infinite: nothing): "214.0 req/s are sustainable, 7.00 % more than asked for", "no
/// headroom demonstrated; it is below 7.00 %".
std::string headroom_text(double asked_rps, double good_rps, double bad_rps,
                          const LoadUnit& unit = {});

/// The SLOs of a test as a table of a page: what was found, how sure that is, and the margin.
/// Nothing without SLOs, or where the test did not get to them. Ids of figures begin with `prefix`.
std::string limits_table(const LoadProbe& probe, const std::vector<Slo>& slos,
                         const std::string& prefix = {}, const LoadUnit& unit = {});

// The price of a GPU and who asks for it, in the same words and keys in every report.

/// "RunPod, 2026-11-09" with what a buyer should know: "RunPod, 2026-11-09, community offer".
std::string offer_origin(const Price& price);
/// "$2.69 per GPU-hour (RunPod, 2026-11-09)".
std::string offer_text(const Price& price);
/// The remarks on all prices of a bill, each once; empty: list prices of today.
std::string remarks_text(const Bill& bill);

/// Price of a GPU and hour, vendor, region, instance, commitment, kind, date, remarks and source.
void put_offer(const Price& price, Json* out);

// What a test shows to help where more instances do not.

inline constexpr std::string_view kSpread =
    "Spread the requests over all instances (--routing-policy least-loaded)";

/// The router had most requests served by few of the instances. `test` may be null.
bool leaves_idle(const LoadProbe* test);

/// How many instances there are to be is what searches decide by tests.
Because<Remedy> bucket_alone(const Because<Remedy>& lever);

/// Says what lets so many requests per second in, where a policy turned requests away in the test
/// that failed; empty: more instances are what helps. `failing` may be null.
std::string let_more_in(const LoadProbe* failing, double wanted_rps);

}  // namespace plimsoll

// The decision that an answer of `run`, `plan`, `capacity` or `forecast` comes to: whether what was
// asked for holds, what undermines that, what is to spare, what to do and by when. Each of these
// verbs fills one in from its results (decision_of() beside its report); the terminal, the page and
// JSON all print that one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/because.h"
#include "base/json.h"
#include "planner/finite_traffic.h"
#include "planner/load_probe.h"
#include "planner/load_unit.h"
#include "report/form/text_report.h"

namespace plimsoll {

enum class DecisionVerdict : std::int8_t {
  yes,        ///< shown to hold, and nothing is known that undermines it
  likely,     ///< shown to hold, but there are doubts
  not_shown,  ///< no test decided it
  no          ///< shown not to hold
};
std::string_view name_of(DecisionVerdict verdict);

/// The doubts that undermine an answer that was shown to hold, with its figures.
enum class Doubt : std::int8_t {
  interrupted,          ///< the search ended before it was complete; 1: a run did
  slow_steps,           ///< req/s sustained at the slow end of the model's error; users if 1
  slow_steps_need,      ///< likewise: instances, 1 if these are groups; 0: none was found that hold
  slow_steps_fail,      ///< with such steps the load of a run is not held
  slow_steps_open,      ///< likewise: the run does not tell
  slow_steps_untested,  ///< likewise: nobody tried, since the run is long; 1: was interrupted
  guess,                ///< the error of step times, a factor: nobody measured kernels of the GPU
  slower_runs,          ///< times as long as predicted that measured tokens took (ModelError)
  no_headroom,          ///< none was shown; it is below this share
  headroom_unknown,
  headroom_short,  ///< less than this share, which was asked for
  hasty,           ///< times as fast as given, the rate of the peaks that are hidden so
  idle_instances,  ///< that the router leaves idle at some loads, but not at others
  above_peak,      ///< MFU: steps do more than the GPU's data sheet allows
  fewer_open,      ///< instances of which no test decided, the fewest of them; 1: there was none
  band,            ///< share of a capacity that the high end of a forecast's band takes
  peak_share,      ///< share of the whole forecast that is handled at least; 1: after a loss
  run_out,         ///< the chance that something runs out
  shared_prefix,   ///< share of the prompts that is simulated as a prefix of all requests
  short_history
};

/// "nobody measured this GPU: steps may be longer or shorter by a factor of 1.49"
std::string doubt_text(const Because<Doubt>& doubt);

struct ModelError;  // perf/model_error.h

/// Adds Doubt::guess where nobody measured kernels of the GPU, Doubt::slower_runs where runs
/// contradict them.
void doubt_speed(const ModelError& error, std::vector<Because<Doubt>>* doubts);
/// Adds Doubt::hasty where the traffic of this test passes so fast that its peaks do not count.
void doubt_haste(const FiniteTraffic& traffic, const LoadProbe& test,
                 std::vector<Because<Doubt>>* doubts);
/// Adds Doubt::above_peak where steps are faster than the GPU can be.
void doubt_peak(const GroupSummary& cluster, std::vector<Because<Doubt>>* doubts);
/// The action against a speed that nobody measured.
inline constexpr std::string_view kMeasureFirst = "Measure its step times before you rely on it";

/// How sure each test is of its answer, where the model's error is left out.
inline constexpr double kTestLevel = 0.95;

struct Decision {
  std::string question;  ///< "40 req/s at TTFT p99 < 500 ms"
  std::string answer;    ///< a clause with a verb and the number that decides
  std::string contrast;  ///< what stands beside it: "3 do not"; may be empty
  DecisionVerdict verdict = DecisionVerdict::not_shown;
  std::vector<Because<Doubt>> doubts;  ///< none unless likely or interrupted, or short of headroom
  std::optional<double> confidence;    ///< of the answer; none: less than is usual, or not known
  bool says_confidence = false;        ///< the answer does itself
  std::optional<double> headroom;      ///< as a share of what was asked for
  std::string headroom_with;           ///< " with the spare one"; empty: with what is needed
  /// The headroom that is left if steps are as slow as the model's error allows.
  std::optional<double> sure_headroom;
  bool headroom_is_simulated = false;  ///< the answer covers that error, and the headroom does not
  std::string action;                  ///< a sentence without a period; empty: nothing beyond
  bool acts_first = false;             ///< the action is another answer than `answer`
  std::string date;                    ///< on which something runs out; empty: none

  /// The verdict for what tests said, with the doubts that are there.
  void settle(Answer tested);
  /// "hold", "likely hold": as the verdict has it.
  std::string likely(std::string_view verb) const;
};

/// The action where `held` instances hold the rate: as many as `wanted`, a share, of headroom
/// takes (`of_peak`: at a peak that no test shows), or steps as slow as may be if these need more;
/// `name` says so many. Empty: those do.
struct Reserve {
  std::int64_t held = 1;
  std::int64_t with_headroom = 1;
  double wanted = 0;
  bool of_peak = false;
  std::int64_t with_slow_steps = 0;
};
inline constexpr std::string_view kErrorPurpose = "to cover the model's error";
/// An action and what else to do, without the last period; the second may be empty.
std::string join_sentences(const std::string& first, const std::string& second);
std::string headroom_purpose(double wanted);  ///< "for 25 % headroom", of a share
std::string action_for(const Reserve& reserve,
                       const std::function<std::string(std::int64_t)>& name);

/// What stands beside the rate that a yes promises even if steps are slow: `most` is text.
std::string as_simulated(const std::string& most);

/// The action for a rate that was shown to hold, where steps as slow as may be hold `low_rps`, and
/// peaks that no test shows have `hidden_peak` times the rate.
std::string action_below(double low_rps, double hidden_peak, const LoadUnit& unit = {});

/// "1 x H100 likely holds 40 req/s, but no headroom was demonstrated; ...": answer, first doubt and
/// contrast, with its period. A no leaves its doubts to the sentences that follow.
std::string first_sentence(const Decision& decision);
/// That sentence, then the other doubts, headroom and action: one to four sentences.
std::string decision_text(const Decision& decision);
/// Good where it is yes, bad where it is no.
Mood mood_of(const Decision& decision);
/// The same as the head of a report: its answer is good, doubtful or bad.
void add_decision(const Decision& decision, TextReport* out);
/// The same as the head of a page.
std::string decision_html(const Decision& decision);
Json decision_json(const Decision& decision);

}  // namespace plimsoll

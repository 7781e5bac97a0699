#include "report/answer/decision.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "perf/model_error.h"
#include "report/answer/words.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

constexpr std::string_view kVerdictNames[]{"yes", "likely", "not_shown", "no"};

struct DoubtRow {
  Doubt cause;
  std::string_view name;  ///< of --json
  std::string_view form;
};

constexpr DoubtRow kDoubts[]{
    {Doubt::interrupted, "interrupted", "the search was interrupted, so some tests are missing"},
    {Doubt::slow_steps, "slow_steps",
     "only {d} req/s are sustainable if real steps are as slow as the model's error allows"},
    {Doubt::slow_steps_need, "slow_steps_need",
     "{n instance} would be needed if real steps are as slow as the model's error allows"},
    {Doubt::slow_steps_fail, "slow_steps_fail",
     "this load is too much if real steps are as slow as the model's error allows"},
    {Doubt::slow_steps_open, "slow_steps_open",
     "this run is too short to tell if real steps are as slow as the model's error allows"},
    {Doubt::slow_steps_untested, "slow_steps_untested",
     "the model's error is not tested in runs of more than 500,000 requests"},
    {Doubt::guess, "guess",
     "nobody measured this GPU: steps may be longer or shorter by a factor of {d}"},
    {Doubt::slower_runs, "slower_runs",
     "MoE models measured on this GPU took up to {d} times as long per token, for reasons "
     "nobody published"},
    {Doubt::no_headroom, "no_headroom", "no headroom was demonstrated (it is below {%})"},
    {Doubt::headroom_unknown, "headroom_unknown", "no headroom was demonstrated"},
    {Doubt::headroom_short, "headroom_short", "the headroom is less than the {%} asked for"},
    {Doubt::hasty, "hasty",
     "the traffic is sped up {d} times, so its peak of {d} req/s is too brief to count"},
    {Doubt::idle_instances, "idle_instances",
     "the router leaves instances idle at some loads, so capacity is uncertain"},
    {Doubt::above_peak, "above_peak",
     "these step times are impossible on this GPU: they imply {%} of its peak"},
    {Doubt::fewer_open, "fewer_open", "{n} may be enough: no test was long enough to decide"},
    {Doubt::band, "band", "at the high end of the forecast {%} of the capacity is used"},
    {Doubt::peak_share, "peak_share",
     "only {%} of the load is handled if real steps are as slow as the model's error allows"},
    {Doubt::run_out, "run_out", "the chance that something runs out is {%}"},
    {Doubt::shared_prefix, "shared_prefix",
     "{%} of each prompt is assumed to be a prefix all requests share: if it belongs to "
     "conversations, set \"sessions\""},
    {Doubt::short_history, "short_history",
     "the history is too short to test a forecast ({n value} are needed)"}};

// The first sentence has the first doubt, but of a no, which is none the less certain.
bool leads_with_doubt(const Decision& d) {
  return !d.doubts.empty() && d.verdict != DecisionVerdict::no;
}

// Headroom is what tests of the simulation showed: a doubt that the load itself is held with slow
// steps would contradict it.
std::string headroom_condition(const Decision& d) {
  const bool is_doubted = std::ranges::any_of(d.doubts, [](const Because<Doubt>& doubt) {
    return doubt.cause == Doubt::slow_steps || doubt.cause == Doubt::slow_steps_need ||
           doubt.cause == Doubt::slow_steps_fail || doubt.cause == Doubt::peak_share;
  });
  std::string text = d.headroom_with;
  if (is_doubted || d.headroom_is_simulated || d.sure_headroom) text += " as simulated";
  if (d.sure_headroom) {
    text += fmt::format(", {} with the model's error",
                        *d.sure_headroom > 0 ? percent(*d.sure_headroom) : "none");
  }
  return text + ".";
}

// What stands after the first sentence.
std::vector<std::string> further_sentences(const Decision& d) {
  std::vector<std::string> sentences;
  std::vector<std::string> doubts;
  for (std::size_t i = leads_with_doubt(d) ? 1 : 0; i < d.doubts.size(); ++i)
    doubts.push_back(doubt_text(d.doubts[i]));
  if (!doubts.empty()) sentences.push_back("Also, " + join(doubts, "; ") + ".");
  constexpr double kManyTimes = 9;
  if (d.headroom && *d.headroom >= kManyTimes) {
    sentences.push_back("The sustainable load is " + three_digits(*d.headroom + 1) + " times that" +
                        headroom_condition(d));
  } else if (d.headroom && *d.headroom > 0) {
    sentences.push_back("Headroom is " + percent(*d.headroom) + headroom_condition(d));
  }
  if (!d.action.empty()) sentences.push_back(d.action + ".");
  return sentences;
}

// All of it, what decides first.
std::vector<std::string> sentences_of(const Decision& d) {
  std::vector<std::string> sentences = further_sentences(d);
  sentences.insert(sentences.begin(), first_sentence(d));
  if (d.acts_first) std::rotate(sentences.begin(), sentences.end() - 1, sentences.end());
  return sentences;
}

}  // namespace

std::string doubt_text(const Because<Doubt>& doubt) {
  if (doubt == Because<Doubt>(Doubt::slow_steps_need, 0))
    return "none tested holds if real steps are as slow as the model's error allows";
  if (doubt == Because<Doubt>(Doubt::interrupted, 1)) return "the run was interrupted";
  if (doubt == Because<Doubt>(Doubt::slow_steps_untested, 1))
    return "the model's error was not tested";
  if (doubt.cause == Doubt::slow_steps_need && doubt.figures[1] > 0) {
    return sentence(
        "{n group} would be needed if real steps are as slow as the model's error allows",
        doubt.figures);
  }
  if (doubt.cause == Doubt::fewer_open && doubt.figures[1] > 0 && doubt.figures[0] <= 1)
    return "fewer were not tested";
  if (doubt.cause == Doubt::fewer_open) {
    const std::string few = doubt.figures[2] > 0 ? "{n group} may be enough" : "{n} may be enough";
    return sentence(few + (doubt.figures[1] > 0 ? ": they were not tested"
                                                : ": no test was long enough to decide"),
                    doubt.figures);
  }
  if (doubt == Because<Doubt>(Doubt::slow_steps, 0.0))
    return "no rate tested is sustainable if real steps are as slow as the model's error allows";
  if (doubt.cause == Doubt::slow_steps && doubt.figures[1] > 0)
    return sentence(
        "only {n user} are served if real steps are as slow as the model's error allows",
        doubt.figures);
  if (doubt == Because<Doubt>(Doubt::peak_share, 0.0))
    return "no load tested is handled if real steps are as slow as the model's error allows";
  if (doubt.cause == Doubt::peak_share && doubt.figures[1] > 0) {
    return sentence(
        "only {%} of the load is handled after a loss if real steps are as slow as the model's "
        "error allows",
        doubt.figures);
  }
  return sentence(kDoubts, doubt);
}

std::string_view name_of(DecisionVerdict verdict) {
  return kVerdictNames[static_cast<int>(verdict)];
}

void doubt_speed(const ModelError& error, std::vector<Because<Doubt>>* doubts) {
  if (error.regime == Regime::unknown) doubts->emplace_back(Doubt::guess, std::exp(error.step));
  if (error.slower_runs > 0) doubts->emplace_back(Doubt::slower_runs, error.slower_runs);
}

void doubt_peak(const GroupSummary& cluster, std::vector<Because<Doubt>>* doubts) {
  if (cluster.efficiency && cluster.efficiency->mfu > 1)
    doubts->emplace_back(Doubt::above_peak, cluster.efficiency->mfu);
}

void doubt_haste(const FiniteTraffic& traffic, const LoadProbe& test,
                 std::vector<Because<Doubt>>* doubts) {
  if (const double haste = traffic.haste(test); haste > 0)
    doubts->emplace_back(Doubt::hasty, haste, traffic.busiest_tenth * test.rate_rps);
}

void Decision::settle(Answer tested) {
  verdict = tested == Answer::fails     ? DecisionVerdict::no
            : tested == Answer::unclear ? DecisionVerdict::not_shown
            : doubts.empty()            ? DecisionVerdict::yes
                                        : DecisionVerdict::likely;
  if (verdict != DecisionVerdict::yes) confidence.reset();
}

std::string Decision::likely(std::string_view verb) const {
  return (verdict == DecisionVerdict::likely ? "likely " : "") + std::string(verb);
}

std::string join_sentences(const std::string& first, const std::string& second) {
  return second.empty() ? first : first + ". " + second;
}

std::string headroom_purpose(double wanted) {
  return fmt::format("for {:g} % headroom", 100 * wanted);
}

std::string action_for(const Reserve& r, const std::function<std::string(std::int64_t)>& name) {
  if (r.with_slow_steps > r.with_headroom)
    return fmt::format("Deploy {} {}", name(r.with_slow_steps), kErrorPurpose);
  if (r.with_headroom <= r.held) return {};
  return fmt::format("Deploy {} {}{}", name(r.with_headroom), headroom_purpose(r.wanted),
                     r.of_peak ? " at the peak" : "");
}

std::string as_simulated(const std::string& most) { return most + " as simulated"; }

std::string action_below(double low_rps, double hidden_peak, const LoadUnit& unit) {
  return "Plan for at most " + load_text(low_rps / hidden_peak, unit) +
         ", which covers the model's error" + (hidden_peak > 1 ? " and the peak" : "");
}

std::string first_sentence(const Decision& d) {
  std::string text = d.answer;
  if (d.confidence && !d.says_confidence)
    text += fmt::format(" ({:.0f} % confidence{})", 100 * *d.confidence,
                        *d.confidence == kTestLevel ? ", the model's error left out" : "");
  const std::string_view joint = d.verdict == DecisionVerdict::not_shown ? ", as " : ", but ";
  if (leads_with_doubt(d)) text += std::string(joint) + doubt_text(d.doubts.front());
  if (!d.contrast.empty()) text += "; " + d.contrast;
  return capitalised(std::move(text)) + ".";
}

std::string decision_text(const Decision& d) { return join(sentences_of(d), " "); }

Mood mood_of(const Decision& d) {
  return d.verdict == DecisionVerdict::yes  ? Mood::good
         : d.verdict == DecisionVerdict::no ? Mood::bad
                                            : Mood::doubtful;
}

void add_decision(const Decision& d, TextReport* out) {
  if (out->style().markup) return out->add(decision_html(d));
  out->verdict(decision_text(d), (d.acts_first ? d.action : d.answer).size(), mood_of(d));
}

std::string decision_html(const Decision& d) {
  std::vector<std::string> sentences = sentences_of(d);
  const std::string first = sentences.front();
  sentences.erase(sentences.begin());
  const std::string further = join(sentences, " ");
  return page_heading(first) + (further.empty() ? "" : element("p", "", prose(further)) + "\n");
}

Json decision_json(const Decision& d) {
  Json doubts = Json::array();
  for (const Because<Doubt>& doubt : d.doubts) {
    const DoubtRow* row = find_in(kDoubts, doubt.cause, &DoubtRow::cause);
    doubts.push_back({{"doubt", row->name}, {"reason", doubt_text(doubt)}});
  }
  return {{"verdict", name_of(d.verdict)},
          {"question", d.question},
          {"answer", decision_text(d)},
          {"confidence", d.confidence},
          {"doubts", std::move(doubts)},
          {"headroom", d.headroom && *d.headroom > 0 ? Json(*d.headroom) : Json()},
          {"action", d.action.empty() ? Json() : Json(d.action)},
          {"date", d.date.empty() ? Json() : Json(d.date)}};
}

}  // namespace plimsoll

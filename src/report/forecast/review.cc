// The questions of a capacity review: a cold cache, retries, and routes that fail over.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

std::string cold_peak(const PeakCheck& peak) {
  if (!peak.line.is_known)
    return "how much of that peak the deployment handles is too close to call";
  if (peak.line.factor < 1) return "the deployment handles " + held_text(peak) + " of that peak";
  return fmt::format("the deployment handles up to {}x that peak", three_digits(peak.line.factor));
}

std::string cold_prompts(const ForecastReport& r) {
  const auto& prompts = r.headroom.review.cold_prompt_tokens_per_s;
  if (!prompts) return {};
  std::string text =
      fmt::format("a cold cache raises prompt load to {} tokens/s", amount_text(*prompts));
  const ScenarioRow* row = r.cold_scenario();
  if (row != nullptr && row->peak) return text + "; " + cold_peak(*row->peak);
  const SheetRow* sheet = r.headroom.row_of(Resource::prompt_tokens);
  if (sheet != nullptr && sheet->capacity) {
    text += fmt::format(", {} of capacity", share_text(*prompts / *sheet->capacity));
  }
  return text;
}

std::string cold_sentence(const ForecastReport& r) {
  const auto& usd = r.headroom.review.cold_add_usd_per_month;
  const std::string prompts = cold_prompts(r);
  if (!usd) {
    return prompts.empty() ? "a cold cache changes nothing" : prompts;
  }
  return fmt::format("{}with a cold cache, providers cost ${} a month more",
                     prompts.empty() ? "" : prompts + "; ", amount_text(*usd));
}

std::string session_sentence(const ForecastReport& r) {
  const auto hits = r.session_hits();
  if (!hits) return {};
  return fmt::format(
      "the cache hits {} of session prompts at the peak; one that keeps every context "
      "would find {}",
      percent(hits->found), percent(hits->at_most));
}

std::string beyond(const std::string& limit) {
  return limit.empty() ? std::string() : "; beyond that: " + limit;
}

std::string retry_sentence(const Spare& spare, const std::string& limit) {
  if (!spare.share) return "how many retries can be absorbed is too close to call";
  if (std::isinf(*spare.share)) return "no known limit is broken by retries";
  if (*spare.share <= 0) return "no retries can be absorbed: " + limit;
  const std::string how_many = *spare.share > 1
                                   ? fmt::format("each request can be sent {} times in total",
                                                 three_digits(1 + *spare.share))
                                   : percent(*spare.share) + " of all requests can be retried once";
  return how_many + beyond(limit);
}

std::string fallback_sentence(const FallbackSpare& f, const std::string& limit) {
  const std::string all = amount_text(f.requests_per_s) + " requests/s";
  if (!f.spare.share) {
    return fmt::format("how much of the {} of {} {} could take is too close to call", all, f.route,
                       f.to);
  }
  const std::string begin = fmt::format("if {} fails, {} takes ", f.route, f.to);
  if (std::isinf(*f.spare.share)) return begin + "its " + all + ": no limit on them is known";
  if (*f.spare.share <= 0) return begin + "none of its " + all + ": " + limit;
  if (*f.spare.share >= 1) return begin + "all of its " + all;
  return fmt::format("{}{} of its {} ({}){}", begin, amount_text(*f.spare.share * f.requests_per_s),
                     all, percent(*f.spare.share), beyond(limit));
}

// Says how much of a route may fail over; empty where that follows from the failure of all of it.
std::string partial_sentence(const FallbackSpare& f, const std::string& limit) {
  const auto& part = f.partial.share;
  if (!part || !std::isfinite(*part) || (*part >= 1 && f.spare.share >= 1)) return {};
  const std::string begin = fmt::format("if only part of {} fails, {} takes ", f.route, f.to);
  if (*part <= 0) return begin + "none of it: " + limit;
  if (*part >= 1) return begin + "any part of it";
  return fmt::format("{}{} of its requests in addition{}", begin, percent(*part), beyond(limit));
}

}  // namespace

std::string limit_text(const Spare& spare, const std::vector<Slo>& slos) {
  if (spare.runs_out) return run_out_text(*spare.runs_out);
  return spare.beyond ? reason_text(*spare.beyond, slos) : "";
}

std::vector<std::string> review_sentences(const ForecastReport& r) {
  const ReviewAnswers& review = r.headroom.review;
  const std::vector<Slo>& slos = r.request.slos;
  std::vector<std::string> sentences{
      cold_sentence(r), retry_sentence(review.retries, limit_text(review.retries, slos))};
  if (std::string found = session_sentence(r); !found.empty()) sentences.push_back(found);
  for (const FallbackSpare& fallback : review.fallbacks) {
    sentences.push_back(fallback_sentence(fallback, limit_text(fallback.spare, slos)));
    const std::string part = partial_sentence(fallback, limit_text(fallback.partial, slos));
    if (!part.empty()) sentences.push_back(part);
  }
  return sentences;
}

}  // namespace plimsoll

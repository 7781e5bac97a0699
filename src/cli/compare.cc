// `plimsoll compare`: which of these is better, and is the difference real?
#include <fmt/format.h>

#include <algorithm>

#include "base/lists.h"
#include "base/parallel.h"
#include "base/quoting.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/flag_rows.h"
#include "cli/idle_flags.h"
#include "cli/policy_bundle.h"
#include "cli/run_functions.h"
#include "cli/shared_trials.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "cli/variants.h"
#include "report/compare/comparison.h"
#include "report/form/field_text.h"
#include "setup/gpu_price.h"
#include "setup/metric_request.h"
#include "setup/trials.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kUsualSeeds = 5;

std::size_t figure_number(std::string_view key) {
  return static_cast<std::size_t>(std::ranges::find(compared_figures(), key, &ComparedFigure::key) -
                                  compared_figures().begin());
}

// " --flag text" of each, by name, as it may be typed.
std::string as_words(const GivenFlags& given) {
  std::string words;
  for (const auto& [name, text] : given) {
    words += typed_word(flag_word(*std::ranges::find(flags(), name, &Flag::name), text));
  }
  return words;
}

bool is_about_output(std::string_view flag) {
  return decides_nothing(std::ranges::find(flags(), flag, &Flag::name)->group);
}

class Comparing {
 public:
  explicit Comparing(const Command& command)
      : command_(command), options_(command.options), work_(command, "run", "simulating") {}

  Result<int> run() {
    TRY_TO(work_.check_flags());
    TRY_TO(check_seeds());
    TRY_SET(variants_, read_variants(command_));
    TRY_TO(make_trials());
    TRY(traffic, any_traffic(trials_.front().run, trials_.front().setup.model));
    const bool has_targets = !traffic.goodput_slo_targets.empty();
    TRY(leading, leading_figure(has_targets));
    print_notes(options_, notes_);
    print_notes(options_, traffic.notes);
    facts_.traffic = traffic.config;
    facts_.closed_loop = traffic.source->reacts();
    const std::uint64_t first_seed = traffic.seed;
    if (work_.is_kept()) {
      TRY(ended, work_.open(question_of_trials(command_, variants_, trials_)));
      if (ended) return *ended;
    }
    auto runs =
        run_trials(trials_, std::move(traffic), seeds(), watch_for(&work_, variants_, threads()));
    if (!runs) return pass_on(runs);
    if (work_.shard() != nullptr) return work_.finish_shard();
    work_.line().clear();
    if (runs->interrupted) {
      print_error(fmt::format("interrupted: {} of {} seeds were done by all variants\n",
                              runs->seeds, seeds()));
      if (runs->seeds == 0) return hand_over("", work_.side_files(true, {}), interrupted_code());
    }
    for (std::size_t i = 0; i < runs->seeds; ++i) {
      facts_.seeds.push_back(static_cast<std::int64_t>(first_seed + i));
    }
    note_absent_names(*runs);
    return answer(leading, *runs);
  }

 private:
  bool recorded() const { return options_.run.traffic.trace.is_asked(); }
  std::size_t seeds() const {
    return static_cast<std::size_t>(options_.compare.seeds.value_or(recorded() ? 1 : kUsualSeeds));
  }
  std::size_t threads() const { return threads_for(options_.console.threads); }

  Result<void> check_seeds() const {
    if (!recorded() || options_.compare.seeds.value_or(1) == 1) return {};
    return fail(ErrorKind::usage, "--seeds goes with generated traffic",
                "a trace is the same whatever the seed: it is one sample");
  }

  Result<void> make_trials() {
    for (Variant& variant : variants_) {
      auto made = make_trial(variant);
      if (!made) return tl::unexpected<Error>(in_variant(variant.name, std::move(made.error())));
    }
    return check_priced_gpus();
  }

  Result<void> make_trial(Variant& variant) {
    Options& options = variant.command.options;
    std::vector<std::string> notes = variant.command.notes;
    TRY(from_files, apply_files(&options));
    append(&notes, from_files);
    TRY(metrics, metric_request(options.metrics, options.run));
    TRY(setup, setup_of(options));
    TRY(priced, deployment_bill(options.prices, options.run.hardware, setup.deployment));
    append(&notes, metrics.notes);
    append(&notes, setup.notes);
    for (const std::string& note : notes) {
      notes_.push_back("variant \"" + variant.name + "\": " + note);
    }
    VariantFacts facts;
    if (const std::string words = as_words(variant.own); !words.empty()) {
      facts.flags = words.substr(1);
    }
    facts.config = setup.config;
    append(&facts.config, setup.limits);
    for (const std::string& gpu : setup.gpus_of_pools()) {
      GpuCount kind{gpu};
      for (const Pool& pool : setup.deployment.pools)
        kind.gpus += pool.gpu == gpu ? pool.num_instances * pool.gpus : 0;
      facts.gpus_by_kind.push_back(std::move(kind));
    }
    facts.gpus = setup.gpus;
    facts.model_error = setup.model_error;
    facts.steps_of = steps_of(facts);
    facts.unpriced = priced.unpriced;
    facts.prices = priced.bill.prices();
    if (!facts.prices.empty()) facts.usd_per_hour = priced.bill.usd_per_hour();
    facts_.variants.push_back(std::move(facts));
    trials_.push_back({options.run, std::move(setup), std::move(metrics.summary)});
    return {};
  }

  static std::string steps_of(const VariantFacts& facts) {
    constexpr std::string_view kKeys[]{"model",        "hardware",
                                       "tp",           "pp",
                                       "dp",           "enable-expert-parallel",
                                       "quantization", "kv-cache-dtype",
                                       "engine",       "latency-model",
                                       "model-config"};
    std::string text;
    for (const ConfigEntry& entry : facts.config) {
      if (std::ranges::find(kKeys, entry.key) != std::end(kKeys))
        text += entry.key + "=" + typed(entry.value) + " ";
    }
    for (const GpuCount& kind : facts.gpus_by_kind) text += kind.gpu + " ";
    return text;
  }

  // Variants name them in the common flags, mostly: each is noted once.
  void note_absent_names(const TrialRuns& runs) const {
    std::vector<std::string> notes;
    for (std::size_t v = 0; v < trials_.size(); ++v) {
      const Summary& first = runs.by_trial[v].front();
      for (std::string& note : notes_on_absent_names(variants_[v].command.options, first)) {
        add_once(&notes, std::move(note));
      }
    }
    print_notes(options_, notes);
  }

  Result<void> check_priced_gpus() const {
    std::vector<std::string> gpus;
    for (const VariantFacts& facts : facts_.variants) {
      for (const GpuCount& kind : facts.gpus_by_kind) add_once(&gpus, kind.gpu);
    }
    for (const Variant& variant : variants_) {
      for (const auto& [name, usd] : variant.command.options.prices.by_gpu) {
        const auto is_it = [&wanted = name](const std::string& gpu) {
          return to_lower(gpu) == to_lower(wanted);
        };
        if (name.empty() || std::ranges::any_of(gpus, is_it)) continue;
        return fail(ErrorKind::usage, "--gpu-price: no variant runs on \"" + to_lower(name) + "\"",
                    "they run on " + join(gpus, ", "));
      }
    }
    return {};
  }

  Result<std::size_t> leading_figure(bool traffic_has_targets) const {
    const SummaryOptions& wanted = trials_.front().summary;
    const bool goodput = any(wanted.goodput) || traffic_has_targets;
    const bool fitness = !wanted.fitness.weights.empty();
    if (!options_.compare.leading_figure) {
      return figure_number(fitness ? "fitness" : goodput ? "slo_attainment" : "ttft_p99_ms");
    }
    const std::string& key = *options_.compare.leading_figure;
    if (key == "fitness" && !fitness) {
      return fail(ErrorKind::usage, "--by fitness needs --fitness-weights");
    }
    if ((key == "slo_attainment" || key == "goodput_rps") && !goodput) {
      return fail(ErrorKind::usage, "--by " + key + " needs limits",
                  "--slo-ttft, --slo-itl or --slo-e2e, or goodput_slo_targets of a specification");
    }
    for (std::size_t v = 0; v < facts_.variants.size() && key.starts_with("usd_"); ++v) {
      if (facts_.variants[v].usd_per_hour) continue;
      return fail(ErrorKind::usage,
                  "--by " + key + ": no price is known for the " + facts_.variants[v].unpriced +
                      " of variant \"" + variants_[v].name + "\"",
                  "`plimsoll list prices` shows those that are known; --gpu-price gives one");
    }
    return figure_number(key);
  }

  std::vector<VariantRuns> variant_runs(TrialRuns& runs) {
    std::vector<VariantRuns> out;
    for (std::size_t v = 0; v < variants_.size(); ++v) {
      VariantFacts& facts = facts_.variants[v];
      for (const Summary& run : runs.by_trial[v]) {
        facts.enough_requests = std::max(facts.enough_requests, run.steady_state.enough_requests);
        if (run.balance.concentrated && facts.concentration.empty()) {
          facts.concentration = concentration_text(run.balance, run.instances.size());
        }
      }
      out.push_back({variants_[v].name, facts.usd_per_hour, std::move(runs.by_trial[v])});
    }
    return out;
  }

  int answer(std::size_t leading, TrialRuns& runs) {
    facts_.arrived = runs.by_trial.front().front().arrived;
    facts_.seeds_asked = static_cast<std::int64_t>(seeds());
    facts_.recorded = recorded();
    const Comparison comparison = compare_variants(variant_runs(runs), leading);
    facts_.next = next_steps(comparison);
    const auto text = [&](const Style& style) {
      return comparison_text(comparison, facts_, style);
    };
    const auto json = [&] { return comparison_json(comparison, facts_); };
    const auto verdict = [&] { return comparison_verdict(comparison, facts_); };
    std::vector<SideFile> files = work_.side_files(runs.interrupted, [&] {
      return SharedAnswer{json(), verdict()};
    });
    append(&files,
           page_of(command_, "Comparison of " + counted(std::ssize(variants_), "variant"), text));
    return hand_over(in_form_asked_for(options_.console, {json, verdict, text}), files,
                     runs.interrupted ? interrupted_code() : 0);
  }

  // The same command line with one flag set anew. More requests need more time than the horizon.
  std::string again_with(const std::string& flag, std::int64_t value) const {
    GivenFlags given = flags_of(options_);
    if (flag == "--num-requests") given.erase("--horizon");
    given.erase("--variant");
    std::erase_if(given, [](const auto& entry) { return is_about_output(entry.first); });
    given.erase(flag);
    given.emplace(flag, std::to_string(value));
    std::string words = "plimsoll compare" + as_words(given);
    for (const std::string& variant : options_.compare.variants) {
      words += " --variant " + shell_quoted(variant);
    }
    return words;
  }

  std::string run_of(std::size_t variant) const {
    GivenFlags given = flags_of(variants_[variant].command.options);
    std::erase_if(given, [](const auto& entry) { return is_about_output(entry.first); });
    given.erase("--gpu-price");
    return fmt::format("plimsoll {}{}", recorded() ? "replay" : "run", as_words(given));
  }

  std::vector<NextStep> next_steps(const Comparison& c) const {
    std::vector<NextStep> steps;
    std::int64_t enough = 0;
    for (std::size_t v = 0; v < c.variants.size(); ++v) {
      // Without balance no length is enough.
      if (!facts_.variants[v].concentration.empty()) continue;
      enough = std::max(enough, facts_.variants[v].enough_requests);
    }
    const bool is_more = enough > options_.run.traffic.num_requests.value_or(0);
    if (enough > 0 && is_more && !recorded()) {
      steps.push_back({again_with("--num-requests", enough), "longer runs, to tell more"});
    }
    const bool undecided = std::ranges::any_of(c.from_best, [](const Difference& d) {
      return !d.paired.equal && !d.negligible && !d.paired.is_real();
    });
    const auto now = static_cast<std::int64_t>(seeds());
    if (steps.empty() && undecided && !recorded() && 2 * now <= kMostSeeds) {
      steps.push_back({again_with("--seeds", now == 1 ? kUsualSeeds : 2 * now),
                       now == 1 ? "is it more than chance?" : "narrower intervals"});
    }
    const ComparisonOutcome outcome = verdict_of(c, facts_).outcome;
    const std::string_view which = outcome == ComparisonOutcome::better ? "the best one in detail"
                                   : outcome == ComparisonOutcome::tie
                                       ? "one of them in detail"
                                       : "the leading one in detail";
    if (c.best) steps.push_back({run_of(*c.best), std::string(which)});
    return steps;
  }

  const Command& command_;
  const Options& options_;
  std::vector<Variant> variants_;
  std::vector<Trial> trials_;
  std::vector<std::string> notes_;
  ComparisonFacts facts_;
  SharedWork work_;
};

}  // namespace

Result<int> compare_verb(const Command& command) { return Comparing(command).run(); }

}  // namespace plimsoll

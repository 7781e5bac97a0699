#include "cli/forecast_deployment.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/idle_flags.h"
#include "cli/policy_bundle.h"
#include "cli/typed_flags.h"
#include "cli/verbs.h"
#include "forecast/demand/token_load.h"
#include "metrics/pools.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "setup/gpu_price.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

std::string flag_in(const std::string& word) { return word.substr(0, word.find('=')); }

// What a forecast says in its file, or does not need.
bool is_of_deployment(const Flag& flag) {
  constexpr std::string_view kTraffic[]{"--rate", "--num-requests"};
  return find_verb("run")->has(flag.group) && !decides_nothing(flag.group) &&
         !contains(kTraffic, flag.name);
}

// One such flag takes the place of all others.
bool counts_instances(const std::string& word) {
  constexpr std::string_view kCounts[]{"--num-instances", "--prefill-instances",
                                       "--decode-instances", "--fleet"};
  return contains(kCounts, flag_in(word));
}

// The two that save least: the others are further from what is there.
Result<std::vector<std::string>> cheaper_than(const Options& options, const Price& now) {
  constexpr std::size_t kMost = 2;
  TRY(prices, PriceBook::read(options.prices, options.run.hardware, ""));
  std::vector<std::pair<double, std::string>> cheaper;
  for (const std::string& gpu : prices.gpus()) {
    TRY(price, price_of(options.prices, options.run.hardware, gpu));
    if (price && price->usd_per_gpu_hour() < now.usd_per_gpu_hour() && gpu != now.gpu) {
      cheaper.emplace_back(-price->usd_per_gpu_hour(), gpu);
    }
  }
  std::ranges::sort(cheaper);
  std::vector<std::string> names;
  for (const auto& [price, gpu] : cheaper) {
    if (names.size() < kMost) names.push_back(gpu);
  }
  return names;
}

// "6 H100 + 4 L40S".
std::string gpus_text(const Deployment& deployment) {
  std::vector<std::pair<std::string, std::int64_t>> kinds;
  for (const Pool& pool : deployment.pools) {
    const std::int64_t gpus = pool.num_instances * pool.gpus;
    const auto same =
        std::ranges::find(kinds, pool.gpu, &std::pair<std::string, std::int64_t>::first);
    if (same == kinds.end()) {
      kinds.emplace_back(pool.gpu, gpus);
    } else {
      same->second += gpus;
    }
  }
  return join(
      mapped(kinds, [](const auto& kind) { return grouped(kind.second) + " " + kind.first; }),
      " + ");
}

std::string deployed_words(const Served& served) {
  const Deployment& deployment = served.system.deployment;
  if (served.has_pools()) return deployed_text(sizes_of(deployment)) + ", " + gpus_text(deployment);
  return fmt::format("{} x {} {}", counted(served.replicas(), "instance"),
                     served.gpus_per_replica(), served.gpu);
}

// What is counted where pools grow together.
std::string words_on_groups(const Served& served) {
  return fmt::format("GPUs are added in whole groups of {}",
                     deployed_text(sizes_of(served.with_replicas(1).system.deployment)));
}

// Such a router would send all requests of a route without sessions to one instance, by the prefix
// that they share.
Result<void> check_sessions(const ForecastRequest& request, const Deployment& deployment) {
  const auto shares_prefix = [](const Route& route) {
    return !route.from_provider && route.cached_share > 0 && !route.sessions;
  };
  if (deployment.router != "session-affinity" ||
      std::ranges::none_of(request.forecast, shares_prefix))
    return {};
  return fail(ErrorKind::usage,
              request.file +
                  ": session-affinity would send all requests of a route to one "
                  "instance: those of a route without \"sessions\" share a cached prefix",
              "say \"sessions\" of the route, or another \"routing_policy\", such as least-loaded");
}

}  // namespace

std::vector<std::string> deployment_flags(const Options& options) {
  return flag_words(options, is_of_deployment);
}

std::vector<std::string> follow_instances(const std::optional<History>& past,
                                          std::vector<std::string>* flags) {
  const bool is_told = flags->empty() || std::ranges::any_of(*flags, counts_instances);
  if (!past || past->instances <= 1 || is_told) return {};
  flags->push_back(fmt::format("--num-instances={}", past->instances));
  return {
      fmt::format("{} are deployed, as many as the history counts at its end; --num-instances "
                  "says otherwise",
                  counted(past->instances, "instance"))};
}

std::vector<std::string> overridden(std::vector<std::string> flags,
                                    const std::vector<std::string>& more) {
  for (const std::string& flag : more) {
    const bool counts = counts_instances(flag);
    std::erase_if(flags, [&](const std::string& f) {
      const bool is_of_more = contains(more, f);
      return flag_in(f) == flag_in(flag) || (counts && counts_instances(f) && !is_of_more);
    });
    flags.push_back(flag);
  }
  return flags;
}

std::vector<DeploymentKey> deployment_keys() {
  std::vector<DeploymentKey> keys;
  const auto add = [&](std::string_view word, bool says_what_serves, bool names_file) {
    const std::string name(word.substr(word.find_first_not_of('-')));
    if (auto* known = find_where(keys, [&](const DeploymentKey& k) { return k.name == name; })) {
      known->says_what_serves |= says_what_serves;
    } else {
      keys.push_back({name, says_what_serves, names_file});
    }
  };
  for (const Flag& flag : flags()) {
    const bool serves = find_verb("forecast")->has(flag.group);
    add(flag.name, serves, flag.takes_path());
    for (const Alias& alias : flag.aliases) add(alias.name, serves, flag.takes_path());
  }
  for (const LaterFlag& later : later_flags()) add(later.name, true, false);  // the parser refuses
  return keys;
}

Result<void> check_deployment(const ForecastRequest& request) {
  const bool any_served =
      served_rate(flows_of(request.baseline)) > 0 && served_rate(flows_of(request.forecast)) > 0;
  if (any_served || request.flags.empty()) return {};
  return fail(ErrorKind::usage, request.file + ": no route sends the deployment a request",
              "its load lines begin at the baseline: some requests have to come, there and in the "
              "forecast");
}

Result<void> check_without_deployment(const ForecastRequest& request, const Options& options) {
  const std::string& file = request.file;
  const bool is_history = file == request.history.path;  // alone, without a file that names it
  const std::string hint = is_history ? "say what serves: --model MODEL --hardware GPU"
                                      : "\"deployment\" with the flags of `plimsoll run`";
  for (const char* flag : {"--slo", "--levers", "--gpu-price", "--price-file"}) {
    if (!is_given(options, flag)) continue;
    return fail(ErrorKind::usage, fmt::format("{} needs a deployment, and {} has none", flag, file),
                hint);
  }
  for (const auto& [key, is_asked] : {std::pair{"loss", !request.losses.empty()},
                                      std::pair{"reserve", request.reserve.has_value()},
                                      std::pair{"migrations", !request.migrations.empty()}}) {
    if (is_asked)
      return fail(ErrorKind::usage, fmt::format("{}: \"{}\" needs a deployment", file, key), hint);
  }
  const bool any_limit = std::ranges::any_of(request.providers, [](const Provider& provider) {
    return provider.requests_per_min || provider.tokens_per_min;
  });
  const bool any_given = any_limit || std::ranges::any_of(request.given, [](const auto& entry) {
                           return entry.second.capacity.has_value();
                         });
  if (any_given) return {};
  return fail(ErrorKind::usage, file + " names no capacity",
              is_history ? hint
                         : hint +
                               ", a \"capacity\" under \"resources\", or the limits of a "
                               "provider");
}

std::vector<std::string> notes_on_idle_keys(const ForecastRequest& request) {
  std::vector<std::string> notes;
  if (!request.slos.empty() && request.flags.empty())
    notes.push_back(request.file + ": \"slo\" has no effect without a \"deployment\"");
  const TokenPrice& price = request.provider_price;
  const bool is_said = price.usd_per_million_in > 0 || price.usd_per_million_out > 0;
  const bool is_used = std::ranges::any_of(request.forecast, [&](const Route& route) {
    const auto own = std::ranges::find(request.providers, route.provider, &Provider::name);
    return route.from_provider && own == request.providers.end();
  });
  if (is_said && !is_used)
    notes.push_back(request.file +
                    ": \"provider_price\" has no effect: no route is \"served_by: provider\"");
  return notes;
}

Result<DeployedForecast> deploy(const ForecastRequest& request,
                                const std::vector<std::string>& more_flags,
                                const Options& options) {
  auto read = options_of_run(overridden(request.flags, more_flags));
  if (!read) {  // flags of the command line were in order
    return tl::unexpected<Error>(located_in(request.file, std::move(read.error())));
  }
  Options& deployed = *read;
  deployed.prices.by_gpu = options.prices.by_gpu;
  deployed.prices.file = options.prices.file;
  TRY_TO(check_priced_gpus(deployed.prices, deployed.run.hardware));
  TRY(setup, setup_of(deployed));
  DeployedForecast out;
  Served& served = out.served;
  TRY_TO(check_sessions(request, setup.deployment));
  served.system = {setup.deployment, semantics_of(deployed.run), request.slos, nullptr};
  served.model_error = setup.model_error;
  served.tp = setup.layout.tp;
  served.gpu = setup.gpu;
  out.notes = setup.notes;
  out.words = {setup.model, deployed_words(served)};
  if (served.has_pools()) out.words.push_back(words_on_groups(served));
  TRY(priced, deployment_bill(deployed.prices, deployed.run.hardware, setup.deployment));
  if (priced.bill.lines.empty()) return out;
  const Price& price = priced.bill.lines.front().price;
  served.usd_per_gpu_hour = priced.bill.usd_per_hour() / static_cast<double>(setup.gpus);
  if (served.has_pools()) {
    out.words.push_back(fmt::format("${:.2f} an hour", priced.bill.usd_per_hour()));
    return out;
  }
  out.words.push_back(
      fmt::format("${:.2f} per GPU-hour ({})", *served.usd_per_gpu_hour, offer_origin(price)));
  TRY_SET(served.cheaper_gpus, cheaper_than(deployed, price));
  return out;
}

}  // namespace plimsoll

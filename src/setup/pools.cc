#include "setup/pools.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "base/lists.h"
#include "planner/estimate.h"
#include "setup/config_log.h"
#include "setup/pool_settings.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

// Flags that count instances, beside a file that does.
Result<void> check_flags_beside_fleet(const RunSpec& run) {
  const SplitSpec& split = run.split;
  for (const auto& [flag, is_given] :
       {std::pair("--num-instances", run.cluster.num_instances.is_asked()),
        std::pair("--prefill-instances", split.prefill.instances > 0),
        std::pair("--decode-instances", split.decode.instances > 0),
        std::pair("--prefill-hardware", !split.prefill.gpu->empty()),
        std::pair("--decode-hardware", !split.decode.gpu->empty()),
        std::pair("--prefill-tp", split.prefill.tp.has_value()),
        std::pair("--decode-tp", split.decode.tp.has_value()),
        std::pair("--prefill-dp", split.prefill.dp.has_value()),
        std::pair("--decode-dp", split.decode.dp.has_value()),
        std::pair("--prefill-transfer-link", !split.prefill.transfer_link.empty()),
        std::pair("--decode-transfer-link", !split.decode.transfer_link.empty()),
        std::pair("--prefill-transfer-bandwidth", split.prefill.transfer_gb_per_s.has_value()),
        std::pair("--decode-transfer-bandwidth", split.decode.transfer_gb_per_s.has_value()),
        std::pair("--prefill-enable-expert-parallel", *split.prefill_expert_parallel),
        std::pair("--decode-enable-expert-parallel", *split.decode_expert_parallel)}) {
    if (!is_given) continue;
    return fail(ErrorKind::usage,
                fmt::format("{} does not go with --fleet: the file describes the pools", flag),
                "leave the flag out, or change the pools in " + run.fleet.file);
  }
  return {};
}

Result<void> check_flags_of_split(const RunSpec& run) {
  const SplitSpec& split = run.split;
  const std::int64_t all = split.prefill.instances + split.decode.instances;
  if (split.prefill.instances == 0 || split.decode.instances == 0) {
    return fail(
        ErrorKind::usage,
        split.prefill.instances > 0
            ? "--prefill-instances without --decode-instances: nobody would answer"
            : "--decode-instances without --prefill-instances: nobody would compute prompts",
        "give both, or --num-instances for instances that do all of it");
  }
  if (run.cluster.num_instances.is_asked() && *run.cluster.num_instances != all) {
    return fail(
        ErrorKind::usage,
        fmt::format("--num-instances is {}, and --prefill-instances and --decode-instances make {}",
                    *run.cluster.num_instances, all),
        fmt::format("leave --num-instances out, or give {}", all));
  }
  return {};
}

// A link and a bandwidth both say the bandwidth, of all pools or of one.
Result<void> check_links(const RunSpec& run) {
  const SplitSpec& split = run.split;
  const auto check = [](const std::string& side, bool has_link,
                        bool has_bandwidth) -> Result<void> {
    if (!has_link || !has_bandwidth) return {};
    return fail(
        ErrorKind::usage,
        fmt::format("--{0}-transfer-link and --{0}-transfer-bandwidth both say the bandwidth",
                    side),
        "leave one of them out");
  };
  if (split.network_gb_per_s && split.mode == "layerwise") {
    return fail(ErrorKind::usage,
                "--pd-network-bandwidth does not go with --pd-transfer-mode layerwise",
                "send in bulk, or limit the links of pools (--prefill-transfer-bandwidth)");
  }
  TRY_TO(check("pd", !split.link.empty(), split.transfer_gb_per_s.is_asked()));
  bool has_own = split.network_gb_per_s.has_value();
  for (const PoolSpec& pool : asked_pools(run)) {
    TRY_TO(check(pool.name, !pool.transfer_link.empty(), pool.transfer_gb_per_s.has_value()));
    has_own = has_own || !pool.transfer_link.empty() || pool.transfer_gb_per_s;
  }
  if (semantics_of(run).transfers_are_retimed || !has_own) return {};
  return fail(ErrorKind::usage,
              "links of pools and a network between them do not go with --semantics blis",
              "BLIS has one bandwidth for all transfers: --pd-transfer-bandwidth");
}

// With the lengths of flags; of requests whose lengths a file says, the usual ones stand.
TokenShape shape_of(const TrafficSpec& traffic) {
  TokenShape shape;
  shape.prompt = static_cast<double>(std::max<std::int64_t>(1, traffic.prompt.mean));
  shape.answer = static_cast<double>(std::max<std::int64_t>(1, traffic.output.mean));
  shape.context = shape.prompt + shape.answer / 2;
  return shape;
}

// "h100" of a file becomes "pool-h100-..."; those of flags have the names of their flags.
std::string key_of(const PoolSpec& pool, std::string_view what) {
  const bool is_flag = pool.name == "prefill" || pool.name == "decode";
  return fmt::format("{}{}-{}", is_flag ? "" : "pool-", pool.name, what);
}

bool any_pool(const RunSpec& run, bool (*holds)(const LayoutSpec&)) {
  return std::ranges::any_of(asked_pools(run),
                             [&](const PoolSpec& pool) { return holds(run_of(run, pool).layout); });
}

// `pool "old"` of a file; "instances for prefill" where flags have something for them alone.
std::string title_of(const RunSpec& run, const PoolSpec& pool) {
  if (!run.fleet.pools.empty()) return fmt::format("pool \"{}\"", pool.name);
  const bool is_unlike = pool.tp || pool.dp || pool.expert_parallel || pool.gpu.is_asked();
  if (!splits(run) || !is_unlike) return {};
  return pool.answers() ? "instances for decode" : "instances for prefill";
}

template <class T>
void set_for_pool(Setting<T>* setting, const T& value) {
  setting->set(value, Origin::file);
}
template <class T>
void set_for_pool(std::optional<T>* setting, const T& value) {
  *setting = value;
}

}  // namespace

bool names_pools(const RunSpec& run) { return run.split.is_asked() || !run.fleet.pools.empty(); }

bool has_ranks(const RunSpec& run) {
  return any_pool(run, [](const LayoutSpec& layout) { return layout.dp > 1; });
}

bool spreads_experts(const RunSpec& run) {
  return any_pool(run, [](const LayoutSpec& layout) { return *layout.expert_parallel; });
}

bool splits(const RunSpec& run) {
  return run.split.is_asked() || !std::ranges::all_of(run.fleet.pools, &PoolSpec::answers);
}

Result<void> check_pools(const RunSpec& run) {
  if (!run.fleet.pools.empty()) {
    TRY_TO(check_flags_beside_fleet(run));
  } else if (run.split.is_asked()) {
    TRY_TO(check_flags_of_split(run));
  }
  if (!splits(run)) return {};
  if (run.engine.batching_rule != "vllm") {
    return fail(ErrorKind::usage,
                "--batching-rule " + *run.engine.batching_rule +
                    " does not go with prefill and decode on different instances",
                "the rule vllm does");
  }
  TRY_TO(check_links(run));
  if (!semantics_of(run).decode_makes_first_token && run.split.first_token == "prefill") {
    return fail(ErrorKind::usage, "--pd-first-token prefill does not go with --semantics blis",
                "BLIS takes the first token from decode");
  }
  return {};
}

std::vector<PoolSpec> asked_pools(const RunSpec& run) {
  if (!run.fleet.pools.empty()) {
    std::vector<PoolSpec> pools = run.fleet.pools;
    std::stable_partition(pools.begin(), pools.end(), std::not_fn(&PoolSpec::answers));
    return pools;
  }
  if (run.split.is_asked()) {
    std::vector<PoolSpec> sides{run.split.prefill, run.split.decode};
    if (run.split.prefill_expert_parallel) sides[0].expert_parallel = true;
    if (run.split.decode_expert_parallel) sides[1].expert_parallel = true;
    return sides;
  }
  return {{.instances = run.cluster.num_instances}};
}

std::int64_t instances_of(const RunSpec& run) {
  std::int64_t all = 0;
  for (const PoolSpec& pool : asked_pools(run)) all += pool.instances;
  return all;
}

RunSpec run_of(const RunSpec& run, const PoolSpec& pool) {
  RunSpec own = run;
  if (!pool.gpu->empty()) own.hardware.gpu = pool.gpu;
  for_each_pool_setting([&](const char*, const char*, const auto&, auto member, auto for_all) {
    if (pool.*member) set_for_pool(&for_all(own), *(pool.*member));
  });
  if (!pool.calibration.empty()) {
    own.step_time.calibration = pool.calibration;
    own.step_time.profile.clear();
    own.step_time.telemetry.clear();
    own.step_time.fitted = nullptr;
  }
  return own;
}

std::optional<ModelError> less_known_of(const std::optional<ModelError>& a,
                                        const std::optional<ModelError>& b) {
  if (!a || !b) return std::nullopt;
  return b->step > a->step ? b : a;
}

std::vector<std::string> Setup::gpus_of_pools() const {
  std::vector<std::string> all{gpu};
  for (const Pool& pool : deployment.pools) add_once(&all, pool.gpu);
  return all;
}

void set_speeds(const RunSpec& run, const std::vector<PoolSpec>& asked, std::vector<Pool>* pools) {
  const auto others = [&](const Pool& pool) {
    return std::ranges::count(*pools, pool.answers(), &Pool::answers) > 1;
  };
  const TokenShape shape = shape_of(run.traffic);
  for (std::size_t i = 0; i < pools->size(); ++i) {
    Pool& pool = (*pools)[i];
    if (!others(pool)) continue;
    pool.speed =
        asked[i].weight ? *asked[i].weight : estimate_pool(pool, splits(run), shape).rate_rps;
  }
}

Error in_pool(const RunSpec& run, const PoolSpec& pool, Error error) {
  const std::string title = title_of(run, pool);
  return title.empty() ? error : said_of(title, std::move(error));
}

std::string in_pool(const RunSpec& run, const PoolSpec& pool, const std::string& note) {
  if (note.empty() || run.fleet.pools.size() < 2) return note;
  return fmt::format("pool \"{}\": {}", pool.name, note);
}

std::vector<ConfigEntry> describe_pools(const RunSpec& run, const std::vector<PoolSpec>& asked,
                                        const std::vector<Pool>& made) {
  ConfigLog log;
  if (!run.fleet.file.empty()) log.fixed("fleet", run.fleet.file, "flag");
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const PoolSpec& pool = asked[i];
    log.setting(key_of(pool, "instances"), pool.instances);
    log.value(key_of(pool, "hardware"), made[i].gpu, pool.gpu);
    const char* origin = run.fleet.file.empty() ? "flag" : "file";
    const auto note = [&](std::string_view what, const auto& said) {
      if (said) log.fixed(key_of(pool, what), *said, origin);
    };
    for_each_pool_setting([&](const char*, const char* key, const auto&, auto member, auto) {
      note(key, pool.*member);
    });
    note("usd-per-gpu-hour", pool.usd_per_gpu_hour);
    note("weight", pool.weight);
    if (!pool.transfer_link.empty())
      log.fixed(key_of(pool, "transfer-link"), pool.transfer_link, origin);
    note("transfer-bandwidth", made[i].link_gb_per_s);
    if (!pool.calibration.empty()) log.fixed(key_of(pool, "calibration"), pool.calibration, origin);
  }
  return log.take();
}

void tell_flags_from_file(const RunSpec& run, const PoolSpec& pool,
                          std::vector<ConfigEntry>* entries) {
  if (run.fleet.file.empty()) return;
  ConfigLog log;
  const auto tell = [&](std::string_view key, bool is_said, const auto& flag, auto value) {
    if (origin_of(flag) == Origin::asked) {
      log.fixed(key, std::move(value), "flag");
    } else if (is_said) {
      log.fixed(key, std::move(value), "file");
    }
  };
  tell("hardware", !pool.gpu->empty(), run.hardware.gpu,
       run.hardware.gpu.is_asked() ? *run.hardware.gpu : *pool.gpu);
  for_each_pool_setting([&](const char*, const char* key, const auto&, auto member, auto for_all) {
    const auto& flag = for_all(run);
    const auto& said = pool.*member;
    const bool asked = origin_of(flag) == Origin::asked;
    if (asked || said) tell(key, said.has_value(), flag, asked ? *flag : *said);
  });
  for (const ConfigEntry& told : log.take()) {
    for (ConfigEntry& entry : *entries) {
      if (entry.key == told.key) entry = told;
    }
  }
}

}  // namespace plimsoll

#include "setup/fleet_file.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/lists.h"
#include "base/quoting.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/link.h"
#include "setup/pool_settings.h"

namespace plimsoll {
namespace {

constexpr std::size_t kLongestName = 30;
constexpr NumberRange kUsdPerHour{0, 1e6};
constexpr NumberRange kWeight{0, 1e6, true};
constexpr NumberRange kGbPerS{0, 1e6, true};

std::optional<std::int64_t> read_setting(SpecMap map, std::string_view key, IntRange range,
                                         const std::optional<std::int64_t>&) {
  return map.optional_integer(key, range);
}
std::optional<double> read_setting(SpecMap map, std::string_view key, NumberRange range,
                                   const std::optional<double>&) {
  return map.optional_number(key, range);
}
std::optional<bool> read_setting(SpecMap map, std::string_view key, IntRange,
                                 const std::optional<bool>&) {
  return map.optional_flag(key);
}

// In the order of PoolRole.
const std::vector<std::string>& roles() {
  static const std::vector<std::string> names{"serve", "prefill", "decode"};
  return names;
}

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= kLongestName && is_letter(text.front()) &&
         std::ranges::all_of(
             text, [&](char c) { return is_letter(c) || c == '-' || c == '_' || c == '.'; });
}

class FleetReader {
 public:
  FleetReader(const std::string& path, bool gpus_are_listed)
      : path_(path), gpus_are_listed_(gpus_are_listed) {}

  std::vector<PoolSpec> read(const SpecFile& file, SpecMap top) {
    const std::vector<SpecMap> maps = top.maps("pools");
    if (maps.empty() && file.ok()) {
      top.error("pools", "\"pools\" is empty: nothing would serve",
                "give one pool at least: name, instances, gpu");
    }
    for (SpecMap map : maps) pools_.push_back(read_pool(map));
    if (!maps.empty()) check_together(top);
    return std::move(pools_);
  }

 private:
  PoolSpec read_pool(SpecMap map) {
    PoolSpec pool;
    pool.name = read_name(map);
    read_role(map, &pool);
    pool.instances.set(map.integer("instances", {1, kMostInstances}), Origin::file);
    read_gpu(map, &pool);
    for_each_pool_setting(
        [&](std::string_view key, const char*, const auto& range, auto member, auto) {
          pool.*member = read_setting(map, key, range, pool.*member);
        });
    pool.usd_per_gpu_hour = map.optional_number("usd_per_gpu_hour", kUsdPerHour);
    pool.weight = map.optional_number("weight", kWeight);
    if (const auto file = map.optional_text("calibration")) pool.calibration = beside(path_, *file);
    read_link(map, &pool);
    check_role(map, pool);
    return pool;
  }

  std::string read_name(SpecMap map) {
    std::string name = map.text("name");
    if (!map.has("name") || name.empty()) return name;
    if (!is_name(name)) {
      map.error("name",
                fmt::format("\"name\" must be at most {} letters, digits, dots, dashes and "
                            "underscores, and begin with a letter or digit",
                            kLongestName),
                "such as h100 or l40s-old");
    } else if (contains(pools_, name, &PoolSpec::name)) {
      map.error("name", "two pools are called \"" + name + "\"");
    }
    return name;
  }

  static void read_role(SpecMap map, PoolSpec* pool) {
    const auto role = map.optional_text("role");
    if (!role) return;
    const auto at = std::ranges::find(roles(), *role);
    if (at != roles().end()) {
      pool->role = static_cast<PoolRole>(at - roles().begin());
    } else if (*role == "encode") {
      map.error("role", "no pool can encode images: nobody measured a whole image encoder",
                "leave the pool out; images count as prompt tokens (image_distribution)");
    } else {
      map.error("role", fmt::format("\"role\" cannot be {}", *role), suggestion(*role, roles()));
    }
  }

  void read_gpu(SpecMap map, PoolSpec* pool) {
    const auto gpu = map.optional_text("gpu");
    if (!gpu || gpu->empty()) return;
    if (gpus_are_listed_ && !find_gpu(*gpu, SemanticsMode::vllm)) {
      map.error("gpu", "\"gpu\": unknown GPU \"" + *gpu + "\"",
                suggestion(to_lower(*gpu), gpu_names()));
    }
    pool->gpu.set(*gpu, Origin::file);
  }

  static void read_link(SpecMap map, PoolSpec* pool) {
    if (const auto link = map.optional_choice("transfer_link", link_names()))
      pool->transfer_link = *link;
    pool->transfer_gb_per_s = map.optional_number("transfer_bandwidth", kGbPerS);
    if (pool->transfer_link.empty() || !pool->transfer_gb_per_s) return;
    map.error("transfer_bandwidth",
              "\"transfer_link\" and \"transfer_bandwidth\" both say the bandwidth",
              "leave one of them out");
  }

  // Flags call the two sides of a split so, and so do the reports.
  static void check_role(SpecMap map, const PoolSpec& pool) {
    const std::string& role = roles()[static_cast<std::size_t>(pool.role)];
    if (pool.name == role || !contains(roles(), pool.name)) return;
    map.error("name", fmt::format("a pool called \"{}\" has the role {}", pool.name, role),
              "give it another name, or that role");
  }

  void check_together(SpecMap top) const {
    const auto has = [&](PoolRole role) { return contains(pools_, role, &PoolSpec::role); };
    if (has(PoolRole::prefill) && !has(PoolRole::decode) && !has(PoolRole::serve)) {
      top.error("pools", "pools for prefill alone: nobody would answer",
                "add a pool with the role decode");
    } else if (has(PoolRole::decode) && !has(PoolRole::prefill)) {
      top.error("pools", "a pool for decode without one for prefill: nobody would compute prompts",
                "add a pool with the role prefill, or give it the role serve");
    }
    check_waits(top, has(PoolRole::prefill));
    check_links(top, has(PoolRole::prefill));
    check_weights(top);
    std::int64_t all = 0;
    for (const PoolSpec& pool : pools_) all += pool.instances;
    if (all > kMostInstances) {
      top.error("pools", fmt::format("the pools have {} instances together; {} is the most",
                                     grouped(all), grouped(kMostInstances)));
    }
  }

  void check_waits(SpecMap top, bool splits) const {
    const auto waits = [](const PoolSpec& pool) { return pool.prompt_wait_steps.value_or(0) > 0; };
    if (!splits || std::ranges::none_of(pools_, waits)) return;
    top.error("pools",
              "\"prompt_wait_steps\" has no effect where prompts have instances of their own",
              "leave it out, or give all pools the role serve");
  }

  void check_links(SpecMap top, bool splits) const {
    const auto has_link = [](const PoolSpec& pool) {
      return !pool.transfer_link.empty() || pool.transfer_gb_per_s;
    };
    if (splits || std::ranges::none_of(pools_, has_link)) return;
    top.error("pools", "a pool has a link for KV transfers, and no pool is for prefill",
              "leave it out, or give a pool the role prefill");
  }

  void check_weights(SpecMap top) const {
    for (const bool prefill : {false, true}) {
      const auto is_of_side = [&](const PoolSpec& pool) { return pool.answers() != prefill; };
      const auto has_weight = [&](const PoolSpec& pool) {
        return is_of_side(pool) && pool.weight.has_value();
      };
      const auto weighted = std::ranges::count_if(pools_, has_weight);
      if (weighted == 0 || weighted == std::ranges::count_if(pools_, is_of_side)) continue;
      top.error("pools", "some of the pools have a \"weight\" and others none",
                "give it to all that share requests, or leave it out: speed is then worked out");
    }
  }

  const std::string path_;
  const bool gpus_are_listed_;
  std::vector<PoolSpec> pools_;
};

// In the order of docs/reference/formats.md; what is not said is left out.
Json json_of(const PoolSpec& pool) {
  Json out = {{"name", pool.name}};
  if (pool.role != PoolRole::serve) out["role"] = roles()[static_cast<std::size_t>(pool.role)];
  out["instances"] = *pool.instances;
  if (!pool.gpu->empty()) out["gpu"] = *pool.gpu;
  const auto add = [&](const char* key, const auto& value) {
    if (value) out[key] = *value;
  };
  for_each_pool_setting([&](const char* key, const char*, const auto&, auto member, auto) {
    add(key, pool.*member);
  });
  add("usd_per_gpu_hour", pool.usd_per_gpu_hour);
  add("weight", pool.weight);
  if (!pool.calibration.empty()) out["calibration"] = pool.calibration;
  if (!pool.transfer_link.empty()) out["transfer_link"] = pool.transfer_link;
  add("transfer_bandwidth", pool.transfer_gb_per_s);
  return out;
}

}  // namespace

std::string fleet_in_line(const std::vector<PoolSpec>& pools) {
  return Json{{"pools", Json::array_of(pools, json_of)}}.dump();
}

std::string fleet_file(const std::vector<PoolSpec>& pools) {
  std::string text = "pools:\n";
  for (const PoolSpec& pool : pools) {
    const Json json = json_of(pool);
    std::string begin = "  - ";
    for (const auto& [key, value] : json.items()) {
      text += begin + key + ": ";
      text += (value.is_string() ? yaml_text(value.as_string()) : value.dump()) + "\n";
      begin = "    ";
    }
  }
  return text;
}

Result<std::vector<PoolSpec>> read_pools(SpecFile file, bool gpus_are_listed) {
  std::vector<PoolSpec> pools = FleetReader(file.name(), gpus_are_listed).read(file, file.top());
  return file.finish(std::move(pools));
}

Result<void> read_fleet(RunSpec* run) {
  if (run->fleet.file.empty()) return {};
  const std::string& said = run->fleet.file;
  TRY(file, said.starts_with('{') ? SpecFile::parse(said, "--fleet") : SpecFile::read(said));
  TRY_SET(run->fleet.pools, read_pools(std::move(file), run->hardware.config.empty()));
  return {};
}

}  // namespace plimsoll

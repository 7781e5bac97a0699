#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/flag_rows.h"
#include "cli/variants.h"
#include "metrics/comparison.h"
#include "metrics/figures.h"

namespace plimsoll {
namespace {

// Sums of such prices stay finite.
constexpr double kMostUsd = 1e6;

using Prices = std::map<std::string, double>;

Reading<Prices> read_gpu_prices(std::string_view text) {
  Prices prices;
  std::set<std::string> named;  // in small letters
  const Refusal wrong{.must = "dollars from 0 to a million, for all GPUs or as GPU=USD,..."};
  for (const std::string_view item : split_at(text, ',')) {
    const std::size_t equals = item.find('=');
    const bool has_name = equals != std::string_view::npos;
    double usd = 0;
    if (!parse_double(has_name ? item.substr(equals + 1) : item, &usd) ||
        !(usd >= 0 && usd <= kMostUsd)) {
      return tl::unexpected(wrong);
    }
    const std::string gpu(has_name ? item.substr(0, equals) : std::string_view());
    if (has_name == gpu.empty()) return tl::unexpected(wrong);
    if (!named.insert(to_lower(gpu)).second) {
      return tl::unexpected(
          Refusal{.message = "has two prices for " + (has_name ? to_lower(gpu) : "all GPUs")});
    }
    prices.emplace(gpu, usd);
  }
  return prices;
}

Value gpu_prices() {
  return value_at<Prices>(&PriceSpec::by_gpu, read_gpu_prices, [](const Prices& prices) {
    std::vector<std::string> items;
    for (const auto& [gpu, usd] : prices) {
      items.push_back((gpu.empty() ? "" : gpu + "=") + shortest(usd));
    }
    return join(items, ",");
  });
}

// A key; "p99_ttft" and "p99_ttft_ms" are "ttft_p99_ms".
Value compared_figure() {
  Value value = one_of(&CompareSpec::leading_figure, compared_figure_keys());
  value.set = [set = value.set](Options& options, std::string_view text, Origin origin) {
    for (const std::string& key : compared_figure_keys()) {
      if (usual_name(key) == usual_name(text)) return set(options, key, origin);
    }
    return set(options, text, origin);
  };
  return value;
}

}  // namespace

void add_compare_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::compared};
  rows.add(
      "--variant", texts(&CompareSpec::variants), "NAME: FLAGS",
      "A deployment to compare, as one word: a name and the flags it has instead of the common "
      "ones, e.g. \"busy: --routing-policy weighted\"; once for each");
  rows.add("--vary", text(&CompareSpec::vary, vary_proposals), "FLAG=VALUE,...",
           "A variant for each value of one flag, before those of --variant, e.g. "
           "num-instances=14,15,16");
  rows.add("--seeds", integer(&CompareSpec::seeds, {1, kMostSeeds}).usually("5; of a trace: 1"),
           "K", "Runs of each variant, with the seeds from --seed on");
  rows.add("--by",
           compared_figure().usually(
               "fitness with --fitness-weights; slo_attainment with --slo-...; else ttft_p99_ms"),
           "FIGURE", "Figure that decides: " + join(compared_figure_keys(), ", "));
  Rows{all, FlagGroup::threads}.add("--threads", integer(&ConsoleSpec::threads, {0, 1024}), "N",
                                    "Threads to use; 0 = as many as there are processors");
}

void add_price_flags(std::vector<Flag>& all) {
  Rows{all, FlagGroup::prices}.add(
      "--gpu-price", gpu_prices(), "USD|GPU=USD,...",
      "What you pay for a GPU by the hour, instead of the lowest list price on demand (plimsoll "
      "list prices), e.g. 2.1 or H100=2.1,A100-80=1.2");
  Rows{all, FlagGroup::price_file}.add(
      "--price-file", text(&PriceSpec::file), "FILE",
      "Your prices as rows of YAML: gpu, usd_per_hour; gpus of the instance, commitment, region, "
      "date ... where they matter. GPUs that it does not name have list prices");
}

}  // namespace plimsoll

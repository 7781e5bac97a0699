#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/flag_rows.h"
#include "cli/variants.h"
#include "metrics/comparison.h"

namespace plimsoll {
namespace {

// Sums of such prices stay finite.
constexpr double kMostUsd = 1e6;

Value gpu_prices() {
  Value value;
  value.set = [](Options& options, std::string_view text) -> std::optional<Refusal> {
    options.gpu_prices.clear();
    const Refusal wrong{.must = "dollars from 0 to a million, for all GPUs or as GPU=USD,..."};
    while (true) {
      const std::string_view item = text.substr(0, text.find(','));
      const std::size_t equals = item.find('=');
      const bool named = equals != std::string_view::npos;
      double usd = 0;
      if (!parse_double(named ? item.substr(equals + 1) : item, &usd) ||
          !(usd >= 0 && usd <= kMostUsd))
        return wrong;
      const std::string gpu = to_lower(named ? item.substr(0, equals) : std::string_view());
      if (named == gpu.empty()) return wrong;
      if (!options.gpu_prices.emplace(gpu, usd).second) {
        return Refusal{.must = {}, .message = "has two prices for " + (named ? gpu : "all GPUs")};
      }
      if (item.size() == text.size()) return std::nullopt;
      text.remove_prefix(item.size() + 1);
    }
  };
  return value;
}

}  // namespace

void add_compare_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::compared};
  rows.add(
      "--variant", texts(&Options::variants), "NAME: FLAGS",
      "A deployment to compare, as one word: a name and the flags it has instead of the common "
      "ones, e.g. \"busy: --routing-policy weighted\"; once for each");
  rows.add("--vary", text(&Options::vary, vary_proposals), "FLAG=VALUE,...",
           "A variant for each value of one flag, before those of --variant, e.g. "
           "num-instances=14,15,16");
  rows.add("--seeds", integer(&Options::seeds, {1, kMostSeeds}), "K",
           "Runs of each variant, with the seeds from --seed on [5; of a trace: 1]");
  rows.add("--by", one_of(&Options::leading_figure, compared_figure_keys()), "FIGURE",
           "What decides: " + join(compared_figure_keys(), ", ") +
               " [fitness with --fitness-weights; slo_attainment with --slo-...; else "
               "ttft_p99_ms]");
  Rows{all, FlagGroup::threads}.add("--threads", integer(&Options::threads, {0, 1024}), "N",
                                    "Runs at the same time; 0 = as many as there are processors");
}

void add_price_flags(std::vector<Flag>& all) {
  Rows{all, FlagGroup::prices}.add(
      "--gpu-price", gpu_prices(), "USD|GPU=USD,...",
      "What you pay for a GPU by the hour, instead of the lowest list price on demand (plimsoll "
      "list prices), e.g. 2.1 or H100=2.1,A100-80=1.2");
  Rows{all, FlagGroup::price_file}.add(
      "--price-file", text(&Options::price_file), "FILE",
      "Your prices as rows of YAML: gpu, usd_per_hour; gpus of the instance, commitment, region, "
      "date ... where they matter. GPUs that it does not name have list prices");
}

}  // namespace plimsoll

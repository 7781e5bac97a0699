// The flags of `plimsoll serve`.
#include "cli/flag_rows.h"

namespace plimsoll {

void add_serve_flags(std::vector<Flag>& all) {
  constexpr long long kLastPort = 65'535;
  const Rows rows{all, FlagGroup::serve};
  rows.add("--port", integer(&ServeSpec::port, {0, kLastPort}), "N",
           "Where to listen; 0 = any port that is free");
  rows.add("--listen", text(&ServeSpec::listen).usually("127.0.0.1"), "ADDRESS",
           "Listen for other machines as well, e.g. at 0.0.0.0; with --token-env");
  rows.add("--token-env", text(&ServeSpec::token_env), "NAME",
           "The environment variable with the token that requests have to show, of at least 16 "
           "characters");
  rows.add("--time-limit", number(&ServeSpec::time_limit_s, {1, 3600}), "SECONDS",
           "Longest time for one answer, its waiting included; then what is known is the answer");
  rows.add("--max-simulations", integer(&ServeSpec::max_simulations, {0, 1024}), "N",
           "Questions that are answered at a time, others wait; 0 = as many as processors");
}

}  // namespace plimsoll

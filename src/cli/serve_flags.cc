// The flags of `plimsoll serve`.
#include "cli/flag_rows.h"

namespace plimsoll {

void add_serve_flags(std::vector<Flag>& all) {
  constexpr long long kLastPort = 65'535;
  const Rows rows{all, FlagGroup::serve};
  rows.add("--port", integer(&ServeSpec::port, {0, kLastPort}), "N",
           "Port to listen on; 0 = any free port");
  rows.add("--listen", text(&ServeSpec::listen).usually("127.0.0.1"), "ADDRESS",
           "Address to listen on, e.g. 0.0.0.0 for other machines as well; with --token-env");
  rows.add("--token-env", text(&ServeSpec::token_env), "NAME",
           "The environment variable with the token that requests must carry, of at least 16 "
           "characters");
  rows.add("--time-limit", number(&ServeSpec::time_limit_s, {1, 3600}), "SECONDS",
           "Time limit per answer, queueing included; after it the partial answer is returned");
  rows.add("--max-simulations", integer(&ServeSpec::max_simulations, {0, 1024}), "N",
           "Questions answered at once; others wait; 0 = as many as there are processors");
}

}  // namespace plimsoll

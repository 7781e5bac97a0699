// Demand by token shape: what the routes of a product send, and what that asks of each resource.
// The arithmetic of a headroom sheet; no simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forecast/demand/resource.h"
#include "spec/spec_file.h"

namespace plimsoll {

// Conversations of a route: its requests are rounds of sessions, and the prompt of a round begins
// with all earlier prompts and answers of its session, after a prefix that all sessions share. How
// many tokens a round adds follows from the mean prompt of all rounds, which is what engines count.

struct Sessions {
  std::int64_t rounds = 1;
  double gap_s = 0;  ///< from a request to the next one of its session: its answer and the pause
  double prefix_tokens = 0;  ///< that all sessions begin with, such as a system prompt

  /// From the first request of a session to its last.
  double span_s() const { return static_cast<double>(rounds - 1) * gap_s; }
  friend bool operator==(const Sessions&, const Sessions&) = default;
};

/// The tokens that each round adds to the prompt, where prompts have that mean over all rounds;
/// below 1: the prefix and the answers before them are longer than these prompts.
double new_tokens_of(const Sessions& sessions, double prompt_tokens, double output_tokens);

/// The mean prompt over all rounds, where each adds so many tokens.
double prompt_tokens_of(const Sessions& sessions, double new_tokens, double output_tokens);

/// The share of the prompts that a cache finds which never drops anything.
double repeated_share(const Sessions& sessions, double prompt_tokens, double output_tokens);

/// {rounds: 6, gap_s: 40, prefix_tokens: 800}; errors are noted in the map.
Sessions read_sessions(SpecMap map);

// The APIs that answer routes: what they ask for tokens, and how many requests and tokens of a
// minute they let in.

struct TokenPrice {
  double usd_per_million_in = 0;
  double usd_per_million_out = 0;
  std::optional<double> usd_per_million_cached;  ///< prompt tokens; none: as all others
};

struct Provider {
  std::string name;  ///< as routes have it in `served_by`
  TokenPrice price;
  std::optional<double> requests_per_min;  ///< that it lets in at most
  std::optional<double> tokens_per_min;    ///< of prompts and answers
};

TokenPrice read_token_price(SpecMap map);

/// A map of providers by name. Errors are noted in it.
std::vector<Provider> read_providers(SpecMap map);

/// One kind of request. Tokens are means per request.
struct Route {
  std::string name;
  std::string version;        ///< of what answers: a model or a prompt; empty: not said
  double requests_per_s = 0;  ///< first attempts, at the peak
  double prompt_tokens = 0;   ///< cached ones included
  double cached_share = 0;    ///< of the prompt, that is in the prefix cache
  double output_tokens = 0;
  double retry_share = 0;     ///< attempts that are sent once more, per request
  double fallback_share = 0;  ///< attempts that another route answers, too
  std::string fallback_to;
  bool from_provider = false;        ///< answered by an API, not by the deployment
  std::string provider;              ///< its name, "provider" of one that has none
  double residence_s = 0;            ///< in the engine, where no deployment tells; 0: not known
  std::optional<double> prompt_cv;   ///< of whole prompts; none: as the traffic says of fresh ones
  std::optional<double> output_cv;   ///< of answers; none: as the traffic says
  std::optional<Sessions> sessions;  ///< then the cached share is what their prompts repeat
  double success = 1;                ///< share of requests that get the answer they should
  double quality = 1;                ///< share of those answers that are good enough

  double share_of_use() const { return success * quality; }
  bool is_answered_by(const std::string& who) const { return from_provider && provider == who; }
};

/// The part that prompts of its sessions repeat becomes the cached share of the route, if it has
/// sessions.
void follow_sessions(Route* route);

/// Attempts of one shape that one side answers.
struct Flow {
  std::string route;   ///< that answers
  std::string origin;  ///< whose requests they are
  double requests_per_s = 0;
  double prompt_tokens = 0;
  double cached_share = 0;
  double output_tokens = 0;
  bool from_provider = false;
  double residence_s = 0;
  std::optional<double> prompt_cv;
  std::optional<double> output_cv;
  std::string provider;
  std::optional<Sessions> sessions;

  double fresh_tokens() const { return prompt_tokens * (1 - cached_share); }
  /// The tokens that each round of its sessions adds.
  double new_tokens() const { return new_tokens_of(*sessions, prompt_tokens, output_tokens); }
  /// Requests of the same tokens, however many; what of sessions is found in a cache is no token of
  /// theirs.
  bool has_shape_of(const Flow& other) const {
    return prompt_tokens == other.prompt_tokens && output_tokens == other.output_tokens &&
           sessions == other.sessions && (sessions || cached_share == other.cached_share) &&
           prompt_cv == other.prompt_cv && output_cv == other.output_cv;
  }
};

/// With retries and fallbacks: what falls back brings its prompt along, finds nothing of it in the
/// other route's cache, and gets an answer of that route's length. Retries of a fallback are not
/// counted.
std::vector<Flow> flows_of(const std::vector<Route>& routes);

/// Why the sessions of one of the flows cannot be: a prefix and answers that are longer than the
/// prompts which begin with them; empty of any other.
std::string problem_of_sessions(const std::vector<Flow>& flows);

/// Tokens that the deployment would hold if every request stayed for a second.
double held_per_second(const std::vector<Flow>& flows);

/// The demand for the resources that flows alone decide; the deployment's are those of the flows
/// that it answers, a provider's count cached prompt tokens as all others. Active KV tokens by
/// Little's law (1961), rate x time x (prompt + half the answer), where all flows have a residence
/// time.
ResourceVector demand_of(const std::vector<Flow>& flows);

/// Reads what the routes of a forecast send, now and then; notes all errors in the file. `map`:
/// from names to routes. A number, or a length, stands for now and then, unless it is said for
/// each: {baseline: 10, forecast: 20}. `providers`: that may answer one.
void read_routes(SpecMap map, const std::vector<Provider>& providers, std::vector<Route>* baseline,
                 std::vector<Route>* forecast);

}  // namespace plimsoll

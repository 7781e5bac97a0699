#include "cli/signals.h"

#include <atomic>
#include <csignal>

#include "base/replacement_file.h"
#include "cli/caller.h"

namespace plimsoll {
namespace {

constexpr int kSignals[]{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> g_waiting = 0;    // Interruptions
std::atomic<int> g_first = 0;      // the signal that came first
std::atomic<unsigned> g_seen = 0;  // a bit for each that came
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<unsigned>::is_always_lock_free);

void on_signal(int number) {
  const unsigned bit = 1U << number;
  if (g_waiting > 0 && (g_seen.fetch_or(bit) & bit) == 0) {
    int none = 0;
    g_first.compare_exchange_strong(none, number);
    return;
  }
  remove_temporary_files();
  std::signal(number, SIG_DFL);
  std::raise(number);  // ends the program when this handler returns
}

}  // namespace

void catch_signals() {
  for (const int number : kSignals) {
    struct sigaction action = {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN && number != SIGINT) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
  }
}

Interruption::Interruption() : caller_(current_caller()) {
  if (caller_ != nullptr) return;
  if (g_waiting == 0) {
    g_first = 0;
    g_seen = 0;
  }
  g_waiting += 1;
  catch_signals();
}

Interruption::~Interruption() {
  if (caller_ == nullptr) g_waiting -= 1;
}

bool Interruption::requested() const {
  if (caller_ == nullptr) return g_first != 0;
  return caller_->stopped && caller_->stopped();
}

int interrupted_code() {
  constexpr int kBySignal = 128;
  return kBySignal + (current_caller() != nullptr || g_first == 0 ? SIGINT : g_first.load());
}

}  // namespace plimsoll

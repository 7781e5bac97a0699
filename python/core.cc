// plimsoll._core: command lines answered in the process of Python. plimsoll/command.py is the only
// one to call it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/caller.h"
#include "cli/verbs.h"

namespace py = pybind11;

namespace plimsoll {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};  // at signals and progress

// One command line on a thread of its own, so that Python's other threads go on and this one can
// look for Ctrl-C. All member functions are called with the GIL held, and wait without it.
class Answering {
 public:
  Answering(std::vector<std::string> words, bool with_progress, std::string input)
      : words_(std::move(words)) {
    caller_.input = std::move(input);
    if (with_progress) {
      caller_.on_progress = [this](const std::string& line) {
        const std::lock_guard lock(mutex_);
        line_ = line;
      };
    }
    worker_ = std::thread([this] { run(); });
  }

  // Whoever leaves early stops the work.
  ~Answering() {
    caller_.stop = true;
    const py::gil_scoped_release others_go_on;
    worker_.join();
  }

  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  bool done_soon() {
    const py::gil_scoped_release others_go_on;
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kBetweenLooks, [this] { return done_; });
  }

  std::optional<std::string> take_line() {
    const std::lock_guard lock(mutex_);
    return std::exchange(line_, std::nullopt);
  }

  // Once it is done.
  py::tuple answer() const {
    return py::make_tuple(exit_code_, text(caller_.results), text(caller_.messages));
  }

 private:
  void run() {
    exit_code_ = run_command_line(words_, caller_);
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_one();
  }

  // Names of files in it need not be UTF-8.
  static py::str text(const std::string& bytes) {
    const auto size = static_cast<Py_ssize_t>(bytes.size());
    return py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(bytes.data(), size, "replace"));
  }

  const std::vector<std::string> words_;
  Caller caller_;
  int exit_code_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex.
  bool done_ = false;
  std::optional<std::string> line_;
  std::thread worker_;
};

// (exit code, stdout, stderr). What `progress` raises, KeyboardInterrupt included, ends the work.
py::tuple answer(std::vector<std::string> words, const py::object& progress, std::string input) {
  Answering answering(std::move(words), !progress.is_none(), std::move(input));
  while (!answering.done_soon()) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (const auto line = answering.take_line()) progress(*line);
  }
  return answering.answer();
}

// (name, is a switch, may be repeated, names a file) of each flag of a verb.
py::list flags_of(const std::string& verb_name) {
  py::list rows;
  const Verb* verb = find_verb(verb_name);
  if (verb == nullptr) return rows;
  for (const Flag& flag : flags()) {
    if (!verb->has(flag.group)) continue;
    rows.append(py::make_tuple(std::string(flag.name), flag.value.is_switch,
                               flag.value.is_repeatable, flag.takes_path()));
  }
  return rows;
}

}  // namespace
}  // namespace plimsoll

PYBIND11_MODULE(_core, module) {
  module.def("answer", &plimsoll::answer, py::arg("words"), py::arg("progress") = py::none(),
             py::arg("input") = "");
  module.def("flags_of", &plimsoll::flags_of, py::arg("verb"));
}

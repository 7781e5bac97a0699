// plimsoll._core: command lines answered in the process of Python. plimsoll/command.py is the only
// one to call it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cli/caller.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "cli/version.h"

namespace py = pybind11;

namespace plimsoll {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};  // at signals and progress

// One command line on a thread of its own, so that Python's other threads go on and this one can
// look for Ctrl-C. All member functions are called with the GIL held, and wait without it.
class Answering {
 public:
  Answering(std::vector<std::string> words, std::map<std::string, std::string> files,
            std::string input, bool with_progress)
      : words_(std::move(words)) {
    caller_.files = std::move(files);
    caller_.input = std::move(input);
    caller_.stopped = [this] { return stop_.load(); };
    if (with_progress) {
      caller_.on_progress = [this](const Json& progress) {
        const std::lock_guard lock(mutex_);
        line_ = progress["progress"].as_string();
      };
    }
    worker_ = std::thread([this] { run(); });
  }

  // Whoever leaves early stops the work.
  ~Answering() {
    stop();
    const py::gil_scoped_release others_go_on;
    worker_.join();
  }

  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  void stop() { stop_ = true; }

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
  py::dict answer() const {
    py::list problems;
    for (const Diagnostic& d : caller_.problems) {
      problems.append(
          py::make_tuple(text(d.file), d.line, d.column, text(d.message), text(d.hint)));
    }
    py::dict answer;
    answer["exit_code"] = exit_code_;
    answer["results"] = text(caller_.results);
    answer["headline"] = text(caller_.headline);
    answer["messages"] = text(caller_.messages);
    answer["problems"] = problems;
    return answer;
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
  std::atomic<bool> stop_ = false;
  Caller caller_;
  int exit_code_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex.
  bool done_ = false;
  std::optional<std::string> line_;
  std::thread worker_;
};

// Whoever looks at a long answer: `progress` gets its line, `stopped` may say that it is enough.
class Watch {
 public:
  Watch(Answering& answering, py::object progress, py::object stopped)
      : answering_(answering), progress_(std::move(progress)), stopped_(std::move(stopped)) {}

  // A KeyboardInterrupt stops the work, which then says what it has; other exceptions end it.
  void look() {
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!stopped_.is_none() && stopped_().cast<bool>()) stop();
      if (const auto line = answering_.take_line()) progress_(*line);
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      stop();
    }
  }

  bool was_stopped() const { return was_stopped_; }

 private:
  void stop() {
    was_stopped_ = true;
    answering_.stop();
  }

  Answering& answering_;
  const py::object progress_;
  const py::object stopped_;
  bool was_stopped_ = false;
};

py::dict answer(std::vector<std::string> words, std::map<std::string, std::string> files,
                std::string input, const py::object& progress, const py::object& stopped) {
  Answering answering(std::move(words), std::move(files), std::move(input), !progress.is_none());
  Watch watch(answering, progress, stopped);
  while (!answering.done_soon()) watch.look();
  py::dict answer = answering.answer();
  answer["interrupted"] = watch.was_stopped();
  return answer;
}

std::string_view kind_of(const Value& value) {
  if (value.is_switch) return "switch";
  if (value.kind == ValueKind::integer) return "integer";
  return value.kind == ValueKind::number ? "number" : "text";
}

py::dict row_of(const Flag& flag) {
  py::list others;
  for (const Alias& alias : flag.aliases) {
    if (alias.name.starts_with("--") && alias.remark.empty())
      others.append(std::string(alias.name));
  }
  py::dict row;
  row["name"] = flag.name;
  row["kind"] = std::string(kind_of(flag.value));
  row["choices"] = flag.value.choices;
  row["is_repeatable"] = flag.value.is_repeatable;
  row["takes_path"] = flag.takes_path();
  row["is_output"] = flag.group == FlagGroup::output;
  row["heading"] = std::string(title(flag.group));
  row["placeholder"] = std::string(flag.placeholder);
  row["help"] = flag_help(flag);
  row["aliases"] = others;
  return row;
}

// Verbs that answer a question, and their flags but for those of a terminal.
py::list verb_rows() {
  py::list rows;
  for (const Verb& verb : verbs()) {
    if (!verb.has(FlagGroup::json) || !verb.has(FlagGroup::console)) continue;
    py::list keywords;
    for (const Flag& flag : flags()) {
      const bool is_of_terminal = flag.group == FlagGroup::json || flag.group == FlagGroup::console;
      if (verb.has(flag.group) && !is_of_terminal) keywords.append(row_of(flag_for(verb, flag)));
    }
    py::dict row;
    row["name"] = std::string(verb.name);
    row["question"] = std::string(verb.question);
    row["first_flags"] = std::vector<std::string>(verb.first_flags.begin(), verb.first_flags.end());
    row["argument"] = std::string(verb.arguments.placeholder);
    row["file_flag"] = std::string(verb.arguments.file_flag);
    row["keywords"] = keywords;
    rows.append(row);
  }
  return rows;
}

}  // namespace
}  // namespace plimsoll

PYBIND11_MODULE(_core, module) {
  module.attr("version") = std::string(plimsoll::version());
  module.def("answer", &plimsoll::answer, py::arg("words"), py::arg("files"), py::arg("input"),
             py::arg("progress"), py::arg("stopped"));
  module.def("verbs", &plimsoll::verb_rows);
}

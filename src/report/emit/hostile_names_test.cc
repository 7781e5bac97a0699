// Do the files that deploy a plan stay what they are, whatever its names hold? Each is read by a
// real parser: shells with commands that tell what they were given, and YAML.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/quoting.h"
#include "hostile_text.h"
#include "report/emit/deployment_files.h"
#include "report/form/field_text.h"
#include "run_shell.h"
#include "spec/spec_node.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

RecommendedDeployment deployment(const std::string& name) {
  RecommendedDeployment d;
  d.verdict = "1 x " + name + " holds 4 req/s";
  d.model = name;
  d.name = name;
  d.gpu = name;
  d.replicas = 3;
  d.spare = 1;
  d.engine_args = {"--max-num-seqs", "128", "--speculative-config", name, "--async-scheduling"};
  d.unset = {{"--routing-policy " + name, name}};
  d.run_command = "plimsoll run" + typed_word("--hardware=" + name) + typed_word("--model=" + name);
  d.observe_flags = typed_word("--tenant-budgets=" + name).substr(1);
  d.rate_rps = 4;
  d.requests = 2400;
  d.expected = {{180, {"ttft_p99_ms", 120, 260}, {}}};
  return d;
}

// Everything of a document but where the name stands, as text.
// As Kubernetes reads the words of a pod: `$$` is a plain `$`.
std::string in_pod(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '$' ? std::string("$$") : std::string(1, c);
  return text;
}

std::string structure(const SpecNode& node, const std::string& plain) {
  if (node.kind == SpecNode::Kind::scalar) {
    const bool is_escaped = node.text.find(in_pod(plain)) != std::string::npos;
    const std::string name = is_escaped ? in_pod(plain) : plain;
    const std::size_t at = name.empty() ? std::string::npos : node.text.find(name);
    if (at == std::string::npos) return node.text;
    return node.text.substr(0, at) + "NAME" + node.text.substr(at + name.size());
  }
  std::string text = node.kind == SpecNode::Kind::map ? "{" : "[";
  for (const SpecNode& child : node.children) {
    text += child.key + ": " + structure(child, plain) + ", ";
  }
  return text + "}";
}

std::string structures(const std::string& name) {
  std::string text;
  RecommendedDeployment d = deployment(name);
  d.name = "chat";  // becomes part of a word that DNS allows
  const auto add = [&](const char* form) {
    for (const DeploymentFile& file : deployment_files(form, d)) {
      if (!file.name.ends_with(".yaml")) continue;
      const auto document = parse_spec(file.text, file.name);
      RC_ASSERT(document.has_value());
      text += structure(*document, name);
    }
  };
  for (const char* form : {"kubernetes", "llm-d", "dynamo"}) add(form);
  d.prefill = d;
  for (const char* form : {"llm-d", "dynamo"}) add(form);
  return text;
}

RC_GTEST_PROP(HostileNames, are_values_and_nothing_more_in_yaml, ()) {
  const std::string name = "Model " + *hostile_text();
  RC_ASSERT(structures(name) == structures("Model"));
}

// A folder with scripts, and with commands that print their words.
class Folder {
 public:
  Folder()
      : path_(fs::path(testing::TempDir()) / ("hostile_names_test." + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_ / "bin");
    for (const char* command : {"vllm", "plimsoll"}) {
      write(std::string("bin/") + command, "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\"\n");
      fs::permissions(path_ / "bin" / command, fs::perms::owner_all);
    }
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  ShellRun run(const std::string& script) const {
    return run_shell("unset MODEL URL OUTPUT PORT; cd " + shell_quoted(path_.string()) +
                     " && sh -n " + script + " && PATH=\"$PWD/bin:$PATH\" sh " + script);
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::recursive_directory_iterator(path_), {});
  }

 private:
  fs::path path_;
};

std::string words(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& word : all) text += word + '\0';
  return text;
}

RC_GTEST_PROP(HostileNames, are_words_and_nothing_more_in_shells, ()) {
  const std::string name = *hostile_text();
  RC_PRE(!name.empty());
  const Folder folder;
  for (const DeploymentFile& file : deployment_files("vllm", deployment(name))) {
    folder.write(file.name, file.text);
  }
  const auto as_flag = [&](const std::string& flag) {
    return name == "false" || name.starts_with("--") ? std::vector<std::string>{flag + "=" + name}
                                                     : std::vector<std::string>{flag, name};
  };
  const std::vector<std::string> serve{"vllm", "serve",
                                       name,   "--port",
                                       "8000", "--tensor-parallel-size",
                                       "1",    "--max-num-seqs",
                                       "128",  "--speculative-config",
                                       name,   "--async-scheduling"};
  RC_ASSERT(folder.run("serve.sh").out == words(serve));
  std::vector<std::string> simulate{"plimsoll", "run"};
  for (const char* flag : {"--hardware", "--model"}) {
    for (const std::string& word : as_flag(flag)) simulate.push_back(word);
  }
  RC_ASSERT(folder.run("simulate.sh").out == words(simulate));
  std::vector<std::string> load{
      "plimsoll",       "observe", "--server-url", "http://localhost:8000",
      "--model",        name,      "--rate",       "4",
      "--num-requests", "2400"};
  for (const std::string& word : as_flag("--tenant-budgets")) load.push_back(word);
  load.insert(load.end(), {"--output", "observed"});
  RC_ASSERT(folder.run("load_test.sh").out == words(load));
  RC_ASSERT(folder.files() == 6);  // nothing wrote another
}

}  // namespace
}  // namespace plimsoll

#include "cli/kubernetes_job.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <sys/stat.h>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/quoting.h"

namespace plimsoll {
namespace {

// $(NAME) in a command is a variable, unless its dollar sign is doubled.
std::string as_word(const std::string& text) {
  std::string word;
  for (const char c : text) word += c == '$' ? "$$" : std::string(1, c);
  return json_text(word);
}

// The folder of the run and the one that its files are named from; one that holds the other is
// enough, and the root of a container is its own.
std::vector<std::string> shared_folders(const RunFolder& folder) {
  const std::string& files = folder.question().folder;
  if (files == "/" || folder.path().starts_with(files + "/")) {
    return {files == "/" ? folder.path() : files};
  }
  if (files == folder.path() || files.starts_with(folder.path() + "/")) return {folder.path()};
  return {folder.path(), files};
}

std::string mounts_of(const RunFolder& folder) {
  std::string mounts;
  for (const std::string& path : shared_folders(folder)) {
    mounts += fmt::format(
        "            - name: shared\n              mountPath: {}\n"
        "              subPath: {}\n",
        yaml_text(path), yaml_text(path.substr(1)));
  }
  return mounts;
}

// Images run as users of their own, who may not write to a folder of somebody else.
std::string owner_of(const RunFolder& folder) {
  struct stat owner = {};
  if (stat(folder.path().c_str(), &owner) != 0) return {};
  return fmt::format(
      "      securityContext:  # the owner of the folder: pods write to it\n"
      "        runAsUser: {}\n        runAsGroup: {}\n",
      owner.st_uid, owner.st_gid);
}

}  // namespace

// Two folders may have the same question.
std::string kubernetes_job_name(const RunFolder& folder) {
  return fmt::format("plimsoll-{}-{:08x}", folder.question().head.digest.substr(0, 8),
                     crc32_of(folder.path()));
}

// Each pod learns its shard from JOB_COMPLETION_INDEX. A shard that is there already ends at once.
std::string kubernetes_job(const RunFolder& folder) {
  const std::int64_t shards = folder.question().shards;
  constexpr std::int64_t kTriesOfEach = 6;
  constexpr std::int64_t kMostAtOnce = 50;
  return fmt::format(
      R"yaml(# The shards of a run. Each pod needs the program (image) and the folders below, which all pods share
# (a volume with access mode ReadWriteMany). It works with as many threads as it requests CPUs.
# A subPath counts from the root of the volume. It is the path of the folder on the machine that
# asked: if the volume is mounted at /shared there, cut "shared/" off its start.
apiVersion: batch/v1
kind: Job
metadata:
  name: {}
spec:
  completionMode: Indexed
  completions: {}
  parallelism: {}  # pods at a time, as many as your cluster has room for
  backoffLimit: {}
  template:
    spec:
      restartPolicy: OnFailure
{}      containers:
        - name: worker
          image: plimsoll  # has the program: packaging/Containerfile
          command: ["plimsoll", "worker", {}, "--threads=$(CPUS)"]
          env:
            - name: CPUS
              valueFrom:
                resourceFieldRef:
                  resource: requests.cpu
          resources:
            requests:
              cpu: 1
              memory: "1Gi"
          volumeMounts:
{}      volumes:
        - name: shared
          persistentVolumeClaim:
            claimName: plimsoll  # of the volume that all pods share
)yaml",
      kubernetes_job_name(folder), shards, std::min(shards, kMostAtOnce), kTriesOfEach * shards,
      owner_of(folder), as_word(folder.path()), mounts_of(folder));
}

}  // namespace plimsoll

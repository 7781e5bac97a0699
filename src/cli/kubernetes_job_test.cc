// Would Kubernetes take the Job of a plan (batch/v1), wherever its folder lies?
#include "cli/kubernetes_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "kubernetes_leaves.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

using test::Leaves;
using test::wrong_leaves;
using Type = test::LeafType;

const std::string kPod = "spec.template.spec.";
const std::string kContainer = kPod + "containers[].";

Leaves job_leaves() {
  return {
      {"apiVersion", {Type::constant, "batch/v1"}},
      {"kind", {Type::constant, "Job"}},
      {"metadata.name", {Type::label}},
      {"spec.completionMode", {Type::constant, "Indexed"}},
      {"spec.completions", {Type::whole}},
      {"spec.parallelism", {Type::whole}},
      {"spec.backoffLimit", {Type::whole}},
      {kPod + "restartPolicy", {Type::constant, "OnFailure"}},
      {kPod + "securityContext.runAsUser", {Type::whole}},
      {kPod + "securityContext.runAsGroup", {Type::whole}},
      {kContainer + "name", {Type::label}},
      {kContainer + "image", {Type::text}},
      {kContainer + "command[]", {Type::text}},
      {kContainer + "env[].name", {Type::constant, "CPUS"}},
      {kContainer + "env[].valueFrom.resourceFieldRef.resource", {Type::constant, "requests.cpu"}},
      {kContainer + "resources.requests.cpu", {Type::whole}},
      {kContainer + "resources.requests.memory", {Type::constant, "1Gi"}},
      {kContainer + "volumeMounts[].name", {Type::label}},
      {kContainer + "volumeMounts[].mountPath", {Type::text}},
      {kContainer + "volumeMounts[].subPath", {Type::text}},
      {kPod + "volumes[].name", {Type::label}},
      {kPod + "volumes[].persistentVolumeClaim.claimName", {Type::label}}};
}

RunFolder folder_for(const std::string& name, const std::string& files_from) {
  const std::string path =
      testing::TempDir() + "kubernetes_job_" + std::to_string(getpid()) + "/" + name;
  fs::remove_all(path);
  SharedQuestion question;
  question.head = {"0123456789abcdef0123456789abcdef", "plimsoll plan"};
  question.verb = "plan";
  question.folder = files_from.empty() ? fs::path(path).parent_path().string() : files_from;
  question.shards = 200;
  return *RunFolder::create(path, question);
}

std::vector<std::string> mounts_in(const std::string& manifest) {
  std::vector<std::string> mounts;
  const std::string key = "mountPath: ";
  for (std::size_t at = manifest.find(key); at != std::string::npos; at = manifest.find(key, at)) {
    at += key.size();
    mounts.push_back(trimmed(manifest.substr(at, manifest.find('\n', at) - at)));
  }
  return mounts;
}

TEST(KubernetesJob, has_the_types_of_the_api_whatever_its_folder_is_called) {
  for (const char* name : {"plan", "a b", "true", "100%", "$(HOME)", "-x: \"y\" #"}) {
    const std::string manifest = kubernetes_job(folder_for(name, ""));
    const auto document = parse_spec(manifest, "job.yaml");
    ASSERT_TRUE(document) << manifest;
    std::set<std::string> found;
    EXPECT_EQ(wrong_leaves(*document, "", job_leaves(), &found), "") << manifest;
    for (const auto& [leaf, type] : job_leaves()) EXPECT_TRUE(found.contains(leaf)) << leaf;
  }
}

TEST(KubernetesJob, tests_with_the_cpus_it_requests_and_expands_nothing_else) {
  const std::string manifest = kubernetes_job(folder_for("$(HOME)", ""));
  EXPECT_THAT(manifest, testing::HasSubstr("$$(HOME)\", \"--threads=$(CPUS)\"]"));
}

TEST(KubernetesJob, runs_as_the_owner_of_the_folder_and_so_many_at_a_time) {
  const std::string manifest = kubernetes_job(folder_for("plan", ""));
  EXPECT_THAT(manifest, testing::HasSubstr(fmt::format("runAsUser: {}\n", geteuid())));
  EXPECT_THAT(manifest, testing::HasSubstr(fmt::format("runAsGroup: {}\n", getegid())));
  EXPECT_THAT(manifest, testing::HasSubstr("completions: 200\n"));
  EXPECT_THAT(manifest, testing::HasSubstr("parallelism: 50 "));
}

TEST(KubernetesJob, has_a_name_for_each_folder_of_the_same_question) {
  EXPECT_NE(kubernetes_job_name(folder_for("one", "")), kubernetes_job_name(folder_for("two", "")));
}

TEST(KubernetesJob, mounts_each_folder_once_and_never_the_root) {
  const RunFolder inside = folder_for("plan", "");
  EXPECT_EQ(mounts_in(kubernetes_job(inside)).size(), 1);
  EXPECT_EQ(mounts_in(kubernetes_job(folder_for("plan", "/elsewhere"))).size(), 2);
  EXPECT_EQ(mounts_in(kubernetes_job(folder_for("plan", inside.path()))).size(), 1);
  const auto of_root = mounts_in(kubernetes_job(folder_for("plan", "/")));
  ASSERT_EQ(of_root.size(), 1);
  EXPECT_THAT(of_root.front(), testing::HasSubstr("/plan"));
}

}  // namespace
}  // namespace plimsoll

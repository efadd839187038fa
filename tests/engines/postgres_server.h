// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/engines/engine_url.h"
#include "tests/test_support.h"

namespace equinoise::testing {

/// A PostgreSQL server on a socket in a folder of its own, which ends with the object and with the
/// program. Its user postgres needs no password, all others do; its clock is that of Tokyo.
class PostgresServer {
 public:
  /// The folder of the server's programs, the newest ones; empty where it is not installed.
  static std::filesystem::path programs() {
    std::vector<std::filesystem::path> found;
    std::error_code ignored;
    for (const auto& version :
         std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
      if (std::filesystem::exists(version.path() / "bin/postgres"))
        found.push_back(version.path() / "bin");
    }
    return found.empty() ? std::filesystem::path() : *std::ranges::max_element(found);
  }

  PostgresServer() {
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
    for (const std::string& path : {data(), sockets()}) {
      std::filesystem::create_directory(path);
      if (::geteuid() == 0 && ::chown(path.c_str(), kNobody, kNobody) != 0)
        throw Error(ErrorKind::kRuntime, "tests", "chown");
    }
    const std::string logins = folder_.write_file("logins",
                                                  "local all postgres trust\n"
                                                  "local all all scram-sha-256\n");
    require(run({programs() / "initdb", "-D", data(), "-U", "postgres", "-A", "trust", "-N", "-E",
                 "UTF8", "--locale=C.UTF-8"}));
    server_ = start({programs() / "postgres",
                     "-D",
                     data(),
                     "-k",
                     sockets(),
                     "-c",
                     "listen_addresses=",
                     "-c",
                     "fsync=off",
                     "-c",
                     "shared_buffers=32MB",
                     "-c",
                     "hba_file=" + logins,
                     "-c",
                     "TimeZone=Asia/Tokyo",
                     "-c",
                     "password_encryption=scram-sha-256",
                     "-c",
                     "max_connections=20",
                     "-c",
                     "client_min_messages=warning"});
    constexpr int kTries = 600;
    int tries = 0;
    while (run({programs() / "pg_isready", "-q", "-h", sockets()}) != 0 && ++tries < kTries)
      ::usleep(50'000);
    require(tries < kTries ? 0 : 1);
  }
  ~PostgresServer() { end(); }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Where a database is, as libpq reads it. `more`: further settings, "&key=value".
  std::string address(const std::string& user = "postgres", const std::string& more = "") const {
    return "postgresql://" + user + "@/postgres?host=" + sockets() + more;
  }

  /// The parts of a table's name stand for themselves.
  EngineUrl url(std::vector<std::string> table, const std::string& user = "postgres",
                const std::string& more = "") const {
    return {EngineUrl::Kind::kPostgres, address(user, more), std::move(table), "the server"};
  }

  /// Statements as the user postgres, in one transaction that is committed.
  void execute(const std::string& statements, const std::string& database = "postgres") const {
    require(run({programs() / "psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-h", sockets(), "-U",
                 "postgres", "-c", statements, database}));
  }

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string sockets() const { return folder_.path() / "sockets"; }

  /// At once, as if its machine had failed.
  void end() {
    if (server_ <= 0) return;
    ::kill(server_, SIGQUIT);
    wait_for(std::exchange(server_, -1));
  }

 private:
  using Words = std::vector<std::string>;
  static constexpr uid_t kNobody = 65534;

  std::string data() const { return folder_.path() / "data"; }

  void require(int exit_code) const {
    if (exit_code != 0) throw Error(ErrorKind::kRuntime, "tests", "PostgreSQL: see standard error");
  }

  /// A program as a user without rights, which a server must be, that ends with this one.
  static pid_t start(const Words& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int nowhere = ::open("/dev/null", O_RDWR);
    bool good = ::dup2(nowhere, STDIN_FILENO) >= 0 && ::dup2(nowhere, STDOUT_FILENO) >= 0;
    if (words[0].ends_with("initdb") || words[0].ends_with("postgres"))
      good = good && ::dup2(nowhere, STDERR_FILENO) >= 0;
    if (::geteuid() == 0) {
      good =
          good && ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
    }
    good = good && ::chdir("/") == 0 && ::prctl(PR_SET_PDEATHSIG, SIGQUIT) == 0;
    if (good) ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  static int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static int run(const Words& words) { return wait_for(start(words)); }

  TempFolder folder_;
  pid_t server_ = -1;
};

/// A server for all tests of the program; nullptr where it is not installed.
inline PostgresServer* shared_postgres() {
  static std::optional<PostgresServer> server;
  if (!server && !PostgresServer::programs().empty()) server.emplace();
  return server ? &*server : nullptr;
}

/// Tests that ask a server; they say that they skip where it is not installed.
class PostgresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = shared_postgres();
    if (server_ == nullptr)
      GTEST_SKIP() << "PostgreSQL is not installed; tools/setup.sh test installs it";
  }

  PostgresServer* server_ = nullptr;
};

}  // namespace equinoise::testing

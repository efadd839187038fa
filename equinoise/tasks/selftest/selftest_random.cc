// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/tasks/selftest/selftest_checks.h"

namespace equinoise {

namespace {

/// The read and write ends of a pipe, closed at the end.
class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_) != 0)
      throw Error(ErrorKind::kRuntime, "tasks.selftest", "cannot create a pipe");
  }
  ~Pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }

 private:
  int ends_[2] = {-1, -1};
};

/// The next word that a forked child of this process draws from `source`.
uint64_t word_of_child(RandomSource& source) {
  constexpr int kTimeoutMilliseconds = 10'000;
  const Pipe pipe;
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorKind::kRuntime, "tasks.selftest", "this process cannot fork");
  if (child == 0) {
    bool written = false;
    try {
      const uint64_t word = source.next();
      written = ::write(pipe.write_end(), &word, sizeof word) == sizeof word;
    } catch (...) {
      written = false;
    }
    ::_exit(written ? 0 : 1);
  }
  pollfd waiting = {pipe.read_end(), POLLIN, 0};
  uint64_t word = 0;
  const bool got = ::poll(&waiting, 1, kTimeoutMilliseconds) == 1 &&
                   ::read(pipe.read_end(), &word, sizeof word) == sizeof word;
  if (!got) ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!got) throw Error(ErrorKind::kRuntime, "tasks.selftest", "the forked process did not answer");
  return word;
}

}  // namespace

SelfTestFinding check_random_source() {
  constexpr size_t kWords = 1 << 19;
  SelfTestVerdict verdict;
  SecureSource first;
  SecureSource second;
  verdict.require(first.secure() && second.secure(), "the source for releases is not secure");
  verdict.require(!SeededSource(1).secure(), "the source for tests claims to be secure");
  std::vector<uint64_t> words;
  words.reserve(2 * kWords);
  for (size_t i = 0; i < kWords; ++i) {
    words.push_back(first.next());
    words.push_back(second.next());
  }
  std::vector<double> bytes(256, 0);
  for (uint64_t word : words) {
    for (int i = 0; i < 64; i += 8) bytes[word >> i & 255] += 1;
  }
  verdict.require_fit("bytes, chi-square",
                      chi_square_fit(bytes, std::vector<double>(256, 1), kSelfTestSignificance),
                      8 * words.size());
  // Among 2^20 independent words two are equal with probability 2^-25.
  std::ranges::sort(words);
  verdict.require_likely(std::ranges::adjacent_find(words) == words.end(),
                         "a word was drawn twice");
  verdict.add(fmt::format("no repeated word among {} of two streams", words.size()));
  return verdict.finding();
}

SelfTestFinding check_fork() {
  SelfTestVerdict verdict;
  SecureSource source;
  source.next();
  const uint64_t of_child = word_of_child(source);
  // Words are equal by chance with probability 2^-64.
  verdict.require(of_child != source.next(), "a forked process drew the same word as its parent");
  verdict.add("parent and child drew different words");
  return verdict.finding();
}

}  // namespace equinoise

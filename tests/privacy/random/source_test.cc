// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/source.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <vector>

namespace equinoise::source_test {

TEST(SeededSource, GivesTheSameWordsForTheSameSeedAndStep) {
  SeededSource a(7);
  SeededSource b(7);
  std::vector<uint64_t> first;
  for (int i = 0; i < 10'000; ++i) {
    first.push_back(a.next());
    ASSERT_EQ(first.back(), b.next());
  }
  a.start_step(0);
  for (uint64_t word : first) ASSERT_EQ(a.next(), word);
}

TEST(SeededSource, WordsThatAreReadyAreTheNextOnes) {
  SeededSource a(7);
  SeededSource b(7);
  EXPECT_TRUE(a.ready().empty());
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(a.next(), b.next());
    for (size_t taken = 0; taken < 3 && !a.ready().empty(); ++taken) {
      const uint64_t word = a.ready()[0];
      a.discard(1);
      ASSERT_EQ(word, b.next());
    }
  }
}

TEST(SeededSource, KnownAnswer) {
  // The first word is that of AES-256-CTR under SHA-256(seed, step), after the 32 bytes that become
  // the next key.
  SeededSource source(1);
  EXPECT_EQ(source.next(), 0x7072703fb23375c6ULL);
}

TEST(SeededSource, StepsAndSeedsGiveDifferentStreams) {
  std::set<uint64_t> words;
  for (uint64_t seed : {1, 2}) {
    SeededSource source(seed);
    for (uint64_t step = 0; step < 3; ++step) {
      source.start_step(step);
      words.insert(source.next());
    }
  }
  EXPECT_EQ(words.size(), 6U);
}

TEST(SecureSource, NeverRepeatsAcrossInstances) {
  std::set<uint64_t> words;
  for (int i = 0; i < 50; ++i) {
    SecureSource source;
    words.insert(source.next());
  }
  EXPECT_EQ(words.size(), 50U);
}

TEST(SecureSource, AForkedChildDoesNotRepeatItsParent) {
  SecureSource source;
  source.next();
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const uint64_t word = source.next();
    const ssize_t written = write(channel[1], &word, sizeof word);
    _exit(written == sizeof word ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  uint64_t of_child = 0;
  ASSERT_EQ(read(channel[0], &of_child, sizeof of_child), static_cast<ssize_t>(sizeof of_child));
  EXPECT_NE(source.next(), of_child);
  close(channel[0]);
  close(channel[1]);
}

TEST(RandomSource, OnlyTheSecureOneIsSecure) {
  EXPECT_TRUE(SecureSource().secure());
  EXPECT_FALSE(SeededSource(1).secure());
}

}  // namespace equinoise::source_test

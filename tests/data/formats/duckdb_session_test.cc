// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/duckdb_session.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/data/table_files.h"
#include "tests/engines/duckdb_files.h"
#include "tests/test_support.h"

namespace equinoise::duckdb_session_test {

using testing::run_duckdb;
using testing::write_parquet;

std::string problem_of(const std::filesystem::path& path) {
  DuckDbLimits limits;
  limits.database = path.string();
  const std::string message =
      error_of(ErrorKind::kInput, [&] { const DuckDbSession session(limits); });
  EXPECT_THAT(message, HasSubstr(path.string() + ": "));
  return message;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The content of a database whose first block says that it is of another version.
std::string with_version(std::string content, uint64_t version) {
  constexpr size_t kBlockBytes = 4096;
  const auto word = [&](size_t at) {
    uint64_t value = 0;
    std::memcpy(&value, content.data() + at, sizeof(value));
    return value;
  };
  const auto checksum = [&] {
    uint64_t sum = 5381;
    for (size_t at = 8; at < kBlockBytes; at += 8) sum ^= word(at) * 0xbf58476d1ce4e5b9;
    return sum;
  };
  EXPECT_EQ(word(0), checksum()) << "as DuckDB computes it";
  std::memcpy(content.data() + 12, &version, sizeof(version));
  const uint64_t sum = checksum();
  std::memcpy(content.data(), &sum, sizeof(sum));
  return content;
}

TEST(DuckDbSession, SaysWhyADatabaseIsNotOpened) {
  const TempFolder folder;
  const std::filesystem::path good = folder.path() / "good.duckdb";
  run_duckdb(good, {"CREATE TABLE people AS FROM range(10)"});
  const std::string content = content_of(good);
  const auto problem = [&](std::string_view bytes) {
    return problem_of(folder.write_file("people.duckdb", bytes));
  };
  const std::string here = duckdb_library_version();
  EXPECT_THAT(problem(with_version(content, 100)),
              HasAll("was written by DuckDB " + here + " in a form", "STORAGE_VERSION 'v",
                     "COPY FROM DATABASE a TO b"));
  EXPECT_THAT(problem(content.substr(0, 5000)), HasSubstr("is damaged or was cut short"));
  EXPECT_THAT(problem("age,sex\n1,F\n"), HasSubstr("is given without duckdb:"));
  EXPECT_THAT(problem("SQLite format 3" + std::string(100, '\0')),
              HasSubstr("is an SQLite database; export the table as CSV"));
  EXPECT_THAT(problem_of(write_parquet(folder.path() / "p.parquet", "SELECT 1 AS age")),
              HasSubstr("is a Parquet file"));
  EXPECT_THAT(problem(""), HasSubstr("is empty"));
}

/// The version that is to be written, so that this one reads it.
TEST(DuckDbSession, ReadsWhatItsAdviceWrites) {
  const TempFolder folder;
  const std::string copy = (folder.path() / "copy.duckdb").string();
  const std::string here = duckdb_library_version();
  run_duckdb(folder.path() / "people.duckdb", {"CREATE TABLE people AS FROM range(10)",
                                               "ATTACH '" + copy + "' AS b (STORAGE_VERSION '" +
                                                   here.substr(0, here.rfind('.')) + ".0')",
                                               "COPY FROM DATABASE people TO b"});
  DuckDbLimits limits;
  limits.database = copy;
  EXPECT_TRUE(DuckDbSession(limits).succeeds("FROM people"));
}

TEST(DuckDbSession, SaysThatAnotherProgramWrites) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "people.duckdb";
  run_duckdb(path, {"CREATE TABLE people AS FROM range(10)"});
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    const int file = ::open(path.c_str(), O_RDWR);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    const char is_locked = ::fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
    static_cast<void>(::write(ready[1], &is_locked, 1));
    ::pause();
    ::_exit(0);
  }
  char is_locked = 'n';
  ASSERT_EQ(::read(ready[0], &is_locked, 1), 1);
  EXPECT_EQ(is_locked, 'y');
  EXPECT_THAT(problem_of(path), HasSubstr("is open in another program"));
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace equinoise::duckdb_session_test

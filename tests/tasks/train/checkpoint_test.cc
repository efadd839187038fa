// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/checkpoint.h"

#include <cmath>
#include <fstream>

#include "tests/test_support.h"

namespace equinoise::checkpoint_test {

const std::vector<Event> kEvents = {
    Event::repeat(10, Event::poisson_sampled(0.01, {Event::gaussian(1.5)}))};
const nlohmann::ordered_json kRun = {{"method", "dpsgd"}, {"num_steps", 10}};

TrainingState state_after(int64_t steps) {
  return {steps, {0.1 * static_cast<double>(steps), -1e-300}, {1.0 / 3, 5e300}, {-0.1, 7, 1e-9}};
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class CheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path path = folder.path() / "ledger";
    Ledger::open_account(path, "d", {Epsilon(3), Delta(1e-6), Relation::kZeroOut});
    ledger.emplace(path);
    reservation.emplace(ledger->reserve("d", kEvents, Relation::kZeroOut, "run", true));
  }
  Checkpoint make(Ledger* account) const { return {file, kRun, account, "d"}; }
  void begin_and_save(const TrainingState& state) {
    Checkpoint checkpoint = make(&*ledger);
    checkpoint.begin(reservation->entry, reservation->hash);
    checkpoint.save(state);
  }

  TempFolder folder;
  std::filesystem::path file = folder.path() / "checkpoint";
  std::filesystem::path beside = folder.path() / "checkpoint.new";
  std::optional<Ledger> ledger;
  std::optional<Reservation> reservation;
};

TEST_F(CheckpointTest, GivesBackTheStateToTheLastBit) {
  begin_and_save(state_after(3));
  Checkpoint again = make(&*ledger);
  const TrainingState state = again.load();
  EXPECT_EQ(state.num_steps_done, 3);
  EXPECT_EQ(state.parameters, state_after(3).parameters);
  EXPECT_EQ(state.average, state_after(3).average);
  EXPECT_EQ(state.optimizer, state_after(3).optimizer);
  EXPECT_EQ(again.resume_charge().events(), kEvents);
}

TEST_F(CheckpointTest, CanBeReadByItsOwnerAlone) {
  begin_and_save(state_after(3));
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(CheckpointTest, ADivergedRunComesBackAsNaN) {
  begin_and_save({3, {std::nan(""), HUGE_VAL}, {0, 0}});
  const TrainingState loaded = make(&*ledger).load();
  for (double value : loaded.parameters) EXPECT_TRUE(std::isnan(value));
}

TEST_F(CheckpointTest, GoesOnStateByState) {
  begin_and_save(state_after(3));
  {
    Checkpoint again = make(&*ledger);
    again.load();
    again.save(state_after(3));  // the state that it already is
    again.save(state_after(10));
  }
  EXPECT_EQ(make(&*ledger).load().num_steps_done, 10);
}

/// Killed between writing beside and recording: the new state may not be seen, the old one holds.
TEST_F(CheckpointTest, AStateThatTheLedgerDoesNotKnowIsRemovedUnread) {
  begin_and_save(state_after(3));
  std::string unknown = read(file);
  unknown.replace(unknown.find("\"num_steps_done\":3"), 18, "\"num_steps_done\":5");
  std::ofstream(beside) << unknown;
  EXPECT_EQ(make(&*ledger).load().num_steps_done, 3);
  EXPECT_FALSE(std::filesystem::exists(beside));
}

/// Killed while writing beside.
TEST_F(CheckpointTest, HalfAStateIsRemoved) {
  begin_and_save(state_after(3));
  std::ofstream(beside) << read(file).substr(0, 40);
  EXPECT_EQ(make(&*ledger).load().num_steps_done, 3);
  EXPECT_FALSE(std::filesystem::exists(beside));
}

/// Killed between recording and moving in place, with and without an older state.
TEST_F(CheckpointTest, TheNewestStateIsFoundBeside) {
  begin_and_save(state_after(3));
  const std::string older = read(file);
  {
    Checkpoint second = make(&*ledger);
    second.load();
    second.save(state_after(6));
  }
  std::filesystem::rename(file, beside);
  std::ofstream(file) << older;
  EXPECT_EQ(make(&*ledger).load().num_steps_done, 6);
  std::filesystem::rename(file, beside);
  EXPECT_EQ(make(&*ledger).load().num_steps_done, 6);
}

TEST_F(CheckpointTest, OfTwoCopiesOfOneStateOnlyTheFirstKeepsItsNext) {
  begin_and_save(state_after(3));
  const std::filesystem::path copy = folder.path() / "copy";
  std::filesystem::copy(file, copy);
  Checkpoint one = make(&*ledger);
  Checkpoint two(copy, kRun, &*ledger, "d");
  one.load();
  two.load();
  one.save(state_after(6));
  error_of(ErrorKind::kLedger, [&] { two.save(state_after(6)); });
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "copy.new"));
}

TEST_F(CheckpointTest, IsHeldByOneProcessAtATime) {
  {
    Checkpoint holder = make(&*ledger);
    EXPECT_ERROR(kUsage, HasSubstr("in use"), make(&*ledger));
  }
  EXPECT_NO_THROW(make(&*ledger));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "checkpoint.lock"));
}

TEST_F(CheckpointTest, WhatIsNotThisRunsIsLeftAlone) {
  begin_and_save(state_after(3));
  const std::string ours = read(file);
  // A file of somebody else beside, and no checkpoint of ours.
  std::filesystem::remove(file);
  std::ofstream(beside) << "notes";
  error_of(ErrorKind::kInput, [&] { make(&*ledger).load(); });
  EXPECT_EQ(read(beside), "notes");
  // A newest state of ours, asked for with other options or with another ledger.
  std::ofstream(beside) << ours;
  error_of(ErrorKind::kUsage, [&] {
    Checkpoint(file, {{"method", "dpsgd"}, {"num_steps", 11}}, &*ledger, "d").load();
  });
  const std::filesystem::path path = folder.path() / "other";
  Ledger::open_account(path, "d", {Epsilon(3), Delta(1e-6), Relation::kZeroOut});
  Ledger other(path);
  other.reserve("d", kEvents, Relation::kZeroOut, "another run", true);
  error_of(ErrorKind::kLedger, [&] { make(&other).load(); });
  EXPECT_EQ(read(beside), ours);
  EXPECT_EQ(make(&*ledger).load().num_steps_done, 3);
}

TEST_F(CheckpointTest, SaysWhatIsWrong) {
  error_of(ErrorKind::kUsage, [&] { make(&*ledger).load(); });
  begin_and_save(state_after(3));
  EXPECT_ERROR(kUsage, HasAll(file.string(), "add --resume", "remove it", "another --checkpoint"),
               make(&*ledger).require_new(100));
  EXPECT_ERROR(kUsage, HasSubstr("num_steps is 10, not 11"),
               Checkpoint(file, {{"method", "dpsgd"}, {"num_steps", 11}}, &*ledger, "d").load());
  EXPECT_THAT(
      error_of(
          ErrorKind::kUsage,
          [&] {
            Checkpoint(file, {{"method", "dpsgd"}, {"num_steps", 3001.0}}, &*ledger, "d").load();
          }),
      HasSubstr("num_steps is 10, not 3001;"));
  const std::string whole = read(file);
  for (size_t length : {size_t{0}, size_t{1}, whole.size() / 2, whole.size() - 1}) {
    std::ofstream(file) << whole.substr(0, length);
    error_of(ErrorKind::kInput, [&] { make(&*ledger).load(); });
  }
}

/// Edited parameters have another hash than the ledger knows.
TEST_F(CheckpointTest, AnEditedStateIsRefused) {
  begin_and_save(state_after(3));
  std::string edited = read(file);
  edited.replace(edited.find("-1e-300"), 7, "-2e-300");
  std::ofstream(file) << edited;
  error_of(ErrorKind::kLedger, [&] { make(&*ledger).load(); });
}

/// A table that is replaced while it is read would bind the states to another one than was read.
TEST_F(CheckpointTest, WhatWasReadIsWhatItIsHeldTo) {
  folder.write_file("table.csv", "a\n1\n");
  const TableFiles files{folder.path() / "table.csv", {}};
  Checkpoint checkpoint = make(&*ledger);
  checkpoint.begin(reservation->entry, reservation->hash);
  checkpoint.hold_to(files);
  EXPECT_NO_THROW(checkpoint.require_unchanged(files));
  folder.write_file("table.csv", "a\n2\n");
  EXPECT_ERROR(kInput, HasSubstr("changed while it was read"), checkpoint.require_unchanged(files));
}

TEST_F(CheckpointTest, WorksWithoutALedger) {
  {
    Checkpoint checkpoint = make(nullptr);
    checkpoint.require_new(100);
    checkpoint.save(state_after(3));
  }
  Checkpoint again = make(nullptr);
  EXPECT_EQ(again.load().num_steps_done, 3);
  again.remove();
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace equinoise::checkpoint_test

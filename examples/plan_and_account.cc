// SPDX-License-Identifier: Apache-2.0
// Plans a private training run, compares accountants and pays for the run from a ledger.
// No data is read: a cost follows from public facts alone.
#include <cstdio>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/train/registry.h"
#include "scratch_folder.h"

using namespace equinoise;

int main() {
  // A plan of DP-SGD for 36,632 training records and 108 parameters at epsilon 2. The noise is
  // calibrated to that epsilon; the plan holds what will be drawn as events.
  TrainingConfig config;
  config.epsilon = 2;
  config.num_steps = 500;
  const TrainingPlan plan = find_training_method("dpsgd").make()->plan(config, {36632, 108, 0});
  std::printf("noise multiplier %.4f\n", plan.noise_multiplier);
  for (const Event& event : plan.events()) std::printf("event: %s\n", event.to_text().c_str());

  // What each accountant can show for these events. One that cannot bound an event says so.
  for (const AccountantRow& row : accountant_rows()) {
    try {
      const Epsilon epsilon =
          row.make(config.relation, plan.events())->epsilon(Delta(config.delta));
      std::printf("%s: epsilon %.4f\n", row.name.data(), epsilon.value());
    } catch (const Error& error) {
      std::printf("%s: no answer, %s\n", row.name.data(), error.what());
    }
  }

  // One dataset has one account. Its budget is fixed when it is opened.
  const ScratchFolder scratch;
  const std::filesystem::path path = scratch.path("people.ledger");
  Ledger::open_account(path, "people", {Epsilon(3), Delta(config.delta), config.relation});
  Ledger ledger(path);

  // A reservation records the whole cost on disk before anything can be drawn. The charge that it
  // holds is what a method takes to draw noise; dropped unused, as here, it stays spent.
  const Reservation reservation =
      ledger.reserve("people", plan.events(), config.relation, "first run");
  std::printf("entry %lld reserved, spent epsilon %.4f of 3\n",
              static_cast<long long>(reservation.entry), reservation.spent.epsilon.value());

  // A second run of the same cost exceeds the budget: refused, and nothing is spent.
  try {
    ledger.reserve("people", plan.events(), config.relation, "second run");
    std::printf("a second run was accepted\n");
    return 1;
  } catch (const Error& error) {
    std::printf("refused: %s\n", error.what());
    return error.kind() == ErrorKind::kBudget ? 0 : 1;
  }
}

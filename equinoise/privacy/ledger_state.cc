// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/ledger_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "equinoise/base/lists.h"
#include "equinoise/privacy/charge.h"

namespace equinoise {

int64_t num_runs(const LedgerEntry& entry) { return num_runs(entry.events); }

bool continues(const LedgerEntry& entry, const RunProgress& now) {
  const int64_t least = entry.progress ? entry.progress->num_done + 1 : 0;
  return entry.resumable && now.num_done >= least && now.num_done <= num_runs(entry);
}

Spends AccountState::spends() const {
  Spends all;
  for (const LedgerEntry& entry : entries) all.push_back(entry.events);
  return all;
}

const LedgerEntry* AccountState::find(int64_t sequence) const {
  const auto found = std::ranges::find(entries, sequence, &LedgerEntry::sequence);
  return found == entries.end() ? nullptr : &*found;
}

const LedgerEntry* AccountState::find_key(const std::string& key) const {
  if (key.empty()) return nullptr;
  const auto found = std::ranges::find(entries, key, &LedgerEntry::key);
  return found == entries.end() ? nullptr : &*found;
}

namespace {

using nlohmann::json;

constexpr Refusal malformed{ErrorKind::kLedger, "privacy.ledger"};

/// The members of a record's body. No type is converted silently: a number given as text, or a
/// count with a fraction, is damage.
class Body {
 public:
  explicit Body(const json& body) : body_(body) {
    if (!body.is_object()) malformed("is not an object");
  }

  void allow_only(std::initializer_list<std::string_view> members) const {
    for (const auto& [name, value] : body_.items()) {
      if (!contains(members, name)) {
        malformed("has a member \"{}\" that this version does not know", name);
      }
    }
  }
  bool has(const char* name) const { return body_.contains(name); }
  const json& list(const char* name) const { return member(name, &json::is_array, "a list"); }
  std::vector<double> numbers(const char* name) const {
    std::vector<double> values;
    for (const json& value : list(name)) {
      if (!value.is_number()) malformed("has a \"{}\" that does not hold only numbers", name);
      values.push_back(value.get<double>());
    }
    return values;
  }
  std::string text(const char* name) const {
    return member(name, &json::is_string, "a text").get<std::string>();
  }
  double number(const char* name) const {
    return member(name, &json::is_number, "a number").get<double>();
  }
  bool flag(const char* name) const {
    return member(name, &json::is_boolean, "true or false").get<bool>();
  }
  int64_t integer(const char* name) const {
    const json& value = member(name, &json::is_number_integer, "a whole number");
    // An unsigned number above the range of int64_t would turn negative.
    if (value.is_number_unsigned() && value.get<uint64_t>() > (uint64_t{1} << 62)) {
      malformed("has too large a \"{}\"", name);
    }
    return value.get<int64_t>();
  }

 private:
  const json& member(const char* name, bool (json::*is_right)() const noexcept,
                     const char* what) const {
    const auto found = body_.find(name);
    if (found == body_.end()) malformed("has no \"{}\"", name);
    if (!((*found).*is_right)()) malformed("has a \"{}\" that is not {}", name, what);
    return *found;
  }

  const json& body_;
};

void read_open(const Body& body, LedgerState& state) {
  body.allow_only({"kind", "dataset", "time", "epsilon", "delta", "relation", "accountant",
                   "group_caps", "fixed_groups", "rdp_orders", "unit"});
  Budget budget{Epsilon(body.number("epsilon")), Delta(body.number("delta")),
                parse_relation(body.text("relation")), body.text("accountant")};
  for (const json& item : body.list("group_caps")) {
    const Body cap(item);
    cap.allow_only({"partition", "group", "epsilon"});
    budget.group_caps.push_back(
        {cap.text("partition"), cap.text("group"), Epsilon(cap.number("epsilon"))});
  }
  // Files older than the statement do not make it.
  const bool opened_by_name = !body.has("fixed_groups");
  if (!opened_by_name) budget.fixed_groups = body.flag("fixed_groups");
  if (body.has("rdp_orders")) {
    budget.rdp_orders = body.numbers("rdp_orders");
  } else {
    budget.rdp_orders = usual_rdp_orders();  // of versions that did not store them
  }
  if (body.has("unit")) budget.unit = body.text("unit");
  check_budget(budget);
  if (!opened_by_name && !budget.group_caps.empty() && !budget.fixed_groups)
    malformed("has caps of groups without the statement that they depend on");
  if (!state.accounts.emplace(body.text("dataset"), AccountState{budget, {}, opened_by_name})
           .second) {
    malformed("opens an account that is already open");
  }
}

void read_spend(const Body& body, const LedgerRecord& record, AccountState& account) {
  body.allow_only({"kind", "dataset", "time", "purpose", "resumable", "events", "key"});
  LedgerEntry entry;
  entry.sequence = record.sequence;
  entry.hash = record.hash;
  entry.time = body.text("time");
  entry.purpose = body.text("purpose");
  if (body.has("resumable")) entry.resumable = body.flag("resumable");
  if (body.has("key")) entry.key = body.text("key");
  if (account.find_key(entry.key) != nullptr) malformed("uses a key for the second time");
  for (const json& event : body.list("events")) entry.events.push_back(Event::from_json(event));
  account.entries.push_back(std::move(entry));
}

void read_progress(const Body& body, AccountState& account) {
  body.allow_only({"kind", "dataset", "time", "entry", "num_done", "state"});
  const RunProgress now{body.integer("num_done"), body.text("state")};
  const int64_t sequence = body.integer("entry");
  const auto entry = std::ranges::find(account.entries, sequence, &LedgerEntry::sequence);
  if (entry == account.entries.end() || !continues(*entry, now)) {
    malformed("does not continue any run");
  }
  entry->progress = now;
}

void read_record(const LedgerRecord& record, LedgerState& state) {
  const json parsed = json::parse(record.body);
  const Body body(parsed);
  const std::string kind = body.text("kind");
  if (kind == "open") return read_open(body, state);
  const auto account = state.accounts.find(body.text("dataset"));
  if (account == state.accounts.end()) malformed("does not belong to any account");
  if (kind == "spend") return read_spend(body, record, account->second);
  if (kind == "progress") return read_progress(body, account->second);
  malformed("is of a kind \"{}\" that this version does not know", kind);
}

}  // namespace

LedgerState load_state(const LedgerFile& file) {
  LedgerState state;
  for (const LedgerRecord& record : file.read()) {
    try {
      read_record(record, state);
    } catch (const json::exception&) {
      file.refuse_record(record.sequence, "is not JSON");
    } catch (const Error& error) {
      file.refuse_record(
          record.sequence,
          fmt::format("does not have the form that this version writes ({})", error.what()));
    }
    state.last = record;
  }
  return state;
}

json open_body(const std::string& dataset, const Budget& budget, const std::string& time) {
  json caps = json::array();
  for (const GroupCap& cap : budget.group_caps) {
    caps.push_back(
        {{"partition", cap.partition}, {"group", cap.group}, {"epsilon", cap.epsilon.value()}});
  }
  json body = {{"kind", "open"},
               {"dataset", dataset},
               {"time", time},
               {"epsilon", budget.epsilon.value()},
               {"delta", budget.delta.value()},
               {"relation", to_string(budget.relation)},
               {"accountant", budget.accountant},
               {"group_caps", std::move(caps)},
               {"fixed_groups", budget.fixed_groups}};
  if (budget.accountant == "rdp") body["rdp_orders"] = budget.rdp_orders;
  if (!budget.protects_rows()) body["unit"] = budget.unit;
  return body;
}

json spend_body(const std::string& dataset, const LedgerEntry& entry) {
  json events = json::array();
  for (const Event& event : entry.events) events.push_back(event.to_json());
  json body = {
      {"kind", "spend"},          {"dataset", dataset},           {"time", entry.time},
      {"purpose", entry.purpose}, {"resumable", entry.resumable}, {"events", std::move(events)}};
  if (!entry.key.empty()) body["key"] = entry.key;
  return body;
}

json progress_body(const std::string& dataset, int64_t entry, const RunProgress& now,
                   const std::string& time) {
  return {{"kind", "progress"}, {"dataset", dataset},       {"time", time},
          {"entry", entry},     {"num_done", now.num_done}, {"state", now.state_hash}};
}

}  // namespace equinoise

// SPDX-License-Identifier: Apache-2.0
#include "tests/data/engine/fake_adbc_driver.h"

#include <cstring>
#include <string>

// A driver that does what a test tells it. What it says of an error is a secret.

namespace equinoise::testing {
namespace {

FakeAdbc fake;

AdbcStatusCode answer(const std::string& call, AdbcError* error) {
  fake.calls.push_back(call);
  if (fake.failing.empty() || !call.starts_with(fake.failing)) return ADBC_STATUS_OK;
  static char message[] = "S3CRET";
  error->message = message;
  std::memcpy(error->sqlstate, fake.sqlstate.data(), sizeof error->sqlstate);
  ++fake.num_open;
  error->release = [](AdbcError* released) {
    --fake.num_open;
    *released = {};
  };
  return fake.status;
}

template <typename Object>
AdbcStatusCode make(Object* object, const char* call, AdbcError* error) {
  const AdbcStatusCode status = answer(call, error);
  if (status != ADBC_STATUS_OK) return status;
  object->private_data = &fake;
  ++fake.num_open;
  return status;
}

template <typename Object>
AdbcStatusCode release(Object* object, const char* call, AdbcError* error) {
  object->private_data = nullptr;
  --fake.num_open;
  return answer(call, error);
}

AdbcStatusCode begin(int version, void* functions, AdbcError* problem) {
  const AdbcStatusCode begun = answer("Begin " + std::to_string(version), problem);
  if (version > fake.version) return ADBC_STATUS_NOT_IMPLEMENTED;
  if (begun != ADBC_STATUS_OK) return begun;
  ++fake.num_open;
  AdbcDriver& d = *static_cast<AdbcDriver*>(functions);
  d.release = [](AdbcDriver*, AdbcError* e) {
    --fake.num_open;
    return answer("Release", e);
  };
  d.DatabaseNew = [](AdbcDatabase* o, AdbcError* e) { return make(o, "DatabaseNew", e); };
  d.DatabaseSetOption = [](AdbcDatabase*, const char* key, const char* value, AdbcError* e) {
    return answer("DatabaseSetOption " + std::string(key) + "=" + value, e);
  };
  d.DatabaseInit = [](AdbcDatabase*, AdbcError* e) { return answer("DatabaseInit", e); };
  d.DatabaseRelease = [](AdbcDatabase* o, AdbcError* e) {
    return release(o, "DatabaseRelease", e);
  };
  d.ConnectionNew = [](AdbcConnection* o, AdbcError* e) { return make(o, "ConnectionNew", e); };
  d.ConnectionSetOption = [](AdbcConnection*, const char* key, const char* value, AdbcError* e) {
    return answer("ConnectionSetOption " + std::string(key) + "=" + value, e);
  };
  d.ConnectionInit = [](AdbcConnection*, AdbcDatabase*, AdbcError* e) {
    return answer("ConnectionInit", e);
  };
  d.ConnectionRelease = [](AdbcConnection* o, AdbcError* e) {
    return release(o, "ConnectionRelease", e);
  };
  d.ConnectionGetTableSchema = [](AdbcConnection*, const char* catalog, const char* schema,
                                  const char* name, ArrowSchema* out, AdbcError* e) {
    std::string table;
    for (const char* part : {catalog, schema, name})
      table += part == nullptr ? " -" : " " + std::string(part);
    const AdbcStatusCode status = answer("ConnectionGetTableSchema" + table, e);
    if (status == ADBC_STATUS_OK) *out = fake.types();
    return status;
  };
  d.StatementNew = [](AdbcConnection*, AdbcStatement* o, AdbcError* e) {
    return make(o, "StatementNew", e);
  };
  d.StatementSetSqlQuery = [](AdbcStatement*, const char* query, AdbcError* e) {
    return answer("StatementSetSqlQuery " + std::string(query), e);
  };
  d.StatementExecuteQuery = [](AdbcStatement*, ArrowArrayStream* out, int64_t*, AdbcError* e) {
    const AdbcStatusCode status = answer("StatementExecuteQuery", e);
    if (status == ADBC_STATUS_OK && out != nullptr) *out = fake.result();
    return status;
  };
  d.StatementRelease = [](AdbcStatement* o, AdbcError* e) {
    return release(o, "StatementRelease", e);
  };
  if (!fake.is_complete) d.StatementNew = nullptr;
  if (version < ADBC_VERSION_1_1_0) return ADBC_STATUS_OK;
  d.StatementCancel = [](AdbcStatement*, AdbcError* e) { return answer("StatementCancel", e); };
  d.ErrorFromArrayStream = [](ArrowArrayStream*, AdbcStatusCode* status) -> const AdbcError* {
    static const AdbcError error{};
    *status = fake.status_of_stream;
    return fake.status_of_stream == ADBC_STATUS_OK ? nullptr : &error;
  };
  return ADBC_STATUS_OK;
}

}  // namespace
}  // namespace equinoise::testing

extern "C" {

/// As the specification calls it after the name of the library.
AdbcStatusCode AdbcFakeDriverInit(int version, void* functions, AdbcError* error) {
  return equinoise::testing::begin(version, functions, error);
}

equinoise::testing::FakeAdbc* fake_adbc() { return &equinoise::testing::fake; }

}  // extern "C"

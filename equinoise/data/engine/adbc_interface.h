// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "equinoise/data/formats/arrow_interface.h"

// The structures of ADBC 1.1.0, of which 1.0.0 is a part, as its specification gives them; what
// nobody calls here has no type. The name of the guard is theirs, so that a program may have them
// from elsewhere, too.

extern "C" {

#ifndef ADBC
#define ADBC

#define ADBC_VERSION_1_0_0 1000000
#define ADBC_VERSION_1_1_0 1001000

typedef uint8_t AdbcStatusCode;

#define ADBC_STATUS_OK 0
#define ADBC_STATUS_UNKNOWN 1
#define ADBC_STATUS_NOT_IMPLEMENTED 2
#define ADBC_STATUS_NOT_FOUND 3
#define ADBC_STATUS_ALREADY_EXISTS 4
#define ADBC_STATUS_INVALID_ARGUMENT 5
#define ADBC_STATUS_INVALID_STATE 6
#define ADBC_STATUS_INVALID_DATA 7
#define ADBC_STATUS_INTEGRITY 8
#define ADBC_STATUS_INTERNAL 9
#define ADBC_STATUS_IO 10
#define ADBC_STATUS_CANCELLED 11
#define ADBC_STATUS_TIMEOUT 12
#define ADBC_STATUS_UNAUTHENTICATED 13
#define ADBC_STATUS_UNAUTHORIZED 14

struct AdbcDriver;

struct AdbcError {
  char* message;
  int32_t vendor_code;
  char sqlstate[5];
  void (*release)(struct AdbcError* error);
  void* private_data;
  struct AdbcDriver* private_driver;
};

struct AdbcDatabase {
  void* private_data;
  struct AdbcDriver* private_driver;
};

struct AdbcConnection {
  void* private_data;
  struct AdbcDriver* private_driver;
};

struct AdbcStatement {
  void* private_data;
  struct AdbcDriver* private_driver;
};

typedef void (*AdbcUncalled)(void);

struct AdbcDriver {
  void* private_data;
  void* private_manager;
  AdbcStatusCode (*release)(struct AdbcDriver*, struct AdbcError*);

  AdbcStatusCode (*DatabaseInit)(struct AdbcDatabase*, struct AdbcError*);
  AdbcStatusCode (*DatabaseNew)(struct AdbcDatabase*, struct AdbcError*);
  AdbcStatusCode (*DatabaseSetOption)(struct AdbcDatabase*, const char* key, const char* value,
                                      struct AdbcError*);
  AdbcStatusCode (*DatabaseRelease)(struct AdbcDatabase*, struct AdbcError*);

  AdbcUncalled ConnectionCommit;
  AdbcUncalled ConnectionGetInfo;
  AdbcUncalled ConnectionGetObjects;
  AdbcStatusCode (*ConnectionGetTableSchema)(struct AdbcConnection*, const char* catalog,
                                             const char* db_schema, const char* table_name,
                                             struct ArrowSchema*, struct AdbcError*);
  AdbcUncalled ConnectionGetTableTypes;
  AdbcStatusCode (*ConnectionInit)(struct AdbcConnection*, struct AdbcDatabase*, struct AdbcError*);
  AdbcStatusCode (*ConnectionNew)(struct AdbcConnection*, struct AdbcError*);
  AdbcStatusCode (*ConnectionSetOption)(struct AdbcConnection*, const char* key, const char* value,
                                        struct AdbcError*);
  AdbcUncalled ConnectionReadPartition;
  AdbcStatusCode (*ConnectionRelease)(struct AdbcConnection*, struct AdbcError*);
  AdbcUncalled ConnectionRollback;

  AdbcUncalled StatementBind;
  AdbcUncalled StatementBindStream;
  AdbcStatusCode (*StatementExecuteQuery)(struct AdbcStatement*, struct ArrowArrayStream*,
                                          int64_t* rows_affected, struct AdbcError*);
  AdbcUncalled StatementExecutePartitions;
  AdbcUncalled StatementGetParameterSchema;
  AdbcStatusCode (*StatementNew)(struct AdbcConnection*, struct AdbcStatement*, struct AdbcError*);
  AdbcUncalled StatementPrepare;
  AdbcStatusCode (*StatementRelease)(struct AdbcStatement*, struct AdbcError*);
  AdbcUncalled StatementSetOption;
  AdbcStatusCode (*StatementSetSqlQuery)(struct AdbcStatement*, const char* query,
                                         struct AdbcError*);
  AdbcUncalled StatementSetSubstraitPlan;

  // Since 1.1.0; a driver of 1.0.0 leaves them as they are.
  AdbcUncalled ErrorGetDetailCount;
  AdbcUncalled ErrorGetDetail;
  const struct AdbcError* (*ErrorFromArrayStream)(struct ArrowArrayStream*, AdbcStatusCode*);

  AdbcUncalled DatabaseGetOption;
  AdbcUncalled DatabaseGetOptionBytes;
  AdbcUncalled DatabaseGetOptionDouble;
  AdbcUncalled DatabaseGetOptionInt;
  AdbcUncalled DatabaseSetOptionBytes;
  AdbcUncalled DatabaseSetOptionDouble;
  AdbcUncalled DatabaseSetOptionInt;

  AdbcUncalled ConnectionCancel;
  AdbcUncalled ConnectionGetOption;
  AdbcUncalled ConnectionGetOptionBytes;
  AdbcUncalled ConnectionGetOptionDouble;
  AdbcUncalled ConnectionGetOptionInt;
  AdbcUncalled ConnectionGetStatistics;
  AdbcUncalled ConnectionGetStatisticNames;
  AdbcUncalled ConnectionSetOptionBytes;
  AdbcUncalled ConnectionSetOptionDouble;
  AdbcUncalled ConnectionSetOptionInt;

  AdbcStatusCode (*StatementCancel)(struct AdbcStatement*, struct AdbcError*);
  AdbcUncalled StatementExecuteSchema;
  AdbcUncalled StatementGetOption;
  AdbcUncalled StatementGetOptionBytes;
  AdbcUncalled StatementGetOptionDouble;
  AdbcUncalled StatementGetOptionInt;
  AdbcUncalled StatementSetOptionBytes;
  AdbcUncalled StatementSetOptionDouble;
  AdbcUncalled StatementSetOptionInt;
};

typedef AdbcStatusCode (*AdbcDriverInitFunc)(int version, void* driver, struct AdbcError*);

#endif  // ADBC

}  // extern "C"

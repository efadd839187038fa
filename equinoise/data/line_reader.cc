#include "equinoise/data/line_reader.h"

#include <duckdb.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "equinoise/base/error.h"

namespace equinoise {
namespace {

[[noreturn]] void fail(std::string_view file, std::string_view problem) {
  throw Error(ErrorKind::kInput, "data.table", fmt::format("{}: {}", file, problem));
}

/// Owns one object of DuckDB's C interface, whose destroy functions accept an empty one.
template <typename T, void (*destroy)(T*)>
class Owned {
 public:
  Owned() = default;
  ~Owned() { destroy(&value_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  void reset() {
    destroy(&value_);
    value_ = T{};
  }
  T& operator*() { return value_; }

 private:
  T value_{};
};

/// An open regular file. Keeping it open means that DuckDB reads the very file that was checked, by
/// a name that needs no escaping in SQL and holds no wildcards.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path, const std::string& name) {
    // Without O_NONBLOCK opening a pipe would wait for its writer.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) {
      fail(name, fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
    }
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      const bool is_folder = S_ISDIR(status.st_mode);
      ::close(descriptor_);
      fail(name, is_folder ? "is a directory; name the file in it" : "is not a regular file");
    }
    size_ = status.st_size;
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_empty() const { return size_ == 0; }
  bool is_gzip() const {
    std::array<unsigned char, 2> magic = {};
    return ::pread(descriptor_, magic.data(), magic.size(), 0) == 2 && magic[0] == 0x1f &&
           magic[1] == 0x8b;
  }
  std::string alias() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_ = -1;
  int64_t size_ = 0;
};

/// What DuckDB says in a message (1.5), and what we say instead.
struct Problem {
  std::string_view marker;
  std::string_view meaning;
};
constexpr std::array<Problem, 5> kProblems = {{
    {"not utf-8 encoded", "is not UTF-8; convert the file, e.g. with iconv"},
    {"Maximum line size", "is longer than 2,000,000 bytes; is this a CSV file?"},
    {"Expected Number of Columns", "holds the control character U+0001; remove it"},
    {"reached an invalid state",
     "has more than one kind of line end (LF, CRLF, CR; also within quotes); convert the file to "
     "one "
     "kind"},
    {"GZIP", "holds damaged gzip data"},
}};

[[noreturn]] void fail_for(std::string_view file, std::string_view message, bool is_gzip) {
  constexpr std::string_view kLine = "CSV Error on Line: ";
  std::string where;
  if (const size_t position = message.find(kLine); position != message.npos) {
    const std::string_view rest = message.substr(position + kLine.size());
    int64_t line = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), line).ec == std::errc()) {
      where = fmt::format("line {} ", line);
    }
  }
  for (const Problem& problem : kProblems) {
    if (message.find(problem.marker) != message.npos) {
      fail(file, where + std::string(problem.meaning));
    }
  }
  fail(file, fmt::format("{}cannot be read as {}", where, is_gzip ? "gzip text" : "text"));
}

}  // namespace

struct LineReader::Stream {
  explicit Stream(const std::filesystem::path& path, const std::string& name) : file(path, name) {}

  OpenFile file;
  // Destroyed from the last to the first, as DuckDB wants it.
  Owned<duckdb_database, duckdb_close> database;
  Owned<duckdb_connection, duckdb_disconnect> connection;
  Owned<duckdb_prepared_statement, duckdb_destroy_prepare> statement;
  Owned<duckdb_result, duckdb_destroy_result> result;
  Owned<duckdb_data_chunk, duckdb_destroy_data_chunk> chunk;
  duckdb_string_t* lines = nullptr;
  uint64_t* validity = nullptr;
  idx_t num_lines = 0;
  idx_t next_line = 0;

  void open() {
    Owned<duckdb_config, duckdb_destroy_config> config;
    bool good = duckdb_create_config(&*config) == DuckDBSuccess;
    using Option = std::pair<const char*, const char*>;
    for (const auto& [key, value] : {Option("threads", "1"), Option("temp_directory", ""),
                                     Option("autoinstall_known_extensions", "false"),
                                     Option("autoload_known_extensions", "false"),
                                     Option("allow_community_extensions", "false"),
                                     Option("allow_persistent_secrets", "false")}) {
      good = good && duckdb_set_config(*config, key, value) == DuckDBSuccess;
    }
    good = good && duckdb_open_ext(nullptr, &*database, *config, nullptr) == DuckDBSuccess &&
           duckdb_connect(*database, &*connection) == DuckDBSuccess;
    for (const std::string& setting : {fmt::format("SET allowed_paths=['{}']", file.alias()),
                                       std::string("SET enable_external_access=false"),
                                       std::string("SET lock_configuration=true")}) {
      good = good && duckdb_query(*connection, setting.c_str(), nullptr) == DuckDBSuccess;
    }
    if (!good) throw Error(ErrorKind::kRuntime, "data.table", "DuckDB cannot be started");
  }

  /// Starts the query; returns false where DuckDB refuses the file.
  bool start(bool is_gzip) {
    // One column and no quotes: a cell is a line. force_not_null keeps empty lines.
    const std::string query = fmt::format(
        "SELECT line FROM read_csv('{}', columns={{'line': 'VARCHAR'}}, compression='{}', "
        "auto_detect=false, strict_mode=true, header=false, delim=E'\\x01', quote='', escape='', "
        "force_not_null=['line'], max_line_size=2000000, parallel=false)",
        file.alias(), is_gzip ? "gzip" : "none");
    return duckdb_prepare(*connection, query.c_str(), &*statement) == DuckDBSuccess &&
           duckdb_execute_prepared_streaming(*statement, &*result) == DuckDBSuccess;
  }

  bool fetch() {
    chunk.reset();
    *chunk = duckdb_fetch_chunk(*result);
    if (*chunk == nullptr) return false;
    duckdb_vector vector = duckdb_data_chunk_get_vector(*chunk, 0);
    lines = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
    validity = duckdb_vector_get_validity(vector);
    num_lines = duckdb_data_chunk_get_size(*chunk);
    next_line = 0;
    return true;
  }

  /// DuckDB's own words. They may hold a whole row, so only fail_for() looks at them.
  std::string message() {
    const char* error = duckdb_result_error(&*result);
    if (error == nullptr) error = duckdb_prepare_error(*statement);
    return error == nullptr ? "" : error;
  }
};

LineReader::LineReader(const std::filesystem::path& path)
    : name_(path.string()), stream_(std::make_unique<Stream>(path, name_)) {
  if (stream_->file.is_empty()) fail(name_, "is empty");
  is_gzip_ = stream_->file.is_gzip();
  stream_->open();
  if (!stream_->start(is_gzip_)) fail_for(name_, stream_->message(), is_gzip_);
}

LineReader::~LineReader() = default;

bool LineReader::next(std::string_view& line) {
  Stream& stream = *stream_;
  while (stream.next_line == stream.num_lines) {
    if (!stream.fetch()) {
      const char* error = duckdb_result_error(&*stream.result);
      if (error != nullptr) fail_for(name_, error, is_gzip_);
      return false;
    }
  }
  const idx_t index = stream.next_line++;
  ++line_number_;
  const bool is_null =
      stream.validity != nullptr && !duckdb_validity_row_is_valid(stream.validity, index);
  duckdb_string_t* text = &stream.lines[index];
  line = is_null ? std::string_view()
                 : std::string_view(duckdb_string_t_data(text), duckdb_string_t_length(*text));
  return true;
}

}  // namespace equinoise

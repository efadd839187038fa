#include "equinoise/tasks/row_text.h"

#include "equinoise/report/format.h"

namespace equinoise {

std::string rows_to_csv(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                        RandomSource& source) {
  std::string text;
  std::vector<std::vector<std::string>> cells(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    text += (i == 0 ? "" : ",") + csv_cell(columns[i].name);
    for (const std::string& value : columns[i].values) cells[i].push_back(csv_cell(value));
  }
  text += '\n';
  for (size_t row = 0; row < rows.num_rows; ++row) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      const uint16_t code = rows.columns[i][row];
      if (columns[i].is_numeric()) {
        text += columns[i].decode(code, source);
      } else {
        text += cells[i][code];
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace equinoise

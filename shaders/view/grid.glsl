// Where the records of a traced array are (src/gl/gl_trace.h): a grid of columns and rows, where each fragment has
// written `each` records in one column, row 0 at the top.
//
//   each = 1, wraps:  0 1 2 3      each = 2:  0 2 4 6      each = 1:  0 1 2 3     (the same sinks in each row)
//                     4 5 6 -                 1 3 5 7                 0 1 2 3

uniform ivec4 grid; // columns, each, wraps, records

// The number of the record in a cell; cells after the last record are unused.
int record_of(ivec2 cell) {
  int turn = cell.y / grid.y;
  return cell.x * grid.y + cell.y % grid.y + (grid.z == 1 ? grid.x * turn : 0);
}

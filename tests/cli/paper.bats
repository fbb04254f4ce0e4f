#!/usr/bin/env bats
# shellcheck disable=SC2016 # awk's dollars
# data/paper: numbers typed from the papers. Sums of the printed columns, and relations that the papers state, catch a
# mistyped digit; the last test shows that they do.

setup() {
  papers=$BATS_TEST_DIRNAME/../../data/paper
  cd "$BATS_TEST_TMPDIR" || return 1
}

# holds CHECKS: awk, run after all tables of $papers are read. value(TABLE, ROW, COLUMN); a row is named by its first field,
# in tables with a column `machine` by both, as "eta_fe GPU". sum(TABLE, COLUMN), product(TABLE, COLUMN) where its numbers
# are of many sizes. expect(NAME, GOT, RIGHT, RELATIVE ERROR).
holds() {
  awk -F, '
    function bad(why) { print why; failed = 1 }
    function value(table, row, column) {
      if (!((table, row, column) in cell)) bad(table ": no " column " of " row)
      return cell[table, row, column]
    }
    function sum(table, column) { return total[table, column] }
    function product(table, column) { return exp(logs[table, column]) }
    function add(table, column, number) {
      total[table, column] += number
      if (number > 0) logs[table, column] += log(number)
    }
    function expect(name, got, right, error, d) {
      d = got - right
      if ((d < 0 ? -d : d) > error * (right < 0 ? -right : right)) bad(name ": " got ", expected " right)
    }
    FNR == 1 { table = FILENAME; gsub(/.*\/|[.]csv/, "", table); fields = 0 }
    /^#/ { next }
    !fields { fields = split($0, column); next }
    {
      if (NF != fields) bad(table ": fields of " $0)
      if ($NF !~ /^\[(PZ07|HI07|NHP07)\] ./) bad(table ": no source of " $0)
      row = column[2] == "machine" ? $1 " " $2 : $1
      if ((table, row, "source") in cell) bad(table ": twice " row)
      rows[table]++
      for (k = 2; k <= NF; k++) { cell[table, row, column[k]] = $k; add(table, column[k], $k) }
    }
    END { '"$1"'; exit failed }' "$papers"/{pz07,hi07,nhp07}_*.csv
}

columns='
  expect("Table 1, GRAPE", sum("pz07_table1", "GRAPE-6Af"), 24 + 90 + 0.133 + 128, 0)
  expect("Table 1, 8800GTX", sum("pz07_table1", "8800GTX"), 10153.4, 1e-12)
  expect("Table 1, FX1400", sum("pz07_table1", "FX1400"), 1945.2, 1e-12)
  expect("Table 1, Xeon", sum("pz07_table1", "Xeon"), 3401, 0)
  expect("Table 3, GRAPE", sum("pz07_table3", "GRAPE-6Af"), 1.982463e-6, 1e-12)
  expect("Table 3, 8800GTX", sum("pz07_table3", "8800GTX"), 2.3952815e-5, 1e-12)
  expect("Table 3, FX1400", sum("pz07_table3", "FX1400"), 2.52763e-5, 1e-12)
  expect("Table 3, Xeon", sum("pz07_table3", "Xeon"), 4.349e-7, 1e-12)
  expect("[HI07] Table 2, direct", sum("hi07_table2", "direct"), 6.56e-5, 1e-12)
  expect("[HI07] Table 2, chamomile", sum("hi07_table2", "chamomile"), 4.98e-6, 1e-12)
  expect("[HI07] Table 3, t", sum("hi07_table3", "t_s"), 3.408111, 1e-12)
  expect("[HI07] Table 3, gflops", sum("hi07_table3", "gflops"), 1628, 0)
  expect("model", product("pz07_model", "value"), 7.766260352e+24, 1e-9)
  expect("accuracy", product("pz07_accuracy", "value"), 1.2651264e-53, 1e-9)
  expect("scatter", sum("pz07_accuracy", "scatter"), 2.28e-6, 1e-12)
  expect("[NHP07]", product("nhp07_rates", "value"), 4.68741966e+32, 1e-9)'
@test "the columns have the sums of the printed ones" { holds "$columns"; }

# The second row of Table 3 is eta_fe / (f_cycle n_pipe) to its three digits.
pairs='
  split("GRAPE-6Af 8800GTX FX1400 Xeon", machine, " ")
  split("GRAPE-6Af GPU GPU Xeon", kind, " ")
  for (k = 1; k <= 4; k++) {
    rate = 1e6 * value("pz07_table1", "f_cycle", machine[k]) * value("pz07_table1", "n_pipe", machine[k])
    expect("pair on " machine[k], value("pz07_table3", "t_pair", machine[k]),
           value("pz07_model", "eta_fe " kind[k], "value") / rate, 2e-3)
  }'
@test "[PZ07] Table 3 follows from Table 1 and eq. 15" { holds "$pairs"; }

# t_host is eqs 11 and 12 for one of N = 64k particles, n_block of them by eq. 14. 768 MB at 84 bytes a particle are 9362k;
# the 1562k of the FX1400 are 0.1 % more than 128 MB hold.
host='
  nb = value("pz07_model", "n_block coefficient all", "value") * 65536 ^ (value("pz07_model", "n_block exponent all", "value") - 1)
  cycles = value("pz07_model", "eta_pred all", "value") + nb * value("pz07_model", "eta_corr all", "value")
  expect("t_host", value("pz07_table3", "t_host", "Xeon"), cycles / (1e6 * value("pz07_table1", "f_cycle", "Xeon")), 0.01)
  expect("memory", value("pz07_table1", "memory", "8800GTX"), 768 * 1024 / 84, 1e-4)
  expect("memory", value("pz07_table1", "memory", "FX1400"), 128 * 1024 / 84, 2e-3)
  expect("receive, of send", value("pz07_model", "bytes_receive GPU", "value"), value("pz07_model", "bytes_send GPU", "value") / 2, 0)
  expect("bytes", value("pz07_model", "bytes_stored GPU", "value"), 28 + value("pz07_model", "bytes_send GPU", "value"), 0)'
@test "[PZ07] t_host, memory and bytes agree with each other" { holds "$host"; }

# The text by which the figures of section 5 speak: the model at 1 and 9 million particles.
text='
  for (k = 1; k <= 2; k++) {
    N = k == 1 ? 1e6 : 9e6
    nb = 0.2 * N ^ 0.81
    steps = 247 * N ^ 0.35
    host = (900 * N + 16000 * nb) / 3.4e9
    gpu = host + value("pz07_table3", "t_pair", "8800GTX") * N * nb + (value("pz07_table3", "t_send", "8800GTX") + value("pz07_table3", "t_receive", "8800GTX")) * N
    xeon = host + value("pz07_table3", "t_pair", "Xeon") * N * nb
    at = k == 1 ? "1e6" : "9e6"
    expect("speedup at " at, xeon / gpu, value("pz07_model", "speedup at " at " 8800GTX", "value"), 0.1)
  }
  expect("years", gpu * steps / 3.156e7, value("pz07_model", "time unit at 9e6 8800GTX", "value"), 0.15)'
@test "[PZ07] what the text says of 1 and 9 million particles" { holds "$text"; }

# [HI07] eq. 4 to the digits of t; the error of one long float sum grows with n, that of bags is smaller everywhere.
hi07='
  for (n = 2048; n <= 131072; n *= 2) {
    expect("[HI07] Table 3, " n, value("hi07_table3", n, "gflops"), 38e-9 * n * n / value("hi07_table3", n, "t_s"), 6e-3)
    if (value("hi07_table3", n, "gflops") <= before) bad("[HI07] Table 3 falls at " n)
    if (value("hi07_table2", n, "direct") <= direct) bad("[HI07] Table 2 falls at " n)
    if (value("hi07_table2", n, "chamomile") >= value("hi07_table2", n, "direct")) bad("[HI07] Table 2: bags lose at " n)
    before = value("hi07_table3", n, "gflops"); direct = value("hi07_table2", n, "direct")
  }
  if (rows["hi07_table2"] != 7 || rows["hi07_table3"] != 7) bad("[HI07] has 7 rows")'
@test "[HI07] Tables 2 and 3" { holds "$hi07"; }

nhp07='
  pairs = value("nhp07_rates", "pairs_per_s", "value"); flops = value("nhp07_rates", "flops_per_pair", "value")
  expect("pairs", pairs, value("nhp07_rates", "steps_per_s", "value") * 16384 ^ 2, 0.03)
  expect("GFLOP/s", value("nhp07_rates", "gflops", "value"), 1e-9 * pairs * flops, 0)
  clock = value("nhp07_rates", "processors", "value") * value("nhp07_rates", "clock", "value")
  expect("peak", value("nhp07_rates", "gflops peak", "value"), clock, 1e-12)
  expect("pairs from cycles", pairs, 4e9 * clock / value("nhp07_rates", "cycles_per_4_pairs", "value"), 0.05)'
@test "[NHP07] rates follow from each other" { holds "$nhp07"; }

# Negative control: every number with its first digit raised by one (9 becomes 10) is noticed.
@test "a mistyped digit is seen, wherever it is" {
  local original=$papers file name line field cells
  holds "$columns"
  papers=$BATS_TEST_TMPDIR/mistyped
  mkdir "$papers"
  for file in "$original"/{pz07,hi07,nhp07}_*.csv; do
    name=$(basename "$file")
    cp "$original"/{pz07,hi07,nhp07}_*.csv "$papers"
    cells=$(awk -F, '/^#/ { next } !n { n = split($0, c); next }
      { for (k = 2; k < NF; k++) if ($k ~ /^[0-9.]+(e-?[0-9]+)?$/ && c[k] != "n") print FNR, k }' "$file")
    [ -n "$cells" ]
    while read -r line field; do
      awk -F, -v OFS=, -v line="$line" -v field="$field" 'FNR == line { match($field, /[1-9]/)
        $field = substr($field, 1, RSTART - 1) substr($field, RSTART, 1) + 1 substr($field, RSTART + 1) } 1' "$file" >"$papers/$name"
      ! cmp -s "$file" "$papers/$name"
      if holds "$columns" >/dev/null; then
        echo "not seen: $name line $line field $field"
        return 1
      fi
    done <<<"$cells"
    cp "$file" "$papers"
  done
}

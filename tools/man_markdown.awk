# man_markdown.awk -v name= -v section= -v about= -v version= -v date= FILE.md: a page of the manual, in roff with tables
# for tbl, from headings, paragraphs, tables and code in Markdown. With -v only=HEADING just what is below that heading, as
# a section of another page, with the tables as lists.
function escaped(s) {
  gsub(/\\/, "\\e", s)
  return s
}

# `code`, **bold**, *italic*, [text](where)
function inline(s,    out, part) {
  gsub(/\\\[/, "[", s)
  gsub(/\\\]/, "]", s)
  s = escaped(s)
  while (match(s, /\[[^]]*\]\([^)]*\)/)) {
    part = substr(s, RSTART + 1, RLENGTH - 2)
    sub(/\]\(.*/, "", part)
    s = substr(s, 1, RSTART - 1) part substr(s, RSTART + RLENGTH)
  }
  while (match(s, /\*\*[^*]*\*\*/))
    s = substr(s, 1, RSTART - 1) "\\fB" substr(s, RSTART + 2, RLENGTH - 4) "\\fR" substr(s, RSTART + RLENGTH)
  while (match(s, /\*[a-z][a-z ]*[a-z]\*/))
    s = substr(s, 1, RSTART - 1) "\\fI" substr(s, RSTART + 1, RLENGTH - 2) "\\fR" substr(s, RSTART + RLENGTH)
  out = ""
  while (match(s, /`[^`]*`/)) {
    part = substr(s, RSTART + 1, RLENGTH - 2)
    gsub(/-/, "\\-", part)
    out = out substr(s, 1, RSTART - 1) "\\fB" part "\\fR"
    s = substr(s, RSTART + RLENGTH)
  }
  return out s
}

function put(s) {
  if (s ~ /^[.']/) s = "\\&" s
  print s
}

# cells[1 ..] of a row
function split_row(line,    n, k) {
  sub(/^\| */, "", line)
  sub(/ *\|$/, "", line)
  n = split(line, cells, / *\| */)
  for (k = 1; k <= n; k++) cells[k] = inline(cells[k])
  return n
}

function put_row(line,    n, k) {
  n = split_row(line)
  if (only) {
    print ".TP"
    put(cells[1])
    put(cells[2])
    return
  }
  # A word that may be wider than a block of text, groff 1.23 says so; and that it cannot adjust a line of one word.
  for (k = 1; k <= n; k++) {
    if (cells[k] ~ / /) {
      put("T{\n.na")
      put(cells[k])
      printf "T}"
    } else
      printf "%s%s", cells[k] ~ /^[.'_=]/ ? "\\&" : "", cells[k]
    printf "%s", k < n ? "\t" : "\n"
  }
}

function begin_table(line,    n, k, format) {
  n = split_row(line)
  if (only) return
  print ".TS"
  format = "lb"
  for (k = 2; k <= n; k++) format = format " lb"
  print format
  for (k = 1; k < n; k++) printf "l "
  print "lx."
  for (k = 1; k <= n; k++) printf "%s%s", cells[k], k < n ? "\t" : "\n"
}

# A line of code as it is.
function put_code(s) {
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  put(s)
}

function end_table() {
  if (in_table && !only) print ".TE"
  in_table = 0
}

BEGIN {
  if (!only) {
    print "'\\\" t"
    printf ".TH \"%s\" %s %s \"Holmberg %s\" \"File Formats\"\n.nh\n", toupper(name), section, date, version
    printf ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", name, about
    active = 1
  }
}

/^```/ {
  if (active) print in_code ? ".EE" : ".PP\n.EX"
  in_code = !in_code
  next
}
in_code {
  if (active) put_code($0)
  next
}
!in_list && active && /^    / {
  if (!indented) print ".PP\n.EX"
  for (; indented > 1; indented--) print ""
  indented = 1
  put_code(substr($0, 5))
  paragraph = 0
  next
}
indented && /^$/ { # an empty line within, or the end
  indented++
  next
}
indented {
  print ".EE"
  indented = 0
  paragraph = 1
}
/^#+ / {
  end_table()
  level = length($1)
  title = substr($0, level + 2)
  if (only) active = title == only
  if (!active || level == 1) next
  print (level == 2 ? ".SH \"" : ".SS \"") (level == 2 ? toupper(inline(title)) : inline(title)) "\""
  next
}
!active { next }
/^[0-9]+\. \[.*\]\(#/ { next } # a table of contents
/^\|[-| :]*\|$/ { next }
/^- / {
  print ".IP \\(bu 2"
  put(inline(substr($0, 3)))
  in_list = 1
  paragraph = 0
  next
}
in_list && /^  / {
  put(inline(substr($0, 3)))
  next
}
in_list && !/^$/ {
  in_list = 0
  paragraph = 1
}
/^\|/ {
  if (!in_table) begin_table($0)
  else put_row($0)
  in_table = 1
  next
}
{ end_table() }
/^$/ {
  paragraph = 1
  next
}
{
  if (paragraph) print ".PP"
  paragraph = 0
  put(inline($0))
}
END {
  end_table()
  if (indented) print ".EE"
}

# man_header.awk -v name= -v package= -v version= -v date= HEADER: a page of section 3 from a public header: what its comments
# say, by the declarations they stand above.
function escaped(s) {
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  return s
}
function put(s) {
  if (s ~ /^[.']/) s = "\\&" s
  print s
}

# A comment at the beginning of a line: its words without the stars.
function strip(s) {
  sub(/^\/\* ?/, "", s)
  sub(/^ \* ?/, "", s)
  sub(/ *\*\/$/, "", s)
  return s
}

# An indented line is an entry, `NAME  what it is`, which continues where lines are indented more, or a line of its own, as
# a formula is.
function put_text(s,    k, n, lines, line, kind, before, name) {
  n = split(s, lines, "\n")
  for (k = 1; k <= n; k++) {
    line = lines[k]
    before = kind
    kind = line !~ /^  / ? "text" : before == "entry" && line ~ /^    / ? "entry" : "alone"
    if (kind == "alone" && (before == "entry" || line ~ /^  [A-Za-z][A-Za-z0-9_, -]*  +[^ ]/)) {
      kind = "entry"
      sub(/^ +/, "", line)
      match(line, line ~ /^[^ ]+(, [^ ]+)*  / ? "  +" : " +")
      name = substr(line, 1, RSTART - 1)
      line = substr(line, RSTART + RLENGTH)
      printf ".TP\n.B %s\n", escaped(name)
    }
    sub(/^ +/, "", line)
    if (kind == "text" && before == "entry") print ".PP"
    if (kind == "alone" || (kind == "text" && before == "alone")) print ".br"
    if (line == "") print ".PP"
    else put(escaped(line))
  }
}

# The first comment is the page's beginning.
function put_head(    first, rest) {
  first = text
  gsub(/\n/, " ", first)
  sub(/\. .*/, "", first)
  sub(/\.$/, "", first)
  sub(/^Holmberg: /, "", first)
  first = tolower(substr(first, 1, 1)) substr(first, 2)
  printf ".TH \"%s\" 3 %s \"Holmberg %s\" \"Library Functions\"\n.nh\n", toupper(name), date, version
  printf ".SH NAME\n%s \\- %s\n", name, escaped(first)
  printf ".SH SYNOPSIS\n.nf\n.B #include <holmberg/%s>\n.fi\n.PP\n", header
  print ".B cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs " escaped(package) ")\n.SH DESCRIPTION"
  put_text(text)
  print ".SH DECLARATIONS"
  head_done = 1
}

function flush() {
  if (code != "") {
    print ".PP\n.EX"
    printf "%s", code
    print ".EE"
  }
  if (text != "" && head_done) {
    print ".RS 4"
    put_text(text)
    print ".RE"
  } else if (text != "") put_head()
  code = text = ""
}

FNR == 1 {
  header = FILENAME
  sub(/.*\//, "", header)
}
/^#(ifndef|define) HOLMBERG_/ || /^#include/ || /^#(ifdef __cplusplus|endif)/ || /^(extern "C" \{|\})$/ { next }
/^\/\* ---- .* -+ \*\/$/ {
  flush()
  title = $0
  gsub(/^\/\* -+ | -+ \*\/$/, "", title)
  printf ".SS \"%s\"\n", toupper(substr(title, 1, 1)) substr(title, 2)
  next
}
/^$/ && !in_comment {
  flush()
  next
}
/^\/\*/ {
  if (code != "") flush()
  in_comment = 1
}
in_comment {
  text = text (text == "" ? "" : "\n") strip($0)
  if (/\*\/$/) in_comment = 0
  next
}
{
  line = escaped($0)
  code = code (line ~ /^[.']/ ? "\\&" : "") line "\n"
}
END {
  flush()
  print ".SH SEE ALSO\n.BR holmberg (1),\n.BR holmberg (3)"
}

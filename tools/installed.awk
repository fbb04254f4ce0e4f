# installed.awk -v folder=FOLDER -v list=FILE -v page=src/cli/README.md: a guide as it is installed below FOLDER, in a tree like that of
# the source. FILE lists what is there: links to anything else become plain text. The program is on the PATH, and what
# commands write goes where one is, not to build/.
BEGIN {
  RS = "\001"
  while ((getline names < list) > 0)
    for (n = split(names, name, "\n"); n > 0; n--)
      for (path = name[n]; path != ""; path = path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "") there[path] = 1
  here = page ~ /\// ? substr(page, 1, match(page, /[^\/]*$/) - 1) : ""
}

function is_there(target) {
  if (target ~ /^(#|[a-z]+:)/) return 1
  sub(/#.*/, "", target)
  target = here target
  while (match(target, /[^\/]+\/\.\.\//)) target = substr(target, 1, RSTART - 1) substr(target, RSTART + RLENGTH)
  sub(/\/$/, "", target)
  return target in there
}

# There is nothing to build: no `make` alone, and where it has a target, a sentence behind the block says where that works.
function without_makefile(text,   lines, n, k, fenced, block, made, kept) {
  n = split(text, lines, "\n")
  for (k = 1; k <= n; k++) {
    if (lines[k] ~ /^ *```/) fenced = !fenced
    block = fenced || lines[k] ~ /^    /
    if (block && lines[k] ~ /^ *(\$ )?make(   *[^ ].*)?$/) continue
    if (block && lines[k] ~ /^ *(\$ )?make [^ =]/) made = 1
    if (!block && lines[k] !~ /^ *```/ && made) {
      kept = kept "\n(`make` works in the source tree.)\n"
      made = 0
    }
    kept = kept lines[k] (k < n ? "\n" : "")
  }
  return kept
}

{
  rest = $0
  text = ""
  while (match(rest, /!?\[[^][]*\]\([^()]*\)/)) {
    link = substr(rest, RSTART, RLENGTH)
    text = text substr(rest, 1, RSTART - 1)
    rest = substr(rest, RSTART + RLENGTH)
    target = word = link
    sub(/^.*\]\(/, "", target)
    sub(/\)$/, "", target)
    sub(/^!?\[/, "", word)
    sub(/\]\(.*$/, "", word)
    text = text (is_there(target) ? link : word)
  }
  text = text rest
  text = without_makefile(text)
  gsub(/After `make` the program is `build\/holmberg`\. /, "", text)
  gsub(/with the program built[ \n]\(`make`\)/, "with the program", text)
  gsub(/cp -r shaders build\//, "cp -r " folder "/shaders ", text)
  gsub(/<shaders\/exercises\//, "<" folder "/shaders/exercises/", text)
  if (page ~ /^shaders/) { # but the page is where it is built
    gsub(/build\//, "", text)
    gsub(/`web\//, "`build/web/", text)
  }
  gsub(/build\/holmberg/, "holmberg", text)
  gsub(/\.sh holmberg /, ".sh build/holmberg ", text) # a tool of the source tree
  printf "%s", text
}

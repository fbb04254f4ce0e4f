#!/usr/bin/env bats
# `holmberg run --watch` as curl sees it: tests/web/page.py has what a browser shows.
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  pkg-config --exists libmicrohttpd || skip "built without libmicrohttpd"
  echo '<title>the page</title>' >page.html
  export HB_PAGE=$PWD/page.html
  "$HOLMBERG" ic plummer -n 64 -o p.txt --quiet
}

teardown() { [ -z "${run:-}" ] || kill "$run" 2>/dev/null || :; }

code() { curl -s -o answer -w '%{http_code}' "$@"; }

watched() { # OPTION...: $address and $token of a run that takes long
  "$HOLMBERG" run p.txt --scheme host --t-end 1e5 "$@" >/dev/null 2>said 3>&- &
  run=$!
  until grep -q watch said; do sleep 0.05; done
  address=$(sed -n 's/.*watch it at \(.*\)#watch=p.txt$/\1/p' said)
  token=$(basename "$address")
}

@test "--watch: the page and the state under a token, nothing else, read-only, on this machine alone" {
  watched --watch
  [[ $address =~ ^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$ ]]
  [ "$(code "$address")" = 200 ] && cmp answer page.html
  [ "$(code "${address}state")" = 200 ] && [ "$(stat -c %s answer)" = $((80 + 28 * 64)) ]
  sleep 0.3
  t() { od -An -t f8 -j 16 -N 8 answer; }
  before=$(t) && code "${address}state" >/dev/null && sleep 0.3 && code "${address}state" >/dev/null
  echo "t =$before, then$(t)" && [ "$before" != "$(t)" ]
  tag=$(curl -s -D - -o /dev/null "${address}state" | sed -n 's/^E[Tt]ag: \(.*\)\r/\1/p')
  echo "$tag" && [[ $tag == \"*\" ]]
  wrong=${token:0:31}$(tr 0-9a-f 1-9a-f0 <<<"${token:31}")
  for path in "${address/$token/$wrong}" "${address/$token/${token:0:31}}" "${address%/}" "${address/$token\//}" "${address}state/" "${address}p.txt" \
    "${address}../said" "${address}%2e%2e/said"; do
    echo "$path" && [ "$(code --path-as-is "$path")" = 404 ]
  done
  for method in POST PUT DELETE PATCH OPTIONS; do
    echo "$method" && [ "$(code -X $method "${address}state")" = 405 ]
  done
  port=${address#http://127.0.0.1:}
  port=${port%%/*}
  others=$(hostname -I | tr ' ' '\n' | grep -v : || :)
  for other in $others; do run ! curl -s --max-time 2 "http://$other:$port/$token/"; done
}

@test "--watch: the run's bytes are those without; its port may be named, and taken" {
  "$HOLMBERG" run p.txt --scheme host --t-end 2 -o alone.txt --quiet
  "$HOLMBERG" run p.txt --scheme host --t-end 2 -o watched.txt --quiet --watch 2>/dev/null
  cmp alone.txt watched.txt
  watched --watch
  port=${address#http://127.0.0.1:}
  run ! "$HOLMBERG" run p.txt --scheme host --watch "${port%%/*}" --quiet
  [[ $output == *"option --watch: port ${port%%/*} of this machine is not free"* ]]
  HB_PAGE=/nowhere/page.html run ! "$HOLMBERG" run p.txt --scheme host --watch --quiet
  [[ $output == *page.html* ]]
}

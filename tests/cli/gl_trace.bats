#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# A walk on paper: holmberg trace. That the numbers in the pictures are right is tests/unit/test_gl_passes_traced.c and
# test_gl_trace.c.
load common

@test "trace: every texture of every pass, a page a scheme, and what a pair costs" {
  export HB_CONTEXT=osmesa
  accepts trace -o pictures --passes
  [ "${#lines[@]}" -eq 4 ]
  # 36 draws of 40 texels, 7 read and 2 written each, for 37 x 36 pairs; see shaders/README.md
  [ "${lines[0]}" = 'wrote pictures/cg2007.svg and 252 pictures of its passes: 36 draws, 108.1 bytes read and 34.59 written per pair' ]
  [ "${lines[1]}" = 'wrote pictures/matrix2004.svg and 17 pictures of its passes: 8 draws, 135.5 bytes read and 67.46 written per pair' ]
  [[ ${lines[2]} == 'wrote pictures/bag.svg and 14 pictures of its passes: 5 draws, '* ]]
  [[ ${lines[3]} == 'wrote pictures/tile.svg and 2 pictures of its passes: 1 draw, '* ]]
  files pictures
  [ "$(find pictures -type f | wc -l)" -eq 289 ]
  [ -s pictures/cg2007_36_write_accOut.svg ]
  [ -s pictures/matrix2004_02_read_before.svg ]
  # a page is small enough for documentation
  [ -z "$(find pictures -size +500k)" ]
  for scheme in cg2007 matrix2004 bag tile; do [ -z "$(find pictures/$scheme.svg -size +200k)" ]; done
  python3 -c 'import sys, xml.dom.minidom; [xml.dom.minidom.parse(f) for f in sys.argv[1:]]' pictures/*.svg
  mkdir first
  cp pictures/matrix2004* first
  accepts trace --scheme matrix2004 -o again --passes --quiet
  [ -z "$output" ]
  diff -r first again
}

@test "trace: a model, a file, some schemes" {
  export HB_CONTEXT=osmesa
  "$HOLMBERG" ic plummer -n 20 -o a.txt --quiet
  accepts trace a.txt -n 9 --scheme bag,matrix2004 -o pictures
  [ "${#lines[@]}" -eq 2 ]
  accepts trace plummer -n 64 --scheme bag -o pictures
  accepts trace figure8 --scheme cg2007 -o pictures --passes
  [[ $output == *' 14 pictures of its passes: 2 draws, '* ]]
}

@test "trace: a page a scheme unless more is asked for; slides show the first passes and the last" {
  export HB_CONTEXT=osmesa
  accepts trace -n 37 --scheme cg2007,matrix2004 -o pages
  [ "$(find pages -type f | wc -l)" -eq 2 ]
  [[ ${lines[0]} == 'wrote pages/cg2007.svg: 36 draws, '* ]]
  accepts trace -n 37 --scheme cg2007,matrix2004 -o slides --slides
  for k in 01 02 03 36; do [ -s slides/cg2007_slide_$k.svg ]; done
  [ "$(find slides -name 'cg2007_slide*' | wc -l)" -eq 4 ]
  [ "$(find slides -name 'matrix2004_slide*' | wc -l)" -eq 8 ]
  grep -q "^<svg .* width='1920' height='1080'" slides/cg2007_slide_36.svg
  run ! cmp -s slides/cg2007_slide_02.svg slides/cg2007_slide_03.svg
  cmp pages/cg2007.svg slides/cg2007.svg
}

@test "trace: what cannot be traced" {
  export HB_CONTEXT=osmesa
  fails_with 2 'scheme host cannot be traced (expected cg2007,*' trace --scheme host
  fails_with 2 'scheme BAG cannot be traced (expected cg2007,*' trace --scheme BAG
  fails_with 2 'cannot trace 200 particles (expected 2 to 128, see -n)' trace plummer -n 200 -o pictures
  fails_with 2 'figure8 has only 3 particles, but got -n 9' trace figure8 -n 9 -o pictures
  fails_with 4 'cannot read nonsense.txt: No such *' trace nonsense.txt -o pictures
  : >taken
  fails_with 4 'cannot make folder taken: *' trace --scheme bag -o taken
  files taken
}

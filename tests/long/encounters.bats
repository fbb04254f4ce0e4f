#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2086 # run sets these, options are words
# A cluster of stars of very different mass without softening: hard binaries, and encounters that no step of 2^-26 holds.
load ../cli/common
load ../cli/encounters

# kroupa N: a Plummer sphere with masses of Kroupa's function [Kroupa 2001], 0.08 to 0.5 (1.3) and to 50 solar masses (2.3).
kroupa() {
  "$HOLMBERG" ic plummer -n "$1" --seed 1 -o - | awk '
    function draw() { seed = 16807 * seed % 2147483647; return seed / 2147483647 }
    function share(lo, hi, a) { return (hi ^ (1 - a) - lo ^ (1 - a)) / (1 - a) }
    function mass(lo, hi, a, u) { return (lo ^ (1 - a) + u * (hi ^ (1 - a) - lo ^ (1 - a))) ^ (1 / (1 - a)) }
    BEGIN { seed = 4711; low = share(0.08, 0.5, 1.3); high = 0.5 * share(0.5, 50, 2.3) }
    /^#/ { next }
    {
      u = draw() * (low + high)
      m[++n] = u < low ? mass(0.08, 0.5, 1.3, u / low) : mass(0.5, 50, 2.3, (u - low) / high)
      sum += m[n]; $1 = ""; row[n] = $0
    }
    END { for (i = 1; i <= n; i++) printf "%.17g%s\n", m[i] / sum, row[i] }'
}

@test "2048 stars of Kroupa masses to t = 10 in double: the energy is kept" {
  kroupa 2048 >stars.txt
  accepts run stars.txt --scheme host --eps 0 --t-end 10 --diag-every 1 --max-energy-error 1e-4
}

@test "2048 stars of Kroupa masses to t = 10 in floats: an error that is small, or exit code 7" {
  kroupa 2048 >stars.txt
  honest 10 stars.txt --scheme host-simd
  honest 10 stars.txt --scheme host-simd --precision ds
  honest 10 stars.txt --scheme bag --no-tune --context osmesa
  honest 10 stars.txt --scheme hybrid --no-tune --context osmesa
}

# What takes a pass for each star, or emulates each operation, takes fewer of them.
@test "128 stars of Kroupa masses to t = 10 by all the other schemes" {
  kroupa 128 >stars.txt
  honest 10 stars.txt --scheme grape6
  for scheme in cg2007 matrix2004 tile 'tile --precision ds' 'bag --precision ds' 'bag --precision double'; do
    honest 10 stars.txt --scheme $scheme --no-tune --context osmesa
  done
}

# Open, work, close under valgrind: nothing lost, nothing read that was not written.
load ../cli/common

checked() {
  MESA_SHADER_CACHE_DISABLE=true valgrind -q --leak-check=full --show-leak-kinds=definite,possible --errors-for-leak-kinds=definite,possible \
    --error-exitcode=9 --suppressions="$BATS_TEST_DIRNAME/valgrind.supp" "$(dirname "$HOLMBERG")/tests/$1"
}

@test "a thousand times on the host" {
  checked test_open_close
}

@test "with an OpenGL context each time" {
  ROUNDS=3 HB_CONTEXT=osmesa LP_NUM_THREADS=0 checked test_gl_open_close
}

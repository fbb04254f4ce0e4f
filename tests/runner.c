/* Every unit test in one program, so that a change of the library links once: `test_NAME` is a link to it. A test is begun
 * by the name it is called by. The table is the Makefile's; each main() is renamed there. */
#include <stdio.h>
#include <string.h>

#define TEST(name) int name##_main(void);
#include "tests.h"
#undef TEST

static const struct {
  const char *name;
  int (*begin)(void);
} tests[] = {
#define TEST(name) {#name, name##_main},
#include "tests.h"
};

int main(int argc, char **argv)
{
  (void)argc;
  const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
  for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
    if (strcmp(tests[k].name, name) == 0) return tests[k].begin();
  fprintf(stderr, "%s: no test of that name\n", name);
  return 2;
}

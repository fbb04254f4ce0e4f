#include "child/child.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static const struct hb_child_task *const tasks[] = {&hb_child_snapshot, &hb_child_context, NULL};

int main(int argc, char **argv)
{
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* a crash is a valid answer */
  for (size_t k = 0; tasks[k]; k++)
    if (argc > 1 && strcmp(argv[1], tasks[k]->name) == 0 && argc - 2 == tasks[k]->word_count)
      return tasks[k]->work(argv + 2);
  fputs("holmberg-child is run by holmberg and its library, not by hand\n", stderr);
  return 2;
}

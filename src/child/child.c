#include "child/child.h"

#include <stdio.h>
#include <string.h>

static const struct hb_child_task *const tasks[] = {&hb_child_snapshot, NULL};

int main(int argc, char **argv)
{
  for (size_t k = 0; tasks[k]; k++)
    if (argc > 1 && strcmp(argv[1], tasks[k]->name) == 0 && argc - 2 == tasks[k]->word_count)
      return tasks[k]->work(argv + 2);
  fputs("holmberg-child works for holmberg and its library; it is not run by hand\n", stderr);
  return 2;
}

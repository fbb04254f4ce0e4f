/* holmberg-child: the program that does for the library what may crash, so that the library's own program lives on. One
 * task a file; a task reads its words, writes its answer to standard output and gives the exit code. */
#ifndef HB_CHILD_H
#define HB_CHILD_H

struct hb_child_task {
  const char *name;
  int word_count;
  int (*work)(char **words);
};

extern const struct hb_child_task hb_child_snapshot;

#endif

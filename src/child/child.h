/* holmberg-child: the program that does for the library what may crash, so that the calling program survives. Each task
 * has a file; it reads its words, writes its answer to standard output and returns the exit code. */
#ifndef HB_CHILD_H
#define HB_CHILD_H

struct hb_child_task {
  const char *name;
  int word_count;
  int (*work)(char **words);
};

extern const struct hb_child_task hb_child_snapshot, hb_child_context;

#endif

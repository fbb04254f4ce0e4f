/* See windows/posix.h. */

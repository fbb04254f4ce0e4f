#include "lib/room.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096 };

static FILE *open_in(const char *root, const char *folder, const char *name)
{
  char path[2 * PATH];
  int length = snprintf(path, sizeof path, "%s%s%s", root, folder, name);
  return length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
}

/* The number behind a key in a file of lines; NaN: none. */
static double number_behind(FILE *file, const char *key)
{
  char line[256];
  double number = NAN;
  size_t length = strlen(key);
  while (file && isnan(number) && fgets(line, sizeof line, file))
    if (strncmp(line, key, length) == 0) sscanf(line + length, " %lf", &number);
  if (file) fclose(file);
  return number;
}

/* What the limit of a group leaves; files that are only cached give way. Infinite: it has no limit ("max", or 2^63 less a page). */
static double left_in(const char *root, const char *group, int version)
{
  double limit =
      number_behind(open_in(root, group, version == 2 ? "/memory.max" : "/memory.limit_in_bytes"), "");
  double used =
      number_behind(open_in(root, group, version == 2 ? "/memory.current" : "/memory.usage_in_bytes"), "");
  double cached = number_behind(open_in(root, group, "/memory.stat"),
                                version == 2 ? "inactive_file " : "total_inactive_file ");
  if (isnan(limit) || limit > 1e18) return INFINITY;
  return fmax(limit - fmax(used - fmax(cached, 0), 0), 0);
}

/* The group of this process and all above it; in a container its path may be that outside, and the mount is the group. */
static double left_in_groups(const char *root, const char *mount, char *path, int version)
{
  char group[PATH + 64];
  double left = INFINITY;
  path[strcspn(path, "\n")] = 0;
  for (;;) {
    snprintf(group, sizeof group, "%s%s", mount, path);
    left = fmin(left, left_in(root, group, version));
    char *slash = strrchr(path, '/');
    if (!slash) return left;
    *slash = 0;
  }
}

static double left_by_limits(const char *root)
{
  char line[PATH], *path;
  double left = INFINITY;
  FILE *file = open_in(root, "/proc/self/cgroup", "");
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, "0::", 3) == 0)
      left = fmin(left, left_in_groups(root, "/sys/fs/cgroup", line + 3, 2));
    else if ((path = strstr(line, ":memory:")) != NULL)
      left = fmin(left, left_in_groups(root, "/sys/fs/cgroup/memory", path + 8, 1));
  }
  if (file) fclose(file);
  return left;
}

double hb_room_left(const char *root)
{
  double left = 1024 * number_behind(open_in(root, "/proc/meminfo", ""), "MemAvailable:");
  if (isnan(left)) left = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  return fmin(left, left_by_limits(root));
}

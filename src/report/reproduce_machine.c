/* The machine that the jobs ran on, recorded beside them, so that the report can be written on another one. */
#include "base/draft.h"
#include "base/file.h"
#include "base/json.h"
#include "report/commit.h"
#include "report/reproduce_rows.h"

#include <holmberg/measure.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char machine_file[] = "machine.jsonl";

/* ---- what it is -------------------------------------------------------------------------------------- */

/* The text after "name : " of the first processor, "" if the system does not report it. */
static void processor_line(const char *name, char text[256])
{
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  *text = 0;
  while (file && !*text && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, name, strlen(name)) != 0 || !colon) continue;
    snprintf(text, 256, "%.250s", colon + 1 + strspn(colon + 1, " "));
    text[strcspn(text, "\n")] = 0;
  }
  if (file) fclose(file);
}

static double memory_bytes(void) { return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE); }

static void describe_host(char text[512])
{
  char model[256];
  processor_line("model name", model);
  snprintf(text, 512, "%s, %ld processors, %.1f GB of memory",
           *model ? model : "processor not told by the system", sysconf(_SC_NPROCESSORS_ONLN),
           1e-9 * memory_bytes());
}

static void row(struct hb_json *json, const char *name, const char *value)
{
  hb_json_open_object(json, NULL);
  hb_json_text(json, "kind", "machine");
  hb_json_text(json, "name", name);
  hb_json_text(json, "value", value);
  hb_json_close_object(json);
  fputc('\n', json->out);
  json->follows = 0;
}

static void put_contexts(struct hb_json *json)
{
  struct hb_context_info all[HB_CONTEXTS_MOST];
  size_t count;
  if (hb_info_contexts(all, &count) != HB_OK) return;
  for (size_t k = 0; k < count; k++)
    row(json, hb_phrase("OpenGL, %s", all[k].name),
        all[k].usable ? hb_phrase("%s; %s; %s%s", all[k].renderer, all[k].vendor, all[k].version,
                                  all[k].software ? " (software renderer)" : "")
                      : hb_phrase("not usable: %s", all[k].reason));
}

static void put_all(FILE *out)
{
  struct hb_json json = {.out = out};
  struct utsname system;
  char text[512], clock[256];
  put_contexts(&json);
  describe_host(text);
  row(&json, "host", text);
  if (uname(&system) == 0)
    row(&json, "system", hb_phrase("%s %s, %s", system.sysname, system.release, system.machine));
#ifdef __clang__
  static const char compiler[] = "clang " __clang_version__;
#else
  static const char compiler[] = "gcc " __VERSION__;
#endif
  row(&json, "Holmberg",
      hb_phrase("%s, commit %s, compiled by %s", hb_library_version(), hb_commit, compiler));
  processor_line("cpu MHz", clock);
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "kind", "host");
  hb_json_number(&json, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
  hb_json_number(&json, "clock_mhz", *clock ? strtod(clock, NULL) : NAN);
  hb_json_number(&json, "memory_bytes", memory_bytes());
  hb_json_close_object(&json);
  fputc('\n', out);
}

/* ---- its file ---------------------------------------------------------------------------------------- */

static enum hb_status write_machine(void)
{
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  if (!out) return hb_fail(HB_ERR_INTERNAL, "no memory for %s", machine_file);
  put_all(out);
  enum hb_status status =
      fclose(out) == 0 ? HB_OK : hb_fail(HB_ERR_INTERNAL, "no memory for %s", machine_file);
  if (status == HB_OK) status = hb_file_replace(machine_file, text, length);
  free(text);
  return status;
}

enum hb_status hb_reproduce_open_machine(struct hb_reproduction *r)
{
  if (access(machine_file, F_OK) != 0) HB_TRY(write_machine());
  return hb_reproduce_read_lines(r, machine_file, "", 0);
}

enum hb_status hb_reproduce_check_machine(const struct hb_reproduction *r)
{
  char here[512];
  describe_host(here);
  const char *there = hb_record_text(hb_reproduce_next(r, NULL, "kind=machine name=host"), "value");
  if (strcmp(here, there) == 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "%s was started on another machine (%s); its jobs cannot continue here",
                 r->out, there);
}

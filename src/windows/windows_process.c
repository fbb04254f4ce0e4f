/* Child processes: gnuplot and ffmpeg. */
#include "base/process.h"

#include "base/mem.h"
#include "base/text.h"

#include <io.h>
#include <stdlib.h>
#include <windows.h>

void hb_process_close(int *pipe)
{
  if (*pipe >= 0) close(*pipe);
  *pipe = -1;
}

/* ---- words as one line, from which a C library makes words again ---- */

static enum hb_status add_word(const char *word, struct hb_text *line)
{
  HB_TRY(hb_text_append(line, "%s\"", line->length ? " " : ""));
  for (size_t slashes = 0; *word; word++) {
    slashes = *word == '\\' ? slashes + 1 : 0;
    if (*word == '"') HB_TRY(hb_text_append(line, "\\"));
    HB_TRY(hb_text_append(line, "%c", *word));
    for (; slashes && (word[1] == '"' || !word[1]); slashes--) HB_TRY(hb_text_append(line, "\\"));
  }
  return hb_text_append(line, "\"");
}

static enum hb_status join(const char *const *words, struct hb_text *line)
{
  enum hb_status status = HB_OK;
  for (; *words && status == HB_OK; words++) status = add_word(*words, line);
  if (status != HB_OK) hb_mem_free(line->text);
  return status;
}

/* ---- beginning ---- */

static HANDLE inherited(HANDLE handle)
{
  SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  return handle;
}

/* An end of a pipe for the child, or the device that takes and gives nothing. */
static HANDLE stream(int fd)
{
  if (fd >= 0) return inherited((HANDLE)_get_osfhandle(fd));
  return inherited(CreateFileA("NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                               OPEN_EXISTING, 0, NULL));
}

static DWORD create(char *line, unsigned flags, int in, int out, int said, pid_t *pid)
{
  PROCESS_INFORMATION child = {0};
  STARTUPINFOA start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
  start.hStdInput = stream(in);
  start.hStdOutput = stream(out);
  start.hStdError =
      said < 0 && !(flags & HB_PROCESS_SILENT) ? inherited(GetStdHandle(STD_ERROR_HANDLE)) : stream(said);
  DWORD error =
      CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child) ? 0 : GetLastError();
  if (in < 0) CloseHandle(start.hStdInput);
  if (out < 0) CloseHandle(start.hStdOutput);
  if (said < 0 && flags & HB_PROCESS_SILENT) CloseHandle(start.hStdError);
  if (!error) CloseHandle(child.hThread);
  *pid = (pid_t)(intptr_t)child.hProcess;
  return error;
}

static int make_pipe(int ends[2]) { return _pipe(ends, 1 << 16, _O_BINARY | _O_NOINHERIT); }

enum hb_status hb_process_start_on(const char *const *words, unsigned flags, int file,
                                   struct hb_process *process)
{
  int in[2] = {-1, -1}, out[2] = {-1, -1}, said[2] = {-1, -1};
  struct hb_text line = {0};
  *process = (struct hb_process){.to = -1, .from = -1, .said = -1};
  HB_TRY(join(words, &line));
  DWORD error = (flags & HB_PROCESS_TO && make_pipe(in) != 0) ||
                        (flags & HB_PROCESS_FROM && make_pipe(out) != 0) ||
                        (flags & HB_PROCESS_SAID && make_pipe(said) != 0)
                    ? ERROR_TOO_MANY_OPEN_FILES
                    : create(line.text, flags, file >= 0 ? file : in[0], out[1], said[1], &process->pid);
  hb_mem_free(line.text);
  hb_process_close(&in[0]);
  hb_process_close(&out[1]);
  hb_process_close(&said[1]);
  process->to = in[1];
  process->from = out[0];
  process->said = said[0];
  if (!error) return HB_OK;
  process->pid = 0;
  hb_process_end(process);
  if (error == ERROR_FILE_NOT_FOUND) return hb_fail(HB_ERR_USAGE, "%s is not installed", words[0]);
  return hb_fail(HB_ERR_IO, "cannot run %s: error %lu", words[0], error);
}

enum hb_status hb_process_start(const char *const *words, unsigned flags, struct hb_process *process)
{
  return hb_process_start_on(words, flags, -1, process);
}

/* ---- ending ---- */

/* What a fault leaves as its exit code. */
enum { FAULT = 0xc };

struct hb_process_end hb_process_end(struct hb_process *process)
{
  struct hb_process_end end = {.code = -1};
  HANDLE child = (HANDLE)(intptr_t)process->pid;
  DWORD code;
  hb_process_close(&process->to);
  hb_process_close(&process->from);
  hb_process_close(&process->said);
  if (!child) return end;
  WaitForSingleObject(child, INFINITE);
  if (GetExitCodeProcess(child, &code)) {
    end.signal = code >> 28 == FAULT ? SIGSEGV : 0;
    end.code = end.signal ? -1 : (int)(code & 255);
  }
  CloseHandle(child);
  process->pid = 0;
  return end;
}

void hb_process_kill(struct hb_process *process)
{
  if (process->pid) TerminateProcess((HANDLE)(intptr_t)process->pid, 1);
}

int hb_process_crashed(struct hb_process_end end) { return end.signal == SIGSEGV; }

enum hb_status hb_process_child(char path[PATH_MAX])
{
  *path = 0;
  return hb_fail(HB_ERR_USAGE, "there is no holmberg-child for Windows");
}

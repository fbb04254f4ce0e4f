/* Files as POSIX has them: open ones can be renamed and removed, a rename replaces, and a file has an inode. */
#include <io.h>
#include <stdarg.h>
#include <stdlib.h>
#include <windows.h>

static int failed(void)
{
  static const struct {
    DWORD error;
    int number;
  } known[] = {
      {ERROR_FILE_NOT_FOUND, ENOENT},   {ERROR_PATH_NOT_FOUND, ENOENT},  {ERROR_FILE_EXISTS, EEXIST},
      {ERROR_ALREADY_EXISTS, EEXIST},   {ERROR_DISK_FULL, ENOSPC},       {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
      {ERROR_INVALID_NAME, ENOENT},     {ERROR_BAD_NETPATH, ENOENT},     {ERROR_IO_PENDING, EWOULDBLOCK},
      {ERROR_SHARING_VIOLATION, EBUSY}, {ERROR_HANDLE_DISK_FULL, ENOSPC}};
  DWORD error = GetLastError();
  errno = EACCES;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (known[k].error == error) errno = known[k].number;
  return -1;
}

static HANDLE handle_of(int fd) { return (HANDLE)_get_osfhandle(fd); }

/* ---- opening ---- */

static DWORD disposition(int flags)
{
  if (!(flags & O_CREAT)) return flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
  return flags & O_EXCL ? CREATE_NEW : flags & O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
}

/* In place of the C library's, whose files cannot be renamed while they are open. Bytes are never changed. */
int open(const char *path, int flags, ...)
{
  DWORD access = flags & O_RDWR     ? GENERIC_READ | GENERIC_WRITE
                 : flags & O_WRONLY ? GENERIC_WRITE
                                    : GENERIC_READ;
  DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, !(flags & O_CLOEXEC)};
  DWORD folder = flags & O_DIRECTORY ? FILE_FLAG_BACKUP_SEMANTICS : 0;
  HANDLE handle =
      CreateFileA(path, access, share, &inherited, disposition(flags), FILE_ATTRIBUTE_NORMAL | folder, NULL);
  if (handle == INVALID_HANDLE_VALUE) return failed();
  return _open_osfhandle((intptr_t)handle, (flags & (O_APPEND | O_WRONLY | O_RDWR)) | _O_BINARY);
}

/* Streams that the program itself opens: their bytes, too, are as they were written. */
__attribute__((constructor)) static void change_no_bytes(void)
{
  _fmode = _O_BINARY;
  for (int fd = 0; fd < 3; fd++) _setmode(fd, _O_BINARY);
}

int fcntl(int fd, int command, ...)
{
  if (command == F_DUPFD_CLOEXEC) return _dup(fd);
  return command == F_GETFD && handle_of(fd) == INVALID_HANDLE_VALUE ? -1 : 0;
}

int flock(int fd, int how)
{
  OVERLAPPED whole = {0};
  DWORD flags =
      (how & LOCK_EX ? LOCKFILE_EXCLUSIVE_LOCK : 0) | (how & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0);
  whole.OffsetHigh = 0x40000000; /* beyond the bytes: locked ones cannot be read */
  return LockFileEx(handle_of(fd), flags, 0, 1, 0, &whole) ? 0 : failed();
}

/* A file that is open for reading must be opened for writing, too; folders and pipes have nothing to be synced. */
int fsync(int fd)
{
  if (FlushFileBuffers(handle_of(fd))) return 0;
  if (GetLastError() == ERROR_DISK_FULL) return failed();
  HANDLE writable =
      ReOpenFile(handle_of(fd), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, 0);
  if (writable == INVALID_HANDLE_VALUE) return 0;
  int result = FlushFileBuffers(writable) || GetLastError() != ERROR_DISK_FULL ? 0 : failed();
  CloseHandle(writable);
  return result;
}

#undef write
ssize_t hb_write(int fd, const void *bytes, size_t count)
{
  return write(fd, bytes, count < 1 << 30 ? (unsigned)count : 1 << 30);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t from)
{
  OVERLAPPED place = {.Offset = (DWORD)from, .OffsetHigh = (DWORD)((uint64_t)from >> 32)};
  DWORD got = 0;
  if (ReadFile(handle_of(fd), bytes, (DWORD)count, &got, &place)) return (ssize_t)got;
  return GetLastError() == ERROR_HANDLE_EOF ? 0 : failed();
}

/* ---- names ---- */

int rename(const char *from, const char *to)
{
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ? 0 : failed();
}

int unlink(const char *path) { return DeleteFileA(path) ? 0 : failed(); }

static int describe(HANDLE handle, struct hb_stat *info)
{
  BY_HANDLE_FILE_INFORMATION file;
  *info = (struct hb_stat){.st_mode = S_IFCHR | 0666, .st_nlink = 1};
  if (GetFileType(handle) == FILE_TYPE_PIPE) info->st_mode = S_IFIFO | 0666;
  if (GetFileType(handle) != FILE_TYPE_DISK) return 0;
  if (!GetFileInformationByHandle(handle, &file)) return failed();
  uint64_t ticks = (uint64_t)file.ftLastWriteTime.dwHighDateTime << 32 | file.ftLastWriteTime.dwLowDateTime;
  info->st_mode = (file.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR : S_IFREG) | 0666;
  info->st_size = (off_t)((uint64_t)file.nFileSizeHigh << 32 | file.nFileSizeLow);
  info->st_ino = (uint64_t)file.nFileIndexHigh << 32 | file.nFileIndexLow;
  info->st_dev = file.dwVolumeSerialNumber;
  info->st_nlink = file.nNumberOfLinks;
  info->st_mtim = (struct timespec){(time_t)(ticks / 10000000) - 11644473600, (long)(ticks % 10000000) * 100};
  return 0;
}

int hb_fstat(int fd, struct hb_stat *info) { return describe(handle_of(fd), info); }

int hb_stat(const char *path, struct hb_stat *info)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  int result = hb_fstat(fd, info);
  close(fd);
  return result;
}

/* ---- streams ---- */

ssize_t getline(char **line, size_t *room, FILE *file)
{
  size_t length = 0;
  for (int c = 0; c != '\n' && (c = fgetc(file)) != EOF;) {
    if (length + 2 > *room) {
      char *more = realloc(*line, 2 * *room + 128);
      if (!more) return -1;
      *line = more;
      *room = 2 * *room + 128;
    }
    (*line)[length++] = (char)c;
    (*line)[length] = 0;
  }
  return length ? (ssize_t)length : -1;
}

static struct {
  FILE *file;
  char **bytes;
  size_t *count;
} memory;

/* A temporary file, which is read when it is closed. */
FILE *open_memstream(char **bytes, size_t *count)
{
  memory.file = tmpfile();
  memory.bytes = bytes;
  memory.count = count;
  return memory.file;
}

#undef fclose
int hb_fclose(FILE *file)
{
  if (file != memory.file) return fclose(file);
  long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  rewind(file);
  *memory.bytes = end < 0 ? NULL : malloc((size_t)end + 1);
  *memory.count = *memory.bytes ? fread(*memory.bytes, 1, (size_t)end, file) : 0;
  memory.file = NULL;
  int is_whole = end >= 0 && *memory.count == (size_t)end;
  if (*memory.bytes) (*memory.bytes)[*memory.count] = 0;
  return fclose(file) == 0 && is_whole ? 0 : EOF;
}

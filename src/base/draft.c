#include "base/draft.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

void hb_draft_note(struct hb_draft *draft, enum hb_status status)
{
  if (draft->status == HB_OK) draft->status = status;
}

void hb_draft_put_bytes(struct hb_draft *draft, const void *bytes, size_t count)
{
  if (draft->status == HB_OK) draft->status = hb_text_append_bytes(&draft->text, bytes, count);
}

void hb_draft_put(struct hb_draft *draft, const char *format, ...)
{
  if (draft->status != HB_OK) return;
  va_list list;
  va_start(list, format);
  draft->status = hb_text_append_list(&draft->text, format, list);
  va_end(list);
}

void hb_draft_put_escaped(struct hb_draft *draft, const char *text)
{
  for (const char *c = text; *c; c++) {
    const char *entity = *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : NULL;
    hb_draft_put_bytes(draft, entity ? entity : c, entity ? strlen(entity) : 1);
  }
}

void hb_draft_clear(struct hb_draft *draft)
{
  hb_mem_free(draft->text.text);
  *draft = (struct hb_draft){0};
}

enum hb_status hb_draft_save(struct hb_draft *draft, const char *path)
{
  enum hb_status status = draft->status;
  if (status == HB_OK)
    status = hb_file_replace(path, draft->text.text ? draft->text.text : "", draft->text.length);
  hb_draft_clear(draft);
  return status;
}

const char *hb_phrase(const char *format, ...)
{
  static _Thread_local char texts[16][512];
  static _Thread_local unsigned next;
  char *text = texts[next++ % 16];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof texts[0], format, list);
  va_end(list);
  return text;
}

#include "gl/gl_unroll.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 1 << 20 };

/* The head of a loop that can be written out. */
struct head {
  char name[16], bound[24];
  const char *body;
};

static int is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

static int read_head(const char *at, struct head *head)
{
  char again[16], counted[16];
  int end = 0;
  sscanf(at, "for (int %15[a-z] = 0; %15[a-z] < %23[A-Z_]; %15[a-z]++)%n", head->name, again, head->bound,
         counted, &end);
  head->body = at + end;
  return end && strcmp(head->name, again) == 0 && strcmp(head->name, counted) == 0;
}

static int count_of(const struct hb_gl_loop *loops, const char *bound)
{
  while (loops->bound && strcmp(loops->bound, bound) != 0) loops++;
  return loops->count;
}

/* The end of the statement: after a brace or semicolon outside all brackets. */
static const char *statement_end(const char *at)
{
  for (int depth = 0; *at; at++) {
    if (*at == '/' && at[1] == '/') at += strcspn(at, "\n");
    depth += (*at == '{' || *at == '(') - (*at == '}' || *at == ')');
    if (depth == 0 && (*at == ';' || *at == '}')) return at + 1;
  }
  return at;
}

/* Without comments and line ends, name replaced by the number. */
static enum hb_status append_copy(const char *at, const char *name, int number, struct hb_text *text)
{
  size_t length = strlen(name);
  for (char before = ' '; *at; before = *at++) {
    if (*at == '/' && at[1] == '/') at += strcspn(at, "\n");
    if (!*at) break;
    if (!is_letter(before) && strncmp(at, name, length) == 0 && !is_letter(at[length])) {
      HB_TRY(hb_text_append(text, "%d", number));
      at += length - 1;
    } else
      HB_TRY(hb_text_append_bytes(text, *at == '\n' ? " " : at, 1));
  }
  return HB_OK;
}

static enum hb_status append_loop(const struct head *head, int count, const char *end,
                                  const struct hb_gl_loop *loops, struct hb_text *text)
{
  struct hb_text body = {0}, unrolled = {0};
  enum hb_status status = hb_text_append_bytes(&body, head->body, (size_t)(end - head->body));
  if (status == HB_OK) status = hb_gl_unroll(body.text, loops, &unrolled);
  for (int k = 0; status == HB_OK && k < count; k++) status = append_copy(unrolled.text, head->name, k, text);
  if (status == HB_OK && text->length > MOST_TEXT)
    status = hb_fail(HB_ERR_INPUT, "the loops of a shader, written out, take more than %d bytes", MOST_TEXT);
  for (const char *at = head->body; status == HB_OK && at < end; at++)
    if (*at == '\n') status = hb_text_append(text, "\n");
  hb_mem_free(body.text);
  hb_mem_free(unrolled.text);
  return status;
}

enum hb_status hb_gl_unroll(const char *source, const struct hb_gl_loop *loops, struct hb_text *text)
{
  for (const char *at = source; *at;) {
    struct head head;
    const char *end = at + 1;
    int count = strncmp(at, "for (", 5) == 0 && read_head(at, &head) ? count_of(loops, head.bound) : 0;
    if (count) end = statement_end(head.body);
    if (count && !memchr(head.body, '#', (size_t)(end - head.body)))
      HB_TRY(append_loop(&head, count, end, loops, text));
    else
      HB_TRY(hb_text_append_bytes(text, at, (size_t)((end = at + 1) - at)));
    at = end;
  }
  return HB_OK;
}

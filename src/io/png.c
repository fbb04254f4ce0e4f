#include "io/png.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

/* libpng reports errors by longjmp: what must survive it is in here, not in local variables. */
struct writer {
  png_structp png;
  png_infop info;
  struct hb_text bytes;
  enum hb_status status; /* of appending the bytes */
};

static void on_error(png_structp png, png_const_charp what)
{
  hb_fail(HB_ERR_INTERNAL, "%s", what);
  longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp what) { (void)png, (void)what; }

static void put(png_structp png, png_bytep bytes, size_t count)
{
  struct writer *w = png_get_io_ptr(png);
  w->status = hb_text_append_bytes(&w->bytes, bytes, count);
  if (w->status != HB_OK) longjmp(png_jmpbuf(png), 1);
}

static void flush(png_structp png) { (void)png; }

static int color_type(int channels)
{
  return channels == 1 ? PNG_COLOR_TYPE_GRAY : channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
}

static int is_latin(const char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text > 126) return 0;
  return 1;
}

static void put_text(struct writer *w, const struct hb_png *picture)
{
  for (size_t k = 0; k < picture->text_count; k++) {
    const struct hb_png_text *text = &picture->text[k];
    int latin = is_latin(text->value);
    png_text entry = {.compression = latin ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE,
                      .key = (char *)text->keyword,
                      .text = (char *)text->value,
                      .text_length = latin ? strlen(text->value) : 0,
                      .itxt_length = latin ? 0 : strlen(text->value)};
    png_set_text(w->png, w->info, &entry, 1);
  }
}

static enum hb_status encode(struct writer *w, const struct hb_png *picture)
{
  w->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
  w->info = w->png ? png_create_info_struct(w->png) : NULL;
  if (!w->info) return hb_fail(HB_ERR_INTERNAL, "no memory for a picture");
  if (setjmp(png_jmpbuf(w->png))) return w->status != HB_OK ? w->status : HB_ERR_INTERNAL;
  png_set_write_fn(w->png, w, put, flush);
  png_set_IHDR(w->png, w->info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
               color_type(picture->channels), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(w->png, 6);
  png_set_sRGB(w->png, w->info, PNG_sRGB_INTENT_PERCEPTUAL);
  put_text(w, picture);
  png_write_info(w->png, w->info);
  size_t row = (size_t)picture->channels * (size_t)picture->width;
  for (int y = 0; y < picture->height; y++) png_write_row(w->png, picture->pixels + row * (size_t)y);
  png_write_end(w->png, w->info);
  return HB_OK;
}

enum hb_status hb_png_write(const char *path, const struct hb_png *png)
{
  struct writer w = {0};
  enum hb_status status = encode(&w, png);
  png_destroy_write_struct(&w.png, &w.info);
  if (status != HB_OK)
    hb_fail_in(status, path);
  else
    status = hb_file_replace(path, w.bytes.text, w.bytes.length);
  hb_mem_free(w.bytes.text);
  return status;
}

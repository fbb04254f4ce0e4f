/* Checkpoints. */
#include "fuzz/fuzz.h"

#include "base/mem.h"
#include "run/run.c"
#include "core/sections.h"

#include <holmberg/checkpoint.h>

#include <string.h>
#include <zlib.h>

enum { HEAD = 32, ROW = 40, MOST_SECTIONS = 1024 };

static uint64_t get(const uint8_t *at, int bytes)
{
  uint64_t value = 0;
  for (int k = 0; k < bytes; k++) value |= (uint64_t)at[k] << 8 * k;
  return value;
}

static void put(uint8_t *at, int bytes, uint64_t value)
{
  for (int k = 0; k < bytes; k++) at[k] = (uint8_t)(value >> 8 * k);
}

/* As io/checkpoint.h lays it out. A section that claims to be longer than what is left gets what is left. */
size_t fuzz_mend(uint8_t *file, size_t count)
{
  if (count < HEAD) return count;
  size_t sections = get(file + 24, 4);
  if (sections > MOST_SECTIONS || HEAD + ROW * sections > count) return count;
  uint8_t *data = file + HEAD + ROW * sections, *end = file + count;
  for (uint8_t *row = file + HEAD; row < file + HEAD + ROW * sections; row += ROW) {
    size_t width = get(row + 24, 4) == HB_SECTION_BYTES ? 1 : 8, most = (size_t)(end - data) / width;
    if (get(row + 32, 8) > most) put(row + 32, 8, most);
    size_t length = width * get(row + 32, 8);
    put(row + 28, 4, crc32_z(0, data, length));
    data += length;
  }
  size_t length = (size_t)(data - file);
  put(file + 16, 8, length);
  put(file + 28, 4, crc32_z(crc32_z(0, file, 28), file + HEAD, ROW * sections));
  return length;
}

static enum hb_status take_record(const struct hb_checkpoint *checkpoint)
{
  struct hb_run run = {0};
  size_t length;
  const void *own = hb_checkpoint_own(checkpoint, &length);
  enum hb_status status = hb_text_append_bytes(&run.resumed.record, own, length);
  if (status == HB_OK) status = record_options(&hb_cmd_run, &run);
  if (status == HB_OK) status = record_progress(&run); /* as a resumed run does */
  hb_mem_free(run.resumed.record.text);
  hb_mem_free(run.resumed.device.text);
  return status;
}

/* Takes a step, and is saved and opened again. */
static enum hb_status take_up(const struct hb_checkpoint *checkpoint)
{
  struct hb_checkpoint_info info;
  struct hb_checkpoint *again;
  struct hb_sim *sim;
  hb_checkpoint_info(checkpoint, &info);
  if (strcmp(info.scheme, "host") != 0 || strcmp(info.context, "none") != 0) return HB_OK; /* no GL here */
  HB_TRY(hb_sim_resume(checkpoint, NULL, &sim));
  enum hb_status status = hb_sim_save(sim, "out.ckpt", "own", 3, 0);
  fuzz_demand(status == HB_OK, "what was resumed cannot be saved");
  fuzz_demand(hb_checkpoint_open("out.ckpt", &again) == HB_OK, "what was saved cannot be opened");
  hb_checkpoint_close(again);
  status = hb_sim_step(sim);
  hb_sim_destroy(sim);
  return status;
}

enum hb_status fuzz_checkpoint(const uint8_t *bytes, size_t count)
{
  struct hb_checkpoint *checkpoint;
  uint8_t *file;
  HB_TRY(HB_ALLOC(count + 1, &file));
  if (count) memcpy(file, bytes, count);
  fuzz_file("in.ckpt", file, fuzz_mend(file, count));
  hb_mem_free(file);
  HB_TRY(hb_checkpoint_open("in.ckpt", &checkpoint));
  enum hb_status status = take_record(checkpoint);
  enum hb_status second = take_up(checkpoint);
  hb_checkpoint_close(checkpoint);
  return status == HB_OK ? second : status;
}

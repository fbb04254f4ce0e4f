/* A calculation sleeps where it says that it can: Emscripten's Asyncify leaves all functions on the stack and comes back to them
 * later. Those of awake.txt never sleep, which the compiler cannot know, and are compiled as usual. */
#include "web/web_turn.h"

#include "base/clock.h"

#include <emscripten.h>
#include <math.h>

static const double TURN_S = 0.012; /* of a picture's 1/60 s */
static const double SEEN_S = 0.02;  /* a browser's timers take 4 ms: shorter sleeps do not show the device */

static struct {
  int sleeps, stops, is_asleep;
  double most_s; /* of the device's work at a time */
  double woke, work;
  double rate; /* pairs a second */
} turn = {.rate = 0x1p23};

void hb_web_sleep(double most_s)
{
  turn.sleeps = most_s > 0;
  turn.stops = 0;
  turn.most_s = most_s;
  turn.work = 0;
  turn.woke = hb_clock_now();
}

void hb_web_stop(void) { turn.stops = 1; }

/* Until everything that waits for its turn had it, and the device has done what it was given: page.js. */
EM_ASYNC_JS(void, web_sleep, (void), { return Module.sleep(GLctx); });

/* Until there was a picture, or a while: a hidden page has none. */
EM_ASYNC_JS(void, web_picture, (void), { return Module.picture(); });

/* From what it was given, and how long it took. */
static void learn(void)
{
  double seconds = hb_clock_now() - turn.woke;
  if (seconds > fmax(2 * turn.most_s, SEEN_S))
    turn.rate /= 2;
  else if (turn.work > turn.rate * turn.most_s / 2)
    turn.rate *= 2;
}

static enum hb_status stopped(void) { return turn.stops ? hb_fail(HB_ERR_STOPPED, "stopped") : HB_OK; }

enum hb_status hb_web_breathe(double work)
{
  if (!turn.sleeps || turn.is_asleep) return HB_OK; /* what the page does meanwhile is done in one go */
  turn.work += work;
  if (hb_clock_now() - turn.woke < TURN_S && turn.work < turn.rate * turn.most_s) return HB_OK;
  turn.is_asleep = 1;
  web_sleep();
  turn.is_asleep = 0;
  if (turn.work > 0) learn();
  turn.work = 0;
  turn.woke = hb_clock_now();
  return stopped();
}

enum hb_status hb_web_show(void)
{
  if (!turn.sleeps || turn.is_asleep) return HB_OK;
  turn.is_asleep = 1;
  web_picture();
  turn.is_asleep = 0;
  turn.woke = hb_clock_now();
  return stopped();
}

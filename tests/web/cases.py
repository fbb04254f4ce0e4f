"""What the tests of pages share: a server of a folder, what they demand and wait for, and their run as TAP."""
import http.server, os, threading, time

from browser import Chromium, Failure, Firefox


def demand(condition, why):
    if not condition:
        raise Failure(why)


def note(text):
    print("# " + text, flush=True)


def wait_for(what, condition, patience, said=lambda: ""):
    """Until it is true, for so many seconds: what it then is. said: what the page says, if not."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise Failure(f"no {what} within {patience} s{said()}")


def serve(folder):
    """Its address, with a / at the end, and the list of what is asked of it."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given):
            super().__init__(*given, directory=folder)

        def do_GET(self):
            asked.append(self.path)
            super().do_GET()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/", asked


def begin(kind, width, height):
    return {"chromium": Chromium, "firefox": Firefox}[kind](width, height)


def run_all(browser, cases, pictures):
    """cases: names and functions. pictures: where a screenshot of the k-th is left if it fails, with {} for k. 1: one failed."""
    failed = 0
    print(f"1..{len(cases)}", flush=True)
    for number, (name, run) in enumerate(cases, 1):
        begun, why = time.monotonic(), ""
        try:
            run()
        except Exception as error:  # whatever it is, the next one has its turn
            failed += 1
            browser.is_fit = False
            why = ": " + (str(error) if isinstance(error, Failure) else repr(error)).replace("\n", " ")
            with open(pictures.format(number), "wb") as file:
                file.write(browser.screenshot())
        note(f"{time.monotonic() - begun:.1f} s; since the beginning {browser.cost()[1]:.1f} s of the processor")
        print(f"{'not ok' if why else 'ok'} {number} {name}{why}", flush=True)
    return bool(failed)

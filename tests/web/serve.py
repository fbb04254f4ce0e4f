#!/usr/bin/env python3
"""serve.py BUILD BROWSER [WORDS]: opens tests/web/test.html in a headless browser, chromium or firefox, and prints what it
reports as TAP. It is served beside the page of BUILD/web, from which nothing else can be reached; pictures go to
BUILD/web/BROWSER_*.png. WORDS: the tests to run."""
import base64, http.server, json, os, shutil, subprocess, sys, tempfile, threading, urllib.parse

build, browser, words = sys.argv[1], sys.argv[2], sys.argv[3:]
here = os.path.dirname(os.path.abspath(__file__))
finished = threading.Event()
failed = [1]
SECONDS = 600


class Handler(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        name = os.path.basename(urllib.parse.urlparse(path).path) or "index.html"
        folder = here if name.startswith("test") else os.path.join(build, "web")
        return os.path.join(folder, name)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        name = self.path.strip("/")
        if name.endswith(".png"):
            with open(os.path.join(build, "web", f"{browser}_{os.path.basename(name)}"), "wb") as file:
                file.write(base64.b64decode(body))
        elif name == "note":
            print("# " + body.decode(), flush=True)
        else:
            tests = json.loads(body)
            print(f"1..{len(tests)}")
            for k, test in enumerate(tests):
                print(f"{'ok' if test['ok'] else 'not ok'} {k + 1} {test['name']}{'' if test['ok'] else ': ' + test['why']}")
            failed[0] = sum(not test["ok"] for test in tests) + (not tests)
            finished.set()

    def log_message(self, *_):
        pass


def command(profile, url):
    if browser == "chromium":
        return ["chromium", "--headless", "--no-sandbox", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                "--autoplay-policy=no-user-gesture-required", "--window-size=1280,800", "--remote-debugging-port=0",
                f"--user-data-dir={profile}", url]
    with open(os.path.join(profile, "user.js"), "w") as file:
        for name in ("webgl.force-enabled", "gfx.canvas.accelerated.force-enabled", "webgl.disable-fail-if-major-performance-caveat"):
            file.write(f'user_pref("{name}", true);\n')
        for name in ("datareporting.policy.dataSubmissionEnabled", "app.normandy.enabled", "browser.shell.checkDefaultBrowser"):
            file.write(f'user_pref("{name}", false);\n')
        file.write('user_pref("network.proxy.no_proxies_on", "127.0.0.1");\n')
    return ["firefox-esr", "--no-remote", "--width", "1280", "--height", "800", "--profile", profile, url]


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
profile = tempfile.mkdtemp()
url = f"http://127.0.0.1:{server.server_address[1]}/test.html?{'&'.join(words)}"
environment = dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1", HOME=profile)
process = subprocess.Popen(command(profile, url), stdout=subprocess.DEVNULL, stderr=open(os.path.join(build, "web", browser + ".log"), "w"), env=environment)
if not finished.wait(SECONDS):
    print(f"not ok 1 {browser} has not finished within {SECONDS} s")
process.terminate()
try:
    process.wait(10)
except subprocess.TimeoutExpired:
    process.kill()
shutil.rmtree(profile, ignore_errors=True)
sys.exit(bool(failed[0]))

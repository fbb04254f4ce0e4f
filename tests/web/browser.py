"""Chromium by its DevTools protocol and Firefox by Marionette, with the same verbs: what a person does with a page, and what
one can see of it. Only Python's standard library, and ffmpeg for the pixels of screenshots."""
import base64, json, operator, os, select, shutil, signal, socket, struct, subprocess, tempfile, time, zlib

KEYS = {  # name: WebDriver's character, the code of Windows that the DevTools protocol wants
    "Tab": ("\ue004", 9), "Enter": ("\ue007", 13), "Home": ("\ue011", 36), "Delete": ("\ue017", 46),
    "ArrowLeft": ("\ue012", 37), "ArrowUp": ("\ue013", 38), "ArrowRight": ("\ue014", 39), "ArrowDown": ("\ue015", 40),
    "Control": ("\ue009", 17), "Shift": ("\ue008", 16),
}
MODIFIERS = {"Control": 2, "Shift": 8}


# A second: each costs the processor as much as all the rest, and a page that runs for its own sake draws as many as it can.
PICTURES = None if os.environ.get("LONG") else 6


class Failure(Exception):
    pass


LIGHT = [bytes(round(weight * x) for x in range(256)) for weight in (0.299, 0.587, 0.114)]  # of red, green and blue


def brightness(png, box):
    """As Picture.of, of a PNG as Chromium makes them quickly: red, green and blue, rows as differences from the one above. None: it
    is another one. Whole rows are added as one number."""
    width, height = struct.unpack(">II", png[16:24])
    at, packed, size, rows, row = 8, [], 3 * width + 1, [], 0
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        packed += [png[at + 8:at + 8 + length]] * (name == b"IDAT")
        at += 12 + length
    x, y, w, h = map(int, box or (0, 0, width, height))
    data, number = zlib.decompress(b"".join(packed)), lambda part: int.from_bytes(part, "big")
    if png[24:29] != b"\x08\x02\0\0\0" or data[::size] != b"\x02" * height:
        return None
    low, high = number(b"\x7f" * size), number(b"\x80" * size)
    for k in range(y + h):
        more = number(data[k * size + 1:(k + 1) * size])
        row = (row & low) + (more & low) ^ (row ^ more) & high  # without carries from byte to byte
        rows.append(row)
    parts = [row.to_bytes(size, "big")[1 + 3 * x:1 + 3 * (x + w)] for row in rows[y:]]
    return b"".join(sum(number(part[c::3].translate(LIGHT[c])) for c in range(3)).to_bytes(w, "big") for part in parts)


class Picture:
    """The brightness, 0 to 255, of the pixels of a screenshot, or of a part of it."""

    def __init__(self, pixels, width=0):
        self.pixels, self.width = pixels, width

    @classmethod
    def of(cls, png, box=None):
        crop = "crop={2}:{3}:{0}:{1},".format(*map(int, box)) if box else ""
        return cls(brightness(png, box) or subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "png_pipe", "-i", "-", "-vf", crop + "format=gray", "-f", "rawvideo", "-"],
            input=png, stdout=subprocess.PIPE, check=True).stdout, int(box[2]) if box else 0)

    def small(self, across=32, down=20):
        """The brightness of its parts, each a mean: what it shows, whatever draws its letters and edges."""
        height = len(self.pixels) // self.width
        x, y = [k * self.width // across for k in range(across + 1)], [k * height // down for k in range(down + 1)]
        rows = [self.pixels[k * self.width:(k + 1) * self.width] for k in range(height)]
        return bytes(round(sum(sum(row[x[i]:x[i + 1]]) for row in rows[y[j]:y[j + 1]]) / (x[i + 1] - x[i]) / (y[j + 1] - y[j]))
                     for j in range(down) for i in range(across))

    def lit(self, least=60):
        return len(self.pixels) - sum(map(self.pixels.count, range(least)))

    def changed(self, other, least=25):
        differs = [abs(d if d < 256 else d - 511) >= least for d in range(511)]  # a negative index counts from the end
        return sum(map(differs.__getitem__, map(operator.sub, self.pixels, other.pixels)))


class Browser:
    """Verbs by selectors of CSS. A subclass has command, ask, and the few that browsers do differently."""
    is_fit = False  # the page that is there, to follow the next link in it

    def __init__(self, words, **more):
        self.home = tempfile.mkdtemp(prefix="holmberg_browser.")
        self.downloads = os.path.join(self.home, "downloads")
        os.mkdir(self.downloads)
        self.log = open(os.path.join(self.home, "log"), "w")
        environment = dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1", HOME=self.home)
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment,
                                        start_new_session=True, **more)

    def close(self):
        for sent in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, sent)
                self.process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        shutil.rmtree(self.home, ignore_errors=True)

    # ---- what is seen ----

    def text(self, selector):
        return self.ask("return document.querySelector(%s)?.innerText ?? null" % json.dumps(selector))

    def value(self, selector):
        return self.ask("return document.querySelector(%s).value" % json.dumps(selector))

    def box(self, selector):
        """Left, top, width and height in the window, once it is in view."""
        return self.ask("""const e = document.querySelector(%s); e.scrollIntoView({block: "center"});
            const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]""" % json.dumps(selector))

    def has_followed(self, before):
        """What is true once the page shows the run of a link after so many."""
        links = "const { links, followed } = document.querySelector('#canvas').dataset; return links === followed && links > %d" % before
        return lambda: self.ask(links)

    def address(self):
        return self.ask("return location.href")

    def picture_of(self, box):
        return Picture.of(self.screenshot(), box)

    decoded = staticmethod(Picture.of)

    def cost(self):
        """Bytes that all of its processes have for themselves, and the processor's seconds that they have had. One that Chromium
        begins after some minutes for language models, no page's, has 10 to 50 MB and is left out."""
        size = ticks = 0
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as stat, open(f"/proc/{pid}/statm") as pages, open(f"/proc/{pid}/cmdline") as line:
                    fields = stat.read().rsplit(")", 1)[1].split()
                    if int(fields[3]) == self.process.pid and "=on_device_model" not in line.read():  # its session
                        _, resident, shared, *_ = map(int, pages.read().split())
                        size += (resident - shared) * os.sysconf("SC_PAGESIZE")
                        ticks += sum(map(int, fields[11:15]))
            except (OSError, IndexError):
                pass  # it has just ended
        return size, ticks / os.sysconf("SC_CLK_TCK")

    # ---- what is done ----

    LACKS = {  # of a browser that does without: what Firefox is set to, what Chromium's pages do not find
        "webgl2": ("webgl.disabled", True, "HTMLCanvasElement.prototype.getContext = (get => function (kind, ...more) { return kind === 'webgl2' ? null : get.call(this, kind, ...more); })(HTMLCanvasElement.prototype.getContext); delete window.OffscreenCanvas"),
        "float targets": (None, None, "WebGL2RenderingContext.prototype.getExtension = (get => function (name) { return /float/.test(name) ? null : get.call(this, name); })(WebGL2RenderingContext.prototype.getExtension)"),
        "workers that draw": (None, None, "delete window.OffscreenCanvas"),
        "memory for it in the background": (None, None, "Object.defineProperty(Document.prototype, 'wasDiscarded', { get: () => true })"),
        "storage": (None, None, "IDBFactory.prototype.open = () => { throw new DOMException('blocked', 'SecurityError'); }"),
    }

    def without(self, what):
        """Until the call that it returns, in pages that are opened meanwhile, and left then."""
        self.is_fit, undo = False, self.lacking(what)

        def again():
            self.is_fit = False
            undo()
        return again

    def middle(self, selector):
        """Of what stands still: a panel that unfolds or says something moves what is below, and nobody aims at that."""
        box, before = self.box(selector), None
        for _ in range(20):
            if box == before:
                break
            time.sleep(0.05)
            box, before = self.box(selector), box
        return box[0] + box[2] / 2, box[1] + box[3] / 2

    def click(self, selector):
        """Again, as a person would, where it has moved away from under the pointer before it was pressed."""
        what = json.dumps(selector)
        self.ask("const e = document.querySelector(%s); e.isPressed = false; e.addEventListener('click', () => { e.isPressed = true; }, { once: true, capture: true })" % what)
        for _ in range(3):
            x, y = self.middle(selector)
            self.mouse([("move", x, y), ("down",), ("up",)])
            if not self.ask("const e = document.querySelector(%s); return e?.isPressed === false && !e.contains(document.elementFromPoint(%f, %f))" % (what, x, y)):
                break

    def drag(self, selector, dx, dy):
        x, y = self.middle(selector)
        self.mouse([("move", x, y), ("down",), ("move", x + dx, y + dy), ("up",)])

    def follow(self, link):
        """In the page that is there; has_followed of it. Of the same address again no browser tells a page."""
        before = self.ask("history.replaceState(null, '', location.pathname); return +document.querySelector('#canvas').dataset.links")
        self.ask("location.hash = " + json.dumps(link or "&"))
        return self.has_followed(before)

    def focus(self, selector):
        self.ask("document.querySelector(%s).focus()" % json.dumps(selector))

    def enter(self, selector, text):
        """Into a field, as by selecting what is there and typing."""
        self.focus(selector)
        self.keys(("Control", "a"), *text, "Enter")

    def choose(self, selector, value):
        """Of a list, by arrow keys."""
        self.focus(selector)
        by = self.ask("""const list = document.querySelector(%s);
            return [...list.options].findIndex(o => o.value === %s) - list.selectedIndex""" % (json.dumps(selector), json.dumps(value)))
        self.keys(*["ArrowDown" if by > 0 else "ArrowUp"] * abs(by))


class Chromium(Browser):
    def __init__(self, width, height):
        ours, self.write = os.pipe()
        self.read, theirs = os.pipe()
        words = ["chromium", "--headless", "--no-sandbox", "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                 "--remote-debugging-pipe", f"--window-size={width},{height}", "--hide-scrollbars", "about:blank"]
        self.profile = tempfile.mkdtemp(prefix="holmberg_profile.")
        here = ["bash", "-c", f'exec "$@" 3<&{ours} 4>&{theirs}', "bash"]  # where the protocol is spoken
        super().__init__(here + words + [f"--user-data-dir={self.profile}"], pass_fds=(ours, theirs))
        os.close(ours), os.close(theirs)
        self.buffer, self.number, self.session, self.size = b"", 0, None, (width, height)
        target = next(t for t in self.command("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.target = target["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        self.command("Page.enable")
        self.command("DOM.enable")
        if PICTURES:
            self.command("Page.addScriptToEvaluateOnNewDocument", source="""const soon = requestAnimationFrame;
                window.requestAnimationFrame = draw => setTimeout(() => soon(draw), %d)""" % (1000 / PICTURES - 1000 / 60))
        self.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads)
        self.resize(width, height)

    def close(self):
        super().close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def command(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.buffer:
            if not select.select([self.read], [], [], 300)[0]:
                raise Failure("chromium has not answered for 300 s")
            more = os.read(self.read, 1 << 20)
            if not more:
                raise Failure("chromium has ended: " + open(self.log.name).read()[-500:])
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def ask(self, code):
        answer = self.command("Runtime.evaluate", expression="(() => {%s})()" % code, returnByValue=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{code}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def open(self, url):
        self.command("Page.navigate", url="about:blank")  # else another fragment would be the same page
        self.command("Page.navigate", url=url)

    def screenshot(self):
        return base64.b64decode(self.command("Page.captureScreenshot", optimizeForSpeed=True)["data"])

    def printed(self):
        """A PDF, in letters of base64."""
        return self.command("Page.printToPDF", printBackground=True)["data"]

    def resize(self, width, height, is_phone=False):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)
        self.command("Emulation.setTouchEmulationEnabled", enabled=is_phone)

    def mouse(self, actions):
        state = {"x": 0, "y": 0, "button": "none", "buttons": 0}
        for what, *where in actions:
            if where:
                state["x"], state["y"] = where[:2]
            kind = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased", "wheel": "mouseWheel"}[what]
            if what == "down":
                state.update(button="left", buttons=1)
            more = {"clickCount": 1} if what in ("down", "up") else {"deltaX": 0, "deltaY": where[2]} if what == "wheel" else {}
            self.command("Input.dispatchMouseEvent", type=kind, **{**state, **more, "buttons": 0 if what == "up" else state["buttons"]})
            if what == "up":
                state.update(button="none", buttons=0)

    def keys(self, *keys):
        """A key is its name or its letter; with modifiers a tuple."""
        for key in keys:
            *modifiers, key = key if isinstance(key, tuple) else (key,)
            held = sum(MODIFIERS[m] for m in modifiers)
            letter = len(key) == 1
            code = KEYS[key][1] if not letter else ord(key.upper()) if key.isalnum() else 0
            more = {"text": "\r" if key == "Enter" else key} if (letter or key == "Enter") and not held & 2 else {}
            if held & 2:
                more["commands"] = {"a": ["selectAll"], "Home": ["moveToBeginningOfDocument"]}[key]
            for kind in ("keyDown", "keyUp"):
                self.command("Input.dispatchKeyEvent", type=kind, key=key, modifiers=held, windowsVirtualKeyCode=code,
                             **(more if kind == "keyDown" else {}))

    def of_all(self, method, **params):
        """A command to the browser, not to the page."""
        session, self.session = self.session, None
        try:
            return self.command(method, **params)
        finally:
            self.session = session

    def in_background(self, seconds, freezes=False):
        """Another tab is looked at for so long. freezes: as browsers do with pages after some minutes of that, nothing of it runs."""
        other = self.of_all("Target.createTarget", url="about:blank")["targetId"]
        self.of_all("Target.activateTarget", targetId=other)
        if freezes:
            self.command("Page.setWebLifecycleState", state="frozen")
        time.sleep(seconds)
        if freezes:
            self.command("Page.setWebLifecycleState", state="active")
        self.of_all("Target.activateTarget", targetId=self.target)
        self.of_all("Target.closeTarget", targetId=other)

    def lacking(self, what):
        script = self.command("Page.addScriptToEvaluateOnNewDocument", source=self.LACKS[what][2])["identifier"]
        return lambda: self.command("Page.removeScriptToEvaluateOnNewDocument", identifier=script)

    def upload(self, selector, *paths):
        root = self.command("DOM.getDocument")["root"]["nodeId"]
        node = self.command("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.command("DOM.setFileInputFiles", files=list(paths), nodeId=node)


class Firefox(Browser):
    PREFERENCES = {
        "webgl.force-enabled": True, "webgl.disable-fail-if-major-performance-caveat": True, "app.normandy.enabled": False,
        "datareporting.policy.dataSubmissionEnabled": False, "browser.shell.checkDefaultBrowser": False,
        "browser.download.folderList": 2, "browser.download.alwaysOpenPanel": False, "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False, "browser.download.useDownloadDir": True,
        # what only its own services need: nearly a second of a start
        "dom.ipc.processPrelaunch.enabled": False, "dom.ipc.processCount": 1, "toolkit.telemetry.enabled": False, "toolkit.telemetry.server": "",
        "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False, "browser.newtabpage.enabled": False,
        "browser.startup.page": 0, "browser.startup.homepage_override.mstone": "ignore", "browser.aboutwelcome.enabled": False,
        "extensions.enabledScopes": 0, "extensions.update.enabled": False, "services.settings.server": "", "places.history.enabled": False,
        "browser.sessionstore.resume_from_crash": False, "browser.sessionstore.interval": 10000000,
    }

    def __init__(self, width, height):
        profile = self.profile = tempfile.mkdtemp(prefix="holmberg_profile.")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        downloads = tempfile.mkdtemp(prefix="holmberg_downloads.")
        given = dict(self.PREFERENCES, **{"marionette.port": port, "browser.download.dir": downloads})
        if PICTURES:
            given["layout.frame_rate"] = PICTURES
        with open(os.path.join(profile, "user.js"), "w") as file:
            file.writelines(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in given.items())
        super().__init__(["firefox-esr", "--marionette", "--remote-allow-system-access", "--no-remote", "--width", str(width),
                          "--height", str(height), "--profile", profile])
        self.downloads, self.number, self.size = downloads, 0, (width, height)
        self.stream = self.connect(port)
        self.receive()
        self.command("WebDriver:NewSession")
        self.command("WebDriver:SetTimeouts", script=300000, pageLoad=300000)
        self.resize(width, height)

    def connect(self, port):
        for _ in range(3000):
            try:
                stream = socket.create_connection(("127.0.0.1", port))
                stream.settimeout(300)
                return stream
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise Failure("firefox does not begin: " + open(self.log.name).read()[-500:])

    def close(self):
        super().close()
        shutil.rmtree(self.profile, ignore_errors=True)
        shutil.rmtree(self.downloads, ignore_errors=True)

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            length += self.stream.recv(1) or b":"
        left, message = int(length[:-1] or b"0"), b""
        while len(message) < left:
            message += self.stream.recv(left - len(message))
        if not message:
            raise Failure("firefox has ended: " + open(self.log.name).read()[-500:])
        return json.loads(message)

    def command(self, name, **params):
        self.number += 1
        message = json.dumps([0, self.number, name, params])
        self.stream.sendall(f"{len(message.encode())}:{message}".encode())
        _, _, error, result = self.receive()
        if error:
            raise Failure(f"{name}: {error['message']}")
        return result

    def ask(self, code):
        return self.command("WebDriver:ExecuteScript", script=code, args=[], sandbox=None)["value"]

    def open(self, url):
        self.command("WebDriver:Navigate", url="about:blank")
        self.command("WebDriver:Navigate", url=url)

    def screenshot(self):
        return base64.b64decode(self.command("WebDriver:TakeScreenshot", full=False)["value"])

    def printed(self):
        return self.command("WebDriver:Print", background=True)["value"]

    def picture_of(self, box):
        """By Firefox's own snapshot, without a file of it: ffmpeg takes twice as long as all else, and the page goes on meanwhile."""
        right, down = self.ask("return [scrollX, scrollY]")  # a snapshot counts from where the page begins
        x, y, width, height = box
        self.command("Marionette:SetContext", value="chrome")
        gray = self.command("WebDriver:ExecuteAsyncScript", args=[int(x + right), int(y + down), int(width), int(height)], script="""
            const [x, y, width, height, done] = arguments;
            gBrowser.selectedBrowser.browsingContext.currentWindowGlobal.drawSnapshot(new DOMRect(x, y, width, height), 1, "white").then(shot => {
              const pen = new OffscreenCanvas(width, height).getContext("2d");
              pen.drawImage(shot, 0, 0);
              const { data } = pen.getImageData(0, 0, width, height), gray = new Uint8Array(width * height);
              for (let k = 0; k < gray.length; k++) gray[k] = 0.299 * data[4 * k] + 0.587 * data[4 * k + 1] + 0.114 * data[4 * k + 2] + 0.5;
              done(gray.toBase64()); });""")["value"]
        self.command("Marionette:SetContext", value="content")
        return Picture(base64.b64decode(gray), int(width))

    def resize(self, width, height, is_phone=False):
        self.command("Marionette:SetContext", value="chrome")
        for name, fine in (("ui.primaryPointerCapabilities", 6), ("ui.allPointerCapabilities", 6)):
            self.ask(f"Services.prefs.setIntPref({json.dumps(name)}, {1 if is_phone else fine})")
        self.command("Marionette:SetContext", value="content")
        self.command("WebDriver:SetWindowRect", width=width, height=height)
        inner = self.ask("return [innerWidth, innerHeight]")
        self.command("WebDriver:SetWindowRect", width=2 * width - inner[0], height=2 * height - inner[1])

    def mouse(self, actions):
        made = {"move": lambda x, y: {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0},
                "down": lambda: {"type": "pointerDown", "button": 0}, "up": lambda: {"type": "pointerUp", "button": 0}}
        for what, *where in actions:
            if what == "wheel":
                source = {"type": "wheel", "id": "wheel", "actions": [{"type": "scroll", "x": int(where[0]), "y": int(where[1]),
                                                                      "deltaX": 0, "deltaY": where[2]}]}
            else:
                source = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [made[what](*where)]}
            self.command("WebDriver:PerformActions", actions=[source])

    def keys(self, *keys):
        actions = []
        for key in keys:
            chord = [KEYS[k][0] if k in KEYS else k for k in (key if isinstance(key, tuple) else (key,))]
            actions += [{"type": "keyDown", "value": k} for k in chord] + [{"type": "keyUp", "value": k} for k in reversed(chord)]
        self.command("WebDriver:PerformActions", actions=[{"type": "key", "id": "keys", "actions": actions}])

    def lacking(self, what):
        name, value, _ = self.LACKS[what]
        def put(to):
            self.command("Marionette:SetContext", value="chrome")
            before = self.ask(f"const b = Services.prefs.getBoolPref({json.dumps(name)}); Services.prefs.setBoolPref({json.dumps(name)}, {json.dumps(to)}); return b")
            self.command("Marionette:SetContext", value="content")
            return before
        before = put(value)
        return lambda: put(before)

    def in_background(self, seconds):
        """Another tab is looked at for so long."""
        own = self.command("WebDriver:GetWindowHandle")["value"]
        other = self.command("WebDriver:NewWindow", type="tab", focus=True)["handle"]
        self.command("WebDriver:SwitchToWindow", handle=other, focus=True)
        time.sleep(seconds)
        self.command("WebDriver:CloseWindow")
        self.command("WebDriver:SwitchToWindow", handle=own, focus=True)

    def upload(self, selector, *paths):
        element = self.command("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.command("WebDriver:ElementSendKeys", id=next(iter(element.values())), text="\n".join(paths))

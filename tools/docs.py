#!/usr/bin/env python3
"""docs.py BUILD: the manual as one site, BUILD/docs/site, by mkdocs from the files that say it elsewhere: guides, pages of the
manual, docstrings, and notebooks (tools/notebooks, in the percent format), which are run now. It asks nobody for anything."""
import contextlib
import importlib
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

try:
    import numpy  # noqa: F401 # of the notebooks
    import yaml
except ImportError:  # an environment's own Python: the system's has them
    if sys.executable == "/usr/bin/python3":
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(sys.argv[1]).resolve()
PAGES = BUILD / "docs/pages"
GUIDES = ["README.md", "src/cli/README.md", "src/python/README.md", "src/python/REBOUND.md", "src/lib/README.md", "src/step/README.md", "shaders/README.md",
          "shaders/LESSON.md", "shaders/interactions/README.md", "data/README.md", "data/FORMATS.md", "data/cluster/README.md",
          "src/README.md", "src/PAPER.md"]


def put(name, text):
    path = PAGES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return name


def page_of(guide):
    """README.md in a folder is its index.html; the top's is that of all."""
    return guide.replace("README.md", "index.md")


def guide(path):
    """A guide with its links inside the site; what is not there becomes plain text, and pictures come along."""
    def link(match):
        text, target = match[1], match[2]
        if re.match("#|[a-z]+:", target):
            return match[0]
        file, _, part = target.partition("#")
        there = os.path.normpath(Path(path).parent / file)
        there = f"{there}/README.md" if (ROOT / there).is_dir() else there
        if there in GUIDES:
            there = page_of(there)
        elif there.endswith((".png", ".svg")) and (ROOT / there).exists():
            (PAGES / there).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / there, PAGES / there)
        else:
            return text
        where = os.path.relpath(there, Path(path).parent)
        return f"[{text}]({where}{'#' + part if part else ''})"
    text = re.sub(r"\[([^\]\[]*)\]\(([^)\s]*)\)", link, (ROOT / path).read_text())
    return put(page_of(path), text)


def manual(page):
    """A page of `man`, as mandoc has it."""
    html = subprocess.check_output(["mandoc", "-Thtml", "-Ofragment", str(page)], text=True)
    html = re.sub(r"\n\s*\n", "\n", html).replace("<pre>\n", "<pre>")
    return put(f"man/{page.name}.md", f"# {page.stem}({page.suffix[1:]})\n\n<div>\n{html}\n</div>\n")


def reference():
    """The docstrings of Python's classes and functions."""
    package = importlib.import_module("holmberg")
    text = "# Python's reference\n"
    for name, what in sorted(vars(package).items()):
        if name.startswith("_") or not (inspect.isclass(what) or inspect.isfunction(what)):
            continue
        text += f"\n## {name}\n\n```text\n{inspect.getdoc(what) or ''}\n```\n"
        for own, member in sorted(vars(what).items()) if inspect.isclass(what) else []:
            member = getattr(member, "__func__", member)
            if not own.startswith("_") and inspect.getdoc(member) and (inspect.isfunction(member) or isinstance(member, property)):
                words = str(inspect.signature(member)) if inspect.isfunction(member) else ""
                text += f"\n### {name}.{own}\n\n```text\n{own}{words}\n\n{inspect.getdoc(member)}\n```\n"
    return put("python.md", text)


def notebook(path):
    """Its cells in order, each with what it prints."""
    text, names = "", {"__name__": "__main__"}
    for cell in re.split(r"^# %%", path.read_text(), flags=re.M)[1:]:
        head, _, body = cell.partition("\n")
        if "markdown" in head:
            text += re.sub(r"^# ?", "", body, flags=re.M) + "\n"
            continue
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(body, str(path), "exec"), names)
        text += f"```python\n{body.strip()}\n```\n\n" + (f"```text\n{said.getvalue()}```\n\n" if said.getvalue() else "")
    return put(f"notebooks/{path.stem}.md", text)


def browser():
    """The lesson's page, and the engine that it links to where `make web` has built it, each as it is and in a frame."""
    made, there, framed = BUILD / "web", PAGES / "engine", []
    shutil.copytree(made / "gallery", there / "gallery")
    shutil.copy(made / "guide.html", there)
    (there / "index.html").write_text("<!doctype html><title>Holmberg</title><p>`make web docs` puts the engine here.")
    if (made / "holmberg.html").exists():
        shutil.copy(made / "holmberg.html", there / "index.html")
    for page, file, title in ("lesson.md", "guide", "The lesson"), ("engine.md", "index", "The engine"):
        framed.append(put(page, f"# {title}\n\n<iframe src='engine/{file}.html' title='{title}' "
                                "style='width: 100%; height: 85vh; border: 0'></iframe>\n"))
    return framed


def main():
    os.environ.setdefault("HOLMBERG_LIBRARY", str(BUILD / "libholmberg.so.1"))
    sys.path.insert(0, str(ROOT / "src/python"))
    shutil.rmtree(BUILD / "docs", ignore_errors=True)
    pages = sorted((BUILD / "manual").glob("*.[135]"))
    news = put("changes.md", "# Changes\n\n```text\n" + (ROOT / "tools/debian/changelog").read_text() + "```\n")
    navigation = [{"Guides": [guide(path) for path in GUIDES]},
                  {"Notebooks": [notebook(path) for path in sorted((ROOT / "tools/notebooks").glob("*.py"))]},
                  {"Reference": [reference(), *(manual(page) for page in pages if not page.read_text().startswith(".so "))]},
                  {"In a browser": browser()}, news]
    settings = {"site_name": "Holmberg", "docs_dir": str(PAGES), "site_dir": str(BUILD / "docs/site"), "use_directory_urls": False,
                "theme": {"name": "mkdocs", "highlightjs": False}, "plugins": ["search"], "nav": navigation,
                "markdown_extensions": ["tables", "fenced_code", "toc"]}
    (BUILD / "docs/mkdocs.yml").write_text(yaml.safe_dump(settings))
    subprocess.run(["mkdocs", "build", "-q", "-f", str(BUILD / "docs/mkdocs.yml")], check=True)


main()

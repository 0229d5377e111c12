"""A browser client of a few lines, for tests of how one is served."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FILES", "planted"]

FILES = {
    "index.html": (
        "<!doctype html><html lang=en><head><title>t</title>{{head}}"
        '<link rel="stylesheet" href="{{base}}style/base.css">'
        '<link rel="stylesheet" href="{{base}}style/after.css">'
        '<script type="module" src="{{base}}app.js"></script></head>'
        "<body><noscript>{{address}}</noscript></body></html>"
    ),
    "app.js": (
        "/** See import('./pages/never.js').Type. */\n"
        "import { h } from './dom.js';\n"
        'import {\n  a,\n  b,\n} from "./net/link.js";\n'
        "import './style.js'\n"
        "export { c } from './words.js';\n"
        "import './router.js';\n"
        "const load = () => import('./pages/never.js');\n"
    ),
    "router.js": (
        "export const ROUTES = [\n"
        "  { path: /^\\/$/, load: () => import('./pages/home.js') },\n"
        "  { path: /^\\/(?:embed\\/)?r\\/([\\w-]+)$/, load: () => import('./pages/race.js') },\n"
        "];\n"
    ),
    "dom.js": "import { c } from './words.js';\nexport const h = 'h';\n",
    "net/link.js": "import { c } from '../words.js';\nexport const a = 1, b = 2;\n",
    "style.js": "",
    "words.js": "export const c = 3;\n" + "// words\n" * 200,
    "pages/home.js": "export const open = () => 1;\n",
    "pages/never.js": "throw new Error('nobody asked for this');\n",
    "pages/race.js": "import '../table/board.js';\nimport { h } from '../dom.js';\n",
    "table/board.js": "import './cards.js';\n",
    "table/cards.js": "",
    "style/after.css": "body { margin: 1px }\n",
    "style/base.css": "body { margin: 0 }\n",
    "icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "manifest.webmanifest": "{}",
    "jsconfig.json": "{}",
    "notes.md": "for us",
}


def planted(folder: Path, **changes: str) -> Path:
    """Writes the files, some of them otherwise, and returns where they are."""
    for name, text in {**FILES, **changes}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder

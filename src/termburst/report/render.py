"""A summary as one page in one file, which needs no network."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.plr import PARTS, part_formulas
from termburst.names import Q_MEANS
from termburst.report.pieces import FORMAT, PLACES, SMALLEST_LOG10_P, SURE

LONGEST_TERM = 200  # characters of a term in a page
_MANTISSA_BITS = 20  # numbers in a page have six digits
_LOG_STEP = 2.0**-12  # step of decimal logarithms in a page: three digits of the number
_DIGITS = 5  # digits of numbers in panels
_PART_DIGITS = 8  # digits of the parts of λ, which are large and cancel
_AS_IS = frozenset((int, str))  # types of values that are written as they are: most of a page
_BLOCKS = ("terms", "panels")
_INTEGERS = ("n", "b", "n_a", "n_b", "b_a", "b_b", "panel")
_NAMES = ("p_method", "status", "group", "only_in", "only_unadjusted")  # every other column is numbers
_COMPUTED = ("tf_idf_sum",)  # columns that data.js computes from those before them
_SCRIPTS = (
    "data",
    "charts",
    "table",
    "panel",
    "about",
    "compare",
    "design",
    "live",
    "page",
)  # one scope, in this order


def render(summary: dict[str, Any]) -> str:
    """The page of a summary made by `summarize` or `summarize_keyness`.

    Everything that came from the corpus is stored as compressed JSON in base64 and enters the page as text, so no
    term, line or file name can become markup. Numbers in the page have six digits, p- and q-values three. Terms are cut
    after 200 characters.

    Examples
    --------
    >>> from termburst.report import CountedCorpus, summarize
    >>> page = render(summarize(CountedCorpus.from_texts(["ha ha ha so", "so it goes", "so on"]), title="<script>"))
    >>> "<title>&lt;script&gt;" in page
    True
    """
    _check(summary)
    try:
        import jinja2
        from markupsafe import Markup

        from termburst.report.charts import chart_items, library
    except ImportError as error:
        raise ImportError("a page needs Bokeh; install it with: pip install 'termburst[report]'") from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("termburst.report"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    number = {panel["term"]: k + 1 for k, panel in enumerate(summary["panels"])}
    panel_of = [number.get(term, 0) for term in summary["terms"]["term"]]  # 0: no panel
    terms, columns, spec = _columns({**summary["terms"], "panel": panel_of})
    about = {key: value for key, value in summary.items() if key not in _BLOCKS}
    about["columns"] = spec
    about["limits"] = {"term": LONGEST_TERM, "places": PLACES, "sure": SURE, "log10_p": SMALLEST_LOG10_P}
    about["q_means"] = Q_MEANS.get(summary.get("settings", {}).get("adjust"), "")
    if summary["kind"] == "corpus":
        # A live page asks for panels later; "penalty" is a part with other penalties only.
        named = summary["panels"][0]["parts"] if summary["panels"] else dict.fromkeys(PARTS.keys() - {"penalty"})
        about["formulas"] = part_formulas(named, summary["settings"]["form"])
    bokeh = library()
    blocks = {
        "library": _packed(bokeh.encode()),
        "about": _packed_json(about),
        "charts": _packed_json(chart_items(summary["kind"])),
        "terms": _packed_json(terms),
        "columns": _packed(columns),
        "panels": _packed_json(_shortened(summary["panels"])),
    }
    templates = files("termburst.report") / "templates"
    style, *scripts = (
        (templates / name).read_text(encoding="utf-8") for name in ("page.css", *(f"{name}.js" for name in _SCRIPTS))
    )
    script = "\n".join(["(() => {", '"use strict";', *scripts, "})();"])
    page = environment.get_template("page.html").render(
        summary=summary, blocks=blocks, style=Markup(style), script=Markup(script),
        policy=_policy(script, bokeh, live=bool(summary.get("live"))),
    )  # fmt: skip
    return page.encode("utf-8", "replace").decode()  # half of a surrogate pair, in a file name, cannot be encoded


def _check(summary: Any) -> None:
    if not isinstance(summary, dict) or not {"format", "kind", "terms", "panels"} <= summary.keys():
        raise ValueError("summary must be the dict that summarize or summarize_keyness returned")
    if summary["kind"] not in ("corpus", "keyness"):
        raise ValueError(f"the kind of a summary must be 'corpus' or 'keyness'; got {summary['kind']!r}")
    if summary["format"] != FORMAT:
        raise ValueError(
            f"the summary has format {summary['format']}, but this termburst renders format {FORMAT}; make it again"
        )


def _policy(script: str, library: str, *, live: bool = False) -> str:
    """What the browser allows the page to do: run its two scripts, known by their hashes, and fetch nothing.

    A live page may ask the server that it came from.

    Styles have no hashes: Bokeh writes the sizes of its charts into style elements, so their hashes are not known in
    advance. As nothing can be fetched, a style cannot send anything to anybody.
    """

    def known(content: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

    rules = {
        "default-src": "'none'",
        "script-src": f"{known(script)} {known(library)}",
        "style-src": "'unsafe-inline'",
        "img-src": "data: blob:",
        **({"connect-src": "'self'"} if live else {}),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _columns(terms: dict[str, list[Any]]) -> tuple[list[str], bytes, list[dict[str, Any]]]:
    """The terms; the other columns as bytes, one after the other; and the name and kind of each column."""
    spec: list[dict[str, Any]] = []
    packed = []
    for name, values in terms.items():
        if name == "term":
            continue
        if name in _COMPUTED:
            spec.append({"name": name, "kind": "computed"})
            continue
        if name in _INTEGERS and max(values) < 2**32:
            spec.append({"name": name, "kind": "integers"})
            packed.append(_planes(np.array(values, dtype="<u4")))
        elif name in _NAMES:
            names = sorted({value for value in values if value is not None})
            code = {None: 0} | {value: number + 1 for number, value in enumerate(names)}
            spec.append({"name": name, "kind": "names", "names": names})
            packed.append(np.array([code[value] for value in values], dtype="<u2").tobytes())
        else:
            spec.append({"name": name, "kind": "numbers"})
            packed.append(_planes(_rounded(np.array(values, dtype=np.float64), logarithms=name.startswith("log10"))))
    return [_cut(term) for term in terms["term"]], b"".join(packed), spec


def _rounded(values: NDArray[np.float64], *, logarithms: bool) -> NDArray[np.float32]:
    """Rounded to fewer bits, so that they compress well."""
    if logarithms:
        return (np.round(values / _LOG_STEP) * _LOG_STEP).astype("<f4")
    mantissa, exponent = np.frexp(values)
    scale = 2.0**_MANTISSA_BITS
    return np.ldexp(np.round(mantissa * scale) / scale, exponent).astype("<f4")


def _planes(values: NDArray[Any]) -> bytes:
    """All first bytes, then all second bytes, and so on: similar bytes side by side compress better."""
    return values.view(np.uint8).reshape(-1, 4).T.tobytes()


def _cut(term: str) -> str:
    return term if len(term) <= LONGEST_TERM else f"{term[:LONGEST_TERM]}… ({len(term):,} characters)"


def _shortened(value: Any, digits: int = _DIGITS) -> Any:
    """Numbers rounded, and places as steps from one document to the next, at any depth."""
    if isinstance(value, float):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else None
    if isinstance(value, list):
        return value if all(type(item) in _AS_IS for item in value) else [_shortened(item, digits) for item in value]
    if isinstance(value, dict):
        short = {
            key: item if type(item) in _AS_IS else _shortened(item, _PART_DIGITS if key == "parts" else digits)
            for key, item in value.items()
        }
        if "places" in short:
            short["places"] = np.diff(short["places"], prepend=0).tolist()
        if "term" in short:
            short["term"] = _cut(short["term"])
        return short
    return value


def _packed_json(value: Any) -> str:
    return _packed(json.dumps(value, separators=(",", ":"), allow_nan=False).encode())


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 7)).decode()

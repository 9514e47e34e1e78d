"""The server of `termburst explore`, on a real port, asked by a real client."""

import concurrent.futures
import contextlib
import json
import re
import socket
import urllib.error
import urllib.request
from urllib.parse import quote, urlsplit

import pytest

import termburst as tb
from termburst.report import explorer, server

TEXTS = [
    *["The tariff, the tariff and again the tariff: so said the old party. Free trade is a dream."] * 4,
    *["A free world needs free people, said the new party; and the people of the world agree."] * 6,
    *["So it goes on and on, year after year, in peace and in war."] * 6,
]


@pytest.fixture(scope="module")
def corpus():
    era = ["old"] * 4 + ["new"] * 6 + ["old"] * 6
    return tb.read(TEXTS, metadata={"year": list(range(1900, 1916)), "era": era, "third": list("abc" * 5 + "a")})


@pytest.fixture(scope="module")
def running(corpus):
    with corpus.explore(browser=False) as page:
        yield page


def ask(address, path="", **headers):
    """The status, the body and the headers of an answer."""
    request = urllib.request.Request(address + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def answer(page, path):
    status, body, _ = ask(page.address, path)
    assert status == 200, body
    return json.loads(body)


def test_the_page_and_its_policy(running):
    status, body, headers = ask(running.address)
    assert status == 200
    assert b"connect-src 'self'" in body.replace(b"&#39;", b"'")
    assert headers["Cache-Control"] == "no-store"
    assert urlsplit(running.address).hostname == "127.0.0.1"
    assert ask(running.address.rstrip("/"))[0] == 200  # without the slash it leads there


def test_without_the_token_every_path_is_refused(running):
    for path in ["/", "/api/kwic?q=so", "/api/term?term=so", "/compare?by=era", "/keep", "/x/y"]:
        parts = urlsplit(running.address)
        assert ask(f"http://{parts.netloc}{path}")[0] == 403
        token = parts.path.strip("/")
        assert ask(f"http://{parts.netloc}/{token[:-1]}{'A' if token[-1] != 'A' else 'B'}{path}")[0] == 403


def test_another_origin_is_refused(running):
    for headers in [
        {"Origin": "http://example.invalid"},
        {"Origin": "null"},
        {"Host": "example.invalid"},
        {"Sec-Fetch-Site": "cross-site"},
    ]:
        assert ask(running.address, "api/kwic?q=so", **headers)[0] == 403


def test_paths_that_climb_lead_nowhere(running):
    for path in ["../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "static/../../x", "api/none"]:
        status, body, _ = ask(running.address, path)
        assert status in (403, 404)
        assert b"root:" not in body


def test_the_panel_of_a_term(running, corpus):
    found = answer(running, "api/term?term=tariff")["panel"]
    assert found["occurrences"] == [3] * 4
    assert found["places"] == [0, 1, 2, 3]
    assert {line["term"] for line in found["lines"]} == {"tariff"}
    status, body, _ = ask(running.address, "api/term?term=nowhere")
    assert status == 404
    assert "not among the terms" in json.loads(body)["error"]


def test_lines_equal_those_of_the_library(running, corpus):
    for query in ("free", "free wor*", "party"):
        found = answer(running, f"api/kwic?q={quote(query)}")
        expected = corpus.kwic(query, width=70).rows()
        assert [(x["name"], x["before"], x["term"], x["after"]) for x in found["lines"]] == [r[:4] for r in expected]
        assert found["more"] is False
    first = answer(running, "api/kwic?q=the&sort=R1")["lines"]
    assert [x["after"] for x in first] == corpus.kwic("the", width=70, sort="R1")["right"].to_list()


def test_lines_come_in_parts(running, corpus, monkeypatch):
    monkeypatch.setattr(explorer, "MOST_LINES", 5)
    whole = [row[:4] for row in corpus.kwic("said", width=70).rows()]
    parts = []
    for offset in range(0, 20, 5):
        found = answer(running, f"api/kwic?q=said&offset={offset}")
        parts += [(x["name"], x["before"], x["term"], x["after"]) for x in found["lines"]]
        assert found["more"] is (offset + 5 < len(whole))
    assert parts == whole


def test_collocates_equal_those_of_the_library(running, corpus):
    found = answer(running, "api/collocates?term=free")["collocates"]
    expected = corpus.collocates("free").filter(tb_sure()).head(12)
    assert [row["term"] for row in found] == expected["term"].to_list()
    assert ask(running.address, "api/collocates?term=nowhere")[0] == 400


def test_triggers_equal_those_of_the_library(running, corpus):
    found = answer(running, "api/triggers?term=people")["triggers"]
    expected = corpus.triggers("people", top=24)
    expected = expected.filter(expected["q_together"] <= 0.05)
    assert [(row["direction"], row["term"], row["documents"]) for row in found] == expected.select(
        "direction", "term", "documents"
    ).rows()
    assert found
    assert ask(running.address, "api/triggers?term=nowhere")[0] == 400


def tb_sure():
    import polars as pl

    return pl.col("q_value") <= 0.05


def test_bad_questions_get_a_sentence(running):
    for path, said in [
        (f"api/kwic?q={'x' * 301}", "at most 300"),
        ("api/kwic?q=", "must be given"),
        ("api/kwic?q=%20", "must be given"),
        ("api/kwic?q=(a&regex=1", "not a regular expression"),
        ("api/kwic?q=a*&regex=1", "empty string"),
        ("api/kwic?q=so&offset=-1", "whole number"),
        ("api/kwic?q=so&regex=2", "whole number"),
        ("api/kwic?q=so&sort=nowhere", "sort must be"),
        (f"api/term?term={'x' * 301}", "at most 300"),
    ]:
        status, body, _ = ask(running.address, path)
        assert status == 400
        assert said in json.loads(body)["error"]


def test_a_regular_expression_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(explorer.timed, "__defaults__", (0.3,))
    corpus = tb.read(["a" * 60 + "!", "so it goes", "on and on"])
    with corpus.explore(browser=False) as page:
        status, body, _ = ask(page.address, f"api/kwic?q={quote('(a|a)+$')}&regex=1")
        assert status == 400
        assert "took longer than 0.3 s" in json.loads(body)["error"]
        assert len(answer(page, "api/kwic?q=so")["lines"]) == 1  # the server still answers


def test_comparisons_by_a_column(running):
    for column, groups in (("era", 2), ("third", 3), ("year", 4)):  # 1900 to 1915 in steps of 5
        status, body, _ = ask(running.address, f"compare?by={column}")
        assert status == 200
        assert f"by {column}".encode() in body
        panel = answer(running, f"api/term?term=tariff&by={column}")["panel"]
        assert len(panel["sides"]) == groups
        assert sum(sum(side["occurrences"]) for side in panel["sides"]) == 12
    assert ask(running.address, "compare?by=nothing")[0] == 404


def test_a_selection_is_kept_as_a_page_without_a_server(running):
    status, body, headers = ask(running.address, "keep?term=tariff&term=free&term=nowhere")
    assert status == 200
    assert "attachment" in headers["Content-Disposition"]
    assert b"connect-src" not in body


def test_a_hundred_requests_at_once(running):
    words = ["free", "tariff", "party", "so", "on"]
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        asked = [
            pool.submit(ask, running.address, f"api/kwic?q={words[k % 5]}&offset={k // 5 % 3}") for k in range(100)
        ]
        assert {future.result()[0] for future in asked} == {200}


def test_a_closed_connection_in_mid_answer(running):
    parts = urlsplit(running.address)
    for _ in range(5):
        with socket.create_connection((parts.hostname, parts.port)) as half:
            half.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
            half.recv(10)
    assert ask(running.address)[0] == 200


def test_texts_that_vanish(tmp_path):
    folder = tmp_path / "speeches"
    folder.mkdir()
    for k, text in enumerate(TEXTS):
        (folder / f"{k}.txt").write_text(text, encoding="utf-8")
    corpus = tb.read(folder)
    with corpus.explore(browser=False) as page:
        for path in folder.iterdir():
            path.unlink()
        status, body, _ = ask(page.address, "api/kwic?q=tariff")
        assert status == 400
        assert str(folder) in json.loads(body)["error"]
        assert ask(page.address)[0] == 200


def test_a_port_that_is_taken(corpus):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ValueError, match="cannot be used"):
            corpus.explore(browser=False, port=taken.getsockname()[1])


def test_closing_frees_the_port(corpus):
    page = corpus.explore(browser=False)
    assert ask(page.address)[0] == 200
    page.close()
    assert "closed" in repr(page)
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(page.address, timeout=5)


@pytest.fixture
def live(browser, running):
    """The live page in Chromium; at the end, it must have logged no error and asked nobody else."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page, complaints, requests = context.new_page(), [], []
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(running.address)
    page.locator("html[data-ready=true]").wait_for(state="attached")
    yield page
    context.close()
    assert [said for said in complaints if "status of 400" not in said] == []  # the browser's note of a refused query
    assert [url for url in requests if not url.startswith((running.address, "blob:"))] == []


def test_the_live_page_in_a_browser(live, corpus):
    live.fill("#ask-text", "free wor*")
    live.click("#ask button")
    live.locator("#ask-status", has_text="6 lines").wait_for()
    assert set(live.locator("#lines mark").all_inner_texts()) == {"free world"}
    live.fill("#ask-text", "tariff")
    live.click("#ask button")
    live.locator("#panel-sentence", has_text="“tariff”: 12 times").wait_for()
    live.locator("#figure-along canvas").first.wait_for()
    live.locator("#lines-note", has_text="10 of 12 lines").wait_for()  # every line, not only two of a document
    assert live.locator("#along-by").input_value() == "year"
    live.click("#triggers-ask")
    live.locator("#triggers-status", has_text="No word").wait_for()
    live.select_option("#lines-sort", "R1")
    after = [re.search(r"\w+", text)[0] for text in live.locator("#lines .after").all_inner_texts()]
    assert len(set(after)) > 1
    assert after == sorted(after)
    live.fill("#ask-text", "people")
    live.click("#ask button")
    live.locator("#panel-sentence", has_text="“people”").wait_for()
    live.click("#triggers-ask")
    live.locator("#triggers tr", has_text="brings on").first.wait_for()
    live.fill("#ask-text", "(so|on) it")
    live.check("#ask-regex")
    live.click("#ask button")
    live.locator("#panel-term", has_text="(so|on) it").wait_for()
    assert {text.lower() for text in live.locator("#lines mark").all_inner_texts()} == {"so it"}
    live.fill("#ask-text", "(so")
    live.click("#ask button")
    live.locator("#ask-status", has_text="not a regular expression").wait_for()


def test_groups_are_compared_by_a_click(live):
    live.locator("#groupings a", has_text="era").click()
    live.locator("html[data-ready=true]").wait_for(state="attached")
    live.locator("#lists").wait_for()
    assert live.locator("#lists h3").all_inner_texts() == ["new", "old"]
    live.locator("#table tbody th button", has_text="tariff").first.click()
    live.locator("#lines mark", has_text="tariff").first.wait_for()
    assert "12 times in old" in live.locator("#panel-sentence").inner_text()


def test_connections_that_ask_nothing_keep_nobody_out(running, monkeypatch):
    """300 of them, some with half a request. They are closed as others come, and an answer is not."""
    monkeypatch.setattr(server, "PATIENCE", 0.0)
    port = urlsplit(running.address).port
    with contextlib.ExitStack() as stack:
        for number in range(300):
            silent = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            if number % 2:
                silent.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert ask(running.address, "api/kwic?q=so")[0] == 200
        assert len(running.server.server_state.connections) <= server.MOST_CONNECTIONS // 2 + 1


def test_a_few_connections_that_wait_stay_open(running, monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 0.0)
    parts = urlsplit(running.address)
    with socket.create_connection(("127.0.0.1", parts.port), timeout=20) as slow:
        assert ask(running.address, "api/kwic?q=so")[0] == 200
        slow.sendall(f"GET {parts.path}api/kwic?q=so HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        assert slow.recv(15) == b"HTTP/1.1 200 OK"

"""Mailboxes, written by the standard library and by hand."""

import mailbox
from email.message import EmailMessage

import pytest


def message(subject: str, text: str, charset: str = "utf-8", **headers: str) -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = subject
    made["From"] = "Ada Lovelace <ada@example.org>"
    made["Date"] = "Sat, 01 May 1999 10:00:00 +0200"
    for key, value in headers.items():
        made[key] = value
    made.set_content(text, charset=charset)
    return made


@pytest.fixture
def folder(tmp_path):
    def folder(*messages: EmailMessage) -> bytes:
        box = mailbox.mbox(tmp_path / "box")
        for each in messages:
            box.add(each)
        box.flush()
        box.close()
        return (tmp_path / "box").read_bytes()

    return folder


def test_messages_are_documents_with_metadata(read, folder):
    data = folder(message("Größe & Жизнь", "Grüße aus Köln.\n"), message("日本語", "本文です。\n", "iso-2022-jp"))
    first, second = read(".mbox", data).documents
    assert (first.name, first.text) == ("1", "Grüße aus Köln.\n")
    assert first.metadata == {
        "subject": "Größe & Жизнь",
        "from": "Ada Lovelace <ada@example.org>",
        "date": "1999-05-01T10:00:00+02:00",
        "year": 1999,
    }
    assert (second.name, second.text.strip()) == ("2", "本文です。")


def test_charsets(read, folder):
    texts = {"koi8-r": "Война и мир", "latin-1": "déjà", "big5": "中文", "cp1253": "Ελλάδα"}
    found = read(".mbox", folder(*(message("s", text, charset) for charset, text in texts.items()))).documents
    assert [document.text.strip() for document in found] == [*texts.values()]


def test_plain_text_is_preferred_and_attachments_are_left_out(read, folder):
    made = message("s", "plain words\n")
    made.add_alternative("<p>html words</p>", subtype="html")
    made.add_attachment(b"\0\1\2", maintype="application", subtype="pdf", filename="a.pdf")
    made.add_attachment("attached words", filename="a.txt")
    reading = read(".mbox", folder(made))
    assert reading.one.text == "plain words\n"
    assert reading.detail("attachments left out") == "files (2 times)"


def test_html_alone_is_stripped(read, folder):
    made = EmailMessage()
    made["Subject"] = "s"
    made.set_content("<html><style>p {}</style><p>Tea<b>pot</b>s &amp; cups</p><p>é</p></html>", subtype="html")
    reading = read(".mbox", folder(made))
    assert reading.one.text == "Teapots & cups\né"
    assert "markup removed" in reading.kinds


FROM = b"From ada@example.org Sat May  1 10:00:00 1999\n"


def test_lines_that_begin_with_from_are_no_messages(read):
    data = FROM + b"Subject: a\n\nText\n\nFrom here on it is text.\n>From quoted\n\n" + FROM + b"Subject: b\n\nMore\n"
    first, second = read(".mbox", data).documents
    assert first.text == "Text\n\nFrom here on it is text.\nFrom quoted\n"
    assert second.metadata["subject"] == "b"


def test_wrong_charsets_are_repaired_and_said(read):
    data = FROM + b"Subject: a\nContent-Type: text/plain; charset=no-such\n\n" + "Grüße".encode() + b"\n"
    reading = read(".mbox", data)
    assert reading.one.text.strip() == "Grüße"
    assert reading.detail("encoding guessed") == "the file names the unknown encoding no-such"
    data = FROM + b"Subject: a\n\n" + "Grüße “x”".encode("cp1252")
    assert read(".mbox", data).one.text == "Grüße “x”"


def test_damaged_headers_and_parts_do_no_harm(read):
    data = (
        FROM + b"Subject: =?utf-8?b?bad\nFrom: \xff\xfe <>\nDate: nonsense\n"
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: "
        b"text/plain\nContent-Transfer-Encoding: base64\n\n!!!\n"
        b"--x\n\ncut off"
    )
    found = read(".mbox", data).one
    assert found.metadata["date"] == "nonsense"
    assert "year" not in found.metadata


def test_a_single_message(read, refused):
    found = read(".eml", bytes(message("Alone", "Text\n"))).one
    assert (found.name, found.text, found.metadata["subject"]) == ("", "Text\n", "Alone")
    assert "does not begin with headers" in refused(".eml", b"<html>")


def test_what_is_no_mailbox_gets_one_sentence(refused):
    assert refused(".mbox", b"") == "is empty"
    assert "its first line does not begin with" in refused(".mbox", b"hello\n")
    assert "larger than 1000 bytes" in refused(".mbox", FROM + b"Subject: a\n\n" + b"x" * 5000 + b"\n", file_bytes=1000)
    assert "one document holds more" in refused(
        ".mbox", FROM + b"Subject: a\n\n" + b"x" * 5000 + b"\n", document_bytes=1000
    )


def test_parts_within_parts_without_end_are_left_out(read):
    parts = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (k, k) for k in range(3000))
    reading = read(".mbox", FROM + parts + b"\ntext\n\n" + FROM + b"Subject: b\n\nMore\n")
    assert [each.text for each in reading.documents] == ["", "More\n"]
    assert "more than 100 parts within parts" in reading.detail("messages without text")


def test_headers_without_end_do_not_stop_the_reading(read):
    data = FROM + b"Subject: " + b"=?a?q?" * 100_000 + b"\nContent-Type: text/plain" + b";" * 500_000 + b"\n\nText\n"
    reading = read(".mbox", data)
    assert reading.one.text == ""
    assert "headers without end" in reading.detail("messages without text")


def test_headers_in_other_scripts(read):
    subject = "=?utf-8?b?0JLQvtC50L3QsA==?= =?iso-8859-1?q?_d=E9j=E0?="
    data = FROM + f"Subject: {subject}\n vu\nFrom: Müller <m@example.org>\n\nText\n".encode()
    assert read(".mbox", data).one.metadata == {"subject": "Война déjà vu", "from": "Müller <m@example.org>"}

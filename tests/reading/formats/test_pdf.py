"""PDF files, by hand, by pypdf and by Matplotlib."""

import io
import zlib

import pytest

pypdf = pytest.importorskip("pypdf")

HEX = "".join(f"<{k:02x}> <{ord(c):04x}>\n" for k, c in enumerate("Миртфи ﬁל", 1))


def pdf(*pages: str, font: str = "", info: str = "") -> bytes:
    """A PDF file with one content stream per page."""
    count = len(pages)
    kids = " ".join(f"{3 + 2 * k} 0 R" for k in range(count))
    last = 3 + 2 * count
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode()]
    for k, content in enumerate(pages):
        resources = f"/Resources << /Font << /F1 {last} 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] {resources} /Contents {4 + 2 * k} 0 R >>".encode()
        )
        stream = content.encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    unicode = f" /ToUnicode {last + 1} 0 R" if font else ""
    objects.append(
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding{unicode} >>".encode()
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
        f"{font.count(chr(10))} beginbfchar\n{font}endbfchar endcmap end"
    ).encode()
    objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap))
    objects.append(f"<< {info} >>".encode("latin-1"))
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, size - 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + trailer


def lines(*texts: str) -> str:
    return "BT /F1 12 Tf 14 TL 50 700 Td " + " ".join(f"({text}) Tj T*" for text in texts) + " ET"


def test_pages_are_joined_and_metadata_read(read):
    data = pdf(
        lines("First page."),
        lines("Second page."),
        info="/Title (A Speech) /Author (Ada) /CreationDate (D:19990501100000Z)",
    )
    found = read(".pdf", data).one
    assert found.text.split("\n") == ["First page.", "Second page."]
    assert found.name == ""
    assert found.metadata["title"] == "A Speech"
    assert found.metadata["author"] == "Ada"
    assert str(found.metadata["created"]).startswith("1999-05-01T10:00")


def test_words_cut_at_the_end_of_a_line_are_joined(read):
    reading = read(".pdf", pdf(lines("a well-known exam-", "ple of a well-", "known word")))
    assert reading.one.text.split() == ["a", "well-known", "example", "of", "a", "well-known", "word"]
    assert reading.detail("words joined") == "that were cut at the end of a line: 2 of 2"


def test_other_scripts_and_ligatures(read):
    reading = read(".pdf", pdf("BT /F1 12 Tf 50 700 Td <01020307080408> Tj ET", font=HEX))
    assert reading.one.text.strip() == "Мир fiтfi"
    assert "ligatures" in reading.kinds


def test_pages_without_text_are_named(read, refused):
    reading = read(".pdf", pdf(lines("Text"), "", lines("More"), "0 0 m 10 10 l S"))
    assert reading.detail("pages without text") == "2 of 4 pages: 2, 4"
    assert "has no text on its 2 pages" in refused(".pdf", pdf("", ""))
    assert "OCR" in refused(".pdf", pdf(""))


def encrypted(password: str, algorithm: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(lines("Secret text"))))
    writer.encrypt(password, "owner", algorithm=algorithm)
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def test_encrypted_files(read, refused):
    for algorithm in ["RC4-128", "AES-256"]:
        if algorithm == "AES-256":
            pytest.importorskip("cryptography")
        assert refused(".pdf", encrypted("secret", algorithm)) == "is encrypted; remove the password and save it again"
        assert read(".pdf", encrypted("", algorithm)).one.text.strip() == "Secret text"  # which all may read


def test_a_package_that_is_missing_for_encrypted_files_is_said(refused, monkeypatch):
    def without(*_args):
        raise pypdf.errors.DependencyError("cryptography>=3.1 is required for AES algorithm")

    data = encrypted("", "RC4-128")
    monkeypatch.setattr(pypdf.PdfReader, "decrypt", without)
    assert refused(".pdf", data) == "needs the package cryptography: pip install 'termburst[formats]'"


def test_damaged_files_get_one_sentence_or_their_text(read, refused):
    data = pdf(lines("Some text"))
    assert refused(".pdf", b"") == "is empty"
    assert "does not begin as one" in refused(".pdf", b"<html>Please log in</html>")
    assert "damaged" in refused(".pdf", data[:100])
    assert "damaged" in refused(".pdf", b"%PDF-1.4\n" + bytes(1000))
    reading = read(".pdf", data.replace(b"startxref\n", b"startxref\n9"))
    assert reading.one.text.strip() == "Some text"
    assert "repaired" in reading.kinds


@pytest.mark.slow
def test_a_stream_that_unpacks_to_gigabytes_is_refused(refused):
    packed = zlib.compress(b" " * 200_000_000, 9)
    plain = pdf(lines("x" * 40))
    body = b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed)
    start = plain.index(b"4 0 obj\n") + len(b"4 0 obj\n")
    end = plain.index(b"\nendobj", start)
    assert "damaged" in refused(".pdf", plain[:start] + body + plain[end:])


def test_the_limits(refused):
    assert "one document holds more than 100 bytes" in refused(".pdf", pdf(lines("x" * 200)), document_bytes=100)
    assert "is larger than 100 bytes" in refused(".pdf", pdf(lines("x" * 200)), file_bytes=100)


def test_a_page_that_is_its_own_parent_is_refused(refused):
    refused(".pdf", pdf(lines("x")).replace(b"/Kids [3 0 R]", b"/Kids [2 0 R]"))


@pytest.mark.slow
def test_a_file_with_embedded_fonts(read):
    figure_module = pytest.importorskip("matplotlib.figure")
    import matplotlib as mpl

    with mpl.rc_context({"pdf.fonttype": 42}):
        figure = figure_module.Figure()
        figure.text(0.1, 0.8, "Война и мир")
        figure.text(0.1, 0.5, "Ελληνικά γράμματα")
        stream = io.BytesIO()
        figure.savefig(stream, format="pdf")
    assert read(".pdf", stream.getvalue()).one.text.split() == ["Война", "и", "мир", "Ελληνικά", "γράμματα"]

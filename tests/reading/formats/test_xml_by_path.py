"""Other XML by an XPath."""

PLAYS = b"""<?xml version="1.0"?><PLAYS><PLAY id="ham" year="1603"><TITLE>Hamlet</TITLE><SPEECH>
<SPEAKER>HAMLET</SPEAKER>
<LINE>To be, or <STAGEDIR>aside</STAGEDIR> not</LINE><LINE>that is</LINE></SPEECH></PLAY>
<PLAY year="1606"><TITLE>Macbeth</TITLE>
</PLAY></PLAYS>"""


def test_without_a_path_the_sentence_helps(refused):
    sentence = refused(".xml", PLAYS)
    assert "XML of the kind <PLAYS>, which is not TEI" in sentence
    assert 'xpath="//PLAY"' in sentence
    assert "LINE (2)" in sentence


def test_matches_are_documents_and_attributes_metadata(read):
    for path in ["//PLAY", "/PLAYS/PLAY", "//PLAY[TITLE]", "PLAY"]:
        first, second = read(".xml", PLAYS, xpath=path).documents
        assert first.name == "ham"
        assert first.text == "Hamlet\nHAMLET\nTo be, or aside not\nthat is"
        assert first.metadata == {"id": "ham", "year": "1603"}
        assert (second.name, second.text) == ("2", "Macbeth")


def test_attributes_and_text_can_be_documents(read):
    assert [each.text for each in read(".xml", PLAYS, xpath="//PLAY/@year").documents] == ["1603", "1606"]
    assert [each.text for each in read(".xml", PLAYS, xpath="//TITLE/text()").documents] == ["Hamlet", "Macbeth"]


def test_a_match_inside_a_match_is_not_counted_twice(read):
    data = b"<a><d>one<d>two</d></d><d>three</d></a>"
    assert [each.text for each in read(".xml", data, xpath="//d").documents] == ["onetwo", "three"]
    reading = read(".xml", data, xpath="/a//d")
    assert [each.text for each in reading.documents] == ["onetwo", "three"]
    assert reading.kinds == ["matches inside matches"]


def test_namespaces_do_not_hide_elements(read):
    for path in ["//d", "/a/d", "//x:d", "//d[1]"]:
        data = b"<x:a xmlns:x='urn:x'><x:d>one</x:d></x:a>"
        assert read(".xml", data, xpath=path).one.text == "one"
        if ":" not in path:
            assert read(".xml", b"<a xmlns='urn:x'><d>one</d></a>", xpath=path).one.text == "one"


def test_paths_that_do_not_work_get_one_sentence(refused):
    assert 'has no match for xpath="//NOPE"' in refused(".xml", PLAYS, xpath="//NOPE")
    assert "has no match" in refused(".xml", PLAYS, xpath="/NOPE")
    assert "cannot be used" in refused(".xml", PLAYS, xpath="//[")
    assert "cannot be used" in refused(".xml", PLAYS, xpath="//no:prefix")


def test_a_path_opens_no_other_file(refused):
    assert "cannot be used" in refused(".xml", PLAYS, xpath="document('file:///etc/passwd')")


def test_entities_are_refused(refused):
    data = b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a><d>&x;</d></a>"
    assert "declares XML entities" in refused(".xml", data, xpath="//d")
    assert "declares XML entities" in refused(".xml", data)

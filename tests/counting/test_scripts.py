"""Scripts without spaces between words are noticed, with the sentence that helps."""

from termburst.counting.scripts import script_shares, unsegmented_script

CHINESE, JAPANESE, THAI = (
    "人人生而自由，在尊严和权利上",
    "すべての人間は、生まれながらにして自由",
    "มนุษย์ทั้งหลายเกิดมามีอิสระ",
)


def test_scripts_without_spaces_are_noticed():
    for text, language, cure in [
        (CHINESE, None, 'Give language="zh" (Chinese) or language="ja" (Japanese).'),
        (CHINESE, "de", 'Give language="zh"'),
        (JAPANESE, None, 'Give language="ja" (Japanese).'),
        (JAPANESE, "zh", 'Give language="ja" (Japanese).'),
        (THAI, None, 'Give language="th" (Thai).'),
        ("ມະນຸດທຸກຄົນເກີດມາ", None, "Split them into words first, and give lists of tokens."),
        ("មនុស្សទាំងអស់កើតមក", "km", "Split them into words first"),
        ("လူတိုင်းသည်", None, "Split them into words first"),
        (f"{CHINESE} and twenty words more", None, "Chinese characters: 42 % of the letters"),
    ]:
        assert cure in unsegmented_script([text], language)


def test_other_texts_need_nothing():
    for texts, language in [
        ([CHINESE], "zh"),
        ([CHINESE], "ja"),
        ([JAPANESE], "ja"),
        ([THAI], "th"),
        (["All human beings"], None),
        (["모든 인간은 태어날 때부터"], None),
        (["मानव अधिकारों"], None),
        (["a long text with one name, 北京, in it " * 5], None),
        ([], None),
        (["1 2"], None),
        ([["人人", "生而"]], None),
    ]:
        assert unsegmented_script(iter(texts), language) is None


def test_shares_of_scripts():
    assert script_shares(["Привет", "hi"]) == {"Cyrillic": 0.75, "Latin": 0.25}
    assert script_shares(["12 ?"]) == {}

"""Names of people and things, and the keys that they are known by."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.entities import LONGEST_NAME, MAX_NAMES, MAX_QUERY_WORDS, entity_key, keys_in, names_in
from engram.validation import MAX_NAME

ACCENTED = st.text("aeinotzAEINOTZàéñöžÀÉÑÖŽжЖйЙωΩ", min_size=1, max_size=12)
WORDS = st.text("abcdefghij", min_size=1, max_size=6)
NAMES = WORDS.map(str.capitalize).filter(lambda word: len(word) > 1)

# Keys


@given(st.text(st.characters(exclude_characters="'\u2019\uff07")), st.sampled_from(["", "'s", "\u2019S"]))
def test_the_key_of_a_key_is_that_key(name: str, possessive: str) -> None:
    """Taking the key twice changes nothing more."""
    key = entity_key(name + possessive)
    assert entity_key(key) == key


@given(st.text())
def test_composed_and_decomposed_spellings_have_one_key(name: str) -> None:
    """NFC and NFD of a name are the same name."""
    assert entity_key(unicodedata.normalize("NFC", name)) == entity_key(unicodedata.normalize("NFD", name))


@given(ACCENTED)
def test_case_and_accents_make_no_other_name(name: str) -> None:
    """Upper case, lower case and letters without their accents have the same key."""
    bare = "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))
    assert entity_key(name.upper()) == entity_key(name.lower()) == entity_key(bare) == entity_key(name)


@given(st.lists(WORDS, min_size=1, max_size=4), st.text(" \t\n\u00a0\u3000", min_size=1, max_size=4))
def test_white_space_makes_no_other_name(words: list[str], blank: str) -> None:
    """However the words are set apart and surrounded, the key has one space between them."""
    assert entity_key(blank + blank.join(words) + blank) == " ".join(words)


@pytest.mark.parametrize("possessive", ["Tom's", "Tom\u2019s", "TOM'S", " Tom's "])
def test_a_possessive_is_no_part_of_the_name(possessive: str) -> None:
    """What is Tom's is about Tom."""
    assert entity_key(possessive) == "tom"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Straße", "strasse"),
        ("\uff21nna", "anna"),
        ("O'Neil", "o neil"),
        ("AT&T", "at t"),
        ("user_1", "user 1"),
        ("Valentine's Day", "valentine day"),
        ("James", "james"),
        ("王芳", "王芳"),
    ],
)
def test_a_key_keeps_what_tells_names_apart(name: str, key: str) -> None:
    """Width, ß and what stands between letters are spelling; a last s and other scripts are the name."""
    assert entity_key(name) == key


# Names in a text


@given(st.text())
def test_any_text_has_a_few_names_each_once(text: str) -> None:
    """No text is refused; there are at most eight names, with different keys, none empty or overlong."""
    names = names_in(text)
    keys = [entity_key(name) for name in names]
    assert len(names) <= MAX_NAMES
    assert len(set(keys)) == len(keys)
    assert all(keys)
    assert all(len(name) <= MAX_NAME for name in names)


@given(
    first=NAMES, lower=WORDS, name=st.lists(NAMES, min_size=1, max_size=3), after=st.sampled_from(".!?:\n")
)
def test_a_run_of_capitalised_words_is_one_name(first: str, lower: str, name: list[str], after: str) -> None:
    """In the middle of a sentence it is found whole, and never with the word that begins a sentence."""
    text = f"{first} {lower} and then {' '.join(name)}{after} {first} {lower} {lower} {lower} {lower}"
    assert names_in(text) == [" ".join(name)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("In the office we all call Robert Miller Bob", ["Robert Miller", "Bob"]),
        ("These days her family calls Elizabeth Liz for short", ["Elizabeth", "Liz"]),
        ("Every week we call Anna Maria Schmidt at home", ["Anna Maria Schmidt"]),
        ("In the morning there came Robert Bob, whoever that is", ["Robert Bob"]),
    ],
)
def test_what_somebody_is_called_is_a_name_of_its_own(text: str, names: list[str]) -> None:
    """A short form behind the name of whom somebody calls so is no part of that name."""
    assert names_in(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Yesterday was fine.",
        "it rained. Then we left! Why not? Because: Tired people go home",
        "first line\nSecond line\nThird line",
        'she said "Come in" to us',
        "it was late (Very late) and cold",
        "他走了。Then they left\uff01Good for them\u2026 Well",
        "- Bread\n- Milk\n* Eggs and more of it",
    ],
)
def test_a_sentences_first_word_is_no_name(text: str) -> None:
    """It is capitalised anyway: after a stop, a line break, a quotation mark, a bracket or a bullet."""
    assert names_in(text) == []


@pytest.mark.parametrize(
    "text", ["I THINK THAT ANNA IS LATE", "The Art Of Computer Programming", "SO I SAID GO HOME"]
)
def test_shouting_and_headings_name_nobody(text: str) -> None:
    """Where most of five or more words are capitalised, capitals tell nothing."""
    assert names_in(text) == []


@pytest.mark.parametrize(
    "text", ["昨天我和王芳去了北京。", "أمس ذهبت مع سارة إلى القاهرة", "אתמול פגשתי את שרה בירושלים"]
)
def test_scripts_without_case_give_no_names(text: str) -> None:
    """Nothing in their spelling tells a name from a word."""
    assert names_in(text) == []


def test_pronouns_and_single_letters_are_no_names() -> None:
    """What is capitalised for being short, alone or before an apostrophe, names nobody."""
    assert names_in("well I think I'm sure that I\u2019ve a plan B here") == []


def test_a_comma_parts_names() -> None:
    """Names in a list are several; words that one space parts are one."""
    assert names_in("we met Anna Lee, Ben and Carla-Maria there") == ["Anna Lee", "Ben", "Carla-Maria"]


def test_a_name_comes_once_without_its_possessive() -> None:
    """The first spelling is kept, whatever case and possessive come later."""
    assert names_in("we saw Tom's dog, and then TOM and Tom himself came along") == ["Tom"]


def test_only_the_first_eight_names_count() -> None:
    """More is a list and no mention; they come in the order of the text."""
    names = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon"]
    text = "there were " + " and then also ".join(names)
    assert names_in(text) == names[:MAX_NAMES]


def test_an_overlong_name_is_left_out() -> None:
    """What could not be stored as a name is not one."""
    assert names_in(f"there was a {'A' * MAX_NAME} here") == ["A" * MAX_NAME]
    assert names_in(f"there was a {'A' * (MAX_NAME + 1)} here") == []


# Keys in a question


def test_a_name_is_found_in_a_question_in_any_case() -> None:
    """Of one to three words, with its possessive or without, in capitals or not."""
    for question in ("Who is Harry Potter's friend?", "who is harry potter\u2019s friend", "HARRY POTTER!"):
        assert {"harry", "potter", "harry potter"} <= set(keys_in(question))
    assert "jose de la" in keys_in("Who was José de la Cruz?")


@given(name=st.lists(WORDS, min_size=1, max_size=LONGEST_NAME), words=st.lists(WORDS, max_size=20))
def test_every_short_name_in_a_question_is_among_its_keys(name: list[str], words: list[str]) -> None:
    """A name of up to three words is found wherever it stands, by the key that it is stored under."""
    stored = entity_key(" ".join(name).title())
    assert stored in keys_in(" ".join([*words, *name, *words]))


@given(st.text())
def test_any_question_has_keys_each_once(question: str) -> None:
    """No question is refused; none of its keys is empty, double or of more than four words."""
    keys = keys_in(question)
    assert all(keys)
    assert len(set(keys)) == len(keys)
    assert all(len(key.split(" ")) <= LONGEST_NAME for key in keys)


def test_a_long_question_is_searched_from_its_beginning() -> None:
    """After 128 words no more keys are made, so a pasted book does not flood the database."""
    keys = keys_in(" ".join(f"w{i}" for i in range(10 * MAX_QUERY_WORDS)))
    assert len(keys) == MAX_QUERY_WORDS + (MAX_QUERY_WORDS - 1) + (MAX_QUERY_WORDS - 2) + (
        MAX_QUERY_WORDS - 3
    )
    assert f"w{MAX_QUERY_WORDS}" not in keys


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(name: str) -> None:
    """What a name is known by is known by itself, so a key can be asked for too."""
    assert entity_key(entity_key(name)) == entity_key(name)


@pytest.mark.parametrize(
    "name",
    [
        "So\u0308ren",
        "\u092a\u094d\u0930\u093f\u092f\u093e",
        "user_1",
        "J. R. Smith",
        "Lena (mum)",
        "AT&T",
        "Ana Maria da Silva",
    ],
)
def test_a_speaker_is_found_by_name_in_any_spelling(name: str) -> None:
    """Marks, initials, brackets and signs in a name do not keep a question from naming it."""
    assert entity_key(name) in keys_in(f"what did {name} say?")


def test_irish_names_are_names() -> None:
    """One letter before an apostrophe is a name where a capital follows, and I'm is none."""
    assert names_in("Then O'Neil and D'Angelo left, and I'm glad.") == ["O'Neil", "D'Angelo"]


def test_a_short_shout_names_nobody() -> None:
    """Capitals throughout are emphasis."""
    assert names_in("go AWAY NOW PLEASE") == []

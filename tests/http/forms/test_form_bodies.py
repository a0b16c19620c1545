"""Bodies of the form door: each media type becomes one plain object, or is rejected."""

import json
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.forms.submissions import BadSubmission
from svc.http.forms.bodies import MalformedBody, read_body, read_json

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=----edge"

PIECES = [
    b"------edge",
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b"--",
    b" ",
    b"x",
    b"\xff",
    b";",
    b'"',
    b"name=a",
]
PIECES += [b"Content-Disposition: form-data; name=a", b'; filename="', b"Content-Disposition:"]


def multipart(*parts: tuple[str, bytes]) -> bytes:
    """A body of *parts*, each what follows `form-data` in its header and its content."""
    head = b"------edge\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n"
    return (
        b"".join(head % (attributes.encode(), content) for attributes, content in parts) + b"------edge--\r\n"
    )


class TestJson:
    @given(
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers(-(2**63), 2**63 - 1)
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(),
            lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
            max_leaves=20,
        ),
        st.booleans(),
    )
    def test_every_json_value_is_read(self, value: Any, escaped: bool) -> None:
        """What another program writes as JSON is read as the same value, escaped or not."""
        raw = json.dumps(value, ensure_ascii=escaped).encode()

        assert value == read_json(raw)

    @given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
    def test_any_bytes_are_json_or_refused(self, raw: bytes) -> None:
        """No bytes have any result but a value or `MalformedBody`."""
        with suppress(MalformedBody):
            read_json(raw)

    @given(st.text('[]{}",:\\ntrue01e', max_size=120).map(str.encode))
    def test_what_looks_like_json_is_json_or_refused(self, raw: bytes) -> None:
        """Text made of JSON's own characters is read as another parser reads it, or refused."""
        try:
            value = read_json(raw)
        except MalformedBody:
            return

        assert json.loads(raw) == value

    @pytest.mark.parametrize(
        "raw",
        [
            *(
                b"",
                b" ",
                b"{",
                b"{'f': 1}",
                b"{f: 1}",
                b'{"f": 1,}',
                b"[1,]",
                b"01",
                b"1.",
                b".5",
                b"+1",
                b"0x10",
            ),
            *(
                b"nul",
                b"True",
                b'"',
                b'"\n"',
                b'"\x00"',
                b'"\\x"',
                b'"\\u12"',
                b"{} {}",
                b"// x\n{}",
                b"\x0c{}",
            ),
            *(b"NaN", b"Infinity", b"-Infinity", b'{"v": {"n": NaN}}', b"1e999", b"-1e999", b"[[[1e400]]]"),
            *(
                b"9223372036854775808",
                b"-9223372036854775809",
                b"1" * 5_000,
                b'{"x": ' + b"9" * 60_000 + b"}",
            ),
            *(b'{"a": 1, "a": 1}', b'{"v": {"a": 1, "\\u0061": 2}}', b'[[{"x": {"a": 1, "a": 2}}]]'),
            *(b'"\xff"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xe4"', '{"f": "ü"}'.encode("latin-1")),
            *('{"f": 1}'.encode("utf-16"), '{"f": 1}'.encode("utf-16-le"), '{"f": 1}'.encode("utf-32")),
            *(
                b"[" * 64_000,
                b'{"a":' * 12_000,
                b"[" * 33 + b"]" * 33,
                b'{"a":[' * 17 + b"]}" * 17,
                b"[" * 32,
            ),
        ],
    )
    def test_what_is_not_strict_json_is_rejected(self, raw: bytes) -> None:
        """Wrong grammar or encoding, a name twice, numbers out of range and deep nesting are rejected."""
        with pytest.raises(MalformedBody):
            read_json(raw)

    @pytest.mark.parametrize(
        ("raw", "value"),
        [
            (b"9223372036854775807", 2**63 - 1),
            (b"-9223372036854775808", -(2**63)),
            (b"1e308", 1e308),
            (b"1e-999", 0.0),
            (b'"\\u0000\\ud800"', "\x00\ud800"),
            (b'"\\ud83d\\ude00"', "\U0001f600"),
            (b'\xef\xbb\xbf{"f": "x"}', {"f": "x"}),
            (b' \r\n\t{"f":"x"} ', {"f": "x"}),
            (b"[" * 32 + b"]" * 32, json.loads(b"[" * 32 + b"]" * 32)),
            (b'["' + b"[{" * 30_000 + b'"]', ["[{" * 30_000]),
            (b'["\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\\\\", []]', ['"' + "[" * 38, "\\", []]),
            (b"[" + b"[]," * 100 + b"[]]", [[]] * 101),
        ],
    )
    def test_what_is_strict_json_is_read(self, raw: bytes, value: object) -> None:
        """Limits are inclusive, a byte order mark is skipped, and brackets in strings are no nesting."""
        assert value == read_json(raw)


class TestMediaTypes:
    @pytest.mark.parametrize(
        "content_type",
        [
            *(
                None,
                "",
                "application/json",
                "text/plain",
                "Application/JSON",
                "application/json; charset=utf-8",
            ),
            *(
                "text/plain;charset=UTF-8",
                'application/json; charset="Utf8"',
                "text/plain; format=flowed",
                ";;",
            ),
        ],
    )
    def test_json_comes_under_several_names(self, content_type: str | None) -> None:
        """JSON is read as such, as plain text (which browsers send unasked) and without a type."""
        assert {"f": "x"} == read_body(b'{"f": "x"}', content_type)

    @pytest.mark.parametrize(
        "content_type",
        [
            *(
                "text/html",
                "application/xml",
                "application/octet-stream",
                "json",
                "/",
                "multipart/mixed; boundary=x",
            ),
            *(
                "application/json; charset=latin-1",
                "text/plain; charset=utf-16",
                "application/json; charset=nonsense",
            ),
            *(URLENCODED + "; charset=windows-1252", "multipart/form-data", "multipart/form-data; boundary="),
            *("multipart/form-data; boundary=ü", "multipart/form-data; boundary=" + "x" * 71),
        ],
    )
    def test_other_types_and_charsets_are_rejected(self, content_type: str) -> None:
        """A type that no form is sent in, another charset than UTF-8 or a missing boundary is rejected."""
        with pytest.raises(MalformedBody):
            read_body(b'{"f": "x"}', content_type)

    @given(st.text(max_size=60), st.binary(max_size=60))
    def test_any_type_is_read_or_refused(self, content_type: str, raw: bytes) -> None:
        """No media type, however mangled, has any result but a value or `MalformedBody`."""
        for header in (
            content_type,
            f"multipart/form-data; {content_type}",
            f"application/json;{content_type}",
        ):
            with suppress(MalformedBody):
                read_body(raw, header)


class TestForms:
    def test_the_fields_of_a_plain_form_become_v(self) -> None:
        """Field names become `v`, and the field named `f` is the form key."""
        raw = b"f=svcf_x&name=Anna+P&email=anna%40example.com&note=a%0D%0Ab&empty=&bare"

        assert {
            "f": "svcf_x",
            "v": {"name": "Anna P", "email": "anna@example.com", "note": "a\r\nb", "empty": "", "bare": ""},
        } == read_body(raw, URLENCODED)

    def test_without_a_field_f_the_address_names_the_form(self) -> None:
        """The key in the address counts where the body has none, and only there."""
        assert {"f": "svcf_q", "v": {"a": "1"}} == read_body(b"a=1", URLENCODED, "svcf_q")
        assert {"f": "svcf_b", "v": {"a": "1"}} == read_body(b"a=1&f=svcf_b", URLENCODED, "svcf_q")
        assert {"v": {"a": "1"}} == read_body(b"a=1", URLENCODED)
        assert {"f": "svcf_q", "v": {"a": "1"}} == read_body(multipart(("name=a", b"1")), MULTIPART, "svcf_q")
        assert {"v": {}} == read_body(b'{"v": {}}', None, "svcf_q")

    def test_the_values_of_a_repeated_name_are_joined(self) -> None:
        """Ticked boxes of one name become one value with commas, empty ones left out."""
        assert {"f": "k", "v": {"topic": "a, b", "x": ""}} == read_body(
            b"topic=a&f=k&topic=&x=&topic=b&x=", URLENCODED
        )

    def test_two_form_keys_are_rejected(self) -> None:
        """A form that names two forms is sent to none; naming one twice is naming it."""
        assert {"f": "k", "v": {}} == read_body(b"f=k&f=k", URLENCODED)
        with pytest.raises(MalformedBody):
            read_body(b"f=k&f=l", URLENCODED)

    @given(st.dictionaries(st.text(min_size=1).filter(lambda name: name != "f"), st.text(), max_size=8))
    def test_every_character_comes_through(self, fields: dict[str, str]) -> None:
        """What a browser url-encodes arrives as it was typed."""
        assert {"f": "k", "v": fields} == read_body(urlencode({**fields, "f": "k"}).encode(), URLENCODED)

    @pytest.mark.parametrize("raw", [b"a=%ff", b"a=\xff", b"a=%ED%A0%80", b"&".join([b"a=1"] * 1_001)])
    def test_what_is_not_utf_8_or_has_too_many_parts_is_rejected(self, raw: bytes) -> None:
        """Bytes that are no UTF-8, percent-encoded or bare, and more than 1,000 pairs are rejected."""
        with pytest.raises(MalformedBody):
            read_body(raw, URLENCODED)


class TestMultipart:
    def test_fields_are_read(self) -> None:
        """Fields of every size arrive as typed, a repeated name joined, `f` apart."""
        raw = multipart(
            ('name="f"', b"svcf_x"),
            ('name="message"', "Grüße\r\n--\r\n----edge".encode()),
            ('name="topic"', b"a"),
            ('name="topic"', b"b"),
            ('name="say %22hi%22"', b""),
        )

        assert {
            "f": "svcf_x",
            "v": {"message": "Grüße\r\n--\r\n----edge", "topic": "a, b", 'say "hi"': ""},
        } == read_body(raw, MULTIPART)

    def test_an_empty_file_input_is_left_out(self) -> None:
        """A file input without a chosen file is ignored."""
        raw = multipart(('name="a"', b"1"), ('name="cv"; filename=""', b""))

        assert {"v": {"a": "1"}} == read_body(raw, MULTIPART)

    @pytest.mark.parametrize("name", ['name="cv"; filename="cv.pdf"', 'name="cv"; filename=""'])
    def test_a_file_with_content_is_a_fault_of_its_field(self, name: str) -> None:
        """Whatever its own name is; a name of a field that is too long is not repeated."""
        for field, fields in ((name, {"cv": "file"}), (name.replace("cv", "c" * 65, 1), {})):
            with pytest.raises(BadSubmission) as caught:
                read_body(multipart(('name="a"', b"1"), (field, b"%PDF")), MULTIPART)

            assert ("shape", fields) == (caught.value.reason, caught.value.fields)

    @pytest.mark.parametrize(
        "raw",
        [
            multipart(("x=1", b"no name")),
            multipart(('name="a"', b"\xff")),
            multipart(*[('name="a"', b"")] * 1_001),
            multipart(('name="a"', b"1"))[:-10],
            b"------edge\r\nContent-Type: text/plain\r\n\r\n1\r\n------edge--\r\n",
            b"------edge\r\n\xff: x\r\n\r\n1\r\n------edge--\r\n",
            b"",
            b"a=1",
        ],
    )
    def test_broken_bodies_are_rejected(self, raw: bytes) -> None:
        """A part without a name, bad UTF-8, too many parts or a cut body is rejected."""
        with pytest.raises(MalformedBody):
            read_body(raw, MULTIPART)

    @given(
        st.lists(
            st.sampled_from(PIECES),
            max_size=30,
        ).map(b"".join)
    )
    def test_any_parts_are_read_or_refused(self, raw: bytes) -> None:
        """However the pieces of such a body are shuffled, it is read or refused."""
        with suppress(MalformedBody, BadSubmission):
            read_body(raw, MULTIPART)

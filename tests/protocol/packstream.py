"""As much of PackStream, Bolt's encoding, as a test needs to read requests and to answer a few of them."""

import struct
from typing import Any


def encode(value: Any) -> bytes:
    """Return a string, integer, list or map, encoded."""
    match value:
        case str():
            data = value.encode()
            return b"\xd1" + struct.pack(">H", len(data)) + data
        case int():
            return b"\xcb" + struct.pack(">q", value)
        case list():
            return b"\xd5" + struct.pack(">H", len(value)) + b"".join(map(encode, value))
        case dict():
            pairs = b"".join(encode(key) + encode(each) for key, each in value.items())
            return b"\xd9" + struct.pack(">H", len(value)) + pairs
        case _:
            raise TypeError(type(value))


def message(signature: int, *fields: Any) -> bytes:
    """Return a message, framed."""
    data = bytes([0xB0 + len(fields), signature]) + b"".join(map(encode, fields))
    return struct.pack(">H", len(data)) + data + b"\x00\x00"


def decode(data: bytes) -> tuple[int, list[Any]]:
    """Return the signature and the fields of a message without its frame."""
    reader = _Reader(data, 2)
    return data[1], [reader.value() for _ in range(data[0] & 0x0F)]


class _Reader:
    """Reads value by value."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def value(self) -> Any:  # noqa: C901  (one case a type)
        """Read one value."""
        mark = self._take(1)[0]
        match mark:
            case _ if mark < 0x80:
                return mark
            case _ if mark >= 0xF0:
                return mark - 0x100
            case _ if mark < 0x90:
                return self._text(mark & 0x0F)
            case _ if mark < 0xA0:
                return self._list(mark & 0x0F)
            case _ if mark < 0xB0:
                return self._map(mark & 0x0F)
            case _ if mark < 0xC0:
                return (self._take(1)[0], self._list(mark & 0x0F))
            case 0xC0 | 0xC2 | 0xC3:
                return {0xC0: None, 0xC2: False, 0xC3: True}[mark]
            case 0xC1:
                return self._number(">d", 8)
            case _ if mark < 0xCC:
                return self._number(
                    {0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q"}[mark], 1 << (mark - 0xC8)
                )
            case _ if mark < 0xCF:
                return self._take(self._size(mark - 0xCC))
            case _ if mark < 0xD3:
                return self._text(self._size(mark - 0xD0))
            case _ if mark < 0xD7:
                return self._list(self._size(mark - 0xD4))
            case _:
                return self._map(self._size(mark - 0xD8))

    def _take(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def _number(self, form: str, count: int) -> Any:
        return struct.unpack(form, self._take(count))[0]

    def _size(self, step: int) -> int:
        return int.from_bytes(self._take(1 << step), "big")

    def _text(self, count: int) -> str:
        return self._take(count).decode()

    def _list(self, count: int) -> list[Any]:
        return [self.value() for _ in range(count)]

    def _map(self, count: int) -> dict[str, Any]:
        return {str(self.value()): self.value() for _ in range(count)}

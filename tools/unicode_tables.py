#!/usr/bin/env python3
"""Writes src/text/unicode_tables.inc: which code points are letters (L*), numbers (N*) and white space.

usage: tools/unicode_tables.py > src/text/unicode_tables.inc

The tables are the product's own, so that one text has one tokenisation whatever library or system reads it. They change only when
somebody runs this with another version, which changes every tokenizer's digest. Needs `pip install unicodedata2==16.0.0`
(or a Python whose own unicodedata is of that version).
"""
import sys

VERSION = "16.0.0"
BLOCK = 128
# White_Space of PropList.txt: what \s means to Oniguruma, Rust and Python's regex. Unchanged since Unicode 6.3.
WHITE_SPACE = {*range(0x9, 0xE), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}


def database():
    try:
        import unicodedata2 as data
    except ImportError:
        import unicodedata as data
    if data.unidata_version != VERSION:
        sys.exit(f"unicode data {data.unidata_version} (the tables are of {VERSION}) pip install unicodedata2=={VERSION}")
    return data


def class_of(data, point):
    if point in WHITE_SPACE:
        return 3
    return {"L": 1, "N": 2}.get(data.category(chr(point))[0], 0)


def words_of(block):
    """Two bits a code point, 32 of them a word, the first in the lowest bits."""
    return tuple(sum(value << 2 * i for i, value in enumerate(block[at : at + 32])) for at in range(0, BLOCK, 32))


def listing(values, per_line):
    return "\n".join("    " + " ".join(values[at : at + per_line]) for at in range(0, len(values), per_line))


def main():
    data = database()
    classes = [class_of(data, point) for point in range(0x110000)]
    limit = -(-max(point for point in range(0x110000) if classes[point]) // BLOCK) * BLOCK
    numbers, order = {}, []
    for at in range(0, limit, BLOCK):
        words = words_of(classes[at : at + BLOCK])
        order.append(numbers.setdefault(words, len(numbers)))
    assert len(numbers) <= 256
    print(f"// Made by tools/unicode_tables.py from Unicode {VERSION}. Not to be edited.")
    print(f'constexpr char unicode_tables_version[] = "{VERSION}";')
    print(f"constexpr char32_t first_point_beyond_tables = 0x{limit:X};   // and all after it are of class other")
    print("// Block of 128 code points -> its row in class_rows.")
    print(f"constexpr unsigned char row_of_block[{len(order)}] = {{\n{listing([f'{row},' for row in order], 32)}}};")
    print("// Two bits a code point: 0 other, 1 letter, 2 number, 3 white space.")
    rows = [f"0x{word:016X}," for words in numbers for word in words]
    print(f"constexpr unsigned long long class_rows[{len(numbers)}][4] = {{\n{listing([('{' + r if i % 4 == 0 else r[:-1] + '},' if i % 4 == 3 else r) for i, r in enumerate(rows)], 4)}}};")


main()

"""Draws phone numbers, and prints what the library phonenumbers says about each: the number, its country, and its kind.

Of each region, type and length some numbers are drawn from the library's patterns, and each is changed a little: the
library says what has become of it. Numbers of no kind that gets codes have a hyphen.

    draw-numbers.py SEED HOW_MANY
"""
import random
import sys
from re import _parser

import phonenumbers
from phonenumbers import PhoneMetadata, PhoneNumber, PhoneNumberType
from phonenumbers.phonenumberutil import COUNTRY_CODE_TO_REGION_CODE

KINDS = {
    PhoneNumberType.MOBILE: "mobile", PhoneNumberType.FIXED_LINE_OR_MOBILE: "mobile",
    PhoneNumberType.FIXED_LINE: "fixed", PhoneNumberType.VOIP: "voip",
}
TYPES = (
    "general_desc", "fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "personal_number", "voip",
    "pager", "uan", "voicemail")
DIGITS = "0123456789"


def drawn(items):
    """A text that a parsed pattern matches."""
    return "".join(drawn_item(*item) for item in items)


def drawn_item(kind, value):
    name = str(kind)
    if name == "LITERAL":
        return chr(value)
    if name == "IN":
        return drawn_item(*random.choice(value))
    if name == "RANGE":
        return chr(random.randint(*value))
    if name == "CATEGORY":
        return random.choice(DIGITS)
    if name == "BRANCH":
        return drawn(random.choice(value[1]))
    if name == "SUBPATTERN":
        return drawn(value[-1])
    if name == "MAX_REPEAT":
        least, most, item = value
        return "".join(drawn(item) for _ in range(random.randint(least, most)))
    raise ValueError(name)


def with_nine(code, number):
    """Argentine and Brazilian mobile numbers are one number with and without their 9."""
    if len(number) != 10 or code not in (54, 55) or (code == 55 and kind_of(code, number) == "fixed"):
        return number
    place = 0 if code == 54 else 2
    complete = number[:place] + "9" + number[place:]
    return complete if kind_of(code, complete) == "mobile" else number


def parsed(code, number):
    zeros = len(number) - len(number.lstrip("0"))
    return PhoneNumber(
        country_code=code, national_number=int(number), italian_leading_zero=zeros > 0 or None,
        number_of_leading_zeros=zeros if zeros > 1 else None)


def kind_of(code, number):
    return KINDS.get(phonenumbers.number_type(parsed(code, number)))


def answer(code, number):
    complete = with_nine(code, number)
    kind = kind_of(code, complete)
    country = phonenumbers.region_code_for_number(parsed(code, complete)) if kind else "-"
    return f"+{code}{number} {country} {kind or '-'}"


def variants(number):
    place = random.randrange(len(number))
    yield number
    yield number[:place] + random.choice(DIGITS) + number[place + 1:]
    yield number + random.choice(DIGITS)
    yield number[:-1]
    yield number[:place] + number[place + 1:]


def numbers(code, regions, count):
    for region in regions:
        metadata = PhoneMetadata.metadata_for_region(region)
        for name in TYPES:
            description = getattr(metadata, name)
            if description is None or not description.national_number_pattern:
                continue
            pattern = _parser.parse(description.national_number_pattern)
            for _ in range(count * max(len(description.possible_length), 1)):
                yield from variants(drawn(pattern))
    for length in range(4, 14):
        for _ in range(count):
            yield "".join(random.choice(DIGITS) for _ in range(length))


def main():
    random.seed(int(sys.argv[1]))
    for code, regions in COUNTRY_CODE_TO_REGION_CODE.items():
        if regions == ("001",):
            print(f"+{code}12345678 - -")
            continue
        for number in sorted(set(numbers(code, regions, int(sys.argv[2])))):
            if number.strip("0") and 4 <= len(number) <= 15 - len(str(code)):
                print(answer(code, number))


main()

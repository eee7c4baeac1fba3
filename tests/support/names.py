"""Names of people, good ones and others, and those that are one and the same."""

# ruff: noqa: RUF001  it is about letters that look alike

GOOD = {
    "plain": "Ann",
    "an apostrophe": "O'Neill",
    "a typographic apostrophe": "O’Neill",
    "marks": "Nguyễn Thị Minh Khai",
    "a decomposed mark": "Zoe\u0301",
    "a stroke": "Łukasz",
    "Cyrillic": "Оха",
    "Sinhala with a joiner": "ශ්\u200dරී",
    "Devanagari with a joiner": "क्\u200dष",
    "Persian with a non-joiner": "می\u200cخواهم",
    "Hebrew": "יעל",
    "a chosen form of a character": "葛\U000e0100城",
    "an emoji of several": "👩\u200d🚀 Zoe",
    "an emoji with a selector": "❤\ufe0f",
    "a keycap": "1\ufe0f\u20e3",
    "a flag of tags": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "what looks like an encoded word": "=?utf-8?Q?Ann=0A?=",
}

NOT_GOOD = {
    "nothing": "",
    "a space": " ",
    "a space at an end": "Ann ",
    "65 letters": "A" * 65,
    "a line break": "An\nn",
    "a direction override": "An\u202en",
    "a zero-width space": "An\u200bn",
    "a joiner where nothing joins": "An\u200dn",
    "a non-joiner where nothing joins": "An\u200cn",
    "a joiner at the end": "क्\u200d",
    "a joiner alone": "\u200d",
    "a joiner between emoji that are none together": "👩\u200d👻\u200d🚀",
    "tags": "Ann\U000e0041",
    "nothing to be seen": "\u3164",
    "two alphabets in a word": "Аnn",
}

SAME = {
    "case": ("Ann", "aNN"),
    "full width": ("Ann", "Ａnn"),
    "Cyrillic": ("Oxa", "Оха"),
    "Greek": ("TOM", "ΤΟΜ"),
    "a capital I for an l": ("Ian", "lan"),
    "a one for an l": ("Player l", "Player 1"),
    "a joiner": ("ශ්\u200dරී", "ශ්රී"),
    "an apostrophe": ("O'Neill", "O’Neill"),
    "spaces": ("Ann Lee", "Ann  Lee"),
    "composed": ("Zoé", "Zoe\u0301"),
    "mathematical letters": ("Ann", "𝐀𝐧𝐧"),
    "a ligature": ("Steffi", "Steﬃ"),
    "a selector": ("❤\ufe0f", "❤"),
    "nothing in between": ("Ann", "An\u3164n"),
}

DIFFERENT = [("Ann", "Anna"), ("Ian", "Lan"), ("Ali", "All"), ("Jo", "Jö"), ("Łukasz", "Lukasz")]

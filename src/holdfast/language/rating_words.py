"""The words that tell a rating from a count, in English and German, without apostrophes."""

from __future__ import annotations

OUT_OF = ("/", "out of ", "von ", "of ", "auf ")
# What leads to a rating and says nothing else.
GIVING = frozenset(
    (
        *("rating", "rate", "rated", "give", "gave", "giving"),
        *("bewertung", "bewerte", "gebe", "geb", "gib", "vergebe"),
    )
)
LEADS = GIVING | frozenset(
    (
        *(
            "my",
            "is",
            "id",
            "ill",
            "i",
            "would",
            "will",
            "have",
            "to",
            "say",
            "this",
            "that",
            "thats",
            "it",
            "its",
            "a",
        ),
        *(
            "an",
            "the",
            "you",
            "your",
            "work",
            "job",
            "answer",
            "session",
            "result",
            "overall",
            "solid",
            "easy",
            "easily",
        ),
        *("ok", "okay", "well", "hmm", "so", "far", "about", "maybe", "was", "score", "strong", "like", "only", "just"),
        *("ich", "wuerde", "würde", "sage", "dem", "der", "das", "dir", "dafür", "eine", "ne", "ist", "war", "meine"),
        *("insgesamt", "arbeit", "antwort", "ergebnis", "für", "die", "diese", "glatte", "klare", "solide", "heute"),
        *("today", "for", "honestly", "ehrlich"),
    )
)
# What may follow such a number without a mark between.
GOING_ON = frozenset(
    (
        *("from", "but", "because", "since", "thanks", "thank", "would", "overall", "if", "just"),
        *("von", "aber", "weil", "da", "danke", "wegen", "insgesamt", "diesmal", "today", "heute", "you", "i"),
        *("this", "that", "very", "really", "not", "only", "nur", "it"),
    )
)
# What cannot be counted when it follows a number at the beginning of a message.
NEVER_COUNTED = frozenset(
    (
        *("but", "because", "since", "thanks", "thank", "you", "your", "youre"),
        *("aber", "weil", "danke", "du", "dein", "deine", "leider", "unfortunately", "sadly", "although"),
    )
)
# A whole comment of these words is a verdict, where one of VERDICTS is among them.
VERDICTS = frozenset(
    (
        *("good", "great", "nice", "perfect", "excellent", "amazing", "awesome", "brilliant", "fantastic", "solid"),
        *("terrible", "awful", "bad", "poor", "horrible", "useless", "disappointing", "sloppy", "meh", "okay", "ok"),
        *("decent", "fine", "wow", "lovely", "impressive", "impressed", "disappointed", "wrong", "clean", "quick"),
        *(
            "gut",
            "super",
            "toll",
            "klasse",
            "perfekt",
            "prima",
            "schlecht",
            "mies",
            "miserabel",
            "furchtbar",
            "schwach",
        ),
        *("spitze", "stark", "ordentlich", "enttäuschend", "katastrophe", "genial", "hervorragend", "sauber"),
    )
)
JUDGING = VERDICTS | frozenset(
    (
        *("work", "job", "very", "really", "so", "far", "not", "too", "quite", "pretty", "and", "well", "done", "but"),
        *("enough", "today", "overall", "this", "time", "thanks", "absolutely", "just", "still", "slow", "fast"),
        *("sehr", "echt", "wirklich", "nicht", "zu", "ganz", "und", "arbeit", "gemacht", "danke", "heute", "einfach"),
    )
)
# What there are so many of, or so long: behind a number or a comma it is a count.
COUNTED = frozenset(
    (
        *(
            "items",
            "things",
            "steps",
            "files",
            "lines",
            "bugs",
            "issues",
            "errors",
            "times",
            "minutes",
            "hours",
            "days",
        ),
        *(
            "seconds",
            "percent",
            "tests",
            "cores",
            "weeks",
            "week",
            "months",
            "month",
            "years",
            "year",
            "mb",
            "gb",
            "ms",
        ),
        *("commits", "options", "points", "users", "workers", "threads", "retries", "failures", "warnings", "rows"),
        *("stars", "of", "in", "at", "to", "the", "a", "an", "left", "more", "other", "others", "morning", "evening"),
        *("dateien", "zeilen", "fehler", "minuten", "stunden", "tage", "sekunden", "schritte", "mal", "prozent"),
        *("woche", "wochen", "jahr", "jahre", "monat", "monate", "uhr", "stück"),
    )
)
# How a person begins who chooses or goes on, and judges nothing.
CHOOSING = frozenset(
    (
        *("please", "yes", "yeah", "yep", "no", "ok", "okay", "and", "or", "then", "go", "do", "use", "lets", "let"),
        *("with", "first", "option", "sounds", "sure", "make", "add", "run", "fix", "try", "keep", "take", "same"),
        *("bitte", "ja", "nein", "und", "oder", "dann", "nimm", "mach", "mit", "zuerst", "erst", "gerne", "passt"),
        *("remove", "delete", "write", "change", "create", "update", "check", "skip", "continue", "show", "explain"),
    )
)
# What a numbered offer is called.
OFFERS = frozenset(
    (
        *("option", "choice", "variant", "approach", "plan", "alternative", "step", "variante", "möglichkeit"),
        *("vorschlag", "schritt", "ansatz"),
    )
)
ASKS_FOR_RATING = frozenset(("rate", "rating", "score", "bewerten", "bewertung", "bewertest", "scale", "skala"))
# What a rating that an agent asks for is about.
THE_WORK = frozenset(
    (
        *("it", "i", "me", "session", "work", "result", "this", "satisfied", "happy", "answer", "help", "today"),
        *("ich", "zufrieden", "ergebnis", "arbeit", "sitzung", "antwort", "heute"),
    )
)
# How an agent asks for a number without a question mark.
ASKS_FOR_NUMBER = frozenset(("number", "choose", "pick", "select", "nummer", "zahl", "wähle"))
HOW_MANY = (["how", "many"], ["wie", "viele"])
# Words in a comment that say what else the number is.
SO_MANY = (["so", "many"], ["so", "viele"])
OTHER_NUMBERS = frozenset(("number", "count", "score", "anzahl", "zahl", "note"))
# What makes a clause of a comment that begins with a number.
JOINING = frozenset(("and", "but", "else", "otherwise", "und", "aber", "sonst"))

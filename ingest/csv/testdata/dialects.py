#!/usr/bin/env python3
"""Writes dialects.json: texts in a hundred dialects, and what pandas reads in each.

    python3 dialects.py [SEED] > dialects.json

Each text is a frame as a writer writes it (pandas, R, a spreadsheet) with some of the oddities below. pandas reads the
same bytes, with the arguments that the oddity needs; "options" are ours for it. Values are numbers, booleans, text or null.
"""
import base64, io, json, math, random, sys

import pandas as pd

seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
rng = random.Random(seed)
ROWS = 8


def number(kind):
    if kind == "float":
        return repr(round(rng.uniform(-9, 9), 3) + 0.0005)
    if kind == "int":
        return str(rng.randrange(100))
    if kind == "bool":
        return rng.choice(["True", "False"])
    return rng.choice(["red", "green", "light blue", "öl", "it's", "a-b"])


def frame():
    kinds = rng.choice([["float"] * 4, ["float"] * 4, ["int", "float", "float"], ["int"] * 4,
                        ["float", "text", "int", "float"], ["text", "float", "float", "bool"], ["float"] * 9])
    return kinds, [[number(k) for k in kinds] for _ in range(ROWS)]


def names(n, kind):
    if kind == "plain":
        return ["abcdefghij"[i] for i in range(n)]
    if kind == "count":
        return [str(i) for i in range(n)]
    if kind == "one":
        return [str(i + 1) for i in range(n)]
    if kind == "years":
        return [str(2001 + i) for i in range(n)]
    if kind == "genes":
        return ["gene_%d" % (i + 1) for i in range(n)]
    return ["x %d" % i for i in range(n)]


def quoted(f, q='"'):
    return q + f.replace(q, q + q) + q


def case(i):
    kinds, rows = frame()
    n = len(kinds)
    sep = rng.choice([",", ",", ",", ";", "\t", "|"])
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    head = rng.choice(["plain", "plain", "count", "one", "years", "genes", "spaces", "none"])
    if head in ("count", "one", "years", "none") and "float" not in kinds:
        head = "plain"
    if head == "years" and kinds != ["float"] * n:
        head = "plain"
    if head in ("count", "one") and n < 3:
        head = "plain"
    if head == "none" and kinds[0] in ("text", "bool"):
        head = "plain"
    args, options, odd = {"sep": sep}, {}, [head]
    header = None if head == "none" else names(n, head)
    if header is None:
        args["header"] = None
    quoting = rng.choice(["no", "no", "names", "text", "all"])
    index = rng.choice(["no", "no", "no", "pandas", "r", "named"])
    if header is None:
        index = "no"
    drop = 0  # columns that are set aside
    body = []
    for r, row in enumerate(rows):
        row = list(row)
        for k in range(n):
            if quoting == "all" or quoting == "text" and kinds[k] in ("text",):
                row[k] = quoted(row[k])
        if index == "pandas":
            row.insert(0, str(r))
        if index == "r":
            row.insert(0, quoted(str(r + 1)) if quoting != "no" else str(r + 1))
        if index == "named":
            row.insert(0, quoted("r%d" % r) if quoting in ("text", "all") else "r%d" % r)
        body.append(row)
    if header is not None:
        header = [quoted(h) if quoting in ("names", "all", "text") else h for h in header]
        if index == "pandas":
            header.insert(0, "")
            args["index_col"] = 0
        if index in ("r", "named"):
            if rng.random() < 0.5:
                header.insert(0, '""')
                args["index_col"] = 0
        if index != "no":
            odd.append("index " + index)
    # Oddities, two of them at most.
    for oddity in rng.sample(ODDITIES, rng.choice([0, 1, 1, 2])):
        if oddity.__name__ in args.get("_not", ()):
            continue
        state = dict(kinds=kinds, body=body, header=header, sep=sep, end=end, args=args, options=options, index=index, quoting=quoting)
        if oddity(state) is False:
            continue
        sep, end, header = state["sep"], state["end"], state["header"]
        odd.append(oddity.__name__)
    lines = ([] if header is None else [header]) + body
    lines = [sep.join(row) for row in lines]
    post = args.pop("_post", [])
    for f in args.pop("_lines", []):
        lines = f(lines)
    text = end.join(lines) + end
    for f in post:
        text = f(text, end)
    encode = args.pop("_encode", None)
    raw = text.encode("utf-8") if encode is None else encode(text)
    args.pop("_not", None)
    pandas_raw = args.pop("_pandas", lambda b: b)(raw)
    aside = args.pop("_aside", 0)
    d = pd.read_csv(io.BytesIO(pandas_raw), **args)
    if aside:
        d = d.iloc[:, :-1]
    columns = [str(c) for c in d.columns]
    values = [[value(v) for v in row] for row in d.itertuples(index=False)]
    return dict(name="%d: %s, %r, %r, quotes %s" % (i, ", ".join(odd), sep, end, quoting), text=base64.b64encode(raw).decode(),
                options=options, columns=columns if head != "none" else None, values=values, header=head != "none")


def value(v):
    if v is None or isinstance(v, float) and math.isnan(v):
        return None
    if isinstance(v, str):
        return v
    if hasattr(v, "item"):
        v = v.item()
    return v


def trailing_separator(s):
    if s["index"] != "no" and "index_col" not in s["args"]:
        return False  # R writes none
    if s["header"] is not None:
        s["header"] = s["header"] + [""]
    for row in s["body"]:
        row.append("")
    s["args"]["_aside"] = 1


def comments(s):
    mark = rng.choice(["#", "#", "%"])
    s["args"]["_lines"] = s["args"].get("_lines", []) + [lambda ls: [mark + " exported", mark + " by a program, 2024"] + ls]
    s["args"]["skiprows"] = s["args"].get("skiprows", 0) + 2
    s["args"]["_not"] = ("title",)


def title(s):
    if s["header"] is None or s["end"] == "\r" or "comments" in s["args"].get("_not", ()):
        return False
    s["args"]["_lines"] = s["args"].get("_lines", []) + [lambda ls: ["Report of May", ""] + ls]
    s["args"]["skiprows"] = s["args"].get("skiprows", 0) + 2
    s["args"]["_not"] = ("comments",)


def blank_end(s):
    s["args"]["_post"] = s["args"].get("_post", []) + [lambda t, e: t + rng.choice([e, "   " + e, e + e + " "])]


def control_z(s):
    s["args"]["_post"] = s["args"].get("_post", []) + [lambda t, e: t + "\x1a"]
    s["args"]["_pandas"] = lambda b: b.rstrip(b"\x1a")
    s["args"]["_not"] = ("blank_end", "utf16")


def no_end(s):
    s["args"]["_post"] = s["args"].get("_post", []) + [lambda t, e: t.rstrip("\r\n ")]
    s["args"]["_not"] = ("blank_end",)


def blank_lines(s):
    s["args"]["_lines"] = s["args"].get("_lines", []) + [lambda ls: ls[:4] + [""] + ls[4:6] + ["  "] + ls[6:]]


def missing(s):
    word = rng.choice(["", "NA", "NaN", "-nan", "null", "None", "#N/A", "<NA>", "N/A", "n/a"])
    k = len(s["body"][0]) - 1
    if s["kinds"][-1] != "float" or "_aside" in s["args"]:
        return False
    for r in (1, 4):
        s["body"][r][k] = word


def said_missing(s):
    word = rng.choice([".", "\\N", "-999", "missing"])
    if s["kinds"][-1] != "float" or "_aside" in s["args"]:
        return False
    for r in (2, 5):
        s["body"][r][len(s["body"][0]) - 1] = word
    s["args"]["na_values"] = [word]
    s["options"]["missing"] = [word]


def bare_quotes(s):
    if "text" not in s["kinds"] or s["quoting"] != "no":
        return False
    k = s["kinds"].index("text") + len(s["body"][0]) - len(s["kinds"])
    for row in s["body"]:
        row[k] = "5' " + str(rng.randrange(9)) + '"'
    s["args"]["_not"] = ("backslash", "trailing_separator")


def doubled_quotes(s):
    if "text" not in s["kinds"] or s["quoting"] not in ("text", "all"):
        return False
    k = s["kinds"].index("text") + len(s["body"][0]) - len(s["kinds"])
    for row in s["body"]:
        row[k] = quoted('the "' + str(rng.randrange(9)) + '" ' + s["sep"] + " one")


def backslash(s):
    if "text" not in s["kinds"] or s["quoting"] not in ("text", "all"):
        return False
    k = s["kinds"].index("text") + len(s["body"][0]) - len(s["kinds"])
    for row in s["body"]:
        row[k] = '"the \\"' + str(rng.randrange(9)) + '\\" one"'
    s["args"]["escapechar"] = "\\"
    s["options"]["escape"] = "\\"
    s["args"]["_not"] = ("doubled_quotes",)


def utf16(s):
    s["args"]["_encode"] = lambda t: t.encode("utf-16")
    s["args"]["encoding"] = "utf-16"
    s["args"]["_not"] = ("control_z", "bom", "latin1")


def bom(s):
    s["args"]["_encode"] = lambda t: b"\xef\xbb\xbf" + t.encode("utf-8")
    s["args"]["_not"] = ("utf16", "latin1")


def latin1(s):
    s["args"]["_encode"] = lambda t: t.encode("latin-1")
    s["args"]["encoding"] = "latin-1"
    s["options"]["encoding"] = "latin1"
    s["args"]["_not"] = ("utf16", "bom")


def decimal_comma(s):
    if s["sep"] == "," or s["kinds"] != ["float"] * len(s["kinds"]):
        return False
    for row in s["body"]:
        for k in range(len(row)):
            row[k] = row[k].replace(".", ",")
    s["args"]["decimal"] = ","
    s["options"]["decimal"] = ","


def said_comments(s):
    s["args"]["_lines"] = s["args"].get("_lines", []) + [lambda ls: ls[:4] + ["# a remark"] + ls[4:]]
    s["args"]["comment"] = "#"
    s["options"]["comment"] = "#"


def short_rows(s):
    if s["kinds"][-1] != "float" or "_aside" in s["args"] or s["header"] is None or s["index"] != "no" and "index_col" not in s["args"]:
        return False
    for r in (3, 6):
        s["body"][r].pop()
    s["options"]["fill"] = True
    s["args"]["_not"] = ("trailing_separator", "missing", "said_missing")


def exponents(s):
    for row in s["body"]:
        for k in range(len(s["kinds"])):
            if s["kinds"][k] == "float":
                at = len(row) - len(s["kinds"]) + k
                f = row[at].strip('"')
                row[at] = row[at].replace(f, "%.6e" % float(f))
    s["args"]["_not"] = ("missing", "said_missing", "decimal_comma", "short_rows")


def infinite(s):
    if s["kinds"][-1] != "float" or "_aside" in s["args"]:
        return False
    s["body"][2][-1] = "inf"
    s["body"][3][-1] = "-inf"
    s["args"]["_not"] = ("missing", "exponents", "said_missing")


ODDITIES = [trailing_separator, comments, title, blank_end, control_z, no_end, blank_lines, missing, said_missing, bare_quotes,
            doubled_quotes, backslash, utf16, bom, latin1, decimal_comma, said_comments, short_rows, exponents, infinite]

if __name__ == "__main__":
    cases, i = [], 0
    while len(cases) < 100:
        i += 1
        try:
            cases.append(case(i))
        except Exception as e:  # what pandas cannot read is no judge
            print(i, type(e).__name__, e, file=sys.stderr)
    print("[")
    print(",\n".join(json.dumps(c, ensure_ascii=False, allow_nan=True).replace("Infinity", '"Infinity"').replace('-"Infinity"', '"-Infinity"') for c in cases))
    print("]")

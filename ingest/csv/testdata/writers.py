#!/usr/bin/env python3
"""Writes writers.json: texts as many programs write them, with the values that they stand for.

    python3 writers.py [SEED [SHARE]] > writers.json

Each text is a frame of known values as pandas, R, numpy, spreadsheets, databases, astropy, instruments and others write
it; some by themselves, some imitated. SHARE is the part of the cases that is kept, a quarter. It needs astropy, duckdb and
the program sqlite3.
"""

import base64, io, json, os, random, sqlite3, subprocess, sys, tempfile, warnings

import duckdb, numpy as np, pandas as pd
from astropy.table import Table

warnings.simplefilter("ignore")
seed = int(sys.argv[1]) if len(sys.argv) > 1 else 7
share = float(sys.argv[2]) if len(sys.argv) > 2 else 0.25
folder = tempfile.mkdtemp()
rng = random.Random(seed)
cases = []
WORDS = ["red", "green", "blue sky", "x-ray", "it", "Berlin", "Nord", "alpha", "beta", "zeta", "omega"]
GER = ["Köln", "Müller", "Straße", "Übung", "weiß", "grün"]


def num(k):
    if k == "f":
        return round(rng.uniform(-99, 99), rng.choice([1, 2, 3])) + 0.0625
    if k == "F":
        return rng.uniform(-1, 1) * 10 ** rng.randrange(-8, 9)
    if k == "i":
        return rng.randrange(-50, 500)
    if k == "p":
        return rng.randrange(0, 100)
    if k == "b":
        return rng.random() < 0.5
    if k == "t":
        return rng.choice(WORDS)
    if k == "g":
        return rng.choice(GER)
    if k == "d":
        return "20%02d-%02d-%02d" % (rng.randrange(10, 26), rng.randrange(1, 13), rng.randrange(1, 29))


KINDS = ["ffff", "ffff", "tfff", "ftif", "iff", "fffffff", "tffb", "dff", "ifft", "fffffffffff", "ff", "tf"]


def frame(kinds=None, rows=None, hole=0.0):
    kinds = kinds or rng.choice(KINDS)
    rows = rows or rng.randrange(4, 15)
    v = [[num(k) for k in kinds] for _ in range(rows)]
    if hole:
        for r in v:
            for j, k in enumerate(kinds):
                if k in "fF" and rng.random() < hole:
                    r[j] = None
        j = [j for j, k in enumerate(kinds) if k in "fF"]
        if j and all(r[j[0]] is not None for r in v):
            v[1][j[0]] = None
    return kinds, v


def names(n, style=None):
    style = style or rng.choice(["abc", "words", "cap", "space", "unit", "snake", "dot"])
    base = {
        "abc": "abcdefghijklmnop",
        "words": ["time", "speed", "mass", "temp", "depth", "salt", "wind", "load", "gain", "rate", "flux", "loss"],
        "cap": ["Time", "Speed", "Mass", "Temp", "Depth", "Salt", "Wind", "Load", "Gain", "Rate", "Flux", "Loss"],
        "space": [
            "air temp",
            "wind speed",
            "mean depth",
            "salt level",
            "gain rate",
            "net load",
            "max flux",
            "min loss",
            "top mass",
            "low rate",
            "one more",
            "last one",
        ],
        "unit": ["t (s)", "v [m/s]", "m (kg)", "T [°C]", "d (m)", "S (psu)", "w (m/s)", "L (N)", "g (dB)", "r (Hz)", "f (lm)", "l (dB)"],
        "snake": ["t_0", "speed_ms", "mass_kg", "temp_c", "depth_m", "salt_psu", "wind_ms", "load_n", "gain_db", "rate_hz", "flux_lm", "loss_db"],
        "dot": ["x.a", "x.b", "x.c", "x.d", "x.e", "x.f", "x.g", "x.h", "x.i", "x.j", "x.k", "x.l"],
    }[style]
    return [base[i] for i in range(n)]


def add(name, text, cols, vals, ext=".csv", enc="utf-8", header=True):
    b = text if isinstance(text, bytes) else text.encode(enc)
    cases.append(
        dict(
            Name=name,
            Ext=ext,
            Text=base64.b64encode(b).decode(),
            Columns=list(cols) if cols else [],
            Values=[[None if (isinstance(x, float) and x != x) else x for x in r] for r in vals],
            Header=bool(cols),
        )
    )


def df(kinds, v, n):
    return pd.DataFrame(v, columns=n)


def fmt(x, na="", dec="."):
    if x is None:
        return na
    if isinstance(x, bool):
        return str(x)
    if isinstance(x, float):
        return repr(x).replace(".", dec)
    return str(x)


def join(rows, sep=",", end="\n", q=None):
    return "".join(sep.join(r) + end for r in rows)


def plain(v, na="", dec=".", sep=",", end="\n", quote=lambda s, x: s):
    return "".join(sep.join(quote(fmt(x, na, dec), x) for x in r) + end for r in v)


qt = lambda s, x: '"' + s.replace('"', '""') + '"' if isinstance(x, str) else s
# 1 pandas
for i in range(70):
    k, v = frame(hole=rng.choice([0, 0, 0.15]))
    n = names(len(k))
    o = dict(
        sep=rng.choice([",", ",", ";", "\t", "|"]),
        index=rng.random() < 0.5,
        na_rep=rng.choice(["", "", "NaN", "NA", "null", "NULL", "nan", "<NA>", "None", "N/A", "-", "#N/A"]),
        quoting=rng.choice([0, 0, 1, 2]),
        lineterminator=rng.choice(["\n", "\r\n"]),
    )
    if o["na_rep"] and o["quoting"] == 2:
        o["na_rep"] = ""
    ff = rng.choice([None, None, "%.3f", "%.6e"])
    d = df(k, v, n)
    if ff:
        o["float_format"] = ff
    exp = [[float(ff % x) if ff and isinstance(x, float) else x for x in r] for r in v]
    cols = list(n)
    if rng.random() < 0.15:
        o["header"] = False
        cols = None
    if o["index"] and cols is None:
        o["index"] = False
    if o["index"] and rng.random() < 0.3:
        d.index = ["r%d" % j for j in range(len(d))]
    enc = rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"])
    t = d.to_csv(**o)
    add("pandas %s" % {a: b for a, b in o.items()}, t, cols, exp, enc=enc)
for i in range(12):
    k, v = frame("f" * rng.randrange(3, 9))
    d = pd.DataFrame(v)
    if i % 3 == 1:
        d.columns = range(1, len(k) + 1)
    if i % 3 == 2:
        d.columns = [1990 + j for j in range(len(k))]
    t = d.to_csv(index=i % 2 == 0, sep=rng.choice([",", ";", "\t"]))
    add("pandas numbers as names", t, [str(c) for c in d.columns], v)
for i in range(6):
    k, v = frame("ffff")
    d = pd.DataFrame(v, columns=pd.MultiIndex.from_product([["A", "B"], ["x", "y"]]))
    add("pandas multiindex", d.to_csv(index=i % 2 == 0), ["A_x", "A_y", "B_x", "B_y"], v)
for i in range(6):
    k, v = frame(rng.choice(["fff", "tff"]))
    n = names(3)
    d = df(k, v, n)
    d.index = pd.date_range("2020-01-01", periods=len(d), freq="h")
    d.index.name = rng.choice(["time", "date", None])
    n = ["x1", "x2", "x3"]
    d.columns = n
    exp = v if d.index.name is None else [[str(a)] + r for a, r in zip(d.index, v)]
    add("pandas time index", d.to_csv(), n if d.index.name is None else [d.index.name] + n, exp)
for i in range(6):
    k, v = frame("tfff")
    n = names(4)
    add("pandas groupby describe-like", df(k, v, n).set_index(n[0]).to_csv(sep=rng.choice(",;\t")), n, v)


# 2 R
def rnum(x, dec="."):
    if x is None:
        return "NA"
    if isinstance(x, bool):
        return "TRUE" if x else "FALSE"
    if isinstance(x, float):
        return ("%.15g" % x).replace(".", dec)
    return str(x)


for i in range(36):
    k, v = frame(hole=rng.choice([0, 0.1]))
    n = names(len(k), rng.choice(["dot", "abc", "cap"]))
    quote = rng.random() < 0.7
    q = (lambda s: '"' + s + '"') if quote else (lambda s: s)
    form = rng.choice(["table", "csv", "csv2", "colNA", "norow", "delim"])
    sep = {"table": " ", "csv": ",", "csv2": ";", "colNA": ",", "norow": ",", "delim": "\t"}[form]
    dec = "," if form == "csv2" else "."
    if form == "table" and not quote:
        k, v = frame(k.replace("t", "i").replace("d", "i"))
    row = lambda r: [q(rnum(x)) if isinstance(x, str) else rnum(x, dec) for x in r]
    rn = form in ("table", "csv", "csv2", "colNA")
    head = [q(c) for c in n]
    if rn and form != "table":
        head = [q("")] + head
    body = [([q(str(j + 1))] if rn else []) + row(r) for j, r in enumerate(v)]
    add(
        "R " + form + (" quoted" if quote else ""),
        join([head] + body, sep),
        n,
        v,
        ext=rng.choice([".csv", ".txt"]) if form in ("table", "delim") else ".csv",
    )
# 3 numpy
for i in range(30):
    k, v = frame("f" * rng.randrange(2, 8))
    a = np.array(v)
    b = io.BytesIO()
    sep = rng.choice([" ", ",", "\t", ";", ", "])
    kw = {}
    kw["fmt"] = rng.choice(["%.18e", "%.4f", "%g", "%10.5f", "%.6e"])
    hdr = rng.choice([None, "names", "prose", "both"])
    n = names(len(k), "snake")
    cols = None
    if hdr == "names":
        kw["header"] = sep.join(n)
        cols = n
    if hdr == "prose":
        kw["header"] = "made by hand\nof %d rows" % len(v)
    if hdr == "both":
        kw["header"] = "made by hand\n" + sep.join(n)
        cols = n
    if rng.random() < 0.2:
        kw["comments"] = "% "
    if hdr == "names" and rng.random() < 0.3:
        kw["comments"] = ""
    np.savetxt(b, a, delimiter=sep, **kw)
    back = [[float((kw["fmt"] % x).strip()) for x in r] for r in v]
    add(
        "numpy %r %s" % (sep, {a: b for a, b in kw.items() if a != "header"}) + " " + str(hdr),
        b.getvalue(),
        [c for c in cols] if cols else None,
        back,
        ext=rng.choice([".txt", ".csv", ".dat"]),
    )
for i in range(4):
    a = np.array([[rng.randrange(0, 300) for _ in range(5)] for _ in range(9)])
    b = io.BytesIO()
    np.savetxt(b, a, fmt="%d", delimiter=",")
    add("numpy ints no header", b.getvalue(), None, a.tolist())
# 4 Excel & spreadsheets
for i in range(30):
    k, v = frame(rng.choice(["tfff", "ffff", "iff", "gff", "dfff"]), hole=rng.choice([0, 0.1]))
    n = names(len(k), rng.choice(["cap", "space", "unit"]))
    ger = rng.random() < 0.6
    sep = ";" if ger else ","
    dec = "," if ger else "."
    head = ""
    enc = rng.choice(["utf-8-sig", "cp1252"])
    t = sep.join(n) + "\r\n" + plain(v, "", dec, sep, "\r\n")
    w = rng.choice(["", "", "sep", "title", "blankrows", "title2", "trailing"])
    if w == "sep":
        t = "sep=%s\r\n" % sep + t
        enc = "cp1252"
    if w == "title":
        t = "Messwerte 2021" + sep * (len(n) - 1) + "\r\n" + sep * (len(n) - 1) + "\r\n" + t
    if w == "title2":
        t = "Report" + sep * (len(n) - 1) + "\r\n" + "Created by" + sep + "me" + sep * (len(n) - 2) + "\r\n" + sep * (len(n) - 1) + "\r\n" + t
    if w == "blankrows":
        t += (sep * (len(n) - 1) + "\r\n") * 3
        v = v + [[None] * len(n)] * 3
    if w == "trailing":
        t = "".join(l + sep + sep + "\r\n" for l in t.split("\r\n")[:-1])
    add("Excel " + ("de " if ger else "en ") + w + " " + enc, t, n, v, enc=enc)
for i in range(8):
    k, v = frame(rng.choice(["tfff", "gff"]))
    n = names(len(k), "space")
    add("Excel unicode text", join([n] + [[fmt(x) for x in r] for r in v], "\t", "\r\n"), n, v, ext=".txt", enc="utf-16")
for i in range(6):
    k, v = frame("tff")
    v = [[r[0], float(rng.randrange(1000, 999999)) + 0.25, r[2]] for r in v]
    n = names(3, "cap")
    t = ",".join(n) + "\n" + "".join('%s,"%s",%s\n' % (r[0], "{:,.2f}".format(r[1]), fmt(r[2])) for r in v)
    add("thousands quoted", t, n, v)
for i in range(4):
    k, v = frame("tff")
    v = [[r[0], float(rng.randrange(1000, 999999)) + 0.25, r[2]] for r in v]
    n = names(3, "cap")
    t = (
        ";".join(n)
        + "\n"
        + "".join("%s;%s;%s\n" % (r[0], "{:,.2f}".format(r[1]).replace(",", "_").replace(".", ",").replace("_", "."), fmt(r[2], "", ",")) for r in v)
    )
    add("thousands german", t, n, v)
# 6 databases
for i in range(12):
    k, v = frame(hole=0.1)
    n = names(len(k), "snake")
    t = "|".join(n) + "\n" + plain(v, "", ".", "|") + "(%d rows)\n" % len(v)
    add("psql -A", t, n, v, ext=rng.choice([".csv", ".txt"]))
for i in range(6):
    k, v = frame(rng.choice(["tff", "fff"]))
    n = names(len(k), "snake")
    w = [max(len(n[j]), *(len(fmt(r[j])) for r in v)) for j in range(len(n))]
    t = (
        " "
        + " | ".join(n[j].center(w[j]) for j in range(len(n)))
        + " \n"
        + "-"
        + "-+-".join("-" * x for x in w)
        + "-\n"
        + "".join(" " + " | ".join((fmt(x).ljust if isinstance(x, str) else fmt(x).rjust)(w[j]) for j, x in enumerate(r)) + " \n" for r in v)
        + "(%d rows)\n\n" % len(v)
    )
    add("psql aligned", t, n, v, ext=".txt")
for i in range(6):
    k, v = frame(rng.choice(["tff", "fff"]))
    n = names(len(k), "snake")
    w = [max(len(n[j]), *(len(fmt(r[j])) for r in v)) for j in range(len(n))]
    line = "+" + "+".join("-" * (x + 2) for x in w) + "+\n"
    row = lambda r: "| " + " | ".join((fmt(x).ljust if isinstance(x, str) else fmt(x).rjust)(w[j]) for j, x in enumerate(r)) + " |\n"
    add("mysql table", line + row(n) + line + "".join(map(row, v)) + line, n, v, ext=".txt")
for i in range(10):
    k, v = frame(hole=0.1)
    n = names(len(k), "snake")
    add("mysql -B", join([n] + [[fmt(x, "NULL") for x in r] for r in v], "\t"), n, v, ext=rng.choice([".tsv", ".txt", ".csv"]))
for i in range(8):
    k, v = frame(hole=0.1)
    sep = rng.choice(["\t", ","])
    add("mysql outfile", plain(v, "\\N", ".", sep), None, v, ext=rng.choice([".tsv", ".csv"]))
for i in range(8):
    k, v = frame(hole=0.1)
    add("hive", plain(v, "\\N", ".", "\x01"), None, v, ext=".txt")
for i in range(14):
    k, v = frame(hole=0.1)
    n = names(len(k), "snake")
    p = os.path.join(folder, "x.db")
    if os.path.exists(p):
        os.remove(p)
    c = sqlite3.connect(p)
    c.execute("create table t(%s)" % ",".join('"%s" %s' % (x, {"t": "text", "d": "text", "i": "integer"}.get(kk, "real")) for x, kk in zip(n, k)))
    v2 = [[int(x) if isinstance(x, bool) else x for x in r] for r in v]
    c.executemany("insert into t values(%s)" % ",".join("?" * len(k)), v2)
    c.commit()
    c.close()
    mode = rng.choice(["csv", "list", "tabs", "csv", "markdown", "column", "box", "table", "quote"])
    t = subprocess.run(["sqlite3", "-header", "-cmd", ".mode " + mode, p, "select * from t"], capture_output=True).stdout
    add(
        "sqlite " + mode,
        t,
        n,
        [[float(x) if isinstance(x, float) else x for x in r] for r in v2],
        ext=".txt" if mode not in ("csv", "tabs") else rng.choice([".csv", ".tsv"]),
    )
for i in range(10):
    k, v = frame(hole=0.1)
    n = names(len(k))
    d = df(k, v, n)
    o = rng.choice(
        [
            "header",
            "header, delimiter '|'",
            "header, delimiter ';'",
            "header, nullstr 'NULL'",
            "header false",
            "header, quote '\"', force_quote *",
            "header, delimiter '\t'",
        ]
    )
    duckdb.sql("copy d to '%s/d.csv' (%s)" % (folder, o))
    add("duckdb " + o, open(folder + "/d.csv", "rb").read(), None if "false" in o else n, v)
for i in range(10):
    k, v = frame(rng.choice(["tff", "ftf"]), hole=0.1)
    n = names(len(k), "snake")
    for r in v:
        for j, x in enumerate(r):
            if isinstance(x, str) and rng.random() < 0.3:
                r[j] = 'say "%s", then' % x
    t = (
        ",".join(n)
        + "\n"
        + "".join(
            ",".join(('"' + x.replace('"', '\\"') + '"') if isinstance(x, str) and ('"' in x or "," in x) else fmt(x) for x in r) + "\n" for r in v
        )
    )
    add("spark", t, n, v)
for i in range(6):
    k, v = frame(hole=0.1)
    n = names(len(k), "snake")
    add("redshift unload", plain(v, "", ".", "|"), None, v, ext=".txt")
# 7 weka
for i in range(6):
    k, v = frame("fft", hole=0.2)
    n = names(3, "snake")
    add(
        "weka",
        ",".join(n) + "\n" + plain(v, "?", ".", ",", quote=lambda s, x: "'" + s + "'" if isinstance(x, str) and " " in s else s),
        n,
        [[("'" + x + "'" if isinstance(x, str) and " " in x else x) for x in r] for r in v],
    )
# 8 astropy
for i in range(26):
    k, v = frame(rng.choice(["fff", "tff", "iff", "ffff"]))
    n = names(len(k), "snake")
    T = Table(rows=v, names=n)
    f = rng.choice(
        [
            "csv",
            "ecsv",
            "basic",
            "commented_header",
            "no_header",
            "tab",
            "rdb",
            "fixed_width",
            "fixed_width_two_line",
            "fixed_width_no_header",
            "ipac",
            "rst",
        ]
    )
    b = io.StringIO()
    T.write(b, format="ascii." + f)
    add(
        "astropy " + f,
        b.getvalue(),
        None if "no_header" in f else n,
        [[x for x in r] for r in v],
        ext=rng.choice([".txt", ".dat"]) if f != "csv" and f != "ecsv" else "." + f,
    )
# 9 instruments
for i in range(12):
    k, v = frame(rng.choice(["ff", "fff", "ffff"]), rows=12)
    n = names(len(k), "unit")
    sep = rng.choice([";", "\t", ","])
    dec = "," if sep != "," and rng.random() < 0.5 else "."
    pre = ["Instrument: X200", "Operator: me", "Date: 2021-03-04", ""]
    if rng.random() < 0.4:
        pre = ["Sample" + sep + "A1", "Date" + sep + "2021-03-04", ""]
    add("instrument", join([[p] for p in pre], "") + sep.join(n) + "\n" + plain(v, "", dec, sep), n, v, ext=rng.choice([".csv", ".txt"]))
for i in range(10):
    k, v = frame("fff", rows=10)
    n = names(3, "cap")
    u = ["s", "m/s", "kg"]
    sep = rng.choice([";", "\t", ","])
    t = sep.join(n) + "\n" + sep.join(u) + "\n" + (sep.join(["", "", ""]) + "\n" if i % 3 == 0 else "") + plain(v, "", ".", sep)
    add("units / origin", t, n, v)
for i in range(10):
    k, v = frame("fff", rows=10)
    n = names(3, "cap")
    mark = rng.choice(["#", "%", "//", ";", "!", "--"])
    add("comments " + mark, "%s made by me\n%s version 2, of x\n" % (mark, mark) + ",".join(n) + "\n" + plain(v), n, v)
for i in range(8):
    k, v = frame("tff", rows=10)
    n = names(3, "cap")
    f = rng.choice(["Source: someone, 2020", "Total rows: 10", "Note: all values are means; see page 3", "* estimated"])
    add("footer", ",".join(n) + "\n" + plain(v) + rng.choice(["", "\n", ",,\n"]) + f + "\n", n, v)
# 10 European
for i in range(10):
    k, v = frame(rng.choice(["fff", "gff"]))
    n = names(3, "cap")
    d = "%02d.%02d.20%02d"
    v = [[d % (rng.randrange(1, 29), rng.randrange(1, 13), rng.randrange(10, 26))] + r for r in v]
    n = ["Datum"] + n
    enc = rng.choice(["utf-8", "utf-8-sig", "latin1"])
    add("german dates", ";".join(n) + "\n" + plain(v, "", ",", ";"), n, v, enc=enc)
for i in range(6):
    k, v = frame("fff")
    n = names(3, "cap")
    add("decimal comma in quotes", ",".join(n) + "\n" + "".join(",".join('"' + fmt(x, "", ",") + '"' for x in r) + "\n" for r in v), n, v)
# 12 missing
for i in range(20):
    k, v = frame(rng.choice(["fff", "tff"]), rows=12, hole=0.2)
    n = names(3, "cap")
    na = rng.choice([".", "*", "ND", "n.a.", "#DIV/0!", "--", "missing", "NaN", "#VALUE!", "(null)", "n/d", "k.A.", "---", "NIL", "--.-", "#NULL!"])
    add("missing " + na, ",".join(n) + "\n" + plain(v, na), n, v)
# 13 encodings
for i in range(14):
    e = rng.choice(["cp1252", "latin1", "utf-16-le", "utf-16-be", "cp1251", "shift_jis", "gbk", "mac_roman", "cp850", "utf-8-sig", "euc_kr"])
    w = {
        "cp1251": ["Москва", "Киев", "Омск"],
        "shift_jis": ["東京", "大阪", "京都"],
        "gbk": ["北京", "上海", "广州"],
        "euc_kr": ["서울", "부산"],
    }.get(e, GER)
    k, v = frame("tff")
    v = [[rng.choice(w)] + r[1:] for r in v]
    n = ["name", "x", "y"]
    add("encoding " + e, ",".join(n) + "\n" + plain(v), n, v, enc=e)
# 14 other
for i in range(6):
    k, v = frame("f" * rng.randrange(2, 6))
    add("matlab writematrix", plain(v), None, v)
for i in range(6):
    k, v = frame("ff")
    v = [r for r in v]
    add(
        "matlab dlmwrite blanks",
        "".join("  ".join("%15.7e" % x for x in r) + "\n" for r in v),
        None,
        [[float("%15.7e" % x) for x in r] for r in v],
        ext=".txt",
    )
for i in range(6):
    k, v = frame("iff", rows=8)
    n = names(3, "abc")
    add("sas", ",".join(n) + "\r\n" + plain(v, ".", ".", ",", "\r\n"), n, v)
for i in range(5):
    k, v = frame("tfff", rows=6)
    n = ["Name"] + names(3, "cap")
    add("gct", "#1.2\n6\t3\n" + "\t".join(n) + "\n" + plain(v, "", ".", "\t"), n, v, ext=".txt")
for i in range(5):
    k, v = frame("tiff", rows=6)
    n = ["Geneid"] + ["Length", "a.bam", "b.bam"]
    add(
        "featureCounts",
        '# Program:featureCounts v2; Command:"featureCounts" "-a"\n' + "\t".join(n) + "\n" + plain(v, "", ".", "\t"),
        n,
        v,
        ext=".txt",
    )
for i in range(6):
    k, v = frame("fffft", rows=9)
    add("uci iris", plain(v) + "\n", None, v, ext=".data")
for i in range(5):
    k, v = frame("ffff", rows=9)
    add("uci housing", "".join("".join("%9.4f" % x for x in r) + "\n" for r in v), None, [[float("%9.4f" % x) for x in r] for r in v], ext=".data")
for i in range(4):
    k, v = frame("fff", rows=9)
    v = [["AT%d_ECOLI" % j] + r + [rng.choice(["cp", "im"])] for j, r in enumerate(v)]
    add(
        "uci ecoli",
        "".join("%-12s" % r[0] + "  ".join("%.4f" % x for x in r[1:4]) + "   " + r[4] + "\n" for r in v),
        None,
        [[r[0]] + [float("%.4f" % x) for x in r[1:4]] + [r[4]] for r in v],
        ext=".data",
    )
for i in range(6):
    k, v = frame("itffb", rows=9)
    n = ["PassengerId", "Name", "Age", "Fare", "Survived"]
    v = [[j + 1, "Last, First"] + r[2:] for j, r in enumerate(v)]
    add("kaggle", ",".join(n) + "\n" + "".join(",".join('"%s"' % x if isinstance(x, str) else fmt(x) for x in r) + "\n" for r in v), n, v)
for i in range(6):
    k, v = frame("fff", rows=9)
    n = names(3, "cap")
    add("blanks behind commas", ", ".join(n) + "\n" + "".join(", ".join(fmt(x) for x in r) + "\n" for r in v), n, v)
for i in range(4):
    k, v = frame("fff", rows=9)
    n = names(3, "cap")
    add("cr only", join([n] + [[fmt(x) for x in r] for r in v], ",", "\r"), n, v)
for i in range(6):
    k, v = frame("iff", rows=9)
    n = ["x", "x", "y"]
    add("repeated names", ",".join(n) + "\n" + plain(v), ["x", "x.1", "y"], v)
for i in range(4):
    k, v = frame("tff", rows=9)
    n = names(3, "cap")
    add("blank lines among", ",".join(n) + "\n\n" + "\n".join(plain([r]) for r in v), n, v)
for i in range(6):
    k, v = frame(rng.choice(["fff", "tff"]), rows=8)
    n = names(3, "cap")
    t = "| " + " | ".join(n) + " |\n|" + "|".join(":---" for _ in n) + "|\n" + "".join("| " + " | ".join(fmt(x) for x in r) + " |\n" for r in v)
    add("markdown", t, n, v, ext=".md")
for i in range(4):
    k, v = frame("ff", rows=8)
    n = ["Wavelength", "Abs"]
    v = [[400.0 + j, r[1]] for j, r in enumerate(v)]
    add("spectrum", '"Wavelength","Abs"\n' + plain(v), n, v)
for i in range(6):
    k, v = frame("ffff", rows=8)
    n = ["400", "410", "420", "430"]
    v = [["s%d" % j] + r for j, r in enumerate(v)]
    add("spectra table", "sample," + ",".join(n) + "\n" + plain(v), ["sample"] + n, v)
for i in range(4):
    k, v = frame("tff", rows=8)
    n = names(3, "cap")
    t = ",".join('"%s"' % x for x in n) + "\n" + "".join('"%s","%s","%s"\n' % tuple(fmt(x) for x in r) for r in v)
    add("all quoted", t, n, v)
for i in range(4):
    k, v = frame("fff", rows=8)
    n = names(3, "cap")
    t = "\t".join(n) + "\n" + "".join("\t".join(fmt(x) for x in r) + "\t\n" for r in v)
    add("tab at the end of records", t, n, v, ext=".txt")
for i in range(4):
    k, v = frame("tff", rows=8)
    n = names(3, "cap")
    t = ",".join(n) + "\n" + "".join("%s,%s%%,%s\n" % (r[0], fmt(r[1]), fmt(r[2])) for r in v)
    add("percent", t, n, [[r[0], fmt(r[1]) + "%", r[2]] for r in v])
for i in range(6):
    k, v = frame("iiii", rows=8)
    n = names(4, "abc")
    v = [[abs(x) for x in r] for r in v]
    add("ints header", ",".join(n) + "\n" + plain(v), n, v)
for i in range(4):
    k, v = frame("bbf", rows=8)
    n = names(3, "abc")
    t = ",".join(n) + "\n" + "".join("%s,%s,%s\n" % ("TRUE" if r[0] else "FALSE", str(r[1]).lower(), fmt(r[2])) for r in v)
    add("booleans", t, n, v)
kept = [c for i, c in enumerate(cases) if i % round(1 / share) == 0]
json.dump(kept, sys.stdout, ensure_ascii=False)
print()

"""Writes encodings.txt: every instruction of ../encode.go with some registers, as GNU as assembles it.

    python3 encodings.py    (needs aarch64-linux-gnu-as, Debian: binutils-aarch64-linux-gnu)
"""

import pathlib
import re
import subprocess
import tempfile

here = pathlib.Path(__file__).parent
source = (here.parent / "encode.go").read_text()
sources = dict(re.findall(r'"(\w+\.\w+)": *"(\w+)"', source))


def table(name):
    body = re.search(name + r"\s*= map\[string\]uint32\{(.*?)\n\t\}", source, re.S).group(1)
    return re.findall(r'"(\w+)\.(\w+)":', body)


lines = []
for d, n, m in (0, 1, 2), (31, 30, 29), (5, 18, 11), (10, 12, 21):
    for kind in "three", "two":
        for op, to in table(kind):
            of = sources.get(f"{op}.{to}", to)
            lines.append(f"{op} v{d}.{to}, v{n}.{of}" + (f", v{m}.{of}" if kind == "three" else ""))
    for op, to in table("element"):
        of, most = ("s", 4) if to == "4s" else ("d", 2)
        lines += [f"{op} v{d}.{to}, v{n}.{to}, v{m}.{of}[{i}]" for i in range(most)]

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    (work / "a.s").write_text("\n".join(lines) + "\n")
    subprocess.run(["aarch64-linux-gnu-as", "-o", work / "a.o", work / "a.s"], check=True)
    subprocess.run(["aarch64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", work / "a.o", work / "a.bin"], check=True)
    code = (work / "a.bin").read_bytes()

words = [int.from_bytes(code[i : i + 4], "little") for i in range(0, len(code), 4)]
(here / "encodings.txt").write_text("".join(f"{w:08x} {line}\n" for w, line in zip(words, lines, strict=True)))

"""Builds one wheel with the program for each platform. It needs only Go and Python's standard library.

    python3 python/wheels.py -o out/python/wheels [linux/amd64 ...]

A wheel is a zip file with the package, the static binary and three small metadata files.
The same sources lead to the same bytes.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "unfold_live"

#: Go's platforms and the tags of their wheels. The binary is static and runs on any Linux with a kernel that Go supports.
#: Installers still require a tag of a C library, so there are tags for glibc and musl.
PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}

#: Markers around the table of sizes.
SIZES = ("<!-- sizes of wheels, by make wheel-sizes -->", "<!-- end -->")

METADATA = """Metadata-Version: 2.4
Name: unfold-live
Version: {version}
Summary: Live maps of high-dimensional rows: estimators over the program unfold
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
License-File: THIRD_PARTY.txt
Requires-Python: >=3.10
Requires-Dist: numpy>=1.24
Requires-Dist: scikit-learn>=1.6; extra == "sklearn"
Requires-Dist: pyarrow>=14; extra == "arrow"
Requires-Dist: confluent-kafka>=2; extra == "kafka"
Requires-Dist: pyspark>=4; extra == "spark"
Requires-Dist: pyarrow>=18; extra == "spark"
Provides-Extra: sklearn
Provides-Extra: arrow
Provides-Extra: kafka
Provides-Extra: spark
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering
Description-Content-Type: text/markdown

{readme}"""


def version() -> str:
    """Return the package's version."""
    found = re.search(r'__version__ = "(.+)"', (HERE / PACKAGE / "_version.py").read_text())
    assert found is not None
    return found.group(1)


def build_binary(platform: str, into: Path) -> Path:
    """Build the program for a platform reproducibly, without machine-dependent data."""
    system, _, processor = platform.partition("/")
    out = into / ("unfold.exe" if system == "windows" else "unfold")
    env = {**os.environ, "GOOS": system, "GOARCH": processor, "CGO_ENABLED": "0", "GOWORK": "off"}
    flags = ["-trimpath", "-buildvcs=false", "-ldflags", f"-s -w -X main.version=v{version()}"]
    subprocess.run(["go", "build", *flags, "-o", str(out), "./cmd/unfold"], cwd=HERE.parent, env=env, check=True)
    return out


def members(binary: Path, tag: str) -> dict[str, bytes]:
    """Return the files of a wheel except RECORD."""
    info = f"{PACKAGE}-{version()}.dist-info"
    out = {}
    for f in sorted((HERE / PACKAGE).iterdir()):
        if f.suffix in (".py", ".typed"):
            out[f"{PACKAGE}/{f.name}"] = f.read_bytes()
    out[f"{PACKAGE}/_bin/{binary.name}"] = binary.read_bytes()
    readme = (HERE / "README.md").read_text()
    out[f"{info}/METADATA"] = METADATA.format(version=version(), readme=readme).encode()
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    out[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: unfold\nRoot-Is-Purelib: false\n{tags}".encode()
    out[f"{info}/entry_points.txt"] = f"[console_scripts]\nunfold = {PACKAGE}._binary:main\n".encode()
    for name in ("LICENSE", "NOTICE", "THIRD_PARTY.txt"):
        out[f"{info}/licenses/{name}"] = (HERE.parent / name).read_bytes()
    return out


def write_wheel(folder: Path, platform: str, binary: Path | None = None) -> Path:
    """Build the wheel of a platform and return its path. A given binary is used unchanged."""
    tag = PLATFORMS[platform]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{PACKAGE}-{version()}-py3-none-{tag}.whl"
    with tempfile.TemporaryDirectory() as work:
        files = members(binary or build_binary(platform, Path(work)), tag)
    info = f"{PACKAGE}-{version()}.dist-info"
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
            _add(z, name, data, 0o755 if "/_bin/" in name else 0o644)
        _add(z, f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644)
    return path


def write_sizes(folder: Path, page: Path) -> None:
    """Write the sizes of wheels to the table between the two markers of a page. Rows of missing wheels are kept."""
    rows, text = "", page.read_text()
    for platform, tag in PLATFORMS.items():
        wheel = folder / f"{PACKAGE}-{version()}-py3-none-{tag}.whl"
        if not wheel.exists():
            known = re.search(rf"^\| {platform} \|.*\n", text, re.MULTILINE)
            rows += known[0] if known else f"| {platform} | not built | |\n"
            continue
        with zipfile.ZipFile(wheel) as z:
            binary = next(i for i in z.infolist() if "/_bin/" in i.filename)
        rows += f"| {platform} | {wheel.stat().st_size / 2**20:.1f} MiB | {binary.file_size / 2**20:.1f} MiB |\n"
    found = f"{SIZES[0]}\n| platform | wheel | installed program |\n|---|---|---|\n{rows}{SIZES[1]}"
    before, rest = text.split(SIZES[0])
    page.write_text(before + found + rest.split(SIZES[1])[1])


def _add(z: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    z.writestr(entry, data)


def main() -> None:
    """Build the requested wheels."""
    parser = argparse.ArgumentParser(description="Builds wheels that carry the program.")
    parser.add_argument("-o", "--out", type=Path, default=Path("out/python/wheels"))
    parser.add_argument("--binary", type=Path, help="the program of the platform, if it is built already")
    parser.add_argument("--sizes", type=Path, metavar="PAGE", help="build nothing; write sizes of all wheels in OUT into a page")
    parser.add_argument("platforms", nargs="*", metavar="OS/ARCH", help=f"of {', '.join(PLATFORMS)}; default all")
    args = parser.parse_args()
    if args.binary and len(args.platforms) != 1:
        parser.error("--binary is of one platform; name it")
    if args.sizes:
        write_sizes(args.out, args.sizes)
        return
    for platform in args.platforms or PLATFORMS:
        if platform not in PLATFORMS:
            parser.error(f"no wheels are made for {platform}")
        path = write_wheel(args.out, platform, args.binary)
        print(f"{path} {path.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()

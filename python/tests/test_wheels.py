"""Metadata of wheels for installers. All built wheels are tested, for any platform."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename

from .conftest import REPOSITORY

#: The wheel for this machine is built before the tests. After make wheels there are others, too.
WHEELS = sorted((REPOSITORY / "out/python/wheels").glob("**/*.whl"))

#: Processors by their numbers in ELF, Mach-O and PE.
ELF = {62: "x86_64", 183: "aarch64"}
MACH = {0x01000007: "x86_64", 0x0100000C: "arm64"}
PE = {0x8664: "amd64", 0xAA64: "arm64"}


def platform_of(binary: bytes) -> str:
    """Return the platform tag for a program, such as linux_x86_64."""
    if binary[:4] == b"\x7fELF":
        assert 3 not in segments(binary), "it asks for an interpreter: it is not static"
        return "linux_" + ELF[struct.unpack_from("<H", binary, 18)[0]]
    if binary[:4] == b"\xcf\xfa\xed\xfe":
        return "macosx_" + MACH[struct.unpack_from("<I", binary, 4)[0]]
    assert binary[:2] == b"MZ"
    at = struct.unpack_from("<I", binary, 60)[0]
    assert binary[at : at + 4] == b"PE\0\0"
    return "win_" + PE[struct.unpack_from("<H", binary, at + 4)[0]]


def segments(elf: bytes) -> set[int]:
    """Return the types of the segments of a 64-bit ELF file."""
    first, size, count = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    return {struct.unpack_from("<I", elf, first + i * size)[0] for i in range(count)}


@pytest.fixture(params=WHEELS, ids=lambda w: f"{w.parent.name}/{w.stem.split('-')[-1].split('.')[0]}")
def wheel(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_there_are_wheels() -> None:
    assert WHEELS


def test_files_are_those_of_the_record(wheel: Path) -> None:
    """RECORD has the hash and size of exactly the files except itself. Only the program is executable."""
    with zipfile.ZipFile(wheel) as z:
        assert z.testzip() is None
        names = z.namelist()
        assert len(set(names)) == len(names)
        record = next(n for n in names if n.endswith(".dist-info/RECORD"))
        rows = {path: (digest, size) for path, digest, size in csv.reader(io.StringIO(z.read(record).decode()))}
        assert set(rows) == set(names) and rows.pop(record) == ("", "")
        for path, (digest, size) in rows.items():
            data = z.read(path)
            want = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={want}", str(len(data))), path
        modes = {i.filename: i.external_attr >> 16 for i in z.infolist()}
        assert {n for n, mode in modes.items() if mode & 0o111} == {n for n in names if "/_bin/" in n}
        assert all(mode & 0o444 == 0o444 for mode in modes.values())


def test_tags_are_the_programs(wheel: Path) -> None:
    """Tags in the name equal those in WHEEL and match the program's format. The command and the licences exist."""
    name, version, _, tags = parse_wheel_filename(wheel.name)
    with zipfile.ZipFile(wheel) as z:
        info = f"unfold_live-{version}.dist-info/"
        said = [line.removeprefix("Tag: ") for line in z.read(info + "WHEEL").decode().splitlines() if line.startswith("Tag: ")]
        assert {str(t) for t in tags} == set(said)
        (program,) = [n for n in z.namelist() if "/_bin/" in n]
        system, _, processor = platform_of(z.read(program)).partition("_")
        assert all(t.interpreter == "py3" and t.abi == "none" for t in tags)
        assert all(system in t.platform and t.platform.endswith("_" + processor) for t in tags)
        assert program.endswith("unfold.exe" if system == "win" else "unfold")
        assert "unfold = unfold_live._binary:main" in z.read(info + "entry_points.txt").decode()
        about = Metadata.from_email(z.read(info + "METADATA"), validate=True)
        assert (about.name, about.version, about.license_expression) == ("unfold-live", version, "Apache-2.0")
        assert name == "unfold-live"
        for file in about.license_files or []:
            assert z.read(info + "licenses/" + file) == (REPOSITORY / file).read_bytes()
        assert set(about.license_files or []) == {"LICENSE", "NOTICE", "THIRD_PARTY.txt"}


@pytest.mark.parametrize("command", [["twine", "check", "--strict"], ["check_wheel_contents"]], ids=["twine", "contents"])
def test_what_others_say(wheel: Path, command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command, str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

"""A stage started from Python, with the broker of the program's demo."""

from __future__ import annotations

import re
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from unfold_live import UnfoldError, stream
from unfold_live._binary import binary

from .conftest import blobs

ROWS = 1200


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    """The demo's broker, which emits rows slowly and runs until the end of the test."""
    x, kind = blobs(ROWS, 6)
    pd.DataFrame(x, columns=list("abcdef")).assign(name=[f"e{i}" for i in range(ROWS)], kind=kind).to_csv(
        tmp_path / "rows.csv", index=False
    )
    args = [
        binary(),
        "-q",
        "demo",
        str(tmp_path / "rows.csv"),
        "--columns=a,b,c,d,e,f",
        "--id=name",
        "--messages=json",
        "--rate=40",
        "--stay=yes",
    ]
    with subprocess.Popen(
        [*args, "--out", str(tmp_path / "demo")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            found = re.search(r"at (\S+:\d+)", line)
            if found:
                yield found.group(1)
                break
        demo.terminate()


def test_events(broker: str, tmp_path: Path) -> None:
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": broker})
    for done in admin.create_topics([NewTopic("mine", 2, 1), NewTopic("mine-dlq", 1, 1)]).values():
        done.result(20)
    config: dict[str, Any] = {
        "source": {
            "kafka": {"brokers": [broker], "topic": "events", "group": f"g-{uuid.uuid4()}"},
            "id": "name",
            "columns": list("abcdef"),
        },
        "reference": {"min": 200, "size": 1000},
        "sink": {"kafka": {"topic": "mine"}},
        "dead_letter": {"topic": "mine-dlq"},
        "state": str(tmp_path / "state"),
        "http": "127.0.0.1:0",
    }
    with stream(config) as stage:
        assert stage.url().startswith("http://127.0.0.1:")
        seen = []
        for event in stage.events(idle=60):
            seen.append(event)
            if len(seen) == 300:
                break
        assert len({e["id"] for e in seen}) == 300
        assert np.isfinite([[e["x"], e["y"], e["sigma"], e["novelty_global"]] for e in seen]).all()
        assert stage.close() == 0


def test_a_stage_that_has_ended(broker: str, tmp_path: Path) -> None:
    """Waiting for outputs of a stage that has ended raises an error."""
    config = {
        "source": {"kafka": {"brokers": [broker], "topic": "events", "group": "g"}, "id": "name", "columns": ["nothing"]},
        "reference": {"min": 1000},
        "sink": {"kafka": {"topic": "mine"}},
        "dead_letter": {"topic": "mine-dlq"},
        "state": str(tmp_path / "state"),
    }
    with stream(config) as stage:
        stage._process.close()
        begin = time.monotonic()
        with pytest.raises(UnfoldError, match="ended"):
            list(stage.events(idle=60))
        assert time.monotonic() - begin < 30


@pytest.mark.parametrize(
    "case",
    {
        "a file that is not there": ("/nowhere/unfold.yaml", "/nowhere/unfold.yaml"),
        "no source": ({"sink": {"kafka": {"topic": "mine"}}}, "source"),
        "nothing": ({}, "source"),
        "what is no text": ({"state": {1, 2}}, "not {1, 2}"),
    }.items(),
    ids=lambda case: case[0],
)
def test_configurations_that_make_no_sense(case: tuple[str, tuple[Any, str]]) -> None:
    config, says = case[1]
    with pytest.raises(ValueError, match=says), stream(config) as stage:
        stage.url()


def test_paths_and_numbers_of_numpy(tmp_path: Path) -> None:
    """A dict may contain paths and NumPy numbers. The program reports its errors."""
    config = {"source": {"kafka": {"brokers": ["127.0.0.1:1"], "topics": np.int64(7)}}, "state": tmp_path / "state"}
    with stream(config) as stage, pytest.raises(ValueError, match="topics"):
        stage.url()


def test_a_configuration_that_is_wrong() -> None:
    with (
        stream({"source": {"kafka": {"brokers": ["127.0.0.1:1"], "topics": "x"}}}) as stage,
        pytest.raises(ValueError, match="topics"),
    ):
        stage.url()

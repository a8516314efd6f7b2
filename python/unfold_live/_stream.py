"""A stage between two Kafka topics, run from Python."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._files import Folder
from ._process import Process, log

ENDED = 10.0
"""Seconds without a message after which reading ends if the stage has ended."""


class Stage:
    """A running stage, ``unfold run``. It stops with ``close``, or when this object is deleted.

    Its output is written to the log ``unfold_live``. Stopping finishes the messages in progress and commits.
    """

    def __init__(self, config: dict[str, Any] | str | os.PathLike[str], *flags: str) -> None:
        self._folder = Folder()
        self._config = config if isinstance(config, dict) else None
        path = Path(self._folder.file("unfold.yaml"))
        if isinstance(config, dict):
            path.write_text(json.dumps(config, default=_plain), encoding="utf-8")  # JSON is YAML
        else:
            path = Path(config)
        self._file = path
        self._process = Process(["run", "-c", str(path), *flags])

    @property
    def running(self) -> bool:
        """Whether the stage runs."""
        return self._process.running

    def wait(self, pattern: str, timeout: float = 60.0) -> str:
        """Wait for a log line that matches a pattern and return the pattern's first group."""
        return self._process.said(pattern, timeout)

    def url(self, timeout: float = 60.0) -> str:
        """Return the address of its page, health and metrics. The configuration must contain ``http``."""
        return self.wait(r"answering on (http://\S+)", timeout)

    def events(
        self,
        *,
        brokers: list[str] | None = None,
        topic: str | None = None,
        start: str = "earliest",
        idle: float | None = None,
        settings: dict[str, Any] | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Iterate over the stage's outputs, one object per event.

        Parameters
        ----------
        brokers, topic : optional
            The brokers and the topic of the outputs. Default: those of the configuration's sink, or the source's brokers.
        start : {"earliest", "latest"}
            The offset at which to begin.
        idle : float, optional
            End after this number of seconds without outputs. Default: continue while the stage runs.
        settings : dict, optional
            Further settings of the confluent-kafka consumer.

        Yields
        ------
        dict
            ``id``, the columns that are passed on, the position, sigma, the novelties, ``map_epoch`` and ``model_version``.

        Raises
        ------
        ValueError, UnfoldError
            The stage has ended, and all of its outputs have been read.
        """
        try:
            from confluent_kafka import Consumer
        except ImportError:
            raise ImportError("events() reads Kafka by confluent-kafka: pip install confluent-kafka") from None
        config = self._settings() if brokers is None or topic is None else {}
        source, sink = config.get("source", {}).get("kafka", {}), config.get("sink", {}).get("kafka", {})
        consumer = Consumer(
            {
                "bootstrap.servers": ",".join(brokers or sink.get("brokers") or source["brokers"]),
                "group.id": f"unfold-live-{uuid.uuid4()}",
                "auto.offset.reset": start,
                "enable.auto.commit": False,
                **(settings or {}),
            },
            logger=log,
        )
        try:
            consumer.subscribe([topic or sink["topic"]])
            last = time.monotonic()
            while idle is None or time.monotonic() - last < idle:
                message = consumer.poll(0.2)
                value = None if message is None or message.error() else message.value()
                if value is None:
                    if not self.running and time.monotonic() - last > ENDED:
                        raise self._process.error()
                    continue
                last = time.monotonic()
                yield from _events(value)
        finally:
            consumer.close()

    def _settings(self) -> dict[str, Any]:
        if self._config is not None:
            return self._config
        try:
            import yaml
        except ImportError:
            raise ValueError(
                "name brokers and topic: the configuration is a file, and PyYAML is not installed to read it"
            ) from None
        return yaml.safe_load(self._file.read_text(encoding="utf-8"))

    def close(self) -> int:
        """Stop the stage cleanly and return its exit code, which is 0 on success."""
        code = self._process.close()
        self._folder.close()
        return code

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _plain(value: Any) -> Any:
    """Return the JSON value of a path or a NumPy number."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise ValueError(f"a configuration holds texts, numbers, lists and dicts, not {value!r}")


def _events(value: bytes) -> list[dict[str, Any]]:
    """Return the events of a message: an Arrow stream begins with 0xFF, JSON does not."""
    if value[:1] != b"\xff":
        found = json.loads(value)
        return found if isinstance(found, list) else [found]
    import pyarrow as pa

    with pa.ipc.open_stream(value) as reader:
        return reader.read_all().to_pylist()


def stream(config: dict[str, Any] | str | os.PathLike[str], *flags: str) -> Stage:
    """Start a stage between two Kafka topics.

    Parameters
    ----------
    config : dict or path
        The configuration of ``unfold run``: a dict with the keys of a configuration file, or the path of a file.
    *flags : str
        Further flags of ``unfold run``.

    Examples
    --------
    >>> stage = stream({                                                   # doctest: +SKIP
    ...     "source": {"kafka": {"brokers": ["localhost:9092"], "topic": "events"}, "id": "event_id"},
    ...     "sink": {"kafka": {"topic": "places"}}, "dead_letter": {"topic": "events-dlq"},
    ... })
    >>> for event in stage.events():                                       # doctest: +SKIP
    ...     print(event["id"], event["x"], event["y"])
    """
    return Stage(config, *flags)

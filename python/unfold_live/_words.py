"""Translation of the program's messages: parameters instead of flags, and arguments instead of scratch files."""

from __future__ import annotations

import re
import shlex

#: Parameters and arguments by the program's flag. Other flags are keys of ``settings``.
_PARAMETERS = {
    "dims": "n_components",
    "neighbors": "n_neighbors",
    "neighbors-file": "precomputed_knn",
    "seed": "random_state",
    "threads": "n_jobs",
    "id": "id_column",
    "label": "y",
    "label-file": "y",
    "supervise": "y",
    "graph": 'metric="precomputed"',
    "min-size": "min_cluster_size",
    "selection": "cluster_selection_method",
    "epsilon": "cluster_selection_epsilon",
    "persistence": "cluster_selection_persistence",
    **{
        name: name
        for name in (
            *("kind", "frame", "pca", "supervision", "density", "metric", "missing", "standardize", "log1p", "columns", "classify"),
            *("thorough", "report", "memory", "min-samples", "above"),
        )
    },
}

#: Arguments by the name of their scratch file without its extension.
_SCRATCH = {"x": "X", "new": "X", "at": "X", "distances": "X", "neighbors": "precomputed_knn", "gone": "ids"}


def _of_rows(m: re.Match[str]) -> str:
    """Return the error of a kind that has no maps of distances."""
    from ._scaling import KINDS

    known = ", ".join(f'"{kind}"' for kind in ("lvm", *KINDS))
    return f"kind {m[1]} takes rows, and X are distances: choose one of {known}"


def _in_lists(m: re.Match[str]) -> str:
    """Return the position of a value of known neighbours, counted from 0."""
    return f"precomputed_knn[{int(m[1] == 'distances')}][{int(m[2]) - 1}, {int(m[3]) - 1}] is"


#: Replacements of phrases about the command line, and of counts from 1.
_PHRASES = (
    (re.compile(r"; see unfold \w+ --help$"), ""),
    (re.compile(r"^unknown flag --([\w-]+)"), r'settings: there is no flag "\1"'),
    (re.compile(r'did you mean "--([\w-]+)"'), r'did you mean "\1"'),
    (re.compile(r"unfold embed --graph FILE -m .* -o \S+"), "transform takes their distances"),
    (re.compile(r"name the labels by --supervise, --label or --label-file"), "give fit the labels as y"),
    (re.compile(r", --missing drop leaves their rows out"), ""),
    (re.compile(r"; with --numbers all rows are learnt; without it .*$"), "; give fit fewer rows, and transform the others"),
    (
        re.compile(r": it colours the map and is not in the vectors; to have it there: (--.*)$"),
        lambda m: f", and is not in the vectors; give it to fit as y to predict it, or to have it in them: {_assigned(m[1])}",
    ),
    (re.compile(r"(?:(?<=as with )|(?<=to have it there: ))(--.*)$"), lambda m: _assigned(m[1])),
    (re.compile(r"\(by columns or --columns; "), "(by columns; "),
    (re.compile(r"\bdims is\b"), "n_components is"),
    (re.compile(r"take fewer dims\b"), "take a smaller n_components"),
    (re.compile(r', did you mean one of (?=[^?]*"-\w")[^?]*\?$'), ""),  # of single letters, which are no names of settings
    (re.compile(r'did you mean one of (?:"--[\w-]+"(?:, )?)+'), lambda m: m[0].replace('"--', '"')),
    (re.compile(r"drop such rows \(missing drop\), fill them \(missing mean\)"), 'drop such rows, fill them (missing="mean")'),
    (re.compile(r"drop such rows \(missing drop\)"), "drop such rows"),
    (re.compile(r"a model of kind (\w+) is made of vectors, which the nodes of a graph do not have: choose kind lvm"), _of_rows),
    (re.compile(r"^X: \w+: (?=\d+ rows, \d+ of them distinct)"), "X: "),
    (
        re.compile(r'^precomputed_knn:(rows|distances): row (\d+)(?:, column "vector")?: its (?:neighbour|distance) (\d+) is'),
        _in_lists,
    ),
    (
        re.compile(r"^(?=X\[\d+, \d+\] is -\S+ (?:below 0, )?and the metric (?:hellinger|braycurtis)\b)"),
        "Negative values in data: ",
    ),
    (re.compile(r"\bX: row (\d+)\b"), lambda m: f"X: row {int(m[1]) - 1} (counted from 0)"),
    (re.compile(r"\bneighbors is\b"), "n_neighbors is"),
)

#: A path in a scratch folder.
_PATH = re.compile(r"[^\s\"']*\bunfold-[a-z0-9_]{8}[/\\]([\w-]+)(?:\.\w+)*")

#: A flag, and its value if it certainly has one.
_FLAG = re.compile(
    r"(?<![\w-])--([a-z][a-z0-9-]*)(?:=([^\s;,]+)| (\d[\w.:]*\w|\d|[A-Z]{2,}\b|(?:mean|drop|none|cosine|distance|similarity)\b))?"
)

#: The position of an array's value; the program counts rows from 1.
_ELEMENT = re.compile(r'X: row (\d+), column "vector": (?:value|element) (\d+)(?: of the vector)? is\b')


def _assigned(flags: str) -> str:
    """Convert the flags of columns, as the program writes them for a shell, to arguments of an estimator."""
    out = []
    words = shlex.split(flags)
    while words:
        name = words.pop(0).removeprefix("--")
        value = f'"{words.pop(0)}"' if words and not words[0].startswith("--") else "True"
        out.append(f"{_PARAMETERS.get(name, name)}={value}")
    return ", ".join(out)


def translated(text: str, names: dict[str, str]) -> str:
    """Return a message of the program for users of the package.

    Parameters
    ----------
    text : str
        The message.
    names : dict of str
        Names of files for the caller, by path.
    """
    for path, name in names.items():
        text = text.replace(path, name)
    text = _PATH.sub(lambda m: _SCRATCH.get(m[1], m[1]), text)
    text = _ELEMENT.sub(lambda m: f"X[{int(m[1]) - 1}, {m[2]}] is", text)
    for pattern, instead in _PHRASES:
        text = pattern.sub(instead, text)
    return _FLAG.sub(_parameter, text)


def _parameter(m: re.Match[str]) -> str:
    """Convert a flag with its value to a parameter or an entry of ``settings``."""
    flag, value = m[1], m[2] or m[3]
    name = _PARAMETERS.get(flag)
    plain = name.replace("-", "_") if name is not None else f'settings["{flag.replace("-", "_")}"]'
    if value is None or value.isupper() or (name is not None and "=" in name):
        return plain
    shown = value if re.fullmatch(r"[\d.]+|True|False", value) else '"' + value.strip('"') + '"'
    return f"{plain}={shown}"

# Tests a running server against its OpenAPI file: schemathesis.py URL FOLDER
import os
import sys

import schemathesis
from schemathesis.cli import schemathesis as program

url, folder = sys.argv[1:]
os.chdir(folder)  # where it keeps what it has tried


@schemathesis.serializer("application/vnd.apache.arrow.stream")
def arrow(ctx, value):
    """Bytes that are mostly no Arrow, some of them from its beginning on."""
    text = value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
    return b"\xff\xff\xff\xff" + text if len(text) % 2 else text


# What a vector's length has to be the model says, not the file: so what the file allows may
# be refused with 422 (positive_data_acceptance).
program([
    "run", url, "--no-color", "--seed", "1", "--generation-deterministic",
    "--checks", "all", "--exclude-checks", "positive_data_acceptance", "--max-examples", "15", "--phases", "examples,coverage,fuzzing",
])

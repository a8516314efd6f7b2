"""Parses every query of the alert rules and of the dashboard; make lint-deploy runs it."""

import json
import sys

import promql_parser
import yaml


def queries():
    """Where each query stands, and the query."""
    with open("deploy/prometheus/alerts.yaml") as f:
        for group in yaml.safe_load(f)["groups"]:
            for rule in group["rules"]:
                yield rule["alert"], rule["expr"]
    with open("deploy/grafana/unfold.json") as f:
        board = json.load(f)
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    for annotation in board["annotations"]["list"]:
        yield annotation["name"], annotation["expr"]


def main():
    bad = parsed = 0
    for where, query in queries():
        # Grafana's variables, as it fills them in.
        text = query.replace("$__rate_interval", "5m").replace("$job", "unfold").replace("$instance", "host:8080")
        try:
            promql_parser.parse(text)
            parsed += 1
        except ValueError as error:
            bad += 1
            print(f"{where}: {error}: {query}", file=sys.stderr)
    if bad or not parsed:
        sys.exit(f"{bad} queries cannot be parsed, {parsed} can")


main()

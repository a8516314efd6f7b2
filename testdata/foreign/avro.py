"""Writes the messages of testdata/foreign/avro: python3 avro.py DIR.

Each NAME.avsc is a schema, NAME.bin a record of it as fastavro writes it. NAME.framed and
NAME.header are the value, and the header, as confluent-kafka's AvroSerializer makes them."""
import datetime
import decimal
import io
import json
import pathlib
import sys
import uuid

import fastavro
from confluent_kafka.schema_registry import SchemaRegistryClient, header_schema_id_serializer
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

out = pathlib.Path(sys.argv[1])
utc = datetime.timezone.utc

everything = {
    "type": "record", "name": "Event", "namespace": "shop", "fields": [
        {"name": "id", "type": "string"},
        {"name": "n", "type": "int"},
        {"name": "l", "type": ["null", "long"], "default": None},
        {"name": "f", "type": "float"},
        {"name": "d", "type": "double"},
        {"name": "b", "type": "boolean"},
        {"name": "colour", "type": {"type": "enum", "name": "Colour", "symbols": ["RED", "GREEN"]}},
        {"name": "ms", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "us", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 4}},
        {"name": "cents", "type": {"type": "fixed", "name": "Cents", "size": 8, "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "uid", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "v", "type": {"type": "array", "items": "float"}},
        {"name": "w", "type": ["null", {"type": "array", "items": ["null", "double"]}]},
        {"name": "raw", "type": "bytes"},
        {"name": "scores", "type": {"type": "map", "values": "double"}},
        {"name": "payload", "type": {"type": "record", "name": "Payload", "fields": [
            {"name": "bytes", "type": "long"},
            {"name": "colour", "type": "Colour"},
            {"name": "inner", "type": ["null", "Payload"], "default": None}]}},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "either", "type": ["null", "double", "string"]},
    ]}
event = {
    "id": "é", "n": -7, "l": 1 << 40, "f": 0.1, "d": 0.1, "b": True, "colour": "GREEN",
    "ms": datetime.datetime(2025, 1, 2, 3, 4, 5, 678000, utc), "us": datetime.datetime(2025, 1, 2, 3, 4, 5, 678901, utc),
    "local": datetime.datetime(2025, 1, 2, 3, 4, 5, 678901), "day": datetime.date(1969, 12, 30),
    "price": decimal.Decimal("-12345678901234567.8901"), "cents": decimal.Decimal("-0.07"),
    "uid": uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"), "v": [0.5, -2.0], "w": [0.25, None], "raw": b"\x00\x00\x80\x3f",
    "scores": {"a": 1.5, "b": 2.0}, "payload": {"bytes": 9, "colour": "RED", "inner": {"bytes": 10, "colour": "RED", "inner": None}},
    "tags": ["x", "y"], "either": "text",
}


def write(name, schema, record):
    (out / f"{name}.avsc").write_text(json.dumps(schema, indent=1) + "\n")
    body = io.BytesIO()
    fastavro.schemaless_writer(body, fastavro.parse_schema(schema), record)
    (out / f"{name}.bin").write_bytes(body.getvalue())


def serialize(name, schema, record):
    client = SchemaRegistryClient.new_client({"url": "mock://"})
    context = SerializationContext("events", MessageField.VALUE)
    (out / f"{name}.framed").write_bytes(AvroSerializer(client, json.dumps(schema))(record, context))
    context = SerializationContext("events", MessageField.VALUE, {})
    header = AvroSerializer(client, json.dumps(schema), conf={"schema.id.serializer": header_schema_id_serializer})
    (out / f"{name}.body").write_bytes(header(record, context))
    (out / f"{name}.header").write_bytes(context.headers["__value_schema_id"])


out.mkdir(parents=True, exist_ok=True)
write("everything", everything, event)
flat = {"type": "record", "name": "Flat", "fields": [
    {"name": "id", "type": "string"}, {"name": "v", "type": {"type": "array", "items": "float"}}]}
write("flat", flat, {"id": "a", "v": [1.5, 2.5]})
serialize("flat", flat, {"id": "a", "v": [1.5, 2.5]})

# A change as Debezium's connector for Postgres registers and writes it, with pgvector's types.
change = {"type": "record", "name": "Envelope", "namespace": "pg.public.items", "connect.name": "pg.public.items.Envelope", "fields": [
    {"name": "before", "default": None, "type": ["null", {"type": "record", "name": "Value", "connect.name": "pg.public.items.Value", "fields": [
        {"name": "id", "type": "int"},
        {"name": "embedding", "default": None, "type": ["null", {
            "type": "array", "items": "float", "connect.version": 1, "connect.name": "io.debezium.data.FloatVector"}]},
        {"name": "words", "default": None, "type": ["null", {
            "type": "record", "name": "SparseVector", "namespace": "io.debezium.data", "connect.name": "io.debezium.data.SparseVector", "fields": [
                {"name": "dimensions", "type": {"type": "int", "connect.type": "int16"}},
                {"name": "vector", "type": {"type": "array", "connect.type": "map", "items": {
                    "type": "record", "name": "MapEntry", "namespace": "io.confluent.connect.avro", "fields": [
                        {"name": "key", "type": {"type": "int", "connect.type": "int16"}}, {"name": "value", "type": "double"}]}}}]}]},
        {"name": "made", "type": {"type": "long", "connect.version": 1, "connect.name": "io.debezium.time.MicroTimestamp"}}]}]},
    {"name": "after", "default": None, "type": ["null", "Value"]},
    {"name": "source", "type": {"type": "record", "name": "Source", "namespace": "io.debezium.connector.postgresql", "fields": [
        {"name": "lsn", "type": ["null", "long"], "default": None}, {"name": "table", "type": "string"}]}},
    {"name": "op", "type": "string"},
    {"name": "ts_ms", "type": ["null", "long"], "default": None}]}
row = {"id": 7, "embedding": [0.5, 7.0], "words": {"dimensions": 4, "vector": [{"key": 1, "value": 0.5}, {"key": 4, "value": 2.0}]}, "made": 1500}
source = {"lsn": 77, "table": "items"}
write("created", change, {"before": None, "after": row, "source": source, "op": "c", "ts_ms": 1})
write("deleted", change, {"before": row, "after": None, "source": source, "op": "d", "ts_ms": 1})

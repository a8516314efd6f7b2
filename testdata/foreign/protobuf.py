"""Writes the messages of testdata/foreign/protobuf: python3 protobuf.py DIR.

DIR has the schemas, event.proto and colour.proto. event.bin is a message as Google's library
writes it, event.binpb the descriptor set that protoc makes of the schemas. event.framed is
the value that confluent-kafka's ProtobufSerializer makes, and event.schema and colour.schema
what it registers. The serializer needs googleapis-common-protos besides requirements.txt."""
import datetime
import pathlib
import sys

import grpc_tools
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc

out = pathlib.Path(sys.argv[1])
standard = pathlib.Path(grpc_tools.__file__).parent / "_proto"
made = out / "event.binpb"
if protoc.main(["protoc", f"-I{out}", f"-I{standard}", f"--descriptor_set_out={made}", "--include_imports", "event.proto"]) != 0:
    raise SystemExit("protoc refused the schemas")

files = descriptor_pb2.FileDescriptorSet.FromString(made.read_bytes())
for f in files.file:
    if not f.name.startswith("google/"):
        descriptor_pool.Default().Add(f)
for name in ("duration", "struct", "timestamp", "wrappers"):
    __import__(f"google.protobuf.{name}_pb2")
Event = message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName("shop.Outer.Event"))

e = Event(id="é", n=-7, l=1 << 40, f=0.1, d=0.1, b=True, colour=2, v=[0.5, -2.0], ints=[1, -300], raw=b"\x00\x00\x80\x3f",
          scores={"a": 1.5, "b": 0}, number=9, large=(1 << 64) - 1, tags=["x", "y"])
e.payload.inner.inner.bytes = 10
e.at.FromDatetime(datetime.datetime(2025, 1, 2, 3, 4, 5, 678901))
e.took.FromTimedelta(datetime.timedelta(milliseconds=-1500))
e.maybe.SetInParent()
e.more.update({"x": 2, "deep": {"s": "t"}, "v": [1, 2]})
(out / "event.bin").write_bytes(e.SerializeToString(deterministic=True))

client = SchemaRegistryClient.new_client({"url": "mock://"})
framed = ProtobufSerializer(Event, client, {"use.deprecated.format": False})(e, SerializationContext("events", MessageField.VALUE))
(out / "event.framed").write_bytes(framed)
(out / "event.schema").write_text(client.get_latest_version("events-value").schema.schema_str + "\n")
(out / "colour.schema").write_text(client.get_latest_version("colour.proto").schema.schema_str + "\n")

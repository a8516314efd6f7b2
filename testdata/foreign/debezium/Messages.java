// Writes the messages beside it: changes of a table of Postgres with pgvector's columns, with
// Debezium's own types and envelope, as Kafka Connect's JsonConverter writes them, with and
// without the schema.
//
//     mvn -q -B -f pom.xml dependency:copy-dependencies -DoutputDirectory=DIR
//     java -cp 'DIR/*' Messages.java OUT
import io.debezium.data.Envelope;
import io.debezium.data.Uuid;
import io.debezium.data.VariableScaleDecimal;
import io.debezium.data.SpecialValueDecimal;
import io.debezium.data.vector.DoubleVector;
import io.debezium.data.vector.FloatVector;
import io.debezium.data.vector.SparseDoubleVector;
import io.debezium.time.Date;
import io.debezium.time.MicroTimestamp;
import io.debezium.time.ZonedTimestamp;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.json.JsonConverter;

class Messages {
    static final Schema ROW = SchemaBuilder.struct().optional().name("pg.public.items.Value")
        .field("id", Schema.INT64_SCHEMA)
        .field("label", Schema.OPTIONAL_STRING_SCHEMA)
        .field("embedding", FloatVector.builder().optional().build())
        .field("wide", DoubleVector.builder().optional().build())
        .field("sparse", SparseDoubleVector.builder().optional().build())
        .field("price", Decimal.builder(2).optional().build())
        .field("ratio", VariableScaleDecimal.builder().optional().build())
        .field("score", Schema.OPTIONAL_FLOAT64_SCHEMA)
        .field("good", Schema.OPTIONAL_BOOLEAN_SCHEMA)
        .field("raw", Schema.OPTIONAL_BYTES_SCHEMA)
        .field("day", Date.builder().optional().build())
        .field("seen", MicroTimestamp.builder().optional().build())
        .field("sent", ZonedTimestamp.builder().optional().build())
        .field("uuid", Uuid.builder().optional().build())
        .build();
    static final Schema KEY = SchemaBuilder.struct().name("pg.public.items.Key").field("id", Schema.INT64_SCHEMA).build();
    static final Schema SOURCE = SchemaBuilder.struct().name("io.debezium.connector.postgresql.Source")
        .field("version", Schema.STRING_SCHEMA).field("connector", Schema.STRING_SCHEMA).field("name", Schema.STRING_SCHEMA)
        .field("ts_ms", Schema.INT64_SCHEMA).field("db", Schema.STRING_SCHEMA).field("schema", Schema.STRING_SCHEMA)
        .field("table", Schema.STRING_SCHEMA).field("lsn", Schema.OPTIONAL_INT64_SCHEMA).build();
    static final Envelope ENVELOPE = Envelope.defineSchema().withName("pg.public.items.Envelope").withRecord(ROW).withSource(SOURCE).build();

    static Struct row(long id, String label, float... vector) {
        Struct row = new Struct(ROW).put("id", id).put("label", label)
            .put("embedding", FloatVector.fromLogical(ROW.field("embedding").schema(), vector))
            .put("wide", DoubleVector.fromLogical(ROW.field("wide").schema(), "[0.1,-1e-7,3]"))
            .put("sparse", SparseDoubleVector.fromLogical(ROW.field("sparse").schema(), "{1:0.5,4:2}/5"))
            .put("price", new BigDecimal("-12.50")).put("score", 3.0).put("good", true).put("raw", new byte[] {0, 0, (byte) 0x80, 0x3f})
            .put("day", 20000).put("seen", 1700000000123456L).put("sent", "2026-11-23T04:05:06.5Z").put("uuid", "123e4567-e89b-12d3-a456-426614174000");
        return row.put("ratio", VariableScaleDecimal.fromLogical(ROW.field("ratio").schema(), new SpecialValueDecimal(new BigDecimal("0.125"))));
    }

    static Struct source() {
        return new Struct(SOURCE).put("version", "3.0.8.Final").put("connector", "postgresql").put("name", "pg").put("ts_ms", 1700000000000L)
            .put("db", "shop").put("schema", "public").put("table", "items").put("lsn", 24023128L);
    }

    public static void main(String[] args) throws Exception {
        Instant at = Instant.ofEpochMilli(1700000000500L);
        Struct known = new Struct(ROW).put("id", 7L); // REPLICA IDENTITY DEFAULT: the key alone
        Map<String, Struct> changes = Map.of(
            "create", ENVELOPE.create(row(7, "blue \"é\"", 0.1f, -2.5f, 1e-9f), source(), at),
            "read", ENVELOPE.read(row(8, null, 0.25f, 1f, 2f), source(), at),
            "update", ENVELOPE.update(known, row(7, "red", 0.3f, 0.5f, 0.7f), source(), at),
            "delete", ENVELOPE.delete(known, source(), at),
            "truncate", ENVELOPE.truncate(source(), at));
        for (boolean schemas : List.of(true, false)) {
            JsonConverter value = new JsonConverter(), key = new JsonConverter();
            value.configure(Map.of("schemas.enable", schemas), false);
            key.configure(Map.of("schemas.enable", schemas), true);
            String end = schemas ? ".schema.json" : ".json";
            for (var c : changes.entrySet()) {
                Files.write(Path.of(args[0], c.getKey() + end), value.fromConnectData("items", ENVELOPE.schema(), c.getValue()));
            }
            Files.write(Path.of(args[0], "key" + end), key.fromConnectData("items", KEY, new Struct(KEY).put("id", 7L)));
            // What the transformation ExtractNewRecordState leaves.
            Files.write(Path.of(args[0], "flat" + end), value.fromConnectData("items", ROW, row(9, "flat", 1f, 2f, 3f)));
        }
    }
}

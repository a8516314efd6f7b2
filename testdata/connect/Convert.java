import io.apicurio.registry.utils.converter.avro.AvroData;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Base64;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;

/**
 * Convert shows what Kafka Connect makes of records in Avro. Each line of the input is a schema and a record in binary Avro, both
 * in Base64, with a tab between. Each field becomes a line: its name, Connect's type and the schema's name or -, "optional" or
 * "required", and the value. A line "." ends a record.
 */
public class Convert {
  public static void main(String[] args) throws Exception {
    AvroData data = new AvroData(100);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      String[] parts = line.split("\t");
      Schema schema = new Schema.Parser().parse(new String(Base64.getDecoder().decode(parts[0]), "UTF-8"));
      byte[] record = Base64.getDecoder().decode(parts[1]);
      Object value = new GenericDatumReader<Object>(schema).read(null, DecoderFactory.get().binaryDecoder(record, null));
      SchemaAndValue made = data.toConnectData(schema, value);
      Struct struct = (Struct) made.value();
      for (Field f : made.schema().fields()) {
        String name = f.schema().name();
        System.out.println(String.join("\t", f.name(), f.schema().type() + "", name == null ? "-" : name,
            f.schema().isOptional() ? "optional" : "required", struct.get(f) + ""));
      }
      System.out.println(".");
    }
  }
}

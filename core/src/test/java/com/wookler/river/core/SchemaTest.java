package com.wookler.river.core;

import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.testing.Generated;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the names of parameters that the schema offers to editors to those that the code takes. */
class SchemaTest {
  private static final Path XSD =
      Path.of("../common/src/main/resources/com/wookler/river/common/config/river.xsd");

  @Test
  void shouldOfferEveryParameterAndNoOther() throws Exception {
    hold("queueParam", QueueOptions.TABLE.allowed("queue", List.of()));
    hold("backupParam", QueueOptions.TABLE.allowed("backup", List.of()));
    hold("recycleParam", QueueOptions.TABLE.allowed("recycle", List.of()));
    hold(
        "subscriberParam",
        SubscriberOptions.TABLE.allowed("subscriber", QueueXml.PARAMS_OF_PROCESSORS));
  }

  private static void hold(String type, List<String> names) throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add("    <xs:restriction base=\"xs:string\">");
    names.forEach(name -> lines.add("      <xs:enumeration value=\"" + name + "\"/>"));
    Generated.hold(XSD, "<xs:simpleType name=\"" + type + "\">", "</xs:restriction>", lines);
  }
}

package com.wookler.river.rest.server;

import com.wookler.river.testing.Generated;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the names of parameters that the schema offers to editors to those that the code takes. */
class ParameterSchemaTest {
  private static final Path XSD =
      Path.of("../common/src/main/resources/com/wookler/river/common/config/river.xsd");

  @Test
  void shouldOfferEveryParameterAndNoOther() throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add("    <xs:restriction base=\"xs:string\">");
    for (String name : ServerOptions.TABLE.allowed("server", List.of())) {
      lines.add("      <xs:enumeration value=\"" + name + "\"/>");
    }
    Generated.hold(XSD, "<xs:simpleType name=\"serverParam\">", "</xs:restriction>", lines);
  }
}

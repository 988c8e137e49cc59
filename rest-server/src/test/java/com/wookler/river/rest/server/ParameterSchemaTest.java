package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.testing.XsdNames;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the names of parameters that the schema offers to editors to those that the code takes. */
class ParameterSchemaTest {
  private static List<String> offered(String type) throws Exception {
    try (InputStream xsd = ConfigParser.class.getResourceAsStream("river.xsd")) {
      return XsdNames.of(xsd, type);
    }
  }

  @Test
  void shouldOfferEveryParameterAndNoOther() throws Exception {
    List<String> known = new ArrayList<>(ServerXml.PARAMS);
    known.addAll(ServerXml.PARAMS_WITHOUT_EFFECT);

    assertThat(offered("serverParam")).containsExactlyInAnyOrderElementsOf(known);
  }
}

package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.testing.XsdNames;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the names of parameters that the schema offers to editors to those that the code takes. */
class SchemaTest {
  private static List<String> offered(String type) throws Exception {
    try (InputStream xsd = ConfigParser.class.getResourceAsStream("river.xsd")) {
      return XsdNames.of(xsd, type);
    }
  }

  @Test
  void shouldOfferEveryParameterAndNoOther() throws Exception {
    assertThat(offered("envParam")).containsExactlyInAnyOrderElementsOf(Env.PARAMS);
    assertThat(offered("taskManagerParam"))
        .containsExactlyInAnyOrderElementsOf(Env.TASK_MANAGER_PARAMS);
    assertThat(offered("monitorParam")).containsExactlyInAnyOrderElementsOf(MonitorSettings.PARAMS);
  }
}

package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.testing.XsdNames;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class ExecutorSchemaTest {
  @Test
  void shouldOfferEveryParameterOfAnExecutorAndNoOther() throws Exception {
    try (InputStream xsd = ConfigParser.class.getResourceAsStream("river.xsd")) {
      assertThat(XsdNames.of(xsd, "executorParam"))
          .containsExactlyInAnyOrderElementsOf(InlineExecutor.PARAMS);
    }
  }
}

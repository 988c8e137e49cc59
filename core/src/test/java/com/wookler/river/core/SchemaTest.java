package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.testing.XsdNames;
import java.io.InputStream;
import java.util.List;
import java.util.stream.Stream;
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
    assertThat(offered("queueParam"))
        .containsExactlyInAnyOrderElementsOf(
            all(QueueXml.QUEUE_PARAMS, QueueXml.QUEUE_PARAMS_WITHOUT_EFFECT));
    assertThat(offered("backupParam")).containsExactlyInAnyOrderElementsOf(QueueXml.BACKUP_PARAMS);
    assertThat(offered("subscriberParam"))
        .containsExactlyInAnyOrderElementsOf(
            all(
                all(QueueXml.SUBSCRIBER_PARAMS, QueueXml.SUBSCRIBER_PARAMS_OF_PROCESSORS),
                QueueXml.SUBSCRIBER_PARAMS_WITHOUT_EFFECT));
    assertThat(offered("recycleParam"))
        .containsExactlyInAnyOrderElementsOf(all(SizeBasedRecycle.PARAMS, TimeBasedRecycle.PARAMS));
  }

  private static List<String> all(List<String> some, List<String> others) {
    return Stream.concat(some.stream(), others.stream()).toList();
  }
}

package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.MessageConverter;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Properties of a consumer group that do not fit a source. */
class KafkaGroupTest {
  private static void assertRefused(Map<String, Object> properties, String why) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("bootstrap.servers", "127.0.0.1:1");
    assertThatThrownBy(() -> KafkaGroup.source(all, "orders", "billing", MessageConverter.utf8()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(why);
  }

  @Test
  void shouldRefuseWhatIsForOneConsumer() {
    assertRefused(Map.of("group.instance.id", "a"), "group.instance.id");
  }

  @Test
  void shouldRefuseACallThatEndsBeforeItsRequest() {
    assertRefused(
        Map.of("default.api.timeout.ms", 5_000, "request.timeout.ms", 30_000),
        "default.api.timeout.ms");
  }

  @Test
  void shouldCompleteTimeouts() {
    assertThat(completed(Map.of())).containsEntry("request.timeout.ms", 10_000);
    assertThat(completed(Map.of("request.timeout.ms", "30000")))
        .containsEntry("default.api.timeout.ms", 30_000);
    assertThat(completed(Map.of("default.api.timeout.ms", 5_000)))
        .containsEntry("request.timeout.ms", 5_000);
  }

  private static Map<String, Object> completed(Map<String, Object> given) {
    Map<String, Object> properties = new HashMap<>(given);
    ClientProperties.completeTimeouts(properties);
    ClientProperties.checkTimeouts(properties);
    return properties;
  }
}

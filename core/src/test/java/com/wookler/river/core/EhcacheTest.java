package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.ehcache.event.CacheEvent;
import org.ehcache.event.CacheEventListener;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache for redelivery, as a user configures it. */
class EhcacheTest {
  private static final Queue<String> CREATED = new ConcurrentLinkedQueue<>();

  @TempDir Path directory;

  /** Named in ehcache-redelivery.xml. */
  public static final class Recorder implements CacheEventListener<String, byte[]> {
    @Override
    public void onEvent(CacheEvent<? extends String, ? extends byte[]> event) {
      CREATED.add(event.getKey());
    }
  }

  @BeforeEach
  void forget() {
    CREATED.clear();
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory);
  }

  private static Path resource() throws URISyntaxException {
    URL url = EhcacheTest.class.getResource("/ehcache-redelivery.xml");
    return Path.of(Objects.requireNonNull(url).toURI());
  }

  private Path file(String content) throws IOException {
    return Files.writeString(directory.resolve("cache.xml"), content);
  }

  @Test
  void shouldUseTheCacheOfTheFileAndTheLogForWhatItEvicted() throws Exception {
    try (MessageQueue<String> queue = builder().ehcache(resource()).open()) {
      Subscriber<String> subscriber =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
      for (int i = 0; i < 20; i++) {
        queue
            .publisher()
            .publish(
                Message.of("m" + i)
                    .withKey("k" + i)
                    .withHeader("h", ("v" + i).getBytes(StandardCharsets.UTF_8)));
      }
      for (int attempt = 1; attempt <= 4; attempt++) {
        List<Delivery<String>> taken = subscriber.batch(100, Duration.ZERO);
        assertThat(taken).hasSize(20);
        for (Delivery<String> delivery : taken) {
          long i = delivery.sequence();
          assertThat(delivery.attempt()).isEqualTo(attempt);
          assertThat(delivery.data()).isEqualTo("m" + i);
          assertThat(delivery.key()).isEqualTo("k" + i);
          assertThat(delivery.headers().get("h"))
              .isEqualTo(("v" + i).getBytes(StandardCharsets.UTF_8));
          delivery.nack(Duration.ZERO);
        }
        assertThat(CREATED.isEmpty()).as("filled at the first redelivery").isEqualTo(attempt == 1);
      }
      assertThat(CREATED).hasSizeGreaterThanOrEqualTo(20);
    }
  }

  @Test
  void shouldServeTheSameMessageToTwoSubscribersAndTwoQueues() throws Exception {
    try (MessageQueue<String> queue = builder().ehcache(resource()).open();
        MessageQueue<String> other =
            MessageQueue.builder("other", MessageConverter.utf8())
                .directory(directory)
                .ehcache(resource())
                .open()) {
      queue.publisher().publish("of orders");
      other.publisher().publish("of other");
      for (String name : List.of("one", "two")) {
        SubscriberConfig config = SubscriberConfig.builder(name).ack(true).build();
        queue.subscriber(config).next().nack(Duration.ZERO);
        other.subscriber(config).next().nack(Duration.ZERO);
        assertThat(queue.subscriber(config).next().data()).isEqualTo("of orders");
        assertThat(other.subscriber(config).next().data()).isEqualTo("of other");
      }
    }
  }

  private void shouldRefuse(Path file, String what) {
    assertThatThrownBy(() -> builder().ehcache(file).open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("ehcache.config")
        .hasMessageContaining(String.valueOf(file.getFileName()))
        .hasMessageContaining(what);
    builder().open().close(); // nothing stayed open
  }

  @Test
  void shouldRefuseAFileThatIsMissing() {
    shouldRefuse(directory.resolve("missing.xml"), "no readable file");
  }

  @Test
  void shouldRefuseAFileThatIsNotEhcaches() throws IOException {
    shouldRefuse(file("<config"), "");
    shouldRefuse(file("<other/>"), "");
    shouldRefuse(directory, "");
  }

  @Test
  void shouldRefuseAFileWithoutAFittingCache() throws IOException {
    shouldRefuse(
        file(
            """
            <config xmlns="http://www.ehcache.org/v3">
              <cache alias="strings">
                <key-type>java.lang.String</key-type>
                <value-type>java.lang.String</value-type>
                <heap unit="entries">10</heap>
              </cache>
            </config>
            """),
        "value-type [B");
  }

  @Test
  void shouldRedeliverFromTheBuiltInCacheWithoutAFile() {
    try (MessageQueue<String> queue = builder().open()) {
      queue.publisher().publish("m0");
      Subscriber<String> subscriber =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
      for (int attempt = 1; attempt < 5; attempt++) {
        Delivery<String> delivery = subscriber.next();
        assertThat(delivery.data()).isEqualTo("m0");
        assertThat(delivery.attempt()).isEqualTo(attempt);
        delivery.nack(Duration.ZERO);
      }
    }
  }
}

package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.River;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.testing.CapturedLog;
import com.wookler.river.testing.GeneratedOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A forwarder that is configured in XML, and its options in the schema and in the documentation.
 */
@Timeout(120)
class ForwarderXmlTest {
  @TempDir Path directory;

  /** As a file names it. */
  public static final class Text implements MessageConverter<String> {
    /** For the file. */
    public Text() {}

    @Override
    public byte[] toBytes(String data) {
      return data.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String fromBytes(byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private Path file(String forward) throws IOException {
    return Files.writeString(
        directory.resolve("river.xml"),
        """
        <river>
          <queue name="orders">
            <params>
              <param name="queue.message.converter" value="%s"/>
              <param name="queue.directory" value="%s"/>
            </params>
            <subscribers><subscriber name="all"/></subscribers>
          </queue>
          %s
        </river>
        """
            .formatted(Text.class.getName(), directory.resolve("data"), forward));
  }

  private static String forward(String queue, String... params) {
    StringBuilder text = new StringBuilder("<kafka-forward queue=\"" + queue + "\"><params>");
    for (int i = 0; i < params.length; i += 2) {
      text.append("<param name=\"" + params[i] + "\" value=\"" + params[i + 1] + "\"/>");
    }
    return text + "</params></kafka-forward>";
  }

  @Test
  void shouldBeStartedAndClosedWithRiver() throws Exception {
    String servers = closedPort();
    Path file =
        file(
            forward(
                "orders",
                "forward.topic",
                "topic",
                "forward.pause",
                "20ms",
                "forward.topic.expression",
                "key",
                "kafka.bootstrap.servers",
                servers,
                "kafka.linger.ms",
                "1"));
    try (CapturedLog log = new CapturedLog(ForwardLoop.class);
        River river = River.open(file)) {
      await().until(() -> !log.warnings().isEmpty());
      assertThat(log.warnings().get(0)).contains("orders").contains(servers);
      assertThat(river.queue("orders").subscriberNames()).contains("kafka");
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("RIVER-kafka-orders");
  }

  private static String closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  @Test
  void shouldSayWhatIsWrongAndLeaveNothingOpen() throws Exception {
    String servers = "kafka.bootstrap.servers";
    refuses(forward("orders", servers, "a:1", "forward.pause", "0ms"), "forward.pause is PT0S");
    refuses(forward("orders", servers, "a:1", "forward.paus", "1ss"), "forward.paus");
    refuses(forward("orders", servers, "a:1", "kafka.acks", "1"), "acks");
    refuses(forward("orders", servers, "a:1", "kafka.linger.ms", "mine-x"), "linger.ms");
    refuses(forward("orders"), servers);
    refuses(forward("others", servers, "a:1"), "there is no <queue name=\"others\">");
    River.open(file("")).close();
  }

  private void refuses(String forward, String why) throws IOException {
    Path file = file(forward);
    assertThatThrownBy(() -> River.open(file).close())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(why)
        .hasMessageContaining("river.xml");
  }

  @Test
  void shouldHaveTheRowsOfTheCode() throws IOException {
    GeneratedOptions.holdRows(
        "[scaling.md](scaling.md#from-a-queue-to-a-topic).",
        "| kafka-forward | – |",
        ForwarderOptions.TABLE.rows().stream().map(option -> option.documented()).toList());
  }

  @Test
  void shouldOfferEveryParameterToEditors() throws IOException {
    GeneratedOptions.holdNames(
        "kafkaForwardParam", ForwarderOptions.TABLE.allowed("kafka-forward", List.of()));
  }
}

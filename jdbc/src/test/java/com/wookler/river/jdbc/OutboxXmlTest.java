package com.wookler.river.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.River;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.testing.GeneratedOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An outbox that is configured in XML, and its options in the schema and in the documentation. */
@Timeout(120)
class OutboxXmlTest {
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

  private String url() {
    return "jdbc:h2:file:" + directory.resolve("database");
  }

  private Path file(String outbox) throws IOException {
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
            .formatted(Text.class.getName(), directory.resolve("data"), outbox));
  }

  private static String outbox(String queue, String... params) {
    StringBuilder text = new StringBuilder("<outbox queue=\"" + queue + "\"><params>");
    for (int i = 0; i < params.length; i += 2) {
      text.append("<param name=\"outbox." + params[i] + "\" value=\"" + params[i + 1] + "\"/>");
    }
    return text + "</params></outbox>";
  }

  @Test
  void shouldBeStartedAndClosedWithRiver() throws Exception {
    Path file =
        file(
            outbox(
                "orders",
                "url",
                url(),
                "user",
                "sa",
                "create",
                "true",
                "poll",
                "5ms",
                "lease",
                "1ss",
                "table",
                "outgoing"));
    Outbox<String> outbox = new Outbox<>("orders", MessageConverter.utf8(), "outgoing");
    try (Connection connection = DriverManager.getConnection(url(), "sa", "")) {
      connection.setAutoCommit(false);
      outbox.createTables(connection);
      try (River river = River.open(file)) {
        outbox.write(connection, "first");
        connection.commit();
        MessageQueue<String> queue = river.queue("orders");
        Delivery<String> delivery = queue.subscriber("all").next(Duration.ofSeconds(60));
        assertThat(delivery.data()).isEqualTo("first");
      }
      assertThat(Thread.getAllStackTraces().keySet())
          .extracting(Thread::getName)
          .doesNotContain("RIVER-outbox-orders");
    }
  }

  @Test
  void shouldSayWhatIsWrongAndLeaveNothingOpen() throws Exception {
    refuses(outbox("orders", "url", url(), "poll", "0ms"), "outbox.poll is PT0S");
    refuses(outbox("orders", "url", url(), "pol", "1ms"), "outbox.pol");
    refuses(outbox("orders", "url", url(), "table", "a;b"), "'a;b' is not the name of a table");
    refuses(outbox("orders"), "outbox.url");
    refuses(outbox("orders", "url", "jdbc:none://secret-of-mine"), "no driver");
    refuses(outbox("others", "url", url()), "there is no <queue name=\"others\">");
    River.open(file("")).close();
  }

  private void refuses(String outbox, String why) throws IOException {
    Path file = file(outbox);
    assertThatThrownBy(() -> River.open(file).close())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(why)
        .hasMessageContaining("river.xml")
        .hasMessageNotContaining("mine");
  }

  @Test
  void shouldHaveTheRowsOfTheCode() throws IOException {
    GeneratedOptions.holdRows(
        "[database.md](database.md#from-a-database-the-outbox).",
        "| outbox | – |",
        OutboxOptions.TABLE.rows().stream().map(option -> option.documented()).toList());
  }

  @Test
  void shouldOfferEveryParameterToEditors() throws IOException {
    GeneratedOptions.holdNames("outboxParam", OutboxOptions.TABLE.allowed("outbox", List.of()));
  }
}

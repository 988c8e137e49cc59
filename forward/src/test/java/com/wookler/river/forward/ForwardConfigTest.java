package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.River;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.testing.CapturedLog;
import com.wookler.river.testing.GeneratedOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** From where a queue forwards to a target, which messages, and as what. */
@Timeout(120)
class ForwardConfigTest extends QueuesFixture {
  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

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

  private MessageQueue<String> open(String name, ForwardConfig... forwards) {
    MessageQueue.Builder<String> builder = builder(name).timeSource(time);
    List<String> targets = new ArrayList<>();
    for (ForwardConfig each : forwards) {
      builder.with(each);
      targets.add(each.target());
    }
    return open(builder.forwardTo(targets.toArray(new String[0])));
  }

  private static void publish(MessageQueue<String> queue, int from, int to) {
    for (int i = from; i < to; i++) {
      queue.publisher().publish("m" + i);
    }
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "m" + i).toList();
  }

  private void awaitForwarded(MessageQueue<String> queue, List<String> expected) {
    await()
        .untilAsserted(
            () -> {
              time.advance(Duration.ofMillis(5)); // until there is a force
              assertThat(data(queue)).isEqualTo(expected);
            });
  }

  private static ForwardStats stats(MessageQueue<String> queue) {
    return Forwards.of(queue).stats().get(0);
  }

  private static ForwardConfig.Builder toAudit() {
    return ForwardConfig.to("audit");
  }

  @Test
  void shouldBeginWhereItsSettingsSayOnlyWhenTheTargetIsNew() {
    MessageQueue<String> before = open("orders");
    publish(before, 0, 10);
    time.advance(Duration.ofMinutes(1));
    publish(before, 10, 20);
    shut(before);
    MessageQueue<String> latest = open("latest");
    MessageQueue<String> since = open("since");
    MessageQueue<String> from = open("from");
    MessageQueue<String> all = open("all");
    ForwardConfig[] configs = {
      ForwardConfig.to("latest").start(Position.latest()).build(),
      ForwardConfig.to("since").start(Position.time(time.wallTime())).build(),
      ForwardConfig.to("from").start(Position.sequence(15)).build(),
      ForwardConfig.to("all").build(),
    };
    shut(open("orders", configs)); // fixed by now
    MessageQueue<String> orders = open("orders", configs);
    publish(orders, 20, 25);
    awaitForwarded(latest, numbers(20, 25));
    awaitForwarded(since, numbers(10, 25));
    awaitForwarded(from, numbers(15, 25));
    awaitForwarded(all, numbers(0, 25));
    assertThat(Forwards.of(orders).stats().get(0).forwarded()).isEqualTo(5);
  }

  @Test
  void shouldForwardWhatItsFilterAcceptsAndNeedNoBlockForTheRest() {
    MessageQueue<String> audit = open("audit");
    MessageQueue<String> orders =
        open("orders", toAudit().filter("headers.type == 'order'").build());
    for (int i = 0; i < 50; i++) {
      orders
          .publisher()
          .publish(
              Message.of("m" + i)
                  .withHeader(
                      "type", (i % 10 == 3 ? "order" : "other").getBytes(StandardCharsets.UTF_8)));
    }
    awaitForwarded(audit, List.of("m3", "m13", "m23", "m33", "m43"));
    await()
        .untilAsserted(
            () -> {
              time.advance(Duration.ofMillis(5));
              assertThat(stats(orders))
                  .isEqualTo(new ForwardStats("audit", 50, 0, 50, 5, 0, 45, 0, 0, ""));
            });
    shut(orders);
    MessageQueue<String> other = open("orders", toAudit().filter("key == 'x'").build());
    publish(other, 50, 55);
    other.publisher().publish(Message.of("x").withKey("x"));
    awaitForwarded(audit, List.of("m3", "m13", "m23", "m33", "m43", "x"));
    assertThat(stats(other).filtered()).isEqualTo(5); // what was passed before stays so
  }

  @Test
  void shouldMapKeyHeadersAndData() {
    MessageQueue<String> audit = open("audit");
    MessageQueue<String> orders =
        open(
            "orders",
            toAudit()
                .key("json.customer")
                .headers("{'region': key, 'secret': null, 'count': size(json.items)}")
                .data("json.items")
                .build());
    orders
        .publisher()
        .publish(
            Message.of("{\"customer\":\"c7\",\"items\":[{\"price\":1.5},2]}")
                .withKey("EU")
                .withHeader("secret", new byte[1])
                .withHeader("kept", "yes".getBytes(StandardCharsets.UTF_8)));
    orders.publisher().publish("{\"items\":\"none\"}");
    awaitForwarded(audit, List.of("[{\"price\":1.5},2]", "none"));
    Delivery<String> first = audit.read(0).orElseThrow();
    assertThat(first.key()).isEqualTo("c7");
    assertThat(text(first.headers())).containsEntry("region", "EU").containsEntry("count", "2");
    assertThat(text(first.headers())).containsEntry("kept", "yes").doesNotContainKey("secret");
    Delivery<String> second = audit.read(1).orElseThrow();
    assertThat(second.key()).isNull();
    assertThat(text(second.headers())).containsEntry("count", "4").doesNotContainKey("region");
    assertThat(orders.read(0).orElseThrow().key()).isEqualTo("EU");
  }

  private static Map<String, String> text(Map<String, byte[]> headers) {
    Map<String, String> texts = new HashMap<>();
    headers.forEach((name, value) -> texts.put(name, new String(value, StandardCharsets.UTF_8)));
    return texts;
  }

  @Test
  void shouldPassOverOrOnWhatFails() throws IOException {
    MessageQueue<String> audit = open("audit");
    MessageQueue<String> billing = open("billing");
    try (CapturedLog said = new CapturedLog("com.wookler.river.forward")) {
      MessageQueue<String> orders =
          open(
              "orders",
              toAudit().data("json.a").build(),
              ForwardConfig.to("billing").data("json.a").onFailure(OnFailure.PASS).build());
      for (String data : List.of("{\"a\":\"1\"}", "no json", "{}", "{\"a\":\"2\"}")) {
        orders.publisher().publish(data);
      }
      awaitForwarded(audit, List.of("1", "2"));
      awaitForwarded(billing, List.of("1", "no json", "{}", "2"));
      assertThat(stats(orders).failed()).isEqualTo(2);
      assertThat(Forwards.of(orders).stats().get(1).failed()).isEqualTo(2);
      assertThat(said.lines()).hasSize(2).allMatch(line -> line.contains("sequence 1"));
    }
  }

  @Test
  void shouldWaitWhereItsFilterFailsUntilThatIsAnother() {
    MessageQueue<String> audit = open("audit");
    ForwardConfig waits = toAudit().filter("json.a > 1").onFailure(OnFailure.WAIT).build();
    MessageQueue<String> orders = open("orders", waits);
    for (String data : List.of("{\"a\":2}", "{\"a\":1}", "no json", "{\"a\":3}")) {
      orders.publisher().publish(data);
    }
    awaitForwarded(audit, List.of("{\"a\":2}"));
    await().until(() -> stats(orders).waiting().contains("sequence 2"));
    assertThat(stats(orders).failed()).isEqualTo(1);
    shut(orders);
    MessageQueue<String> again = open("orders", toAudit().filter("json.a > 1").build());
    awaitForwarded(audit, List.of("{\"a\":2}", "{\"a\":3}"));
    assertThat(stats(again).failed()).isEqualTo(1);
  }

  @Test
  void shouldFailOverWhatTheTargetCouldNotHold() {
    MessageQueue<String> audit = open("audit");
    String larger = "key" + " + key".repeat(1_000);
    MessageQueue<String> orders =
        open("orders", toAudit().key("key == 'long' ? " + larger + " : key").build());
    String half = "k".repeat(100);
    orders.publisher().publish(Message.of("too long").withKey("long"));
    orders.publisher().publish(Message.of("fits").withKey(half));
    awaitForwarded(audit, List.of("too long", "fits"));
    shut(orders);
    MessageQueue<String> wide = open("orders", toAudit().key(larger).build());
    wide.publisher().publish(Message.of("too long").withKey(half));
    wide.publisher().publish(Message.of("list").withKey("k"));
    awaitForwarded(audit, List.of("too long", "fits", "list"));
    assertThat(stats(wide).failed()).isEqualTo(1);
  }

  @Test
  void shouldRefuseSettingsThatFitNothing() {
    assertThatThrownBy(() -> toAudit().filter("key ==").build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("column");
    assertThatThrownBy(() -> toAudit().data("System.exit(1)").build())
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(
            () ->
                MessageQueue.builder("orders", MessageConverter.utf8())
                    .directory(directory)
                    .forwardTo("billing")
                    .with(toAudit().build())
                    .open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("audit, which queue.forward does not name");
    assertThat(toAudit().key("key").build()).isEqualTo(toAudit().key("key").build());
    assertThat(toAudit().key("key").build()).isNotEqualTo(toAudit().build());
  }

  private Path file(String forwards) throws IOException {
    return Files.writeString(
        directory.resolve("river.xml"),
        """
        <river>
          <queue name="orders">
            <params>
              <param name="queue.message.converter" value="%1$s"/>
              <param name="queue.directory" value="%2$s"/>
              <param name="queue.forward" value="audit"/>
            </params>
            %3$s
          </queue>
          <queue name="audit">
            <params>
              <param name="queue.message.converter" value="%1$s"/>
              <param name="queue.directory" value="%2$s"/>
            </params>
          </queue>
        </river>
        """
            .formatted(Text.class.getName(), directory.resolve("queues"), forwards));
  }

  @Test
  void shouldReadWhatAFileSays() throws IOException {
    Path file =
        file(
            """
            <forwards><forward queue="audit"><params>
              <param name="forward.start" value="latest"/>
              <param name="forward.filter" value="json.a > 1"/>
              <param name="forward.data" value="json.a"/>
              <param name="forward.on.failure" value="pass"/>
            </params></forward></forwards>
            """);
    try (River river = River.open(file)) {
      MessageQueue<String> orders = river.queue("orders");
      List.of("{\"a\":1}", "{\"a\":2}", "x").forEach(orders.publisher()::publish);
      awaitForwarded(river.queue("audit"), List.of("2", "x"));
    }
  }

  @Test
  void shouldNameTheLineOfWhatIsWrong() throws IOException {
    String to = "<forwards>\n<forward queue=\"%s\">%s</forward>\n</forwards>";
    String param = "<params><param name=\"%s\" value=\"%s\"/></params>";
    refuses(to.formatted("billing", ""), "queue.forward does not name the queue billing");
    refuses(to.formatted("audit", param.formatted("forward.filter", "key ==")), "column");
    refuses(to.formatted("audit", param.formatted("forward.start", "soon")), "'soon'");
    refuses(to.formatted("audit", param.formatted("forward.on.failure", "x")), "SKIP");
    refuses(to.formatted("audit", param.formatted("forward.unknown", "x")), "forward.unknown");
    refuses(
        "<forwards><forward queue=\"audit\"/>\n<forward queue=\"audit\"/></forwards>",
        "two <forward>s");
  }

  private void refuses(String forwards, String why) throws IOException {
    Path file = file(forwards);
    assertThatThrownBy(() -> River.open(file).close())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(why)
        .hasMessageContaining("river.xml");
    assertThat(ConfigParser.parse(file).name()).isEqualTo("river");
  }

  @Test
  void shouldHaveTheRowsOfTheCode() throws IOException {
    GeneratedOptions.holdRows(
        "`ForwardConfig.to(target)` in Java:",
        "Expressions are those of",
        ForwardOptions.TABLE.rows().stream().map(option -> option.documented()).toList());
  }

  @Test
  void shouldOfferEveryParameterToEditors() throws IOException {
    GeneratedOptions.holdNames("forwardParam", ForwardOptions.TABLE.allowed("forward", List.of()));
  }
}

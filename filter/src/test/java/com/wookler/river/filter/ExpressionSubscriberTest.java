package com.wookler.river.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.River;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Subscribers whose filters are expressions, in code and in XML. */
@Timeout(120)
class ExpressionSubscriberTest {
  @TempDir Path directory;

  private MessageQueue<String> open() {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
  }

  @Test
  void shouldHandOverOnlyWhatItsExpressionWants() {
    FilterExpression expression = FilterExpression.parse("key == 'EU' && json.amount > 100");
    SubscriberConfig config =
        SubscriberConfig.builder("picky").ack(true).filterExpression(expression.text()).build();
    try (MessageQueue<String> queue = open()) {
      Subscriber<String> picky = queue.subscriber(config);
      queue.publisher().publish(Message.of("{\"amount\": 150}").withKey("EU"));
      queue.publisher().publish(Message.of("{\"amount\": 150}").withKey("US"));
      queue.publisher().publish(Message.of("no JSON").withKey("EU"));
      queue.publisher().publish(Message.of("{\"amount\": 250}").withKey("EU"));
      assertThat(picky.peek(9)).extracting(Delivery::sequence).containsExactly(0L, 3L);
      picky.next().ack();
      assertThat(picky.next().data()).isEqualTo("{\"amount\": 250}");
      assertThat(picky.stats().filtered()).isEqualTo(2);
      assertThat(picky.stats().lag()).isEqualTo(1);
      assertThat(queue.subscriber(config)).isSameAs(picky);
    }

    try (MessageQueue<String> queue = open()) {
      assertThat(queue.subscriber("picky").config().filter()).isEqualTo(expression);
      assertThat(queue.subscriber("picky").next().sequence()).isEqualTo(3);
    }
  }

  @Test
  void shouldNameAFilterThatDiffers() {
    SubscriberConfig all = SubscriberConfig.builder("picky").build();
    SubscriberConfig some =
        SubscriberConfig.builder("picky").filterExpression("key == 'EU'").build();

    assertThat(all.differences(some)).containsExactly("subscriber.filter is none, not key == 'EU'");
    assertThat(all.equalsButForStart(some)).isFalse();
    assertThat(
            some.differences(
                SubscriberConfig.builder("picky").filterExpression("key == 'EU'").build()))
        .isEmpty();
  }

  /** A converter that XML can name. */
  public static final class Text implements MessageConverter<String> {
    @Override
    public byte[] toBytes(String data) {
      return data.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String fromBytes(byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  /** A filter that XML can name. */
  public static final class Code implements Predicate<Message<String>> {
    @Override
    public boolean test(Message<String> message) {
      return true;
    }
  }

  private static String param(String name, Object value) {
    return "<param name='%s' value='%s'/>\n".formatted(name, value);
  }

  /** Writes a configuration whose only subscriber has these parameters. */
  private Path write(String params) throws IOException {
    return Files.writeString(
        directory.resolve("orders.xml"),
        """
        <river><queue name='orders'><params>
        %s%s</params>
        <subscribers><subscriber name='billing'><params>
        %s</params></subscriber></subscribers></queue></river>
        """
            .formatted(
                param("queue.message.converter", Text.class.getName()),
                param("queue.directory", directory),
                params));
  }

  private void shouldRefuse(String params, String pattern) throws IOException {
    Path file = write(params);
    assertThatThrownBy(() -> River.open(file))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageMatching("(?s).*orders\\.xml:\\d+.*" + pattern);
    assertThat(directory.resolve("orders")).doesNotExist();
  }

  @Test
  void shouldTakeAnExpressionInXmlAndNameThePlaceOfAnErrorInIt() throws IOException {
    shouldRefuse(
        param("subscriber.filter.expression", "json.amount >"),
        "subscriber\\.filter\\.expression.*");
    shouldRefuse(
        param("subscriber.filter.expression", "key == \"EU\" &amp;&amp; foo == 1"),
        ": <subscriber name=\"billing\">, parameter 'subscriber\\.filter\\.expression':"
            + " column 16 of the filter expression: 'foo' is unknown;.*");
    shouldRefuse(
        param("subscriber.filter.expression", "true")
            + param("subscriber.filter", Code.class.getName()),
        "subscriber\\.filter\\.expression.*give one of them.*");
    River.open(write(param("subscriber.filter.expression", "json.amount &gt; 100"))).close();
  }

  @Test
  void shouldNameAnotherFilterAtAReload() throws IOException {
    try (River river = River.open(write(param("subscriber.filter", Code.class.getName())))) {
      Path unused = write(param("subscriber.filter.expression", "true"));

      assertThat(river.reload().needsReopening())
          .singleElement()
          .asString()
          .startsWith("queue orders, subscriber billing: subscriber.filter is ")
          .endsWith(", not true");
    }
  }
}

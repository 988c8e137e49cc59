package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.config.Durations;
import com.wookler.river.common.config.Sizes;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.ack.Limits;
import com.wookler.river.core.ack.Retries;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds docs/configuration.md to the code: what is in one of the two only fails. */
class ConfigurationDocTest {
  private static final QueueSettings<String> QUEUE =
      new QueueSettings<>("q", MessageConverter.utf8());

  private static final Path DOC = Path.of("..", "docs", "configuration.md");
  private static final Pattern JAVA_METHOD = Pattern.compile("`([\\w.]+)\\(([^)`]*)\\)`");

  @TempDir Path directory;

  private String doc;
  private List<Row> settings;
  private List<Row> withoutEffect;

  /** A row of a table: its cells, without the quotes of code. */
  private record Row(List<String> cells) {
    String element() {
      return cells.get(0);
    }

    String name() {
      return cells.get(1).replace("`", "");
    }

    boolean isParam() {
      return cells.get(1).startsWith("`");
    }

    String java() {
      return cells.get(2);
    }

    String dflt() {
      return cells.get(3).replace("`", "");
    }

    /** The values in quotes in the column of what is allowed. */
    List<String> allowed() {
      return Pattern.compile("`([^`]+)`")
          .matcher(cells.get(5))
          .results()
          .map(found -> found.group(1))
          .toList();
    }
  }

  @BeforeEach
  void read() throws IOException {
    doc = Files.readString(DOC);
    settings = rows("| element | XML name | Java |");
    withoutEffect = rows("| element | XML name | why");
  }

  private List<Row> rows(String heading) {
    return doc.substring(doc.indexOf(heading))
        .lines()
        .takeWhile(line -> line.startsWith("|"))
        .skip(2)
        .map(
            line ->
                new Row(
                    Arrays.stream(line.substring(1, line.length() - 1).split("\\|"))
                        .map(String::trim)
                        .toList()))
        .toList();
  }

  private static Set<String> params(List<Row> rows, String element) {
    return rows.stream()
        .filter(row -> row.isParam() && row.element().equals(element))
        .map(Row::name)
        .collect(Collectors.toSet());
  }

  private Row row(String param) {
    return settings.stream().filter(row -> row.name().equals(param)).findFirst().orElseThrow();
  }

  @Test
  void shouldHaveEveryParameterAndNoOther() {
    assertThat(params(settings, "queue"))
        .containsExactlyInAnyOrderElementsOf(QueueXml.QUEUE_PARAMS);
    assertThat(params(settings, "backup"))
        .containsExactlyInAnyOrderElementsOf(QueueXml.BACKUP_PARAMS);
    assertThat(params(settings, "subscriber"))
        .containsExactlyInAnyOrderElementsOf(QueueXml.SUBSCRIBER_PARAMS);
    assertThat(params(settings, "recycle"))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(SizeBasedRecycle.PARAMS, TimeBasedRecycle.PARAMS)
                .flatMap(List::stream)
                .toList());
  }

  @Test
  void shouldHaveBothFormsOfEverySettingOfAQueueAndItsSubscribers() {
    assertThat(settings)
        .filteredOn(row -> row.name().equals("–"))
        .extracting(Row::java)
        .containsExactly("`timeSource(TimeSource)`"); // an object of the test that moves it
    assertThat(settings)
        .filteredOn(row -> row.java().equals("–"))
        .extracting(Row::element)
        .isSubsetOf("env", "monitor", "task-manager");
  }

  @Test
  void shouldListWhatHasNoEffect() {
    assertThat(params(withoutEffect, "queue"))
        .containsExactlyInAnyOrderElementsOf(QueueXml.QUEUE_PARAMS_WITHOUT_EFFECT);
    assertThat(params(withoutEffect, "subscriber"))
        .containsExactlyInAnyOrderElementsOf(QueueXml.SUBSCRIBER_PARAMS_WITHOUT_EFFECT);
  }

  @Test
  void shouldHaveEveryMethodOfTheBuildersAndNoOther() {
    Set<String> known = new HashSet<>();
    known.addAll(signatures(MessageQueue.Builder.class, ""));
    known.addAll(signatures(QueueOptions.class, ""));
    known.addAll(signatures(SubscriberConfig.Builder.class, ""));
    known.removeAll(Set.of("open()", "build()"));
    known.add("builder(name, converter)");
    known.add("SubscriberConfig.builder(name)");
    known.addAll(signatures(SizeBasedRecycle.class, "SizeBasedRecycle."));
    known.addAll(signatures(TimeBasedRecycle.class, "TimeBasedRecycle."));
    Set<String> documented =
        settings.stream()
            .flatMap(row -> JAVA_METHOD.matcher(row.java()).results())
            .map(found -> found.group(1) + "(" + found.group(2) + ")")
            .collect(Collectors.toSet());

    assertThat(documented).containsExactlyInAnyOrderElementsOf(known);
  }

  /** Public methods as the table shows them; of a class that is no builder, the static ones. */
  private static Set<String> signatures(Class<?> type, String prefix) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
        .filter(method -> prefix.isEmpty() || Modifier.isStatic(method.getModifiers()))
        .map(method -> prefix + method.getName() + "(" + types(method) + ")")
        .collect(Collectors.toSet());
  }

  private static String types(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(type -> type.getSimpleName().replace("[]", "..."))
        .collect(Collectors.joining(", "));
  }

  @Test
  void shouldGiveTheDefaultsOfQueues() {
    assertThat(row("queue.directory").dflt()).isEqualTo("required in XML, else " + QUEUE.directory);
    assertThat(row("queue.onstart.reload").dflt()).isEqualTo(String.valueOf(QUEUE.reload));
    assertThat(duration("queue.discarded.retention")).isEqualTo(QUEUE.discardedRetention);
    assertThat(row("queue.durability").dflt()).isEqualTo(Durability.MEMORY.name());
    assertThat(duration("queue.sync.interval")).isEqualTo(QUEUE.syncInterval);
    assertThat(row("queue.on.damage").dflt()).isEqualTo(QUEUE.onDamage.name());
    assertThat(size("queue.block.bytes")).isEqualTo(QUEUE.blockBytes);
    assertThat(size("queue.max.message.bytes")).isEqualTo(QUEUE.maxMessageBytes);
    assertThat(row("queue.max.messages").dflt()).isEqualTo("any number");
    assertThat(row("queue.max.bytes").dflt()).isEqualTo("any number");
    assertThat(QUEUE.maxMessages).isEqualTo(QUEUE.maxBytes).isEqualTo(Long.MAX_VALUE);
    assertThat(row("queue.full.policy").dflt()).isEqualTo(QUEUE.fullPolicy.name());
    assertThat(duration("queue.full.timeout")).isEqualTo(QUEUE.fullTimeout);
    assertThat(duration("queue.deduplicate")).isEqualTo(QUEUE.deduplicate);
    assertThat(row("queue.index.keys").dflt()).isEqualTo(String.valueOf(QUEUE.keyIndex));
    assertThat(row("queue.forward").dflt()).isEqualTo("none");
    assertThat(QUEUE.forward).isSameAs(ForwardConfig.NONE);
    assertThat(row("queue.fanout.only").dflt()).isEqualTo(String.valueOf(QUEUE.forward.only()));
    assertThat(duration("queue.max.age")).isEqualTo(QUEUE.maxAge);
    assertThat(row("queue.expiry.queue").dflt()).isEqualTo("none: they go nowhere");
    assertThat(QUEUE.expiryQueue).isNull();
    assertThat(size("queue.max.expire.sweep")).isEqualTo(QUEUE.maxExpireSweep);
    assertThat(QUEUE.retention).isSameAs(Retention.NONE); // as the rows say: for good
  }

  @Test
  void shouldGiveTheDefaultsOfSubscribers() {
    SubscriberConfig defaults = SubscriberConfig.builder("audit").build();
    assertThat(row("subscriber.ack.required").dflt())
        .isEqualTo(String.valueOf(defaults.ackRequired()));
    assertThat(duration("subscriber.ack.timeout")).isEqualTo(defaults.ackTimeout());
    assertThat(row("subscriber.ack.durability").dflt()).isEqualTo(defaults.ackDurability().name());
    assertThat(size("subscriber.max.in.flight")).isEqualTo(defaults.maxInFlight());
    assertThat(size("subscriber.window")).isEqualTo(defaults.window());
    assertThat(size("subscriber.max.deliveries")).isEqualTo(defaults.maxDeliveries());
    assertThat(row("subscriber.backoff").dflt()).isEqualTo(defaults.backoff().toString());
    assertThat(size("subscriber.dead.max")).isEqualTo(defaults.deadLetterLimit());
    assertThat(duration("subscriber.dead.age")).isEqualTo(defaults.deadLetterAge());
    assertThat(row("subscriber.order").dflt()).isEqualTo(defaults.order().name());
    assertThat(row("subscriber.start").dflt()).isEqualTo("earliest");
    assertThat(defaults.start()).isEqualTo(Position.earliest());
    assertThat(size("subscriber.batch.size")).isEqualTo(defaults.batchSize());
    assertThat(duration("subscriber.poll.timeout")).isEqualTo(defaults.pollTimeout());
  }

  private Duration duration(String param) {
    return Durations.parse(row(param).dflt());
  }

  private long size(String param) {
    return Sizes.parse(row(param).dflt());
  }

  @Test
  void shouldGiveTheLimitsThatAreChecked() {
    assertThat(sizes("queue.block.bytes"))
        .containsExactly(StorageConfig.MIN_BLOCK_BYTES, StorageConfig.MAX_BLOCK_BYTES);
    assertThat(sizes("queue.max.message.bytes"))
        .containsExactly(1L, (long) StorageConfig.MAX_MESSAGE_BYTES);
    assertThat(sizes("subscriber.max.in.flight")).containsExactly(1L, (long) Limits.MAX_WINDOW);
    assertThat(sizes("subscriber.window")).containsExactly(1L, (long) Limits.MAX_WINDOW);
    assertThat(sizes("subscriber.max.deliveries"))
        .containsExactly(0L, (long) Retries.MOST_DELIVERIES);
    for (String allowed : row("subscriber.backoff").allowed()) {
      assertThat(Backoff.parse(allowed)).isNotNull();
    }
    List<String> timeout = row("subscriber.ack.timeout").allowed();
    for (String allowed : timeout) {
      SubscriberConfig.builder("audit").ackTimeout(Durations.parse(allowed)).build();
    }
    Duration tooLong = Durations.parse(timeout.get(1)).plusMillis(1);
    assertThatThrownBy(() -> SubscriberConfig.builder("audit").ackTimeout(tooLong).build())
        .isInstanceOf(ConfigurationException.class);
    Duration shortest = Durations.parse(row("queue.sync.interval").allowed().get(0));
    MessageQueue.Builder<String> tooShort =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .syncInterval(shortest.minusNanos(1));
    assertThatThrownBy(tooShort::open).isInstanceOf(ConfigurationException.class);
  }

  private List<Long> sizes(String param) {
    return row(param).allowed().stream().map(Sizes::parse).toList();
  }

  @Test
  void shouldShowAFileThatCanBeUsed() throws IOException {
    Path file = directory.resolve("whole.xml");
    String xml = blocks("## A whole file").get(0);
    Files.writeString(file, xml.replace("com.example.Order", "com.wookler.river.core.Order"));
    MessageQueue<Order> queue = new MessageQueue<>();

    queue.configure(ConfigParser.parse(file).at("queue"));

    assertThat(queue.name()).isEqualTo("orders");
  }

  @Test
  void shouldQuoteTheErrorOfItsExample() throws IOException {
    List<String> blocks = blocks("## Errors");
    Path file = directory.resolve("orders.xml");
    Files.writeString(file, blocks.get(0));

    assertThatThrownBy(() -> River.open(file))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(blocks.get(1).trim());
  }

  /** The blocks of code behind a heading. */
  private List<String> blocks(String heading) {
    return Pattern.compile("(?s)```(?:xml|text)\n(.*?)```")
        .matcher(doc.substring(doc.indexOf(heading)))
        .results()
        .map(found -> found.group(1))
        .toList();
  }
}

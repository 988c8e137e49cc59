package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.config.Durations;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.OptionType;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.testing.Generated;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds docs/configuration.md to the code: what is in one of the two only fails. */
class ConfigurationDocTest {
  private static final OptionTable QUEUE = QueueOptions.TABLE;
  private static final OptionTable SUBSCRIBER = SubscriberOptions.TABLE;

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
  void shouldHaveTheRowsOfTheCode() throws IOException {
    hold(QUEUE, "queue", "| queue | (attribute", "| queue | – |");
    hold(QUEUE, "recycle", "| recycle | (element)", "| backup | (element)");
    hold(QUEUE, "backup", "| backup | (element)", "| subscriber | (element)");
    hold(SUBSCRIBER, "subscriber", "| subscriber | (attribute", "| env |");
  }

  private static void hold(OptionTable table, String element, String after, String until)
      throws IOException {
    List<String> rows =
        table.names(element).stream()
            .map(name -> table.row(name).orElseThrow().documented())
            .toList();
    assertThat(rows).isNotEmpty();
    Generated.hold(DOC, after, until, rows);
  }

  @Test
  void shouldHaveEveryParameterAndNoOther() {
    for (String element : List.of("queue", "recycle", "backup")) {
      assertThat(params(settings, element))
          .containsExactlyInAnyOrderElementsOf(QUEUE.names(element));
    }
    assertThat(params(settings, "subscriber"))
        .containsExactlyInAnyOrderElementsOf(SUBSCRIBER.names("subscriber"));
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
        .containsExactlyInAnyOrderElementsOf(QUEUE.namesWithoutEffect("queue"));
    assertThat(params(withoutEffect, "subscriber"))
        .containsExactlyInAnyOrderElementsOf(SUBSCRIBER.namesWithoutEffect("subscriber"));
  }

  @Test
  void shouldHaveEveryMethodOfTheBuildersAndNoOther() {
    Set<String> known = new HashSet<>();
    known.addAll(signatures(MessageQueue.Builder.class, ""));
    known.addAll(signatures(QueueBuilder.class, ""));
    known.addAll(signatures(SubscriberConfig.Builder.class, ""));
    known.removeAll(
        Set.of(
            "open()",
            "build()",
            "set(Option, Object)",
            "settings(Settings)",
            "with(Setting)",
            "defaults(Defaults)")); // no option
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

  private static Stream<Option<?>> options() {
    return Stream.of(QUEUE, SUBSCRIBER).flatMap(table -> table.rows().stream());
  }

  /** Those in quotes are values, those without are words for one. */
  @ParameterizedTest
  @MethodSource("options")
  void shouldGiveTheDefaultThatCounts(Option<?> option) {
    String cell = row(option.name()).cells().get(3);

    if (cell.startsWith("`")) {
      assertThat(option.type().parse(cell.replace("`", ""))).isEqualTo(option.dflt());
    } else if (cell.startsWith("required in XML")) {
      assertThat(cell).endsWith("else `" + option.dflt() + "`");
    } else {
      assertThat(Stream.of(null, Long.MAX_VALUE, Duration.ZERO, List.of())).contains(option.dflt());
      assertThat(cell)
          .matches("none.*|any number|for good|required|–|that of .*|built-in.*|256 MB.*");
    }
  }

  @Test
  void shouldHaveDefaultsThatCountInASubscriber() {
    SubscriberConfig defaults = SubscriberConfig.builder("audit").build();

    assertThat(defaults.ackTimeout()).isEqualTo(Durations.parse("30ss"));
    assertThat(defaults.maxInFlight()).isEqualTo(10_000);
    assertThat(defaults.window()).isEqualTo(262_144);
    assertThat(defaults.batchSize()).isEqualTo(64);
    assertThat(defaults.start()).isEqualTo(Position.earliest());
    assertThat(defaults.settings()).isEqualTo(SUBSCRIBER.defaults());
  }

  /** A row that says "a to b" means it: both are taken, and what is beyond them is not. */
  @ParameterizedTest
  @MethodSource("options")
  void shouldGiveTheLimitsThatAreChecked(Option<?> option) {
    List<String> allowed = row(option.name()).allowed();
    if (allowed.isEmpty() || option.type().json() == OptionType.Json.OBJECT) {
      return;
    }
    for (String value : allowed.stream().filter(each -> each.matches("\\d.*")).toList()) {
      check(option, option.type().parse(value), 0);
      int beyond = value.equals(allowed.get(0)) ? -1 : 1;
      assertThatThrownBy(() -> check(option, option.type().parse(value), beyond))
          .as(value)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(option.name());
    }
  }

  @SuppressWarnings("unchecked") // of the option's own type
  private static <T> void check(Option<T> option, Object value, int more) {
    Object other =
        value instanceof Duration duration ? duration.plusNanos(more) : (Long) value + more;
    OptionTable table = option.name().startsWith("subscriber.") ? SUBSCRIBER : QUEUE;
    List<Option<Boolean>> needed =
        table == SUBSCRIBER
            ? List.of(SubscriberOptions.ACK_REQUIRED, SubscriberOptions.EXCLUSIVE)
            : List.of(QueueOptions.KEY_INDEX, QueueOptions.COMPACT);
    Settings settings = table.defaults();
    for (Option<Boolean> on : needed) {
      settings = settings.with(on, true);
    }
    settings.with(option, (T) other).check("it");
  }

  @Test
  void shouldReadTheBackoffsThatItShows() {
    for (String allowed : row("subscriber.backoff").allowed()) {
      assertThat(Backoff.parse(allowed)).isNotNull();
    }
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

package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.forward.ForwardOptions;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.Json;
import com.wookler.river.rest.server.hosting.QueueCatalog;
import com.wookler.river.rest.server.hosting.SettingsJson;
import com.wookler.river.testing.Generated;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds the schemas of settings in the contract to the tables of options. */
class SettingsSchemaTest {
  private static final Path CONTRACT = Path.of("src/main/resources/openapi.yaml");
  private static final Pattern NAME = Pattern.compile("`((?:queue|subscriber|forward)\\.[a-z.]+)`");

  /** What the objects around several options are. */
  private static final Map<String, String> OBJECTS =
      Map.of(
          "whenFull",
          "What a publish to a full queue meets",
          "retention",
          "How long messages are kept that no subscriber has completed; without it, for good. One of"
              + " them is given",
          "recycle",
          "When a file of the log is closed before it has `blockBytes`: at a number of messages, a"
              + " number of bytes, or a time after its first message, whichever comes first. One of"
              + " them is given. What is closed, and completed by every subscriber, leaves the log",
          "backup",
          "Keep what leaves the log, compressed and verified, in the server's own directory for"
              + " backups. There it can be looked up, and a new subscriber or `seek` may begin."
              + " Without it nothing is kept");

  /** What is otherwise over REST than in Java and XML. */
  private static final Map<Option<?>, String> NOTES =
      Map.of(
          SubscriberOptions.ACK_REQUIRED, "; default true",
          QueueOptions.DEDUPLICATE, "; default " + ContractFormat.of(QueueCatalog.DEDUPLICATE),
          QueueOptions.FULL_TIMEOUT,
              "; default and at most " + ContractFormat.of(QueueCatalog.MAX_BLOCK),
          QueueOptions.MAX_MESSAGES, "; 0: any number",
          QueueOptions.MAX_BYTES, "; 0: any number");

  @Test
  void shouldHaveTheOptionsOfTheTables() throws Exception {
    hold("    QueueSettings:", QueueOptions.TABLE);
    hold("    SubscriberSettings:", SubscriberOptions.TABLE);
    hold("    ForwardSettings:", ForwardOptions.TABLE);
  }

  private static void hold(String schema, OptionTable table) throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add("      type: object");
    lines.add("      additionalProperties: false");
    lines.add("      properties:");
    byParent(table).forEach((parent, options) -> add(lines, parent, options, table));
    lines.add("      # end of the options");
    Generated.hold(
        CONTRACT, schema, "      # end of the options", lines.subList(0, lines.size() - 1));
  }

  private static Map<String, List<Option<?>>> byParent(OptionTable table) {
    Map<String, List<Option<?>>> all = new LinkedHashMap<>();
    for (Option<?> option : table.rows()) {
      if (!option.json().isEmpty()) {
        String parent = option.json().replaceFirst("\\..*", "");
        all.computeIfAbsent(parent, name -> new ArrayList<>()).add(option);
      }
    }
    return all;
  }

  private static void add(
      List<String> lines, String parent, List<Option<?>> options, OptionTable table) {
    String description = OBJECTS.get(parent);
    if (description == null) {
      assertThat(options).as(parent).hasSize(1);
      property(lines, "        ", parent, options.get(0), table);
      return;
    }
    String required =
        options.stream()
            .filter(SettingsJson.REQUIRED::contains)
            .map(option -> option.json().substring(parent.length() + 1))
            .collect(Collectors.joining(", "));
    lines.add("        " + parent + ":");
    describe(lines, "          ", description);
    lines.add("          type: object");
    lines.add("          additionalProperties: false");
    if (!required.isEmpty()) {
      lines.add("          required: [" + required + "]");
    }
    lines.add("          properties:");
    for (Option<?> option : options) {
      String name = option.json().substring(parent.length() + 1);
      property(lines, "            ", name, option, table);
    }
  }

  private static void property(
      List<String> lines, String indent, String name, Option<?> option, OptionTable table) {
    lines.add(indent + name + ":");
    String words = words(option.meaningInJson(), table) + NOTES.getOrDefault(option, dflt(option));
    describe(lines, indent + "  ", words);
    for (String line : type(option).split(", (?=[a-z]+[A-Z]?[a-z]*:)", -1)) {
      lines.add(indent + "  " + line);
    }
  }

  private static String dflt(Option<?> option) {
    Object dflt = option.dflt();
    if (SettingsJson.REQUIRED.contains(option)
        || option == QueueOptions.RETENTION_AGE // whose default is what the object says
        || dflt == null
        || dflt.equals(Long.MAX_VALUE)
        || dflt instanceof Backoff) {
      return "";
    }
    return "; default " + (dflt instanceof Duration duration ? ContractFormat.of(duration) : dflt);
  }

  private static void describe(List<String> lines, String indent, String words) {
    lines.add(indent + "description: >-");
    StringBuilder line = new StringBuilder(indent + " ");
    String sentence = Character.toUpperCase(words.charAt(0)) + words.substring(1);
    for (String word : sentence.split(" ", -1)) {
      if (line.length() + word.length() >= 100) {
        lines.add(line.toString());
        line = new StringBuilder(indent + " ");
      }
      line.append(' ').append(word);
    }
    lines.add(line.toString());
  }

  private static String type(Option<?> option) {
    return switch (option.type().json()) {
      case BOOLEAN -> "type: boolean";
      case INTEGER -> "type: integer" + integer(option);
      case DURATION -> reference("Duration");
      case CONSTANT ->
          option.dflt() instanceof Durability ? reference("Durability") : constant(option);
      case NAME -> reference("Name");
      case TEXT -> "type: string, minLength: 1, maxLength: 10000";
      case OBJECT -> reference(option == SubscriberOptions.BACKOFF ? "Backoff" : "Position");
    };
  }

  private static String integer(Option<?> option) {
    Object[] bounds = option.bounds();
    String least = SettingsJson.ZERO_IS_ANY.contains(option) ? "0" : String.valueOf(bounds[0]);
    return (option.isInt() ? "" : ", format: int64")
        + ", minimum: "
        + least
        + (bounds[1] == null ? "" : ", maximum: " + bounds[1]);
  }

  private static String constant(Option<?> option) {
    String names =
        Arrays.stream(((Enum<?>) option.dflt()).getDeclaringClass().getEnumConstants())
            .map(String::valueOf)
            .collect(Collectors.joining(", "));
    return "type: string, enum: [" + names + "]";
  }

  private static String reference(String schema) {
    return "$ref: \"#/components/schemas/" + schema + "\"";
  }

  /** Names other options as JSON does. */
  private static String words(String meaning, OptionTable table) {
    Matcher matcher = NAME.matcher(meaning);
    return matcher.replaceAll(
        found ->
            table
                .row(found.group(1))
                .map(Option::json)
                .filter(json -> !json.isEmpty())
                .map(json -> "`" + json + "`")
                .orElse(found.group()));
  }

  /** So that none is left out unseen. */
  @Test
  void shouldLeaveOutWhatIsTheServersOwn() {
    List<String> without = new ArrayList<>();
    for (OptionTable table : List.of(QueueOptions.TABLE, SubscriberOptions.TABLE)) {
      table.rows().stream()
          .filter(option -> option.json().isEmpty())
          .forEach(option -> without.add(option.name()));
    }

    assertThat(new TreeSet<>(without))
        .containsExactly(
            "backup.directory",
            "ehcache.config",
            "queue.directory",
            "queue.discarded.retention",
            "queue.disk.reserve",
            "queue.fanout.only",
            "queue.forward",
            "queue.interceptor",
            "queue.message.converter",
            "queue.onstart.reload",
            "queue.retention.unfinished",
            "subscriber.batch.size",
            "subscriber.filter",
            "subscriber.poll.timeout",
            "subscriber.retry.count");
  }

  @Test
  void shouldReadWhatItWrites() {
    var asked =
        QueueOptions.TABLE
            .defaults()
            .with(QueueOptions.MAX_MESSAGES, Long.MAX_VALUE)
            .with(QueueOptions.RETENTION_BYTES, 7L)
            .with(QueueOptions.DURABILITY, Durability.DISK);

    var json = SettingsJson.QUEUE.given(asked);

    assertThat(json)
        .hasToString("{\"durability\":\"DISK\",\"maxMessages\":0,\"retention\":{\"bytes\":7}}");
    assertThat(SettingsJson.QUEUE.read(Json.read(Json.write(json), json.getClass())))
        .isEqualTo(asked);
  }
}

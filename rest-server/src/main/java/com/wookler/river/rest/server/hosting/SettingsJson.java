package com.wookler.river.rest.server.hosting;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.OptionType;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.forward.ForwardOptions;
import com.wookler.river.rest.server.hosting.CompositeOptionsJson.BackoffJson;
import com.wookler.river.rest.server.hosting.CompositeOptionsJson.PositionJson;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes settings as the contract's {@code QueueSettings} and {@code SubscriberSettings}:
 * the options of a table that have a name in JSON. Options that a request omits are not given.
 */
public final class SettingsJson {
  /** The settings of a queue. */
  public static final SettingsJson QUEUE = new SettingsJson(QueueOptions.TABLE);

  /** The settings of a subscriber. */
  public static final SettingsJson SUBSCRIBER = new SettingsJson(SubscriberOptions.TABLE);

  /** The settings of a target of a forward. */
  public static final SettingsJson FORWARD = new SettingsJson(ForwardOptions.TABLE);

  /** Fields that are required if the object that contains them is given. */
  public static final Set<Option<?>> REQUIRED =
      Set.of(QueueOptions.FULL_POLICY, QueueOptions.BACKUP_RETENTION);

  /** Options for which zero means unlimited. */
  public static final Set<Option<?>> ZERO_IS_ANY =
      Set.of(QueueOptions.MAX_MESSAGES, QueueOptions.MAX_BYTES);

  private final OptionTable table;
  private final Map<String, Option<?>> byField = new LinkedHashMap<>();
  private final Set<String> objects = new HashSet<>();

  private SettingsJson(OptionTable table) {
    this.table = table;
    for (Option<?> option : table.rows()) {
      if (!option.json().isEmpty()) {
        byField.put(option.json(), option);
        if (option.json().contains(".")) {
          objects.add(parent(option));
        }
      }
    }
  }

  private static String parent(Option<?> option) {
    return option.json().substring(0, Math.max(0, option.json().indexOf('.')));
  }

  private static String field(Option<?> option) {
    return option.json().substring(option.json().indexOf('.') + 1);
  }

  /**
   * Reads the options that are given.
   *
   * @param json body of a request; null if it has none
   * @throws RequestException names the invalid field
   */
  public Settings read(@Nullable ObjectNode json) {
    Settings settings = table.defaults();
    if (json != null) {
      for (Map.Entry<String, JsonNode> each : json.properties()) {
        settings =
            objects.contains(each.getKey())
                ? object(each.getKey(), each.getValue(), settings)
                : field(each.getKey(), each.getValue(), settings);
      }
    }
    return settings;
  }

  private Settings object(String name, JsonNode json, Settings to) {
    if (!json.isObject()) {
      throw wrongType(name);
    }
    Settings settings = to;
    for (Map.Entry<String, JsonNode> each : json.properties()) {
      settings = field(name + "." + each.getKey(), each.getValue(), settings);
    }
    for (Option<?> option : REQUIRED) {
      if (parent(option).equals(name) && !settings.isGiven(option)) {
        throw RequestException.field(option.json(), "is required");
      }
    }
    if (json.isEmpty()) {
      List<String> known =
          byField.values().stream()
              .filter(option -> parent(option).equals(name))
              .map(SettingsJson::field)
              .toList();
      throw RequestException.field(name, "has none of " + String.join(", ", known));
    }
    return settings;
  }

  private Settings field(String path, JsonNode value, Settings to) {
    Option<?> option = byField.get(path);
    if (option == null) {
      throw RequestException.field(path, "there is no such field");
    }
    return given(option, path, value, to);
  }

  @SuppressWarnings("unchecked") // the value is read by the option's own type
  private static <T> Settings given(Option<T> option, String path, JsonNode value, Settings to) {
    T read = (T) value(option, path, value);
    String wrong = option.refusal(read);
    if (wrong != null) {
      throw RequestException.field(path, wrong);
    }
    return to.with(option, read);
  }

  private static Object value(Option<?> option, String path, JsonNode json) {
    return switch (option.type().json()) {
      case BOOLEAN -> {
        ensure(json.isBoolean(), path);
        yield json.booleanValue();
      }
      case INTEGER -> {
        ensure(json.isIntegralNumber() && json.canConvertToLong(), path);
        long value = json.longValue();
        yield value == 0 && ZERO_IS_ANY.contains(option) ? Long.MAX_VALUE : value;
      }
      case DURATION -> ContractFormat.duration(path, text(path, json));
      case CONSTANT -> {
        yield constant(option.type(), path, text(path, json));
      }
      case NAME, TEXT -> parsed(option, path, text(path, json));
      case OBJECT ->
          option == SubscriberOptions.BACKOFF
              ? Json.convert(path, json, BackoffJson.class).toBackoff()
              : Json.convert(path, json, PositionJson.class).toPosition(path);
    };
  }

  private static Object constant(OptionType<?> type, String path, String text) {
    try {
      Object constant = type.parse(text);
      if (constant.toString().equals(text)) { // XML has them in any case
        return constant;
      }
    } catch (IllegalArgumentException e) {
      // reported below
    }
    throw RequestException.field(path, "'" + text + "' is not allowed; " + type.allowed());
  }

  private static Object parsed(Option<?> option, String path, String text) {
    return RequestException.checked(path, () -> option.type().parse(text));
  }

  private static String text(String path, JsonNode json) {
    ensure(json.isTextual(), path);
    return json.textValue();
  }

  private static void ensure(boolean right, String path) {
    if (!right) {
      throw wrongType(path);
    }
  }

  private static RequestException wrongType(String path) {
    return RequestException.field(path, "has the wrong type");
  }

  /** An option as an answer describes it. */
  public record OptionJson(
      String name,
      OptionType.Json type,
      Option.Change change,
      String meaning,
      @Nullable String defaultValue) {}

  /** Returns all options in the order of the table. */
  public List<OptionJson> options() {
    Settings defaults = table.defaults();
    return byField.values().stream().map(option -> described(option, defaults)).toList();
  }

  private static OptionJson described(Option<?> option, Settings defaults) {
    Object value = json(option, defaults);
    return new OptionJson(
        option.json(),
        option.type().json(),
        option.change(),
        option.meaningInJson(),
        value == null ? null : value.toString());
  }

  /** Writes the options that were given. */
  public ObjectNode given(Settings settings) {
    return write(settings, true);
  }

  /**
   * Writes all options that have a value, except the start, which applies to new subscribers only.
   */
  public ObjectNode all(Settings settings) {
    return write(settings, false);
  }

  private ObjectNode write(Settings settings, boolean givenOnly) {
    ObjectNode json = Json.object();
    for (Option<?> option : byField.values()) {
      if (!givenOnly || settings.isGiven(option)) {
        Object value = json(option, settings);
        if (value != null) {
          ObjectNode parent =
              parent(option).isEmpty() ? json : json.withObject("/" + parent(option));
          parent.putPOJO(field(option), value);
        }
      }
    }
    return json;
  }

  private static <T> @Nullable Object json(Option<T> option, Settings settings) {
    T value = settings.find(option);
    if (value instanceof Duration duration) {
      return ContractFormat.of(duration);
    }
    if (value instanceof Backoff backoff) {
      return BackoffJson.of(backoff);
    }
    if (value == null || value instanceof Position) {
      return null;
    }
    if (ZERO_IS_ANY.contains(option) && value.equals(Long.MAX_VALUE)) {
      return 0L;
    }
    return value instanceof Number || value instanceof Boolean ? value : option.type().text(value);
  }
}

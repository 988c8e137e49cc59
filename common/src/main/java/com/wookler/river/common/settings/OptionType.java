package com.wookler.river.common.settings;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Durations;
import com.wookler.river.common.config.Sizes;
import com.wookler.river.common.config.WholeNumbers;
import com.wookler.river.common.errors.ConfigurationException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The type of an option's values: how they are read from text and written as text; immutable.
 *
 * @param <T> type of the value
 */
public abstract class OptionType<T> {
  /** How JSON writes a value. */
  public enum Json {
    /** True or false. */
    BOOLEAN,
    /** A whole number. */
    INTEGER,
    /** A text such as {@code 30s}. */
    DURATION,
    /** The name of a constant. */
    CONSTANT,
    /** The name of a queue. */
    NAME,
    /** Any text. */
    TEXT,
    /** An object, which the reader of the JSON knows. */
    OBJECT
  }

  static final OptionType<Boolean> BOOLEAN =
      of(Json.BOOLEAN, "–", "it must be true or false", OptionType::parseBoolean);
  static final OptionType<Long> BYTES =
      of(Json.INTEGER, "size", "it must be " + Sizes.ALLOWED, Sizes::parse);
  static final OptionType<Path> PATH =
      of(Json.TEXT, "path", "it must be a path", OptionType::parsePath);

  static final OptionType<Duration> DURATION =
      new OptionType<>(Json.DURATION, "duration", "it must be " + Durations.ALLOWED) {
        @Override
        public Duration parse(String text) {
          return Durations.parse(text);
        }

        /** Takes the longest of Java too, which no configuration can say. */
        @Override
        public Duration restore(String text) {
          return Duration.parse(text);
        }
      };

  private final Json json;
  private final String unit;
  private final String allowed;

  /**
   * Makes a type.
   *
   * @param unit as the documentation names it
   * @param allowed what an error says about a text that cannot be read
   */
  protected OptionType(Json json, String unit, String allowed) {
    this.json = json;
    this.unit = unit;
    this.allowed = allowed;
  }

  static <T> OptionType<T> of(Json json, String unit, String allowed, Function<String, T> parser) {
    return new OptionType<>(json, unit, allowed) {
      @Override
      public T parse(String text) {
        return parser.apply(text);
      }
    };
  }

  static OptionType<Long> number(String unit) {
    return of(Json.INTEGER, unit, "it must be a whole number", WholeNumbers::parse);
  }

  /** Makes the type of an enumeration, whose names are read in any case. */
  static <E extends Enum<E>> OptionType<E> constant(Class<E> type) {
    E[] all = type.getEnumConstants();
    String names = Stream.of(all).map(Enum::name).collect(Collectors.joining(" and "));
    return of(
        Json.CONSTANT,
        "–",
        names + " are allowed",
        text ->
            Stream.of(all)
                .filter(each -> each.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(text)));
  }

  private static Path parsePath(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(text);
    }
    return Path.of(text);
  }

  private static Boolean parseBoolean(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  /**
   * Reads a value as XML has it.
   *
   * @throws IllegalArgumentException it is none
   * @throws ConfigurationException it is none, and the message says what is allowed
   */
  public abstract T parse(String text);

  /** Reads what {@link #text} has written. */
  public T restore(String text) {
    return parse(text);
  }

  /** Writes a value, so that it can be read again; null: this type cannot say it. */
  public @Nullable String text(T value) {
    return value.toString();
  }

  /**
   * Reads the value of a parameter.
   *
   * @throws ConfigurationException it is none, naming file, line, element and parameter
   */
  public T read(ConfigNode node, String param) {
    String text = node.param(param).orElse("").trim();
    try {
      return parse(text);
    } catch (ConfigurationException e) {
      throw node.error(param, String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      throw node.error(param, "'" + text + "' is not allowed; " + allowed);
    }
  }

  /** Returns how JSON writes a value. */
  public Json json() {
    return json;
  }

  /** Returns what an error says about a text that cannot be read. */
  public String allowed() {
    return allowed;
  }

  String unit() {
    return unit;
  }
}

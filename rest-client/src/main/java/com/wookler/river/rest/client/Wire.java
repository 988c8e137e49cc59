package com.wookler.river.rest.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads and writes the contract's JSON. What a newer server says besides is passed over. */
final class Wire {
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,10})(ms|s|m|h|d)");
  private static final long MOST = 9_999_999_999L;
  private static final int LONGEST_TEXT = 256 << 20; // a message of 128 MB in Base64
  private static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(LONGEST_TEXT).build())
                  .build())
          .addModule(times())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .build();

  private Wire() {}

  /** {@code Message} and {@code Delivery} of the contract; the latter has receipt and attempt. */
  record MessageJson(
      @Nullable String receipt,
      long sequence,
      int attempt,
      Instant publishedAt,
      @Nullable String key,
      @Nullable Map<String, JsonNode> headers,
      @Nullable String data,
      @Nullable String base64) {
    byte[] bytes() {
      return data != null
          ? data.getBytes(StandardCharsets.UTF_8)
          : Base64.getDecoder().decode(base64 == null ? "" : base64);
    }

    Map<String, byte[]> headerBytes() {
      if (headers == null || headers.isEmpty()) {
        return Map.of();
      }
      Map<String, byte[]> bytes = new LinkedHashMap<>();
      headers.forEach((name, value) -> bytes.put(name, headerBytes(value)));
      return Collections.unmodifiableMap(bytes);
    }

    private static byte[] headerBytes(JsonNode value) {
      return value.isObject()
          ? Base64.getDecoder().decode(value.path("base64").asText())
          : value.asText().getBytes(StandardCharsets.UTF_8);
    }
  }

  static byte[] write(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot be written as JSON: " + e.getOriginalMessage(), e);
    }
  }

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /**
   * Reads one object.
   *
   * @throws IllegalArgumentException it is none of this type
   */
  static <T> T read(byte[] json, Class<T> type) {
    try {
      T value = MAPPER.readValue(json, type);
      if (value == null) {
        throw new IllegalArgumentException("null is no " + type.getSimpleName());
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "no " + type.getSimpleName() + ": " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new IllegalArgumentException(e); // reads from memory
    }
  }

  /** A message as a line of a batch, without the line's end. */
  static byte[] line(NewMessage message) {
    ObjectNode line = object();
    put(line, "data", "base64", message.data());
    line.put("key", message.key()).put("id", message.id());
    if (!message.headers().isEmpty()) {
      ObjectNode headers = line.putObject("headers");
      message.headers().forEach((name, value) -> putHeader(headers, name, value));
    }
    if (message.delay() != null) {
      line.put("delay", text(message.delay()));
    }
    if (message.expiry() != null) {
      line.put("expires", text(message.expiry()));
    }
    line.properties().removeIf(field -> field.getValue().isNull());
    return write(line);
  }

  private static void put(ObjectNode object, String asText, String asBase64, byte[] bytes) {
    String text = utf8(bytes);
    if (text != null) {
      object.put(asText, text);
    } else {
      object.put(asBase64, bytes);
    }
  }

  private static void putHeader(ObjectNode headers, String name, byte[] value) {
    String text = utf8(value);
    if (text != null) {
      headers.put(name, text);
    } else {
      headers.putObject(name).put("base64", value);
    }
  }

  /** These bytes as text in UTF-8, or null if they are none. */
  static @Nullable String utf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /**
   * A duration as the contract writes it.
   *
   * @throws IllegalArgumentException it is negative, too long, or no whole number of milliseconds
   */
  static String text(Duration duration) {
    if (duration.isNegative() || duration.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(duration + " is no whole number of milliseconds");
    }
    if (duration.toMillisPart() != 0 || duration.toSeconds() == 0) {
      return amount(duration.toMillis()) + "ms";
    }
    return amount(duration.toSeconds()) + "s";
  }

  private static long amount(long number) {
    if (number > MOST) {
      throw new IllegalArgumentException("too long a duration");
    }
    return number;
  }

  /** The opposite of {@link #text}. */
  static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no duration");
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }

  private interface Reading<T> {
    T read(String text);
  }

  private static SimpleModule times() {
    SimpleModule module = new SimpleModule();
    module.addSerializer(Instant.class, new ToStringSerializer(Instant.class));
    module.addDeserializer(Instant.class, new Reader<>(Instant.class, Instant::parse));
    module.addSerializer(Duration.class, new DurationWriter());
    module.addDeserializer(Duration.class, new Reader<>(Duration.class, Wire::duration));
    return module;
  }

  private static final class DurationWriter extends StdScalarSerializer<Duration> {
    private static final long serialVersionUID = 1;

    DurationWriter() {
      super(Duration.class);
    }

    @Override
    public void serialize(Duration value, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      json.writeString(text(value));
    }
  }

  private static final class Reader<T> extends StdScalarDeserializer<T> {
    private static final long serialVersionUID = 1;
    private final transient Reading<T> reading;

    Reader(Class<T> type, Reading<T> reading) {
      super(type);
      this.reading = reading;
    }

    @Override
    public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
      String text = json.getText();
      try {
        return reading.read(text);
      } catch (DateTimeException | IllegalArgumentException e) {
        throw context.weirdStringException(text, handledType(), String.valueOf(e.getMessage()));
      }
    }
  }
}

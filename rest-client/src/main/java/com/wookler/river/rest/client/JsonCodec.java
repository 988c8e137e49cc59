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

/** Reads and writes the JSON of the contract. Unknown fields, as of a newer server, are ignored. */
final class JsonCodec {
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,10})(ms|s|m|h|d)");
  private static final long MOST = 9_999_999_999L;
  private static final int LONGEST_TEXT = 256 << 20; // a message of 128 MB in Base64
  private static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(LONGEST_TEXT).build())
                  .build())
          .addModule(timeModule())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .build();

  private JsonCodec() {}

  /** {@code Message} and {@code Delivery} of the contract; the latter has receipt and attempt. */
  record MessageJson(
      @Nullable String receipt,
      long sequence,
      int attempt,
      Instant publishedAt,
      @Nullable String id,
      @Nullable String previousFailure,
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
   * @throws IllegalArgumentException the JSON is not an object of this type
   */
  static <T> T read(byte[] json, Class<T> type) {
    try {
      T value = MAPPER.readValue(json, type);
      if (value == null) {
        throw new IllegalArgumentException("null is not a " + type.getSimpleName());
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "not a " + type.getSimpleName() + ": " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new IllegalArgumentException(e); // reads from memory
    }
  }

  /** Returns a message as a line of a batch, without the line break. */
  static byte[] toBatchLine(NewMessage message) {
    ObjectNode line = object();
    put(line, "data", "base64", message.data());
    line.put("key", message.key()).put("id", message.id());
    if (!message.headers().isEmpty()) {
      ObjectNode headers = line.putObject("headers");
      message.headers().forEach((name, value) -> putHeader(headers, name, value));
    }
    if (message.delay() != null) {
      line.put("delay", formatDuration(message.delay()));
    }
    if (message.deliverAt() != null) {
      line.put("deliverAt", message.deliverAt().toString());
    }
    if (message.expiry() != null) {
      line.put("expires", formatDuration(message.expiry()));
    }
    line.properties().removeIf(field -> field.getValue().isNull());
    return write(line);
  }

  private static void put(ObjectNode object, String asText, String asBase64, byte[] bytes) {
    String text = decodeUtf8(bytes);
    if (text != null) {
      object.put(asText, text);
    } else {
      object.put(asBase64, bytes);
    }
  }

  private static void putHeader(ObjectNode headers, String name, byte[] value) {
    String text = decodeUtf8(value);
    if (text != null) {
      headers.put(name, text);
    } else {
      headers.putObject(name).put("base64", value);
    }
  }

  /** Decodes UTF-8, or returns null if the bytes are not valid UTF-8. */
  static @Nullable String decodeUtf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /**
   * Formats a duration as the contract does.
   *
   * @throws IllegalArgumentException the duration is negative, too long, or not a whole number of
   *     milliseconds
   */
  static String formatDuration(Duration duration) {
    if (duration.isNegative() || duration.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(
          duration + " is negative or not a whole number of milliseconds");
    }
    if (duration.toMillisPart() != 0 || duration.toSeconds() == 0) {
      return checkedAmount(duration.toMillis()) + "ms";
    }
    return checkedAmount(duration.toSeconds()) + "s";
  }

  private static long checkedAmount(long number) {
    if (number > MOST) {
      throw new IllegalArgumentException("the duration is too long: " + number);
    }
    return number;
  }

  /** Parses a duration that {@link #formatDuration} wrote. */
  static Duration parseDuration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is not a duration");
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

  private interface TextParser<T> {
    T parse(String text);
  }

  private static SimpleModule timeModule() {
    SimpleModule module = new SimpleModule();
    module.addSerializer(Instant.class, new ToStringSerializer(Instant.class));
    module.addDeserializer(Instant.class, new TextDeserializer<>(Instant.class, Instant::parse));
    module.addSerializer(Duration.class, new DurationWriter());
    module.addDeserializer(
        Duration.class, new TextDeserializer<>(Duration.class, JsonCodec::parseDuration));
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
      json.writeString(formatDuration(value));
    }
  }

  private static final class TextDeserializer<T> extends StdScalarDeserializer<T> {
    private static final long serialVersionUID = 1;
    private final transient TextParser<T> parser;

    TextDeserializer(Class<T> type, TextParser<T> parser) {
      super(type);
      this.parser = parser;
    }

    @Override
    public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
      String text = json.getText();
      try {
        return parser.parse(text);
      } catch (DateTimeException | IllegalArgumentException e) {
        throw context.weirdStringException(text, handledType(), String.valueOf(e.getMessage()));
      }
    }
  }
}

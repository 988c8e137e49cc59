package com.wookler.river.rest.server;

import com.wookler.river.rest.server.decoder.MessageDecoder;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of a binary schema: a byte for the shape, and one for its size. It overwrites what it
 * decodes, and fails at shapes that it does not know.
 */
public final class Shapes implements MessageDecoder {
  static final String TYPE = "application/x-shape";

  @Override
  public @Nullable String decode(
      String queue, @Nullable String contentType, Map<String, byte[]> headers, byte[] data) {
    if (!TYPE.equals(contentType)) {
      return null;
    }
    String unit = new String(headers.getOrDefault("unit", new byte[0]), StandardCharsets.UTF_8);
    String shape =
        switch (data[0]) {
          case 'c', -1 -> "circle";
          case 's' -> "square".repeat(20_000);
          case 'd' -> throw new NoClassDefFoundError("Diamond");
          case 'o' -> throw new StackOverflowError();
          case 'a' -> throw new AssertionError("half a shape");
          case 'm' ->
              throw new IllegalStateException() {
                @Override
                public String getMessage() {
                  throw new IllegalStateException();
                }
              };
          default -> throw new IllegalArgumentException("no shape " + data[0] + ": \uD83D");
        };
    String text = "{\"" + queue + "\":\"" + shape + "\",\"size\":\"" + data[1] + unit + "\"}";
    Arrays.fill(data, (byte) 0);
    return text;
  }

  /** A decoder that cannot be made. */
  public static final class Broken implements MessageDecoder {
    public Broken() {
      throw new IllegalStateException("no schema");
    }

    @Override
    public String decode(
        String queue, @Nullable String contentType, Map<String, byte[]> headers, byte[] data) {
      throw new AssertionError();
    }
  }

  /** Calls with this decoder, and two that cannot be made, on the class path. */
  static <T> T onClassPath(Path directory, Supplier<T> call) throws IOException {
    Path services = Files.createDirectories(directory.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(MessageDecoder.class.getName()),
        "no.such.Decoder\n" + Broken.class.getName() + "\n" + Shapes.class.getName() + "\n");
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {directory.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      return call.get();
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}

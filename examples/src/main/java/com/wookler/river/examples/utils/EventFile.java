package com.wookler.river.examples.utils;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A file of newline-delimited JSON, plain or gzip, which is detected by its first two bytes. It may
 * be opened any number of times, also concurrently; only the current line is in memory.
 */
public final class EventFile {
  private static final String SHIPPED = "flights-20k.ndjson.gz";
  private static final int BUFFER_BYTES = 1 << 16;

  private final @Nullable Path path;

  private EventFile(@Nullable Path path) {
    this.path = path;
  }

  /** Returns the 20,000 events that are part of the examples. */
  public static EventFile shipped() {
    return new EventFile(null);
  }

  /**
   * Returns a file of the user.
   *
   * @throws UsageException it is not a readable file
   */
  public static EventFile of(Path path) {
    if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
      throw new UsageException("cannot read input file: " + path);
    }
    return new EventFile(path);
  }

  /** Returns the name of the file in messages. */
  public String name() {
    return path == null ? "the shipped " + SHIPPED : path.toString();
  }

  /**
   * Opens the file at its first line.
   *
   * @throws UncheckedIOException the file cannot be read
   */
  public EventReader open() {
    try {
      return new EventReader(name(), reader());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open " + name() + ": " + e.getMessage(), e);
    }
  }

  private BufferedReader reader() throws IOException {
    InputStream in = new BufferedInputStream(raw(), BUFFER_BYTES);
    try {
      in.mark(2);
      boolean gzip = in.read() == 0x1f && in.read() == 0x8b;
      in.reset();
      InputStream text = gzip ? new GZIPInputStream(in, BUFFER_BYTES) : in;
      // An explicit decoder reports invalid UTF-8; the default would replace it silently.
      return new BufferedReader(
          new InputStreamReader(text, StandardCharsets.UTF_8.newDecoder()), BUFFER_BYTES);
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  private InputStream raw() throws IOException {
    if (path != null) {
      return Files.newInputStream(path);
    }
    InputStream shipped = EventFile.class.getResourceAsStream("/" + SHIPPED);
    if (shipped == null) {
      throw new IOException(SHIPPED + " is missing from the class path");
    }
    return shipped;
  }
}

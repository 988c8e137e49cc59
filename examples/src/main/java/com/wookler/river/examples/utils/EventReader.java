package com.wookler.river.examples.utils;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Reads the lines of an {@link EventFile} in order, without blank ones. For one thread. */
public final class EventReader implements AutoCloseable {
  private final String name;
  private final BufferedReader lines;
  private long line; // confined to the reading thread

  EventReader(String name, BufferedReader lines) {
    this.name = name;
    this.lines = lines;
  }

  /**
   * Returns the next event; null after the last.
   *
   * @throws UncheckedIOException the file cannot be read, or is not UTF-8; the message names file
   *     and line
   */
  public @Nullable String next() {
    try {
      String text = lines.readLine();
      line++;
      while (text != null && text.isBlank()) {
        text = lines.readLine();
        line++;
      }
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(name + ", after line " + line + ": " + e, e);
    }
  }

  @Override
  public void close() {
    try {
      lines.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close " + name, e);
    }
  }
}

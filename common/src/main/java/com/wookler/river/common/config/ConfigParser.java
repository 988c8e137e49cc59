package com.wookler.river.common.config;

import com.wookler.river.common.errors.ConfigurationException;
import java.nio.file.Path;

/** Reads configuration files. Thread-safe. */
public final class ConfigParser {
  private ConfigParser() {}

  /**
   * Reads a file and all files that it includes.
   *
   * <ul>
   *   <li>{@code ${sys:name}} and {@code ${env:name}} in attributes and text are replaced by a
   *       system property and an environment variable, {@code ${env:name:-value}} has a default. A
   *       value that still contains "${" afterwards is an error.
   *   <li>{@code <include file="…"/>} is replaced by the root element of another file, relative to
   *       the including file.
   *   <li>A DOCTYPE, and with it any entity declaration, is an error; only the files named are
   *       read.
   *   <li>River's own elements are validated against {@code river.xsd}, which is in the jar beside
   *       this class.
   * </ul>
   *
   * @return the root element
   * @throws ConfigurationException a file cannot be read, is not well-formed or is not valid; the
   *     message lists all errors found, each with file, line and column
   */
  public static ConfigNode parse(Path file) {
    return DocumentReader.read(file);
  }
}

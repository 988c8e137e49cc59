package com.wookler.river.common.config;

import com.wookler.river.common.errors.ConfigurationException;
import java.nio.file.Path;

/** Reads configuration files. Thread-safe. */
public final class ConfigParser {
  private ConfigParser() {}

  /**
   * Reads a file and all that it includes.
   *
   * <ul>
   *   <li>{@code ${sys:name}} and {@code ${env:name}} in attributes and text stand for a system
   *       property and a variable of the process's environment, {@code ${env:name:-value}} has a
   *       value for when it is not set. A value that still holds "${" afterwards is an error.
   *   <li>{@code <include file="…"/>} stands for the root element of another file, relative to the
   *       file it is in.
   *   <li>A DOCTYPE, and with it any entity of the file's own, is an error; nothing but the files
   *       named is read.
   *   <li>River's own elements are checked against {@code river.xsd}, which is in the jar beside
   *       this class.
   * </ul>
   *
   * @return the root element
   * @throws ConfigurationException if a file cannot be read, is not well-formed or is not valid; it
   *     names all errors that were found, each with file, line and column
   */
  public static ConfigNode parse(Path file) {
    return DocumentReader.read(file);
  }
}

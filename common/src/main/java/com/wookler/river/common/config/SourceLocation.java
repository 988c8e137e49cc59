package com.wookler.river.common.config;

/** A location in a configuration file. Lines and columns count from 1. */
record SourceLocation(String file, int line, int column) {
  /** Returns file and line, as in {@link ConfigNode#location}. */
  String location() {
    return file + ":" + line;
  }

  /** Returns file, line and column, as in errors. */
  @Override
  public String toString() {
    return file + ":" + line + ":" + column;
  }
}

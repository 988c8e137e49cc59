package com.wookler.river.common.config;

/** A place in a file; lines and columns count from 1. */
record Place(String file, int line, int column) {
  /** File and line, as nodes show it. */
  String location() {
    return file + ":" + line;
  }

  /** File, line and column, as errors in the document show it. */
  @Override
  public String toString() {
    return file + ":" + line + ":" + column;
  }
}

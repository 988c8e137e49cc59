package com.wookler.river.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A directory that nobody can delete where it stands, root neither: the paths of what it holds are
 * too long there. Closing moves it back to where it was made, so that the test's files can go.
 */
final class Undeletable implements AutoCloseable {
  private static final int LONGEST_PATH = 4_090;
  private static final int LONGEST_NAME = 200;

  private final Path made;
  private Path now;

  private Undeletable(Path made, Path now) {
    this.made = made;
    this.now = now;
  }

  /**
   * Puts one into a directory.
   *
   * @param scratch a directory whose path is shorter
   */
  static Undeletable in(Path directory, Path scratch) throws IOException {
    Path made = scratch.resolve("u");
    Path deep = made;
    while (length(deep) < LONGEST_PATH) {
      int name = Math.min(LONGEST_NAME, LONGEST_PATH - length(deep));
      deep = deep.resolve("x".repeat(name));
    }
    Files.createDirectories(deep);
    Path now = directory.resolve("u");
    Files.move(made, now);
    return new Undeletable(made, now);
  }

  private static int length(Path path) {
    return path.toString().length() + 1; // with the separator
  }

  /** What it stands in was renamed. */
  void movedTo(Path directory) {
    now = directory.resolve("u");
  }

  @Override
  public void close() throws IOException {
    Files.move(now, made);
  }
}

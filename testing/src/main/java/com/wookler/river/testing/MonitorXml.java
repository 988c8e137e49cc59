package com.wookler.river.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A configuration with a monitor, for tests that look at counters. */
public final class MonitorXml {
  /** What is in {@code <river>}: a monitor, and a task manager of one thread. */
  public static final String ENV =
      """
      <env>
        <monitor><params><param name="app.name" value="TEST-RIVER"/></params></monitor>
        <task-manager name="TM"><params><param name="executor.pool.size" value="1"/></params></task-manager>
      </env>
      """;

  private MonitorXml() {}

  /** Writes it to {@code river.xml} there; the environment is at {@code river}. */
  public static Path in(Path directory) throws IOException {
    return Files.writeString(directory.resolve("river.xml"), "<river>\n" + ENV + "</river>\n");
  }
}

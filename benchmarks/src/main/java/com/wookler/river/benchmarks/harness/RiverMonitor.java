package com.wookler.river.benchmarks.harness;

import com.wookler.river.common.Env;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** River's environment with its monitor, which is on in production and so when it is measured. */
public final class RiverMonitor {
  private static final String CONFIGURATION =
      """
      <river>
        <env>
          <monitor>
            <params>
              <param name="app.name" value="bench"/>
              <param name="monitor.window.recycle" value="30ss"/>
            </params>
          </monitor>
          <task-manager name="bench">
            <params>
              <param name="executor.pool.size" value="1"/>
            </params>
          </task-manager>
        </env>
      </river>
      """;

  private RiverMonitor() {}

  /** Turns it on for this JVM, before any queue opens. */
  public static void start() throws IOException {
    Path file = Files.createTempFile("river-bench-", ".xml");
    try {
      Files.writeString(file, CONFIGURATION);
      Env.create(file, "river");
    } finally {
      Files.delete(file);
    }
  }

  /** Turns it off. */
  public static void stop() {
    Env.reset();
  }
}

package com.wookler.river.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;

/**
 * A recording of what the threads of this JVM do between start and stop; or none, which does not
 * even load the recorder.
 */
final class FlightRecording implements AutoCloseable {
  // JVMs raise it to the shortest they can: JDK 17 to 10 ms.
  private static final Duration PERIOD = Duration.ofMillis(1);

  private final @Nullable String directory;
  private @Nullable Recording recording; // started and stopped by different threads, in turn

  /** Creates it; {@code directory} is where its file goes, null for no recording. */
  FlightRecording(@Nullable String directory) {
    this.directory = directory;
  }

  /**
   * Returns the options of a JVM that records: stacks that show inlined methods, and which reach
   * down to the thread's start.
   */
  static List<String> jvmOptions() {
    return List.of(
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+DebugNonSafepoints",
        "-XX:FlightRecorderOptions=stackdepth=256");
  }

  void start() {
    if (directory != null) {
      Recording started = new Recording();
      recording = started;
      started.enable("jdk.ExecutionSample").withPeriod(PERIOD);
      started.enable("jdk.NativeMethodSample").withPeriod(PERIOD);
      started.start();
    }
  }

  /** Writes the file. */
  void stop() throws IOException {
    if (directory != null && recording != null) {
      recording.stop();
      recording.dump(Files.createTempFile(Path.of(directory), "round-", ".jfr"));
    }
  }

  @Override
  public void close() {
    if (recording != null) {
      recording.close();
    }
  }
}

package com.wookler.river.benchmarks.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;

/**
 * A recording of this JVM from when it is made until it is closed, of what its threads were seen
 * doing.
 */
public final class FlightRecording implements AutoCloseable {
  /** Of running Java code. */
  static final String EXECUTION = "jdk.ExecutionSample";

  /** Of native methods, calls of the operating system among them. */
  static final String NATIVE = "jdk.NativeMethodSample";

  static final String SUFFIX = ".jfr";

  // JVMs raise it to the shortest they can: JDK 17 to 10 ms.
  private static final Duration PERIOD = Duration.ofMillis(1);

  private final Path file;
  private final Recording recording = new Recording();

  private FlightRecording(Path file) {
    this.file = file;
  }

  /**
   * What the JVM that records is to be started with: stacks that say which inlined method it was,
   * and which reach down to the thread's start.
   */
  public static List<String> jvmOptions() {
    return List.of(
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+DebugNonSafepoints",
        "-XX:FlightRecorderOptions=stackdepth=256");
  }

  /** Starts recording into a new file in this directory, which {@link Samples#read} reads. */
  public static FlightRecording into(Path directory) throws IOException {
    FlightRecording flight = new FlightRecording(Files.createTempFile(directory, "round-", SUFFIX));
    flight.recording.enable(EXECUTION).withPeriod(PERIOD);
    flight.recording.enable(NATIVE).withPeriod(PERIOD);
    flight.recording.enable(ShiftEvent.class).withoutThreshold();
    flight.recording.start();
    return flight;
  }

  /** Stops, and writes the file. */
  @Override
  public void close() throws IOException {
    try (recording) {
      recording.stop();
      recording.dump(file);
    }
  }
}

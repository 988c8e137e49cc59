package com.wookler.river.benchmarks.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link FlightRecording} wrote. Samples count in a thread's {@linkplain ShiftEvent
 * shift}; those of threads without one from the first shift's begin to the last one's end. Threads
 * that wait in a native method for something to do are left out, as those are that wait in Java.
 */
public final class Samples {
  private static final Set<String> WAITS =
      Set.of(
          "sun.nio.ch.EPoll.wait",
          "sun.nio.fs.LinuxWatchService.poll",
          "io.netty.channel.epoll.Native.epollWait0",
          "io.netty.channel.epoll.Native.epollWait");
  private static final String RECORDER = "JFR "; // its own threads

  private final Stacks all = new Stacks("all");

  private Samples() {}

  /** The samples of all recordings in a directory, as a tree: threads of a kind, then frames. */
  public static Stacks read(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> list = Files.list(directory)) {
      files = list.filter(file -> file.toString().endsWith(FlightRecording.SUFFIX)).toList();
    }
    Samples samples = new Samples();
    for (Path file : files) {
      samples.add(RecordingFile.readAllEvents(file));
    }
    return samples.all;
  }

  /** From a begin to an end. */
  private record Period(Instant begin, Instant end) {
    static Period of(RecordedEvent event) {
      return new Period(event.getStartTime(), event.getEndTime());
    }

    Period and(Period other) {
      return new Period(
          begin.isBefore(other.begin) ? begin : other.begin,
          end.isAfter(other.end) ? end : other.end);
    }

    boolean has(Instant time) {
      return !time.isBefore(begin) && !time.isAfter(end);
    }
  }

  private void add(List<RecordedEvent> events) {
    Map<Long, Period> shifts = new HashMap<>();
    for (RecordedEvent event : events) {
      if (event.getEventType().getName().equals(ShiftEvent.NAME)) {
        shifts.merge(event.getThread().getId(), Period.of(event), Period::and);
      }
    }
    Period whole = shifts.values().stream().reduce(Period::and).orElse(null);
    if (whole == null) {
      return;
    }
    for (RecordedEvent event : events) {
      RecordedThread thread = sampled(event);
      if (thread != null && shifts.getOrDefault(thread.getId(), whole).has(event.getStartTime())) {
        add(thread, event);
      }
    }
  }

  /** The thread that this is a sample of; null if it is none of any use. */
  private static @Nullable RecordedThread sampled(RecordedEvent event) {
    String type = event.getEventType().getName();
    boolean sample = type.equals(FlightRecording.EXECUTION) || type.equals(FlightRecording.NATIVE);
    return sample && event.getStackTrace() != null ? event.getThread("sampledThread") : null;
  }

  private void add(RecordedThread thread, RecordedEvent event) {
    List<String> frames = new ArrayList<>();
    for (RecordedFrame frame : event.getStackTrace().getFrames()) {
      RecordedMethod method = frame.getMethod();
      frames.add(Names.ofFrame(method.getType().getName(), method.getName()));
    }
    String name = thread.getJavaName() == null ? thread.getOSName() : thread.getJavaName();
    if (frames.isEmpty() || WAITS.contains(frames.get(0)) || name.startsWith(RECORDER)) {
      return;
    }
    frames.add(Names.ofThreads(name));
    Collections.reverse(frames);
    all.add(frames);
  }
}

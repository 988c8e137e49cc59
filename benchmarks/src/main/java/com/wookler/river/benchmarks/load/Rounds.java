package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.profile.FlightRecording;
import com.wookler.river.benchmarks.system.OpenQueue;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Systems;
import com.wookler.river.benchmarks.system.Work;
import com.wookler.river.benchmarks.utils.Directories;
import java.nio.file.Files;
import java.nio.file.Path;

/** Does rounds in this JVM, each on a queue in a directory of its own that is deleted after it. */
final class Rounds implements Worker {
  @Override
  public Outcome run(Request request) {
    try {
      return round(request);
    } catch (Exception e) {
      RoundFailedException failed = new RoundFailedException(request, e.toString());
      failed.initCause(e);
      throw failed;
    }
  }

  private static Outcome round(Request request) throws Exception {
    Line line = Lines.byName(request.line());
    QueueSystem system = Systems.byName(request.system());
    Work work = line.workOf(system);
    Path directory =
        Files.createTempDirectory(
            Path.of(request.directory()), request.system() + "-" + request.line() + "-");
    try (OpenQueue queue = system.open(directory, work)) {
      return recorded(line.task(), queue, work, request);
    } finally {
      Directories.delete(directory);
    }
  }

  @SuppressWarnings("try") // a recording is there to be closed
  private static Outcome recorded(Task task, OpenQueue queue, Work work, Request request)
      throws Exception {
    String recordings = request.recordings();
    if (recordings == null) {
      return task.run(queue, work, request);
    }
    try (FlightRecording recording = FlightRecording.into(Path.of(recordings))) {
      return task.run(queue, work, request);
    }
  }

  @Override
  public void close() {}
}

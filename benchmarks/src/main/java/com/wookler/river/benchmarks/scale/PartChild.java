package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Machine;
import com.wookler.river.benchmarks.report.Results;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.report.Run;
import com.wookler.river.benchmarks.system.RiverMonitor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * One part in this JVM, with River's monitor on; started by {@link #run}.
 *
 * <p>Arguments: the part, how much, rounds, its directory, the file for its rows.
 */
final class PartChild {
  private PartChild() {}

  /** Measures a part in a JVM of its own. */
  static List<Row> run(Part part, Lab lab) throws IOException, InterruptedException {
    Path answer = lab.directory().resolve("rows.json");
    Child.run(
        PartChild.class,
        part.jvmOptions(),
        List.of(
            part.name(),
            lab.extent().name(),
            Integer.toString(lab.asked()),
            lab.directory().toString(),
            answer.toString()));
    return Results.read(answer).rows();
  }

  public static void main(String[] arguments) throws Exception {
    Part part = Parts.named(arguments[0]);
    Path directory = Path.of(arguments[3]);
    Lab lab = new Lab(directory, Lab.Extent.valueOf(arguments[1]), Integer.parseInt(arguments[2]));
    RiverMonitor.start();
    List<Row> rows = part.measure(lab);
    Run run = new Run(part.name(), Clock.systemUTC().instant(), Machine.here(directory), rows);
    Results.write(Path.of(arguments[4]), run);
    RiverMonitor.stop();
  }
}

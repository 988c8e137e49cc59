package com.wookler.river.benchmarks.reactor;

import com.wookler.river.benchmarks.options.DirectoryOption;
import com.wookler.river.benchmarks.options.JsonOption;
import com.wookler.river.benchmarks.report.MarkdownTable;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.benchmarks.utils.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code ./river bench reactor}: what a reactor costs where its processor does nothing, how soon it
 * wakes, and what it costs while there is nothing to do.
 */
@Command(
    name = "reactor",
    description = "An empty processor beside batch(64) with ack; waking up; idle reactors.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ReactorCommand implements Callable<Integer> {
  private static final int SIZE = 1024;
  private static final int WAKES_A_ROUND = 100;
  private static final int IDLE_ROUNDS = 3;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Messages of a round of throughput. Default: ${DEFAULT-VALUE}.")
  private int count;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "7",
      description = "Of throughput, behind the first. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--rests",
      paramLabel = "N",
      defaultValue = "20",
      description = "How often 40 reactors are woken from a rest. Default: ${DEFAULT-VALUE}.")
  private int rests;

  @Option(
      names = "--idle",
      paramLabel = "N",
      defaultValue = "100",
      description = "Idle reactors. Default: ${DEFAULT-VALUE}.")
  private int idle;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long they are watched, three times. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(names = "--quick", description = "Tiny counts: the figures mean nothing.")
  private boolean quick;

  @Mixin private DirectoryOption directory;
  @Mixin private JsonOption json;
  @Spec private CommandSpec spec;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public ReactorCommand() {}

  @Override
  public Integer call() throws Exception {
    if (count < 1 || rounds < 1 || rests < 1 || idle < 1 || seconds < 1) {
      throw new UsageException("all numbers are at least 1");
    }
    Path own = directory.create("river-reactor-");
    try {
      measure(own);
    } finally {
      Directories.delete(own);
    }
    return CommandLine.ExitCode.OK;
  }

  private void measure(Path base) throws Exception {
    Throughput throughput = new Throughput(quick ? 300 : count, SIZE, quick ? 1 : rounds);
    Wakes wakes = quick ? new Wakes(2, 1, 3) : new Wakes(40, rests, WAKES_A_ROUND);
    Idle reactors = quick ? new Idle(idle, 1, 1) : new Idle(idle, IDLE_ROUNDS, seconds);
    List<Row> rows = new ArrayList<>(throughput.measure(base));
    rows.addAll(wakes.measure(base));
    rows.addAll(reactors.measure(base));
    spec.commandLine().getOut().print(MarkdownTable.of(rows));
    spec.commandLine().getOut().flush();
    json.write(base, rows);
  }
}

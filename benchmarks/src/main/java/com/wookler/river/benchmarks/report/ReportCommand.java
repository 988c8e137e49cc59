package com.wookler.river.benchmarks.report;

import com.wookler.river.benchmarks.harness.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes the generated parts of a document anew from the results. */
@Command(
    name = "report",
    description =
        "Makes the tables of docs/performance-tables.md anew from benchmarks/results/*.json.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ReportCommand implements Callable<Integer> {
  @Option(
      names = "--results",
      paramLabel = "DIR",
      defaultValue = "${sys:river.root:-.}/benchmarks/results",
      description = "Where the results are. Default: benchmarks/results of the repository.")
  private Path results;

  @Option(
      names = "--document",
      paramLabel = "FILE",
      defaultValue = "${sys:river.root:-.}/docs/performance-tables.md",
      description = "What is changed. Default: docs/performance-tables.md of the repository.")
  private Path document;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public ReportCommand() {}

  @Override
  public Integer call() throws IOException {
    if (!Files.isRegularFile(document)) {
      throw new UsageException("there is no document " + document);
    }
    String text = Files.readString(document);
    Files.writeString(document, new Report(Results.readAll(results)).fill(text));
    return CommandLine.ExitCode.OK;
  }
}

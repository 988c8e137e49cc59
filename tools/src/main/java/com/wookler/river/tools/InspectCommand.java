package com.wookler.river.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.tools.inspect.QueueOverview;
import com.wookler.river.tools.inspect.QueueOverview.BlockLine;
import com.wookler.river.tools.inspect.QueueOverview.SubscriberLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the blocks and subscribers in a queue's directory. */
@Command(
    name = "inspect",
    description = "Says what a queue's directory holds: blocks, subscribers and their positions.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class InspectCommand implements Callable<Integer> {
  @Parameters(paramLabel = "DIR", description = "<queue.directory>/<queue>.")
  private Path directory;

  @Option(names = "--json", description = "Print the answer as JSON.")
  private boolean json;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its parameters. */
  @SuppressWarnings("NullAway.Init")
  InspectCommand() {}

  @Override
  public Integer call() throws IOException {
    QueueOverview overview = QueueOverview.of(directory);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(json(overview).toPrettyString());
    } else {
      print(overview, out);
    }
    return Main.EXIT_OK;
  }

  private static void print(QueueOverview overview, PrintWriter out) {
    out.println("queue       " + overview.name() + " (" + overview.id() + ")");
    out.println("directory   " + overview.directory() + ", format " + overview.format());
    out.println("created     " + overview.created());
    out.println("sequences   " + overview.firstSequence() + " to " + overview.nextSequence());
    out.println("delayed     " + overview.delayed());
    out.println();
    row(out, "block", "state", "first", "messages", "bytes", "from", "to");
    for (BlockLine block : overview.blocks()) {
      row(
          out,
          block.number(),
          block.state(),
          block.firstSequence(),
          block.messages(),
          block.bytes(),
          Objects.toString(block.first(), "-"),
          Objects.toString(block.last(), "-"));
    }
    out.println();
    subscriber(
        out,
        "subscriber",
        "ack",
        "watermark",
        "position",
        "completed",
        "unfinished",
        "lag",
        "generation");
    for (SubscriberLine line : overview.subscribers()) {
      subscriber(
          out,
          line.name(),
          line.ack() ? "yes" : "no",
          line.lowWatermark(),
          line.position(),
          line.completedAbove(),
          line.unfinished(),
          line.lag(),
          line.generation());
      if (!line.fault().isEmpty()) {
        out.println("  damaged: " + line.fault());
      }
    }
    overview.quarantined().forEach(file -> out.println("quarantined: " + file));
  }

  private static void row(PrintWriter out, Object... cells) {
    out.printf(Locale.ROOT, "%5s  %-7s  %10s  %10s  %12s  %-28s  %s%n", cells);
  }

  private static void subscriber(PrintWriter out, Object... cells) {
    out.printf(Locale.ROOT, "%-20s  %-3s  %10s  %10s  %10s  %10s  %10s  %s%n", cells);
  }

  private static ObjectNode json(QueueOverview overview) {
    ObjectNode json = JsonOutput.MAPPER.createObjectNode();
    json.put("directory", overview.directory().toString());
    json.put("id", Objects.toString(overview.id(), null));
    json.put("name", overview.name()).put("created", overview.created());
    json.put("format", overview.format());
    json.put("firstSequence", overview.firstSequence());
    json.put("nextSequence", overview.nextSequence());
    json.put("delayed", overview.delayed());
    var blocks = json.putArray("blocks");
    for (BlockLine block : overview.blocks()) {
      ObjectNode line = blocks.addObject();
      line.put("number", block.number()).put("state", block.state().name());
      line.put("firstSequence", block.firstSequence()).put("messages", block.messages());
      line.put("bytes", block.bytes()).put("first", Objects.toString(block.first(), null));
      line.put("last", Objects.toString(block.last(), null));
    }
    var subscribers = json.putArray("subscribers");
    for (SubscriberLine subscriber : overview.subscribers()) {
      ObjectNode line = subscribers.addObject();
      line.put("name", subscriber.name()).put("ack", subscriber.ack());
      line.put("lowWatermark", subscriber.lowWatermark()).put("position", subscriber.position());
      line.put("completedAbove", subscriber.completedAbove());
      line.put("unfinished", subscriber.unfinished()).put("lag", subscriber.lag());
      line.put("generation", subscriber.generation()).put("fault", subscriber.fault());
    }
    var aside = json.putArray("quarantined");
    overview.quarantined().forEach(file -> aside.add(file.toString()));
    return json;
  }
}

package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.UsageException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What all programs take: which queues, and where. */
final class QueueFlags {
  private static final int DEFAULT_PORT = 8080;

  @Option(names = "-q", paramLabel = "NAME", description = "Queue, or prefix of several.")
  private String name = "spam";

  @Option(
      names = "-F",
      description = "Keep what an earlier run left in --directory; else the queues are emptied.")
  private boolean keep;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where the queues are. Default: a temporary directory, removed at the end.")
  private @Nullable Path directory;

  @Option(
      names = "-h",
      paramLabel = "HOST",
      description =
          "A REST server instead of queues in this JVM; RIVER_KEY is sent as its API key.")
  private @Nullable String host;

  @Option(
      names = "-p",
      paramLabel = "PORT",
      description = "Of that server, 127.0.0.1 without -h. Default: 8080.")
  private @Nullable Integer port;

  @Option(
      names = "--thrift",
      description = "River speaks no Thrift: it says so, and uses HTTP, at 127.0.0.1 without -h.")
  private boolean thrift;

  @SuppressWarnings("unused") // picocli looks at the annotation only
  @Option(names = "--help", usageHelp = true, description = "Show this help and exit.")
  private boolean help;

  /** Returns the name of the queue, or the prefix of several. */
  String name() {
    return name;
  }

  /** Returns the name of the n-th queue: the prefix alone if there is one only. */
  String name(int number, int queues) {
    return queues == 1 ? name : name + number;
  }

  /** Returns whether messages of an earlier run stay. */
  boolean keep() {
    return keep;
  }

  /**
   * Says what is not as it was asked for.
   *
   * @throws UsageException flags exclude each other
   */
  void check(PrintWriter out) {
    if (server() != null && directory != null) {
      throw new UsageException(
          "--directory is for queues in this JVM, -h, -p, --thrift for others");
    }
    if (port != null && (port < 1 || port > 65_535)) {
      throw new UsageException("-p is 1 to 65535");
    }
    if (thrift) {
      out.println("River speaks no Thrift: using HTTP at " + server() + ".");
    }
  }

  /** Returns the address of the server; null for queues in this JVM. */
  @Nullable String server() {
    if (host == null && port == null && !thrift) {
      return null;
    }
    String name = host == null ? "127.0.0.1" : host;
    String bare = name.indexOf(':') >= 0 && !name.startsWith("[") ? "[" + name + "]" : name;
    return "http://" + bare + ":" + (port == null ? DEFAULT_PORT : port);
  }

  /** Returns the directory; null for a temporary one. */
  @Nullable Path directory() {
    return directory;
  }
}

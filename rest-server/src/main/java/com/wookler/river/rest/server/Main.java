package com.wookler.river.rest.server;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.rest.server.hosting.RequestException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Runs the server and manages its keys on the command line, {@code ./river server} and {@code
 * ./river keys}.
 */
public final class Main {
  static final int DONE = 0;
  static final int NOTHING = 1;
  static final int REFUSED = 2;

  private static final String LOGBACK = "logback.configurationFile";

  private Main() {}

  /** Runs a command and exits with its exit code. */
  public static void main(String[] args) {
    if (System.getProperty(LOGBACK) == null) {
      System.setProperty(LOGBACK, "river-server-logback.xml"); // an application has its own
    }
    System.exit(run(System.out, System.err, args));
  }

  /**
   * Runs a command. A usual command line of the server is not parsed by picocli, whose classes take
   * a third of the time in which the server starts.
   */
  static int run(OutputStream out, OutputStream err, String... args) {
    try {
      ServerStart server = ServerStart.ofUsual(System.getenv(), args);
      if (server == null && !List.of(args).equals(List.of(ClassArchiveTraining.COMMAND))) {
        return RiverCommand.run(out, err, args);
      }
      return server == null
          ? ClassArchiveTraining.run()
          : server.runUntilEnd(new PrintWriter(out, true, StandardCharsets.UTF_8));
    } catch (Exception e) {
      return failed(new PrintWriter(err, true, StandardCharsets.UTF_8), args[0], e);
    }
  }

  /** Reports why a command failed, and returns its exit code. */
  static int failed(PrintWriter err, String command, Exception e) {
    LoggerFactory.getLogger(Main.class).debug("{} failed", command, e);
    boolean expected = e instanceof RiverException || e instanceof RequestException;
    err.println(expected ? command + ": " + e.getMessage() : command + " failed: " + e);
    return REFUSED;
  }
}

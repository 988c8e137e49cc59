package com.wookler.river.rest.server;

import com.wookler.river.common.MonitoredThread;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs a server until the process is terminated. */
@Command(
    name = "server",
    description = {
      "Offers queues over HTTP, until Ctrl-C or SIGTERM.",
      "Without a file: at 127.0.0.1:8080, with its queues in ./river-data."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ServerCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "XML with a <server>, and <queue>s if there are some to begin with.")
  private @Nullable Path config;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Another port than 8080; 0 for any that is free. Not with --config.")
  private @Nullable Integer port;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Another directory than ./river-data. Not with --config.")
  private @Nullable Path directory;

  @Option(
      names = "--backup",
      paramLabel = "DIR",
      description = "Where queues may have backups, which requests ask for. Not with --config.")
  private @Nullable Path backup;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its specification. */
  @SuppressWarnings("NullAway.Init")
  ServerCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    RiverServer server = start();
    Thread ending =
        new MonitoredThread(
            "river-server-end",
            () -> {
              server.close();
              end.countDown();
            });
    Runtime.getRuntime().addShutdownHook(ending);
    PrintWriter out = spec.commandLine().getOut();
    welcome(out, server.scheme() + "://127.0.0.1:" + server.port(), server);
    out.flush();
    end.await();
    return Main.DONE;
  }

  private RiverServer start() {
    if (config != null) {
      if (port != null || directory != null || backup != null) {
        throw new ParameterException(
            spec.commandLine(),
            "--port, --directory and --backup cannot be combined with --config; set them in its file");
      }
      return RiverServer.open(config);
    }
    RiverServer.Builder server = RiverServer.builder();
    if (port != null) {
      server.port(port);
    }
    if (directory != null) {
      server.directory(directory);
    }
    if (backup != null) {
      server.backupDirectory(backup);
    }
    return server.start();
  }

  private static void welcome(PrintWriter out, String address, RiverServer server) {
    out.println("River listens at port " + server.port() + "; Ctrl-C ends it.");
    if (server.scheme().equals("https")) {
      return; // a client needs the certificate and a key
    }
    out.println("To try it:");
    out.println();
    out.println("  curl -d 'order 1' " + address + "/v1/queues/orders/messages");
    out.println(
        "  curl -X POST '" + address + "/v1/queues/orders/subscribers/billing/deliveries?wait=5s'");
    out.println(
        "  curl -d '{\"receipts\":[\"RECEIPT\"]}' "
            + address
            + "/v1/queues/orders/subscribers/billing/ack");
  }
}

package com.wookler.river.rest.server;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs a server until the process is terminated. */
@Command(
    name = ServerStart.COMMAND,
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
      names = {"--data", "--directory"},
      paramLabel = "DIR",
      description = "Another directory than ./river-data. Not with --config.")
  private @Nullable Path directory;

  @Option(
      names = "--backup",
      paramLabel = "DIR",
      description = "Where queues may have backups, which requests ask for. Not with --config.")
  private @Nullable Path backup;

  @Option(
      names = "--memcache",
      paramLabel = "N",
      description =
          "Speaks memcache's text protocol at this port too, as Kestrel does at 22133; 0 for any"
              + " that is free. Not with --config.")
  private @Nullable Integer memcache;

  @Option(
      names = "--host",
      paramLabel = "H",
      description =
          "Listens at this address instead of 127.0.0.1, for both protocols. Not with --config.")
  private @Nullable String host;

  @Option(
      names = "--insecure",
      description = "Listens there although every one who reaches it may do everything.")
  private boolean insecure;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its specification. */
  @SuppressWarnings("NullAway.Init")
  ServerCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    if (config != null
        && (port != null
            || directory != null
            || backup != null
            || memcache != null
            || host != null
            || insecure)) {
      throw new ParameterException(
          spec.commandLine(),
          "--port, --data, --backup, --memcache, --host and --insecure cannot be combined with"
              + " --config; set them in its file");
    }
    return new ServerStart(
            config, port, directory, backup, memcache, new ServerStart.Reach(host, insecure))
        .runUntilEnd(spec.commandLine().getOut());
  }
}
